/* Who made the difference between two recordings: functions, lines and objects, matched by what
 * they are. docs/reference/diff.md, "Recordings" */
#ifndef BX_COMPARE_RECORDINGS_CAUSES_H
#define BX_COMPARE_RECORDINGS_CAUSES_H

#include "profile/metrics.h"

enum bx_cause_table { BX_CAUSE_FUNCTION, BX_CAUSE_LINE, BX_CAUSE_OBJECT, BX_CAUSE_TABLES };

/* A place in one of the recordings. */
typedef struct bx_cause_place {
    bool is;          /* the recording has it */
    const char *name; /* of the object, or of the function */
    const char *file; /* NULL: no line is known */
    int64_t line;
    unsigned more; /* lines with the same text in the same function */
} bx_cause_place;

typedef struct bx_cause {
    bx_cause_place was, is;
    const char *kind, *text;       /* of an object; of the line, or NULL */
    int64_t *was_count, *is_count; /* [events] */
    int64_t change;                /* of the events by which rows are sorted */
    uint32_t place;                /* in the order of names */
} bx_cause;

typedef struct bx_causes {
    bx_profile *was, *is;
    const char **event; /* [events]: those of which both recordings tell who caused them */
    uint32_t events;
    int64_t *was_total, *is_total; /* [events] */
    const char *sort;
    bool *ranks; /* [events]: those by which rows are sorted */
    bx_cause *row[BX_CAUSE_TABLES];
    uint32_t rows[BX_CAUSE_TABLES];
    unsigned by_number; /* functions whose lines are matched by number: their text is not known */
} bx_causes;

/* Reads both recordings. sort: an event's name or what is after its "::", `wait` or `time`; NULL:
 * `time`. BX_NOT_FOUND: they do not tell who caused it. */
int bx_causes_read(bx_profile *was, bx_profile *is, const char *sort, bx_causes *to, bx_error *e);

/* Sorts rows anew; false: there is no such event. */
bool bx_causes_sort(bx_causes *c, const char *sort);

/* The index of an event; c->events: they do not tell who caused it. */
uint32_t bx_causes_event(const bx_causes *c, const char *name);

/* Chooses the events that `sort` names; false: there is none. ranks: [events] */
bool bx_causes_choose(const bx_causes *c, const char *sort, bool *ranks);

/* The change of these events; row NULL: all of it. */
int64_t bx_causes_change(const bx_causes *c, const bx_cause *row, const bool *ranks);

/* The row with most of that change, in its direction; NULL: none has changed. */
const bx_cause *bx_causes_most(const bx_causes *c, enum bx_cause_table table, const bool *ranks);

#endif
