/* boxscore list: lists events with their unit masks, and metrics: all of them, or those that match
 * words and globs. */
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/show/list_kernel.h"
#include "cli/show/describe.h"
#include "cli/show/list_metrics.h"
#include "cli/show/list_words.h"
#include "cli/show/modelled.h"
#include "cli/show/workload_runs.h"
#include "cli/show/word_match.h"
#include "cli/common/names.h"
#include "event/event.h"
#include "event/hint.h"
#include "machine/kernel_events.h"
#include "measure/kernel_names.h"
#include "register/register.h"

#include <stdio.h>
#include <string.h>

typedef struct values {
    const char *cpu, *machine, *root;
    bool modelled, metrics, workloads, json;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, root),
    {.name = "modelled",
     .kind = BX_OPTION_FLAG,
     .help = "only events that the machine model of the virtual machine produces",
     .offset = offsetof(values, modelled)},
    {.name = "metrics",
     .kind = BX_OPTION_FLAG,
     .help = "only metrics, by group; `stat -M` takes these names",
     .offset = offsetof(values, metrics)},
    {.name = "workloads",
     .kind = BX_OPTION_FLAG,
     .help = "run workloads on a virtual machine, and name those that make an event count",
     .offset = offsetof(values, workloads)},
    BX_OPTION_JSON(values),
};

/* A line of the list: an event, or an event with one of its unit masks. */
typedef struct entry {
    const bx_cat_pmu *pmu;
    const bx_cat_event *event;
    const bx_cat_umask *umask; /* or NULL */
    bx_str name;               /* "pmu::EVENT:UMASK" */
    size_t prefix;             /* length of its "pmu::" */
    const char *title;
} entry;

typedef struct list {
    bx_cli *cli;
    const bx_texts *patterns;
    bool modelled;       /* only events that a machine model produces, */
    bx_machine *machine; /* namely this machine's model */
    bx_buf name;         /* name of the present entry */
    bx_buf *to;
    bx_json json;
    bool as_json;
    bool only_metrics;
    bool runs_workloads;
    bx_workload_runs runs;     /* with runs_workloads: of the present CPU */
    bx_metric_list metrics;    /* the metrics of the present CPU */
    const bx_cat_pmu *pmu;     /* PMU of the last heading */
    const bx_cat_event *event; /* event of the last heading */
    size_t found;
} list;

/* ---- which entries are listed ---- */

/* Whether the pattern matches a name that is accepted for the event, but never printed. */
static bool matches_alias(const bx_catalog *c, const bx_cat_event *event, bx_str pattern)
{
    const bx_str others[] = {bx_cat_str(c, event->alias), bx_cat_str(c, event->libpfm)};
    bool found = bx_word_matches(pattern, others, sizeof others / sizeof *others);
    for (unsigned i = 0; i < event->aliases.n && !found; i++) {
        bx_str name = bx_cat_str(c, bx_cat_aliases(c)[event->aliases.first + i].name);
        found = bx_word_matches(pattern, &name, 1);
    }
    return found;
}

/* Whether the word is one of the event's codes, as 0x34 or 34H. */
static bool is_code(const bx_catalog *c, const bx_cat_event *event, bx_str word)
{
    uint64_t code;
    bool marked = bx_str_starts_fold(word, BX_STR("0x")) ||
                  (word.n > 1 && bx_lower(word.p[word.n - 1]) == 'h');
    unsigned index = (unsigned)(event - bx_cat_events(c));
    if (!marked || !bx_register_address_parse(word, &code))
        return false;
    for (unsigned i = 0; i < bx_event_codes(c, index); i++)
        if (bx_event_code_at(c, index, i).value == code)
            return true;
    return false;
}

