/* Implements differential.h. */
#include "../cmocked.h"

#include "differential.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1500, EACH = 8 /* steps between two comparisons of all registers */ };

/* ---- the signals that the reference's counters see ---- */

bool differential_same_event(const bx_selection *a, const bx_selection *b)
{
    return a->code == b->code && a->umask == b->umask;
}

static bool sees(const struct differential *d, const struct view *v, const bx_selection *what)
{
    const bx_selection *own = &v->what;
    return own->box == what->box && own->package == what->package && own->unit == what->unit &&
           own->port == what->port &&
           (d->machine->sees ? d->machine->sees(v, what) : differential_same_event(own, what));
}

/* The script is for package 0 alone, and does not distinguish ports and counters. */
static uint64_t scripted(const struct differential *d, const bx_selection *what, uint64_t cycle)
{
    struct script *s = (struct script *)(uintptr_t)&d->b.script;
    const struct script_source *source =
        script_find(s, what->box, what->unit, what->code, what->umask);
    return source && what->package == 0 ? script_level(source, cycle) : 0;
}

/* The script's level of one cycle, plus the raised signals. */
static uint64_t level_of(const struct differential *d, const struct view *v, uint64_t cycle)
{
    uint64_t level = scripted(d, &v->what, cycle);
    for (unsigned i = 0; i < d->signals; i++)
        if (d->now < d->signal[i].end && sees(d, v, &d->signal[i].what))
            level += d->signal[i].level;
    if (v->gated) {
        const struct view gate = {.what = v->gate};
        return level_of(d, &gate, cycle) ? level : 0;
    }
    return level;
}

uint64_t differential_level(const struct differential *d, unsigned i)
{
    return level_of(d, &d->view[i], d->now);
}

static bool holds(const struct view *v, uint64_t level)
{
    if (v->threshold == 0)
        return level > 0;
    return v->invert ? level < v->threshold : level >= v->threshold;
}

/* ---- the reference's time ---- */

void differential_changed(struct differential *d)
{
    for (unsigned i = 0; i < d->machine->counters; i++) {
        struct view v;
        memset(&v, 0, sizeof(v));
        d->machine->view(d, i, &v);
        if (memcmp(&v, &d->view[i], sizeof(v)) != 0)
            d->high[i] = false;
        memcpy(&d->view[i], &v, sizeof(v));
        if (d->machine->viewed)
            d->machine->viewed(d, i);
    }
}

void differential_interrupt(struct differential *d, unsigned cpu)
{
    assert_true(d->pmis < BENCH_PMIS);
    d->pmi[d->pmis].time = d->now;
    d->pmi[d->pmis++].cpu = cpu;
}

static void count(struct differential *d, unsigned i)
{
    const struct view *v = &d->view[i];
    uint64_t level = differential_level(d, i);
    if (d->machine->takes)
        level = d->machine->takes(d, i, level);
    bool high = holds(v, level), rises = high && !d->high[i];
    d->high[i] = high;
    d->machine->add(d, i, v->edge ? rises : v->threshold ? high : level);
}

static void pass(struct differential *d, unsigned cycles)
{
    for (unsigned n = 0; n < cycles; n++) {
        for (unsigned i = 0; i < d->machine->counters; i++)
            if (d->view[i].counting)
                count(d, i);
        d->now++;
        if (d->machine->tick)
            d->machine->tick(d);
    }
    script_pass(&d->b.script, cycles);
}

/* ---- comparing ---- */

void differential_same(const struct differential *d, const char *kind, unsigned at, uint64_t ours,
                       uint64_t theirs)
{
    if (ours != theirs)
        fail_msg("round %u, step %u, cycle %" PRIu64 ": %s 0x%x: 0x%" PRIx64
                 ", the reference has 0x%" PRIx64,
                 d->round, d->step, d->now, kind, at, ours, theirs);
}

void differential_read(struct differential *d, unsigned cpu, unsigned msr, bool known,
                       uint64_t value)
{
    uint64_t ours = 0;
    int is = rd(&d->b, cpu, msr, &ours);
    differential_same(d, "reading MSR", msr, (unsigned)is, known ? 0 : EIO);
    differential_same(d, "MSR", msr, ours, known ? value : 0);
}

