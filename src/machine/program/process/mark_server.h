/* Takes the marks of a program that runs on the host (include/boxscore/region.h). */
#ifndef BX_MACHINE_PROGRAM_PROCESS_MARK_SERVER_H
#define BX_MACHINE_PROGRAM_PROCESS_MARK_SERVER_H

#include "machine/program/process/mark.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct bx_mark_server bx_mark_server;

/* NULL on failure; errno is set. */
bx_mark_server *bx_mark_server_new(bx_mark_fn *fn, void *context);
void bx_mark_server_free(bx_mark_server *s); /* NULL is fine */

/* Call this in the program's process before execve(): the program then sends its marks to the
 * server. context: the server. */
void bx_mark_server_invite(void *context);

/* Tells the program's process. Marks come from processes of our user, and from descendants of the
 * program, which may have changed their user. */
void bx_mark_server_serve(bx_mark_server *s, pid_t program);

/* How many marks of other processes were refused. */
uint64_t bx_mark_server_refused(const bx_mark_server *s);

int bx_mark_server_fd(const bx_mark_server *s); /* readable when there is a mark */

/* Takes one mark if there is one. The marking thread continues when fn has returned. */
void bx_mark_server_take(bx_mark_server *s);

#endif
