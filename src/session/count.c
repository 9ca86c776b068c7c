/* Reads counters, widens their values to 64 bits, and updates the readings. */
#include "session/samples.h"

#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The most that one cycle adds if the catalogue has no `max` for the event. It is the largest `max`
 * of any event: the entries of a queue (323535-001 section 2.5, S-Box, code 07H). */
enum { MOST_A_CYCLE = 64 };

/* A counter is implausibly fast at twice the rate that the machine can produce. */
enum { MARGIN = 2, SOME_CYCLES = 1024 };

/* Whether the stop of its pass switches the counter off. It does not for a P6's first counter if
 * only that one is used: its set-up enables it, and it runs until it is restored. */
static bool is_switched_off(const bx_programme *p, const bx_assignment *assignment)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&p->plan, BX_STEP_STOP, assignment->pass, &n);
    for (size_t i = 0; i < n; i++)
        if (bx_plan_needs(p->topology, p->events, assignment, &ops[i]))
            return true;
    return false;
}

/* The value at which set-up starts a counter. */
static uint64_t start_of(const bx_programme *p, const bx_assignment *assignment)
{
    const struct bx_catalog *c = p->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[assignment->counter];
    if (p->overflow.counts && assignment == &p->schedule.assignments[p->overflow.assignment])
        return bx_overflow_start(c, counter, &p->events[assignment->event], p->overflow.counts);
    return counter->flags & BX_COUNTER_FREE ? 0 : bx_plan_start_of(counter, p->interval);
}

static bx_counter_state counter_state_of(const bx_programme *p, const bx_assignment *assignment)
{
    const struct bx_catalog *c = p->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[assignment->counter];
    const bx_evsel *event = &p->events[assignment->event];
    uint64_t most = event->event == BX_NONE ? 0 : bx_cat_events(c)[event->event].max;
    uint64_t mask = bx_mask_width(counter->width);
    bool is_free = counter->flags & BX_COUNTER_FREE;
    uint64_t start = start_of(p, assignment);
    uint64_t cycles = SOME_CYCLES / bx_machine_time_of(p->machine, SOME_CYCLES); /* per time unit */
    return (bx_counter_state){
        .mask = mask,
        .wrap_safe = bx_machine_time_of(p->machine, mask / (most ? most : MOST_A_CYCLE)),
        .unused_bits = bx_register_unused_bits(c, counter->value),
        .rate = (most ? most : MOST_A_CYCLE) * cycles * MARGIN,
        .wrap_time = most ? bx_machine_time_of(p->machine, mask / most) : mask,
        .shift = bx_cat_fields(c)[counter->value_field].lo,
        .free_running = is_free,
        .down = bx_counts_down(c, counter, event),
        .stops = p->real_hardware && !is_free && is_switched_off(p, assignment),
        .multiplexed = assignment->passes > 1 && !p->at_once,
        .start = start,
        .last = start,
        .erratum = bx_machine_can(p->machine)->has_errata ? counter->erratum : 0,
    };
}

bool bx_count_new(bx_samples *samples, const bx_programme *p)
{
    size_t n = p->schedule.n ? p->schedule.n : 1;
    samples->states = calloc(n, sizeof *samples->states);
    samples->active = (bx_active){
        .bus = calloc(n, sizeof(struct bx_bus *)),
        .at = calloc(n, sizeof *samples->active.at),
        .values = calloc(n, sizeof *samples->active.values),
        .counter_state = calloc(n, sizeof(bx_counter_state *)),
        .op = calloc(n, sizeof(const bx_op *)),
    };
    if (!samples->states || !samples->active.bus || !samples->active.at ||
        !samples->active.values || !samples->active.counter_state || !samples->active.op)
        return false;
    for (size_t i = 0; i < p->schedule.n; i++) {
        samples->states[i] = counter_state_of(p, &p->schedule.assignments[i]);
        samples->states[i].reading = p->outcomes[i].reading;
    }
    return true;
}

void bx_count_free(bx_samples *samples)
{
    free(samples->states);
    free(samples->active.bus);
    free(samples->active.at);
    free(samples->active.values);
    free(samples->active.counter_state);
    free(samples->active.op);
}

/* How long the active counters can stay unread without wrapping twice. */
static uint64_t wrap_safe_of(const bx_active *a)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < a->n; i++)
        if (a->counter_state[i]->wrap_safe < least)
            least = a->counter_state[i]->wrap_safe;
    return least;
}

