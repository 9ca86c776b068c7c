/* Writes comparisons as JSON. */
#include "base/json.h"
#include "compare/format/formats.h"
#include "compare/format/words.h"
#include "report/number.h"

#include <stdio.h>

static void truth(bx_json *j, const char *key, bool value)
{
    bx_json_raw(j, key, value ? "true" : "false");
}

static void write_number(bx_json *j, const char *key, double value)
{
    char digits[BX_NUMBER];
    bx_json_raw(j, key, bx_number_exact(value, digits));
}

static void value(bx_json *j, const char *key, const bx_saved_value *v)
{
    char digits[BX_NUMBER] = "null";
    if (v && !v->missing && v->whole)
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)v->count);
    else if (v && !v->missing)
        bx_number_exact(v->value, digits);
    bx_json_raw(j, key, digits);
}

static void place(bx_json *j, const bx_saved_value *v)
{
    bx_json_text(j, v->metric ? "metric" : "event", v->name);
    bx_json_text(j, "unit", v->unit);
    if (*v->place)
        bx_json_text(j, "place", v->place);
    if (*v->region)
        bx_json_text(j, "region", v->region);
    if (v->thread)
        bx_json_number(j, "thread", v->thread);
}

static void row(bx_json *j, const bx_compared *row)
{
    bx_json_open(j, NULL, '{');
    place(j, bx_compared_value(row));
    value(j, "old", row->was);
    value(j, "new", row->is);
    if (row->both)
        write_number(j, "difference", row->difference);
    if (row->both && row->relative)
        write_number(j, "percent", row->percent);
    if (row->tested) {
        write_number(j, "confidence-interval", row->within);
        truth(j, "significant", row->significant);
    }
    bx_json_close(j, '}');
}

static void verdict(bx_json *j, const bx_verdict *v)
{
    bx_json_open(j, NULL, '{');
    bx_json_text(j, "condition", v->of->text.p);
    write_number(j, "limit", v->limit);
    value(j, "old", v->row->was);
    value(j, "new", v->row->is);
    truth(j, "beyond", v->beyond);
    truth(j, "significant", v->significant);
    truth(j, "fails", v->fails);
    truth(j, "judged", !v->unseen);
    if (v->by)
        bx_json_text(j, "by", v->by);
    bx_json_close(j, '}');
}

/* A line with what a run did not see, if there is anything. */
static void incomplete(const bx_saved *run, const char *which, bx_buf *to)
{
    const bx_saved_unseen *left = NULL;
    if (!run->unseen_n)
        return;
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '{');
    bx_json_text(&j, "run", which);
    bx_json_open(&j, "incomplete", '[');
    for (size_t i = 0; i < run->unseen_n; i++) {
        if (run->unseen[i].left) {
            left = &run->unseen[i];
            continue;
        }
        bx_buf says = {.whole = &to->failed};
        bx_words_add_unseen(&run->unseen[i], &says);
        bx_json_text(&j, NULL, bx_buf_text(&says));
        bx_buf_free(&says);
    }
    bx_json_close(&j, ']');
    if (left)
        bx_json_text(&j, "left-running", left->text);
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}

/* ---- more than two runs ---- */

static void trend_row(bx_json *j, const bx_trend *t, const bx_trend_row *row)
{
    bx_json_open(j, NULL, '{');
    place(j, row->named);
    bx_json_open(j, "values", '[');
    for (size_t k = 0; k < t->runs_n; k++)
        value(j, NULL, row->value[k]);
    bx_json_close(j, ']');
    if (row->overall->both)
        write_number(j, "difference", row->overall->difference);
    if (row->overall->both && row->overall->relative)
        write_number(j, "percent", row->overall->percent);
    truth(j, "changed", row->changed);
    bx_json_close(j, '}');
}

static void trend(const bx_compare_result *r, bx_buf *to)
{
    const bx_trend *t = &r->trend;
    bx_json files = {.to = to};
    bx_json_open(&files, NULL, '{');
    bx_json_open(&files, "runs", '[');
    for (size_t k = 0; k < t->runs_n; k++)
        bx_json_text(&files, NULL, t->runs[k].name);
    bx_json_close(&files, ']');
    bx_json_close(&files, '}');
    bx_buf_z(to, "\n");
    for (size_t k = 0; k < t->runs_n; k++)
        incomplete(&t->runs[k], t->runs[k].name, to);
    for (size_t i = 0; i < t->n; i++) {
        if (!r->all && !t->rows[i].changed)
            continue;
        bx_json j = {.to = to};
        trend_row(&j, t, &t->rows[i]);
        bx_buf_z(to, "\n");
    }
}

static void two(const bx_compare_result *r, bx_buf *to)
{
    incomplete(r->comparison.was, "old", to);
    incomplete(r->comparison.is, "new", to);
    for (size_t i = 0; i < r->comparison.n; i++) {
        bx_json j = {.to = to};
        row(&j, &r->comparison.rows[i]);
        bx_buf_z(to, "\n");
    }
}

void bx_compare_json(const bx_compare_result *r, bx_buf *to)
{
    if (r->trend.runs_n > 2)
        trend(r, to);
    else
        two(r, to);
    for (size_t i = 0; i < r->verdicts_n; i++) {
        bx_json j = {.to = to};
        verdict(&j, &r->verdicts[i]);
        bx_buf_z(to, "\n");
    }
}
