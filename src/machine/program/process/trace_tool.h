/* Where our tracer is (tracer/README.md). */
#ifndef BX_MACHINE_PROGRAM_PROCESS_TRACE_TOOL_H
#define BX_MACHINE_PROGRAM_PROCESS_TRACE_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the tracer for this program. false: lackey must trace it, because the tracer is missing or
 * the program has 32 bits. The environment variable BOXSCORE_TRACER has the folder of the tracer,
 * or is "lackey". */
bool bx_trace_tool_find(const char *program, char *to, size_t room);

/* Why lackey must trace it; NULL: our tracer can trace it. */
const char *bx_trace_tool_missing(const char *program);

#endif
