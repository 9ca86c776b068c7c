/* Adds up the time in which reads wait at a memory channel. */
#include "model/machine/ivbep/waiting.h"

#include <stdlib.h>
#include <string.h>

void bx_ivbep_waiting_free(struct bx_ivbep_waiting *w)
{
    free(w->stretch);
}

static bx_dram_time time_of(uint64_t cycle)
{
    return cycle << BX_DRAM_TIME_BITS;
}

/* Cycles, or clocks of the memory, that begin before t. */
static uint64_t before(const struct bx_dram *dram, bool in_cycles, bx_dram_time t)
{
    return in_cycles ? bx_dram_cycles(t) : bx_dram_clocks_before(dram, t);
}

/* Adds stretches that have ended to the sums and drops them. New ones never begin before the
 * present. */
static void drop_ended(struct bx_ivbep_waiting *w, const struct bx_dram *dram, bx_dram_time now)
{
    unsigned ended = 0;

    for (; ended < w->n && w->stretch[ended].end <= now; ended++) {
        const struct bx_ivbep_wait *s = &w->stretch[ended];
        w->clocks += before(dram, false, s->end) - before(dram, false, s->begin);
        w->cycles += before(dram, true, s->end) - before(dram, true, s->begin);
    }
    if (!ended)
        return;
    w->n -= ended;
    memmove(w->stretch, w->stretch + ended, w->n * sizeof *w->stretch);
}

static bool make_room(struct bx_ivbep_waiting *w)
{
    if (w->n < w->room)
        return true;
    unsigned room = w->room ? 2 * w->room : 16;
    struct bx_ivbep_wait *more = realloc(w->stretch, room * sizeof *more);
    if (!more)
        return false;
    w->stretch = more;
    w->room = room;
    return true;
}

/* Inserts a stretch. Stretches that it touches are merged with it. */
static void put(struct bx_ivbep_waiting *w, struct bx_ivbep_wait wait)
{
    unsigned behind = w->n, at;

    while (behind > 0 && w->stretch[behind - 1].begin > wait.end)
        behind--;
    for (at = behind; at > 0 && w->stretch[at - 1].end >= wait.begin; at--) {
        const struct bx_ivbep_wait *s = &w->stretch[at - 1];
        wait.begin = s->begin < wait.begin ? s->begin : wait.begin;
        wait.end = s->end > wait.end ? s->end : wait.end;
    }
    memmove(&w->stretch[at + 1], &w->stretch[behind], (w->n - behind) * sizeof wait);
    w->stretch[at] = wait;
    w->n = w->n - (behind - at) + 1;
}

void bx_ivbep_waiting_put(struct bx_ivbep_waiting *w, struct bx_model *m,
                          const struct bx_dram *dram, struct bx_ivbep_wait wait)
{
    if (wait.end <= wait.begin)
        return;
    drop_ended(w, dram, time_of(m->time.now));
    if (make_room(w))
        put(w, wait);
    else
        m->out_of_memory = true;
}

uint64_t bx_ivbep_waited(const struct bx_ivbep_waiting *w, const struct bx_dram *dram,
                         bool in_cycles, uint64_t now)
{
    uint64_t sum = in_cycles ? w->cycles : w->clocks;
    bx_dram_time present = time_of(now);

    for (unsigned i = 0; i < w->n && w->stretch[i].begin < present; i++) {
        const struct bx_ivbep_wait *s = &w->stretch[i];
        bx_dram_time end = s->end < present ? s->end : present;
        sum += before(dram, in_cycles, end) - before(dram, in_cycles, s->begin);
    }
    return sum;
}

bool bx_ivbep_waits(const struct bx_ivbep_waiting *w, const struct bx_dram *dram, bool in_cycles,
                    uint64_t now)
{
    uint64_t next = before(dram, in_cycles, time_of(now)); /* the first from `now` on */
    bool waits = false;

    if (before(dram, in_cycles, time_of(now + 1)) == next)
        return false;
    for (unsigned i = 0; i < w->n; i++)
        waits |= before(dram, in_cycles, w->stretch[i].begin) <= next &&
                 before(dram, in_cycles, w->stretch[i].end) > next;
    return waits;
}
