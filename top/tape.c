/* Reads a recording: docs/reference/recording.md has its tables. */
#include "top/tape.h"

#include "base/error.h"
#include "catalog/catalog.h"
#include "recording/reader.h"
#include "report/label.h"

#include <stdio.h>
#include <string.h>

enum { CELLS_MOST = 1 << 25 }; /* values that are kept: 256 MB */

/* A column of the series. */
typedef struct tape_column {
    const char *event, *counts, *where;
    int package, unit;
} tape_column;

typedef struct reading {
    bx_tape *t;
    const bx_catalog *catalog;
    bx_recording_reader *from;
    tape_column *column;
    uint32_t columns, room;
    double hz;
} reading;

static const char *kept_text(reading *r, const bx_cell *cell)
{
    return cell->kind == BX_CELL_TEXT ? bx_arena_copy(&r->t->arena, bx_str_of(cell->text)) : NULL;
}

static int read_run(reading *r, bx_error *e)
{
    bx_cell cell[2];
    int code = bx_recording_ask(r->from, "SELECT key, value FROM run", NULL, 0, e);
    while (!code && bx_recording_next(r->from, cell, 2)) {
        const char *key = cell[0].kind == BX_CELL_TEXT ? cell[0].text : "";
        if (strcmp(key, "machine") == 0)
            r->t->series.machine = kept_text(r, &cell[1]);
        else if (strcmp(key, "work") == 0)
            r->t->work = kept_text(r, &cell[1]);
        else if (strcmp(key, "missing") == 0)
            r->t->remark = kept_text(r, &cell[1]);
        else if (strcmp(key, "cycles_per_second") == 0)
            r->hz = cell[1].kind == BX_CELL_REAL ? cell[1].real : (double)cell[1].number;
    }
    return code ? code : bx_recording_answered(r->from, e);
}

/* "C-Box 2" */
static const char *unit_name(reading *r, const bx_cell *pmu, int unit)
{
    char text[32];
    uint16_t number =
        pmu->kind == BX_CELL_TEXT ? bx_cat_find_pmu(r->catalog, bx_str_of(pmu->text)) : BX_NONE;
    if (unit >= 0 && number != BX_NONE)
        return bx_label_unit(r->catalog, number, (unsigned)unit, &r->t->arena);
    if (unit < 0)
        return "";
    snprintf(text, sizeof text, "unit %d", unit);
    return bx_arena_copy(&r->t->arena, bx_str_of(text));
}

static int number_or_none(const bx_cell *cell)
{
    return cell->kind == BX_CELL_NUMBER ? (int)cell->number : -1;
}

static int read_columns(reading *r, bx_error *e)
{
    bx_cell cell[5];
    int code = bx_recording_ask(r->from,
                                "SELECT event.name, event.unit, pmu, package, series_column.unit "
                                "FROM series_column JOIN event ON event.id = event "
                                "ORDER BY series_column.rowid",
                                NULL, 0, e);
    while (!code && bx_recording_next(r->from, cell, 5)) {
        tape_column *all =
            bx_arena_grow(&r->t->arena, r->column, r->columns, &r->room, sizeof *all, 64);
        if (!all)
            return bx_out_of_memory(e);
        r->column = all;
        const char *event = kept_text(r, &cell[0]), *counts = kept_text(r, &cell[1]);
        int unit = number_or_none(&cell[4]);
        all[r->columns++] = (tape_column){.event = event ? event : "",
                                          .counts = counts ? counts : "",
                                          .where = unit_name(r, &cell[2], unit),
                                          .package = number_or_none(&cell[3]),
                                          .unit = unit};
    }
    return code ? code : bx_recording_answered(r->from, e);
}

static bool add_row(reading *r, const bx_cell *cell)
{
    bx_series *s = &r->t->series;
    if (!bx_series_begin(s, (double)(cell[1].number - cell[0].number) / r->hz))
        return false;
    for (uint32_t i = 0; i < r->columns; i++) {
        const tape_column *of = &r->column[i];
        const bx_cell *value = &cell[2 + i];
        bool has = value->kind == BX_CELL_NUMBER;
        const bx_series_value v = {.event = of->event,
                                   .counts = of->counts,
                                   .where = of->where,
                                   .package = of->package,
                                   .unit = of->unit,
                                   .value = has ? (uint64_t)value->number : 0,
                                   .share = 1,
                                   .reason = has ? NULL : "no value"};
        if (!bx_series_add(s, &v))
            return false;
    }
    return true;
}

