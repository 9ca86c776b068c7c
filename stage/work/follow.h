/* A real program as the work of a machine on stage. It runs under trace as in `boxscore stat`, but
 * in the host's view of files: what it might ask of the stage's, the stage could not answer while
 * it waits for the program. So a process is kept outside that starts it, as often as it is wanted.
 */
#ifndef BX_STAGE_WORK_FOLLOW_H
#define BX_STAGE_WORK_FOLLOW_H

#include "machine/program/lackey_process.h"

typedef struct bx_follow bx_follow;

/* command: words as a shell splits them, quotes and backslashes included and nothing else.
 * BX_BAD_INPUT with a span in it; BX_NOT_FOUND, BX_NO_ACCESS: it cannot be run. To be called before
 * this process moves into another view. */
int bx_follow_new(const char *command, bx_follow **f, bx_error *e);
void bx_follow_free(bx_follow *f); /* its programs must have been ended; NULL is fine */

char *const *bx_follow_words(const bx_follow *f);
const bx_spawner *bx_follow_spawner(const bx_follow *f);

/* Whether the program that was started, which that process keeps, waits for something in all of its
 * threads: not only for a CPU of the host. */
bool bx_follow_sleeps(pid_t pid);

#endif
