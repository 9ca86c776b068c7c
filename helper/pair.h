/* The two processes of the helper. One serves; the other one waits for the first and for signals.
 * If one is killed, the other can still restore registers. */
#ifndef BX_HELPER_PAIR_H
#define BX_HELPER_PAIR_H

#include "helper/serve.h"

/* Serves until SIGTERM, SIGINT or SIGHUP, read from s->end (signalfd). Whichever process ends
 * first, and for any reason, one of them restores what clients changed. Both run under the seccomp
 * filter. */
int bx_pair_serve(bx_serving *s, bx_error *e);

#endif
