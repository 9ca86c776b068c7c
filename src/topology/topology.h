/* The packages and cores of a machine and the units of each PMU type. They come from a machine
 * string, or src/host finds them on this machine. */
#ifndef BX_TOPOLOGY_TOPOLOGY_H
#define BX_TOPOLOGY_TOPOLOGY_H

#include "catalog/catalog.h"

typedef struct bx_topology {
    const struct bx_catalog *catalog;
    uint16_t cpu;
    uint16_t part, memory;     /* bx_cat_preset: their values are the keys' defaults; BX_NONE */
    bool is_this_machine;      /* false: never program real registers with it */
    unsigned packages, cores;  /* cores per package; logical CPU = package x cores + core */
    unsigned socket;           /* the package in which a program begins */
    uint64_t shape[BX_SHAPES]; /* values of the CPU's shape keys, in the catalogue's order */
    uint8_t units[BX_PMUS];    /* units per package of the CPU's PMUs, in the catalogue's order */
} bx_topology;

/* Parses "virtual:NAME[,key=value…]": a name of a CPU model or of a part. A key that is not given
 * has the value of the memory, else of the part, else the catalogue's default. A default of 0 is
 * derived (slices: as many as cores; llc: 2 MiB a slice). */
int bx_topology_parse(const struct bx_catalog *c, bx_str spec, bx_topology *t, bx_error *e);

/* A real machine of that CPU model. Other shape keys and the units have their defaults. */
void bx_topology_real(const struct bx_catalog *c, uint16_t cpu, unsigned packages, unsigned cores,
                      bx_topology *t);

/* The value of a shape key; 0 if the CPU has no such key. */
uint64_t bx_topology_shape(const bx_topology *t, const char *key);

/* Units per package of a PMU (catalogue index). */
unsigned bx_topology_units(const bx_topology *t, uint16_t pmu);

/* Writes the machine string with its part, and with memory and keys that differ from their
 * defaults; returns its length. */
size_t bx_topology_name(const bx_topology *t, char *to, size_t room);

/* Writes what this machine has beside a real part's name and no part of the catalogue has, as a
 * sentence for headings; returns its length, 0: there is no such thing, or it is no real part. */
size_t bx_topology_undocumented(const bx_topology *t, char *to, size_t room);

#endif
