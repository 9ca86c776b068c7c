/* The undo log: what registers held before they were first written. An entry is complete before its
 * register changes, so that everything can be put back from the log at any time. */
#ifndef BX_GUARD_UNDO_LOG_H
#define BX_GUARD_UNDO_LOG_H

#include "guard/register_policy.h"

typedef struct bx_undo_entry {
    bx_address at;
    const bx_allowed *r;
    uint64_t first; /* what it held */
    bool prepared;  /* it may be written: registers that the write changes as a side effect are
                       saved, too */
    int unreadable; /* why it could not be saved; then it is neither written nor put back */
    bool unsure; /* `first` may be wrong, because a read after a write gave another value: never put
                    back */
    int err;     /* why it was not put back: 0 or an errno */
} bx_undo_entry;

/* The registers of one package that are being changed. The caller owns the list's memory. Another
 * process may share it and take over: an entry counts once it is complete. */
typedef struct bx_undo_log {
    bx_undo_entry *list;
    size_t n, room;
    /* By register and core of the package: the number of its entry plus 1; 0: none. [room]. NULL: a
     * log of another process, or a short one; the list is searched. */
    uint32_t *place;
    bx_address failed; /* the register whose errno a function has returned */
} bx_undo_log;

/* Entries that a log needs room for: all registers of a package. */
size_t bx_undo_log_room(const bx_register_policy *k);

/* Call this before a register is written. It checks the write. It saves the register, and all
 * registers that the write, or putting it back, changes as a side effect. 0 or an errno:
 * EACCES: not a monitoring register.
 * EPERM: reserved bits, an interrupt, or a status that was set before and that software cannot set.
 * EOVERFLOW: a count that could not be written back.
 * ENOMEM: no room. Others are those of a read. */
int bx_undo_prepare_write(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                          uint64_t value);

/* Removes the bits of *value that would clear status bits which were found set. Saves the status
 * for that. 0 or an errno. */
int bx_undo_spare_status(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                         uint64_t *value);

/* Saves a register's contents, unless it is saved already or write-only. A read-only register may
 * be a status that another register clears. 0 or an errno. */
int bx_undo_save(const bx_register_policy *k, bx_undo_log *log, const bx_address *at);

/* Marks a register that cannot be read as saved; it must not be written. */
int bx_undo_give_up(const bx_register_policy *k, bx_undo_log *log, const bx_address *at, int err);

/* The entry of a register; NULL: it is not saved. A register of the package is the same one from
 * all of its CPUs. */
bx_undo_entry *bx_undo_find(const bx_register_policy *k, const bx_undo_log *log,
                            const bx_address *at);

/* Whether an entry is the count of a counter that another entry's register selects or enables. */
bool bx_undo_governs(const bx_register_policy *k, const bx_undo_entry *governing,
                     const bx_undo_entry *count);

/* Whether the counter of an entry's count counts now, as far as its registers can be read. */
bool bx_undo_may_count_now(const bx_register_policy *k, const bx_undo_entry *count);

#endif
