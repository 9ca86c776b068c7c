/* Finds everything in the catalogue that has a name, and writes its pages. */
#include "cli/show/look_up.h"

#include "cli/show/describe_tallies.h"

#include "cli/common/names.h"
#include "cli/show/describe.h"
#include "cli/show/glossary.h"
#include "cli/show/workload_runs.h"
#include "event/event.h"
#include "event/foreign_names.h"
#include "event/hint.h"
#include "machine/machine.h"
#include "machine/modelled_events.h"
#include "register/register_name.h"

#include <string.h>

/* Called before each page. */
static bx_page *page(bx_look_up *s)
{
    if (s->found++)
        bx_buf_z(s->page.to, "\n");
    return &s->page;
}

static bool is(bx_look_up *s, const char *name)
{
    bx_nearest_offer(&s->nearest, name);
    return bx_str_eq_fold(bx_str_of(name), s->name);
}

/* Whether the name calls the register, in some unit: it alone, or in the second walk its kind. */
static bool is_register(bx_look_up *s, const bx_cat_pmu *pmu, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(s->c)[reg];
    enum bx_register_call least = s->kinds ? BX_CALLS_KIND : BX_CALLS_ONE;
    bool called = is(s, bx_cat_z(s->c, r->name));
    for (unsigned unit = 0; !called && unit < pmu->unit_max; unit++) {
        bx_nearest_offer(&s->nearest, bx_pattern_word(s->c, r->name, unit, 0).text);
        called = bx_register_called(s->c, reg, unit, s->name) >= least;
    }
    return called;
}

/* Whether the page of an earlier register of the kind shows these fields, too. */
static bool is_shown(const bx_look_up *s, uint16_t reg)
{
    bx_span fields = bx_cat_regs(s->c)[reg].fields;
    return s->kinds && fields.n && s->last_fields == fields.first + 1U;
}

static void look_at_register(bx_look_up *s, const bx_cat_pmu *pmu, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(s->c)[reg];
    uint64_t address;
    bool meant = is_register(s, pmu, reg);
    if (!meant && bx_register_address_parse(s->name, &address)) {
        meant = r->former && r->former == address;
        for (unsigned unit = 0; unit < pmu->unit_max; unit++)
            meant |= bx_register_package_at(s->c, reg, unit, address) != UINT16_MAX;
    }
    if (!meant || is_shown(s, reg))
        return;
    bx_describe_register(page(s), s->c, reg);
    s->last_fields = r->fields.first + 1U;
}

/* Fields of this name, "FRZ_ON_PMI", or with their register's, "MSR_UNC_PERF_GLOBAL_CTRL.EN". */
static void look_at_fields(bx_look_up *s, unsigned pmu, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(s->c)[reg];
    bx_str field = s->name, of = bx_str_cut(&field, '.');
    bool dotted = field.p;
    if (!dotted)
        field = s->name;
    for (unsigned i = r->fields.first; i < (unsigned)r->fields.first + r->fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(s->c)[i];
        bool first = f->reg == reg; /* equal registers share their fields */
        if (!dotted && first && is(s, bx_cat_z(s->c, f->name)))
            bx_describe_field(page(s), s->c, pmu, i);
        else if (dotted && bx_str_eq_fold(field, bx_cat_str(s->c, f->name)) &&
                 bx_register_called(s->c, reg, 0, of))
            bx_describe_field(page(s), s->c, pmu, i);
    }
}

/* "skl_unc_cbo", "skl_unc_cbo3" */
static bool is_pmu(bx_look_up *s, const bx_cat_pmu *pmu)
{
    bx_str name = bx_cat_str(s->c, pmu->name);
    uint64_t unit;
    if (is(s, name.p))
        return true;
    return s->name.n > name.n && bx_str_starts_fold(s->name, name) &&
           bx_str_u64(bx_str_sub(s->name, name.n, s->name.n), &unit) && unit < pmu->unit_max;
}

/* "UNC_CBO_CACHE_LOOKUP", with or without its PMU */
static bool is_event(bx_look_up *s, const bx_cat_pmu *pmu, const bx_cat_event *event)
{
    bx_str name = s->name;
    bx_str prefix = bx_cat_str(s->c, pmu->name);
    if (is(s, bx_cat_z(s->c, event->name)) || (event->alias && is(s, bx_cat_z(s->c, event->alias))))
        return true;
    if (!bx_str_starts_fold(name, prefix))
        return false;
    name = bx_str_sub(name, prefix.n, name.n);
    return bx_str_starts_fold(name, BX_STR("::")) &&
           bx_str_eq_fold(bx_str_sub(name, 2, name.n), bx_cat_str(s->c, event->name));
}

/* ---- which workloads show it ---- */

/* Free *runs in any case. The first error remains. */
static void run_workloads(bx_look_up *s, bx_workload_runs *runs, unsigned cpu,
                          bx_workload_scope scope)
{
    *runs = (bx_workload_runs){.c = s->c};
    if (s->workloads && !s->code)
        s->code = bx_workload_runs_open(s->c, runs, &s->error);
    if (s->workloads && !s->code)
        s->code = bx_workload_runs_add(runs, cpu, scope, &s->error);
}

