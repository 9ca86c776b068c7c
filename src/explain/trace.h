/* A trace: register accesses, each a line of text (docs/explain.md, Traces). */
#ifndef BX_EXPLAIN_TRACE_H
#define BX_EXPLAIN_TRACE_H

#include "base/buf.h"
#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_reg_access {
    bx_address at; /* in memory: a physical address */
    bool write;
    bool faulted; /* nothing was read or written */
    uint64_t value;
} bx_reg_access;

/* A line without its line feed. *any: it holds an access; false of a comment or an empty line.
 * BX_BAD_INPUT with the span in the line. */
int bx_trace_parse(bx_str line, bx_reg_access *a, bool *any, bx_error *e);

/* Appends the line, with its line feed. */
void bx_trace_line(bx_buf *to, const bx_reg_access *a);

/* The first comments of a trace: what it is of and how to read it. `tool`: the command. */
void bx_trace_header(bx_buf *to, const bx_topology *t, const char *tool);

/* The machine that a trace says it is of: "# machine: SPEC", or the signature that CPUID gave the
 * program: "CPUID signature 0x506E3". BX_NOT_FOUND if it says neither. */
int bx_trace_machine(const struct bx_catalog *c, bx_str text, bx_topology *t, bx_error *e);

/* The function of a PCI address, as lspci has it: "00:1f.3". */
typedef struct bx_pci_word {
    char text[16];
} bx_pci_word;
bx_pci_word bx_pci_function(uint64_t address);

#endif
