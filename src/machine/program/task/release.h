/* The order between threads of a program: a thread releases a pipe, socket, futex or process end,
 * and another thread acquires it. The times of both tell which release comes before an acquisition.
 */
#ifndef BX_MACHINE_PROGRAM_TASK_RELEASE_H
#define BX_MACHINE_PROGRAM_TASK_RELEASE_H

#include "machine/program/task/task.h"

typedef struct bx_releases bx_releases;

bx_releases *bx_releases_new(void); /* NULL: out of memory */
void bx_releases_free(bx_releases *r);
bool bx_releases_ran_out(const bx_releases *r); /* out of memory */

/* Adds a release. kind: enum bx_trace_object. */
void bx_releases_add(bx_releases *r, unsigned kind, uint64_t id, uint64_t time, bx_point end);

/* The two ids of that kind are the ends of one object. */
void bx_releases_pair(bx_releases *r, unsigned kind, uint64_t id, uint64_t other);

/* The last release of an object before that time. Its task is NULL if there is none. */
bx_point bx_releases_before(const bx_releases *r, unsigned kind, uint64_t id, uint64_t time);

#endif
