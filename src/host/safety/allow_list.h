/* Which registers of a machine may be read and written, and with what: derived from the catalogue,
 * and the one file that knows. Everything that lets somebody at real registers asks here.
 *
 * A monitoring register is one that counting needs: what a counter counts, its value, what enables
 * it or tells of its overflow, what its event borrows. All others that the catalogue describes can
 * be read at most; those that it merely knows of (`passive`) are none of a measurement's business
 * and not even read: some hold kernel addresses. */
#ifndef BX_HOST_SAFETY_ALLOW_LIST_H
#define BX_HOST_SAFETY_ALLOW_LIST_H

#include "seam/bus.h"
#include "topology/topology.h"

/* A register of one unit. Masks are of its bits. */
typedef struct bx_allowed {
    uint64_t offset;     /* as in bx_address; in MMIO space a physical address */
    uint64_t write;      /* fields that a write changes: rw, wo, w1c; 0: it is read only */
    uint64_t reserved;   /* reserved bits: they are written as they are */
    uint64_t triggers;   /* of `write`: bits that do something and hold nothing, wo and w1c */
    uint64_t clears;     /* of `triggers`: a written 1 clears it, w1c */
    uint64_t interrupts; /* of `write`: bits that let overflows interrupt a core */
    uint16_t reg;        /* catalogue index */
    uint8_t unit;
    uint8_t space;
    uint8_t width;   /* of an access; an MSR may also be accessed as the 64 bits that it is */
    bool write_only; /* nothing in it can be read: wo and ignored bits only */
} bx_allowed;

typedef struct bx_allow {
    bx_allowed *list; /* by space, then by offset */
    size_t n;
    unsigned cpus; /* of the machine: addresses of others are refused */
} bx_allow;

/* The registers of a machine with these units. Memory-mapped ones lie where the machine's own
 * registers say: they are asked over the bus, and left out where it is NULL or fails. false when
 * out of memory. */
bool bx_allow_new(bx_allow *a, const bx_topology *t, struct bx_bus *bus);
void bx_allow_free(bx_allow *a);

/* The register that an address means, if it may be read; NULL otherwise, and where CPU or width are
 * not those of the register. */
const bx_allowed *bx_allow_find(const bx_allow *a, const bx_address *at);

/* The bits that must not be written so while the register holds `present` (of a write-only one 0):
 * all bits of a register that is read only; otherwise reserved bits that would change. 0: the write
 * is lawful. */
uint64_t bx_allow_forbidden(const bx_allowed *r, uint64_t present, uint64_t value);

/* Bits that would let an overflow interrupt a core and did not when the register held `before`. A
 * measurement sets none; nobody but the administrator may. */
static inline uint64_t bx_allow_new_interrupts(const bx_allowed *r, uint64_t before, uint64_t value)
{
    return value & ~before & r->interrupts;
}

/* What to write so that the register holds again what was read of it: bits that trigger something
 * stay 0. */
static inline uint64_t bx_allow_restore_value(const bx_allowed *r, uint64_t before)
{
    return before & ~r->triggers;
}

#endif
