/* What a measurement puts back. It owns the undo logs, the journal and the locks; a programme says
 * what will be written:
 *
 *   preflight.c  checks a host before and after
 *   save.c       saves what registers hold
 *   restore.c    puts it back */
#ifndef BX_SESSION_RESTORE_H
#define BX_SESSION_RESTORE_H

#include "base/buf.h"
#include "guard/lock.h"
#include "session/programme.h"

enum { BX_NOT_RESTORED_TEXT = sizeof(((bx_error *)0)->message) };

/* What has to be put back, and who may write meanwhile. */
typedef struct bx_session_undo {
    bx_allow allow;
    bx_register_policy policy;
    bx_undo_log *logs;                          /* by package: the values to restore at the end */
    bx_undo_op *ops;                            /* room for restoring a package, … */
    int *errnos;                                /* … and for the results */
    char (*not_restored)[BX_NOT_RESTORED_TEXT]; /* registers that were not restored, and why */
    size_t not_restored_n;
    bx_lock *locks;    /* one for each claimed package, or NULL */
    bool private_lock; /* the lock does not exclude processes of root */
    bool journaled;    /* the journal exists at this path */
    bx_buf journal;
} bx_session_undo;

/* ---- preflight.c: checks before registers are written ---- */

/* Call it before registers are read. Locks the packages that will be written, against other
 * sessions and other processes. */
int bx_preflight_lock(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* Call it after saving and before writing. Checks that no other software counts there, and that no
 * killed measurement left a journal. Then writes our journal. */
int bx_preflight_check(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* Removes the journal, or keeps it if some registers could not be restored. After that, other
 * processes may count. */
void bx_preflight_end(bx_session_undo *u, const bx_programme *p, bool restored);

/* ---- save.c ---- */

/* Saves all registers that the plan will change. A register that cannot be saved is not written,
 * and assignments that need it are blocked. */
int bx_save(bx_session_undo *u, bx_programme *p, bx_error *e);
void bx_save_free(bx_session_undo *u, const bx_programme *p);

/* ---- restore.c ---- */

/* Restores the registers. u->not_restored lists those that failed, and *e has the first. The
 * list includes counters that may still run because the register that stops them failed. */
int bx_restore(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* A register did not read as op wrote it, but as `value`: its saved value may be wrong, too. */
void bx_restore_doubt(bx_session_undo *u, const bx_op *op, uint64_t value);

#endif
