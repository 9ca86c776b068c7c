/* Builds an event selection. All spellings are read into this builder, so all of them obey the same
 * rules. Each function gets the part of the text that it reads, and its errors point to that part.
 */
#ifndef BX_EVENT_BUILD_BUILDER_H
#define BX_EVENT_BUILD_BUILDER_H

#include "base/error.h"
#include "event/event.h"
#include "event/foreign_names.h"

enum { BX_GROUPS = 8 }; /* most groups of an event's unit masks */

/* The origin of a modifier's value. */
enum bx_setter_kind { BX_FROM_UMASK, BX_FROM_EVENT, BX_FROM_VALUE };

typedef struct bx_modifier_setter {
    enum bx_setter_kind from;
    uint16_t item; /* catalogue index of the unit mask, event or named value */
} bx_modifier_setter;

typedef struct bx_event_builder {
    const struct bx_catalog *c;
    bx_span pmus; /* PMUs whose events can be named without the PMU */
    bx_str text;  /* the whole text; spans of errors count from its start */
    bx_error *e;
    const bx_cat_pmu *pmu;
    const bx_cat_event *event; /* NULL: a raw code */
    bool has_umask;            /* a unit mask was given, as a name or as a number */
    bool has_number;           /* it was given as a number, … */
    uint32_t number;           /* … this one */
    bool has_code;
    bool likwid;                             /* counters have LIKWID's names */
    bool zero_masks;                         /* a mask that is missing is 0, as in Linux */
    bx_str counter_part;                     /* the part that names a counter */
    bx_str place_part;                       /* the part that names a place */
    uint32_t fixed;                          /* modifiers that a name has set, … */
    bx_modifier_setter setter[BX_MODIFIERS]; /* … and the name that set each */
    uint32_t named_groups;                   /* groups with a named unit mask, … */
    uint16_t first_named[BX_GROUPS];         /* … and the first name of each */
    uint32_t takes, needs; /* modifiers that the named unit masks allow, and those they need */
    uint32_t relevant;     /* modifiers whose fields matter to the selection */
    bx_evsel to;
} bx_event_builder;

/* Fails with the part as the span: `return BX_REFUSE(d, code, part, "…", …)`. */
#define BX_REFUSE(d, code, part, ...)                                                              \
    bx_fail((d)->e, code, (size_t)((part).p - (d)->text.p), (part).n, __VA_ARGS__)

void bx_builder_event(bx_event_builder *d, uint16_t pmu, uint16_t event);
void bx_builder_raw(bx_event_builder *d, uint16_t pmu); /* the code follows later */
int bx_builder_unit(bx_event_builder *d, uint64_t unit, bx_str part);
int bx_builder_counter(bx_event_builder *d, uint64_t number, bx_str part); /* as it is printed */
int bx_builder_port(bx_event_builder *d, uint64_t port,
                    bx_str part); /* its number in the package */
int bx_builder_place(bx_event_builder *d, uint64_t place, bx_str part);
int bx_builder_umask(bx_event_builder *d, uint16_t umask, bx_str part); /* catalogue index */
int bx_builder_umask_number(bx_event_builder *d, uint64_t value,
                            bx_str part); /* combined with the named unit masks */
int bx_builder_code(bx_event_builder *d, uint64_t code, bx_str part); /* code of a raw selection */
int bx_builder_modifier(bx_event_builder *d, uint16_t modifier, uint64_t value, bx_str part);
/* Sets a modifier to the value with this name, and everything else that the name sets. */
int bx_builder_value(bx_event_builder *d, uint16_t modifier, bx_str name, bx_str part);
/* Applies a setting of a name. `item` is a unit mask, an event or a named value. */
int bx_builder_set(bx_event_builder *d, enum bx_setter_kind from, uint16_t item,
                   const bx_cat_set *set, bx_str part);
/* The modifier to use for the named one: its twin if the event takes the twin, else itself. */
uint16_t bx_builder_twin(const bx_event_builder *d, uint16_t modifier);

/* Reads a term of another tool, whose value may span several modifiers. */
int bx_builder_term(bx_event_builder *d, bx_term term, uint64_t value, bx_str part);

/* Refuses the named counter (counter_part); the hint lists those that can count the event. */
int bx_builder_wrong_counter(bx_event_builder *d);
void bx_builder_hint_counters(bx_event_builder *d);
void bx_builder_hint_among(bx_event_builder *d, uint32_t counters); /* a mask of them */

/* Reads an option as Intel's metric files write it: "c1", "SUP". *found: whether it is one of the
 * event's PMU. */
int bx_read_intel_word(bx_event_builder *d, bx_str part, bool *found);

/* Reads a modifier's value in C notation. */
int bx_builder_number(bx_event_builder *d, bx_str digits, uint64_t *value);

/* Fills in the defaults, checks the selection against the counters' limits, and encodes it. */
int bx_builder_finish(bx_event_builder *d, bx_str part);

/* Separators of a canonical name: '.' and ':' mean the same. */
static inline bool bx_is_separator(char ch)
{
    return ch == ':' || ch == '.';
}

/* The first of . : / = @ from p on, or `end`. No name contains one of these, except unit masks,
 * which may contain dots. */
static inline const char *bx_word_end(const char *p, const char *end)
{
    for (; p < end; p++)
        switch (*p) {
        case '.':
        case ':':
        case '/':
        case '=':
        case '@':
            return p;
        default:
            break;
        }
    return end;
}

/* Cuts *rest at its next separator; at the end rest->p is NULL. *equals: the part's first '=', or
 * NULL.
 */
bx_str bx_cut_part(bx_str *rest, const char **equals);

/* Reads unit masks and modifiers. `separator` is the ':' or '.' before them; rest.p is NULL if
 * there are none. */
int bx_read_attributes(bx_event_builder *d, bx_str separator, bx_str rest);

#endif
