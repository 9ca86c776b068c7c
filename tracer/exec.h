/* Programs that a process executes in its place: under this tool, or without a trace where Valgrind
 * could not run them. Done here, as Valgrind's own exec has no way back if it fails. */
#ifndef BX_TRACER_EXEC_H
#define BX_TRACER_EXEC_H

#include "pub_tool_basics.h"

void bx_exec_setup(void); /* tells Valgrind what to call */

/* The call has begun: addresses of the program's argument vector and environment. */
void bx_exec_arguments(UWord argv, UWord environment);

#endif
