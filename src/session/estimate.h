/* What a measurement says of its events, and how sure that is. An estimate owns the readings, the
 * turns in which they are counted, and the regions:
 *
 *   readings.c  lays out the readings
 *   turns.c     which pass counts next, and for how long
 *   spread.c    how sure scaled values are: how much counts differ from turn to turn
 *   regions.c   counts the regions that a program marks */
#ifndef BX_SESSION_ESTIMATE_H
#define BX_SESSION_ESTIMATE_H

#include "session/kernel_counters.h"
#include "session/samples.h"

/* The turns of a round: one turn for each pass. */
typedef struct bx_turns {
    uint16_t *order; /* order of the passes; NULL: nothing is multiplexed */
    unsigned at;     /* index of the present turn */
    uint64_t length; /* length of each turn */
    uint64_t random; /* state of the random numbers */
    uint64_t slice;  /* mean cycles of a turn; 0: chosen automatically */
    uint64_t ends;   /* time of the next rotation */
} bx_turns;

/* What is known of the caller's events. */
typedef struct bx_estimate {
    bx_reading *readings;
    size_t n;
    bx_error *unsupported; /* [events_n]: why each is BX_NOT_SUPPORTED; NULL: an unsupported event
                              is an error */
    size_t events_n;
    bx_turns turns;
    struct bx_regions *regions; /* NULL: regions are not counted */
} bx_estimate;

/* ---- readings.c ---- */

/* Makes one reading for each assignment of registers, of the kernel and of absent events, in the
 * order of the caller's events. false: out of memory. */
bool bx_readings_new(bx_estimate *estimate, const bx_programme *p, bx_kernel *kernel,
                     const bx_schedule *absent, const bx_sorted *sorted, const bx_evsel *events);

/* Why an event is BX_NOT_SUPPORTED; NULL: it is not. */
const bx_error *bx_readings_unsupported(const bx_estimate *estimate, size_t event);

/* ---- turns.c ---- */

bool bx_turns_open(bx_turns *turns, const bx_programme *p, const bx_samples *samples,
                   uint64_t seed); /* false: out of memory */
void bx_turns_close(bx_turns *turns);

/* Changes to the pass whose turn is next. */
void bx_turns_next(bx_turns *turns, bx_programme *p, const bx_samples *samples);

/* The time at which the turn that begins now ends. UINT64_MAX: nothing is multiplexed. */
uint64_t bx_turns_end(const bx_turns *turns, const bx_programme *p);

/* ---- spread.c: also spread.h ---- */

/* Finds the counters that count one event at the same times. */
void bx_spread_find(bx_samples *samples, const bx_programme *p);

/* Ends a turn of the active multiplexed counters: compares it with earlier turns. */
void bx_spread_end_turn(bx_samples *samples, const bx_programme *p);

/* ---- regions.c ---- */

/* by_thread: list each thread's region beside that of all threads. false: out of memory. */
bool bx_regions_new(bx_estimate *estimate, const bx_session_options *o, bool by_thread);
void bx_regions_free(struct bx_regions *g);

/* A program marks a region. The readings are up to date; now: the time up to which they count. */
void bx_regions_mark(bx_estimate *estimate, const bx_mark *mark, uint64_t now);

/* Ends all open regions. */
void bx_regions_close(bx_estimate *estimate, uint64_t now);

/* Makes the results. Returns whether all could be stored. With the option `inside`, the readings
 * have only the counts inside these regions. */
int bx_regions_finish(bx_estimate *estimate, bx_error *e);

const bx_region *bx_regions_list(const bx_estimate *estimate, size_t *n);

/* The time inside the regions that `inside` names. */
uint64_t bx_regions_inside(const bx_estimate *estimate);

#endif