/* A glob matches a whole name, with or without its PMU, or a whole description. */
static bool matches(const bx_catalog *c, const entry *e, bx_str pattern)
{
    const bx_str texts[] = {e->name, bx_str_of(e->title), bx_cat_str(c, e->event->title),
                            bx_word_is_glob(pattern) ? bx_str_sub(e->name, e->prefix, e->name.n)
                                                     : bx_cat_str(c, e->pmu->title),
                            bx_cat_str(c, e->event->topics)};
    return bx_word_matches(pattern, texts, sizeof texts / sizeof *texts) ||
           matches_alias(c, e->event, pattern) || is_code(c, e->event, pattern);
}

static bool produced(list *l, const entry *e)
{
    const bx_catalog *c = l->cli->catalog;
    bx_buf text = {.whole = &l->to->failed};
    unsigned umask = e->umask ? (unsigned)(e->umask - bx_cat_umasks(c)) : BX_NONE;
    bool yes = bx_modelled(l->machine, (unsigned)(e->event - bx_cat_events(c)), umask, &text);
    bx_buf_free(&text);
    return yes;
}

static bool has_words(const list *l, const entry *e)
{
    for (size_t i = 0; i < l->patterns->n; i++)
        if (!matches(l->cli->catalog, e, bx_str_of(l->patterns->text[i])))
            return false;
    return true;
}

/* An event is also found by the words of a metric that is computed from it. */
static bool is_listed(list *l, const entry *e)
{
    uint16_t event = (uint16_t)(e->event - bx_cat_events(l->cli->catalog));
    if (!has_words(l, e) && !bx_metric_list_needs(&l->metrics, event, e->umask))
        return false;
    return !l->machine || produced(l, e);
}

/* ---- output ---- */

static void heading(list *l, const entry *e)
{
    const bx_catalog *c = l->cli->catalog;
    if (l->pmu != e->pmu) {
        if (l->to->n)
            bx_buf_z(l->to, "\n");
        bx_buf_z(l->to, bx_cat_z(c, e->pmu->title));
        bx_buf_z(l->to, "\n");
        l->pmu = e->pmu;
    }
    if (e->umask && l->event != e->event) {
        bx_buf_z(l->to, "  ");
        bx_buf_z(l->to, bx_cat_z(c, e->event->title));
        bx_buf_z(l->to, "\n");
    }
    l->event = e->event;
}

static const bx_workload_row *row_of(const list *l, const entry *e)
{
    const bx_catalog *c = l->cli->catalog;
    return e->umask ? &l->runs.umasks[e->umask - bx_cat_umasks(c)]
                    : &l->runs.events[e->event - bx_cat_events(c)];
}

/* What the workloads have told. */
static void show_runs(const list *l, const entry *e)
{
    bx_buf_z(l->to, "        ");
    bx_workloads_phrase(l->to, row_of(l, e));
    bx_buf_z(l->to, "\n");
}

static void show_text(list *l, const entry *e)
{
    heading(l, e);
    size_t line = l->to->n;
    bx_buf_z(l->to, "    ");
    bx_buf_str(l->to, e->name);
    bx_add_column(l->to, line, 58);
    bx_buf_z(l->to, bx_counters_word(l->cli->catalog, e->event).text);
    bx_add_column(l->to, line, 63);
    bx_buf_z(l->to, e->title);
    bx_buf_z(l->to, "\n");
    if (l->runs_workloads)
        show_runs(l, e);
}

/* The runs in which the event counts: an array, empty if there is none. */
static void json_runs(list *l, const entry *e)
{
    const bx_workload_row *row = row_of(l, e);
    bx_json_open(&l->json, "counts-in", '[');
    for (size_t i = 0; bx_run_name(i); i++)
        if (row->runs >> i & 1)
            bx_json_text(&l->json, NULL, bx_run_name(i));
    bx_json_close(&l->json, ']');
}

