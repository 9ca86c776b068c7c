/* Random register accesses, signals and time, played on virtual PMUs and on a plain reference:
 * values, faults and interrupts must be the same throughout. In the reference every counter looks
 * at every cycle. What is a machine's own stands in a struct of functions: its registers, and what
 * they make its counters see. */
#ifndef BX_TESTS_VPMU_DIFFERENTIAL_H
#define BX_TESTS_VPMU_DIFFERENTIAL_H

#include "bench.h"
#include "../dice.h"

enum { DIFFERENTIAL_COUNTERS = 32, DIFFERENTIAL_SIGNALS = 16, DIFFERENTIAL_STEPS = 8 };

/* What a counter of the reference counts. When any of it changes, the condition is taken as not
 * having held before. */
struct view {
    bool counting;
    bx_selection what;
    unsigned threshold;
    bool invert, edge, gated;
    bx_selection gate; /* where gated: levels count while this is high */
};

/* First member of a machine's own struct. */
struct differential {
    const struct differential_machine *machine;
    struct bench b;
    uint64_t seed;
    unsigned round, step;

    /* The reference's time, counters and interrupts, and the signals that are raised. */
    uint64_t now;
    struct view view[DIFFERENTIAL_COUNTERS];
    bool high[DIFFERENTIAL_COUNTERS]; /* the condition held in the cycle before */
    struct {
        uint64_t time;
        unsigned cpu;
    } pmi[BENCH_PMIS];
    unsigned pmis;
    struct {
        bx_selection what;
        uint32_t level;
        uint64_t end;
    } signal[DIFFERENTIAL_SIGNALS];
    unsigned signals;
};

typedef void differential_fn(struct differential *d);

struct differential_machine {
    const char *spec; /* machine string */
    size_t size;      /* of its own struct, which is all 0 before `start` */
    unsigned rounds, counters;
    bool interrupts; /* a round has more than one, in the mean; else there is none */

    differential_fn *start; /* sources of the script, and registers at power-on */
    differential_fn *check; /* compares all registers */
    /* Something to raise; false: nothing this time. */
    bool (*signal)(struct differential *d, bx_selection *what);
    struct {
        unsigned weight; /* how often it is taken among the others */
        differential_fn *take;
    } steps[DIFFERENTIAL_STEPS];

    /* Fills the view of counter `i`, which is all 0. */
    void (*view)(struct differential *d, unsigned i, struct view *v);
    /* The counter counts so much in this cycle. */
    void (*add)(struct differential *d, unsigned i, uint64_t by);

    /* These may be NULL. */
    /* Whether what is raised is seen, where box, package, unit and port are the same. */
    bool (*sees)(const struct view *v, const bx_selection *what);
    /* What the counter makes of a level before it compares it. */
    uint64_t (*takes)(struct differential *d, unsigned i, uint64_t level);
    /* The view may have changed. */
    void (*viewed)(struct differential *d, unsigned i);
    differential_fn *tick; /* a cycle is over */
};

/* Steps that all machines have. */
differential_fn differential_pass;  /* some cycles */
differential_fn differential_raise; /* a signal, and some cycles */
differential_fn differential_fall;  /* what ends now does not continue */

/* An MSR is read or written on a CPU; what the reference says: it holds `value`, it faults unless
 * `known` or `taken`. */
void differential_read(struct differential *d, unsigned cpu, unsigned msr, bool known,
                       uint64_t value);
void differential_write(struct differential *d, unsigned cpu, unsigned msr, uint64_t value,
                        bool taken);
/* Number `at` of some kind must be what the reference has. */
void differential_same(const struct differential *d, const char *kind, unsigned at, uint64_t ours,
                       uint64_t theirs);

/* For the reference: registers have changed, other than by differential_write; a CPU gets an
 * interrupt; the level of a counter now. */
void differential_changed(struct differential *d);
void differential_interrupt(struct differential *d, unsigned cpu);
uint64_t differential_level(const struct differential *d, unsigned i);

/* The same code and unit mask. */
bool differential_same_event(const bx_selection *a, const bx_selection *b);

/* The whole test program. */
int differential_main(const struct differential_machine *machine);

static inline unsigned below(struct differential *d, unsigned n)
{
    return dice_below(&d->seed, n);
}

#endif