/* The virtual machine whose model tells what events add up. NULL: there is none. */
static const bx_machine *model_of(bx_look_up *s, unsigned cpu)
{
    if (s->machine)
        return bx_machine_vpmu(s->machine) ? s->machine : NULL;
    if (s->opened && s->opened_cpu == cpu)
        return s->opened;
    bx_error e = {0};
    bx_buf spec = {.whole = &s->page.to->failed};
    bx_machine_close(s->opened);
    s->opened = NULL;
    s->opened_cpu = cpu;
    bx_buf_f(&spec, "virtual:%s", bx_cat_z(s->c, bx_cat_cpus(s->c)[cpu].name));
    int code = spec.failed ? BX_OK : bx_machine_open(s->c, spec.p, &s->opened, &e);
    if (code && code != BX_NOT_FOUND && !s->code) { /* no model imitates some CPUs */
        s->code = code;
        s->error = e;
    }
    bx_buf_free(&spec);
    return s->opened;
}

static void show_selection(bx_look_up *s, const char *text, const bx_evsel *selection)
{
    unsigned cpu = bx_cat_pmus(s->c)[selection->pmu].cpu;
    bx_workload_runs runs;
    run_workloads(s, &runs, cpu,
                  (bx_workload_scope){.event = BX_NONE, .metric = BX_NONE, .string = text});
    bx_describe_selection(page(s)->to, s->c, selection);
    const bx_machine *model = model_of(s, cpu);
    if (model)
        bx_describe_tallies_of(&s->page, model, selection);
    if (s->workloads && !s->code)
        bx_describe_workloads(&s->page, &runs, cpu, &runs.string);
    bx_workload_runs_close(&runs);
}

static void show_metric(bx_look_up *s, unsigned cpu, unsigned metric)
{
    bx_workload_runs runs;
    run_workloads(s, &runs, cpu, (bx_workload_scope){.event = BX_NONE, .metric = metric});
    bx_describe_metric(page(s), s->c, cpu, metric, s->workloads && !s->code ? &runs : NULL);
    bx_workload_runs_close(&runs);
}

/* ---- the walk ---- */

static void look_at_umask(bx_look_up *s, const bx_cat_pmu *pmu, unsigned umask)
{
    bx_evsel selection;
    if (!is(s, bx_cat_z(s->c, bx_cat_umasks(s->c)[umask].name)))
        return;
    bx_word name = bx_umask_name_word(s->c, umask);
    if (!bx_event_parse(s->c, pmu->cpu, name.text, strlen(name.text), &selection, NULL))
        show_selection(s, name.text, &selection);
}

static void look_into_event(bx_look_up *s, const bx_cat_pmu *pmu, uint16_t index)
{
    const bx_cat_event *event = &bx_cat_events(s->c)[index];
    if (is_event(s, pmu, event)) {
        bx_workload_runs runs;
        run_workloads(s, &runs, pmu->cpu, (bx_workload_scope){.event = index, .metric = BX_NONE});
        bx_describe_event(page(s), s->c, index, s->workloads && !s->code ? &runs : NULL);
        const bx_machine *model = model_of(s, (unsigned)pmu->cpu);
        if (model)
            bx_describe_tallies(&s->page, model, index);
        bx_workload_runs_close(&runs);
    }
    for (unsigned i = 0; i < event->umasks.n; i++)
        look_at_umask(s, pmu, event->umasks.first + i);
}

static void look_into_pmu(bx_look_up *s, uint16_t index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(s->c)[index];
    if (is_pmu(s, pmu))
        bx_describe_pmu(page(s), s->c, index);
    s->last_fields = 0;
    for (unsigned i = 0; i < pmu->regs.n; i++)
        look_at_register(s, pmu, (uint16_t)(pmu->regs.first + i));
    if (s->kinds)
        return;
    for (unsigned i = 0; i < pmu->events.n; i++)
        look_into_event(s, pmu, (uint16_t)(pmu->events.first + i));
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        unsigned modifier = pmu->modifiers.first + i;
        if (is(s, bx_cat_z(s->c, bx_cat_modifiers(s->c)[modifier].name)))
            bx_describe_modifier(page(s), s->c, modifier);
    }
    for (unsigned i = 0; i < pmu->regs.n; i++)
        look_at_fields(s, index, (uint16_t)(pmu->regs.first + i));
}

/* perf's words for events of the CPU's cores. */
static void look_at_words(bx_look_up *s, unsigned index)
{
    bx_span pmus = bx_cat_cpus(s->c)[index].pmus;
    bx_evsel selection;
    for (uint16_t i = pmus.first; i < pmus.first + pmus.n; i++) {
        bx_span names = bx_cat_pmus(s->c)[i].perf_names;
        for (unsigned k = 0; k < names.n; k++) {
            const char *name = bx_cat_z(s->c, bx_cat_other_names(s->c)[names.first + k].name);
            if (bx_kernel_is_word(s->c, i, k) && is(s, name) &&
                !bx_event_parse(s->c, (int)index, name, strlen(name), &selection, NULL))
                show_selection(s, name, &selection);
        }
    }
}

