/* Writes the rows of a recording. */
#include "measure/recording.h"

#include "event/event.h"
#include "model/engine/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *pmu_of(const bx_recording_run *r, const bx_evsel *event)
{
    const struct bx_catalog *c = r->measured->catalog;
    return event->pmu == BX_KERNEL ? "kernel" : bx_cat_z(c, bx_cat_pmus(c)[event->pmu].name);
}

static bool is_of_core(const bx_recording_run *r, const bx_evsel *event)
{
    const struct bx_catalog *c = r->measured->catalog;
    return event->pmu == BX_KERNEL || bx_cat_pmus(c)[event->pmu].scope == BX_SCOPE_CORE;
}

static bx_cell number_or_null(bool is, uint64_t number)
{
    return is ? bx_cell_number(number) : (bx_cell){0};
}

/* ---- what does not change ---- */

static void write_columns(bx_recording_run *r)
{
    char column[24];
    for (size_t i = 0; i < r->readings_n; i++) {
        const bx_record *record = &r->names.records[r->names.record_of[i]];
        const bx_evsel *event = &r->measured->events[record->index];
        bool of_unit = record->level == BX_RECORD_UNIT && record->unit_number != BX_PROGRAM;
        snprintf(column, sizeof column, "c%zu", i + 1);
        const bx_cell row[] = {bx_cell_text(column), bx_cell_number(record->index + 1u),
                               bx_cell_text(pmu_of(r, event)),
                               number_or_null(of_unit, record->package),
                               number_or_null(of_unit, record->unit_number)};
        bx_recording_put(r->file, BX_TABLE_SERIES_COLUMN, 0, row);
    }
}

void bx_recording_write_head(bx_recording_run *r)
{
    bx_recording_write_reserved(r);
    write_columns(r);
}

/* ---- events ---- */

static void write_events(bx_recording_run *r, const uint64_t *sum)
{
    size_t n = r->measured->events_n;
    for (size_t i = 0; i < n; i++) {
        const bx_record *record = &r->names.records[r->names.sum_of[i]];
        const bx_cell row[] = {
            bx_cell_number(i + 1), bx_cell_text(record->event), bx_cell_text(record->unit),
            number_or_null(r->has_total[i], r->total[i]), bx_cell_number(r->told[i])};
        bx_recording_put(r->file, BX_TABLE_EVENT, 0, row);
    }
    for (unsigned i = 0; r->attributes && i < BX_CAUSES; i++) {
        const bx_cell row[] = {bx_cell_number(n + 1 + i), bx_cell_text(bx_cause_name(i)),
                               bx_cell_text("core cycles"), bx_cell_number(sum ? sum[n + i] : 0),
                               bx_cell_number(1)};
        bx_recording_put(r->file, BX_TABLE_EVENT, 0, row);
    }
}

/* ---- threads ---- */

/* The path of what its process executes. */
static const char *program_of(const bx_recording_run *r, const bx_witness_thread *t)
{
    const char *path = t->program ? r->witness.binary[t->program - 1].path : NULL;
    return path ? path : "(unknown)";
}

/* Again, as their programs may have been told meanwhile. */
static void write_threads(bx_recording_run *r)
{
    if (r->witness.threads == 0) {
        const bx_cell row[] = {bx_cell_number(0), {0}, {0}, bx_cell_text("(workload)")};
        bx_recording_put(r->file, BX_TABLE_THREAD, 0, row);
    }
    for (size_t i = 0; i < r->witness.threads; i++) {
        const bx_witness_thread *t = &r->witness.thread[i];
        const bx_cell row[] = {bx_cell_number(t->number), bx_cell_number(t->process),
                               bx_cell_number(t->thread), bx_cell_text(program_of(r, t))};
        bx_recording_put(r->file, BX_TABLE_THREAD, 0, row);
    }
}

static void write_contexts(bx_recording_run *r)
{
    for (size_t i = r->contexts; i < r->witness.contexts; i++) {
        const bx_witness_context_of *c = &r->witness.context[i];
        const bx_cell row[] = {bx_cell_number(i + 1), number_or_null(c->parent, c->parent),
                               bx_cell_number(c->code)};
        bx_recording_put(r->file, BX_TABLE_CONTEXT, 0, row);
    }
    r->contexts = r->witness.contexts;
    bx_recording_write_key(r, "unmatched-returns",
                           number_or_null(r->witness.follows_calls, r->witness.unmatched));
}

static void write_witness(bx_recording_run *r, const struct bx_attribution *a)
{
    pthread_mutex_lock(&r->witness.lock);
    bx_recording_write_names(r, a);
    write_threads(r);
    write_contexts(r);
    pthread_mutex_unlock(&r->witness.lock);
}

