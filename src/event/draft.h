/* An event selection in the making: what every spelling is read into, so that all of them obey the
 * same rules. Each function gets the part of the text that it acts for, and blames that part. */
#ifndef BX_EVENT_DRAFT_H
#define BX_EVENT_DRAFT_H

#include "base/error.h"
#include "base/name.h"
#include "event/event.h"
#include "event/kernel.h"

enum { BX_GROUPS = 8 }; /* most groups that an event's unit masks come in */

typedef struct bx_draft {
    const struct bx_catalog *c;
    bx_span pmus; /* that may go unnamed */
    bx_str text;  /* all that the caller gave: spans count from its start */
    bx_error *e;
    /* From here on 0 at first. */
    const bx_cat_pmu *pmu;
    const bx_cat_event *event; /* NULL: a raw code */
    uint32_t fixed;            /* modifiers that a unit mask's name has set; fixer[] tells which */
    uint32_t picked;       /* groups that a unit mask was named of; pick[] has the first of each */
    uint32_t takes, needs; /* modifiers that the named unit masks allow, and want */
    uint32_t cares;        /* modifiers whose fields matter to the selection */
    uint32_t number;       /* the unit mask as a number, if has_number */
    bool has_umask;        /* by name or as a number */
    bool has_number, has_code;
    bool likwid; /* counters have LIKWID's names */
    bx_evsel to;
    /* From here on of no value at first. */
    uint16_t fixer[BX_MODIFIERS], pick[BX_GROUPS]; /* unit masks */
    bx_str pin;                                    /* where a counter was named */
} bx_draft;

/* Fails with the part as the span: `return BX_REFUSE(d, code, part, "…", …)`. */
#define BX_REFUSE(d, code, part, ...)                                                              \
    bx_fail((d)->e, code, (size_t)((part).p - (d)->text.p), (part).n, __VA_ARGS__)

static inline void bx_draft_event(bx_draft *d, uint16_t pmu, uint16_t event)
{
    d->pmu = &bx_cat_pmus(d->c)[pmu];
    d->event = &bx_cat_events(d->c)[event];
    d->to.pmu = pmu;
    d->to.event = event;
    d->to.code = d->event->code;
}
void bx_draft_raw(bx_draft *d, uint16_t pmu); /* a code is still to come */
int bx_draft_unit(bx_draft *d, uint64_t unit, bx_str part);
int bx_draft_counter(bx_draft *d, uint64_t index, bx_str part);
int bx_draft_umask_beside(bx_draft *d, uint16_t umask, bx_str part); /* in any case */
int bx_draft_umask_number(bx_draft *d, uint64_t value, bx_str part); /* or'ed to the named ones */
int bx_draft_code(bx_draft *d, uint64_t code, bx_str part);          /* of a raw selection */
int bx_draft_modifier_beside(bx_draft *d, uint16_t modifier, uint64_t value, bx_str part);

/* A unit mask by its catalogue index. What most of them are is done here. */
static inline int bx_draft_umask(bx_draft *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    if (u->sets.n)
        return bx_draft_umask_beside(d, umask, part);
    if (u->group != BX_NONE) {
        unsigned group = (unsigned)(u->group - d->event->groups.first);
        if (d->picked >> group & 1)
            return bx_draft_umask_beside(d, umask, part);
        d->picked |= UINT32_C(1) << group;
        d->pick[group] = umask;
    }
    d->to.umask |= u->value;
    d->takes |= u->takes | u->needs;
    d->needs |= u->needs;
    d->has_umask = true;
    return BX_OK;
}

/* A modifier by its catalogue index. */
static inline int bx_draft_modifier(bx_draft *d, uint16_t modifier, uint64_t value, bx_str part)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    unsigned local = (unsigned)(modifier - d->pmu->modifiers.first);
    uint32_t bit = UINT32_C(1) << local;
    bool plain = d->event && d->event->modifiers & bit & ~d->to.given & ~d->pmu->hidden;
    if (!plain || m->sets.n || value - m->lo > m->hi - m->lo)
        return bx_draft_modifier_beside(d, modifier, value, part);
    d->to.modifier[local] = value;
    d->to.given |= bit;
    return BX_OK;
}

/* A term of another tool's, whose value may be spread over several modifiers. */
int bx_draft_term(bx_draft *d, bx_term term, uint64_t value, bx_str part);

/* Refuses the counter that was named (pin), and tells those that can count the event. */
int bx_draft_wrong_counter(bx_draft *d);
void bx_draft_hint_counters(bx_draft *d);

/* Reads a modifier's value, C notation; a single digit here. */
int bx_draft_any_number(bx_draft *d, bx_str digits, uint64_t *value);
static inline int bx_draft_number(bx_draft *d, bx_str digits, uint64_t *value)
{
    if (digits.n != 1 || *digits.p < '0' || *digits.p > '9')
        return bx_draft_any_number(d, digits, value);
    *value = (uint64_t)(*digits.p - '0');
    return BX_OK;
}

/* Fills in what was left out, holds the whole to the counters' limits, and encodes it. */
int bx_draft_finish(bx_draft *d, bx_str part);

/* The parts of a canonical name. '.' and ':' mean the same between them. */
static inline bool bx_is_joint(char ch)
{
    return ch == ':' || ch == '.';
}
/* Cuts *rest at its next joint; at the end rest->p is NULL. *equals: the part's first '=', or NULL.
 */
static inline bx_str bx_cut_part(bx_str *rest, const char **equals)
{
    const char *p = rest->p, *end = p + rest->n;
    *equals = NULL;
    while ((p += bx_name_skip(p, (size_t)(end - p))) < end && !bx_is_joint(*p)) {
        if (*p == '=' && !*equals)
            *equals = p;
        p++;
    }
    bx_str part = {rest->p, (size_t)(p - rest->p)};
    *rest = p < end ? (bx_str){p + 1, (size_t)(end - p - 1)} : (bx_str){NULL, 0};
    return part;
}

/* Unit masks and modifiers. `joint` is the ':' or '.' before them; rest.p is NULL if there are
 * none. */
int bx_read_attributes(bx_draft *d, bx_str joint, bx_str rest);

/* The spellings of other tools. */
int bx_read_perf(bx_draft *d, bx_str part);
/* *found tells whether the part after the first ':' is the name of a counter: LIKWID's spelling. */
int bx_read_likwid(bx_draft *d, bx_str part, bool *found);
/* Refuses a name of LIKWID's whose counter is missing or unknown; BX_OK if it is no such name. */
int bx_likwid_without_counter(bx_draft *d, bx_str part);

#endif