void differential_write(struct differential *d, unsigned cpu, unsigned msr, uint64_t value,
                        bool taken)
{
    int is = wr(&d->b, cpu, msr, value);
    differential_same(d, "writing MSR", msr, (unsigned)is, taken ? 0 : EIO);
    differential_changed(d);
}

static void check(struct differential *d)
{
    d->machine->check(d);
    differential_same(d, "PMIs", 0, d->b.pmis, d->pmis);
    for (unsigned i = 0; i < d->pmis; i++) {
        differential_same(d, "time of PMI", i, d->b.pmi[i].time, d->pmi[i].time);
        differential_same(d, "CPU of PMI", i, d->b.pmi[i].cpu, d->pmi[i].cpu);
    }
}

/* ---- steps ---- */

void differential_pass(struct differential *d)
{
    pass(d, below(d, 9));
}

static void remember(struct differential *d, const bx_selection *what, uint32_t level,
                     uint64_t cycles)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < d->signals; i++)
        if (d->signal[i].end >= d->now) /* a signal that ends just now may still fall */
            d->signal[kept++] = d->signal[i];
    assert_true(kept < DIFFERENTIAL_SIGNALS);
    d->signal[kept].what = *what;
    d->signal[kept].level = level;
    d->signal[kept].end = d->now + cycles;
    d->signals = kept + 1;
}

/* Mostly low levels, which are close to thresholds. */
void differential_raise(struct differential *d)
{
    bx_selection what = {0};
    bx_error e = {0};
    if (!d->machine->signal(d, &what))
        return;
    uint32_t level = below(d, 6) ? below(d, 6) : below(d, 200);
    unsigned cycles = 1 + below(d, 14);
    remember(d, &what, level, cycles);
    assert_int_equal(bx_vpmu_inject(d->b.v, &what, level, cycles, &e), BX_OK);
    pass(d, 3 + below(d, 12));
}

static bool ends(const struct differential *d, const struct view *v)
{
    for (unsigned i = 0; i < d->signals; i++)
        if (d->signal[i].end == d->now && d->signal[i].level && sees(d, v, &d->signal[i].what))
            return true;
    return false;
}

/* As if the previous cycle had not had the signals that end. */
void differential_fall(struct differential *d)
{
    for (unsigned i = 0; i < d->machine->counters; i++) {
        const struct view *v = &d->view[i];
        if (ends(d, v))
            d->high[i] = d->high[i] && holds(v, level_of(d, v, d->now - 1));
    }
    bx_vpmu_fall(d->b.v);
}

static void take_any(struct differential *d)
{
    const struct differential_machine *m = d->machine;
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < DIFFERENTIAL_STEPS; k++)
        sum += m->steps[k].weight;
    for (unsigned which = below(d, sum); which >= m->steps[i].weight; i++)
        which -= m->steps[i].weight;
    m->steps[i].take(d);
}

/* ---- rounds ---- */

static void start(struct differential *d, const struct differential_machine *machine,
                  unsigned round)
{
    memset(d, 0, machine->size);
    d->machine = machine;
    d->seed = d->round = round;
    script_init(&d->b.script);
    machine->start(d);
    bench_open(&d->b, machine->spec);
    differential_changed(d);
}

/* Ends early if there is almost no room for more interrupts. */
static void play(struct differential *d)
{
    for (d->step = 0; d->step < STEPS && d->pmis + 100 < BENCH_PMIS; d->step++) {
        take_any(d);
        if (d->step % EACH == 0)
            check(d);
    }
    check(d);
}

static void test_same_as_the_reference(void **state)
{
    const struct differential_machine *machine = *state;
    struct differential *d = malloc(machine->size);
    unsigned pmis = 0;
    assert_non_null(d);
    for (unsigned round = 0; round < machine->rounds; round++) {
        start(d, machine, round);
        play(d);
        pmis += d->pmis;
        bench_close(&d->b);
    }
    free(d);
    if (machine->interrupts)
        assert_true(pmis > machine->rounds);
    else
        assert_int_equal(pmis, 0);
}

int differential_main(const struct differential_machine *machine)
{
    struct differential_machine of = *machine; /* cmocka's state is not constant */
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_same_as_the_reference, &of)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
