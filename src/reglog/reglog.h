/* A register log: register accesses, each a line of text (docs/explain.md, Register logs). */
#ifndef BX_REGLOG_REGLOG_H
#define BX_REGLOG_REGLOG_H

#include "base/buf.h"
#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_reglog_access {
    bx_address at; /* in memory: a physical address */
    bool write;
    bool faulted; /* nothing was read or written */
    bool timed;   /* the line says when */
    int err;      /* errno of one that failed: EIO where it faulted */
    uint64_t value;
    uint64_t time; /* in the unit of the machine's time */
} bx_reglog_access;

/* A line without its line feed. *any: it holds an access; false of a comment or an empty line.
 * BX_BAD_INPUT with the span in the line. */
int bx_reglog_parse(bx_str line, bx_reglog_access *a, bool *any, bx_error *e);

/* Appends the line, with its line feed. */
void bx_reglog_line(bx_buf *to, const bx_reglog_access *a);

/* Appends which register is accessed and how: the line up to the value. */
void bx_reglog_address(bx_buf *to, const bx_reglog_access *a);

/* The word for an errno, "fault" for EIO, and back; 0: it is none. */
void bx_reglog_errno(bx_buf *to, int err);
int bx_reglog_find_errno(bx_str word);

/* The first comments of a register log: what it is of and how to read it. `tool`: the command. */
void bx_reglog_header(bx_buf *to, const bx_topology *t, const char *tool);

/* The machine that a register log says it is of: "# machine: SPEC", where SPEC is that of a virtual
 * machine or "host,cpu=skl,packages=1,cores=4" with a line of its units below, or the signature
 * that CPUID gave the program: "CPUID signature 0x506E3". BX_NOT_FOUND if it says neither. */
int bx_reglog_machine(const struct bx_catalog *c, bx_str text, bx_topology *t, bx_error *e);

/* The function of a PCI address, as lspci has it: "00:1f.3". And back; false: it is none. */
typedef struct bx_pci_bdf {
    char text[16];
} bx_pci_bdf;
bx_pci_bdf bx_pci_bdf_text(uint64_t address);
bool bx_pci_bdf_parse(bx_str s, uint64_t *address);

#endif
