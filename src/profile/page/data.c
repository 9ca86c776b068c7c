/* What scripts of the page need besides the cells: the run, events, spans, units, cores, shared
 * lines. */
#include "base/error.h"
#include "profile/page/page.h"

#include <stdlib.h>
#include <string.h>

static void add_value(bx_buf *to, const bx_cell *cell)
{
    if (cell->kind == BX_CELL_NUMBER)
        bx_buf_f(to, "%lld", (long long)cell->number);
    else if (cell->kind == BX_CELL_REAL)
        bx_buf_f(to, "%.17g", cell->real);
    else
        bx_html_string(to, cell->kind == BX_CELL_TEXT ? cell->text : NULL);
}

static void add_facts(const bx_profile *p, bx_buf *to)
{
    bx_buf_z(to, "\"run\":{");
    for (uint32_t i = 0; i < p->run_n && i < 100; i++) {
        bx_buf_z(to, i ? "," : "");
        bx_html_string(to, p->run[i].key);
        bx_buf_z(to, ":");
        add_value(to, &p->run[i].value);
    }
    bx_buf_z(to, "},\n");
}

static void add_page_events(const bx_html *page, bx_buf *to)
{
    const bx_profile *p = page->of;
    bx_buf_z(to, "\"events\":[");
    for (uint32_t i = 0; i < p->events; i++) {
        const bx_profile_event *event = &p->event[i];
        bx_buf_z(to, i ? ",\n{\"name\":" : "{\"name\":");
        bx_html_string(to, event->name);
        bx_buf_z(to, ",\"short\":");
        bx_html_string(to, bx_html_short_name(event));
        bx_buf_z(to, ",\"words\":");
        bx_html_string(to, event->cycles ? bx_html_words_of(event->name) : bx_html_label(event));
        bx_buf_z(to, ",\"unit\":");
        bx_html_string(to, event->unit);
        if (event->has_total)
            bx_buf_f(to, ",\"total\":%lld", (long long)event->total);
        else
            bx_buf_z(to, ",\"total\":null");
        bx_buf_f(to, ",\"attributed\":%s,\"cycles\":%s,\"wait\":%s}",
                 event->attributed ? "true" : "false", event->cycles ? "true" : "false",
                 event->wait ? "true" : "false");
    }
    bx_buf_z(to, "],\n\"columns\":[");
    for (unsigned i = 0; i < page->columns; i++)
        bx_buf_f(to, "%s%u", i ? "," : "", page->column[i]);
    bx_buf_z(to, "],\n\"labels\":[");
    for (unsigned i = 0; i < page->columns; i++) {
        bx_buf_z(to, i ? "," : "");
        bx_html_string(to, page->label[i]);
    }
    bx_buf_z(to, "],\n\"measure\":");
    if (page->first < p->events)
        bx_buf_f(to, "\"%u\",\n", page->first);
    else
        bx_buf_f(to, "\"%s\",\n", page->sort && strcmp(page->sort, "wait") == 0 ? "wait" : "time");
}

static void add_page_findings(const bx_profile *p, bx_buf *to)
{
    bx_buf_z(to, "\"findings\":[");
    for (uint32_t i = 0; i < p->findings; i++) {
        const bx_finding *f = &p->finding[i];
        bx_buf_z(to, i ? ",\n{\"rule\":" : "{\"rule\":");
        bx_html_string(to, f->rule);
        bx_buf_z(to, ",\"function\":");
        bx_html_string(to, f->function);
        bx_buf_z(to, ",\"file\":");
        bx_html_string(to, f->file);
        bx_buf_f(to, ",\"line\":%lld,\"object\":", (long long)f->line);
        bx_html_string(to, f->object);
        bx_buf_z(to, "}");
    }
    bx_buf_z(to, "],\n");
}