/* Events of a kernel that models count. */
static void look_at_kernel(bx_look_up *s)
{
    const bx_modelled_name *name;
    for (size_t i = 0; (name = bx_modelled_event_at(i)); i++) {
        if (!is(s, name->name))
            continue;
        bx_page *p = page(s);
        bx_page_subject(p, "kernel event", name->name, name->title, true);
        bx_page_row(p, "counts", "%s", name->counts);
        if (name->means)
            bx_page_row(p, "means", "%s", name->means);
        bx_page_row(p, "machines", "a virtual machine's model counts it, a host's kernel");
    }
}

static void look_into_cpu(bx_look_up *s, unsigned index)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(s->c)[index];
    uint64_t address;
    uint16_t metric = bx_cat_find_metric(s->c, (uint16_t)index, s->name);
    look_at_words(s, index);
    if (is(s, bx_cat_z(s->c, cpu->name)))
        bx_describe_cpu(page(s), s->c, index);
    for (unsigned i = 0; i < cpu->metrics.n; i++)
        if (is(s, bx_cat_z(s->c, bx_cat_metrics(s->c)[cpu->metrics.first + i].name)) ||
            metric == cpu->metrics.first + i)
            show_metric(s, index, cpu->metrics.first + i);
    for (unsigned i = 0; i < cpu->metric_groups.n; i++)
        if (is(s, bx_cat_z(s->c, bx_cat_metric_groups(s->c)[cpu->metric_groups.first + i].name)))
            bx_describe_metric_group(page(s), s->c, index, cpu->metric_groups.first + i);
    for (unsigned i = 0; i < cpu->pmus.n; i++)
        look_into_pmu(s, (uint16_t)(cpu->pmus.first + i));
    const bx_cat_map_row *row =
        bx_register_address_parse(s->name, &address)
            ? bx_map_find(s->c, index, BX_SPACE_MSR, address, NULL, NULL).row
            : NULL;
    if (row && row->passive != BX_NONE)
        bx_describe_passive(page(s), s->c, index, row->passive);
}

/* The second walk: registers that the name calls as a kind, such as S_MSR_MATCH. */
static void look_for_kinds(bx_look_up *s)
{
    s->kinds = true;
    for (unsigned i = 0; i < bx_catalog_cpus(s->c); i++)
        for (unsigned k = 0; (s->cpu < 0 || s->cpu == (int)i) && k < bx_cat_cpus(s->c)[i].pmus.n;
             k++)
            look_into_pmu(s, (uint16_t)(bx_cat_cpus(s->c)[i].pmus.first + k));
}

/* Text that is no name may be an event string. If it looks like one, the parser's error is
 * reported. */
static int as_event(bx_look_up *s, bx_error *e)
{
    bx_error own = {0};
    bx_evsel selection;
    if (bx_event_parse(s->c, s->cpu, s->name.p, s->name.n, &selection, &own) == BX_OK) {
        show_selection(s, s->name.p, &selection);
        return BX_OK;
    }
    bool event_like = bx_str_find(s->name, ':', 0) >= 0 || bx_str_find(s->name, '/', 0) >= 0 ||
                      bx_str_find(s->name, '.', 0) >= 0;
    if (event_like) {
        *e = own;
        e->code = BX_BAD_INPUT;
        return e->code;
    }
    return bx_fail(e, BX_NOT_FOUND, 0, 0, "the catalogue has nothing called '%s'",
                   bx_quote(s->name).text);
}

/* CPUs that no model imitates are like others: they are looked into if they are named, or if the
 * others lack the name. */
static void look_into_cpus(bx_look_up *s)
{
    for (unsigned i = 0; i < bx_catalog_cpus(s->c); i++)
        if (s->cpu == (int)i || (s->cpu < 0 && bx_cpu_is_modelled(s->c, i)))
            look_into_cpu(s, i);
    for (unsigned i = 0; i < bx_catalog_cpus(s->c) && !s->found; i++)
        if (s->cpu < 0 && !bx_cpu_is_modelled(s->c, i))
            look_into_cpu(s, i);
}

int bx_look_up_show(bx_look_up *s, bx_error *e)
{
    s->nearest = bx_nearest_to(s->name);
    look_into_cpus(s);
    look_at_kernel(s);
    s->found += bx_glossary_show(&s->page, s->name, &s->nearest, s->found);
    if (!s->found)
        look_for_kinds(s);
    int code = s->found ? BX_OK : as_event(s, e);
    bx_machine_close(s->opened);
    s->opened = NULL;
    if (!code && s->code) {
        *e = s->error;
        code = s->code;
        s->page.to->n = 0; /* all or nothing */
    }
    return code;
}
