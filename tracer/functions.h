/* Functions of the program that are regions: each begins when the function is entered, and ends
 * when it returns. The program does not change. */
#ifndef BX_TRACER_FUNCTIONS_H
#define BX_TRACER_FUNCTIONS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Follows the function of this name. False: there are too many. */
Bool bx_functions_follow(const HChar *name);

/* Adds code before the first part of a superblock, which begins at that address. */
void bx_functions_enter(IRSB *out, Addr address);
/* Adds code at the end of a superblock. */
void bx_functions_leave(IRSB *out, const IRSB *in);

/* Whether such a function begins there: its call then ends a superblock. */
Bool bx_functions_begin_at(Addr address);

void bx_functions_run(ThreadId tid);   /* this thread runs now */
void bx_functions_start(ThreadId tid); /* this thread begins */
void bx_functions_fork(void);          /* in the child, which is in no region */

#endif
