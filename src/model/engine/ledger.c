/* The cycles of a core, by who spends them. A core may go back, so its waits are kept until they
 * are final. Its accesses have their cost with them. */
#include "model/engine/ledger.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WAITS = 256 };

#define NO_USE (BX_ACCESS_REMARK | BX_ACCESS_STEER | BX_ACCESS_PREFETCH | (UINT64_C(1) << 61))

const bx_who bx_who_workload = {.code = BX_CODE_WORKLOAD};

/* ---- what is spent ---- */

/* Whole ticks of the core's clock; the parts of all rows add up. */
static __attribute__((noinline)) void keep_cycles(struct bx_ledger *l, uint64_t by, uint32_t object,
                                                  enum bx_cause cause, uint64_t cycles,
                                                  uint64_t chained)
{
    struct bx_attribution *a = l->of;
    uint64_t parts = cycles * a->core_clock.n + l->parts, ticks = parts / a->core_clock.d;
    uint64_t of_chains = chained * a->core_clock.n / a->core_clock.d;

    l->parts = parts % a->core_clock.d;
    bx_costs_add(&a->costs,
                 (bx_cost_key){.code = (uint32_t)by,
                               .context = (uint32_t)(by >> 32),
                               .object = object,
                               .thread = l->thread,
                               .event = (uint16_t)(a->events + cause),
                               .core = l->core,
                               .span = a->span},
                 ticks, chained == cycles || of_chains > ticks ? ticks : of_chains);
}

static inline uint64_t spent_by(const bx_who *who)
{
    return (uint64_t)who->context << 32 | who->code;
}

static inline size_t place_of(uint64_t by)
{
    return (size_t)(by * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BX_LEDGER_SPENT_BITS));
}

static void keep_issued(struct bx_ledger *l, struct bx_ledger_issued *of)
{
    if (of->sixteenths)
        keep_cycles(l, of->by, 0, BX_ISSUE, of->sixteenths / 16, 0);
    of->sixteenths = 0;
}

static __attribute__((noinline)) void issue_anew(struct bx_ledger *l, uint64_t by,
                                                 uint64_t sixteenths)
{
    struct bx_ledger_issued *of = &l->issued[place_of(by)];

    keep_issued(l, of);
    *of = (struct bx_ledger_issued){by, sixteenths};
}

static inline void issue(struct bx_ledger *l, const bx_who *who, uint64_t sixteenths)
{
    uint64_t by = spent_by(who);
    struct bx_ledger_issued *of = &l->issued[place_of(by)];

    if (__builtin_expect(of->by == by, 1))
        of->sixteenths += sixteenths;
    else
        issue_anew(l, by, sixteenths);
}

static void spend(struct bx_ledger *l, const bx_who *who, enum bx_cause cause, uint64_t cycles,
                  bool chained)
{
    uint64_t by = spent_by(who);
    size_t place = place_of(by) ^ who->object ^ (unsigned)cause << 7;
    struct bx_ledger_spent *of = &l->spent[place % BX_LEDGER_SPENT];

    if (cause == BX_ISSUE) { /* it has no object */
        issue(l, who, 16 * cycles);
    } else if (of->by == by && of->object == who->object && of->cause == cause) {
        of->cycles += cycles;
        of->chained += chained ? cycles : 0;
    } else {
        if (of->cycles)
            keep_cycles(l, of->by, of->object, of->cause, of->cycles, of->chained);
        *of = (struct bx_ledger_spent){by, cycles, chained ? cycles : 0, who->object, cause};
    }
}

void bx_ledger_spend(struct bx_ledger *l, enum bx_cause cause, uint64_t cycles)
{
    l->has_spent = true;
    spend(l, &l->last, cause, cycles, false);
}