static void json_counters(bx_json *j, const bx_catalog *c, const bx_cat_event *event)
{
    unsigned flags = bx_pmu_counter(c, event->pmu, bx_lowest_bit(event->counters))->flags;
    bx_json_open(j, "counters", '[');
    for (unsigned i = 0; !(flags & BX_COUNTER_FIXED) && i < 32; i++)
        if (event->counters >> i & 1)
            bx_json_number(j, NULL, i);
    bx_json_close(j, ']');
    bx_json_text(j, "kind",
                 flags & BX_COUNTER_FREE    ? "free-running"
                 : flags & BX_COUNTER_FIXED ? "fixed"
                                            : "programmable");
}

/* Its code and the field that has it. Equal places of a slot have a code each. */
static void json_codes(bx_json *j, const bx_catalog *c, unsigned event)
{
    unsigned n = bx_event_codes(c, event);
    bx_event_code first = bx_event_code_at(c, event, 0);
    bx_json_hex(j, "code", first.value);
    bx_json_text(j, "code-field",
                 first.field == BX_NONE ? NULL : bx_cat_z(c, bx_cat_fields(c)[first.field].name));
    if (n == 1)
        return;
    bx_json_open(j, "codes", '[');
    for (unsigned i = 0; i < n; i++)
        bx_json_hex(j, NULL, bx_event_code_at(c, event, i).value);
    bx_json_close(j, ']');
}

static void show_json(list *l, const entry *e)
{
    const bx_catalog *c = l->cli->catalog;
    bx_json *j = &l->json;
    const char *counts = bx_cat_z(c, e->event->unit);
    if (e->umask && e->umask->unit)
        counts = bx_cat_z(c, e->umask->unit);
    bx_json_open(j, NULL, '{');
    bx_json_text(j, "event", e->name.p);
    bx_json_text(j, "pmu", bx_cat_z(c, e->pmu->name));
    bx_json_text(j, "cpu", bx_cat_z(c, bx_cat_cpus(c)[e->pmu->cpu].name));
    bx_json_text(j, "title", bx_cat_z(c, e->event->title));
    bx_json_text(j, "umask-title", e->umask ? e->title : NULL);
    json_codes(j, c, (unsigned)(e->event - bx_cat_events(c)));
    bx_json_hex(j, "umask", e->umask ? e->umask->value : 0);
    json_counters(j, c, e->event);
    bx_json_text(j, "counts", counts);
    if (l->runs_workloads)
        json_runs(l, e);
    bx_json_close(j, '}');
}

/* ---- the walk ---- */

static void offer(list *l, const bx_cat_event *event, const bx_cat_umask *umask)
{
    const bx_catalog *c = l->cli->catalog;
    entry e = {.pmu = &bx_cat_pmus(c)[event->pmu], .event = event, .umask = umask};
    bx_buf *name = &l->name;
    name->n = 0;
    bx_buf_z(name, bx_cat_z(c, e.pmu->name));
    bx_buf_z(name, "::");
    e.prefix = name->n;
    bx_buf_z(name, bx_cat_z(c, event->name));
    if (umask) {
        bx_buf_z(name, ":");
        bx_buf_z(name, bx_cat_z(c, umask->name));
    }
    e.name = (bx_str){name->p, name->n};
    e.title = bx_cat_z(c, umask ? umask->title : event->title);
    if (name->failed || !is_listed(l, &e))
        return;
    l->found++;
    if (l->as_json)
        show_json(l, &e);
    else
        show_text(l, &e);
}

static void list_pmu(list *l, const bx_cat_pmu *pmu)
{
    const bx_catalog *c = l->cli->catalog;
    for (unsigned i = 0; i < pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[pmu->events.first + i];
        if (!event->umasks.n)
            offer(l, event, NULL);
        for (unsigned j = 0; j < event->umasks.n; j++) {
            const bx_cat_umask *umask = &bx_cat_umasks(c)[event->umasks.first + j];
            if (!(umask->flags & BX_UMASK_ALIAS))
                offer(l, event, umask);
        }
    }
}

