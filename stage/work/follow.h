/* A real program as the work of a machine on stage (--follow). It is traced as in `boxscore stat`.
 * The program runs outside the stage's mount namespace: a launcher starts it whenever it is needed
 * (launcher.h). */
#ifndef BX_STAGE_WORK_FOLLOW_H
#define BX_STAGE_WORK_FOLLOW_H

#include "machine/program/process/traced_process.h"

typedef struct bx_follow bx_follow;

/* To be called before this process enters a mount namespace. command: split into words as a shell
 * does, with quotes and backslashes but no expansion. BX_BAD_INPUT with a span in the command;
 * BX_NOT_FOUND, BX_NO_ACCESS: it cannot be run. */
int bx_follow_new(const char *command, bx_follow **f, bx_error *e);
void bx_follow_free(bx_follow *f); /* its programs must have ended; NULL is fine */

char *const *bx_follow_words(const bx_follow *f);
const bx_spawner *bx_follow_spawner(const bx_follow *f);

/* Whether all threads of the program sleep, rather than wait for a CPU of the host. pid: of the
 * upper reaper, as the spawner returned it. */
bool bx_follow_sleeps(pid_t pid);

#endif
