/* What a client changes, and how it is put back: the contents of each register before the client's
 * first write of it, and of what such a write changes besides. */
#ifndef BX_HELPER_SAVED_REGISTERS_H
#define BX_HELPER_SAVED_REGISTERS_H

#include "host/safety/allow_list.h"
#include "host/safety/journal.h"

/* A machine's registers, and what they are for. */
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
    BX_ROLE_ENABLE = 1,       /* some counter counts only while its bits are set so */
    BX_ROLE_CONTROL = 2,      /* says what a counter counts */
    BX_ROLE_VALUE = 4,        /* a counter's */
    BX_ROLE_PRECONDITION = 8, /* others can be written only while its bits are right: */
    BX_ROLE_HAS_PRECONDITION = 16,
};

typedef struct bx_saved_register {
    bx_address at;
    const bx_allowed *r;
    uint64_t first;
    bool not_restored; /* it could not be put back */
} bx_saved_register;

/* Those of a client in one package. The list's memory is the caller's, and has room for all that
 * the package has: bx_policy_room(). Another process may share it, and continues where this one
 * ends: what is in the list is saved before the register is written. */
typedef struct bx_saved_registers {
    bx_saved_register *list;
    size_t n, room;
} bx_saved_registers;

size_t bx_policy_room(const bx_register_policy *k);

/* Before a client writes a register: whether it is allowed. The register's contents, and all that
 * the write changes besides, are saved. 0 or an errno: EACCES no register for monitoring; EPERM
 * reserved bits, or an interrupt. */
int bx_saved_prepare_write(const bx_register_policy *k, bx_saved_registers *saved,
                           const bx_address *at, uint64_t value);

/* Puts all of it back, counters stopped first and the enables set last. All are tried; what could
 * not be put back, with what that takes, stays in the list, which is empty otherwise. Returns how
 * many registers that are; the first of them is in *failed. */
size_t bx_saved_put_back(const bx_register_policy *k, bx_saved_registers *saved,
                         bx_saved_register *failed);

/* The same as operations of a journal, for somebody else to carry out whatever the client has
 * written by then: appends them to j->ops, which has room for bx_saved_undo_max(), and texts to the
 * arena. cpus and package: the kernel's numbers of the machine's CPUs, and of the package. */
void bx_saved_undo(const bx_register_policy *k, const bx_saved_registers *saved,
                   const uint16_t *cpus, int package, bx_arena *arena, bx_journal *j);
size_t bx_saved_undo_max(const bx_saved_registers *saved);

/* ---- what saving and putting back share ---- */

bx_span bx_policy_pmus(const bx_register_policy *k); /* of the CPU model */

/* A register of a unit, or of the package where it belongs to another PMU than `pmu`. */
bx_address bx_policy_address(const bx_register_policy *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit);

/* The setting that must hold while a register with a precondition is written; and its register as
 * that one's CPU sees it. */
const bx_cat_cond *bx_policy_precondition(const bx_register_policy *k, const bx_saved_register *one,
                                          bx_address *at);

/* The value with the bits that let counters count as they must not be. */
uint64_t bx_policy_disabled(const bx_register_policy *k, const bx_allowed *r, uint64_t value);

/* The bits that, written to *at, clear these of a status; 0: there are none. */
uint64_t bx_policy_clearing(const bx_register_policy *k, const bx_saved_register *one,
                            uint64_t bits, bx_address *at);

/* The step in which a register is put back: those of a later one after all of an earlier one. */
enum { BX_RESTORE_FIRST, BX_RESTORE_STEPS = 6 };
unsigned bx_policy_step(const bx_register_policy *k, const bx_allowed *r);

/* Saves a register's contents, unless they are saved, or it has none. One that is read only may be
 * a status that another register clears. */
int bx_saved_add(const bx_register_policy *k, bx_saved_registers *saved, const bx_address *at);

#endif
