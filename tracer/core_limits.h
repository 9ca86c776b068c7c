/* Raises limits of Valgrind that programs meet: the size of the stack and of reservations, and the
 * need for a folder for temporary files. */
#ifndef BX_TRACER_CORE_LIMITS_H
#define BX_TRACER_CORE_LIMITS_H

#include "pub_tool_basics.h"

/* Reserves as much for the main thread's stack as its limit allows. Valgrind calls nothing of a
 * tool before it loads the program, so this is called when it asks for the features of the host. */
void bx_core_reserve_stack(void);

/* The room for a stack with this limit. One without a limit gets as much as a large program may
 * need: reserved addresses cost nothing. */
Word bx_core_stack_bytes(UWord wanted);

/* Sets a function that says whether the program's mappings may grow by so many bytes. */
void bx_core_limit_memory(Bool (*by)(UWord bytes));

/* Lifts the limit of the size of files (ulimit -f) while the tracer makes a file of its own with so
 * many bytes. False: that is not allowed. bx_core_limit_files() puts it back. */
Bool bx_core_lift_files(UWord bytes);
void bx_core_limit_files(void);

#endif
