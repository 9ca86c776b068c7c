/* What a recording shows: its events, tables of who caused them, and findings.
 * docs/reference/report.md */
#ifndef BX_PROFILE_PROFILE_H
#define BX_PROFILE_PROFILE_H

#include "base/arena.h"
#include "recording/reader.h"

/* A row of the table `event`. */
typedef struct bx_profile_event {
    int64_t id;
    const char *name, *unit;
    int64_t total;
    bool has_total, attributed;
    bool cycles; /* `issue` or one of the waits */
    bool wait;
} bx_profile_event;

/* A row of the table `run`. */
typedef struct bx_profile_fact {
    const char *key;
    bx_cell value;
} bx_profile_fact;

/* What a rule has found. */
typedef struct bx_finding {
    const char *rule, *text;
    double share;     /* above 0, at most 1, … */
    const char *of;   /* … of an event's total, or of "time": all cycles of the cores */
    const char *gain; /* what would be won without the cause, in words */
    double cycles;    /* the most of all cycles that would be won */
    const char *function, *file, *object; /* NULL: does not apply, or not known */
    int64_t line;                         /* 0 as well */
} bx_finding;

typedef struct bx_profile {
    bx_recording_reader *from;
    bx_arena *arena;
    bx_profile_fact *run;
    uint32_t run_n;
    bx_profile_event *event;
    uint32_t events;
    bool tells_who; /* there are rows of who caused it: not of a host */
    int64_t time;   /* all cycles of the cores; 0: not recorded */
    bx_finding *finding;
    uint32_t findings;
    const char *nameless;       /* binaries whose code has no lines, in words, or NULL */
    bool summed;                /* temp.sums is there */
    bool has_owners, has_moved; /* so are temp.owners and temp.moved */
} bx_profile;

/* Reads the run and its events. Texts live in the arena. */
int bx_profile_read(bx_recording_reader *from, bx_arena *arena, bx_profile *to, bx_error *e);

/* A value of `run`; NULL: there is none. */
const bx_cell *bx_profile_fact_of(const bx_profile *p, const char *key);
/* The same if it is a text. */
const char *bx_profile_fact_text(const bx_profile *p, const char *key);
bool bx_profile_is_complete(const bx_profile *p);

/* What the recording, its names and its objects lack: the i-th; NULL: there are no more. */
const char *bx_profile_lacks(const bx_profile *p, unsigned i);

/* Applies the rules, in the order of rules.c, the largest share first. */
int bx_profile_find(bx_profile *p, bx_error *e);

/* ---- for the files of this folder ---- */

/* Makes temp.sums of the table `cost`: event, code, object, n, p (by prefetch). */
int bx_profile_sum_costs(bx_profile *p, bx_error *e);

/* Makes temp.owners: event, n (requests), owned (those with an owner). */
int bx_profile_count_owners(bx_profile *p, bx_error *e);

/* Makes temp.moved: the rows of `line` of those lines that another core had. */
int bx_profile_find_moved(bx_profile *p, bx_error *e);

/* Whether the recording has a table: older ones lack some. */
int bx_profile_has_table(bx_profile *p, const char *name, bool *has, bx_error *e);

/* Copies the text of a cell; NULL: it is none. */
const char *bx_profile_copy(bx_profile *p, const bx_cell *cell);

#endif
