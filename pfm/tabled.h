/* PMUs that are tables of events, unit masks and modifiers, under libpfm4's names: the kernel's
 * generic and raw events (`perf`, `perf_raw`), and the cores of the catalogue's processors (`skl`,
 * `ivb_ep`, `nhm_ex`). They answer where no libpfm4 is installed, by its rules. */
#ifndef BX_PFM_TABLED_H
#define BX_PFM_TABLED_H

#include "base/buf.h"
#include "catalog/catalog.h"
#include "pfm/perf_terms.h"

enum { BX_TABLED_NAME = 47, BX_TABLED_ATTRIBUTES = 64, BX_TABLED_MODIFIERS = 10 };

/* A row is an event, or a unit mask of the event before it. Of the tables' values: tabled_rows.h.
 * Names are arrays: a pointer would be relocated in every program that loads the library. */
typedef struct bx_tabled_row {
    char name[BX_TABLED_NAME];
    uint8_t kind, group;
    uint64_t code;      /* bits of the control register, or of perf's config word */
    uint16_t modifiers; /* of an event: those that it takes; of a unit mask: those that it sets */
    uint16_t flags;
    const char *equals; /* another spelling, which libpfm4 reads in its place */
} bx_tabled_row;

typedef struct bx_tabled_pmu {
    const char *name, *title;
    const char *core; /* the PMU of the catalogue; NULL: it is the kernel's */
    const char *also; /* another PMU of the catalogue that libpfm4 does not tell from it, or NULL */
    int id;           /* pfm_pmu_t */
    const bx_tabled_row *rows;
    unsigned n;
    int counters, fixed, words;
} bx_tabled_pmu;

enum { BX_TABLED_PMUS = 5 };
extern const bx_tabled_pmu *const bx_tabled_pmus[BX_TABLED_PMUS];

/* A unit mask or modifier that a string gives. */
typedef struct bx_tabled_attribute {
    const bx_tabled_row *mask; /* NULL: it is a modifier, or the number of a unit mask */
    uint8_t modifier;
    uint64_t value;
} bx_tabled_attribute;

/* An event that a string names, and what is said of it. */
typedef struct bx_tabled_event {
    const bx_tabled_pmu *pmu;
    const bx_tabled_row *event;
    unsigned n;
    bx_tabled_attribute attribute[BX_TABLED_ATTRIBUTES];
    bool has_raw; /* a unit mask as a number */
    uint64_t raw; /* that; of perf_raw the config word */
    bx_pfmlib_perf perf;
} bx_tabled_event;

typedef struct bx_tabled_words {
    uint64_t word[2];
    uint8_t n;
} bx_tabled_words;

/* ---- tables: tabled.c ---- */

/* Whether it is a PMU of that CPU (its index in the catalogue). */
bool bx_tabled_is_of(const bx_tabled_pmu *p, const struct bx_catalog *c, int cpu);
const bx_tabled_pmu *bx_tabled_by_id(int id);
/* The event of that number in libpfm4 among the PMU's, or of that name; NULL: there is none. */
const bx_tabled_row *bx_tabled_nth(const bx_tabled_pmu *p, unsigned n);
const bx_tabled_row *bx_tabled_named(const bx_tabled_pmu *p, bx_str name);
/* The event after it, or NULL. */
const bx_tabled_row *bx_tabled_next(const bx_tabled_pmu *p, const bx_tabled_row *event);
int bx_tabled_idx(const bx_tabled_pmu *p, const bx_tabled_row *event);
/* The event's first unit mask; NULL: it has none. The others follow in the table. */
const bx_tabled_row *bx_tabled_masks(const bx_tabled_pmu *p, const bx_tabled_row *event);
/* The mask after it of the same event, or NULL. */
const bx_tabled_row *bx_tabled_next_mask(const bx_tabled_pmu *p, const bx_tabled_row *mask);
/* What perf offers for the event: a mask of enum bx_pfmlib_has. */
unsigned bx_tabled_has(const bx_tabled_pmu *p, const bx_tabled_row *event);
extern const char *const bx_tabled_modifiers[BX_TABLED_MODIFIERS];
extern const char *const bx_tabled_modifier_titles[BX_TABLED_MODIFIERS];
bool bx_tabled_is_flag(unsigned modifier);

/* ---- strings: tabled_read.c ---- */

/* Reads "pmu::EVENT:attribute…". A bit for each of bx_tabled_pmus: `active` has those where an
 * event without a PMU is looked up, `nameable` those that can be named. Returns an enum bx_pfm. */
int bx_tabled_read(const char *text, int os, unsigned active, unsigned nameable,
                   bx_tabled_event *to);

/* ---- words: tabled_encode.c ---- */

/* Makes the words and the string that libpfm4 returns, without perf's attributes. */
int bx_tabled_encode(const bx_tabled_event *e, int os, unsigned plm, bx_tabled_words *to,
                     bx_buf *spelled);

#endif
