/* The time series: of more intervals than a page can show, neighbours are added up. */
#include "base/error.h"
#include "profile/page/page.h"

#include <stdlib.h>
#include <string.h>

enum { BINS_MOST = 400, VALUES_MOST = 24000, UNITS_MOST = 900 };

/* What a column of the question is. */
typedef struct series_sum {
    uint32_t event;
    bool gaps;  /* an interval has no value */
    bool reals; /* values are not whole */
    int64_t *count;
    double *real; /* [bins] both */
} series_sum;

typedef struct series_bins {
    series_sum *sum;
    uint32_t sums;
    int64_t *begin, *end; /* [bins] */
    uint32_t bins;
    int64_t intervals, each; /* neighbours in a bin */
} series_bins;

/* A column of the recording is named c1, c2 …: nothing else becomes part of a question. */
static bool is_column_name(const char *name)
{
    if (!name || *name != 'c' || !name[1])
        return false;
    for (const char *c = name + 1; *c; c++)
        if (!bx_is_digit(*c))
            return false;
    return true;
}

static uint32_t event_with_id(const bx_profile *p, int64_t id)
{
    uint32_t event = 0;
    while (event < p->events && p->event[event].id != id)
        event++;
    return event;
}

/* A sum over units for each event that has a value. */
static int make_question(bx_profile *p, series_bins *to, bx_buf *sql, bx_error *e)
{
    bx_cell cell[2];
    int64_t last = -1;
    uint32_t units = 0, room = 0;
    int code = bx_recording_ask(
        p->from, "SELECT event, \"column\" FROM series_column WHERE event IS NOT NULL ORDER BY 1",
        NULL, 0, e);
    bx_buf_z(sql, "SELECT \"begin\", \"end\"");
    while (!code && bx_recording_next(p->from, cell, 2)) {
        uint32_t event = event_with_id(p, cell[0].number);
        if (event == p->events || cell[1].kind != BX_CELL_TEXT || !is_column_name(cell[1].text))
            continue;
        if (!p->event[event].has_total || !p->event[event].total)
            continue;
        bool same = to->sums && cell[0].number == last;
        if (same && ++units > UNITS_MOST)
            return bx_fail(e, BX_BAD_INPUT, 0, 0, "the series has too many units");
        bx_buf_f(sql, "%s%s", same ? " + " : ", ", cell[1].text);
        if (same)
            continue;
        last = cell[0].number;
        units = 1;
        to->sum = bx_arena_grow(p->arena, to->sum, to->sums, &room, sizeof *to->sum, 32);
        if (!to->sum)
            return bx_out_of_memory(e);
        to->sum[to->sums++] = (series_sum){.event = event};
    }
    bx_buf_z(sql, " FROM series ORDER BY rowid");
    code = code ? code : bx_recording_answered(p->from, e);
    return !code && sql->failed ? bx_out_of_memory(e) : code;
}

static int make_bins(bx_profile *p, series_bins *to, bx_error *e)
{
    bx_cell cell = {0};
    int code = bx_recording_ask(p->from, "SELECT count(*) FROM series", NULL, 0, e);
    if (!code)
        bx_recording_next(p->from, &cell, 1);
    code = code ? code : bx_recording_answered(p->from, e);
    int64_t most = to->sums ? VALUES_MOST / to->sums : BINS_MOST;
    most = most > BINS_MOST ? BINS_MOST : most < 16 ? 16 : most;
    to->intervals = cell.number;
    to->each = (cell.number + most - 1) / most;
    to->each = to->each ? to->each : 1;
    to->begin = bx_arena_get(p->arena, ((size_t)most + 1) * sizeof *to->begin);
    to->end = bx_arena_get(p->arena, ((size_t)most + 1) * sizeof *to->end);
    for (uint32_t i = 0; i < to->sums; i++) {
        to->sum[i].count = bx_arena_get(p->arena, ((size_t)most + 1) * sizeof(int64_t));
        to->sum[i].real = bx_arena_get(p->arena, ((size_t)most + 1) * sizeof(double));
    }
    return !code && p->arena->failed ? bx_out_of_memory(e) : code;
}

static void take_interval(series_bins *to, int64_t number, const bx_cell *row)
{
    uint32_t bin = (uint32_t)(number / to->each);
    if (bin >= to->bins) {
        to->bins = bin + 1;
        to->begin[bin] = row[0].number;
    }
    to->end[bin] = row[1].number;
    for (uint32_t i = 0; i < to->sums; i++) {
        const bx_cell *cell = &row[2 + i];
        to->sum[i].count[bin] += cell->kind == BX_CELL_NUMBER ? cell->number : 0;
        to->sum[i].real[bin] += cell->kind == BX_CELL_REAL ? cell->real : 0;
        to->sum[i].gaps |= cell->kind == BX_CELL_NULL;
        to->sum[i].reals |= cell->kind == BX_CELL_REAL;
    }
}

static int fill_bins(bx_profile *p, series_bins *to, const char *sql, bx_error *e)
{
    bx_cell *row = malloc((to->sums + (size_t)2) * sizeof *row);
    int64_t number = 0;
    if (!row)
        return bx_out_of_memory(e);
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    for (; !code && number < to->intervals && bx_recording_next(p->from, row, to->sums + 2);
         number++)
        take_interval(to, number, row);
    free(row);
    return code ? code : bx_recording_answered(p->from, e);
}

static void write_sum(const series_bins *of, const series_sum *sum, bx_buf *to)
{
    bx_buf_f(to, "{\"event\":%u,\"gaps\":%s,\"n\":[", sum->event, sum->gaps ? "true" : "false");
    for (uint32_t i = 0; i < of->bins; i++)
        if (sum->reals)
            bx_buf_f(to, "%s%.9g", i ? "," : "", (double)sum->count[i] + sum->real[i]);
        else
            bx_buf_f(to, "%s%lld", i ? "," : "", (long long)sum->count[i]);
    bx_buf_z(to, "]}");
}

int bx_html_series(bx_html *page, bx_buf *to, bx_error *e)
{
    bx_profile *p = page->of;
    series_bins bins = {0};
    bx_buf sql = {0};
    int code = make_question(p, &bins, &sql, e);
    if (!code)
        code = make_bins(p, &bins, e);
    if (!code)
        code = fill_bins(p, &bins, bx_buf_text(&sql), e);
    bx_buf_free(&sql);
    if (code)
        return code;
    bx_buf_f(to, "\"series\":{\"intervals\":%lld,\"each\":%lld,\"begin\":[",
             (long long)bins.intervals, (long long)bins.each);
    for (uint32_t i = 0; i < bins.bins; i++)
        bx_buf_f(to, "%s%lld", i ? "," : "", (long long)bins.begin[i]);
    bx_buf_z(to, "],\"end\":[");
    for (uint32_t i = 0; i < bins.bins; i++)
        bx_buf_f(to, "%s%lld", i ? "," : "", (long long)bins.end[i]);
    bx_buf_z(to, "],\"sums\":[");
    for (uint32_t i = 0; i < bins.sums; i++) {
        bx_buf_z(to, i ? ",\n" : "");
        write_sum(&bins, &bins.sum[i], to);
    }
    bx_buf_z(to, "]},\n");
    return BX_OK;
}
