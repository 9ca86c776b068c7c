/* The lock of a package's counters. One process holds it until the process releases it or ends, for
 * any reason. It is a flock(2) of a file. A line in the file names the holder. This line is
 * believed only if the process is alive and the kernel says that it holds the lock. After the line
 * is the path of the holder's journal.
 *
 * The file is in /run/boxscore/lock, which only root and members of group boxscore can enter.
 * Processes of other users use boxscore/lock in $XDG_RUNTIME_DIR, as do all processes if the first
 * folder does not exist. Such a lock works only among the processes of one user. */
#ifndef BX_GUARD_LOCK_H
#define BX_GUARD_LOCK_H

#include "host/system/owner.h"

#include <boxscore/boxscore.h>

typedef struct bx_lock {
    int fd;           /* of the file; -1: not open */
    int folder;       /* where it is, while it is open */
    int package;      /* the kernel's number, which is known only while one of its CPUs is online */
    bool held;        /* we hold it */
    bool is_private;  /* in $XDG_RUNTIME_DIR: it does not exclude processes of root */
    bx_owner process; /* the process that opened it; the line in the file names it */
    char name[40];
} bx_lock;

/* The warning for users of a private lock. */
#define BX_LOCK_PRIVATE                                                                            \
    "nobody arbitrates between this user's measurements and root's: that takes the group boxscore"

/* Opens the file, and makes it if needed; removes files that ended processes have left. A process
 * that cannot open files later must open it in advance. machine: bx_machine_number(); package: the
 * kernel's number. */
int bx_lock_open(bx_lock *l, uint64_t machine, int package, bx_error *e);

/* Takes an open lock. 0 or an errno. EADDRINUSE: it is taken, by *holder; its pid is 0 if the
 * holder is unknown. ESTALE: another process removed the file. Processes that share the descriptor
 * hold it together. */
int bx_lock_take(bx_lock *l, bx_owner *holder);
void bx_lock_let_go(bx_lock *l); /* the file stays open; fine if it is not held */
void bx_lock_drop(bx_lock *l);   /* closes it, too; fine if it is not open */

enum { BX_LOCK_JOURNAL = 4096 };

/* Writes the path of the holder's journal, an absolute path, into the file, for later holders of
 * the lock. The lock file stays as long as the journal exists. Returns 0 or an errno. */
int bx_lock_name_journal(const bx_lock *l, const char *path);

/* The path of the journal that this or an earlier holder has written. false: none. Do not trust it:
 * every process that can lock the file can write the path. */
bool bx_lock_journal(const bx_lock *l, char to[BX_LOCK_JOURNAL]);

/* Whether a known process holds it. Changes nothing. */
bool bx_lock_is_held(uint64_t machine, int package, bx_owner *holder);

#endif
