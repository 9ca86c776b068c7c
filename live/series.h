/* What was counted, by event and unit: totals since it began, and the values of the last intervals.
 */
#ifndef BX_LIVE_SERIES_H
#define BX_LIVE_SERIES_H

#include "base/arena.h"
#include "base/buf.h"

/* No value in an interval. */
#define BX_SERIES_NONE UINT64_MAX

typedef struct bx_one_series {
    int package, unit;  /* -1: of no one */
    const char *where;  /* "C-Box 2"; "": of no one */
    uint64_t total;     /* in base units; a level has none */
    bool counted;       /* it has had a value */
    uint64_t *interval; /* [keeps] values, at bx_series_slot() */
} bx_one_series;

/* A metric of the whole machine. */
typedef struct bx_series_metric {
    const char *name, *unit; /* "MB/s"; "" */
    double *interval;        /* [keeps] values, at bx_series_slot(); NAN: none, … */
    const char *instead;     /* … and what stands in its place, in the last interval */
} bx_series_metric;

/* All series of an event. */
typedef struct bx_series_family {
    const char *event; /* its canonical string */
    const char *name;  /* "boxscore_unc_cbo_cache_lookup_any_i_lookups", without "_total" */
    const char *base;  /* its base unit: "lookups", "bytes" */
    const char *pmu;   /* "skl_unc_cbo"; "": of none */
    uint64_t factor;   /* base units of a count; of ns: 1, and their totals are billionths */
    bool billionths;
    bool level;         /* values are what there was at an interval's end, and no counts */
    double share;       /* of the time it was counted, in the last interval */
    bool ambiguous;     /* another event has its name: it has no series */
    const char *reason; /* why it has no value; NULL: it has one */
    bx_one_series *series;
    size_t n;
    size_t last; /* that was found */
    uint32_t room;
} bx_series_family;

/* A PMU of the machine. */
typedef struct bx_series_pmu {
    const char *name, *title;
    const char **unit; /* [units] names: "C-Box 2" */
    size_t units;      /* in each package, or of cores in all of them */
} bx_series_pmu;

typedef struct bx_series {
    bx_arena arena;
    bx_series_family *family;
    size_t n;
    size_t last; /* family that was found */
    uint32_t room;
    size_t most, used;   /* series */
    size_t keeps;        /* intervals, from 1; set before the first */
    uint64_t intervals;  /* so far */
    double *length, *at; /* [keeps] seconds of the machine's clock: of an interval, up to its end */
    bx_series_metric *metric;
    size_t metrics;
    uint32_t metrics_room;
    size_t left_out;     /* series of the last interval that were too many */
    const char *machine; /* its string; NULL: not known yet */
    const char *cpu;
    const char *obstacle; /* doctor's first finding, where a host has no hardware counters; NULL */
    unsigned packages, cores; /* cores of a package */
    bx_series_pmu *pmu;       /* [pmus] of the machine */
    size_t pmus;
    uint32_t pmus_room;
    bool is_virtual;
    double seconds;      /* of the machine's clock, counted */
    bool running;        /* the measurement goes on */
    const char *failure; /* why it does not; NULL: it does, or has ended */
} bx_series;

/* A value of an interval. */
typedef struct bx_series_value {
    const char *event, *counts; /* counts: what one is, "64 B transfers" */
    const char *where;
    int package, unit; /* -1: of no one */
    uint64_t value;
    bool level; /* as in bx_series_family */
    double share;
    const char *reason; /* why there is no value; NULL: there is one */
} bx_series_value;

/* Begins an interval of so many seconds. false: out of memory, here and below. */
bool bx_series_begin(bx_series *s, double seconds);

/* Adds a value to its series; a metric, NAN with what stands in its place. */
bool bx_series_add(bx_series *s, const bx_series_value *v);
bool bx_series_add_metric(bx_series *s, const char *name, const char *unit, double value,
                          const char *instead);

/* Where the values of an interval are, the first one being 0. false: it is not kept. */
bool bx_series_slot(const bx_series *s, uint64_t interval, size_t *slot);
/* The first interval that is kept. */
uint64_t bx_series_first(const bx_series *s);

/* The series' value at the end of the last interval. BX_SERIES_NONE: it has none. */
uint64_t bx_series_now(const bx_series *s, const bx_one_series *one);

/* The event's value there, of all its series. BX_SERIES_NONE: one of them has none. */
uint64_t bx_series_sum(const bx_series_family *f, size_t slot);

/* Sets a text, which is copied if it is another one than before. */
bool bx_series_text(bx_series *s, const char **to, const char *text);

void bx_series_free(bx_series *s);

/* The base unit of what one count is, and how many of them it is: "64 B transfers" is 64 bytes, and
 * "ns" one billionth of a second. */
uint64_t bx_series_base(const char *counts, bool *billionths, char *base, size_t room);

#endif
