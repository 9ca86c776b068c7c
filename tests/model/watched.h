/* Compares a model's reports of watched signals with the levels that an oracle expects. Its tallies
 * at alarms and between slices are compared with their sums. */
#ifndef BX_TESTS_MODEL_WATCHED_H
#define BX_TESTS_MODEL_WATCHED_H

#include "model/model.h"

struct watched_signal {
    bx_selection sel;
    uint32_t *expected, *reported; /* level[cycle] */
    uint64_t *sum;                 /* sum[t] of the expected levels in the cycles before t */
    uint64_t since, end;           /* watch begins; reports are complete up to `end` */
    uint32_t open;                 /* the level that holds from `end`, or 0 */
    /* The signal counts accesses: at the end of the work, its tally includes an access in that
     * cycle, which takes no time. */
    bool last_access;
};

struct watched {
    bx_watcher watcher; /* first */
    bx_model *model;
    uint64_t *random; /* seed */
    /* Fails the test with this text. */
    void (*disagree)(void *trial, const char *text);
    void *trial;
    struct watched_signal *signal;
    unsigned n, next; /* next: the first that is not watched yet */
    uint64_t cycles;  /* compared cycles, from the model's start on */
    uint64_t alarm;
    bool after_end; /* tallies at the end of the work are taken after its last cycle */
};

/* For n signals and so many cycles: the test sets `sel` of each signal and fills in `expected`. */
struct watched watched_new(bx_model *m, uint64_t *random, unsigned n, uint64_t cycles);

/* Becomes the model's watcher; watches the next n signals. */
void watched_begin(struct watched *w);
void watched_watch(struct watched *w, unsigned n);

/* Runs the model in slices to the end of its work, in cycle `end`, and idles for the rest. Some
 * watches begin at the start, others in a later slice, and there are some alarms. */
void watched_run(struct watched *w, uint64_t end);

/* Compares the reports with the expected levels, and frees both. */
void watched_compare(struct watched *w);

#endif
