/* Adds what each turn at the uncore has changed to the rows of the access that was served. */
#include "model/engine/attribution.h"

#include "base/grow.h"
#include "model/engine/turns.h"

enum { PAGE = 4096, FIRST_WRITTEN = 16 };

/* ---- sums ---- */

static uint64_t sum_of_runs(const struct bx_signal *signal)
{
    uint64_t sum = 0;

    for (const struct bx_run *run = signal->run; run < signal->run + signal->runs; run++)
        for (unsigned i = 0; i < run->n; i++)
            sum += *(const uint64_t *)(const void *)(run->at + (size_t)i * run->step);
    return sum;
}

static uint64_t sum_of_counts(const bx_attributed *of)
{
    uint64_t sum = 0;

    for (uint64_t set = of->signal.term[0].set[0]; set; set &= set - 1)
        sum += of->count[__builtin_ctzll(set)];
    for (uint64_t set = of->signal.term[0].minus; set; set &= set - 1)
        sum -= of->count[__builtin_ctzll(set)];
    return sum;
}

uint64_t bx_attribution_sum(bx_model *m, const bx_attributed *of)
{
    return of->plain   ? sum_of_runs(&of->signal)
           : of->count ? sum_of_counts(of)
                       : bx_time_tally(&m->time, &of->signal);
}

/* ---- rows ---- */

/* Of a prefetch, the address is that of its own line: prefetchers stay in the page. */
static uint64_t address_of(const struct bx_attribution *of, bx_who who, bx_access a)
{
    if (!(a & BX_ACCESS_PREFETCH) || !who.address)
        return who.address;
    return who.address / PAGE * PAGE + bx_access_line(a) % (PAGE / of->line_bytes) * of->line_bytes;
}

/* Of an access with an address: by its line, and the core that had the line. */
static void charge_line(struct bx_attribution *a, bx_cost_key key, uint64_t address, uint64_t more)
{
    key.span = 0;
    key.context = 0;
    key.address = address;
    bx_costs_add(&a->lines, key, more, 0);
    if (!a->owner.code)
        return;
    const bx_cost_key owner = {.code = a->owner.code,
                               .thread = a->owner.thread,
                               .event = key.event,
                               .core = (uint16_t)a->owner.core,
                               .role = BX_ROLE_OWNER,
                               .address = a->owner.address,
                               .object = a->owner.object};
    bx_costs_add(&a->lines, owner, more, 0);
}

static void charge_core(struct bx_attribution *a, size_t of, unsigned core, uint64_t more)
{
    if (core < a->cores)
        a->by_core[of * a->cores + core] += more;
}

/* Who has stored last to the line that is written back. */
static void charge_writer(struct bx_attribution *a, const bx_written_back *w)
{
    const bx_cost_key writer = {.code = w->store.code,
                                .thread = w->store.thread,
                                .event = a->of[w->of].event,
                                .core = (uint16_t)w->store.core,
                                .role = BX_ROLE_WRITER,
                                .address = w->store.address,
                                .object = w->store.object};
    bx_costs_add(&a->lines, writer, w->count, 0);
}

/* What the access has written back: its code is charged, and the line's data. */
static void charge_written(struct bx_attribution *a, bx_cost_key key, bool prefetch)
{
    for (const bx_written_back *w = a->written; w < a->written + a->written_n; w++) {
        key.event = a->of[w->of].event;
        charge_core(a, w->of, key.core, w->count);
        key.span = a->span;
        key.object = w->store.address ? w->store.object : 0;
        bx_costs_add(&a->costs, key, w->count, prefetch ? w->count : 0);
        if (!w->store.address)
            continue;
        bx_cost_key line = key;
        line.span = 0;
        line.context = w->store.thread;
        line.role = BX_ROLE_EVICTOR;
        line.address = w->store.address;
        bx_costs_add(&a->lines, line, w->count, 0);
        charge_writer(a, w);
    }
    a->written_n = 0;
}

