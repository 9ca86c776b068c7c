/* Passes some intercepted system calls from the stage to the reaper, and the answers back. Only the
 * reaper can trace processes, and it keeps their affinity. The calls are those that execute a
 * program (stage/calls/static_cpuid.h) and those about affinity (stage/calls/affinity.h). */
#ifndef BX_STAGE_CALLS_CALL_PROXY_H
#define BX_STAGE_CALLS_CALL_PROXY_H

#include "stage/calls/calls.h"
#include "stage/process/reaper.h"
#include "topology/topology.h"

typedef struct bx_call_proxy bx_call_proxy;

/* Must be called before the reaper is forked. The topology and the calls must outlive the proxy.
 * BX_NO_MEMORY, or BX_SYSTEM: no socket, or too many calls are intercepted. */
int bx_call_proxy_new(const bx_topology *t, bx_calls *calls, bx_call_proxy **p, bx_error *e);
void bx_call_proxy_free(bx_call_proxy *p); /* NULL is fine */

const bx_reaper_work *bx_call_proxy_work(const bx_call_proxy *p); /* the reaper's part */

/* The stage's part: while the descriptor is readable, each call of handle delivers one answer. */
int bx_call_proxy_descriptor(const bx_call_proxy *p);
void bx_call_proxy_handle(bx_call_proxy *p);

#endif
