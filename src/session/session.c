#include "session/session.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Cycles of a turn, unless the caller says: a share of the time that has passed. A program as short
 * as /bin/true, some 300,000 cycles, has 160 turns for its passes to share; a long one does not
 * spend its time on changing passes, which costs some fifty register accesses, though no virtual
 * time. */
enum { SHARE = 64, SHORTEST_TURN = 1000, LONGEST_TURN = 100000 };

/* ns of a turn on the host, where changing passes takes a millisecond or so. */
enum { SHORTEST_TURN_NS = 4000000, LONGEST_TURN_NS = 100000000 };

#define NEVER UINT64_MAX

static int out_of_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

/* Copies the events that the machine produces to the front, the others behind them: they take no
 * counter. origin[i]: where event i stood before. Returns how many are produced. */
static size_t sort_out(const bx_machine *m, const bx_evsel *events, size_t n, bx_evsel *to,
                       uint16_t *origin)
{
    size_t made = 0, produced = 0;
    for (int absent = 0; absent <= 1; absent++) {
        for (size_t i = 0; i < n; i++) {
            if (bx_machine_produces(m, &events[i]) == absent)
                continue;
            to[made] = events[i];
            origin[made++] = (uint16_t)i;
        }
        if (!absent)
            produced = made;
    }
    return produced;
}

/* `which`: the event among those that the caller gave; `event`: what it is. */
static void add_reading(struct bx_session *s, const bx_seat *seat, const bx_evsel *event,
                        uint16_t which, unsigned state)
{
    const struct bx_catalog *c = s->topology->catalog;
    s->readings[s->n++] = (bx_reading){
        .event = which,
        .package = seat->package,
        .unit = seat->unit,
        .port = (int16_t)bx_seat_port(c, seat),
        .state = (uint8_t)state,
        .scale = event->event == BX_NONE ? 1 : bx_cat_events(c)[event->event].scale,
    };
}

/* One reading for each seat, in the order of the caller's events. */
static bool make_readings(struct bx_session *s, const bx_schedule *absent, const uint16_t *origin,
                          size_t produced)
{
    const bx_evsel *not_produced = s->events + produced;
    const uint16_t *absent_origin = origin + produced;
    size_t n = s->schedule.n + absent->n;
    s->readings = calloc(n ? n : 1, sizeof *s->readings);
    if (!s->readings)
        return false;
    const bx_seat *seat = s->schedule.seats, *seats_end = seat + s->schedule.n;
    const bx_seat *other = absent->seats, *others_end = other + absent->n;
    while (seat < seats_end || other < others_end) {
        if (other == others_end ||
            (seat < seats_end && origin[seat->event] < absent_origin[other->event])) {
            s->tallies[seat - s->schedule.seats].reading = &s->readings[s->n];
            add_reading(s, seat, &s->events[seat->event], origin[seat->event], BX_NOT_MEASURED);
            seat++;
        } else {
            add_reading(s, other, &not_produced[other->event], absent_origin[other->event],
                        BX_NOT_MODELLED);
            other++;
        }
    }
    return true;
}

static int make(struct bx_session *s, const bx_evsel *events, size_t n, uint16_t *origin,
                bx_error *e)
{
    bx_schedule absent = {0};
    size_t produced = sort_out(s->machine, events, n, s->events, origin);
    int rc = bx_schedule_make(s->topology, s->events, produced, &s->schedule, e);
    if (rc == BX_OK)
        rc = bx_schedule_make(s->topology, s->events + produced, n - produced, &absent, e);
    if (rc == BX_OK)
        rc = bx_plan_make(s->topology, s->events, &s->schedule, s->interval, &s->plan, e);
    if (rc == BX_OK) {
        s->kept = calloc(s->plan.n ? s->plan.n : 1, 1);
        if (!s->kept || !bx_count_new(s) || !make_readings(s, &absent, origin, produced))
            rc = out_of_memory(e);
    }
    bx_schedule_free(&absent);
    return rc;
}

static void take_options(struct bx_session *s, const bx_session_options *given)
{
    bx_session_options o = {0};
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    s->turn = o.rotate;
    s->interval = o.interval;
    s->repeat = o.repeat;
    s->pass = o.repeat ? o.pass : 0;
}

static int check_pass(const struct bx_session *s, bx_error *e)
{
    if (s->pass >= s->schedule.passes)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no pass %u: the events take %u", s->pass,
                       s->schedule.passes);
    return BX_OK;
}

