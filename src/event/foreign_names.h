/* The Linux kernel's names and codes of PMUs and events, and the terms of other tools. */
#ifndef BX_EVENT_FOREIGN_NAMES_H
#define BX_EVENT_FOREIGN_NAMES_H

#include "catalog/catalog.h"

/* Whether the kernel has this name for the PMU. One name can mean two PMUs: the clock has the name
 * of the first C-Box. *unit is BX_ANY if the name has no number, or '*' in its place: it means all
 * units. */
bool bx_kernel_pmu(const struct bx_catalog *c, uint16_t pmu, bx_str name, int32_t *unit);

/* The kernel's name of a PMU for all of its units: "uncore_cha" of "uncore_cha_{unit}". */
bx_str bx_kernel_stem(bx_str pattern);

/* An event with different codes in the kernel and in hardware, and possibly different names:
 * bx_cat_event.kernel "event=0xff,clockticks". */
typedef struct bx_kernel_event {
    uint64_t event, umask;
    bx_str name;        /* empty: the same name */
    bx_str scale, unit; /* factor and unit that the kernel gives for counts; may be empty */
    bool none;          /* the kernel cannot count it */
} bx_kernel_event;

/* false: the kernel uses the hardware's code and unit mask. */
bool bx_kernel_special(const struct bx_catalog *c, const bx_cat_event *event, bx_kernel_event *k);

/* The PMU's event by the kernel's name or its own, up to a '.'; BX_NONE if there is none. */
uint16_t bx_kernel_event_named(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* The event with this code in the kernel, where the hardware's code differs; BX_NONE if there is
 * none. */
uint16_t bx_kernel_event_numbered(const struct bx_catalog *c, uint16_t pmu, uint64_t event,
                                  uint64_t umask);

/* The parts of bx_cat_other_name.terms, "event=0x04,umask=0x03,scale=6.1e-5,unit=MiB". */
typedef struct bx_kernel_named {
    bx_str terms;
    bx_str scale, unit; /* as in bx_kernel_event */
} bx_kernel_named;
bx_kernel_named bx_kernel_named_parts(bx_str terms);

/* The terms of an event name of the kernel, for a PMU of this name; empty if there are none. */
bx_str bx_kernel_terms(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* Whether an event has the i-th of the PMU's perf_names without the PMU in front, as
 * `cache-misses`: all names of a core have, and of others those that are in no file of the kernel.
 */
bool bx_kernel_is_word(const struct bx_catalog *c, uint16_t pmu, unsigned i);

/* perf's word for a raw event of a core: "r412e" is the control register's contents 0x412e. */
bool bx_kernel_raw_word(bx_str word, uint64_t *config);

/* Whether the kernel has terms for whole registers of the PMU. */
bool bx_kernel_has_registers(const struct bx_catalog *c, uint16_t pmu);

/* Whether a code of the PMU means different events on different counters. */
bool bx_codes_differ(const struct bx_catalog *c, uint16_t pmu);

/* A term of another tool and what it sets: one modifier, or modifiers of neighbouring fields. `lo`
 * is the lowest bit. */
typedef struct bx_term {
    uint32_t modifiers; /* mask over the PMU's modifiers; 0: no such term */
    unsigned lo;
} bx_term;
bx_term bx_kernel_term(const struct bx_catalog *c, uint16_t pmu, bx_str name);
bx_term bx_likwid_term(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* The kernel's terms for a name that only LIKWID has; no string: it is none of the PMU. */
bx_str bx_likwid_terms(const struct bx_catalog *c, uint16_t pmu, bx_str name);

#endif