void bx_ledger_keep_spent(struct bx_ledger *l)
{
    for (size_t i = 0; i < BX_LEDGER_SPENT && l->has_spent; i++) {
        struct bx_ledger_spent *spent = &l->spent[i];
        keep_issued(l, &l->issued[i]);
        if (spent->cycles)
            keep_cycles(l, spent->by, spent->object, spent->cause, spent->cycles, spent->chained);
        spent->cycles = spent->chained = 0;
    }
    l->has_spent = false;
}

void bx_ledger_run(struct bx_ledger *l, uint32_t thread)
{
    if (thread != l->thread)
        bx_ledger_keep_spent(l);
    l->thread = thread;
}

/* ---- chains ---- */

/* A load whose value is the address of a later one, which cannot begin before. */
static bool is_awaited(bx_access a)
{
    return bx_access_kind_of(a) == BX_LOAD && a & BX_ACCESS_DEPENDENT && !(a & BX_ACCESS_AUXILIARY);
}

static bool waits_for_data(enum bx_cause cause)
{
    return cause != BX_ISSUE && cause != BX_WAIT_TLB && cause != BX_WAIT_KERNEL;
}

/* Whether a wait of such a load is part of a chain: the load has jumped, since it is neither in its
 * last line or a neighbour of that, nor as far from there as the last time. */
static bool is_chained(struct bx_ledger *l, const bx_ledger_wait *w)
{
    enum { NEAR = 128 };
    if (!w->awaited || !w->who.address || !waits_for_data(w->cause))
        return false;
    struct bx_ledger_load *last = &l->load[w->who.code % BX_LEDGER_LOADS];
    uint64_t step = w->who.address - last->address;
    bool jumps = last->code == w->who.code && step + NEAR > 2 * NEAR && step != last->step;
    *last =
        (struct bx_ledger_load){w->who.address, last->code == w->who.code ? step : 0, w->who.code};
    return jumps;
}

/* ---- waits ---- */

static void add_wait_of(struct bx_ledger *l, const bx_who *who, enum bx_cause cause,
                        uint64_t cycles, bool awaited)
{
    if (l->n == l->room) {
        bx_ledger_wait *waits = bx_grow(l->wait, l->n, &l->room, sizeof *waits, FIRST_WAITS);
        if (!waits) {
            l->of->costs.failed = true;
            return;
        }
        l->wait = waits;
    }
    l->wait[l->n++] = (bx_ledger_wait){*who, (uint32_t)cycles, (uint16_t)cause, awaited};
}

void bx_ledger_wait_for(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        enum bx_cause cause, uint64_t cycles)
{
    if (cycles)
        add_wait_of(l, bx_who_made(feed, at), cause, cycles, is_awaited(*at));
}

void bx_ledger_wait_for_late(struct bx_ledger *l, unsigned place, enum bx_cause cause,
                             uint64_t cycles)
{
    add_wait_of(l, &l->late[place % BX_FILL_BUFFERS_MOST], cause, cycles, false);
}

void bx_ledger_add_late(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        unsigned place)
{
    l->late[place % BX_FILL_BUFFERS_MOST] = *bx_who_made(feed, at);
}

/* ---- stores ---- */

static inline bool is_store(bx_access a)
{
    return bx_access_kind_of(a) == BX_STORE;
}

bool bx_ledger_last_store(const struct bx_ledger *l, const bx_feed *feed, uint64_t line,
                          bx_last_store *to)
{
    for (const bx_access *at = feed && feed->who ? feed->next : l->from; at > l->from;)
        if (is_store(*--at) && bx_access_line(*at) == line) {
            const bx_who *who = bx_who_made(feed, at);
            *to =
                (bx_last_store){line + 1, who->address, who->code, who->object, l->thread, l->core};
            return who->address;
        }
    const bx_last_store *found = bx_last_stores_find(&l->stores, line);
    if (found)
        *to = *found;
    return found;
}

void bx_ledger_get_line(struct bx_ledger *l, const bx_feed *feed, const bx_access *at)
{
    bx_ledger_settle(l, feed, at);
    bx_last_stores_forget(&l->stores, bx_access_line(*at));
}

