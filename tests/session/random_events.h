/* Random sets of events and random work, for tests of properties that hold for any. */
#ifndef BX_TESTS_SESSION_RANDOM_EVENTS_H
#define BX_TESTS_SESSION_RANDOM_EVENTS_H

#include <boxscore/boxscore.h>

enum { RANDOM_WORK = 160 };

/* A machine string, and a workload for it of at most some million cycles. */
struct random_work {
    const char *machine;
    char workload[RANDOM_WORK];
};
struct random_work random_work(uint64_t *seed);

/* Lists every event of the machine's CPU, with each of its unit masks, that the machine produces.
 * Free the array. */
bx_evsel *random_choice(const bx_machine *m, size_t *n);

/* Selects so many different events. */
void random_events(const bx_evsel *choice, size_t choices, uint64_t *seed, bx_evsel *events,
                   size_t n);

#endif
