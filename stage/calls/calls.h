/* System calls of the program on stage, and of all that it starts, which the stage answers in the
 * kernel's place: a seccomp filter hands them over (seccomp_unotify(2)), all others run as ever.
 * Only calls of 64-bit programs are caught. */
#ifndef BX_STAGE_CALLS_CALLS_H
#define BX_STAGE_CALLS_CALLS_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

typedef struct bx_calls bx_calls;

/* A call whose thread waits for the answer. */
typedef struct bx_call {
    bx_calls *calls;
    uint64_t id; /* what an answer is addressed to */
    pid_t pid;   /* the thread */
    int number;  /* SYS_… */
    uint64_t args[6];
} bx_call;

enum bx_answer {
    BX_CALL_CONTINUES, /* the host's kernel executes it as it is */
    BX_CALL_RETURNS,   /* *value: what it returns, or -errno */
    BX_CALL_LATER,     /* somebody will call one of the three functions that give answers */
};

/* Called in the stage's loop, in which files are served too: it must not wait, nor open or close a
 * file of the stage's own. */
typedef enum bx_answer (*bx_call_handler)(void *context, const bx_call *call, int64_t *value);

/* ---- set-up: new, what is caught, then in the process that is to be the program ---- */

int bx_calls_new(bx_calls **c, bx_error *e);
void bx_calls_free(bx_calls *c); /* whoever still waits gets ENOSYS; NULL is fine */

/* false: too many. Nobody else must catch the same one. Nothing is installed if none is caught. */
bool bx_calls_intercept(bx_calls *c, int number, bx_call_handler handler, void *context);

/* Between fork and exec. From then on the calls of this process are caught: execve() as well, if
 * somebody catches that. false, errno: it cannot be done. */
bool bx_calls_install(bx_calls *c);

/* ---- in the stage's loop ---- */

int bx_calls_descriptor(const bx_calls *c); /* readable when bx_calls_handle() has to be called */
void bx_calls_handle(bx_calls *c);          /* has one call answered, if there is one */

/* ---- for who answers; from any thread ---- */

/* Copies from or to the memory of the caller. 0 or EFAULT. What was read can be another's if the
 * caller has been killed meanwhile: ask bx_call_waits() before believing it. */
int bx_call_read(const bx_call *call, uint64_t address, void *to, size_t n);
int bx_call_write(const bx_call *call, uint64_t address, const void *from, size_t n);

bool bx_call_waits(const bx_call *call); /* still there: neither killed nor interrupted */

/* The answer, after BX_CALL_LATER. continue: as BX_CALL_CONTINUES. return_fd: a copy of a
 * descriptor of ours, whose number in the program the call returns. false: the call does not wait
 * any more. */
void bx_call_continue(const bx_call *call);
void bx_call_return(const bx_call *call, int64_t value);
bool bx_call_return_fd(const bx_call *call, int fd, bool close_on_exec);

/* A copy of the caller's descriptor; -1, errno. */
int bx_call_descriptor(const bx_call *call, int fd);

#endif