/* Opens the machine whose model decides: the named one, or the CPU's default virtual machine. */
static int open_model(list *l, unsigned cpu, bx_error *e)
{
    char spec[64];
    snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(l->cli->catalog, cpu));
    return bx_machine_open(l->cli->catalog, spec, &l->machine, e);
}

/* Runs the workloads on a machine of the CPU. */
static int run_workloads(list *l, unsigned cpu)
{
    const bx_workload_scope all = {.event = BX_NONE, .metric = BX_NONE};
    bx_error e = {0};
    bx_workload_runs_close(&l->runs);
    int code = bx_workload_runs_open(l->cli->catalog, &l->runs, &e);
    if (!code)
        code = bx_workload_runs_add(&l->runs, cpu, all, &e);
    return code ? bx_cli_error(&e, NULL) : BX_EXIT_OK;
}

static int list_cpu(list *l, unsigned cpu, bx_machine *machine)
{
    bx_error e = {0};
    if (l->runs_workloads && run_workloads(l, cpu))
        return BX_EXIT_ERROR;
    l->machine = l->modelled ? machine : NULL;
    if (l->modelled && !machine && open_model(l, cpu, &e))
        return bx_cli_error(&e, NULL);
    l->metrics = (bx_metric_list){.catalog = l->cli->catalog,
                                  .cpu = (uint16_t)cpu,
                                  .words = l->patterns,
                                  .model = l->machine};
    if (l->only_metrics || l->patterns->n)
        l->found += bx_list_metrics(&l->metrics, l->to, l->as_json ? &l->json : NULL);
    bool kernels = machine && bx_machine_perf(machine); /* it lists its own words */
    if (l->patterns->n && !l->only_metrics && !kernels)
        l->found += bx_list_words(l->cli->catalog, cpu, l->patterns, l->machine, l->to,
                                  l->as_json ? &l->json : NULL);
    bx_span pmus = bx_cat_cpus(l->cli->catalog)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n && !l->only_metrics; i++)
        list_pmu(l, &bx_cat_pmus(l->cli->catalog)[pmus.first + i]);
    if (!machine)
        bx_machine_close(l->machine);
    return BX_EXIT_OK;
}

/* Nothing was found: the first pattern may be a misspelt name. */
static int nothing(const list *l, int cpu)
{
    const bx_catalog *c = l->cli->catalog;
    bx_error e = {0};
    if (!l->patterns->n) {
        bx_fail(&e, BX_NOT_FOUND, 0, 0, "%s",
                l->only_metrics ? "the CPU has no metrics"
                                : "the machine model produces none of the events");
        return bx_cli_error(&e, NULL);
    }
    bx_str word = bx_str_of(l->patterns->text[0]);
    bx_nearest nearest = bx_nearest_to(word);
    for (unsigned i = 0; i < c->metrics.n; i++)
        bx_nearest_offer(&nearest, bx_cat_z(c, bx_cat_metrics(c)[i].name));
    for (unsigned i = 0; i < c->pmus.n && !l->only_metrics; i++) {
        if (cpu >= 0 && bx_cat_pmus(c)[i].cpu != cpu)
            continue;
        bx_nearest_offer(&nearest, bx_cat_z(c, bx_cat_pmus(c)[i].name));
        bx_nearest_offer_events(&nearest, c, &bx_cat_pmus(c)[i]);
    }
    bx_fail(&e, BX_NOT_FOUND, 0, 0, "no %s has '%s'%s in its name or description",
            l->only_metrics ? "metric" : "event or metric", bx_quote(word).text,
            l->patterns->n > 1 ? " and all the other words" : "");
    bx_cli_hint(&e, &nearest,
                l->only_metrics ? "boxscore list --metrics shows all of them"
                                : "boxscore list shows all events");
    return bx_cli_error(&e, NULL);
}

