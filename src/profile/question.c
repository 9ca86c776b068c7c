/* The SQL of a question. Rows are added up by numbers first, and then get their names. */
#include "profile/table.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "profile/metric_rows.h"

#include <string.h>

enum {
    CODE = 1,
    OBJECT = 2,
    THREAD = 4,
    SPAN = 8,
    ADDRESS = 16,
    SHARED = 32,
    UNIT = 64,
    BINARY = 128,
};

static const struct bx_profile_key {
    const char *name;
    unsigned needs;
    bx_profile_column column[3];
} known[] = {
    {"function", CODE, {{"function", "code.function", BX_COLUMN_TEXT}}},
    {"line", CODE, {{"line", "code.file || ':' || code.line", BX_COLUMN_TEXT}}},
    {"instruction",
     CODE | BINARY,
     {{"address", "code.address", BX_COLUMN_HEX},
      {"binary", "\"binary\".path", BX_COLUMN_TEXT},
      {"build-id", "\"binary\".build_id", BX_COLUMN_TEXT}}},
    {"object",
     OBJECT,
     {{"object", "object.name", BX_COLUMN_TEXT}, {"kind", "object.kind", BX_COLUMN_TEXT}}},
    {"thread",
     THREAD,
     {{"thread", "thread.tid", BX_COLUMN_NUMBER}, {"process", "thread.pid", BX_COLUMN_NUMBER}}},
    {"process",
     THREAD,
     {{"process", "thread.pid", BX_COLUMN_NUMBER}, {"program", "thread.process", BX_COLUMN_TEXT}}},
    {"page",
     ADDRESS,
     {{"page", "c.address / 4096 * 4096", BX_COLUMN_HEX}, {"process", "c.pid", BX_COLUMN_NUMBER}}},
    {"shared-line",
     ADDRESS | SHARED,
     {{"shared-line", "c.address", BX_COLUMN_HEX}, {"process", "c.pid", BX_COLUMN_NUMBER}}},
    {"unit",
     UNIT,
     {{"unit", "c.unit", BX_COLUMN_NUMBER},
      {"pmu", "c.pmu", BX_COLUMN_TEXT},
      {"package", "c.package", BX_COLUMN_NUMBER}}},
    {"span",
     SPAN,
     {{"span", "c.span", BX_COLUMN_NUMBER},
      {"begin", "span.\"begin\"", BX_COLUMN_NUMBER},
      {"end", "span.\"end\"", BX_COLUMN_NUMBER}}},
};
enum { KNOWN = sizeof known / sizeof *known };

/* ---- keys ---- */

static void add_column(bx_profile_table *to, const bx_profile_column *column)
{
    for (unsigned i = 0; i < to->columns; i++)
        if (strcmp(to->column[i].name, column->name) == 0)
            return;
    to->column[to->columns++] = *column;
}

static int take_key(bx_str word, const bx_profile_question *q, bx_profile_table *to,
                    unsigned *needs, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(word);
    for (unsigned i = 0; i < KNOWN; i++) {
        bx_nearest_offer(&nearest, known[i].name);
        if (!bx_str_eq(word, bx_str_of(known[i].name)))
            continue;
        for (unsigned k = 0; k < to->keys; k++)
            if (to->key[k] == known[i].name)
                return BX_OK;
        to->key[to->keys++] = known[i].name;
        *needs |= known[i].needs;
        for (unsigned k = 0; k < 3 && known[i].column[k].name; k++)
            add_column(to, &known[i].column[k]);
        return BX_OK;
    }
    bx_fail(e, BX_NOT_FOUND, (size_t)(word.p - q->by.p), word.n, "rows cannot be by '%.*s'",
            BX_QUOTED(word));
    bx_hint(e,
            "function, line, instruction, object, thread, process, page, shared-line, unit, span");
    return e->code;
}

static int fail_together(const bx_profile_question *q, const char *why, const char *hint,
                         bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, q->by.n, "%s", why);
    bx_hint(e, "%s", hint);
    return e->code;
}

