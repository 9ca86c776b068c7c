/* Programs that a process executes in its place: under the tracer, or untraced if Valgrind could
 * not run them. The tracer does this itself, because Valgrind's own exec cannot return if it fails.
 */
#ifndef BX_TRACER_EXEC_H
#define BX_TRACER_EXEC_H

#include "pub_tool_basics.h"

void bx_exec_setup(void); /* registers functions with Valgrind */

/* The exec call has begun. argv, environment: addresses in the program. */
void bx_exec_arguments(UWord argv, UWord environment);

/* Executes the program. Returns only if that fails: an errno. */
UInt bx_exec(const HChar *path);

#endif
