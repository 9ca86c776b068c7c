/* Compiles perfmon's files of one CPU into a catalogue. */
#include "perfmon/perfmon.h"

#include "event/event.h"
#include "perfmon/energy.h"
#include "perfmon/extend.h"
#include "perfmon/metrics.h"
#include "perfmon/operands.h"
#include "perfmon/pmus.h"
#include "perfmon/topdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compiler {
    const bx_perfmon_cpu *cpu;
    bx_assembly a;
    bx_arena arena;
    bx_perfmon_pmus pmus;
    bx_perfmon_metrics metrics;
    bx_perfmon_counts *counts;
    bx_buf *refusals;
    bx_cat_text source, unit;
    bx_error *e;
} compiler;

static void refuse(compiler *k, const bx_perfmon_file *file, bx_str name, const char *why)
{
    k->counts->refused++;
    bx_buf_f(k->refusals, "%.*s: %.*s: %s\n", (int)file->name.n, file->name.p,
             name.n ? (int)name.n : 1, name.n ? name.p : "-", why);
}

/* What a reader of the count must know. refused: why there is none. */
static bx_cat_text caution_of(compiler *k, const bx_perfmon_row *row, const char *refused)
{
    char text[256] = "";
    size_t n = 0;
    if (refused)
        return bx_assembly_text(&k->a, bx_str_of(refused));
    if (row->deprecated)
        n += (size_t)snprintf(text, sizeof text, "deprecated by Intel");
    if (row->errata.n)
        n += (size_t)snprintf(text + n, sizeof text - n, "%serrata: %.*s", n ? "; " : "",
                              BX_QUOTED(row->errata));
    if (row->filter.n && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sits filter is to be set: %.*s",
                              n ? "; " : "", (int)(row->filter.n < 80 ? row->filter.n : 80),
                              row->filter.p);
    return n ? bx_assembly_text(&k->a, bx_str_of(text)) : 0;
}

/* Whether topdown's metrics are in groups after the event: `slots`. */
static bool leads(const bx_perfmon_row *row, const bx_perfmon_pmu *pmu)
{
    return pmu->unit.core && row->fixed && row->code == 0 && row->umask == 4;
}

/* Each free-running event has a counter of its own; Intel's files number those of one kind only. */
static uint32_t counters_of(const bx_perfmon_row *row, const bx_perfmon_pmu *pmu)
{
    unsigned next = 0;
    while (next < 31 && pmu->counters >> next)
        next++;
    return row->free_running ? UINT32_C(1) << next : row->counters;
}

/* An event that Linux cannot select has no terms: its name and the reason are known. */
static bx_perfmon_event *add_event(compiler *k, const bx_perfmon_row *row, bx_perfmon_pmu *pmu,
                                   const char *terms, const char *refused, unsigned flags)
{
    bx_perfmon_event *event = bx_arena_get(&k->arena, sizeof *event);
    if (!event)
        return NULL;
    event->row = (bx_cat_event){
        .name = bx_assembly_text(&k->a, row->name),
        .title = bx_assembly_text(&k->a, row->title),
        .source = k->source,
        .note = bx_str_eq(row->text, row->title) ? 0 : bx_assembly_text(&k->a, row->text),
        .kernel = refused ? 0 : bx_assembly_text(&k->a, bx_str_of(terms)),
        .unit = k->unit,
        .slot = BX_NONE,
        .code = (uint32_t)row->code,
        .scale = 1,
        .counters = counters_of(row, pmu),
        .confidence = BX_SURE,
        .flags = (uint8_t)(BX_EVENT_TERMS | flags),
        .umask_default = BX_NONE,
        .place = BX_ANY_PLACE,
        .follows = BX_NO_COUNTER,
        .caution = caution_of(k, row, refused)};
    event->fixed = row->fixed_counters;
    pmu->counters |= event->row.counters;
    pmu->fixed |= row->fixed_counters;
    pmu->leads |= flags & BX_EVENT_LEADS;
    *pmu->last = event;
    pmu->last = &event->next;
    return event;
}

