/* Implements sums.h. */
#include "nhmex/sums.h"

#include <stdlib.h>

void sum_add(struct sum *s, uint64_t begin, uint64_t end, unsigned amount)
{
    if (begin >= end || begin >= s->cycles)
        return;
    s->level[begin] += (int32_t)amount;
    if (end < s->cycles)
        s->level[end] -= (int32_t)amount;
}

void sum_at(struct sum *s, uint64_t t, unsigned amount)
{
    sum_add(s, t, t + 1, amount);
}

void sum_add_up(struct sum *s)
{
    for (size_t t = 1; t < s->cycles; t++)
        s->level[t] += s->level[t - 1];
}

/* Sets 1 in the cycles that reach the level. */
void sum_reach(struct sum *s, int32_t level)
{
    sum_add_up(s);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = s->level[t] >= level;
}

/* ---- parts of sums ---- */

void sum_instants(struct sum *s, const struct instants *counts, unsigned code, unsigned umask)
{
    for (size_t i = 0; i < counts->n; i++)
        if (counts->instant[i].code == code && counts->instant[i].bit & umask)
            sum_at(s, counts->instant[i].time, counts->instant[i].amount);
}

void sum_inserts(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        sum_at(s, r->entry[i].counted, 1);
}

void sum_bypasses(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->entry[i].bypassed)
            sum_at(s, r->entry[i].counted, 1);
}

void sum_occupancy(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        sum_add(s, r->entry[i].begin, r->entry[i].end, 1);
}

void sum_waiting(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        sum_add(s, r->entry[i].arrival, r->entry[i].begin, 1);
}

void sum_starving(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        sum_add(s, r->entry[i].arrival + s->oracle->times.starving, r->entry[i].begin, 1);
}

/* Adds, for each of the resources, 1 in the cycles in which the part is not 0. */
void sum_cycles_of(struct sum *s, part *which, const struct resource *r)
{
    struct sum one = {calloc(s->cycles + 1, sizeof *one.level), s->cycles, s->oracle};

    if (one.level == NULL)
        abort();
    which(&one, r);
    sum_reach(&one, 1);
    for (size_t t = 0; t < s->cycles; t++)
        if (one.level[t])
            sum_at(s, t, 1);
    free(one.level);
}

/* One queue, or several, which are full if all of them are full. */
static void queues(struct sum *s, enum measure measure, const struct resource *const *queue,
                   unsigned n)
{
    int32_t capacity = 0;

    for (unsigned i = 0; i < n; i++) {
        sum_occupancy(s, queue[i]);
        capacity += (int32_t)queue[i]->capacity;
    }
    if (measure == CYCLES_FULL)
        sum_reach(s, capacity);
    if (measure == CYCLES_NE)
        sum_reach(s, 1);
}

/* Converts finished levels to differences. */
void sum_finished(struct sum *s)
{
    for (size_t t = s->cycles; t-- > 1;)
        s->level[t] -= s->level[t - 1];
}

void sum_queue_event(struct sum *s, enum measure measure, const struct resource *const *queue,
                     unsigned n)
{
    queues(s, measure, queue, n);
    if (measure != OCCUPANCY)
        sum_finished(s);
}

void sum_queue_of(struct sum *s, enum measure measure, const struct resource *queue)
{
    sum_queue_event(s, measure, &queue, 1);
}

static bool matches(struct nhmex_field f, uint64_t value)
{
    return ((f.value ^ value) & f.mask) == 0;
}

static uint64_t home_of(const struct nhmex_oracle *o, const struct packet *p)
{
    return p->of_device ? IOH : nhmex_home_package(o, p->line);
}

void sum_packets(struct sum *s, const struct instants *of, unsigned code, unsigned bits,
                 const struct nhmex_pattern *p)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct packet *is = &of->instant[i].packet;
        if (of->instant[i].code == code && of->instant[i].bit & bits &&
            matches(p->class, is->class) && matches(p->opcode, is->opcode) &&
            matches(p->state, is->state) && matches(p->from, is->from) && matches(p->to, is->to) &&
            matches(p->line, is->line) && matches(p->home, home_of(s->oracle, is)))
            sum_at(s, of->instant[i].time, p->every_flit ? is->flits : 1);
    }
}

/* Cycles in which an entry waits for one of the resources. */
void sum_no_credit(struct sum *s, const struct resource *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sum_waiting(s, &r[i]);
    sum_reach(s, 1);
    sum_finished(s);
}

void sum_arrivals(struct sum *s, const struct instants *of)
{
    for (size_t i = 0; i < of->n; i++)
        sum_at(s, of->instant[i].time, 1);
    sum_reach(s, 1);
    sum_finished(s);
}

void sum_idle(struct sum *s, const struct resource *link)
{
    sum_occupancy(s, link);
    sum_add_up(s);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = s->level[t] == 0;
    sum_finished(s);
}
