/* Notices that Valgrind gives up and ends the process. */
#ifndef BX_TRACER_CORE_ENDS_H
#define BX_TRACER_CORE_ENDS_H

#include "pub_tool_basics.h"

/* Sets a function that is called right before Valgrind ends the process by exit_group(), whatever
 * the reason. why: what Valgrind could not do; without meaning if the program has ended itself. */
void bx_core_set_ends(void (*to)(const HChar *why));

#endif