/* Lists the events of a host's kernel. If no others can be counted, says so first. */
static void list_kernel(list *l, bx_machine *machine)
{
    const char *remark = l->as_json ? NULL : bx_kernel_remark(machine, &l->cli->arena);
    if (remark)
        bx_buf_f(l->to, "%s\n", remark);
    l->found += bx_list_kernel(machine, l->patterns, l->to, l->as_json ? &l->json : NULL);
}

/* Whether a CPU is among all. CPUs that no model imitates are like others: they are listed if they
 * are named, or if the others have nothing. */
static bool is_of_all(const list *l, unsigned cpu)
{
    return bx_cat_is_virtual(l->cli->catalog, &bx_cat_cpus(l->cli->catalog)[cpu]);
}

static int list_all(list *l, const bx_subject *subject)
{
    int status = BX_EXIT_OK;
    l->cli->long_text = !l->as_json;
    if (l->as_json)
        bx_json_open(&l->json, NULL, '[');
    else
        bx_buf_z(l->to, "name; counters or unit; what it is. boxscore info NAME explains one\n");
    for (unsigned i = 0; !status && i < bx_catalog_cpus(l->cli->catalog); i++)
        if (subject->cpu == (int)i || (!subject->machine && subject->cpu < 0 && is_of_all(l, i)))
            status = list_cpu(l, i, subject->machine);
    for (unsigned i = 0; !status && !l->found && i < bx_catalog_cpus(l->cli->catalog); i++)
        if (!subject->machine && subject->cpu < 0 && !l->modelled && !is_of_all(l, i))
            status = list_cpu(l, i, subject->machine);
    if (!status && subject->machine && !l->modelled && !l->only_metrics)
        list_kernel(l, subject->machine);
    if (!status && !l->found && !l->to->failed)
        status = nothing(l, subject->cpu);
    if (status)
        l->to->n = 0;
    else if (l->as_json) {
        bx_json_close(&l->json, ']');
        bx_buf_z(l->to, "\n");
    }
    return status;
}

static int run_list(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *machine = v->root && !v->cpu && !v->machine ? "host" : v->machine;
    bx_subject subject;
    int status = bx_cli_subject_at(cli, v->cpu, machine, v->root, &subject);
    list l = {
        .cli = cli,
        .patterns = operands,
        .modelled = v->modelled,
        .name = {.whole = &cli->out.failed},
        .to = &cli->out,
        .json = {.to = &cli->out},
        .as_json = v->json,
        .only_metrics = v->metrics,
        .runs_workloads = v->workloads,
    };
    if (!status)
        status = list_all(&l, &subject);
    cli->out.failed |= l.name.failed;
    bx_buf_free(&l.name);
    bx_workload_runs_close(&l.runs);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore list --cpu skl lookup",
     "events of a 6th generation Core whose name or description has the word"},
    {"boxscore list 'UNC_C_TOR_*'", "events of all CPUs whose name matches the glob"},
    {"boxscore list --cpu skl bandwidth", "metrics that answer the question, and their events"},
    {"boxscore list --metrics --cpu skl", "all metrics by group, for 'stat -M'"},
    {"boxscore list --modelled --workloads --cpu skl",
     "what a virtual machine counts, and in which workloads"},
    {"boxscore list --machine host", "events that can be counted on this machine"},
    {.line = NULL},
};

const bx_command bx_command_list = {
    .name = "list",
    .help = "list events and metrics: all, or those that match all words",
    .operands = "[WORD|GLOB...]",
    .text = "A WORD is searched in names, descriptions and topics. It must be the beginning of a\n"
            "word there: 'ratio' finds llc_miss_ratio but not 'operation'. A glob ('*', '?') must\n"
            "match a whole name or description. An event's code is a word, too: 0x34, 34H. With "
            "words, matching metrics come first, and their\n"
            "events are listed, too. Columns: name; the counters that can count an event, or the\n"
            "unit of a metric; description.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = SIZE_MAX,
    .values_size = sizeof(values),
    .run = run_list,
};
