/* Rows of perfmon's event files: one JSON object each, with all numbers that select an event. */
#ifndef BX_PERFMON_ROW_H
#define BX_PERFMON_ROW_H

#include "base/json_read.h"

typedef struct bx_perfmon_row {
    bx_str name, title, text; /* EventName, BriefDescription, PublicDescription */
    bx_str unit;              /* "CHA"; empty: a core */
    bx_str filter;            /* a filter that a user may set: "CBoFilter0[23:17]"; empty: none */
    bx_str errata;
    uint64_t code, umask, umask_ext, port_mask, fc_mask;
    uint64_t filter_value; /* of CHA's register Filter1 */
    uint64_t ext_sel;      /* bit 8 of the code */
    uint64_t msr, msr_value;
    uint64_t counter_mask;
    bool edge, invert, any_thread, deprecated;
    bool fixed;              /* a fixed counter counts it */
    bool free_running;       /* `Counter` is then the counter's number */
    uint32_t counters;       /* mask of the programmable counters that can count it */
    uint16_t fixed_counters; /* mask of fixed ones, and after them those of topdown's metrics */
} bx_perfmon_row;

enum { BX_PERFMON_FIXED = 4, BX_PERFMON_ALL_FIXED = 12 };

/* Whether an event can have this name. */
bool bx_perfmon_is_name(bx_str name);

/* Reads a row. NULL: it was read. Else why it is no event that can be imported; the text is static.
 * *bits: it names bits of another event, and is no event at all. */
const char *bx_perfmon_row_read(const bx_json_value *object, bx_perfmon_row *to, bool *bits);

#endif