int bx_session_open(bx_machine *m, const bx_evsel *events, size_t n, const bx_session_options *o,
                    bx_session **s, bx_error *e)
{
    if (n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu events are too many", n);
    struct bx_session *made = calloc(1, sizeof *made);
    uint16_t *origin = calloc(n ? n : 1, sizeof *origin);
    if (made)
        made->events = calloc(n ? n : 1, sizeof *made->events);
    if (!made || !made->events || !origin) {
        free(origin);
        bx_session_close(made);
        return out_of_memory(e);
    }
    made->machine = m;
    made->bus = bx_machine_bus(m);
    made->topology = &m->topology;
    take_options(made, o);
    int rc = make(made, events, n, origin, e);
    if (rc == BX_OK)
        rc = check_pass(made, e);
    free(origin);
    if (rc != BX_OK) {
        bx_session_close(made);
        return rc;
    }
    bx_carry_bases(made);
    *s = made;
    return BX_OK;
}

unsigned bx_session_passes(const bx_session *s)
{
    return s->schedule.passes;
}

const bx_error *bx_session_trouble(const bx_session *s)
{
    return s->trouble.code ? &s->trouble : NULL;
}

static uint64_t turn_of(const struct bx_session *s)
{
    uint64_t share = (s->counted_to - s->began) / SHARE;
    if (s->turn)
        return s->turn;
    bool cycles = bx_machine_is_virtual(s->machine);
    uint64_t least = cycles ? SHORTEST_TURN : SHORTEST_TURN_NS;
    uint64_t most = cycles ? LONGEST_TURN : LONGEST_TURN_NS;
    return share < least ? least : share > most ? most : share;
}

static void begin_turn(struct bx_session *s)
{
    bx_count_activate(s);
    s->turn_ends = s->repeat || s->schedule.passes == 1 ? NEVER : s->counted_to + turn_of(s);
}

/* The next pass takes over. Nothing else stops meanwhile: a counter that is cut off and goes on
 * could see a rise that was none. */
static void rotate(struct bx_session *s)
{
    bx_carry(s, BX_STOP, false);
    bx_count_collect(s);
    s->pass = (s->pass + 1) % s->schedule.passes;
    bx_carry(s, BX_SETUP, false);
    bx_carry(s, BX_START, false);
    begin_turn(s);
}

static bool all_blocked(const struct bx_session *s)
{
    for (size_t i = 0; i < s->schedule.n; i++)
        if (!s->tallies[i].blocked)
            return false;
    return s->schedule.n > 0;
}

int bx_session_start(bx_session *s, bx_error *e)
{
    if (s->phase != BX_OPENED)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "a session starts once only");
    s->phase = BX_RUNNING;
    bx_carry_save(s);
    bx_carry(s, BX_SETUP, true);
    bx_carry(s, BX_START, true);
    s->began = s->counted_to = bx_machine_now(s->machine);
    begin_turn(s);
    bx_count_prime(s);
    for (size_t i = 0; i < s->active.n; i++)
        s->active.tally[i]->reading->state = BX_COUNTED;
    if (!all_blocked(s))
        return BX_OK;
    bx_session_stop(s, NULL);
    if (e && e->code == BX_OK)
        *e = s->trouble;
    return s->trouble.code;
}

static int not_running(bx_error *e)
{
    return bx_fail(e, BX_BAD_INPUT, 0, 0, "the session does not run");
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int bx_session_run(bx_session *s, uint64_t until, bool *done, bx_error *e)
{
    if (s->phase != BX_RUNNING)
        return not_running(e);
    bool all = false;
    uint64_t now = bx_machine_now(s->machine);
    while (!all && now < until) {
        uint64_t next = earliest(until, earliest(s->turn_ends, s->must_read));
        int rc = bx_machine_run(s->machine, next, &all, e);
        if (rc != BX_OK)
            return rc;
        now = bx_machine_now(s->machine);
        if (now >= s->turn_ends)
            rotate(s);
        else if (now >= s->must_read)
            bx_count_collect(s);
    }
    *done = all;
    return BX_OK;
}

int bx_session_sample(bx_session *s, bx_error *e)
{
    if (s->phase != BX_RUNNING)
        return not_running(e);
    bx_count_collect(s);
    bx_count_settle(s);
    return BX_OK;
}

int bx_session_stop(bx_session *s, bx_error *e)
{
    if (s->phase != BX_RUNNING)
        return not_running(e);
    s->phase = BX_STOPPED;
    bx_carry(s, BX_STOP, true);
    bx_count_collect(s);
    bx_count_settle(s);
    return bx_carry_restore(s, e);
}

const bx_reading *bx_session_readings(const bx_session *s, size_t *n)
{
    *n = s->n;
    return s->readings;
}

double bx_reading_value(const bx_reading *r)
{
    double count = (double)r->count * (r->scale ? r->scale : 1);
    if (r->state == BX_COUNTED)
        return count;
    if (r->state == BX_SCALED)
        return count * (double)r->enabled / (double)r->running;
    return 0;
}

void bx_session_close(bx_session *s)
{
    if (!s)
        return;
    if (s->phase == BX_RUNNING)
        bx_session_stop(s, NULL);
    bx_count_free(s);
    bx_schedule_free(&s->schedule);
    bx_plan_free(&s->plan);
    free(s->events);
    free(s->kept);
    free(s->readings);
    free(s);
}
