/* What a client changes, and how it is put back: the contents of each register before the client's
 * first write of it, and of what such a write changes besides. */
#ifndef BX_HELPER_SAVED_REGISTERS_H
#define BX_HELPER_SAVED_REGISTERS_H

#include "host/safety/allow_list.h"
#include "host/safety/journal.h"

/* A machine's registers, and what they are for. */
typedef struct bx_keeper {
    const bx_topology *t;
    const bx_allow *allow;
    struct bx_bus *bus;
    uint8_t *roles; /* by catalogue index of the register: BX_ROLE_* */
} bx_keeper;

bool bx_keeper_new(bx_keeper *k, const bx_topology *t, const bx_allow *allow, struct bx_bus *bus);
void bx_keeper_free(bx_keeper *k);

enum {
    BX_ROLE_GATE = 1,    /* some counter counts only while its bits are right */
    BX_ROLE_CONTROL = 2, /* says what a counter counts */
    BX_ROLE_VALUE = 4,   /* a counter's */
    BX_ROLE_GUARD = 8,   /* others can be written only while its bits are right: */
    BX_ROLE_GUARDED = 16,
};

typedef struct bx_kept_register {
    bx_address at;
    const bx_allowed *r;
    uint64_t first;
    bool left; /* it could not be put back */
} bx_kept_register;

/* Those of a client in one package. The list's memory is its maker's, and has room for all that the
 * package has: bx_keeper_room(). Another process may share it, and goes on where this one ends:
 * what is in the list is kept before the register is written. */
typedef struct bx_kept {
    bx_kept_register *list;
    size_t n, room;
} bx_kept;

size_t bx_keeper_room(const bx_keeper *k);

/* Before a client writes a register: whether it is lawful. The register's contents, and all that
 * the write changes besides, are kept. 0 or an errno: EACCES no register for monitoring; EPERM
 * reserved or fixed bits, or an interrupt. */
int bx_kept_prepare(const bx_keeper *k, bx_kept *kept, const bx_address *at, uint64_t value);

/* Puts all of it back, counters stopped and the gates opened last. All are tried; what could not be
 * put back, with what that takes, stays in the list, which is empty otherwise. Returns how many
 * registers that are; the first of them is in *failed. */
size_t bx_kept_put_back(const bx_keeper *k, bx_kept *kept, bx_kept_register *failed);

/* The same as operations of a journal, for somebody else to carry out whatever the client has
 * written by then: appends them to j->ops, which has room for bx_kept_undo_most(), and texts to the
 * arena. cpus and package: the kernel's numbers of the machine's CPUs, and of the package. */
void bx_kept_undo(const bx_keeper *k, const bx_kept *kept, const uint16_t *cpus, int package,
                  bx_arena *arena, bx_journal *j);
size_t bx_kept_undo_most(const bx_kept *kept);

/* ---- what keeping and putting back share ---- */

bx_span bx_keeper_pmus(const bx_keeper *k); /* of the CPU model */

/* A register of a unit, or of the package where it belongs to another PMU than `pmu`. */
bx_address bx_keeper_address(const bx_keeper *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit);

/* The setting that must hold while a guarded register is written; and its register as that one's
 * CPU sees it. */
const bx_cat_cond *bx_keeper_guard(const bx_keeper *k, const bx_kept_register *one, bx_address *at);

/* The value with the bits that let counters count as they must not be. */
uint64_t bx_keeper_shut(const bx_keeper *k, const bx_allowed *r, uint64_t value);

/* The bits that, written to *at, clear these of a status; 0: there are none. */
uint64_t bx_keeper_clearing(const bx_keeper *k, const bx_kept_register *one, uint64_t bits,
                            bx_address *at);

/* When a register has its turn: those of a later one after all of an earlier one. */
enum { BX_FIRST_TURN, BX_TURNS = 6 };
unsigned bx_keeper_turn(const bx_keeper *k, const bx_allowed *r);

/* Keeps a register's contents, unless they are, or it has none. One that is read only may be a
 * status that another register clears. */
int bx_kept_keep(const bx_keeper *k, bx_kept *kept, const bx_address *at);

#endif