/* ---- costs ---- */

/* What has no data is in no object. */
static bx_cell object_of(const bx_recording_run *r, const bx_cost_key *key)
{
    if (!r->allocators || key->object == BX_COST_MERGED)
        return (bx_cell){0};
    return bx_cell_number(key->object ? key->object : BX_OBJECT_NONE);
}

static void write_cost(bx_recording_run *r, const bx_costs *c, size_t i)
{
    const bx_cost *cost = &c->row[i];
    bool of_core = cost->key.core != BX_COST_NO_CORE;
    bool wait = cost->key.event > r->measured->events_n + BX_ISSUE;
    bool has_context = cost->key.context && cost->key.context != BX_COST_MERGED;
    const bx_cell row[] = {bx_cell_number(cost->key.event + 1u),
                           bx_cell_number(cost->key.code),
                           number_or_null(has_context, cost->key.context),
                           object_of(r, &cost->key),
                           number_or_null(of_core, cost->key.thread),
                           number_or_null(of_core, cost->key.core),
                           number_or_null(cost->key.span != BX_COST_NO_SPAN, cost->key.span + 1u),
                           bx_cell_number(cost->count),
                           bx_cell_number(wait ? 0 : cost->by_prefetch),
                           number_or_null(wait && r->chains, cost->by_prefetch)};
    bx_recording_put(r->file, BX_TABLE_COST, i + 1, row);
}

/* The program's reader may add threads meanwhile. */
static uint32_t process_of(bx_recording_run *r, uint32_t thread)
{
    uint32_t process = 0;
    pthread_mutex_lock(&r->witness.lock);
    for (size_t i = r->witness.threads; i-- > 0 && !process;)
        if (r->witness.thread[i].number == thread)
            process = r->witness.thread[i].process;
    pthread_mutex_unlock(&r->witness.lock);
    return process;
}

/* Of a write-back, the data are of the thread that has stored them, and their requester's access is
 * in another line. A device has no thread. */
static void write_line(bx_recording_run *r, const bx_costs *c, size_t i)
{
    static const char *const roles[] = {[BX_ROLE_REQUESTER] = "requester",
                                        [BX_ROLE_OWNER] = "owner",
                                        [BX_ROLE_EVICTOR] = "requester",
                                        [BX_ROLE_WRITER] = "writer"};
    const bx_cost *cost = &c->row[i];
    const bx_cost_key *key = &cost->key;
    bool known = key->address, of_core = key->core != BX_COST_NO_CORE;
    bool evicts = key->role == BX_ROLE_EVICTOR;
    bool merged = key->context == BX_COST_MERGED;
    uint32_t whose = evicts ? key->context : key->thread;
    const bx_cell row[] = {bx_cell_number(key->event + 1u),
                           number_or_null(known, key->address / r->line_bytes * r->line_bytes),
                           number_or_null(!merged || !evicts, process_of(r, whose)),
                           number_or_null(known && !evicts, key->address % r->line_bytes),
                           object_of(r, key),
                           bx_cell_number(key->code),
                           number_or_null(of_core, key->thread),
                           number_or_null(of_core, key->core),
                           bx_cell_text(roles[key->role]),
                           bx_cell_number(cost->count)};
    bx_recording_put(r->file, BX_TABLE_LINE, i + 1, row);
}

static void write_costs(bx_recording_run *r, bx_costs *c, enum bx_recording_table table,
                        void (*write)(bx_recording_run *, const bx_costs *, size_t))
{
    if (c->rewrite)
        bx_recording_clear(r->file, table);
    for (size_t i = 0; c->rewrite && i < c->n; i++)
        write(r, c, i);
    for (size_t i = 0; !c->rewrite && i < c->changed_n; i++)
        write(r, c, c->changed[i]);
    bx_costs_settle(c);
}

/* The share of all counts whose rows have lost their span, their context, … */
static void write_merged(bx_recording_run *r, const bx_costs *c)
{
    static const char *const keys[BX_COST_LEVELS] = {"merged-span", "merged-context",
                                                     "merged-object", "merged-code"};
    uint64_t all = 0, merged = 0, of[1 + BX_COST_LEVELS] = {0};
    for (size_t i = 0; i < c->n; i++) {
        all += c->row[i].count;
        of[bx_cost_level(&c->row[i].key)] += c->row[i].count;
    }
    for (unsigned level = BX_COST_LEVELS; level-- > 0;) {
        merged += of[1 + level];
        bx_recording_write_key(r, keys[level],
                               bx_cell_real(all ? (double)merged / (double)all : 0));
    }
}

