/* Programs run under our tracer and under Valgrind's own tools, with the same environment. */
#ifndef TRACED_H
#define TRACED_H

#include "machine/program/decode/decoder.h"

#include <stdbool.h>
#include <stdio.h>

/* Makes an environment that is equal for all runs, and finds Valgrind's tools. */
void traced_setup(void);

/* Counts of our tracer, and the exit status of the program, or 128 + its signal. */
bx_trace_counts traced_counts(char *const argv[], int *status);

/* Accesses by our tracer, and from lackey's text. The caller frees them. */
bx_access *traced_accesses(char *const argv[], size_t *n);
bx_access *traced_with_remarks(char *const argv[], size_t *n);
bx_access *traced_with_kernel(char *const argv[], size_t *n, int *status);
bx_access *lackey_accesses(char *const argv[], size_t *n);

/* Cachegrind's counts of references. */
typedef struct references {
    uint64_t instructions, reads, writes;
} references;
references cachegrind_references(char *const argv[]);

/* Those of all processes, in any order. For a process that executed other programs, those of the
 * last. Returns their number. */
size_t cachegrind_processes(char *const argv[], references to[], size_t most);

#endif