static int read_rows(reading *r, bx_error *e)
{
    bx_cell count = {0}, *cell = bx_arena_get(&r->t->arena, (r->columns + 2) * sizeof *cell);
    int code = bx_recording_ask(r->from, "SELECT count(*) FROM series", NULL, 0, e);
    if (!cell)
        return bx_out_of_memory(e);
    if (!code)
        bx_recording_next(r->from, &count, 1);
    code = code ? code : bx_recording_answered(r->from, e);
    if (!code && count.number < 1)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording has no rows of time yet");
    size_t most = CELLS_MOST / (r->columns + 1);
    r->t->series.keeps = (size_t)count.number < most ? (size_t)count.number : most;
    code = code ? code
                : bx_recording_ask(r->from, "SELECT * FROM series ORDER BY \"begin\"", NULL, 0, e);
    while (!code && bx_recording_next(r->from, cell, r->columns + 2))
        if (!add_row(r, cell))
            return bx_out_of_memory(e);
    return code ? code : bx_recording_answered(r->from, e);
}

/* ---- lines ---- */

static int count_events(reading *r, bx_error *e)
{
    bx_cell cell[3];
    bx_hottest *h = &r->t->hottest;
    uint32_t room = 0;
    int code =
        bx_recording_ask(r->from, "SELECT name, attributed, id FROM event ORDER BY id", NULL, 0, e);
    while (!code && bx_recording_next(r->from, cell, 3)) {
        bx_hottest_event *all =
            bx_arena_grow(&r->t->arena, h->event, (uint32_t)h->events, &room, sizeof *all, 16);
        if (!all)
            return bx_out_of_memory(e);
        h->event = all;
        const char *name = kept_text(r, &cell[0]);
        all[h->events++] =
            (bx_hottest_event){.event = name ? name : "", .told = cell[1].number != 0};
    }
    return code ? code : bx_recording_answered(r->from, e);
}

static bx_hottest_event *event_named(bx_hottest *h, const bx_cell *name)
{
    for (size_t i = 0; name->kind == BX_CELL_TEXT && i < h->events; i++)
        if (strcmp(h->event[i].event, name->text) == 0)
            return &h->event[i];
    return NULL;
}

/* All in one pass over the rows: they have no index. */
static int read_lines(reading *r, bx_error *e)
{
    bx_cell cell[5];
    int code = bx_recording_ask(
        r->from,
        "SELECT event.name, function, file, line, sum(count) AS n "
        "FROM cost JOIN event ON event.id = cost.event JOIN code ON code.id = cost.code "
        "GROUP BY cost.event, function, file, line ORDER BY cost.event, n DESC, function, line",
        NULL, 0, e);
    while (!code && bx_recording_next(r->from, cell, 5)) {
        bx_hottest_event *of = event_named(&r->t->hottest, &cell[0]);
        if (!of || !of->told)
            continue;
        of->total += (uint64_t)cell[4].number;
        if (of->n == BX_HOTTEST_LINES)
            continue;
        const char *function = kept_text(r, &cell[1]);
        of->top[of->n++] =
            (bx_hot_line){.function = function ? function : "(unknown)",
                          .file = kept_text(r, &cell[2]),
                          .line = cell[3].kind == BX_CELL_NUMBER ? (unsigned)cell[3].number : 0,
                          .count = (uint64_t)cell[4].number};
    }
    return code ? code : bx_recording_answered(r->from, e);
}

static int read_all(reading *r, bx_error *e)
{
    int code = read_run(r, e);
    if (!code && !(r->hz > 0))
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording does not tell its clock");
    if (!code)
        code = read_columns(r, e);
    if (!code)
        code = read_rows(r, e);
    if (!code)
        code = count_events(r, e);
    if (!code)
        code = read_lines(r, e);
    return !code && r->t->arena.failed ? bx_out_of_memory(e) : code;
}

int bx_tape_read(const bx_catalog *c, const char *path, bx_tape *t, bx_error *e)
{
    reading r = {.t = t, .catalog = c};
    *t = (bx_tape){.series = {.most = SIZE_MAX}};
    int code = bx_recording_open(path, &r.from, e);
    if (!code)
        code = read_all(&r, e);
    bx_recording_leave(r.from);
    const char *machine = t->series.machine;
    t->series.is_virtual = machine && strncmp(machine, "virtual:", 8) == 0;
    return code;
}

void bx_tape_free(bx_tape *t)
{
    bx_series_free(&t->series);
    bx_arena_free(&t->arena);
}