static void read_row(compiler *k, const bx_perfmon_file *file, const bx_json_value *object)
{
    bx_perfmon_row row;
    bool bits;
    char terms[256];
    const char *why = bx_perfmon_row_read(object, &row, &bits);
    if (bits) {
        k->counts->bits++;
        return;
    }
    bx_perfmon_unit unit = bx_perfmon_unit_of(&row, k->cpu->folder, file->role);
    if (!why)
        why = bx_perfmon_terms(&row, &unit, terms, sizeof terms);
    if (why) {
        refuse(k, file, row.name, why);
        if (!bx_perfmon_is_name(row.name))
            return;
    } else if (bx_perfmon_knows(k->cpu, &row.name, &unit, terms, k->counts, k->refusals)) {
        return;
    }
    bx_perfmon_pmu *pmu = bx_perfmon_pmu_for(&k->pmus, &unit);
    if (pmu) {
        add_event(k, &row, pmu, terms, why, leads(&row, pmu) ? BX_EVENT_LEADS : 0);
        k->counts->events += !why;
    } else {
        refuse(k, file, row.name, "the CPU has too many kinds of units");
    }
}

static void take_header(compiler *k, const bx_json_value *header)
{
    const bx_json_value *version = header ? bx_json_member(header, "Version") : NULL;
    const bx_json_value *date = header ? bx_json_member(header, "DatePublished") : NULL;
    if (version && version->kind == BX_JSON_STRING)
        snprintf(k->counts->version, sizeof k->counts->version, "%.*s",
                 (int)(version->text.n < 15 ? version->text.n : 15), version->text.p);
    if (date && date->kind == BX_JSON_STRING)
        snprintf(k->counts->date, sizeof k->counts->date, "%.*s",
                 (int)(date->text.n < 15 ? date->text.n : 15), date->text.p);
}

