/* A selection resolved by a model: the tallies that make the signal, and the functions that read
 * them. */
#ifndef BX_MODEL_ENGINE_RESOLVED_SIGNAL_H
#define BX_MODEL_ENGINE_RESOLVED_SIGNAL_H

#include "seam/signal.h"

#include <stddef.h>

typedef struct bx_model bx_model;
struct bx_signal;

/* How tallies of a kind are read. */
struct bx_reader {
    uint64_t (*sum)(bx_model *m, const struct bx_signal *signal, uint64_t now);
    /* The level in the cycle `now`. It stays until the next report. NULL: the signal is a sum of
     * pulses of one cycle. */
    uint64_t (*level)(bx_model *m, const struct bx_signal *signal, uint64_t now);
    /* The next time after `now` at which that level may change by time alone. BX_NEVER, or a NULL
     * function: never. */
    uint64_t (*next_change)(bx_model *m, const struct bx_signal *signal, uint64_t now);
    /* Words before the names of the tallies, by bx_term.what. NULL: none. */
    const char *(*phrase)(unsigned what);
    bool of_cores; /* it reads the counts of cores, which may run ahead of the present */
    /* Whether a core's access may change the signal if L1 serves it. NULL: it may. */
    bool (*with_hits)(const struct bx_signal *signal);
};

/* A place in the state of a model: that of package 0, unit 0 and port 0, and the distances to the
 * next ones. */
struct bx_place {
    uint32_t at, package, unit, port;
};

/* An axis of an array of tallies: what its indexes mean, and the distance of two tallies. */
struct bx_axis {
    const char *const *names;
    uint8_t n; /* at most 64; 0: no axis */
    uint32_t stride;
};

enum { BX_AXES = 4, BX_TERMS = 4 };

/* An array of tallies of each unit. */
struct bx_tallies {
    const char *name;
    const struct bx_reader *reader;
    struct bx_place place;
    /* A number that changes whenever the sum or the level may have changed for a reason other than
     * time. at 0: there is none. */
    struct bx_place changes;
    struct bx_axis axis[BX_AXES];
    /* Along the first axis: those that count only what lackey does not report, such as branches;
     * those whose level in a single cycle is not known. */
    uint64_t of_remarks, no_levels;
    uint8_t by_level;    /* the axis of level 0 and of levels 1 to 3. 0: there is none */
    uint64_t at_level_0; /* along the first axis: those that can also count at level 0 alone */
    uint8_t needs;       /* what the machine must have: a set of the model's own bits */
};

/* Tallies of one array that a signal adds up: the product of a set along each axis. */
struct bx_term {
    const struct bx_tallies *of;
    char *at;
    uint64_t set[BX_AXES], minus; /* minus: along the first axis */
    unsigned what;
};

/* Tallies at equal distances. */
struct bx_run {
    char *at;
    uint32_t n, step;
};

enum { BX_RUNS = 16 };

struct bx_signal {
    const struct bx_reader *reader; /* of all terms */
    unsigned terms;
    struct bx_term term[BX_TERMS];
    /* The tallies of all terms. runs > BX_RUNS: there are too many runs, only the terms tell them.
     */
    unsigned runs;
    struct bx_run run[BX_RUNS];
    const uint64_t *changes;
    unsigned index; /* of the unit, over all packages */
    bool of_remarks, no_levels;
    bool compared; /* the signal already includes the selection's threshold */
    bx_selection selection;
};

#endif
