/* Intercepts system calls of the program on stage and of all processes that it starts. The stage
 * answers them instead of the kernel: a seccomp filter reports them (seccomp_unotify(2)). All other
 * calls run as usual. Only calls of 64-bit programs are intercepted. */
#ifndef BX_STAGE_CALLS_CALLS_H
#define BX_STAGE_CALLS_CALLS_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

typedef struct bx_calls bx_calls;

/* An intercepted call. Its thread waits for the answer. */
typedef struct bx_call {
    bx_calls *calls;
    uint64_t id; /* of the seccomp notification */
    pid_t pid;   /* the thread */
    int number;  /* SYS_… */
    uint64_t args[6];
} bx_call;

enum bx_answer {
    BX_CALL_CONTINUES, /* the host's kernel executes the call unchanged */
    BX_CALL_RETURNS,   /* *value: the result, or -errno */
    BX_CALL_LATER,     /* the handler answers later, with one of the three functions below */
};

/* Called in the stage's loop. The same loop serves the files, so a handler must not wait, nor open
 * or close a file of the stage. */
typedef enum bx_answer (*bx_call_handler)(void *context, const bx_call *call, int64_t *value);

/* ---- set-up: new, intercept, then install in the process that becomes the program ---- */

/* BX_NO_MEMORY, or BX_SYSTEM: this kernel does not support it. */
int bx_calls_new(bx_calls **c, bx_error *e);
void bx_calls_free(bx_calls *c); /* calls that still wait return ENOSYS; NULL is fine */

/* At most one handler per call. false: too many calls. */
bool bx_calls_intercept(bx_calls *c, int number, bx_call_handler handler, void *context);

/* Between fork and exec: installs the filter in this process. If execve() is intercepted, so is the
 * exec that follows. Does nothing if no call is intercepted. false, errno: it failed. */
bool bx_calls_install(bx_calls *c);

/* ---- in the stage's loop ---- */

/* While the descriptor is readable, each call of handle passes one call to its handler. -1: no
 * process is left that could make a call. */
int bx_calls_descriptor(const bx_calls *c);
void bx_calls_handle(bx_calls *c);

/* ---- for handlers; from any thread ---- */

/* Copies n bytes from or to the caller's memory. 0 or EFAULT. If the caller was killed meanwhile,
 * another process may have its number: check bx_call_waits() before using what was read. */
int bx_call_read(const bx_call *call, uint64_t address, void *to, size_t n);
int bx_call_write(const bx_call *call, uint64_t address, const void *from, size_t n);

bool bx_call_waits(const bx_call *call); /* false: the caller was killed or interrupted */

/* The answer after BX_CALL_LATER: continue, as BX_CALL_CONTINUES; return a value or -errno; or
 * return a copy of a descriptor of ours, by its number in the program. false: the call does not
 * wait any more. */
void bx_call_continue(const bx_call *call);
void bx_call_return(const bx_call *call, int64_t value);
bool bx_call_return_fd(const bx_call *call, int fd, bool close_on_exec);

/* Returns a copy of the program's descriptor `fd`, which we must close; or -1, with errno. */
int bx_call_descriptor(const bx_call *call, int fd);

#endif
