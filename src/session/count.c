#include "session/session.h"

#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most that one cycle adds to a counter whose event does not say: the model has so many agents,
 * each of which starts one access a cycle at most. */
enum { MOST_A_CYCLE = BX_AGENTS };

/* What is taken for faster than the machine can count is twice as fast as that. */
enum { MARGIN = 2, SOME_CYCLES = 1024 };

/* A P6's first counter alone is enabled while it is set up, and runs until it is put back. */
static bool is_switched_off(const struct bx_session *s, const bx_seat *seat)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, BX_STOP, seat->pass, &n);
    for (size_t i = 0; i < n; i++)
        if (bx_plan_needs(s->topology, s->events, seat, &ops[i]))
            return true;
    return false;
}

static bx_tally tally_of(const struct bx_session *s, const bx_seat *seat)
{
    const struct bx_catalog *c = s->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[seat->counter];
    const bx_evsel *event = &s->events[seat->event];
    uint64_t most = event->event == BX_NONE ? 0 : bx_cat_events(c)[event->event].max;
    uint64_t mask = bx_mask_width(counter->width);
    bool is_free = counter->flags & BX_COUNTER_FREE;
    uint64_t start = is_free ? 0 : bx_plan_start_of(counter, s->interval);
    uint64_t cycles = SOME_CYCLES / bx_machine_time_of(s->machine, SOME_CYCLES); /* a time unit */
    return (bx_tally){
        .mask = mask,
        .patience = bx_machine_time_of(s->machine, mask / (most ? most : MOST_A_CYCLE)),
        .outside = bx_doubt_outside(c, counter->value),
        .rate = (most ? most : MOST_A_CYCLE) * cycles * MARGIN,
        .lapse = most ? bx_machine_time_of(s->machine, mask / most) : mask,
        .shift = bx_cat_fields(c)[counter->value_field].lo,
        .free_running = is_free,
        .stops = s->wary && !is_free && is_switched_off(s, seat),
        .takes_turns = seat->passes > 1,
        .start = start,
        .last = start,
        .erratum = bx_machine_is_virtual(s->machine) ? 0 : counter->erratum,
    };
}

bool bx_count_new(struct bx_session *s)
{
    size_t n = s->schedule.n ? s->schedule.n : 1;
    s->tallies = calloc(n, sizeof *s->tallies);
    s->active = (bx_active){
        .at = calloc(n, sizeof *s->active.at),
        .values = calloc(n, sizeof *s->active.values),
        .tally = calloc(n, sizeof(bx_tally *)),
        .op = calloc(n, sizeof(const bx_op *)),
    };
    if (!s->tallies || !s->active.at || !s->active.values || !s->active.tally || !s->active.op)
        return false;
    for (size_t i = 0; i < s->schedule.n; i++)
        s->tallies[i] = tally_of(s, &s->schedule.seats[i]);
    return true;
}

void bx_count_free(struct bx_session *s)
{
    free(s->tallies);
    free(s->active.at);
    free(s->active.values);
    free(s->active.tally);
    free(s->active.op);
}

/* How long the active counters can go unread. */
static uint64_t patience_of(const bx_active *a)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < a->n; i++)
        if (a->tally[i]->patience < least)
            least = a->tally[i]->patience;
    return least;
}

/* Readings are true up to this time. */
static void reach(struct bx_session *s, uint64_t now)
{
    s->counted_to = now;
    s->must_read = s->active.patience < UINT64_MAX - now ? now + s->active.patience : UINT64_MAX;
}

/* Where turns matter accesses take time, and each counter has a time of its own. */
static void begin_turn(const struct bx_session *s, bx_tally *t)
{
    t->last = t->start; /* as it was set up */
    t->until = 0;
    if (!s->wary)
        t->since = bx_machine_time(s->machine);
}

/* The register that sets a counter going that takes turns. */
static bool turns_by(const struct bx_session *s, const bx_seat *seat, const bx_op *op)
{
    const struct bx_catalog *c = s->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[seat->counter];
    unsigned reg =
        counter->elsewhere == BX_NONE ? counter->control : bx_cat_conds(c)[counter->elsewhere].reg;
    return op->reg == reg && op->unit == seat->unit && op->package == seat->package &&
           seat->passes > 1 && s->pass % seat->passes == seat->pass;
}

void bx_count_turned(struct bx_session *s, const bx_op *op)
{
    uint64_t now = bx_machine_time(s->machine);
    for (size_t i = 0; i < s->schedule.n; i++) {
        if (!turns_by(s, &s->schedule.seats[i], op))
            continue;
        if (op->step == BX_STOP)
            s->tallies[i].until = now;
        else
            s->tallies[i].since = now;
    }
}

void bx_count_activate(struct bx_session *s)
{
    bx_active *a = &s->active;
    size_t n;
    const bx_op *reads = bx_plan_part(&s->plan, BX_READ, s->pass, &n);
    a->n = 0;
    for (size_t i = 0; i < n; i++) {
        bx_tally *tally = &s->tallies[reads[i].seat];
        if (tally->blocked)
            continue;
        if (tally->takes_turns)
            begin_turn(s, tally); /* others go on from where they were */
        a->at[a->n] = reads[i].at;
        a->op[a->n] = &reads[i];
        a->tally[a->n++] = tally;
    }
    a->patience = patience_of(a);
    reach(s, s->counted_to);
}

