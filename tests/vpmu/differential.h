/* Random register accesses, signals and time on virtual PMUs and on a plain reference: values,
 * faults and interrupts must always be the same. In the reference every counter is evaluated in
 * every cycle. A struct of functions has the parts that depend on the machine: its registers, and
 * what they make its counters see. */
#ifndef BX_TESTS_VPMU_DIFFERENTIAL_H
#define BX_TESTS_VPMU_DIFFERENTIAL_H

#include "bench.h"
#include "../dice.h"

enum { DIFFERENTIAL_COUNTERS = 32, DIFFERENTIAL_SIGNALS = 16, DIFFERENTIAL_STEPS = 8 };

/* What a counter of the reference counts. After any change, the condition counts as not having held
 * before. */
struct view {
    bool counting;
    bx_selection what;
    unsigned threshold;
    bool invert, edge, gated;
    bx_selection gate; /* if gated: levels count while this is high */
};

/* The first member of a machine's own struct. */
struct differential {
    const struct differential_machine *machine;
    struct bench b;
    uint64_t seed;
    unsigned round, step;

    /* The reference's time, counters and interrupts, and the signals that are raised. */
    uint64_t now;
    struct view view[DIFFERENTIAL_COUNTERS];
    bool high[DIFFERENTIAL_COUNTERS]; /* the condition held in the previous cycle */
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
    bool interrupts; /* a round has more than one on average; false: there is none */

    differential_fn *start; /* sources of the script, and registers at power-on */
    differential_fn *check; /* compares all registers */
    /* Gets a signal to raise; returns false for none. */
    bool (*signal)(struct differential *d, bx_selection *what);
    struct {
        unsigned weight; /* its share among all steps */
        differential_fn *take;
    } steps[DIFFERENTIAL_STEPS];

    /* Fills the view of counter `i`, which is all 0. */
    void (*view)(struct differential *d, unsigned i, struct view *v);
    /* The counter counts `by` in this cycle. */
    void (*add)(struct differential *d, unsigned i, uint64_t by);

    /* These may be NULL. */
    /* Whether the counter sees a raised signal with the same box, package, unit and port. */
    bool (*sees)(const struct view *v, const bx_selection *what);
    /* The value that the counter compares, made from a level. */
    uint64_t (*takes)(struct differential *d, unsigned i, uint64_t level);
    /* The view may have changed. */
    void (*viewed)(struct differential *d, unsigned i);
    differential_fn *tick; /* called after each cycle */
};

/* Steps for all machines. */
differential_fn differential_pass;  /* lets some cycles pass */
differential_fn differential_raise; /* raises a signal, and lets some cycles pass */
differential_fn differential_fall;  /* signals that end now do not continue */

/* Read or write an MSR on a CPU and compare with the reference: its value is `value`; it faults
 * unless `known` or `taken`. */
void differential_read(struct differential *d, unsigned cpu, unsigned msr, bool known,
                       uint64_t value);
void differential_write(struct differential *d, unsigned cpu, unsigned msr, uint64_t value,
                        bool taken);
/* Checks that number `at` of this kind equals the reference's. */
void differential_same(const struct differential *d, const char *kind, unsigned at, uint64_t ours,
                       uint64_t theirs);

/* Called for the reference: registers have changed without differential_write(); a CPU gets an
 * interrupt; the present level of a counter. */
void differential_changed(struct differential *d);
void differential_interrupt(struct differential *d, unsigned cpu);
uint64_t differential_level(const struct differential *d, unsigned i);

/* Whether code and unit mask are the same. */
bool differential_same_event(const bx_selection *a, const bx_selection *b);

/* The whole test program. */
int differential_main(const struct differential_machine *machine);

static inline unsigned below(struct differential *d, unsigned n)
{
    return dice_below(&d->seed, n);
}

#endif
