/* The command lines that a sweep runs. */
#ifndef BX_SWEEP_COMMANDS_H
#define BX_SWEEP_COMMANDS_H

#include "sweep/sweep.h"

/* The command line of a point, from the arena; ends with NULL. trace: of the program, or NULL.
 * NULL: out of memory. */
const char *const *bx_sweep_stat(const bx_sweep *s, size_t point, const char *trace,
                                 const char *result, bx_arena *a);

/* The same with `record`, into a file. */
const char *const *bx_sweep_record(const bx_sweep *s, size_t point, const char *trace,
                                   const char *recording, bx_arena *a);

/* The one that traces the program as it would see that machine. */
const char *const *bx_sweep_trace(const bx_sweep *s, const char *machine, const char *trace,
                                  bx_arena *a);

#endif
