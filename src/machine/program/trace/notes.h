/* Facts that tracers tell about a program's processes (BX_TRACE_NOTE), as text. */
#ifndef BX_MACHINE_PROGRAM_TRACE_NOTES_H
#define BX_MACHINE_PROGRAM_TRACE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_trace_notes {
    struct bx_trace_fact *facts; /* [n], which differ */
    size_t n;
    uint64_t more; /* facts that were left out */
    uint64_t cut;  /* processes that were not counted to their ends */
    char *text;    /* all facts, a line each; NULL: none */
} bx_trace_notes;

/* Adds a fact about a process. A fact about several processes is told once. kind: enum
 * bx_trace_note. false: no memory. */
bool bx_trace_notes_add(bx_trace_notes *n, uint32_t kind, uint32_t process, const char *text);
void bx_trace_notes_free(bx_trace_notes *n);

#endif
