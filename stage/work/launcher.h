/* The launcher: a process outside the stage's mount namespace that starts programs for the stage.
 * The stage waits for what these programs execute, so it could not serve files to them. */
#ifndef BX_STAGE_WORK_LAUNCHER_H
#define BX_STAGE_WORK_LAUNCHER_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

enum { BX_LAUNCHER_DESCRIPTORS = 6 };

typedef struct bx_launcher bx_launcher;

/* Called in a new process, a child of the stage, with the descriptors that the stage has sent. Its
 * standard error is the stage's. Must not return. */
typedef void bx_launched(void *context, pid_t stage, const int *fds, size_t n);

/* To be called before this process enters a mount namespace. BX_SYSTEM, BX_NO_MEMORY. */
int bx_launcher_new(bx_launched *start, void *context, bx_launcher **l, bx_error *e);
void bx_launcher_free(bx_launcher *l); /* NULL is fine */

/* Starts a process with copies of n descriptors, at least one. 0 or an errno; ECHILD: the launcher
 * was killed. */
int bx_launcher_start(const bx_launcher *l, const int *fds, size_t n, pid_t *pid);

#endif
