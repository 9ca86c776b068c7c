/* Two processes, so that one is left when the other is killed: one serves, the other one waits for
 * it and for signals. */
#ifndef BX_HELPER_PAIR_H
#define BX_HELPER_PAIR_H

#include "helper/serve.h"

/* Serves until SIGTERM, SIGINT or SIGHUP, which s->end tells (signalfd). Whichever of the two ends
 * first, and however: what clients changed is put back by itself or by the other. Both are
 * sealed. */
int bx_pair_serve(bx_serving *s, bx_error *e);

#endif