static void take_out(bx_active *a, size_t i)
{
    size_t behind = a->n - i - 1;
    memmove(&a->at[i], &a->at[i + 1], behind * sizeof a->at[0]);
    memmove(&a->op[i], &a->op[i + 1], behind * sizeof a->op[0]);
    memmove(&a->values[i], &a->values[i + 1], behind * sizeof a->values[0]);
    memmove(&a->tally[i], &a->tally[i + 1], behind * sizeof a->tally[0]);
    a->n--;
}

/* A counter that cannot be read drops out. */
static void drop(struct bx_session *s, size_t i, int why)
{
    bx_carry_failed(s, s->active.op[i], why);
    take_out(&s->active, i);
}

/* How far counting has come: now, since the last collection, and since the start. */
struct times {
    uint64_t now, passed, enabled;
};

static uint64_t turn_passed(bx_tally *t, uint64_t now)
{
    uint64_t to = t->until ? t->until : now, from = t->since;
    t->since = to;
    return to > from ? to - from : 0;
}

static void take(bx_tally *t, uint64_t raw, struct times times)
{
    bx_reading *r = t->reading;
    uint64_t value = raw >> t->shift & t->mask;
    r->count += (value - t->last) & t->mask;
    r->overflowed |= value < t->last;
    r->running += t->takes_turns ? turn_passed(t, times.now) : times.passed;
    r->enabled = times.enabled;
    t->last = value;
}

static void read_singly(struct bx_session *s, struct times times)
{
    struct bx_bus *bus = s->bus;
    bx_active *a = &s->active;
    for (size_t i = 0; i < a->n;) {
        uint64_t raw;
        int why = bus->read(bus, &a->at[i], &raw);
        if (why == 0) {
            take(a->tally[i], raw, times);
            i++;
        } else {
            drop(s, i, why);
        }
    }
}

static void read_together(struct bx_session *s, struct times times)
{
    struct bx_bus *bus = s->bus;
    bx_active *a = &s->active;
    for (size_t i = 0; i < a->n;) {
        int why = 0;
        size_t to = i + bus->read_many(bus, &a->at[i], a->values, a->n - i, &why);
        for (const uint64_t *raw = a->values; i < to; i++)
            take(a->tally[i], *raw++, times);
        if (i < a->n)
            drop(s, i, why);
    }
}

/* Reads all active counters into a->values; which of them fail drop out. */
static void fetch(struct bx_session *s)
{
    struct bx_bus *bus = s->bus;
    bx_active *a = &s->active;
    for (size_t i = 0; i < a->n;) {
        int why = 0;
        if (bus->read_many) {
            i += bus->read_many(bus, &a->at[i], &a->values[i], a->n - i, &why);
            if (i < a->n)
                drop(s, i, why);
        } else if ((why = bus->read(bus, &a->at[i], &a->values[i])) == 0) {
            i++;
        } else {
            drop(s, i, why);
        }
    }
}

static void read_warily(struct bx_session *s, struct times times)
{
    bx_active *a = &s->active;
    uint64_t fetched = bx_machine_time(s->machine);
    fetch(s);
    for (size_t i = 0; i < a->n;) {
        if (bx_look_sure(s, i, fetched)) {
            take(a->tally[i], a->values[i], times);
            i++;
        } else {
            take_out(a, i);
        }
    }
}

void bx_count_collect(struct bx_session *s, unsigned look)
{
    s->look = (uint8_t)look;
    bool ended = look == BX_LOOK_ENDS && s->ended;
    uint64_t now = ended ? s->ended : bx_machine_time(s->machine);
    const struct times times = {now, now - s->counted_to, now - s->began};
    if (s->wary)
        read_warily(s, times);
    else if (s->bus->read_many)
        read_together(s, times);
    else
        read_singly(s, times);
    s->looked = now;
    reach(s, now);
}

/* A sweep over the counters that takes longer is made once more, lest they begin at different
 * times: cycles, and ns of a host. */
enum { BRIEF = 1000, BRIEF_NS = 5000000, SWEEPS = 3 };

/* Counting begins where the counters stand when all of them count. */
void bx_count_prime(struct bx_session *s)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        s->tallies[i].fresh = s->tallies[i].free_running;
    uint64_t before, brief = bx_machine_is_virtual(s->machine) ? BRIEF : BRIEF_NS;
    unsigned sweeps = 0;
    do {
        before = bx_machine_time(s->machine);
        bx_count_collect(s, BX_LOOK_BEGINS);
        for (size_t i = 0; i < s->schedule.n; i++)
            s->tallies[i].fresh = false;
    } while (bx_machine_time(s->machine) - before > brief && ++sweeps < SWEEPS);
    s->began = bx_machine_time(s->machine);
    reach(s, s->began);
    for (size_t i = 0; i < s->active.n; i++) {
        bx_tally *t = s->active.tally[i];
        t->since = s->began;
        t->reading->count = t->reading->running = 0;
        t->reading->overflowed = false;
    }
}

/* What counts all the time is settled when it is collected. */
void bx_count_settle(struct bx_session *s)
{
    for (size_t i = 0; s->schedule.passes > 1 && i < s->schedule.n; i++) {
        bx_reading *r = s->tallies[i].reading;
        if (s->tallies[i].blocked)
            continue;
        r->enabled = s->counted_to - s->began;
        if (r->running < r->enabled)
            r->state = r->running ? BX_SCALED : BX_NOT_MEASURED;
    }
}