/* ---- use of objects ---- */

static __attribute__((noinline)) bool make_room_for_use(struct bx_attribution *a, uint32_t object)
{
    size_t uses = object < 512 ? 1024 : 2 * (size_t)object;
    bx_object_use *use = realloc(a->use, uses * sizeof *use);
    a->costs.failed |= !use;
    if (!use)
        return false;
    memset(use + a->uses, 0, (uses - a->uses) * sizeof *use);
    a->use = use;
    a->uses = uses;
    return true;
}

/* Of a load or store with an object. Of accesses that are not an instruction's, those of a kernel
 * count, which page walks are not. The load of a locked operation is a store that is waited for. */
static inline void note_use(struct bx_attribution *a, const bx_who *who, bx_access access)
{
    unsigned kind = bx_access_kind_of(access);
    const bx_access walk = BX_ACCESS_AUXILIARY | BX_ACCESS_DEPENDENT;
    if (__builtin_expect(access & NO_USE, 0) || (access & walk) == walk)
        return;
    if (__builtin_expect(who->object >= a->uses, 0) && !make_room_for_use(a, who->object))
        return;
    bx_object_use *use = &a->use[who->object];
    if (kind == BX_LOAD)
        use->loads++;
    else
        use->stores++;
    if (kind == BX_STORE && access & BX_ACCESS_DEPENDENT)
        use->loads++;
}

void bx_ledger_use(struct bx_attribution *a, const bx_who *who, bx_access access)
{
    if (who->object && bx_access_kind_of(access) != BX_FETCH)
        note_use(a, who, access);
}

/* ---- what is final ---- */

static void settle_program(struct bx_ledger *l, const bx_who *who, const bx_access *next)
{
    for (const bx_access *at = l->from; at < next; at++, who++) {
        const bx_access a = *at;
        const uint64_t sixteenths = a & BX_ACCESS_COST_MAX << 4;
        if (sixteenths)
            issue(l, who, sixteenths);
        if (who->object && bx_access_kind_of(a) != BX_FETCH)
            note_use(l->of, who, a);
        if (is_store(a))
            bx_last_stores_note(&l->stores, bx_access_line(a), who->address, who->code, who->object,
                                l->thread, l->core);
    }
}

static void settle_workload(struct bx_ledger *l, const bx_access *next)
{
    uint64_t cycles = 0;

    for (const bx_access *at = l->from; at < next; at++)
        cycles += bx_access_cost(*at);
    issue(l, &bx_who_workload, 16 * cycles);
}

void bx_ledger_settle(struct bx_ledger *l, const bx_feed *feed, const bx_access *next)
{
    for (const bx_ledger_wait *w = l->wait, *end = w + l->n; w < end; w++)
        spend(l, &w->who, w->cause, w->cycles, is_chained(l, w));
    l->has_spent |= l->n || next > l->from;
    l->n = 0;
    if (next <= l->from)
        return;
    const bx_who *who = feed->who ? feed->who + (l->from - feed->origin) : NULL;
    if (!who)
        settle_workload(l, next);
    else
        settle_program(l, who, next);
    l->last = *bx_who_made(feed, next - 1);
    l->from = next;
}

void bx_ledger_begin_batch(struct bx_ledger *l, const bx_feed *feed)
{
    bx_ledger_run(l, feed->thread);
    l->from = feed->next;
}

void bx_ledger_end(struct bx_ledger *l, uint64_t t, uint64_t until)
{
    l->ended = t;
    l->until = until;
}

void bx_ledger_drain(struct bx_ledger *l, uint64_t t)
{
    uint64_t to = t < l->until ? t : l->until;

    if (to <= l->ended)
        return;
    bx_ledger_spend(l, BX_WAIT_END, to - l->ended);
    l->ended = to;
}
