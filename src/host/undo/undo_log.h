/* The undo log: what registers held before they were first written. Each entry is there before its
 * register changes, so that whoever has the log can put everything back. */
#ifndef BX_HOST_UNDO_UNDO_LOG_H
#define BX_HOST_UNDO_UNDO_LOG_H

#include "host/undo/register_policy.h"

typedef struct bx_undo_entry {
    bx_address at;
    const bx_allowed *r;
    uint64_t first; /* what it held */
} bx_undo_entry;

/* The registers of one package that somebody changes. The caller owns the list's memory. Another
 * process may share it and take over: an entry counts once it is complete. */
typedef struct bx_undo_log {
    bx_undo_entry *list;
    size_t n, room;
} bx_undo_log;

/* Entries that a log needs room for: all registers of a package. */
size_t bx_undo_log_room(const bx_register_policy *k);

/* To be called before a register is written: checks the write, and saves the register and all
 * registers that the write, or putting it back, changes as a side effect. 0 or an errno: EACCES: no
 * monitoring register; EPERM: reserved bits, or an interrupt; ENOMEM: no room; else of a read. */
int bx_undo_prepare_write(const bx_register_policy *k, bx_undo_log *log, const bx_address *at,
                          uint64_t value);

/* Saves a register's contents, unless it is saved already or write-only. A read-only register may
 * be a status that another register clears. 0 or an errno. */
int bx_undo_save(const bx_register_policy *k, bx_undo_log *log, const bx_address *at);

#endif
