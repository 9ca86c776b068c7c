/* The cycles of a core, by who spends them. A core may go back, so its waits are kept until they
 * are final. Its accesses have their cost with them. */
#include "model/engine/ledger.h"

#include "base/grow.h"

enum { FIRST_WAITS = 256 };

bx_who bx_who_made(const bx_feed *feed, const bx_access *at)
{
    return feed->who ? feed->who[at - feed->origin] : (bx_who){.code = BX_CODE_WORKLOAD};
}

/* Whole ticks of the core's clock; the parts of all rows add up. */
static void add_cycles(struct bx_ledger *l, bx_who who, enum bx_cause cause, uint64_t cycles)
{
    struct bx_attribution *a = l->of;
    uint64_t parts = cycles * a->core_clock.n + l->parts;

    l->parts = parts % a->core_clock.d;
    bx_costs_add(&a->costs,
                 (bx_cost_key){.code = who.code,
                               .context = who.context,
                               .object = who.object,
                               .thread = l->thread,
                               .event = (uint16_t)(a->events + cause),
                               .core = l->core,
                               .span = a->span},
                 parts / a->core_clock.d, 0);
}

void bx_ledger_spend(struct bx_ledger *l, enum bx_cause cause, uint64_t cycles)
{
    add_cycles(l, l->last, cause, cycles);
}

/* ---- issue ---- */

static void keep_issued(struct bx_ledger *l, struct bx_ledger_issued *of)
{
    if (of->cycles)
        add_cycles(l, (bx_who){.code = of->code, .context = of->context}, BX_ISSUE, of->cycles);
    of->cycles = 0;
}

static void issue(struct bx_ledger *l, bx_who who, unsigned cycles)
{
    struct bx_ledger_issued *of =
        &l->issued[(who.code ^ who.context * 2654435761u) % BX_LEDGER_ISSUED];

    if (of->code != who.code || of->context != who.context) {
        keep_issued(l, of);
        of->code = who.code;
        of->context = who.context;
    }
    of->cycles += cycles;
}

void bx_ledger_keep_issue(struct bx_ledger *l)
{
    for (size_t i = 0; i < BX_LEDGER_ISSUED; i++)
        keep_issued(l, &l->issued[i]);
}

/* ---- waits ---- */

static void add_wait_of(struct bx_ledger *l, bx_who who, enum bx_cause cause, uint64_t cycles)
{
    bx_ledger_wait *waits = bx_grow(l->wait, l->n, &l->room, sizeof *waits, FIRST_WAITS);
    if (!waits) {
        l->of->costs.failed = true;
        return;
    }
    l->wait = waits;
    waits[l->n++] = (bx_ledger_wait){who, (uint32_t)cycles, cause};
}

void bx_ledger_wait_for(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        enum bx_cause cause, uint64_t cycles)
{
    if (cycles)
        add_wait_of(l, bx_who_made(feed, at), cause, cycles);
}

void bx_ledger_wait_for_late(struct bx_ledger *l, unsigned place, enum bx_cause cause,
                             uint64_t cycles)
{
    add_wait_of(l, l->late[place % BX_FILL_BUFFERS_MOST], cause, cycles);
}

void bx_ledger_add_late(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        unsigned place)
{
    l->late[place % BX_FILL_BUFFERS_MOST] = bx_who_made(feed, at);
}

/* ---- stores ---- */

static bool is_store(bx_access a)
{
    return bx_access_kind_of(a) == BX_STORE && !(a & BX_ACCESS_REMARK);
}

static void note_stores(struct bx_ledger *l, const bx_who *who, const bx_access *next)
{
    for (const bx_access *at = l->from; at < next; at++, who++)
        if (is_store(*at))
            bx_last_stores_note(&l->stores, bx_access_line(*at), who->address, who->code,
                                who->object, l->thread);
}

bool bx_ledger_last_store(const struct bx_ledger *l, const bx_feed *feed, uint64_t line,
                          bx_last_store *to)
{
    for (const bx_access *at = feed && feed->who ? feed->next : l->from; at > l->from;)
        if (is_store(*--at) && bx_access_line(*at) == line) {
            bx_who who = bx_who_made(feed, at);
            *to = (bx_last_store){line + 1, who.address, who.code, who.object, l->thread};
            return who.address;
        }
    const bx_last_store *found = bx_last_stores_find(&l->stores, line);
    if (found)
        *to = *found;
    return found;
}

void bx_ledger_get_line(struct bx_ledger *l, const bx_feed *feed, const bx_access *at)
{
    bx_ledger_settle(l, feed, at);
    bx_last_store *old = bx_last_stores_find(&l->stores, bx_access_line(*at));
    if (old)
        old->address = 0;
}

/* ---- what is final ---- */

void bx_ledger_settle(struct bx_ledger *l, const bx_feed *feed, const bx_access *next)
{
    for (size_t i = 0; i < l->n; i++)
        add_cycles(l, l->wait[i].who, l->wait[i].cause, l->wait[i].cycles);
    l->n = 0;
    if (next <= l->from)
        return;
    const bx_who *who = feed->who ? feed->who + (l->from - feed->origin) : NULL;
    if (l->shares && who)
        note_stores(l, who, next);
    for (const bx_access *at = l->from; at < next; at++) {
        unsigned cycles = bx_access_cost(*at);
        if (cycles)
            issue(l, who ? who[at - l->from] : (bx_who){.code = BX_CODE_WORKLOAD}, cycles);
    }
    l->last = bx_who_made(feed, next - 1);
    l->from = next;
}

void bx_ledger_begin_batch(struct bx_ledger *l, const bx_feed *feed)
{
    if (feed->thread != l->thread)
        bx_ledger_keep_issue(l);
    l->thread = feed->thread;
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
    add_cycles(l, l->last, BX_WAIT_END, to - l->ended);
    l->ended = to;
}
