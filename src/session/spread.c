/* How much the counts of an event differ from one turn to the next, and the error of a scaled value
 * that follows from it. docs/explanation/multiplexing.md has the reasoning. */
#include "session/estimate.h"

#include "metric/student.h"
#include "session/spread.h"

#include <math.h>

/* ---- from turn to turn ---- */

static bool count_together(const bx_assignment *a, const bx_assignment *b)
{
    return a->event == b->event && a->passes == b->passes && a->pass == b->pass;
}

void bx_spread_find(bx_samples *samples, const bx_programme *p)
{
    const bx_assignment *all = p->schedule.assignments;
    for (size_t i = 0, event = 0; i < p->schedule.n; i++) { /* assignments are sorted by event */
        event = all[i].event == all[event].event ? event : i;
        size_t first = event;
        while (!count_together(&all[first], &all[i]))
            first++;
        samples->states[i].first = &samples->states[first];
    }
}

/* The square of the difference of two turns' rates, times the product of their lengths. If counts
 * come at random, a turn's variance is proportional to its length, and the result to the sum of
 * both lengths. */
static double square_of(const struct bx_turn *a, const struct bx_turn *b)
{
    double difference = a->count * b->time - b->count * a->time;
    return difference / (a->time * b->time) * difference;
}

static void add_turn(bx_spread *to, struct bx_turn before[2], const struct bx_turn *now)
{
    if (!(now->time > 0))
        return;
    if (to->turns > 0) {
        to->near_squares += square_of(now, &before[0]);
        to->near_lengths += (now->time + before[0].time) / 2;
    }
    if (to->turns > 1) {
        to->far_squares += square_of(now, &before[1]);
        to->far_lengths += (now->time + before[1].time) / 2;
    }
    to->turns++;
    to->counted += now->count > 0;
    before[1] = before[0];
    before[0] = *now;
}

void bx_spread_end_turn(bx_samples *samples, const bx_programme *p)
{
    for (size_t i = 0; i < samples->active.n; i++) {
        bx_counter_state *t = samples->active.counter_state[i];
        if (!t->multiplexed)
            continue;
        const struct bx_turn turn = {(double)t->reading->count - t->begun.count,
                                     (double)t->reading->running - t->begun.time};
        add_turn(&t->reading->spread, t->before, &turn);
        t->first->together.count += turn.count;
        t->first->together.time = turn.time;
    }
    for (size_t i = 0; i < p->schedule.n; i++) {
        bx_counter_state *t = &samples->states[i];
        if (t->together.time > 0)
            add_turn(&t->reading->together, t->before_together, &t->together);
        t->together = (struct bx_turn){0};
    }
}

/* ---- the error ---- */

/* The variance of counts within a round, per unit of a turn's length. Consecutive turns are about
 * one round apart, so they also differ because the work changes. Within a round, two times are a
 * third of a round apart on average. So the variance is extrapolated to that distance, from the
 * differences at one and at two rounds. The result is at least three fifths of the value at one
 * round, since all are estimates. */
static double variance_within(const bx_spread *d)
{
    double near = d->near_squares / d->near_lengths / 2;
    double far = d->far_squares / d->far_lengths / 2;
    double within = near - (far - near) * 2 / 3;
    double least = near * 3 / 5;
    return within > least ? within : least;
}

/* The counted part is exact. The part that was not counted is estimated from it. */
static double error_of(const bx_reading *r, const bx_spread *d)
{
    if (r->state == BX_COUNTED)
        return 0;
    if (r->state != BX_SCALED || d->counted < BX_FEWEST_TURNS || !r->running)
        return -1;
    double enabled = (double)r->enabled, running = (double)r->running;
    double variance = variance_within(d) * enabled * (enabled / running) * (1 - running / enabled);
    double degrees = 2 * ((double)d->counted - 1) / 3; /* consecutive differences share a turn */
    return bx_student_quantile(0.05, degrees) * sqrt(variance) * (r->scale ? r->scale : 1);
}

double bx_reading_error(const bx_reading *r)
{
    if (!r)
        return -1;
    return error_of(r, &r->spread);
}

double bx_reading_error_together(const bx_reading *r)
{
    return error_of(r, &r->together);
}