/* The rows of an answer as arrays. Column 0 is an event's id if `event`, and becomes its index. */
static int add_answer(bx_html *page, const char *name, const char *sql, unsigned n, bool event,
                      bx_buf *to, bx_error *e)
{
    bx_profile *p = page->of;
    bx_cell cell[8];
    const char *comma = "";
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    bx_buf_f(to, "\"%s\":[", name);
    while (!code && bx_recording_next(p->from, cell, n)) {
        for (uint32_t i = 0; event; i++) {
            if (i < p->events && p->event[i].id != cell[0].number)
                continue;
            cell[0].number = i;
            break;
        }
        if (event && cell[0].number == p->events)
            continue;
        bx_buf_f(to, "%s[", comma);
        for (unsigned i = 0; i < n; i++) {
            bx_buf_z(to, i ? "," : "");
            add_value(to, &cell[i]);
        }
        bx_buf_z(to, "]");
        comma = ",\n";
    }
    bx_buf_z(to, "],\n");
    return code ? code : bx_recording_answered(p->from, e);
}

/* Which core caused what each slice of the last-level cache counted: of the event with most. */
static int add_matrix(bx_html *page, bx_buf *to, bx_error *e)
{
    static const char none[] = "SELECT 0, 0, 0, 0, 0 WHERE 0";
    static const char sql[] =
        "WITH slices AS (SELECT event, core, package, unit, count FROM core_unit WHERE pmu LIKE "
        "'%\\_cbo' ESCAPE '\\' OR pmu LIKE '%\\_cbox' ESCAPE '\\') SELECT event, core, package, "
        "unit, "
        "sum(count) FROM slices WHERE event = (SELECT event FROM slices GROUP BY 1 ORDER BY "
        "sum(count) DESC, 1 LIMIT 1) GROUP BY 1, 2, 3, 4 ORDER BY 2, 3, 4 LIMIT 6000";
    bool has;
    int code = bx_profile_has_table(page->of, "core_unit", &has, e);
    return code ? code : add_answer(page, "matrix", has ? sql : none, 5, true, to, e);
}

int bx_html_data(bx_html *page, bx_buf *to, bx_error *e)
{
    add_facts(page->of, to);
    add_page_events(page, to);
    add_page_findings(page->of, to);
    int code =
        add_answer(page, "spans", "SELECT \"begin\", \"end\" FROM span ORDER BY id LIMIT 1024", 2,
                   false, to, e);
    /* Of a span's number, its place among them. */
    if (!code)
        code = add_answer(page, "moments",
                          "SELECT event, at, sum(n) FROM (SELECT event, span, sum(count) AS n FROM "
                          "cost GROUP BY 1, 2) JOIN (SELECT id, row_number() OVER (ORDER BY id) AS "
                          "at FROM span) AS s ON s.id = span GROUP BY 1, 2 HAVING sum(n) > 0 LIMIT "
                          "25000",
                          3, true, to, e);
    if (!code)
        code = add_answer(page, "cores",
                          "SELECT event, core, sum(count) AS n FROM cost WHERE core IS NOT NULL "
                          "GROUP BY 1, 2 HAVING n > 0 LIMIT 10000",
                          3, true, to, e);
    if (!code)
        code = add_answer(page, "units",
                          "SELECT event, pmu, package, unit, sum(count) AS n FROM unit_cost GROUP "
                          "BY 1, 2, 3, 4 LIMIT 6000",
                          5, true, to, e);
    if (!code)
        code = add_matrix(page, to, e);
    if (!code)
        code = add_answer(page, "coreUnits",
                          "SELECT package, unit FROM (SELECT DISTINCT package, unit FROM "
                          "series_column WHERE pmu LIKE '%\\_core' ESCAPE '\\' OR pmu LIKE "
                          "'%\\_stalls' ESCAPE '\\') ORDER BY 1, 2 LIMIT 1024",
                          2, false, to, e);
    return !code && to->failed ? bx_out_of_memory(e) : code;
}
