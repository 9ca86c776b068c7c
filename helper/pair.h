/* The two processes of the helper, so that one is left when the other is killed: one serves, the
 * other one waits for it and for signals. */
#ifndef BX_HELPER_PAIR_H
#define BX_HELPER_PAIR_H

#include "helper/serve.h"

/* Serves until SIGTERM, SIGINT or SIGHUP, read from s->end (signalfd). Whichever process ends
 * first, and however: it or the other one restores what clients changed. Both run under the seccomp
 * filter. */
int bx_pair_serve(bx_serving *s, bx_error *e);

#endif
