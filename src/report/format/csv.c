/* Reports as CSV with the columns of `perf stat -x`:
 *
 *   [time,[complete,]][region,threads,thread,core,entered,not ended,not
 * begun,][package,unit,]value,what one count is,event,[deviation,]run time,share,figure,its
 * name[,driver]
 *
 * Every row has all columns; one of a figure alone has nothing in those of the event. A field that
 * holds the separator's first character, a quote or a line break is quoted as RFC 4180 has it: with
 * `-x :` every event string is. */
#include "report/format/formats.h"

#include <stdio.h>
#include <string.h>

enum { UNIT = 64 };

typedef struct row {
    const bx_view *view;
    bx_buf *to;
    bool begun;
} row;

static void field(row *r, const char *text)
{
    if (r->begun)
        bx_buf_z(r->to, r->view->separator);
    r->begun = true;
    if (!strchr(text, r->view->separator[0]) && !strpbrk(text, "\"\n")) {
        bx_buf_z(r->to, text);
        return;
    }
    bx_buf_z(r->to, "\"");
    for (; *text; text++)
        bx_buf_f(r->to, *text == '"' ? "\"%c" : "%c", *text);
    bx_buf_z(r->to, "\"");
}

static void blanks(row *r, unsigned n)
{
    while (n-- > 0)
        field(r, "");
}

static void number(row *r, double value, unsigned decimals)
{
    char text[BX_NUMBER];
    field(r, bx_number_plain(value, decimals, text));
}

static void location(row *r, const bx_record *record)
{
    char package[16] = "";
    if (record->label)
        snprintf(package, sizeof package, "S%u", record->package);
    field(r, package);
    field(r, record->label ? record->label : "");
}

enum { REGION_COLUMNS = 7 };

static void number_unless(row *r, bool missing, double value)
{
    if (missing)
        field(r, "");
    else
        number(r, value, 0);
}

static void region(row *r, const bx_region *g)
{
    field(r, g->name);
    number_unless(r, g->thread, g->threads);
    number_unless(r, !g->thread, g->thread);
    number_unless(r, g->core < 0, g->core);
    number(r, (double)g->entered, 0);
    number(r, (double)g->unended, 0);
    number(r, (double)g->unbegun, 0);
}

/* The unit of a count and its scale: "requests (x256)". */
static const char *counted(const bx_record *record, char to[UNIT])
{
    if (record->scale <= 1)
        return record->unit;
    snprintf(to, UNIT, "%s (x%u)", record->unit, record->scale);
    return to;
}

static void event(row *r, const bx_report *report, const bx_record *record)
{
    char text[BX_NUMBER], unit[UNIT];
    field(r, bx_record_text(record, text));
    field(r, counted(record, unit));
    field(r, record->event);
    if (r->view->repeated) {
        char percent[BX_NUMBER + 1];
        bx_number_plain(bx_running_stats_percent(&record->stats), 2, percent);
        field(r, strcat(percent, "%"));
    }
    number(r, bx_record_runtime(report, record), 0);
    number(r, bx_record_share(record), 2);
}

static void figure(row *r, const bx_figure *f)
{
    if (f->name && f->defined)
        number(r, f->value, 6);
    else
        field(r, "");
    field(r, f->name ? f->shown : "");
}

static bool is_of_host(const bx_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (bx_record_driver(&r->records[i]))
            return true;
    return false;
}

void bx_csv_lines(const bx_report *report, const bx_view *v, bx_buf *to)
{
    const bx_record *record;
    bool host = is_of_host(report);
    for (size_t at = 0; (record = bx_report_next(report, v, &at));) {
        row r = {.view = v, .to = to};
        if (v->interval)
            number(&r, v->at, 9);
        if (v->sampled)
            field(&r, v->incomplete ? "incomplete" : "complete");
        if (v->region)
            region(&r, v->region);
        else if (v->regions)
            blanks(&r, REGION_COLUMNS);
        if (v->per_unit)
            location(&r, record);
        if (record->event)
            event(&r, report, record);
        else
            blanks(&r, v->repeated ? 6 : 5);
        figure(&r, &record->figure);
        const char *driver = record->event ? bx_record_driver(record) : NULL;
        if (host)
            field(&r, driver ? driver : "");
        bx_buf_z(to, "\n");
    }
}
