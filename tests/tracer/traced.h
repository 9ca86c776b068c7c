/* Programs run under our tracer and under Valgrind's own tools, with the same environment. */
#ifndef TRACED_H
#define TRACED_H

#include "machine/program/decode/decoder.h"

#include <stdbool.h>
#include <stdio.h>

/* Makes an environment that is the same for all, and finds Valgrind's tools. */
void traced_setup(void);

/* What our tracer saw, and the exit status of the program, or 128 + its signal. */
bx_trace_counts traced_counts(char *const argv[], int *status);

/* The accesses: by our tracer, and from lackey's text. Freed by the caller. */
bx_access *traced_accesses(char *const argv[], size_t *n);
bx_access *traced_with_remarks(char *const argv[], size_t *n);
bx_access *traced_with_kernel(char *const argv[], size_t *n, int *status);
bx_access *lackey_accesses(char *const argv[], size_t *n);

/* References as cachegrind prints them. */
typedef struct references {
    uint64_t instructions, reads, writes;
} references;
references cachegrind_references(char *const argv[]);

/* Those of all processes, in no order; of one that executed other programs, of the last. Returns
 * their number. */
size_t cachegrind_processes(char *const argv[], references to[], size_t most);

#endif
