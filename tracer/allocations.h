/* The program's allocations, seen at the entries and the returns of its allocators' functions. The
 * program does not change, and nothing is preloaded. */
#ifndef BX_TRACER_ALLOCATIONS_H
#define BX_TRACER_ALLOCATIONS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Takes "" for the usual allocators, or SYMBOL=FORM of one more, FORM as in allocations.c. False:
 * there is no such form, or there are too many. */
Bool bx_allocations_follow(const HChar *allocator);

/* Adds code at the instruction that begins at statement i. first: it begins the superblock. */
void bx_allocations_enter(IRSB *out, const IRSB *in, Int i, Bool first);
/* Adds code at the end of a superblock, which begins at that address. */
void bx_allocations_leave(IRSB *out, const IRSB *in, Addr address);

/* Whether an allocator that the user has named begins there: its call then ends a superblock. */
Bool bx_allocations_begin_at(Addr address);

void bx_allocations_run(ThreadId tid); /* this thread runs now */

#endif
