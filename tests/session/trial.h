/* Shared by the session tests: machines with recorded work, and their true counts. */
#ifndef BX_TESTS_SESSION_TRIAL_H
#define BX_TESTS_SESSION_TRIAL_H

#include "machine/machine.h"
#include "model/machine/client/counts.h"

enum { TRIAL_EVENTS = 64, TRIAL_READINGS = 256 };

/* The CPU's recommended events: all 25 of document 334060-001. */
const char *trial_picks(void);

/* Parses a list; fails the test on an error. Returns their number. */
size_t trial_parse(const char *list, bx_evsel *events);

bx_machine *trial_machine(const char *spec);

/* Starts a session of these events. */
bx_session *trial_start(bx_machine *m, const char *list);

/* Takes a sample; returns the session's only reading. */
const bx_reading *trial_sample(bx_session *s);

/* Readings of one session, or of several that each counted a part. */
struct trial_result {
    bx_reading readings[TRIAL_READINGS];
    size_t n;
    uint64_t start, end; /* cycles since power-on */
};

/* Runs one session to the end of the work, with as many samples as possible. */
void trial_run(bx_machine *m, const bx_evsel *events, size_t n, const bx_session_options *o,
               uint64_t sample_every, struct trial_result *r);

/* Counts in one run for each pass, each on a new machine with the same work. */
void trial_repeat(const char *machine, const char *workload, const bx_evsel *events, size_t n,
                  struct trial_result *r);

/* Checks that a single run that counts everything at once has the same readings. */
void trial_at_once(const char *machine, const char *workload, const bx_evsel *events, size_t n,
                   const struct trial_result *r);

/* ---- the truth ---- */

/* Records the accesses of a machine's work as it executes. Call it once the work is loaded. */
struct trial_record;
struct trial_record *trial_record(bx_machine *m);
void trial_record_free(struct trial_record *r);

/* The true count of the selection, by cycle `end` since power-on: cycle by cycle, from the oracle
 * that executes the recorded accesses. */
struct trial_truth;
struct trial_truth *trial_truth(const bx_machine *m, const struct trial_record *r, uint64_t end);
uint64_t trial_true_count(const struct trial_truth *t, const bx_evsel *event, unsigned unit);
void trial_truth_free(struct trial_truth *t);

/* The same from the model's own totals. false for events with a threshold or edge, occupancies and
 * the clock. */
bool trial_model_count(const bx_machine *m, const bx_evsel *event, unsigned unit, uint64_t *count);

#endif
