/* A trace file being unpacked ahead, in a thread of its own. */
#ifndef BX_MACHINE_PROGRAM_TRACE_AHEAD_H
#define BX_MACHINE_PROGRAM_TRACE_AHEAD_H

#include "machine/program/trace/file.h"

typedef struct bx_trace_ahead bx_trace_ahead;

/* Nobody else uses the file until this is freed. */
int bx_trace_ahead_new(bx_trace_file *file, bx_trace_ahead **a, bx_error *e);
void bx_trace_ahead_free(bx_trace_ahead *a); /* NULL is fine */

/* As bx_trace_file_next(), but the part's words are the caller's, who frees *memory; its name is
 * there until the next part. Nothing follows the end, or an error. */
int bx_trace_ahead_next(bx_trace_ahead *a, bx_tracefile_part *part, void **memory, bx_error *e);

#endif
