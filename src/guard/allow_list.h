/* The allow-list: which registers of a machine may be read, and which of their bits written. It is
 * derived from the catalogue. Every access to real registers that a user causes is checked against
 * it.
 *
 * A monitoring register is one that counting needs: a counter's control or value, its enables and
 * overflow status, the slots of its event. All other registers that the catalogue describes are
 * read-only. Passive registers (`passive`) are not even read: some hold kernel addresses. */
#ifndef BX_GUARD_ALLOW_LIST_H
#define BX_GUARD_ALLOW_LIST_H

#include "seam/bus.h"
#include "topology/topology.h"

enum { BX_ANY_PACKAGE = UINT8_MAX };

/* A register of one unit. Masks have its bits. */
typedef struct bx_allowed {
    uint64_t offset;     /* as in bx_address; in MMIO space a physical address */
    uint64_t write;      /* fields that a write may change: rw, wo, w1c; 0: read-only */
    uint64_t reserved;   /* reserved bits: a write must not change them */
    uint64_t triggers;   /* of `write`: bits that trigger something and hold no value, wo and w1c */
    uint64_t clears;     /* of `triggers`: a written 1 clears the bit, w1c */
    uint64_t interrupts; /* of `write`: bits that interrupt a core, or freeze, at an overflow */
    uint16_t reg;        /* catalogue index */
    uint8_t unit;
    uint8_t space;
    uint8_t width;   /* of an access, in bits; MSRs are also accessed with 64 */
    uint8_t package; /* the only package that has it, on its own PCI bus; or BX_ANY_PACKAGE */
    bool write_only; /* it has wo and ignored bits only */
} bx_allowed;

typedef struct bx_allow {
    bx_allowed *list; /* in the order of the map; a register's packages are adjacent */
    size_t n;
    uint32_t
        *first; /* by row of the map: number plus 1 of its first register in the list; 0: none */
    uint64_t *bases; /* by window of the map; 0: not known */
    bx_topology t;
} bx_allow;

/* The registers of a machine with these units. The base address of memory-mapped registers is read
 * over the bus; they are left out where that fails or bus is NULL. false when out of memory. */
bool bx_allow_new(bx_allow *a, const bx_topology *t, struct bx_bus *bus);
void bx_allow_free(bx_allow *a);

/* The register at an address. NULL: it may not be read, or CPU or width do not fit it. */
const bx_allowed *bx_allow_find(const bx_allow *a, const bx_address *at);

/* The bits that forbid this write while the register holds `present` (0 if write-only): all bits of
 * a read-only register; otherwise reserved bits that would change. 0: the write is
 * allowed. */
uint64_t bx_allow_forbidden(const bx_allowed *r, uint64_t present, uint64_t value);

/* Bits of `value`, not set in `before`, that let an overflow interrupt a core or freeze counters. A
 * measurement sets none; only the administrator may. */
static inline uint64_t bx_allow_new_interrupts(const bx_allowed *r, uint64_t before, uint64_t value)
{
    return value & ~before & r->interrupts;
}

/* The value to write to restore a register: what was read, with 0 in bits that trigger something.
 */
static inline uint64_t bx_allow_restore_value(const bx_allowed *r, uint64_t before)
{
    return before & ~r->triggers;
}

#endif
