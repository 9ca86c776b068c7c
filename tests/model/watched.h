/* What a model reports of signals that are watched, against the levels that an oracle expects; its
 * tallies at alarms and between slices, against their sums. */
#ifndef BX_TESTS_MODEL_WATCHED_H
#define BX_TESTS_MODEL_WATCHED_H

#include "model/model.h"

struct watched_signal {
    bx_selection sel;
    uint32_t *expected, *reported; /* level[cycle] */
    uint64_t *sum;                 /* sum[t]: of the expected levels in the cycles before t */
    uint64_t since, end;           /* watched since; nothing is reported yet from `end` on */
    uint32_t open;                 /* the level that holds from `end`, or 0 */
    /* It counts accesses: its tally at the end of the work has one that is made in that cycle and
     * takes no time. */
    bool last_access;
};

struct watched {
    bx_watcher watcher; /* first */
    bx_model *model;
    uint64_t *random; /* seed */
    /* The test fails with this text. */
    void (*disagree)(void *trial, const char *text);
    void *trial;
    struct watched_signal *signal;
    unsigned n, next; /* next: the first that is not watched yet */
    uint64_t cycles;  /* that are compared, from the model's start on */
    uint64_t alarm;
    bool after_end; /* tallies at the end of the work are those after its last cycle */
};

/* For n signals in so many cycles: the test sets sel of each and fills in `expected`. */
struct watched watched_new(bx_model *m, uint64_t *random, unsigned n, uint64_t cycles);

/* Becomes the model's watcher; watches the next n signals. */
void watched_begin(struct watched *w);
void watched_watch(struct watched *w, unsigned n);

/* Runs the model in slices to the end of its work, in cycle `end`, and idles for the rest. Some
 * signals are watched from the start, some from a later slice on; an alarm rings now and then. */
void watched_run(struct watched *w, uint64_t end);

/* Compares what was reported with what is expected, and frees both. */
void watched_compare(struct watched *w);

#endif
