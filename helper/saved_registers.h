/* Saves what a client changes, and restores it: the contents of each register before the client's
 * first write of it, and of the registers that such a write changes as a side effect. */
#ifndef BX_HELPER_SAVED_REGISTERS_H
#define BX_HELPER_SAVED_REGISTERS_H

#include "host/safety/allow_list.h"
#include "host/safety/journal.h"
#include "register/register.h"

/* The registers of a machine and their roles. */
typedef struct bx_register_policy {
    const bx_topology *t;
    const bx_allow *allow;
    struct bx_bus *bus;
    uint8_t *roles; /* by catalogue index of the register: BX_ROLE_* */
} bx_register_policy;

bool bx_policy_new(bx_register_policy *k, const bx_topology *t, const bx_allow *allow,
                   struct bx_bus *bus);
void bx_policy_free(bx_register_policy *k);

enum {
    BX_ROLE_ENABLE = 1,  /* some counter needs its bits to count */
    BX_ROLE_CONTROL = 2, /* selects what a counter counts */
    BX_ROLE_VALUE = 4,   /* the count of a counter */
    BX_ROLE_PRECONDITION =
        8, /* the condition of others: they can be written only while its bits are right */
    BX_ROLE_HAS_PRECONDITION = 16,
};

typedef struct bx_saved_register {
    bx_address at;
    const bx_allowed *r;
    uint64_t first;
    bool not_restored; /* it could not be restored */
} bx_saved_register;

/* The saved registers of a client in one package. The caller owns the list's memory, which has room
 * for all registers of the package: bx_policy_room(). Another process may share it and take over: a
 * register is in the list before it is written. */
typedef struct bx_saved_registers {
    bx_saved_register *list;
    size_t n, room;
} bx_saved_registers;

size_t bx_policy_room(const bx_register_policy *k);

/* To be called before a client writes a register: checks the write, and saves the register and all
 * registers that the write changes as a side effect. 0 or an errno: EACCES: no monitoring register;
 * EPERM: reserved bits, or an interrupt. */
int bx_saved_prepare_write(const bx_register_policy *k, bx_saved_registers *saved,
                           const bx_address *at, uint64_t value);

/* Restores all registers: stops counters first and sets enables last. All are tried. Registers that
 * could not be restored stay in the list, with the preconditions that they need; otherwise the list
 * is empty. Returns how many are not restored; *failed is the first of them. */
size_t bx_saved_put_back(const bx_register_policy *k, bx_saved_registers *saved,
                         bx_saved_register *failed);

/* The same as journal operations, valid whatever the client writes later. Appends to j->ops, which
 * must have room for bx_saved_undo_max(); texts live in the arena. cpus and package: the kernel's
 * numbers of the machine's CPUs, and of the package. */
void bx_saved_undo(const bx_register_policy *k, const bx_saved_registers *saved,
                   const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j);
size_t bx_saved_undo_max(const bx_saved_registers *saved);

/* ---- shared by saving and restoring ---- */

bx_span bx_policy_pmus(const bx_register_policy *k); /* those of the CPU model */

/* A register of a unit, or of the package where it belongs to another PMU than `pmu`. */
bx_address bx_policy_address(const bx_register_policy *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit);

/* The condition that must hold while a register is written; *at: its register, on the same CPU.
 * NULL: the register has no precondition. */
const bx_cat_cond *bx_policy_precondition(const bx_register_policy *k, const bx_saved_register *one,
                                          bx_address *at);

/* The value with all bits that enable counters inverted: no counter counts. */
uint64_t bx_policy_disabled(const bx_register_policy *k, const bx_allowed *r, uint64_t value);

/* The bits that, written to *at, clear these status bits; 0: none. */
uint64_t bx_policy_clearing(const bx_register_policy *k, const bx_saved_register *one,
                            uint64_t bits, bx_address *at);

/* The step in which a register is restored. Steps are executed in order. */
enum { BX_RESTORE_FIRST, BX_RESTORE_STEPS = 6 };
unsigned bx_policy_step(const bx_register_policy *k, const bx_allowed *r);

/* Saves a register's contents, unless it is saved already or write-only. A read-only register may
 * be a status that another register clears. */
int bx_saved_add(const bx_register_policy *k, bx_saved_registers *saved, const bx_address *at);

#endif
