/* Register logs: text with one register access a line (docs/reference/explain.md, Register logs).
 */
#ifndef BX_REGLOG_REGLOG_H
#define BX_REGLOG_REGLOG_H

#include "base/buf.h"
#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_reglog_access {
    bx_address at; /* memory: a physical address */
    bool write;
    bool faulted; /* nothing was read or written */
    bool timed;   /* the line has a time */
    int err;      /* errno of a failed access: EIO where it faulted */
    uint64_t value;
    uint64_t time; /* in the unit of the machine's time */
} bx_reglog_access;

/* Parses a line without its line feed. *any: it has an access; false for a comment or an empty
 * line. BX_BAD_INPUT with the span in the line. */
int bx_reglog_parse(bx_str line, bx_reglog_access *a, bool *any, bx_error *e);

/* Appends the line, with its line feed. */
void bx_reglog_line(bx_buf *to, const bx_reglog_access *a);

/* Appends the line up to the value: register and kind of access. */
void bx_reglog_address(bx_buf *to, const bx_reglog_access *a);

/* Appends the word for an errno, "fault" for EIO; and finds the errno of a word, 0: none. */
void bx_reglog_errno(bx_buf *to, int err);
int bx_reglog_find_errno(bx_str word);

/* Appends the first comments of a register log: command (`tool`), machine, and format. */
void bx_reglog_header(bx_buf *to, const bx_topology *t, const char *tool);

/* Reads the machine from the comments of a register log: "# machine: SPEC", where SPEC is a machine
 * string or "host,cpu=skl,packages=1,cores=4" with a line of units below; or the program's CPUID,
 * "CPUID signature 0x506E3". BX_NOT_FOUND if there is neither. */
int bx_reglog_machine(const struct bx_catalog *c, bx_str text, bx_topology *t, bx_error *e);

/* The function of a PCI address as lspci writes it, "00:1f.3"; and back, false: malformed. */
typedef struct bx_pci_bdf {
    char text[16];
} bx_pci_bdf;
bx_pci_bdf bx_pci_bdf_text(uint64_t address);
bool bx_pci_bdf_parse(bx_str s, uint64_t *address);

#endif
