/* Unpacks a trace file ahead of its reader, in a separate thread. */
#ifndef BX_MACHINE_PROGRAM_TRACE_AHEAD_H
#define BX_MACHINE_PROGRAM_TRACE_AHEAD_H

#include "machine/program/trace/file.h"

typedef struct bx_trace_ahead bx_trace_ahead;

/* Do not use the file elsewhere until this is freed. */
int bx_trace_ahead_new(bx_trace_file *file, bx_trace_ahead **a, bx_error *e);
void bx_trace_ahead_free(bx_trace_ahead *a); /* NULL is fine */

/* Like bx_trace_file_next(), but the caller owns the part's words and frees *memory. The part's
 * name is valid until the next part. Do not call it again after the end or an error. */
int bx_trace_ahead_next(bx_trace_ahead *a, bx_tracefile_part *part, void **memory, bx_error *e);

#endif
