/* A list of processes as text, for reports: the first ones, and how many more there are. */
#ifndef BX_MACHINE_PROGRAM_TRACE_NAMES_H
#define BX_MACHINE_PROGRAM_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bx_trace_names {
    char *text; /* "NAME (process N), …"; NULL: none */
    uint64_t n;
} bx_trace_names;

/* These return false if there is no memory. Nothing is added after the second one. */
bool bx_trace_names_add(bx_trace_names *n, const char *process, uint32_t number);
bool bx_trace_names_close(bx_trace_names *n); /* adds how many more there are */

void bx_trace_names_free(bx_trace_names *n);

#endif