/* What no row has is nobody's. An event whose rows are more than its counter is not attributed. */
static void add_rest(bx_recording_run *r, struct bx_attribution *a, uint64_t *sum)
{
    for (size_t i = 0; i < r->measured->events_n; i++) {
        if (!r->told[i])
            continue;
        r->told[i] = sum[i] <= r->total[i];
        if (sum[i] < r->total[i])
            bx_costs_add(&a->costs,
                         (bx_cost_key){.code = BX_CODE_NOBODY,
                                       .event = (uint16_t)i,
                                       .core = BX_COST_NO_CORE,
                                       .span = a->span},
                         r->total[i] - sum[i], 0);
    }
}

static void write_units(bx_recording_run *r)
{
    for (size_t i = 0; i < r->readings_n; i++) {
        const bx_record *record = &r->names.records[r->names.record_of[i]];
        const bx_evsel *event = &r->measured->events[record->index];
        if (is_of_core(r, event) || !r->has_total[record->index])
            continue;
        for (unsigned span = 0; span <= r->span; span++) {
            const bx_cell row[] = {
                bx_cell_number(record->index + 1u),
                bx_cell_text(pmu_of(r, event)),
                bx_cell_number(record->package),
                bx_cell_number(record->unit_number == BX_PROGRAM ? 0 : record->unit_number),
                bx_cell_number(span + 1u),
                bx_cell_number(r->by_span[i * BX_SPANS + span])};
            bx_recording_put(r->file, BX_TABLE_UNIT_COST, i * BX_SPANS + span + 1, row);
        }
    }
}

static void put_core_unit(bx_recording_run *r, size_t reading, bx_cell core, uint64_t count)
{
    const bx_record *record = &r->names.records[r->names.record_of[reading]];
    const bx_cell row[] = {
        bx_cell_number(record->index + 1u),
        core,
        bx_cell_text(pmu_of(r, &r->measured->events[record->index])),
        bx_cell_number(record->package),
        bx_cell_number(record->unit_number == BX_PROGRAM ? 0 : record->unit_number),
        bx_cell_number(count)};
    if (count)
        bx_recording_put(r->file, BX_TABLE_CORE_UNIT, 0, row);
}

void bx_recording_write_matrix(bx_recording_run *r, const struct bx_attribution *a)
{
    for (size_t i = 0; i < a->n; i++) {
        size_t reading = a->of[i].reading;
        const bx_record *record = &r->names.records[r->names.record_of[reading]];
        if (is_of_core(r, &r->measured->events[record->index]) || !r->told[record->index])
            continue;
        const uint64_t *by_core = &a->by_core[i * a->cores];
        uint64_t rest = 0;
        for (unsigned span = 0; span <= r->span; span++)
            rest += r->by_span[reading * BX_SPANS + span];
        for (unsigned core = 0; core < a->cores; core++) {
            put_core_unit(r, reading, bx_cell_number(core), by_core[core]);
            rest -= by_core[core];
        }
        put_core_unit(r, reading, (bx_cell){0}, rest); /* of devices and of nobody */
    }
}

static void write_spans(bx_recording_run *r)
{
    for (uint64_t i = 0; i <= r->span; i++) {
        const bx_cell row[] = {bx_cell_number(i + 1), bx_cell_number(r->start + i * r->span_length),
                               bx_cell_number(r->start + (i + 1) * r->span_length)};
        bx_recording_put(r->file, BX_TABLE_SPAN, 0, row);
    }
}

void bx_recording_write_rows(bx_recording_run *r, struct bx_attribution *a)
{
    uint64_t sum[BX_RECORDING_EVENTS_MOST + BX_CAUSES] = {0};
    size_t events = r->measured->events_n;
    if (!a) {
        write_events(r, NULL);
        return;
    }
    for (size_t i = 0; i < a->costs.n; i++)
        sum[a->costs.row[i].key.event] += a->costs.row[i].count;
    add_rest(r, a, sum);
    if (a->costs.rewrite) {
        bx_recording_clear(r->file, BX_TABLE_SPAN);
        bx_recording_clear(r->file, BX_TABLE_UNIT_COST);
    }
    r->rows = 0;
    for (size_t i = 0; i < a->costs.n; i++)
        r->rows += a->costs.row[i].key.event < events;
    r->chains = !a->own;
    write_witness(r, a);
    write_events(r, sum);
    write_merged(r, &a->costs);
    write_costs(r, &a->costs, BX_TABLE_COST, write_cost);
    write_costs(r, &a->lines, BX_TABLE_LINE, write_line);
    write_units(r);
    write_spans(r);
}
