/* System calls that are answered in the keeper, which is what can trace processes and has their
 * affinity: the stage's loop passes them there, and the answers back. They are those that execute a
 * program (stage/calls/static_cpuid.h) and those about affinity (stage/calls/affinity.h). */
#ifndef BX_STAGE_CALLS_CALL_PROXY_H
#define BX_STAGE_CALLS_CALL_PROXY_H

#include "stage/calls/calls.h"
#include "stage/process/reaper.h"
#include "topology/topology.h"

typedef struct bx_relay bx_relay;

/* The topology and the calls must outlive it. To be made before the keeper is. */
int bx_relay_new(const bx_topology *t, bx_calls *calls, bx_relay **r, bx_error *e);
void bx_relay_free(bx_relay *r); /* NULL is fine */

const bx_keeper_work *bx_relay_work(const bx_relay *r); /* the keeper's part */

int bx_relay_descriptor(const bx_relay *r); /* readable when bx_relay_take() has to be called */
void bx_relay_take(bx_relay *r);            /* gives one answer, if there is one */

#endif