/* What a table of a recording has not. */
static int check_needs(const bx_profile_question *q, unsigned needs, bx_error *e)
{
    if (needs & UNIT && needs & (CODE | OBJECT | THREAD | ADDRESS))
        return fail_together(q, "counts of units do not say whose they are",
                             "--by unit, or --by unit,span, without filters of functions, objects "
                             "and threads",
                             e);
    if (needs & ADDRESS && needs & SPAN)
        return fail_together(q, "counts by address have no spans of time",
                             "leave the span out, or the page or shared line", e);
    bool called = bx_str_eq(q->by, BX_STR("function")) || bx_str_eq(q->by, BX_STR("line"));
    if (q->children && !called)
        return fail_together(q, "calls are of functions and lines",
                             "--children with --by function or --by line", e);
    return BX_OK;
}

/* ---- SQL ---- */

/* The sums of a table are made anew, except for code and objects, which the rules add up, too. */
static void add_source(const bx_profile_table *to, unsigned needs, bx_profile_sql *sql)
{
    static const struct {
        unsigned need;
        const char *column;
    } columns[] = {{CODE, "code"}, {OBJECT, "object"},   {THREAD, "thread"},
                   {SPAN, "span"}, {ADDRESS, "address"}, {ADDRESS, "pid"},
                   {UNIT, "pmu"},  {UNIT, "package"},    {UNIT, "unit"}};
    sql->sums = to->source == BX_FROM_COST && !(needs & ~(unsigned)(CODE | OBJECT | BINARY));
    bx_buf_z(&sql->columns, "event");
    sql->keys = 1;
    for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++)
        if (needs & columns[i].need) {
            bx_buf_f(&sql->columns, ", %s", columns[i].column);
            sql->keys++;
        }
    const char *names = bx_buf_text(&sql->columns);
    if (to->source == BX_FROM_UNIT)
        bx_buf_f(&sql->outer, "(SELECT %s, sum(count) AS n, 0 AS p FROM unit_cost GROUP BY %s)",
                 names, names);
    else
        bx_buf_z(&sql->outer, sql->sums ? "temp.sums" : "temp.grouped");
    if (to->source == BX_FROM_LINE)
        bx_buf_f(&sql->inner, "SELECT %s, count, 0 FROM %s WHERE role = 'requester'", names,
                 needs & SHARED ? "temp.moved" : "line");
    else
        bx_buf_f(&sql->inner, "SELECT %s, count, by_prefetch FROM cost", names);
    bx_buf_z(&sql->columns, ", n, p");
}

static void add_joins(unsigned needs, bx_buf *sql)
{
    if (needs & CODE)
        bx_buf_z(sql, " LEFT JOIN code ON code.id = c.code");
    if (needs & BINARY)
        bx_buf_z(sql, " LEFT JOIN \"binary\" ON \"binary\".id = code.\"binary\"");
    if (needs & OBJECT)
        bx_buf_z(sql, " LEFT JOIN object ON object.id = c.object");
    if (needs & THREAD)
        bx_buf_z(sql, " LEFT JOIN thread ON thread.id = c.thread");
    if (needs & SPAN)
        bx_buf_z(sql, " LEFT JOIN span ON span.id = c.span");
}

static void add_filters(const bx_profile_question *q, bx_buf *sql)
{
    bx_buf_z(sql, " WHERE 1");
    if (q->function)
        bx_buf_z(sql, " AND (code.function = ?1 OR code.function GLOB ?1)");
    if (q->source)
        bx_buf_z(sql, " AND (code.file = ?6 OR substr(code.file, -length(?6) - 1) = '/' || ?6)");
    if (q->object)
        bx_buf_z(sql, " AND (object.name = ?2 OR object.name GLOB ?2)");
    if (q->has_thread)
        bx_buf_z(sql, " AND thread.tid = ?3");
    if (q->has_span)
        bx_buf_z(sql, " AND span.\"end\" > ?4 AND span.\"begin\" < ?5");
}

