/* boxscore info: everything that the catalogue has about a name. If several things have the name,
 * such as a unit mask of many events, it shows all of them. */
#include "cli/commands/commands.h"
#include "cli/show/describe.h"
#include "cli/common/names.h"
#include "event/event.h"
#include "event/hint.h"
#include "register/register.h"

typedef struct values {
    const char *cpu, *machine;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
};

typedef struct search {
    const bx_catalog *c;
    int cpu; /* -1: all */
    bx_str name;
    bx_page page;
    size_t found;
    bx_nearest nearest;
} search;

/* Called before each page. */
static bx_page *page(search *s)
{
    if (s->found++)
        bx_buf_z(s->page.to, "\n");
    return &s->page;
}

static bool is(search *s, const char *name)
{
    bx_nearest_offer(&s->nearest, name);
    return bx_str_eq_fold(bx_str_of(name), s->name);
}

/* Whether the name is the pattern with the unit's number in it or at its end. */
static bool is_numbered(search *s, bx_cat_text pattern, unsigned units)
{
    for (unsigned unit = 0; unit < units; unit++)
        if (is(s, bx_pattern_word(s->c, pattern, unit, 0).text))
            return true;
    return is(s, bx_cat_z(s->c, pattern));
}

static void look_at_register(search *s, const bx_cat_pmu *pmu, uint16_t reg)
{
    const bx_cat_reg *r = &bx_cat_regs(s->c)[reg];
    uint64_t address;
    bool meant = is_numbered(s, r->name, pmu->unit_max);
    if (!meant && bx_register_address_parse(s->name, &address)) {
        for (unsigned unit = 0; unit < pmu->unit_max; unit++)
            meant |= bx_register_package_at(s->c, reg, unit, address) != UINT16_MAX;
    }
    if (meant)
        bx_describe_register(page(s), s->c, reg);
}

/* "skl_unc_cbo", "skl_unc_cbo3" */
static bool is_pmu(search *s, const bx_cat_pmu *pmu)
{
    bx_str name = bx_cat_str(s->c, pmu->name);
    uint64_t unit;
    if (is(s, name.p))
        return true;
    return s->name.n > name.n && bx_str_starts_fold(s->name, name) &&
           bx_str_u64(bx_str_sub(s->name, name.n, s->name.n), &unit) && unit < pmu->unit_max;
}

/* "UNC_CBO_CACHE_LOOKUP", with or without its PMU */
static bool is_event(search *s, const bx_cat_pmu *pmu, const bx_cat_event *event)
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

static void look_at_umask(search *s, const bx_cat_pmu *pmu, const bx_cat_event *event,
                          const bx_cat_umask *umask)
{
    bx_evsel selection;
    bx_buf text = {.whole = &s->page.to->failed};
    if (!is(s, bx_cat_z(s->c, umask->name)))
        return;
    bx_buf_f(&text, "%s::%s:%s", bx_cat_z(s->c, pmu->name), bx_cat_z(s->c, event->name),
             bx_cat_z(s->c, umask->name));
    if (!text.failed && !bx_event_parse(s->c, pmu->cpu, text.p, text.n, &selection, NULL))
        bx_describe_selection(page(s)->to, s->c, &selection);
    bx_buf_free(&text);
}

static void look_into_event(search *s, const bx_cat_pmu *pmu, uint16_t index)
{
    const bx_cat_event *event = &bx_cat_events(s->c)[index];
    if (is_event(s, pmu, event))
        bx_describe_event(page(s), s->c, index);
    for (unsigned i = 0; i < event->umasks.n; i++)
        look_at_umask(s, pmu, event, &bx_cat_umasks(s->c)[event->umasks.first + i]);
}

