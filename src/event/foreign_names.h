/* Names and codes that the Linux kernel gives to PMUs and events, and terms of other tools. */
#ifndef BX_EVENT_FOREIGN_NAMES_H
#define BX_EVENT_FOREIGN_NAMES_H

#include "catalog/catalog.h"

/* Whether the kernel calls the PMU so. One name can stand for two PMUs: the clock is lent to the
 * first C-Box. *unit is BX_ANY where the name leaves the number out: all units. */
bool bx_kernel_pmu(const struct bx_catalog *c, uint16_t pmu, bx_str name, int32_t *unit);

/* An event that the kernel has under another code than the hardware, perhaps under a name of its
 * own: bx_cat_event.kernel "event=0xff,clockticks". */
typedef struct bx_kernel_event {
    uint64_t event, umask;
    bx_str name;        /* empty: none */
    bx_str scale, unit; /* what a count is to be multiplied with, and what that is then; empty */
    bool none;          /* the kernel cannot count it */
} bx_kernel_event;

/* false: the kernel uses the hardware's code and unit mask. */
bool bx_kernel_special(const struct bx_catalog *c, const bx_cat_event *event, bx_kernel_event *k);

/* The event of a PMU by the kernel's name or by its own one, up to a '.'; or BX_NONE. */
uint16_t bx_kernel_event_named(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* The event that the kernel has under a code that is not the hardware's, or BX_NONE. */
uint16_t bx_kernel_event_numbered(const struct bx_catalog *c, uint16_t pmu, uint64_t event,
                                  uint64_t umask);

/* The terms that a name of the kernel's stands for, of a PMU of the kernel's name; no text: none.
 */
bx_str bx_kernel_terms(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* Whether the kernel has terms for whole registers of the PMU. */
bool bx_kernel_has_registers(const struct bx_catalog *c, uint16_t pmu);

/* Whether codes of the PMU mean something else on each counter. */
bool bx_codes_differ(const struct bx_catalog *c, uint16_t pmu);

/* A term of another tool's and what it sets: one modifier, or those of neighbouring fields, of
 * which `lo` is the lowest bit. */
typedef struct bx_term {
    uint32_t modifiers; /* mask over the PMU's; 0: there is no such term */
    unsigned lo;
} bx_term;
bx_term bx_kernel_term(const struct bx_catalog *c, uint16_t pmu, bx_str name);
bx_term bx_likwid_term(const struct bx_catalog *c, uint16_t pmu, bx_str name);

#endif
