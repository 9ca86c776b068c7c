/* perfmon's names of units, and Linux's names of the PMUs that count them. */
#ifndef BX_PERFMON_UNITS_H
#define BX_PERFMON_UNITS_H

#include "perfmon/row.h"

typedef struct bx_perfmon_unit {
    char name[64];   /* in the catalogue, after "CPU_": "unc_cha", "core", "atom" */
    char kernel[64]; /* Linux's PMU: "uncore_cha_{unit}", "cpu_core" */
    char title[64];
    bool core;
    const char *modifiers; /* Linux's terms that a user may add, separated by blanks */
} bx_perfmon_unit;

/* The unit of a row. folder: perfmon's, in lower case. role: of a core of a hybrid CPU, as in
 * mapfile.csv: "Core", "Atom", "LowPower_Atom"; empty: all cores are alike. */
bx_perfmon_unit bx_perfmon_unit_of(const bx_perfmon_row *row, bx_str folder, bx_str role);

/* Linux's terms that select the row: "event=0x35,umask=0xc816fe01". They are independent of the
 * kernel's version: its format files decide where the bits go. Returns NULL, or why there are
 * none. */
const char *bx_perfmon_terms(const bx_perfmon_row *row, const bx_perfmon_unit *unit, char *to,
                             size_t room);

#endif
