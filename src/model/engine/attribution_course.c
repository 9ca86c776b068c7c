/* Begins and ends attribution, and settles it between runs. */
#include "model/engine/attribution_course.h"

#include "model/engine/core_signal.h"
#include "model/engine/signal_table.h"
#include "model/engine/turns.h"

#include <stdlib.h>

/* ---- which signals ---- */

#define BIT(count) (UINT64_C(1) << (count))

/* Counts of a core that change at its turns only: the others change while it runs ahead. */
static const uint64_t at_turns =
    BIT(BX_CORE_LLC_LOAD) | BIT(BX_CORE_LLC_STORE) | BIT(BX_CORE_LLC_FETCH) |
    BIT(BX_CORE_LLC_PREFETCH) | BIT(BX_CORE_FLIGHT_LOAD) | BIT(BX_CORE_FLIGHT_STORE) |
    BIT(BX_CORE_FLIGHT_FETCH) | BIT(BX_CORE_FROM_FLIGHT) | BIT(BX_CORE_FROM_LLC) |
    BIT(BX_CORE_FROM_LLC_SNOOP_MISS) | BIT(BX_CORE_FROM_CORE_CLEAN) | BIT(BX_CORE_FROM_CORE_DIRTY) |
    BIT(BX_CORE_FROM_PACKAGE_CLEAN) | BIT(BX_CORE_FROM_PACKAGE_DIRTY) | BIT(BX_CORE_FROM_MEMORY) |
    BIT(BX_CORE_FROM_REMOTE_MEMORY) | BIT(BX_CORE_FROM_DEVICE) | BIT(BX_CORE_LLC_MISS_LOAD) |
    BIT(BX_CORE_LLC_MISS_STORE) | BIT(BX_CORE_LLC_MISS_FETCH) | BIT(BX_CORE_LLC_MISS_PREFETCH);

bool bx_attribution_can(const bx_model *m, const struct bx_signal *signal)
{
    if (!m->turns) /* one processor, in order: all that changes is its present access's */
        return true;
    if (signal->reader->level || signal->reader == &bx_read_core_missed ||
        signal->reader == &bx_read_core_stack) /* the ledgers have its causes */
        return false;
    for (unsigned i = 0; signal->reader == &bx_read_core_counts && i < signal->terms; i++)
        if ((signal->term[i].set[0] | signal->term[i].minus) & ~at_turns)
            return false;
    return true;
}

static bool is_plain(const struct bx_signal *signal)
{
    bool plain = signal->reader == &bx_read_counts && signal->runs <= BX_RUNS;

    for (unsigned i = 0; i < signal->terms; i++)
        plain &= signal->term[i].minus == 0;
    return plain;
}

void bx_attribution_settle(bx_model *m)
{
    struct bx_attribution *a = m->attribution;
    struct bx_turns *turns = m->turns;

    for (unsigned i = 0; turns && i < turns->cores; i++) {
        struct bx_turns_agent *agent = &turns->agent[i];
        if (agent->phase >= BX_TURNS_AGENT_READY)
            bx_ledger_settle(&a->ledger[i], agent->feed, agent->feed->next);
        else
            bx_ledger_drain(&a->ledger[i], m->time.now);
    }
    for (unsigned i = 0; i < a->cores; i++) {
        bx_ledger_keep_spent(&a->ledger[i]);
        a->lines.failed |= a->ledger[i].stores.failed;
    }
    a->lines.failed |= a->modified.failed;
    bx_attribution_rest(m);
}

/* ---- begin and end ---- */

static bool core_has(void *privates, uint64_t line)
{
    return bx_privates_have(privates, line);
}

bool bx_attribution_begin(bx_model *m, bx_attributed *of, size_t n, unsigned events)
{
    struct bx_attribution *a = calloc(1, sizeof *a);
    unsigned cores = m->turns ? m->turns->cores : 1;

    if (a)
        a->ledger = calloc(cores, sizeof *a->ledger);
    if (a)
        a->by_core = calloc((n + 1) * cores, sizeof *a->by_core);
    if (!a || !a->ledger || !a->by_core) {
        free(a ? a->ledger : NULL);
        free(a ? a->by_core : NULL);
        free(a);
        return false;
    }
    a->of = of;
    a->n = n;
    a->events = events;
    a->cores = (uint16_t)cores;
    a->core_clock = m->turns ? m->turns->core_clock : (bx_ratio){1, 1};
    a->line_bytes = 1u << m->caches.line_shift;
    a->since = m->time.now;
    for (unsigned i = 0; i < cores; i++) {
        a->ledger[i].of = a;
        a->ledger[i].core = (uint16_t)i;
        if (!m->turns)
            continue;
        struct bx_turns_agent *agent = &m->turns->agent[i];
        agent->ledger = &a->ledger[i];
        agent->ledger->stores.has = core_has;
        agent->ledger->stores.context = agent->privates;
        if (agent->phase != BX_TURNS_AGENT_IDLE)
            bx_ledger_begin_batch(agent->ledger, agent->feed);
    }
    a->own = m->turns ? NULL : a->ledger;
    a->cause = m->turns ? NULL : calloc(BX_LATER_CAUSES, sizeof *a->cause);
    a->costs.failed = a->own && !a->cause;
    m->attribution = a;
    for (size_t i = 0; i < n; i++) {
        of[i].plain = is_plain(&of[i].signal);
        if (of[i].signal.reader == &bx_read_core_counts)
            of[i].count = m->turns->agent[of[i].signal.index].counts.count;
        of[i].last = bx_attribution_sum(m, &of[i]);
    }
    return true;
}

void bx_attribution_free(struct bx_attribution *a)
{
    if (!a)
        return;
    for (unsigned i = 0; i < a->cores; i++) {
        free(a->ledger[i].wait);
        bx_last_stores_free(&a->ledger[i].stores);
    }
    bx_last_stores_free(&a->modified);
    free(a->written);
    free(a->cause);
    bx_costs_free(&a->costs);
    bx_costs_free(&a->lines);
    free(a->use);
    free(a->ledger);
    free(a->by_core);
    free(a->of);
    free(a);
}
