/* Threads that only look whether another thread has done something: they come to the same exit
 * again, have stored nothing for others meanwhile, and have the same registers. README.md,
 * "Threads". */
#ifndef BX_TRACER_SPINNING_H
#define BX_TRACER_SPINNING_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* ---- while a superblock is translated ---- */

/* at_round is called at some of the exits that go back, with the thread's registers and where the
 * exit goes. NULL: threads do not share time. */
void bx_spinning_begin(void (*at_round)(void *state, ULong to));

/* The superblock stores to the address, which bx_symbol_of() may know; NULL: anywhere. */
void bx_spinning_store(IRSB *out, const IRExpr *address);

/* It is left here for `to`. */
void bx_spinning_exit(IRSB *out, Addr here, Addr to, IRExpr *guard);

/* ---- while a thread runs ---- */

typedef struct bx_spinning bx_spinning; /* what a thread had when it came to an exit */

void bx_spinning_free(bx_spinning *s); /* NULL is fine */

/* The thread with these registers (VexGuestAMD64State) is at an exit. Whether all is as it was
 * when it was there last. */
Bool bx_spinning_is_same(bx_spinning **s, const void *state, Addr to);

/* A thread goes on. looked: it has come back from a look. */
void bx_spinning_go_on(Bool looked);

#endif
