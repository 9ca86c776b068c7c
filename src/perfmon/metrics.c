/* Reads metrics of perfmon. Intel's form has a formula over aliases, with lists of what these stand
 * for; perf's form names events and constants in the formula itself. */
#include "perfmon/metrics.h"

#include "metric/metric.h"
#include "perfmon/energy.h"
#include "perfmon/topdown.h"

#include <stdio.h>
#include <string.h>

enum { SCALE_ROOM = 32 };

static bx_str member_text(const bx_json_value *object, const char *key)
{
    const bx_json_value *v = bx_json_member(object, key);
    return v && v->kind == BX_JSON_STRING ? bx_str_trim(v->text) : (bx_str){"", 0};
}

static bool is_word_character(char c)
{
    return bx_is_letter(c) || bx_is_digit(c);
}

/* ---- Intel's form ---- */

/* What an alias stands for, among events and constants. */
static bx_str meaning_of(const bx_json_value *metric, bx_str alias)
{
    static const char *const lists[] = {"Events", "Constants"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const bx_json_value *list = bx_json_member(metric, lists[i]);
        for (const bx_json_value *v = list ? list->first : NULL; v; v = v->next)
            if (v->kind == BX_JSON_OBJECT && bx_str_eq(member_text(v, "Alias"), alias))
                return member_text(v, "Name");
    }
    return (bx_str){NULL, 0};
}

static bool is_number(bx_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!bx_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

static bool is_keyword(bx_str s)
{
    static const char *const words[] = {"if", "else", "min", "max", "d_ratio"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bx_str_eq(s, bx_str_of(words[i])))
            return true;
    return false;
}

/* Copies a number, "1e9" or "9.0"; returns its length. */
static size_t copy_number(bx_str rest, bx_buf *to)
{
    size_t n = 0;
    while (n < rest.n &&
           (bx_is_digit(rest.p[n]) || rest.p[n] == '.' || bx_lower(rest.p[n]) == 'e' ||
            ((rest.p[n] == '-' || rest.p[n] == '+') && n && bx_lower(rest.p[n - 1]) == 'e')))
        n++;
    bx_buf_add(to, rest.p, n);
    return n;
}

/* Writes the formula with names in braces in place of aliases. */
static const char *read_intel(const bx_json_value *metric, bx_str formula, bx_buf *to)
{
    for (size_t i = 0; i < formula.n;) {
        bx_str rest = bx_str_sub(formula, i, formula.n);
        if (bx_is_digit(*rest.p)) {
            i += copy_number(rest, to);
            continue;
        }
        if (*rest.p == '[')
            return "an event's first socket cannot be read";
        if (*rest.p == '{' || *rest.p == '}')
            return "it has a brace";
        if (!bx_is_letter(*rest.p) && *rest.p != '#') {
            bx_buf_add(to, rest.p, 1);
            i++;
            continue;
        }
        size_t n = 1;
        while (n < rest.n && is_word_character(rest.p[n]))
            n++;
        bx_str word = bx_str_sub(rest, 0, n), means = meaning_of(metric, word);
        i += n;
        if (is_keyword(word) || is_number(means))
            bx_buf_str(to, is_keyword(word) ? word : means);
        else
            bx_buf_f(to, "{%.*s}", (int)(means.p ? means.n : word.n), means.p ? means.p : word.p);
    }
    return NULL;
}

/* ---- perf's form ---- */

/* The length of "pmu@event\,term\=1@" or of a name such as "topdown\-retiring"; names may have
 * dots and backslashes before other characters. */
static size_t name_length(bx_str rest)
{
    size_t n = 0;
    while (n < rest.n) {
        if (rest.p[n] == '\\' && n + 1 < rest.n)
            n += 2;
        else if (rest.p[n] == '@') {
            ptrdiff_t close = bx_str_find(rest, '@', n + 1);
            return close < 0 ? 0 : (size_t)close + 1;
        } else if (is_word_character(rest.p[n]) || rest.p[n] == '.' || rest.p[n] == ':') {
            n++;
        } else {
            break;
        }
    }
    return n;
}

static void put_name(bx_buf *to, bx_str name)
{
    bx_buf_z(to, "{");
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] != '\\')
            bx_buf_add(to, name.p + i, 1);
    bx_buf_z(to, "}");
}

