/* System calls that are answered in the reaper, which is what can trace processes and has their
 * affinity: the stage's loop passes them there, and the answers back. They are those that execute a
 * program (stage/calls/static_cpuid.h) and those about affinity (stage/calls/affinity.h). */
#ifndef BX_STAGE_CALLS_CALL_PROXY_H
#define BX_STAGE_CALLS_CALL_PROXY_H

#include "stage/calls/calls.h"
#include "stage/process/reaper.h"
#include "topology/topology.h"

typedef struct bx_call_proxy bx_call_proxy;

/* The topology and the calls must outlive it. To be made before the reaper is. */
int bx_call_proxy_new(const bx_topology *t, bx_calls *calls, bx_call_proxy **p, bx_error *e);
void bx_call_proxy_free(bx_call_proxy *p); /* NULL is fine */

const bx_reaper_work *bx_call_proxy_work(const bx_call_proxy *p); /* the reaper's part */

int bx_call_proxy_descriptor(
    const bx_call_proxy *p); /* readable when bx_call_proxy_handle() has to be called */
void bx_call_proxy_handle(bx_call_proxy *p); /* gives one answer, if there is one */

#endif
