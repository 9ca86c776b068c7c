/* boxscore metric: the value of a metric from given values of its events. */
#include "base/json.h"
#include "cli/commands/commands.h"
#include "event/hint.h"
#include "metric/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    const char *cpu, *machine, *root;
    bx_texts values;
    bool json;
} values;

static const bx_option options[] = {
    BX_OPTION_CPU(values),
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, root),
    {.name = "value",
     .kind = BX_OPTION_TEXTS,
     .metavar = "NAME=NUMBER",
     .help = "the value of an event or a constant of the formula",
     .offset = offsetof(values, values)},
    BX_OPTION_JSON(values),
};

/* ---- names ---- */

/* Names that Intel's files, perf and boxscore have for one constant, and the factor from the first
 * to the others. */
static const struct {
    const char *name, *other;
    double factor; /* `name` = factor * `other` */
} constants[] = {
    {"DURATIONTIMEINSECONDS", "DURATIONTIMEINMILLISECONDS", 0.001},
    {"DURATIONTIMEINMILLISECONDS", "DURATIONTIMEINSECONDS", 1000},
    {"DURATIONTIMEINMILLISECONDS", "duration_time", 1000},
    {"DURATIONTIMEINSECONDS", "duration_time", 1},
    {"duration_time", "DURATIONTIMEINSECONDS", 1},
    {"duration_time", "DURATIONTIMEINMILLISECONDS", 0.001},
    {"seconds", "duration_time", 1},
    {"SOCKET_COUNT", "#num_packages", 1},
    {"#num_packages", "SOCKET_COUNT", 1},
    {"SYSTEM_TSC_FREQ", "#SYSTEM_TSC_FREQ", 1},
    {"#SYSTEM_TSC_FREQ", "SYSTEM_TSC_FREQ", 1},
    {"HYPERTHREADING_ON", "#SMT_on", 1},
    {"HYPERTHREADING_ON", "smt_on", 1},
    {"THREADS_PER_CORE", "threads", 1},
    {"#SMT_on", "HYPERTHREADING_ON", 1},
    {"smt_on", "HYPERTHREADING_ON", 1},
    {"smt_on", "#SMT_on", 1},
};

typedef struct evaluation {
    const bx_texts *values;
    bx_names missing; /* names without a value */
} evaluation;

/* Whether both are one name. A function of an event is written "source_count(EVENT)", too. */
static bool has_value_name(bx_str given_name, bx_str name)
{
    ptrdiff_t blank = bx_str_find(name, ' ', 0);
    if (bx_str_eq_fold(given_name, name))
        return true;
    size_t n = blank > 0 ? (size_t)blank : 0;
    return n && given_name.n == name.n + 1 && given_name.p[n] == '(' &&
           given_name.p[name.n] == ')' && bx_str_starts_fold(given_name, bx_str_sub(name, 0, n)) &&
           bx_str_eq_fold(bx_str_sub(given_name, n + 1, name.n - n - 1),
                          bx_str_sub(name, n + 1, name.n));
}

/* The number after the last '=' of the text, if the name before it is this one. */
static bool is_value(const char *text, bx_str name, double *value)
{
    const char *equals = strrchr(text, '=');
    char *end;
    if (!equals || !equals[1] || !has_value_name((bx_str){text, (size_t)(equals - text)}, name))
        return false;
    *value = strtod(equals + 1, &end);
    return !*end;
}

static bool given(const evaluation *v, bx_str name, double *value)
{
    for (size_t i = 0; i < v->values->n; i++)
        if (is_value(v->values->text[i], name, value))
            return true;
    return false;
}

static bool look_up_value(void *context, bx_str name, double *value)
{
    evaluation *v = context;
    if (given(v, name, value))
        return true;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (bx_str_eq_fold(name, bx_str_of(constants[i].name)) &&
            given(v, bx_str_of(constants[i].other), value)) {
            *value *= constants[i].factor;
            return true;
        }
    if (v->missing.n < 8)
        bx_names_add(&v->missing, bx_quote(name).text);
    return false;
}

/* ---- the command ---- */

/* A metric by its name or a former one, or by Intel's longer one. cpu -1: of any. */
static uint16_t find_metric(const bx_catalog *c, int cpu, const char *name, bx_nearest *near)
{
    unsigned first = cpu < 0 ? 0 : (unsigned)cpu, end = cpu < 0 ? c->cpus.n : first + 1;
    uint16_t other = BX_NONE;
    for (unsigned of = first; of < end; of++) {
        uint16_t found = bx_cat_find_metric(c, (uint16_t)of, bx_str_of(name));
        if (found != BX_NONE)
            return found;
        bx_span span = bx_cat_cpus(c)[of].metrics;
        for (unsigned i = span.first; i < (unsigned)span.first + span.n; i++) {
            const bx_cat_metric *m = &bx_cat_metrics(c)[i];
            bx_nearest_offer(near, bx_cat_z(c, m->name));
            if (m->topics && bx_str_eq_fold(bx_cat_str(c, m->topics), bx_str_of(name)))
                other = (uint16_t)i;
        }
    }
    return other;
}