/* A file is an object with Header and Events, or an array of events. */
static int read_file(compiler *k, const bx_perfmon_file *file)
{
    const bx_json_value *whole;
    bx_arena values = {0};
    size_t at = 0;
    /* A byte order mark is allowed. */
    if (file->text.n > 3 && memcmp(file->text.p, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    int code = bx_json_read(file->text, &at, &values, &whole, k->e);
    if (!code && file->metrics) {
        bx_perfmon_unit cores =
            bx_perfmon_unit_of(&(bx_perfmon_row){0}, k->cpu->folder, file->role);
        code = bx_perfmon_metrics_add(&k->metrics, whole, file->name,
                                      file->role.n ? cores.kernel : "", k->e);
    } else if (!code) {
        const bx_json_value *events = bx_json_member(whole, "Events");
        events = events ? events : whole->kind == BX_JSON_ARRAY ? whole : NULL;
        if (!events || events->kind != BX_JSON_ARRAY)
            code = bx_fail(k->e, BX_BAD_INPUT, 0, 0, "this is no event file of perfmon: no Events");
        else if (whole->kind == BX_JSON_OBJECT)
            take_header(k, bx_json_member(whole, "Header"));
        for (const bx_json_value *row = code ? NULL : events->first; row; row = row->next)
            read_row(k, file, row);
    }
    bx_arena_free(&values);
    return code;
}

/* Adds topdown's metrics that formulas name to the cores that have `slots`. */
static void add_topdown(compiler *k)
{
    for (size_t i = 0; i < k->pmus.n; i++)
        for (unsigned t = 0; k->pmus.pmu[i].leads && t < BX_PERFMON_TOPDOWN; t++) {
            const bx_perfmon_topdown *metric = &bx_perfmon_topdown_metrics[t];
            char terms[32];
            if (!(k->metrics.named >> t & 1))
                continue;
            bx_perfmon_row row = {.name = bx_str_of(metric->name),
                                  .title = bx_str_of(metric->title),
                                  .text =
                                      BX_STR("a fixed metric of topdown: the kernel counts it in "
                                             "a group that TOPDOWN.SLOTS leads"),
                                  .fixed_counters = (uint16_t)(1U << BX_PERFMON_FIXED << t)};
            snprintf(terms, sizeof terms, "event=0x0,umask=0x%x", metric->umask);
            add_event(k, &row, &k->pmus.pmu[i], terms, NULL, BX_EVENT_FOLLOWS);
        }
}

/* The time stamp counter, if formulas name it: Linux's PMU `msr` counts it (arch/x86/events/msr.c).
 */
static void add_tsc(compiler *k)
{
    static const bx_perfmon_unit unit = {
        .name = "msr", .kernel = "msr", .title = "clocks of a CPU", .modifiers = ""};
    bx_perfmon_pmu *pmu =
        k->metrics.named & BX_PERFMON_TSC ? bx_perfmon_pmu_for(&k->pmus, &unit) : NULL;
    if (pmu)
        add_event(k,
                  &(bx_perfmon_row){.name = BX_STR("TSC"),
                                    .title = BX_STR("ticks of the time stamp counter"),
                                    .counters = 1},
                  pmu, "event=0x00", NULL, 0);
}

/* Energies that formulas name: Linux's PMU `power` counts them. */
static void add_energies(compiler *k)
{
    static const bx_perfmon_unit unit = {
        .name = "power", .kernel = "power", .title = "energies", .modifiers = ""};
    for (unsigned i = 0; i < BX_PERFMON_ENERGIES; i++) {
        const bx_perfmon_energy *energy = &bx_perfmon_energies[i];
        bx_perfmon_pmu *pmu =
            k->metrics.named & BX_PERFMON_ENERGY << i ? bx_perfmon_pmu_for(&k->pmus, &unit) : NULL;
        bx_perfmon_event *event =
            pmu ? add_event(k,
                            &(bx_perfmon_row){.name = bx_str_of(energy->name),
                                              .code = energy->code,
                                              .title = bx_str_of(energy->title),
                                              .counters = 1},
                            pmu, energy->terms, NULL, 0)
                : NULL;
        if (event)
            event->row.unit = bx_assembly_text(&k->a, BX_STR("2^-32 J"));
    }
}

static void put_cpu(compiler *k)
{
    const bx_perfmon_cpu *cpu = k->cpu;
    char title[96];
    uint16_t row = bx_assembly_add(&k->a, BX_T_CPUS);
    bx_span ids = {bx_assembly_n(&k->a, BX_T_IDS), (uint16_t)cpu->ids_n};
    for (size_t i = 0; i < cpu->ids_n; i++) {
        uint16_t id = bx_assembly_add(&k->a, BX_T_IDS);
        *BX_ASSEMBLED(&k->a, bx_cat_id, BX_T_IDS, id) = cpu->ids[i];
    }
    snprintf(title, sizeof title, "%.*s: Intel's event files, version %s of %s",
             BX_QUOTED(cpu->folder), k->counts->version, k->counts->date);
    bx_span pmus = bx_perfmon_put_pmus(&k->a, &k->pmus, cpu->folder, row, k->source);
    *BX_ASSEMBLED(&k->a, bx_cat_cpu, BX_T_CPUS, row) =
        (bx_cat_cpu){.name = bx_assembly_text(&k->a, cpu->folder),
                     .title = bx_assembly_text(&k->a, bx_str_of(title)),
                     .source = k->source,
                     .model = bx_assembly_text(&k->a, BX_STR("none")),
                     .features = bx_assembly_text(&k->a, BX_STR("avx2")),
                     .clock = bx_assembly_text(&k->a, BX_STR("cycles")),
                     .ids = ids,
                     .pmus = pmus,
                     .metrics = k->metrics.span,
                     .freeze = BX_NONE,
                     .freezes = BX_NONE,
                     .wake = BX_NONE,
                     .noted = BX_NONE,
                     .changed = BX_NONE};
}

/* Whether the folder is also of this CPU, which mapfile.csv does not tell from the one of its name:
 * SKL is of Kaby Lake, too. */
static bool describes(const bx_perfmon_cpu *cpu, unsigned other)
{
    const struct bx_catalog *c = cpu->builtin;
    for (size_t i = 0; i < cpu->ids_n; i++)
        if (bx_cat_find_cpu_by_id(c, cpu->ids[i].family, cpu->ids[i].model) == other)
            return true;
    return false;
}

/* Adds the events to the CPU of the folder's name, and to others that the folder describes. These
 * keep their own metrics. */
static void extend(compiler *k)
{
    const struct bx_catalog *c = k->cpu->builtin;
    for (unsigned i = 0; i < c->cpus.n; i++)
        if ((int)i == k->cpu->builtin_cpu || describes(k->cpu, i))
            bx_perfmon_extend(&k->a, (uint16_t)i, &k->pmus,
                              (int)i == k->cpu->builtin_cpu ? k->metrics.span
                                                            : bx_cat_cpus(c)[i].metrics,
                              k->source);
}

/* The catalogue, made twice: events are found by names only in a whole one, and operands of metrics
 * are found by events. NULL: out of memory, or full. */
static struct bx_catalog *make_catalog(compiler *k)
{
    struct bx_catalog *made = bx_assembly_finish(&k->a);
    if (!made || !k->metrics.own.n)
        return made;
    int cpu = k->cpu->builtin_cpu >= 0 ? k->cpu->builtin_cpu : 0;
    bx_perfmon_add_operands(&k->a, made, cpu, &k->metrics);
    free(made);
    return bx_assembly_finish(&k->a);
}

struct bx_catalog *bx_perfmon_compile(const bx_perfmon_cpu *cpu, bx_perfmon_counts *counts,
                                      bx_buf *refusals, const bx_perfmon_file **at_fault,
                                      bx_error *e)
{
    compiler *k = calloc(1, sizeof *k);
    struct bx_catalog *made = NULL;
    *at_fault = NULL;
    *counts = (bx_perfmon_counts){0};
    if (!k) {
        bx_out_of_memory(e);
        return NULL;
    }
    *k = (compiler){.cpu = cpu, .counts = counts, .refusals = refusals, .e = e};
    int code = bx_assembly_start(&k->a, &k->arena, cpu->builtin_cpu >= 0 ? cpu->builtin : NULL)
                   ? BX_OK
                   : bx_out_of_memory(e);
    k->metrics = (bx_perfmon_metrics){.a = &k->a, .refusals = refusals};
    if (cpu->builtin_cpu >= 0 && !code)
        bx_perfmon_move_metrics(&k->a, (uint16_t)cpu->builtin_cpu, &k->metrics.span);
    k->source = bx_assembly_text(&k->a, BX_STR("Intel, github.com/intel/perfmon"));
    k->unit = bx_assembly_text(&k->a, BX_STR("events"));
    for (size_t i = 0; i < cpu->files_n && !code; i++)
        if ((code = read_file(k, &cpu->files[i])))
            *at_fault = &cpu->files[i];
    counts->metrics = k->metrics.read;
    counts->metrics_refused = k->metrics.refused;
    if (!code) {
        add_topdown(k);
        add_tsc(k);
        add_energies(k);
        if (cpu->builtin_cpu >= 0)
            extend(k);
        else
            put_cpu(k);
        made = make_catalog(k);
        if (!made)
            code = k->arena.failed || !k->a.full
                       ? bx_out_of_memory(e)
                       : bx_fail(e, BX_BAD_INPUT, 0, 0, "the CPU has too many events");
    }
    bx_arena_free(&k->arena);
    free(k);
    return made;
}
