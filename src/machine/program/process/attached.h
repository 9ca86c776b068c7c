/* Running processes or threads of the host, which are counted but not changed. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_ATTACHED_H
#define BX_MACHINE_PROGRAM_PROCESS_ATTACHED_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* What to attach to: numbers of processes or of threads. n 0: the whole machine. */
typedef struct bx_attach {
    const int *ids;
    size_t n;
    bool threads;
} bx_attach;

/* One thread to count. */
typedef struct bx_attached_thread {
    pid_t id;
    char name[20];
} bx_attached_thread;

typedef struct bx_attached bx_attached;

/* Finds the threads. BX_NOT_FOUND: no such process or thread. */
int bx_attached_new(const bx_attach *to, bx_attached **a, bx_error *e);
void bx_attached_free(bx_attached *a); /* NULL is fine */

/* The threads that bx_attached_new() found, [*n]. */
const bx_attached_thread *bx_attached_threads(const bx_attached *a, size_t *n);

/* Gives it the folder of one more cgroup, to be closed with it. false: out of memory. */
bool bx_attached_take_cgroup(bx_attached *a, int folder);
/* The folders, [*n], in the order in which they were given. */
const int *bx_attached_cgroups(const bx_attached *a, size_t *n);

/* Waits until the time `until` of bx_process_clock(), or until a signal arrives. *done: all have
 * ended. */
void bx_attached_run(bx_attached *a, uint64_t until, bool *done);

#endif
