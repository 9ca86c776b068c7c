#include "session/session.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

/* Most that one cycle adds to a counter whose event does not say: the model has so many agents, each of
 * which starts one access a cycle at most. */
enum { MOST_A_CYCLE = BX_AGENTS };

static bx_tally tally_of(const struct bx_session *s, const bx_seat *seat)
{
    const struct bx_catalog *c = s->topology->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[seat->counter];
    const bx_evsel *event = &s->events[seat->event];
    uint64_t most = event->event == BX_NONE ? 0 : bx_cat_events(c)[event->event].max;
    uint64_t mask = bx_mask_width(counter->width);
    return (bx_tally){
        .mask = mask,
        .patience = mask / (most ? most : MOST_A_CYCLE),
        .shift = bx_cat_fields(c)[counter->value_field].lo,
        .free_running = counter->flags & BX_COUNTER_FREE,
        .takes_turns = seat->passes > 1,
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

/* When the counters must be read next. */
static void be_patient(struct bx_session *s)
{
    uint64_t least = UINT64_MAX - s->counted_to;
    for (size_t i = 0; i < s->active.n; i++)
        if (s->active.tally[i]->patience < least)
            least = s->active.tally[i]->patience;
    s->must_read = s->counted_to + least;
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
            tally->last = 0; /* the set-up cleared it; others go on from where they were */
        a->at[a->n] = reads[i].at;
        a->op[a->n] = &reads[i];
        a->tally[a->n++] = tally;
    }
    be_patient(s);
}

static void deactivate(bx_active *a, size_t i)
{
    size_t behind = a->n - i - 1;
    memmove(&a->at[i], &a->at[i + 1], behind * sizeof a->at[0]);
    memmove(&a->op[i], &a->op[i + 1], behind * sizeof a->op[0]);
    memmove(&a->tally[i], &a->tally[i + 1], behind * sizeof a->tally[0]);
    a->n--;
}

static size_t read_from(const struct bx_session *s, size_t from, int *why)
{
    struct bx_bus *bus = s->bus;
    const bx_active *a = &s->active;
    if (bus->read_many)
        return bus->read_many(bus, &a->at[from], &a->values[from], a->n - from, why);
    size_t i = from;
    while (i < a->n && (*why = bus->read(bus, &a->at[i], &a->values[i])) == 0)
        i++;
    return i - from;
}

/* Reads all active counters into a->values; those that cannot be read drop out. */
static void read_active(struct bx_session *s)
{
    for (size_t i = 0; i < s->active.n;) {
        int why = 0;
        i += read_from(s, i, &why);
        if (i < s->active.n) {
            bx_carry_failed(s, s->active.op[i], why);
            deactivate(&s->active, i);
        }
    }
}

void bx_count_prime(struct bx_session *s)
{
    read_active(s);
    for (size_t i = 0; i < s->active.n; i++) {
        bx_tally *t = s->active.tally[i];
        if (t->free_running)
            t->last = s->active.values[i] >> t->shift & t->mask;
    }
}

void bx_count_collect(struct bx_session *s)
{
    uint64_t now = bx_machine_now(s->machine), passed = now - s->counted_to;
    read_active(s);
    for (size_t i = 0; i < s->active.n; i++) {
        bx_tally *t = s->active.tally[i];
        bx_reading *r = t->reading;
        uint64_t value = s->active.values[i] >> t->shift & t->mask;
        r->count += (value - t->last) & t->mask;
        r->overflowed |= value < t->last;
        r->running += passed;
        t->last = value;
    }
    s->counted_to = now;
    be_patient(s);
}

void bx_count_settle(struct bx_session *s)
{
    uint64_t enabled = s->counted_to - s->began;
    for (size_t i = 0; i < s->n; i++) {
        bx_reading *r = &s->readings[i];
        if (r->state == BX_BLOCKED || r->state == BX_NOT_MODELLED)
            continue;
        r->enabled = enabled;
        if (r->running < enabled)
            r->state = r->running ? BX_SCALED : BX_NOT_MEASURED;
        else if (enabled)
            r->state = BX_COUNTED;
    }
}
