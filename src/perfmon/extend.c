/* Adds imported events to a CPU of the built-in catalogue: in PMUs of their own, after its. */
#include "perfmon/extend.h"

#include "event/event.h"

#include <stdlib.h>
#include <string.h>

/* ---- events that both know ---- */

/* Whether two terms are one: client and server PMUs have two names of the threshold. */
static bool same_term(bx_str a, bx_str b)
{
    const bx_str names[] = {BX_STR("cmask"), BX_STR("thresh")};
    return bx_str_eq_fold(a, b) || (bx_str_eq_fold(a, names[0]) && bx_str_eq_fold(b, names[1])) ||
           (bx_str_eq_fold(a, names[1]) && bx_str_eq_fold(b, names[0]));
}

/* The value of a term in "event=0x3,umask=0x8"; 0: it is not there. */
static uint64_t term_value(bx_str terms, bx_str key)
{
    uint64_t value = 1;
    while (terms.p) {
        bx_str digits = bx_str_cut(&terms, ',');
        bx_str name = bx_str_cut(&digits, '=');
        if (same_term(name, key))
            return digits.p && !bx_str_u64(digits, &value) ? UINT64_MAX : value;
    }
    return 0;
}

static bool within(bx_str a, bx_str b)
{
    for (bx_str rest = a; rest.p;) {
        bx_str digits = bx_str_cut(&rest, ',');
        bx_str key = bx_str_cut(&digits, '=');
        if (key.n && term_value(a, key) != term_value(b, key))
            return false;
    }
    return true;
}

/* The terms between the slashes of perf's spelling. */
static bx_str between(bx_str text)
{
    bx_str_cut(&text, '/');
    return text.p ? bx_str_cut(&text, '/') : text;
}

/* The name of a kernel's PMU without its number: "uncore_arb" of "uncore_arb_{unit}". */
static bx_str stem_of(const char *kernel)
{
    const char *number = strstr(kernel, "_{");
    return (bx_str){kernel, number ? (size_t)(number - kernel) : strlen(kernel)};
}

/* Whether perf's spelling names the unit's PMU, or one of several. Linux gives a single one no
 * number. */
static bool same_pmu(bx_str perf, const char *kernel)
{
    bx_str own = bx_str_cut(&perf, '/'), stem = stem_of(kernel);
    return bx_str_starts_fold(own, stem) &&
           (own.n == stem.n || (kernel[stem.n] == '_' && own.p[stem.n] == '_'));
}

bool bx_perfmon_knows(const bx_perfmon_cpu *cpu, const bx_str *name, const bx_perfmon_unit *unit,
                      const char *terms, bx_perfmon_counts *counts, bx_buf *lines)
{
    bx_evsel own;
    if (cpu->builtin_cpu < 0 ||
        bx_event_parse(cpu->builtin, cpu->builtin_cpu, name->p, name->n, &own, NULL) != BX_OK)
        return false;
    if (own.event == BX_RAW) /* a name of perf for a code that no event of the catalogue has */
        return false;
    bool core = bx_cat_pmus(cpu->builtin)[own.pmu].scope != BX_SCOPE_PACKAGE;
    if (core != unit->core)
        return false;
    char *perf = bx_event_text(cpu->builtin, &own, bx_event_format_perf);
    if (!perf)
        return false;
    bx_str mine = between(bx_str_of(perf)), theirs = bx_str_of(terms);
    bool same = same_pmu(bx_str_of(perf), unit->kernel);
    bool known = *perf, equal = same && within(mine, theirs) && within(theirs, mine);
    if (known && !equal) {
        counts->differences++;
        bx_str named = same ? mine : bx_str_of(perf), stem = stem_of(unit->kernel);
        bx_buf_f(lines, "%.*s: other bits than in the built-in catalogue: %.*s%s%s, there %.*s\n",
                 (int)name->n, name->p, same ? 0 : (int)stem.n, stem.p, same ? "" : "/", terms,
                 (int)named.n, named.p);
    }
    free(perf);
    counts->known += known;
    counts->events += known;
    return known;
}

/* ---- the CPU's rows ---- */

/* Rows of a table that belong to one of the moved PMUs follow it. member: where the row has its
 * PMU. */
