/* The counters that a server exports: totals since it began, by event and unit. */
#ifndef BX_SERVE_SERIES_H
#define BX_SERVE_SERIES_H

#include "base/arena.h"
#include "base/buf.h"

typedef struct bx_one_series {
    int package, unit; /* -1: of no one */
    uint64_t total;    /* in base units */
    bool counted;      /* it has had a value */
} bx_one_series;

/* All series of an event. */
typedef struct bx_series_family {
    const char *event; /* its canonical string */
    const char *name;  /* "boxscore_unc_cbo_cache_lookup_any_i_lookups", without "_total" */
    const char *base;  /* its base unit: "lookups", "bytes" */
    const char *pmu;   /* "skl_unc_cbo"; "": of none */
    uint64_t factor;   /* base units of a count; of ns: 1, and their totals are billionths */
    bool billionths;
    double share;       /* of the time it was counted, in the last interval */
    bool ambiguous;     /* another event has its name: it has no series */
    const char *reason; /* why it has no value; NULL: it has one */
    bx_one_series *series;
    size_t n;
    uint32_t room;
} bx_series_family;

typedef struct bx_series {
    bx_arena arena;
    bx_series_family *family;
    size_t n;
    uint32_t room;
    size_t most, used;   /* series */
    size_t left_out;     /* series of the last interval that were too many */
    const char *machine; /* its string; NULL: not known yet */
    const char *cpu;
    bool is_virtual;
    double seconds;      /* of the machine's clock, counted */
    bool running;        /* the measurement goes on */
    const char *failure; /* why it does not; NULL: it does, or has ended */
} bx_series;

/* A value of an interval. */
typedef struct bx_series_value {
    const char *event, *counts; /* counts: what one is, "64 B transfers" */
    int package, unit;          /* -1: of no one */
    uint64_t value;
    double share;
    const char *reason; /* why there is no value; NULL: there is one */
} bx_series_value;

/* Begins an interval. */
static inline void bx_series_begin(bx_series *s)
{
    s->left_out = 0;
}

/* Adds it to its series. false: out of memory. */
bool bx_series_add(bx_series *s, const bx_series_value *v);

/* Sets a text, which is copied if it is another one than before. */
bool bx_series_text(bx_series *s, const char **to, const char *text);

void bx_series_free(bx_series *s);

/* The base unit of what one count is, and how many of them it is: "64 B transfers" is 64 bytes, and
 * "ns" one billionth of a second. */
uint64_t bx_series_base(const char *counts, bool *billionths, char *base, size_t room);

#endif
