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
            tally->last = tally->start; /* as it was set up; others go on from where they were */
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

/* How far counting has come since the last collection, and since the start. */
struct times {
    uint64_t passed, enabled;
};

static void take(bx_tally *t, uint64_t raw, struct times times)
{
    bx_reading *r = t->reading;
    uint64_t value = raw >> t->shift & t->mask;
    r->count += (value - t->last) & t->mask;
    r->overflowed |= value < t->last;
    r->running += times.passed;
    r->enabled = times.enabled;
    t->last = value;
}

/* Xeon 7500, 323535-001 page 140: a value that ends in 0x000000 or 0x000001 is 0x1000000 too high.
 * It is taken as read where less would be behind the last value: there was no carry then. */
static uint64_t without_erratum(const bx_tally *t, uint64_t raw)
{
    uint64_t value = raw >> t->shift & t->mask, carry = UINT64_C(1) << t->erratum;
    if (!t->erratum || (value & (carry - 1)) > 1 ||
        ((value - carry - t->last) & t->mask) > t->mask / 2)
        return raw;
    return raw - (carry << t->shift);
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

/* Where every value of the register is one of the counter, only a second look tells nonsense from a
 * count. 0, or an errno: EBADMSG if the two do not go together. */
static int confirm(struct bx_session *s, size_t i, uint64_t now)
{
    bx_active *a = &s->active;
    uint64_t second;
    if (a->tally[i]->outside)
        return 0;
    int why = s->bus->read(s->bus, &a->at[i], &second);
    if (why == 0 &&
        !bx_doubt_near(a->tally[i], a->values[i], second, bx_machine_time(s->machine) - now))
        return EBADMSG;
    if (why == 0)
        a->values[i] = second;
    return why;
}

/* A value that cannot be is read once more. Where that is no better the counter is out: what it
 * shows from now on would not be a count. */
static bool is_sure(struct bx_session *s, size_t i, uint64_t now)
{
    bx_active *a = &s->active;
    const char *doubt = NULL;
    int why = 0;
    for (unsigned look = 0; why == 0 && look < 2; look++) {
        if (look > 0)
            why = s->bus->read(s->bus, &a->at[i], &a->values[i]);
        if (why)
            break;
        a->values[i] = without_erratum(a->tally[i], a->values[i]);
        doubt = bx_doubt(a->tally[i], a->values[i], bx_machine_time(s->machine) - s->looked);
        why = doubt ? 0 : confirm(s, i, now);
        if (why == EBADMSG) {
            why = 0;
            doubt = "reads otherwise at every look";
        } else if (why == 0 && !doubt) {
            return true;
        }
    }
    if (why)
        bx_carry_failed(s, a->op[i], why);
    else
        bx_carry_doubted(s, a->op[i], doubt);
    take_out(a, i);
    return false;
}

static void read_warily(struct bx_session *s, struct times times, uint64_t now)
{
    bx_active *a = &s->active;
    fetch(s);
    for (size_t i = 0; i < a->n;) {
        if (is_sure(s, i, now)) {
            take(a->tally[i], a->values[i], times);
            i++;
        }
    }
}

void bx_count_collect(struct bx_session *s)
{
    uint64_t now = bx_machine_time(s->machine);
    const struct times times = {now - s->counted_to, now - s->began};
    if (s->wary)
        read_warily(s, times, now);
    else if (s->bus->read_many)
        read_together(s, times);
    else
        read_singly(s, times);
    s->looked = now;
    reach(s, now);
}

/* What free-running counters stand at is read twice where it is not sure: the second look tells
 * whether the first one can be true. */
void bx_count_prime(struct bx_session *s)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        s->tallies[i].fresh = s->tallies[i].free_running;
    bx_count_collect(s);
    for (size_t i = 0; i < s->schedule.n; i++)
        s->tallies[i].fresh = false;
    if (s->wary)
        bx_count_collect(s);
    for (size_t i = 0; i < s->active.n; i++) {
        if (s->active.tally[i]->free_running) {
            s->active.tally[i]->reading->count = 0;
            s->active.tally[i]->reading->overflowed = false;
        }
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
