#include "base/json.h"

#include "profile/format/formats.h"
#include "profile/metric_rows.h"
#include "report/number.h"

static void add_real(bx_json *j, const char *key, double value)
{
    char digits[BX_NUMBER];
    bx_json_raw(j, key, bx_number_exact(value, digits));
}

static void add_cell(bx_json *j, const char *key, const bx_cell *cell)
{
    char digits[BX_NUMBER];
    if (cell->kind == BX_CELL_NUMBER)
        bx_json_number(j, key, cell->number);
    else if (cell->kind == BX_CELL_REAL)
        bx_json_raw(j, key, bx_number_exact(cell->real, digits));
    else
        bx_json_text(j, key, cell->kind == BX_CELL_TEXT ? cell->text : NULL);
}

static void add_run(bx_json *j, const bx_profile *p)
{
    bx_json_open(j, "run", '{');
    for (uint32_t i = 0; i < p->run_n; i++)
        add_cell(j, p->run[i].key, &p->run[i].value);
    bx_json_close(j, '}');
}

static void add_events(bx_json *j, const bx_profile *p)
{
    bx_json_open(j, "events", '[');
    for (uint32_t i = 0; i < p->events; i++) {
        const bx_profile_event *event = &p->event[i];
        const bx_cell total =
            event->has_total ? bx_cell_number((uint64_t)event->total) : (bx_cell){0};
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "name", event->name);
        bx_json_text(j, "unit", event->unit);
        add_cell(j, "total", &total);
        bx_json_raw(j, "attributed", event->attributed ? "true" : "false");
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

static void add_counts(bx_json *j, const char *key, const bx_profile_table *t, const int64_t *count)
{
    bx_json_open(j, key, '{');
    for (uint32_t i = 0; i < t->of->events && count; i++)
        if (t->has[i])
            bx_json_number(j, t->of->event[i].name, count[i]);
    bx_json_close(j, '}');
}

static void add_keys(bx_json *j, const bx_profile_table *t, const bx_profile_row *row)
{
    for (unsigned i = 0; i < t->columns; i++)
        if (t->column[i].kind == BX_COLUMN_HEX && row->key[i].kind == BX_CELL_NUMBER)
            bx_json_hex(j, t->column[i].name, (uint64_t)row->key[i].number);
        else
            add_cell(j, t->column[i].name, &row->key[i]);
}

static void add_sides(bx_json *j, const bx_profile_table *t, uint32_t row)
{
    bx_json_open(j, "sides", '[');
    for (uint32_t i = 0; i < t->sides; i++) {
        const bx_profile_side *side = &t->side[i];
        if (side->row != row)
            continue;
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "role", side->role);
        bx_json_number(j, "offset", side->offset);
        bx_json_text(j, "function", side->function);
        bx_json_text(j, "line", side->line);
        bx_json_number(j, "thread", side->thread);
        bx_json_number(j, "core", side->core);
        bx_json_text(j, "event", side->event);
        bx_json_number(j, "count", side->count);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

/* Rows by address and by unit do not know which counts are of prefetchers. */
static void add_rows(bx_json *j, const bx_profile_table *t)
{
    bool tells = t->source == BX_FROM_COST;
    bx_json_open(j, "rows", '[');
    for (uint32_t i = 0; i < t->rows; i++) {
        const bx_profile_row *row = &t->row[i];
        bx_json_open(j, NULL, '{');
        add_keys(j, t, row);
        add_counts(j, "values", t, row->value);
        if (t->has_children)
            add_counts(j, "children", t, row->children);
        add_counts(j, "by-prefetch", t, tells ? row->by_prefetch : NULL);
        if (t->metric)
            add_real(j, "metric", row->own_metric);
        if (t->metric && t->has_children)
            add_real(j, "children-metric", row->metric);
        if (t->sides)
            add_sides(j, t, i);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

/* What no row shows: also all of an event that is nobody's, as far as a table has such. */
static void add_other(bx_json *j, const bx_profile_table *t)
{
    bx_json_open(j, "other", '{');
    for (uint32_t i = 0; i < t->of->events; i++)
        if (t->has[i] || (t->source == BX_FROM_COST && t->of->event[i].has_total))
            bx_json_number(j, t->of->event[i].name, t->other[i]);
    bx_json_close(j, '}');
}

/* By which rows are sorted. */
static void add_metric(bx_json *j, const bx_profile_table *t)
{
    bx_json_open(j, "metric", '{');
    bx_json_text(j, "name", t->sort);
    bx_json_text(j, "unit", bx_cat_z(t->metrics->catalog, t->metric->of->unit));
    add_real(j, "total", t->metric_of_all);
    add_real(j, "other", bx_profile_metric_of(t, t->other));
    bx_json_close(j, '}');
}

static void add_findings(bx_json *j, const bx_profile *p)
{
    char digits[BX_NUMBER];
    bx_json_open(j, "findings", '[');
    for (uint32_t i = 0; i < p->findings; i++) {
        const bx_finding *f = &p->finding[i];
        const bx_cell line = f->line ? bx_cell_number((uint64_t)f->line) : (bx_cell){0};
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "rule", f->rule);
        bx_json_text(j, "text", f->text);
        bx_json_raw(j, "share", bx_number_exact(f->share, digits));
        bx_json_text(j, "of", f->of);
        bx_json_text(j, "gain", f->gain);
        bx_json_raw(j, "cycles", bx_number_exact(f->cycles, digits));
        bx_json_text(j, "function", f->function);
        bx_json_text(j, "file", f->file);
        add_cell(j, "line", &line);
        bx_json_text(j, "object", f->object);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

void bx_profile_json(const bx_profile_table *t, bx_buf *to)
{
    bx_json j = {.to = to};
    const char *lack;
    bx_json_open(&j, NULL, '{');
    add_run(&j, t->of);
    add_events(&j, t->of);
    bx_json_open(&j, "by", '[');
    for (unsigned i = 0; i < t->keys; i++)
        bx_json_text(&j, NULL, t->key[i]);
    bx_json_close(&j, ']');
    bx_json_text(&j, "sort", t->sort);
    if (t->metric)
        add_metric(&j, t);
    add_rows(&j, t);
    bx_json_number(&j, "rows-left-out", t->left);
    add_other(&j, t);
    add_findings(&j, t->of);
    bx_json_open(&j, "lacks", '[');
    for (unsigned i = 0; (lack = bx_profile_lacks(t->of, i)); i++)
        bx_json_text(&j, NULL, lack);
    bx_json_close(&j, ']');
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}
