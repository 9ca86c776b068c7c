/* The lock of a package's counters: one process holds it until it drops it or ends, in whatever
 * way. It is a flock(2) of a file. Its line names the holder, who is known if he lives and the
 * kernel says that he holds the lock. Behind the line is the path of the holder's journal.
 *
 * The file is in /run/boxscore/lock, which only root and members of group boxscore can enter.
 * Processes of other users, or where there is no such folder, have theirs in boxscore/lock of
 * $XDG_RUNTIME_DIR: that tells apart what one user starts, and nothing else. */
#ifndef BX_HOST_SAFETY_LOCK_H
#define BX_HOST_SAFETY_LOCK_H

#include "host/system/owner.h"

#include <boxscore/boxscore.h>

typedef struct bx_lock {
    int fd;           /* of the file; -1: not open */
    int folder;       /* where it is, while it is open */
    int package;      /* the kernel's number, which is known only while one of its CPUs is online */
    bool held;        /* by us */
    bool is_private;  /* in $XDG_RUNTIME_DIR: nobody arbitrates between its users and root */
    bx_owner process; /* who opened it, which its line names */
    char name[40];
} bx_lock;

/* What users of a private lock are told. */
#define BX_LOCK_PRIVATE                                                                            \
    "nobody arbitrates between this user's measurements and root's: that takes the group boxscore"

/* Opens the file, and makes it if needed; removes files that ended processes have left. A process
 * that can open no files later opens it before. machine: bx_machine_number(); package: the kernel's
 * number. */
int bx_lock_open(bx_lock *l, uint64_t machine, int package, bx_error *e);

/* Takes an open lock. 0 or an errno. EADDRINUSE: it is taken, by *holder; its pid is 0 if the
 * holder is unknown. ESTALE: somebody removed the file. Processes that share the descriptor hold it
 * together. */
int bx_lock_take(bx_lock *l, bx_owner *holder);
void bx_lock_let_go(bx_lock *l); /* the file stays open; fine if it is not held */
void bx_lock_drop(bx_lock *l);   /* closes it, too; fine if it is not open */

enum { BX_LOCK_JOURNAL = 4096 };

/* Names the journal of what the holder changes, an absolute path, for those who hold the lock after
 * him. As long as there is such a file, that of the lock stays. 0 or an errno. */
int bx_lock_name_journal(const bx_lock *l, const char *path);

/* The path that the holder, or one before him, has named. false: none. Not to be trusted: whoever
 * can lock can write it. */
bool bx_lock_journal(const bx_lock *l, char to[BX_LOCK_JOURNAL]);

/* Whether a known holder has it. Changes nothing. */
bool bx_lock_is_held(uint64_t machine, int package, bx_owner *holder);

#endif