static void look_into_pmu(search *s, uint16_t index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(s->c)[index];
    if (is_pmu(s, pmu))
        bx_describe_pmu(page(s), s->c, index);
    for (unsigned i = 0; i < pmu->regs.n; i++)
        look_at_register(s, pmu, (uint16_t)(pmu->regs.first + i));
    for (unsigned i = 0; i < pmu->events.n; i++)
        look_into_event(s, pmu, (uint16_t)(pmu->events.first + i));
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        unsigned modifier = pmu->modifiers.first + i;
        if (is(s, bx_cat_z(s->c, bx_cat_modifiers(s->c)[modifier].name)))
            bx_describe_modifier(page(s), s->c, modifier);
    }
}

static void look_into_cpu(search *s, unsigned index)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(s->c)[index];
    uint64_t address;
    if (is(s, bx_cat_z(s->c, cpu->name)))
        bx_describe_cpu(page(s), s->c, index);
    for (unsigned i = 0; i < cpu->metrics.n; i++)
        if (is(s, bx_cat_z(s->c, bx_cat_metrics(s->c)[cpu->metrics.first + i].name)))
            bx_describe_metric(page(s), s->c, index, cpu->metrics.first + i);
    for (unsigned i = 0; i < cpu->metric_groups.n; i++)
        if (is(s, bx_cat_z(s->c, bx_cat_metric_groups(s->c)[cpu->metric_groups.first + i].name)))
            bx_describe_metric_group(page(s), s->c, index, cpu->metric_groups.first + i);
    for (unsigned i = 0; i < cpu->pmus.n; i++)
        look_into_pmu(s, (uint16_t)(cpu->pmus.first + i));
    for (unsigned i = 0; bx_register_address_parse(s->name, &address) && i < cpu->passives.n; i++) {
        const bx_cat_passive *p = &bx_cat_passives(s->c)[cpu->passives.first + i];
        if (p->first <= address && address <= p->last)
            bx_describe_passive(page(s), s->c, index, cpu->passives.first + i);
    }
}

/* Text that is no name may be an event string. If it looks like one, the parser's error is
 * reported. */
static int as_event(search *s)
{
    bx_error e = {0};
    bx_evsel selection;
    if (bx_event_parse(s->c, s->cpu, s->name.p, s->name.n, &selection, &e) == BX_OK) {
        bx_describe_selection(page(s)->to, s->c, &selection);
        return BX_EXIT_OK;
    }
    bool event_like = bx_str_find(s->name, ':', 0) >= 0 || bx_str_find(s->name, '/', 0) >= 0 ||
                      bx_str_find(s->name, '.', 0) >= 0;
    if (event_like)
        return bx_cli_error(&e, s->name.p);
    e = (bx_error){0};
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "the catalogue has nothing called '%s'",
            bx_quote(s->name).text);
    bx_cli_hint(&e, &s->nearest, "boxscore list WORD looks into descriptions");
    return bx_cli_error(&e, NULL);
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_subject subject;
    int status = bx_cli_subject(cli, v->cpu, v->machine, &subject);
    search s = {.c = cli->catalog, .cpu = subject.cpu, .name = bx_str_of(operands->text[0])};
    s.page = bx_page_text(&cli->out);
    s.nearest = bx_nearest_to(s.name);
    for (unsigned i = 0; !status && i < bx_catalog_cpus(s.c); i++)
        if (s.cpu < 0 || s.cpu == (int)i)
            look_into_cpu(&s, i);
    if (!status && !s.found)
        status = as_event(&s);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore info UNC_CBO_CACHE_LOOKUP", "an event: its meaning, unit masks and source"},
    {"boxscore info --cpu skl 0x700", "the register at an address, with its fields"},
    {"boxscore info --cpu skl llc_miss_ratio", "a metric: formula, meaning, when it misleads"},
    {"boxscore info skl", "a CPU model: its PMUs, metrics, and keys of a virtual machine"},
    {.line = NULL},
};

const bx_command bx_command_info = {
    .name = "info",
    .help = "show all facts of the catalogue about a name",
    .operands = "NAME",
    .text =
        "NAME is an event, with or without unit masks and modifiers, a unit mask, a modifier,\n"
        "a metric or a group of them, a PMU, a register, the address of one (0xe02, E02H), or a\n"
        "CPU model.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = 1,
    .values_size = sizeof(values),
    .run = run,
};