/* What a selection has counted since it was asked last. */
static inline uint64_t counted_since(bx_model *m, bx_attributed *of)
{
    uint64_t sum = bx_attribution_sum(m, of), more = sum - of->last;

    of->last = sum;
    return more;
}

static void charge(bx_model *m, bx_cost_key key, uint64_t address, bool prefetch)
{
    struct bx_attribution *a = m->attribution;

    if (a->written_n)
        charge_written(a, key, prefetch);
    for (size_t i = 0; i < a->n; i++) {
        bx_attributed *of = &a->of[i];
        uint64_t more = counted_since(m, of) + of->own;
        if (!more)
            continue;
        of->own = 0;
        key.event = of->event;
        charge_core(a, i, key.core, more);
        key.span = a->span;
        bx_costs_add(&a->costs, key, more, prefetch ? more : 0);
        if (address)
            charge_line(a, key, address, more);
    }
}

/* ---- write-backs ---- */

/* What has changed up to now is not the write-back's. */
static void begin_write_back(bx_model *m, const bx_last_store *store)
{
    struct bx_attribution *a = m->attribution;

    a->victim = store ? *store : (bx_last_store){0};
    a->writes = true;
    a->has_cause = false;
    for (size_t i = 0; i < a->n; i++)
        a->of[i].own += counted_since(m, &a->of[i]);
}

void bx_attribution_evict(bx_model *m, uint64_t line)
{
    begin_write_back(m, bx_last_stores_find(&m->attribution->modified, line));
    bx_last_stores_forget(&m->attribution->modified, line);
}

/* The line has left a core, and is modified behind it. */
static void leave_core(struct bx_attribution *a, uint64_t line, const bx_last_store *store)
{
    bx_last_stores_note(&a->modified, line, store->address, store->code, store->object,
                        store->thread, store->core);
}

void bx_attribution_write_back(bx_model *m, unsigned core, uint64_t line)
{
    bx_last_store store;
    bool known = bx_ledger_last_store(&m->attribution->ledger[core], m->turns->agent[core].feed,
                                      line, &store);

    if (known)
        leave_core(m->attribution, line, &store);
    begin_write_back(m, known ? &store : NULL);
}

/* What has changed is that line's. */
static void note_written(bx_model *m)
{
    struct bx_attribution *a = m->attribution;

    for (size_t i = 0; i < a->n; i++) {
        uint64_t more = counted_since(m, &a->of[i]);
        if (!more)
            continue;
        bx_written_back *all =
            bx_grow(a->written, a->written_n, &a->written_room, sizeof *all, FIRST_WRITTEN);
        a->costs.failed |= !all;
        if (!all)
            return;
        a->written = all;
        all[a->written_n++] = (bx_written_back){a->victim, more, i};
    }
}

void bx_attribution_written(bx_model *m)
{
    note_written(m);
    m->attribution->writes = m->attribution->has_cause = false;
}

/* ---- turns ---- */

void bx_attribution_turn(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at)
{
    bx_ledger_settle(&m->attribution->ledger[core], feed, at);
}

void bx_attribution_ask(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at)
{
    struct bx_attribution *a = m->attribution;

    a->asked = bx_access_line(*at);
    a->owner.code = BX_CODE_NOBODY;
    if (!(*at & BX_ACCESS_PREFETCH) && bx_access_kind_of(bx_access_steered(*at)) == BX_NON_TEMPORAL)
        bx_last_stores_forget(&a->modified, a->asked); /* past the caches, or a flush */
    if (bx_access_kind_of(*at) != BX_STORE)
        bx_ledger_get_line(&a->ledger[core], feed, at);
}

/* The owner is the core whose copy is modified, or the first one that has stored there. */
void bx_attribution_snooped(bx_model *m, unsigned core, uint64_t line, bool modified)
{
    struct bx_attribution *a = m->attribution;
    bx_last_store store;

    bool asked = line == a->asked && (!a->owner.code || modified);
    if ((!asked && !modified) ||
        !bx_ledger_last_store(&a->ledger[core], m->turns->agent[core].feed, line, &store))
        return;
    if (modified)
        leave_core(a, line, &store);
    if (!asked)
        return;
    a->owner = store;
}

