/* Limits that a program sets for itself: address space, data, stack, size of files. The tracer
 * could not live with them, so it keeps them for the program, and the kernel keeps those that it
 * had. */
#ifndef BX_TRACER_CORE_PROGRAM_LIMITS_H
#define BX_TRACER_CORE_PROGRAM_LIMITS_H

#include "core_system_calls.h"

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"

enum { BX_LIMITS_OPTION = 192 }; /* most bytes of the option's value, with the final 0 */

/* Call this once, with the value of --limits=, which the tracer of the program before an exec has
 * written; NULL: the program has the kernel's limits. False: it is malformed. */
Bool bx_program_limits_setup(const HChar *option);
void bx_program_limits_write(HChar *option);

struct vki_rlimit bx_program_limits_stack(void); /* as the program sees it */

/* Answers setrlimit(), getrlimit(), prlimit(), and calls that grow memory. */
void bx_program_limits_call(const bx_core_call *call, bx_core_answer *to);

/* For an exec: sets the kernel's limits to those of the program; traced: to those with which the
 * next tracer can begin. The second function undoes that, as far as the kernel lets it. */
void bx_program_limits_give(Bool traced);
void bx_program_limits_take_back(void);

#endif
