/* The samples of a measurement: what its counters held when they were read, and when that was. They
 * own the state of each counter; a programme says which counters are read, and is told of those
 * that fail:
 *
 *   count.c   turns register values into readings
 *   sample.c  chooses how often a register is read, and recognises impossible values */
#ifndef BX_SESSION_SAMPLES_H
#define BX_SESSION_SAMPLES_H

#include "session/programme.h"

/* A count, and the time in which it was counted. */
struct bx_turn {
    double count, time;
};

/* The state of one counter. It widens register values: differences are added to the reading. */
typedef struct bx_counter_state {
    bx_reading *reading;
    uint64_t last, mask;  /* value at the last read, shifted down to bit 0; its bits */
    uint64_t start;       /* start value that set-up writes */
    uint64_t wrap_safe;   /* cycles within which it cannot wrap twice */
    uint64_t unused_bits; /* bits of the register that the counter lacks: they read 0 */
    uint64_t rate;        /* an upper limit of the counts per unit of the machine's time */
    uint64_t wrap_time;   /* time after which it may have wrapped unnoticed */
    uint64_t since;       /* its time is added to the reading up to here */
    uint64_t until;       /* the time when it was switched off; 0: it counts */
    struct bx_turn begun; /* its reading at the begin of its turn */
    struct bx_turn before[2], before_together[2]; /* last turns, latest first: its own, and … */
    struct bx_turn together; /* … its group's; the sum over its group in the present turn */
    /* the first counter of its group: the counters that count its event at the same times */
    struct bx_counter_state *first;
    uint8_t shift;
    uint8_t erratum; /* on real machines: bx_cat_counter.erratum */
    bool free_running, multiplexed;
    bool down;     /* it counts downwards */
    bool stops;    /* its pass switches it off at the end; unused on virtual registers */
    bool unprimed; /* it is free-running, and `last` is not known yet */
} bx_counter_state;

/* The counts from one value of a counter to another; both are shifted down to bit 0. */
static inline uint64_t bx_count_grown(const bx_counter_state *t, uint64_t from, uint64_t to)
{
    return (t->down ? from - to : to - from) & t->mask;
}

/* The counters of the present pass, or of all passes that count at the same time, laid out for one
 * sweep. */
typedef struct bx_active {
    size_t n;
    uint64_t wrap_safe; /* cycles for which they can stay unread */
    struct bx_bus **bus;
    bx_address *at;
    uint64_t *values;
    bx_counter_state **counter_state;
    const bx_op **op;
} bx_active;

/* Why counters are read. */
enum bx_sample_point {
    BX_SAMPLE_RUNNING, /* the counters continue to run */
    BX_SAMPLE_START,   /* for the start values */
    BX_SAMPLE_ROTATE,  /* multiplexed counters have been stopped */
    BX_SAMPLE_STOP,    /* all counters have been stopped, except free-running ones */
};

/* What is read from the counters, and when. */
typedef struct bx_samples {
    bx_counter_state *states; /* by assignment */
    bx_active active;
    uint64_t began;        /* when counting started */
    uint64_t counted_to;   /* readings are valid up to this cycle */
    uint64_t last_sampled; /* time of the oldest last read of all counters */
    uint64_t ended;        /* time when the first enable was cleared at the end; 0: not yet */
    uint64_t must_read;    /* latest time to read counters before a second wrap */
    uint8_t point;         /* enum bx_sample_point */
} bx_samples;

/* ---- count.c ---- */

bool bx_count_new(bx_samples *samples,
                  const bx_programme *p); /* states of all counters; false: no memory */
void bx_count_free(bx_samples *samples);
void bx_count_activate(bx_samples *samples,
                       const bx_programme *p); /* the present pass has just started to count */
void bx_count_prime(bx_samples *samples, bx_programme *p); /* reads the start values */

/* Reads the active counters into their readings. */
void bx_count_collect(bx_samples *samples, bx_programme *p, unsigned sample_point);

/* Call it when op was written: sets the time of the counters whose slices it begins or ends. */
void bx_count_switched(bx_samples *samples, const bx_programme *p, const bx_op *op);
void bx_count_update(bx_samples *samples,
                     const bx_programme *p); /* updates times and states of all readings */

/* ---- sample.c ---- */

/* Reads the i-th active counter, whose value was fetched before, until its value is confirmed.
 * false: its assignment is blocked, and the reason recorded. The caller removes it from the
 * list. */
bool bx_sample_confirmed(bx_samples *samples, bx_programme *p, size_t i, uint64_t fetched);

/* Why a counter cannot hold the value `raw`, at least `span` after the last read; NULL: it can. */
const char *bx_implausible(const bx_counter_state *t, uint64_t raw, uint64_t span);

#endif