int bx_profile_question_sql(const bx_profile_question *q, bx_profile_table *to, bx_profile_sql *sql,
                            bx_error *e)
{
    unsigned needs = (q->function || q->source ? CODE : 0u) | (q->object ? OBJECT : 0u) |
                     (q->has_thread ? THREAD : 0u) | (q->has_span ? SPAN : 0u);
    int code = BX_OK;
    for (bx_str rest = q->by; rest.p && !code;)
        code = take_key(bx_str_trim(bx_str_cut(&rest, ',')), q, to, &needs, e);
    if (code || (code = check_needs(q, needs, e)))
        return code;
    to->source = needs & UNIT ? BX_FROM_UNIT : needs & ADDRESS ? BX_FROM_LINE : BX_FROM_COST;
    sql->moved = needs & SHARED;
    bx_buf names = {0}, *outer = &sql->outer;
    for (unsigned i = 0; i < to->columns; i++)
        bx_buf_f(&names, "%s, ", to->column[i].sql);
    bx_buf_f(outer, "SELECT %sc.event, sum(c.n), sum(c.p) FROM ", bx_buf_text(&names));
    add_source(to, needs, sql);
    bx_buf_z(outer, " AS c");
    add_joins(needs, outer);
    add_filters(q, outer);
    bx_buf_f(outer, " GROUP BY %sc.event", bx_buf_text(&names));
    bx_buf_f(outer, " ORDER BY %sc.event", bx_buf_text(&names));
    outer->failed |= names.failed || sql->inner.failed || sql->columns.failed;
    bx_buf_free(&names);
    return outer->failed ? bx_out_of_memory(e) : BX_OK;
}

/* ---- the order of rows ---- */

/* An event's name, or what stands after its PMU. */
static bool has_event_name(const bx_profile_event *event, bx_str name)
{
    const char *own = strstr(event->name, "::");
    return bx_str_eq_fold(bx_str_of(event->name), name) ||
           (own && bx_str_eq_fold(bx_str_of(own + 2), name));
}

static bool rank_by(const bx_profile_table *to, const char *name)
{
    const bx_profile *p = to->of;
    bool any = false;
    for (uint32_t i = 0; i < p->events; i++) {
        const bx_profile_event *event = &p->event[i];
        bool is = strcmp(name, "wait") == 0   ? event->wait
                  : strcmp(name, "time") == 0 ? event->cycles
                                              : has_event_name(event, bx_str_of(name));
        to->ranks[i] = is && to->has[i];
        any |= to->ranks[i];
    }
    return any;
}

static int fail_sort(const bx_profile_question *q, const bx_profile_table *to, bx_error *e)
{
    const bx_profile *p = to->of;
    bx_nearest nearest = bx_nearest_to(bx_str_of(q->sort));
    bx_nearest_offer(&nearest, "wait");
    bx_nearest_offer(&nearest, "time");
    for (uint32_t i = 0; i < p->events; i++) {
        const char *own = strstr(p->event[i].name, "::");
        if (to->has[i])
            bx_nearest_offer(&nearest, own ? own + 2 : p->event[i].name);
    }
    bx_profile_offer_metrics(q->metrics, &nearest);
    bx_fail(e, BX_NOT_FOUND, 0, 0, "rows of this table have no '%s'", q->sort);
    if (*nearest.name)
        bx_nearest_hint(e, &nearest);
    else
        bx_hint(e, "an event of the recording, %s'wait' or 'time'", q->metrics ? "a metric, " : "");
    return e->code;
}

int bx_profile_question_sort(const bx_profile_question *q, bx_profile_table *to, bx_error *e)
{
    const bx_profile *p = to->of;
    if (q->sort && rank_by(to, q->sort)) {
        to->sort = q->sort;
        return BX_OK;
    }
    bool is_metric = false;
    int code = q->sort ? bx_profile_sort_metric(q, to, &is_metric, e) : BX_OK;
    if (code || is_metric)
        return code;
    if (q->sort)
        return fail_sort(q, to, e);
    if (rank_by(to, "wait")) {
        to->sort = "wait";
        return BX_OK;
    }
    for (uint32_t i = 0; i < p->events && !to->sort; i++)
        if (to->has[i]) {
            to->sort = p->event[i].name;
            to->ranks[i] = true;
        }
    return BX_OK;
}
