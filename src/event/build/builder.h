/* An event selection in the making: what every spelling is read into, so that all of them obey the
 * same rules. Each function gets the part of the text that it acts for, and blames that part. */
#ifndef BX_EVENT_BUILD_BUILDER_H
#define BX_EVENT_BUILD_BUILDER_H

#include "base/error.h"
#include "event/event.h"
#include "event/foreign_names.h"

enum { BX_GROUPS = 8 }; /* most groups that an event's unit masks come in */

/* What has given a modifier its value. */
enum bx_setter_kind { BX_FROM_UMASK, BX_FROM_EVENT, BX_FROM_VALUE };

typedef struct bx_modifier_setter {
    enum bx_setter_kind from;
    uint16_t item; /* catalogue index of the unit mask, event or named value */
} bx_modifier_setter;

typedef struct bx_event_builder {
    const struct bx_catalog *c;
    bx_span pmus; /* that may go unnamed */
    bx_str text;  /* all that the caller gave: spans count from its start */
    bx_error *e;
    const bx_cat_pmu *pmu;
    const bx_cat_event *event; /* NULL: a raw code */
    bool has_umask;            /* by name or as a number */
    bool has_number;           /* as a number … */
    uint32_t number;           /* … which is this */
    bool has_code;
    bool likwid;                             /* counters have LIKWID's names */
    bool zero_masks;                         /* a mask that is not given is 0, as Linux has it */
    bx_str counter_part;                     /* where a counter was named */
    bx_str place_part;                       /* where a place was named */
    uint32_t fixed;                          /* modifiers that a name has set, … */
    bx_modifier_setter setter[BX_MODIFIERS]; /* … and which one that was */
    uint32_t named_groups;                   /* groups that a unit mask was named of, … */
    uint16_t first_named[BX_GROUPS];         /* … and the first of each */
    uint32_t takes, needs; /* modifiers that the named unit masks allow, and need */
    uint32_t relevant;     /* modifiers whose fields matter to the selection */
    bx_evsel to;
} bx_event_builder;

/* Fails with the part as the span: `return BX_REFUSE(d, code, part, "…", …)`. */
#define BX_REFUSE(d, code, part, ...)                                                              \
    bx_fail((d)->e, code, (size_t)((part).p - (d)->text.p), (part).n, __VA_ARGS__)

void bx_builder_event(bx_event_builder *d, uint16_t pmu, uint16_t event);
void bx_builder_raw(bx_event_builder *d, uint16_t pmu); /* a code is still to come */
int bx_builder_unit(bx_event_builder *d, uint64_t unit, bx_str part);
int bx_builder_counter(bx_event_builder *d, uint64_t number, bx_str part); /* as it is printed */
int bx_builder_port(bx_event_builder *d, uint64_t port,
                    bx_str part); /* its number in the package */
int bx_builder_place(bx_event_builder *d, uint64_t place, bx_str part);
int bx_builder_umask(bx_event_builder *d, uint16_t umask, bx_str part); /* catalogue index */
int bx_builder_umask_number(bx_event_builder *d, uint64_t value,
                            bx_str part);                             /* or'ed to the named ones */
int bx_builder_code(bx_event_builder *d, uint64_t code, bx_str part); /* of a raw selection */
int bx_builder_modifier(bx_event_builder *d, uint16_t modifier, uint64_t value, bx_str part);
/* The value of this name, with what the name stands for besides. */
int bx_builder_value(bx_event_builder *d, uint16_t modifier, bx_str name, bx_str part);
/* What a name (unit mask, event or value: `item`) sets. */
int bx_builder_set(bx_event_builder *d, enum bx_setter_kind from, uint16_t item,
                   const bx_cat_set *set, bx_str part);
/* The modifier that the event has in place of the one that is named: its twin, or itself. */
uint16_t bx_builder_twin(const bx_event_builder *d, uint16_t modifier);

/* A term of another tool's, whose value may be spread over several modifiers. */
int bx_builder_term(bx_event_builder *d, bx_term term, uint64_t value, bx_str part);

/* Refuses the counter that was named (counter_part), and tells those that can count the event. */
int bx_builder_wrong_counter(bx_event_builder *d);
void bx_builder_hint_counters(bx_event_builder *d);

/* Reads a modifier's value, C notation. */
int bx_builder_number(bx_event_builder *d, bx_str digits, uint64_t *value);

/* Fills in what was left out, checks the whole against the counters' limits, and encodes it. */
int bx_builder_finish(bx_event_builder *d, bx_str part);

/* The parts of a canonical name. The separators '.' and ':' mean the same. */
static inline bool bx_is_separator(char ch)
{
    return ch == ':' || ch == '.';
}
/* Cuts *rest at its next separator; at the end rest->p is NULL. *equals: the part's first '=', or
 * NULL.
 */
bx_str bx_cut_part(bx_str *rest, const char **equals);

/* Unit masks and modifiers. `separator` is the ':' or '.' before them; rest.p is NULL if there are
 * none. */
int bx_read_attributes(bx_event_builder *d, bx_str separator, bx_str rest);

/* The spellings of other tools. */
int bx_read_perf(bx_event_builder *d, bx_str part);
/* *found tells whether the part after the first ':' is the name of a counter: LIKWID's spelling. */
int bx_read_likwid(bx_event_builder *d, bx_str part, bool *found);
/* Refuses a name of LIKWID's whose counter is missing or unknown; BX_OK if it is no such name. */
int bx_likwid_without_counter(bx_event_builder *d, bx_str part);

#endif