static const char *reason_of(enum bx_metric_state state)
{
    return state == BX_METRIC_UNDEFINED ? "it is divided by 0" : "a value is missing";
}

static void metric_json(bx_json *j, const bx_catalog *c, const bx_cat_metric *m, double value,
                        enum bx_metric_state state, const char *missing)
{
    bx_json_open(j, NULL, '{');
    bx_json_text(j, "metric", bx_cat_z(c, m->name));
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    bx_json_raw(j, "value", state == BX_METRIC_OK ? number : "null");
    bx_json_text(j, "unit", bx_cat_z(c, m->unit));
    if (state != BX_METRIC_OK)
        bx_json_text(j, "reason", reason_of(state));
    if (state == BX_METRIC_NOT_MEASURED)
        bx_json_text(j, "missing", missing);
    bx_json_text(j, "formula", bx_cat_z(c, m->formula));
    bx_json_close(j, '}');
    bx_buf_z(j->to, "\n");
}

static int show_metric_value(bx_cli *cli, const values *v, int cpu, const char *name)
{
    const bx_catalog *c = cli->catalog;
    bx_error e = {0};
    bx_nearest near = bx_nearest_to(bx_str_of(name));
    uint16_t metric = find_metric(c, cpu, name, &near);
    if (metric == BX_NONE) {
        bx_fail(&e, BX_NOT_FOUND, 0, 0, "there is no metric '%s'", bx_quote(bx_str_of(name)).text);
        bx_cli_hint(&e, &near, "boxscore list --metrics shows all of them");
        return bx_cli_error(&e, NULL);
    }
    const bx_cat_metric *m = &bx_cat_metrics(c)[metric];
    evaluation evaluated = {.values = &v->values};
    enum bx_metric_state state;
    double value;
    if (bx_metric_eval(bx_cat_str(c, m->formula), look_up_value, &evaluated, &value, &state, &e))
        return bx_cli_error(&e, bx_cat_z(c, m->formula));
    if (v->json) {
        bx_json json = {.to = &cli->out};
        metric_json(&json, c, m, value, state, evaluated.missing.text);
    } else if (state == BX_METRIC_OK) {
        bx_buf_f(&cli->out, "%.10g %s\n", value, bx_cat_z(c, m->unit));
    }
    if (state == BX_METRIC_OK || v->json)
        return state == BX_METRIC_NOT_MEASURED ? BX_EXIT_ERROR : BX_EXIT_OK;
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "'%s' has no value: %s", bx_cat_z(c, m->name),
            reason_of(state));
    if (state == BX_METRIC_NOT_MEASURED)
        bx_hint(&e, "--value='NAME=NUMBER' for %s", evaluated.missing.text);
    return bx_cli_error(&e, NULL);
}

static int check_values(const bx_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++) {
        const char *equals = strrchr(texts->text[i], '=');
        char *end = NULL;
        if (equals)
            strtod(equals + 1, &end);
        if (!equals || equals == texts->text[i] || end == equals + 1 || *end) {
            bx_error e = {0};
            bx_fail(&e, BX_BAD_INPUT, 0, 0, "--value '%s' is not NAME=NUMBER",
                    bx_quote(bx_str_of(texts->text[i])).text);
            bx_cli_error(&e, NULL);
            return BX_EXIT_USAGE;
        }
    }
    return BX_EXIT_OK;
}

static int run_metric(bx_cli *cli, const void *given_values, const bx_texts *operands)
{
    const values *v = given_values;
    bx_subject subject = {.cpu = -1};
    int status = check_values(&v->values);
    if (!status)
        status = bx_cli_subject_in(cli, v->cpu, v->machine, v->root, &subject);
    if (!status)
        status = show_metric_value(cli, v, subject.cpu, operands->text[0]);
    bx_machine_close(subject.machine);
    return status;
}

static const bx_example examples[] = {
    {"boxscore metric --cpu skl dram_bytes_read --value='DRAM_DATA_READS=1000'",
     "a metric from a count that you have"},
    {.line = NULL},
};

const bx_command bx_command_metric = {
    .name = "metric",
    .help = "evaluate a metric from given values",
    .operands = "NAME",
    .text = "Evaluates the formula of a metric with the values of its events and constants. Each\n"
            "is named as the formula names it: 'boxscore info NAME' shows it. A metric that is\n"
            "divided by 0 has no value.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_least = 1,
    .operands_most = 1,
    .values_size = sizeof(values),
    .run = run_metric,
};