void bx_attribution_served(bx_model *m, unsigned core, const bx_feed *feed, const bx_access *at)
{
    const bx_who *who = bx_who_made(feed, at);

    charge(m,
           (bx_cost_key){.code = who->code,
                         .context = who->context,
                         .object = who->object,
                         .thread = feed->thread,
                         .core = (uint16_t)core},
           address_of(m->attribution, *who, *at), *at & BX_ACCESS_PREFETCH);
    m->attribution->owner.code = BX_CODE_NOBODY;
}

void bx_attribution_device(bx_model *m, bx_access a)
{
    if (bx_access_kind_of(a) == BX_STORE)
        bx_last_stores_forget(&m->attribution->modified, bx_access_line(a));
    charge(m, (bx_cost_key){.code = BX_CODE_DEVICE, .core = BX_COST_NO_CORE}, 0, false);
    m->attribution->owner.code = BX_CODE_NOBODY;
    m->attribution->device_acts = m->attribution->has_cause = false;
}

void bx_attribution_rest(bx_model *m)
{
    charge(m, (bx_cost_key){.code = BX_CODE_NOBODY, .core = BX_COST_NO_CORE}, 0, false);
}

void bx_attribution_own(bx_model *m)
{
    const struct bx_ledger *own = m->attribution->own;

    charge(m,
           (bx_cost_key){.code = own->last.code,
                         .context = own->last.context,
                         .object = own->last.object,
                         .thread = own->thread},
           own->last.address, false);
}

void bx_attribution_take(bx_model *m, const bx_feed *feed, const bx_access *at)
{
    struct bx_ledger *own = m->attribution->own;

    bx_attribution_own(m); /* the one before may have been done without a wait */
    m->attribution->has_cause = false;
    own->last = *bx_who_made(feed, at);
    bx_ledger_use(m->attribution, &own->last, *at);
    if (bx_access_kind_of(*at) == BX_STORE && own->last.address)
        bx_last_stores_note(&m->attribution->modified, bx_access_line(*at), own->last.address,
                            own->last.code, own->last.object, feed->thread, own->core);
    bx_ledger_run(own, feed->thread);
}

void bx_attribution_take_device(bx_model *m)
{
    m->attribution->device_acts = true;
    m->attribution->has_cause = false;
}

uint32_t bx_attribution_cause(bx_model *m)
{
    struct bx_attribution *a = m->attribution;

    if (!a->cause || a->has_cause)
        return a->causes;
    a->has_cause = true;
    bx_later_cause *to = &a->cause[++a->causes % BX_LATER_CAUSES];
    *to = (bx_later_cause){.number = a->causes, .thread = a->own->thread, .who = a->own->last};
    if (a->device_acts)
        to->who = (bx_who){.code = BX_CODE_DEVICE};
    to->writes = a->writes;
    to->victim = a->victim;
    return a->causes;
}

void bx_attribution_caused(bx_model *m, uint32_t cause)
{
    struct bx_attribution *a = m->attribution;
    const bx_later_cause *by = a->cause ? &a->cause[cause % BX_LATER_CAUSES] : NULL;

    if (!by || by->number != cause) { /* forgotten, as too many have come since */
        bx_attribution_rest(m);
        return;
    }
    bool device = by->who.code == BX_CODE_DEVICE;
    bx_cost_key key = {.code = by->who.code, .core = device ? BX_COST_NO_CORE : 0};
    if (!device) {
        key.context = by->who.context;
        key.object = by->who.object;
        key.thread = by->thread;
    }
    a->victim = by->victim;
    if (by->writes)
        note_written(m);
    charge(m, key, by->who.address, false);
}

void bx_attribution_pass(bx_model *m, bool works, enum bx_cause cause)
{
    struct bx_attribution *a = m->attribution;

    if (m->time.now == a->since)
        return;
    if (works)
        bx_ledger_spend(a->own, cause, m->time.now - a->since);
    a->since = m->time.now;
    if (works)
        bx_attribution_own(m);
    else
        bx_attribution_rest(m);
}
