/* What a core counts: what its instructions do, where its lines come from, its unhalted cycles. */
#include "model/engine/core_counts.h"

#include "model/engine/awake.h"
#include <string.h>

_Static_assert((int)BX_LOAD == 0 && (int)BX_STORE == 1 && (int)BX_FETCH == 2,
               "counts by kind stand in this order");

/* ---- what retires ---- */

/* Adds the retirements of each row of the table to `count`. */
static void fold(struct bx_core_counts *c)
{
    for (uint32_t i = 0; i < c->room && !c->folded; i++) {
        if (!c->times[i])
            continue;
        const bx_retired *what = bx_retired_table_at(c->retired, i);
        for (unsigned n = 0; n < BX_RETIRED_COUNTS; n++)
            c->count[n] += (uint64_t)what->n[n] * c->times[i];
        for (unsigned n = 0; n < BX_BRANCH_MISSES; n++)
            c->missed[n] += (uint64_t)what->n[BX_RETIRED_MISSES + n] * c->times[i];
        c->times[i] = 0;
    }
    c->folded = true;
}

static bool make_room_for_cores(struct bx_core_counts *c, bx_arena *memory, uint32_t n)
{
    if (n <= c->room)
        return true;
    uint32_t room = n > 2 * c->room ? n : 2 * c->room;
    uint64_t *times = bx_arena_get(memory, room * sizeof *times);
    if (!times)
        return false;
    if (c->room)
        memcpy(times, c->times, c->room * sizeof *times);
    c->times = times;
    c->room = room;
    return true;
}

bool bx_core_counts_begin_batch(struct bx_core_counts *c, bx_arena *memory, const bx_feed *feed)
{
    c->added = feed->next;
    if (!feed->retired)
        return true;
    if (feed->retired != c->retired) {
        fold(c);
        c->retired = feed->retired;
    }
    return make_room_for_cores(c, memory, feed->retired_n);
}

#define NOT_AN_INSTRUCTION                                                                         \
    (BX_ACCESS_AUXILIARY | BX_ACCESS_PREFETCH | BX_ACCESS_STEER |                                  \
     (BX_ACCESS_LOCK & ~(bx_access)BX_NON_TEMPORAL))

/* Adds accesses of a built-in workload. All but NOT_AN_INSTRUCTION are instructions. */
static void add_accesses(struct bx_core_counts *c, const bx_access *end)
{
    uint64_t of_kind[4] = {0};
    for (const bx_access *a = c->added; a < end; a++)
        of_kind[bx_access_instruction(*a)] += !(*a & NOT_AN_INSTRUCTION);
    for (unsigned kind = 0; kind < 4; kind++)
        c->count[BX_RETIRED_INSTRUCTIONS] += of_kind[kind];
    c->count[BX_RETIRED_LOADS] += of_kind[BX_LOAD];
    c->count[BX_RETIRED_STORES] += of_kind[BX_STORE] + of_kind[BX_NON_TEMPORAL];
    c->count[BX_RETIRED_NON_TEMPORAL] += of_kind[BX_NON_TEMPORAL];
    c->added = end;
}

void bx_core_counts_retire(struct bx_core_counts *c, bx_feed *feed)
{
    const bx_retirement *r = feed->retirement;

    if (feed->each_retires)
        add_accesses(c, feed->next);
    if (!r || feed->retired_n > c->room) /* out of memory */
        return;
    uint32_t done = (uint32_t)(feed->next - feed->origin);
    for (; r < feed->retirement_end && r->before <= done; r++)
        c->times[r->what]++;
    c->folded &= r == feed->retirement;
    feed->retirement = r;
}

uint64_t bx_core_counts_sum(struct bx_core_counts *c, uint64_t plus, uint64_t minus)
{
    uint64_t sum = 0;

    if (bx_core_counts_retiring(plus | minus))
        fold(c);
    for (uint64_t set = plus; set; set &= set - 1)
        sum += c->count[__builtin_ctzll(set)];
    for (uint64_t set = minus; set; set &= set - 1)
        sum -= c->count[__builtin_ctzll(set)];
    return sum;
}

uint64_t bx_core_counts_missed(struct bx_core_counts *c, uint64_t of)
{
    uint64_t sum = 0;

    fold(c);
    for (; of; of &= of - 1)
        sum += c->missed[__builtin_ctzll(of)];
    return sum;
}

/* ---- cycles ---- */

static inline void set_awake(struct bx_core_counts *c, uint64_t t, bool awake)
{
    if (c->awake)
        bx_awake_set(c->awake, c->number, t, awake);
}

void bx_core_counts_run(struct bx_core_counts *c, uint64_t t)
{
    if (c->runs)
        return;
    c->runs = true;
    c->since = t;
    c->unhalted -= c->until > t ? c->until - t : 0;
    set_awake(c, c->until > t ? c->until : t, true);
}

void bx_core_counts_halt(struct bx_core_counts *c, uint64_t t)
{
    fold(c); /* the table may be freed after this */
    if (!c->runs)
        return;
    c->runs = false;
    c->until = t > c->since ? t : c->since;
    c->unhalted += c->until - c->since;
    set_awake(c, c->until, false);
}

void bx_core_counts_pause(struct bx_core_counts *c, uint64_t t, uint64_t cycles)
{
    if (!c->runs)
        return;
    bx_core_waits_end(&c->waits, t);
    if (c->since < t) {
        c->unhalted += t - c->since;
        c->since = t;
    }
    set_awake(c, c->since, false);
    c->since += cycles;
    set_awake(c, c->since, true);
}

void bx_core_counts_interrupt(struct bx_core_counts *c, uint64_t t, uint64_t n)
{
    if (c->runs || c->until > t)
        return;
    bx_core_counts_run(c, t);
    c->count[BX_RETIRED_INSTRUCTIONS] += n;
    bx_core_counts_halt(c, t + n);
}

uint64_t bx_core_counts_unhalted(const struct bx_core_counts *c, uint64_t now)
{
    if (c->runs)
        return c->unhalted + (now > c->since ? now - c->since : 0);
    return c->unhalted - (c->until > now ? c->until - now : 0);
}