/* Sets the time up to which readings are valid. */
static void set_counted_to(bx_samples *samples, uint64_t now)
{
    samples->counted_to = now;
    samples->must_read =
        samples->active.wrap_safe < UINT64_MAX - now ? now + samples->active.wrap_safe : UINT64_MAX;
}

/* Each counter has its own time of a slice, because register accesses take time. */
static void begin_slice(const bx_programme *p, bx_counter_state *t)
{
    t->last = t->start; /* the value that set-up wrote */
    t->until = 0;
    t->begun = (struct bx_turn){(double)t->reading->count, (double)t->reading->running};
    if (!p->real_hardware)
        t->since = bx_machine_time(p->machine);
}

/* Whether op starts or stops a multiplexed counter. */
static bool is_switched_by(const bx_programme *p, const bx_assignment *assignment, const bx_op *op)
{
    const struct bx_catalog *c = p->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[assignment->counter];
    return assignment->passes > 1 && p->pass % assignment->passes == assignment->pass &&
           op->package == assignment->package && bx_counter_depends_on(c, counter, op->reg) &&
           op->unit == bx_register_unit(c, op->reg, counter->pmu, assignment->unit);
}

/* Sets the times of a slice: the last operation that starts the counter begins it, the first that
 * stops it ends it. */
void bx_count_switched(bx_samples *samples, const bx_programme *p, const bx_op *op)
{
    uint64_t now = bx_machine_time(p->machine);
    for (size_t i = 0; i < p->schedule.n; i++) {
        if (!is_switched_by(p, &p->schedule.assignments[i], op))
            continue;
        if (op->step == BX_STEP_STOP && !samples->states[i].until)
            samples->states[i].until = now;
        else if (op->step != BX_STEP_STOP)
            samples->states[i].since = now;
    }
}

static void activate_pass(bx_samples *samples, const bx_programme *p, unsigned pass)
{
    bx_active *a = &samples->active;
    size_t n;
    const bx_op *reads = bx_plan_part(&p->plan, BX_STEP_READ, pass, &n);
    for (size_t i = 0; i < n; i++) {
        bx_counter_state *counter_state = &samples->states[reads[i].assignment];
        if (p->outcomes[reads[i].assignment].blocked)
            continue;
        if (counter_state->multiplexed)
            begin_slice(p, counter_state); /* counters that are not multiplexed continue */
        a->bus[a->n] = bx_banks_bus(p, &reads[i]);
        a->at[a->n] = reads[i].at;
        a->op[a->n] = &reads[i];
        a->counter_state[a->n++] = counter_state;
    }
}

void bx_count_activate(bx_samples *samples, const bx_programme *p)
{
    bx_active *a = &samples->active;
    bx_pass_range passes = bx_banks_passes(p);
    a->n = 0;
    for (unsigned pass = passes.first; pass < passes.end; pass++)
        activate_pass(samples, p, pass);
    a->wrap_safe = wrap_safe_of(a);
    set_counted_to(samples, samples->counted_to);
}

static void remove_active(bx_active *a, size_t i)
{
    size_t behind = a->n - i - 1;
    memmove(&a->bus[i], &a->bus[i + 1], behind * sizeof a->bus[0]);
    memmove(&a->at[i], &a->at[i + 1], behind * sizeof a->at[0]);
    memmove(&a->op[i], &a->op[i + 1], behind * sizeof a->op[0]);
    memmove(&a->values[i], &a->values[i + 1], behind * sizeof a->values[0]);
    memmove(&a->counter_state[i], &a->counter_state[i + 1], behind * sizeof a->counter_state[0]);
    a->n--;
}

/* Blocks a counter that cannot be read. */
static void drop(bx_samples *samples, bx_programme *p, size_t i, int err)
{
    bx_blame_failed(p, samples->active.op[i], err);
    remove_active(&samples->active, i);
}

/* The time now, at the last collection, and at the start. */
struct times {
    uint64_t now, passed, enabled;
};

static uint64_t slice_passed(bx_counter_state *t, uint64_t now)
{
    uint64_t to = t->until ? t->until : now, from = t->since;
    t->since = to;
    return to > from ? to - from : 0;
}

static void take_raw(bx_counter_state *t, uint64_t raw, struct times times)
{
    bx_reading *r = t->reading;
    uint64_t value = raw >> t->shift & t->mask;
    r->count += bx_count_grown(t, t->last, value);
    r->overflowed |= t->down ? value > t->last : value < t->last;
    r->running += t->multiplexed ? slice_passed(t, times.now) : times.passed;
    r->enabled = times.enabled;
    t->last = value;
}