static const char *read_perf(bx_str formula, bx_buf *to)
{
    static const char *const plain[] = {"source_count", "has_event", "duration_time"};
    for (size_t i = 0; i < formula.n;) {
        bx_str rest = bx_str_sub(formula, i, formula.n);
        size_t n = *rest.p == '#' ? 1 : 0;
        if (bx_is_digit(*rest.p)) {
            i += copy_number(rest, to);
            continue;
        }
        if (!bx_is_letter(*rest.p) && !n) {
            if (*rest.p == '{' || *rest.p == '}' || *rest.p == '@' || *rest.p == '\\')
                return "it has a character that cannot be read";
            bx_buf_add(to, rest.p, 1);
            i++;
            continue;
        }
        n += name_length(bx_str_sub(rest, n, rest.n));
        if (!n)
            return "an '@' is not closed";
        bx_str word = bx_str_sub(rest, 0, n);
        bool as_is = is_keyword(word) || *word.p == '#';
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            as_is |= bx_str_eq(word, bx_str_of(plain[k]));
        if (as_is)
            bx_buf_str(to, word);
        else
            put_name(to, word);
        i += n;
    }
    return NULL;
}

/* "100%", "1MB/s": a factor and a unit. */
static void take_scale(bx_str scale, char factor[SCALE_ROOM], bx_str *unit)
{
    size_t n = 0;
    while (n < scale.n && (bx_is_digit(scale.p[n]) || scale.p[n] == '.' ||
                           (bx_lower(scale.p[n]) == 'e' && n + 1 < scale.n &&
                            (scale.p[n + 1] == '-' || bx_is_digit(scale.p[n + 1]))) ||
                           (scale.p[n] == '-' && n)))
        n++;
    *factor = '\0';
    if (n && n < SCALE_ROOM && !bx_str_eq(bx_str_sub(scale, 0, n), BX_STR("1")))
        snprintf(factor, SCALE_ROOM, "%.*s", (int)n, scale.p);
    *unit = bx_str_sub(scale, n, scale.n);
}

/* ---- rows ---- */

/* A value of 1 for each name: only the form of the formula is checked. */
static bool any_value(void *context, bx_str name, double *value)
{
    unsigned *named = context;
    *named |= bx_perfmon_topdown_of(name);
    if (bx_str_eq(name, BX_STR("TSC")))
        *named |= BX_PERFMON_TSC;
    const bx_perfmon_energy *energy = bx_perfmon_energy_of(name);
    if (energy)
        *named |= BX_PERFMON_ENERGY << (energy - bx_perfmon_energies);
    *value = 1;
    return true;
}

static bool is_taken(const bx_perfmon_metrics *m, bx_str name)
{
    for (unsigned i = 0; i < m->span.n; i++) {
        bx_cat_text t = BX_ASSEMBLED(m->a, bx_cat_metric, BX_T_METRICS, m->span.first + i)->name;
        if (bx_str_eq_fold(bx_pool_str(&m->a->pool, t), name))
            return true;
    }
    return false;
}

/* The first form of a metric has its plain name. Others have that of their kind in front:
 * "perf:cpi" and "hbm:cpi". */
static const char *name_row(const bx_perfmon_metrics *m, bx_str name, bool perf, bx_str of,
                            bx_buf *to)
{
    bool hbm = false;
    for (size_t i = 0; i + 3 < of.n; i++)
        hbm |= bx_str_eq(bx_str_sub(of, i, 4), BX_STR("hbm_"));
    to->n = 0;
    bx_buf_str(to, name);
    if (is_taken(m, (bx_str){to->p, to->n})) {
        to->n = 0;
        bx_buf_f(to, "%s%s%.*s", hbm ? "hbm:" : "", perf ? "perf:" : "", (int)name.n, name.p);
    }
    return is_taken(m, (bx_str){to->p, to->n}) ? "another metric has its name" : NULL;
}

static bool is_metric_name(bx_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < ' ' || name.p[i] > '~')
            return false;
    return name.n && name.n < 120;
}