static void follow(bx_assembly *a, enum bx_table_id id, size_t member, bx_span old, unsigned by)
{
    for (uint32_t i = 0; i < a->tables[id].n; i++) {
        uint16_t *pmu =
            (uint16_t *)(void *)(a->tables[id].rows + i * bx_table_row_size[id] + member);
        if ((unsigned)*pmu - old.first < old.n)
            *pmu = (uint16_t)(*pmu + by);
    }
}

/* The PMUs of a CPU are neighbours: they move to the end of their table, and the new ones follow.
 * Their old rows stay, without a name and events, so that no other index changes. */
static bx_span move_pmus(bx_assembly *a, bx_span old)
{
    bx_span moved = {bx_assembly_n(a, BX_T_PMUS), old.n};
    unsigned by = (unsigned)moved.first - old.first;
    for (unsigned i = 0; i < old.n; i++) {
        uint16_t row = bx_assembly_add(a, BX_T_PMUS);
        *BX_ASSEMBLED(a, bx_cat_pmu, BX_T_PMUS, row) =
            *BX_ASSEMBLED(a, bx_cat_pmu, BX_T_PMUS, old.first + i);
        bx_cat_pmu *empty = BX_ASSEMBLED(a, bx_cat_pmu, BX_T_PMUS, old.first + i);
        *empty = (bx_cat_pmu){.cpu = empty->cpu,
                              .unit_max = 1,
                              .unit_field = BX_NONE,
                              .select_event = BX_NONE,
                              .select_umask = BX_NONE};
    }
    follow(a, BX_T_REGS, offsetof(bx_cat_reg, pmu), old, by);
    follow(a, BX_T_COUNTERS, offsetof(bx_cat_counter, pmu), old, by);
    follow(a, BX_T_EVENTS, offsetof(bx_cat_event, pmu), old, by);
    follow(a, BX_T_MODIFIERS, offsetof(bx_cat_modifier, pmu), old, by);
    follow(a, BX_T_SLOTS, offsetof(bx_cat_slot, pmu), old, by);
    return moved;
}

void bx_perfmon_move_metrics(bx_assembly *a, uint16_t cpu, bx_span *span)
{
    bx_cat_cpu *row = BX_ASSEMBLED(a, bx_cat_cpu, BX_T_CPUS, cpu);
    bx_span old = row->metrics, groups = row->metric_groups;
    *span = (bx_span){bx_assembly_n(a, BX_T_METRICS), old.n};
    for (unsigned i = 0; i < old.n; i++) {
        uint16_t to = bx_assembly_add(a, BX_T_METRICS);
        *BX_ASSEMBLED(a, bx_cat_metric, BX_T_METRICS, to) =
            *BX_ASSEMBLED(a, bx_cat_metric, BX_T_METRICS, old.first + i);
    }
    for (unsigned g = groups.first; g < (unsigned)groups.first + groups.n; g++) {
        bx_span members = BX_ASSEMBLED(a, bx_cat_metric_group, BX_T_METRIC_GROUPS, g)->members;
        for (unsigned i = members.first; i < (unsigned)members.first + members.n; i++) {
            bx_cat_metric_member *m = BX_ASSEMBLED(a, bx_cat_metric_member, BX_T_METRIC_MEMBERS, i);
            m->metric = (uint16_t)(m->metric - old.first + span->first);
        }
    }
}

void bx_perfmon_extend(bx_assembly *a, uint16_t cpu, const bx_perfmon_pmus *pmus, bx_span metrics,
                       bx_cat_text source)
{
    bx_cat_cpu row = *BX_ASSEMBLED(a, bx_cat_cpu, BX_T_CPUS, cpu);
    bx_span moved = move_pmus(a, row.pmus);
    char name[32];
    bx_str text = bx_pool_str(&a->pool, row.name);
    size_t n = text.n < sizeof name - 9 ? text.n : sizeof name - 9;
    memcpy(name, text.p, n);
    memcpy(name + n, "_perfmon", 9); /* "skl_perfmon_core" beside "skl_core" */
    bx_span added = bx_perfmon_put_pmus(a, pmus, bx_str_of(name), cpu, source);
    BX_ASSEMBLED(a, bx_cat_cpu, BX_T_CPUS, cpu)->metrics = metrics;
    BX_ASSEMBLED(a, bx_cat_cpu, BX_T_CPUS, cpu)->pmus =
        (bx_span){moved.first, (uint16_t)(moved.n + added.n)};
}