static void read_singly(bx_samples *samples, bx_programme *p, struct times times)
{
    bx_active *a = &samples->active;
    for (size_t i = 0; i < a->n;) {
        uint64_t raw;
        struct bx_bus *bus = a->bus[i];
        int err = bus->read(bus, &a->at[i], &raw);
        if (err == 0) {
            take_raw(a->counter_state[i], raw, times);
            i++;
        } else {
            drop(samples, p, i, err);
        }
    }
}

static void read_batched(bx_samples *samples, bx_programme *p, struct times times)
{
    struct bx_bus *bus = p->bus;
    bx_active *a = &samples->active;
    for (size_t i = 0; i < a->n;) {
        int err = 0;
        size_t to = i + bus->read_many(bus, &a->at[i], a->values, a->n - i, &err);
        for (const uint64_t *raw = a->values; i < to; i++)
            take_raw(a->counter_state[i], *raw++, times);
        if (i < a->n)
            drop(samples, p, i, err);
    }
}

/* Reads all active counters into a->values; those that fail are blocked. */
static void fetch(bx_samples *samples, bx_programme *p)
{
    struct bx_bus *bus = p->bus;
    bx_active *a = &samples->active;
    for (size_t i = 0; i < a->n;) {
        int err = 0;
        if (bus->read_many) {
            i += bus->read_many(bus, &a->at[i], &a->values[i], a->n - i, &err);
            if (i < a->n)
                drop(samples, p, i, err);
        } else if ((err = bus->read(bus, &a->at[i], &a->values[i])) == 0) {
            i++;
        } else {
            drop(samples, p, i, err);
        }
    }
}

static void read_real_hardware(bx_samples *samples, bx_programme *p, struct times times)
{
    bx_active *a = &samples->active;
    uint64_t fetched = bx_machine_time(p->machine);
    fetch(samples, p);
    for (size_t i = 0; i < a->n;) {
        if (bx_sample_confirmed(samples, p, i, fetched)) {
            take_raw(a->counter_state[i], a->values[i], times);
            i++;
        } else {
            remove_active(a, i);
        }
    }
}

void bx_count_collect(bx_samples *samples, bx_programme *p, unsigned sample_point)
{
    samples->point = (uint8_t)sample_point;
    bool ended = sample_point == BX_SAMPLE_STOP && samples->ended;
    uint64_t now = ended ? samples->ended : bx_machine_time(p->machine);
    const struct times times = {now, now - samples->counted_to, now - samples->began};
    if (p->real_hardware)
        read_real_hardware(samples, p, times);
    else if (p->bus->read_many)
        read_batched(samples, p, times);
    else
        read_singly(samples, p, times);
    samples->last_sampled = now;
    set_counted_to(samples, now);
}

/* A sweep over all counters that takes longer than this is repeated, so that all counters begin at
 * about the same time. In cycles; on a host in ns. */
enum { BRIEF = 1000, BRIEF_NS = 5000000, SWEEPS = 3 };

/* Reads the start values when all counters count. */
void bx_count_prime(bx_samples *samples, bx_programme *p)
{
    for (size_t i = 0; i < p->schedule.n; i++)
        samples->states[i].unprimed = samples->states[i].free_running;
    uint64_t before, brief = bx_machine_can(p->machine)->counts_cycles ? BRIEF : BRIEF_NS;
    unsigned sweeps = 0;
    do {
        before = bx_machine_time(p->machine);
        bx_count_collect(samples, p, BX_SAMPLE_START);
        for (size_t i = 0; i < p->schedule.n; i++)
            samples->states[i].unprimed = false;
    } while (bx_machine_time(p->machine) - before > brief && ++sweeps < SWEEPS);
    samples->began = bx_machine_time(p->machine);
    set_counted_to(samples, samples->began);
    for (size_t i = 0; i < samples->active.n; i++) {
        bx_counter_state *t = samples->active.counter_state[i];
        t->since = samples->began;
        t->reading->count = t->reading->running = 0;
        t->reading->overflowed = false;
    }
}

/* A counter that is never switched off gets its time when it is collected. */
void bx_count_update(bx_samples *samples, const bx_programme *p)
{
    bool in_turns = p->schedule.passes > 1 && !p->at_once;
    for (size_t i = 0; in_turns && i < p->schedule.n; i++) {
        bx_reading *r = samples->states[i].reading;
        if (p->outcomes[i].blocked)
            continue;
        r->enabled = samples->counted_to - samples->began;
        if (r->running < r->enabled)
            r->state = r->running ? BX_SCALED : BX_NOT_MEASURED;
    }
}