/* Notes the cores of the row that was added last. */
static void note_core(bx_perfmon_metrics *m, const char *core)
{
    if (!m->own.n)
        m->own.first = (uint16_t)(m->span.first + m->span.n - 1);
    if (m->own.n == m->cores_room) {
        size_t room = m->cores_room ? 2 * m->cores_room : 256;
        char(*more)[sizeof *m->cores] = bx_arena_get(m->a->arena, room * sizeof *more);
        if (!more)
            return;
        if (m->own.n)
            memcpy(more, m->cores, m->own.n * sizeof *more);
        m->cores = more;
        m->cores_room = room;
    }
    snprintf(m->cores[m->own.n++], sizeof *m->cores, "%s", core);
}

static const char *read_metric(bx_perfmon_metrics *m, const bx_json_value *metric, bool perf,
                               bx_str of, bx_buf *name, bx_buf *formula)
{
    char factor[SCALE_ROOM] = "";
    bx_str unit = member_text(metric, "UnitOfMeasure");
    bx_str written = member_text(metric, perf ? "MetricExpr" : "Formula");
    double value;
    enum bx_metric_state state;
    bx_error own = {0};
    if (!is_metric_name(member_text(metric, "MetricName")) || !written.n)
        return "it has no name or no formula";
    const char *why = name_row(m, member_text(metric, "MetricName"), perf, of, name);
    if (why)
        return why;
    formula->n = 0;
    if (perf)
        take_scale(member_text(metric, "ScaleUnit"), factor, &unit);
    bx_buf_z(formula, *factor ? "(" : "");
    why = perf ? read_perf(written, formula) : read_intel(metric, written, formula);
    bx_buf_f(formula, *factor ? ") * %s" : "%s", factor);
    if (why || formula->failed)
        return why ? why : "no memory";
    if (bx_metric_eval((bx_str){formula->p, formula->n}, any_value, &m->named, &value, &state,
                       &own))
        return "its formula cannot be read";
    const bx_json_value *limit = bx_json_member(metric, "Threshold");
    bx_str threshold = limit ? member_text(limit, "BaseFormula") : (bx_str){"", 0};
    uint16_t row = bx_assembly_add(m->a, BX_T_METRICS);
    *BX_ASSEMBLED(m->a, bx_cat_metric, BX_T_METRICS, row) = (bx_cat_metric){
        .name = bx_assembly_text(m->a, (bx_str){name->p, name->n}),
        .title = bx_assembly_text(m->a, member_text(metric, "BriefDescription")),
        .topics = bx_assembly_text(m->a, member_text(metric, "LegacyName")),
        .means = bx_assembly_text(m->a, threshold),
        .source = bx_assembly_text(m->a, of),
        /* `%` would mean a part of a whole: these may be larger */
        .unit = bx_assembly_text(m->a, bx_str_eq(unit, BX_STR("%")) ? BX_STR("percent") : unit),
        .formula = bx_assembly_text(m->a, (bx_str){formula->p, formula->n}),
        .beside = BX_NONE};
    m->span.n++;
    return NULL;
}

int bx_perfmon_metrics_add(bx_perfmon_metrics *m, const bx_json_value *file, bx_str of,
                           const char *core, bx_error *e)
{
    const bx_json_value *list = bx_json_member(file, "Metrics");
    bool perf = file->kind == BX_JSON_ARRAY;
    bx_buf name = {0}, formula = {0};
    if (perf)
        list = file;
    if (!list && bx_json_member(file, "Data")) /* latencies, which are no metrics */
        return BX_OK;
    if (!list || list->kind != BX_JSON_ARRAY)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "this is no metric file of perfmon: no Metrics");
    if (!m->span.n)
        m->span.first = bx_assembly_n(m->a, BX_T_METRICS);
    for (const bx_json_value *v = list->first; v; v = v->next) {
        const char *why = v->kind == BX_JSON_OBJECT ? read_metric(m, v, perf, of, &name, &formula)
                                                    : "it is no object";
        if (!why)
            note_core(m, core);
        m->read += !why;
        m->refused += why != NULL;
        if (why)
            bx_buf_f(m->refusals, "%.*s: metric %.*s: %s\n", (int)of.n, of.p,
                     (int)member_text(v, "MetricName").n, member_text(v, "MetricName").p, why);
    }
    bool failed = name.failed || formula.failed;
    bx_buf_free(&name);
    bx_buf_free(&formula);
    return failed ? bx_out_of_memory(e) : BX_OK;
}
