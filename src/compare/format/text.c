/* Writes comparisons as text for people. */
#include "compare/format/formats.h"
#include "compare/format/words.h"

#include <stdio.h>
#include <string.h>

enum { VALUE = 18 };

typedef struct columns {
    size_t change, unit;
} columns;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_shown(const bx_compare_result *r, const bx_compared *row)
{
    return r->all || bx_compare_changed(row);
}

static columns measure_columns(const bx_compare_result *r)
{
    columns widest = {.change = strlen("change")};
    char text[BX_WORDS];
    for (size_t i = 0; i < r->comparison.n; i++) {
        const bx_compared *row = r->comparison.shown[i];
        if (!is_shown(r, row))
            continue;
        widest.change = larger(widest.change, strlen(bx_words_change(row, text)));
        widest.unit = larger(widest.unit, strlen(bx_compared_value(row)->unit));
    }
    return widest;
}

static void line(const bx_compared *row, const columns *c, bx_buf *to)
{
    char text[BX_WORDS];
    const bx_saved_value *v = bx_compared_value(row);
    const char *remark = bx_words_remark(row);
    bx_buf_f(to, "%*s", VALUE, bx_words_before(row, text));
    bx_buf_f(to, " %*s", VALUE, bx_words_after(row, text));
    bx_buf_f(to, "  %*s", (int)c->change, bx_words_change(row, text));
    bx_buf_f(to, "  %-*s %s", (int)c->unit, v->unit, v->name);
    bx_buf_f(to, "%s%s%s\n", *remark ? "  (" : "", remark, *remark ? ")" : "");
}

/* Writes a heading when the unit or region changes. */
static void head(const bx_saved_value *v, char before[BX_WORDS], bx_buf *to)
{
    char place[BX_WORDS];
    if (strcmp(bx_words_place(v, place), before) == 0)
        return;
    memcpy(before, place, BX_WORDS);
    bx_buf_f(to, " %s:\n", *place ? place : "whole run");
}

/* Rows that are left out, by why: they are not forgotten. */
static void left_out(const bx_comparison *c, bx_buf *to)
{
    size_t equal = 0, missing = 0;
    for (size_t i = 0; i < c->n; i++) {
        missing += bx_compare_missing(&c->rows[i]);
        equal += c->rows[i].both && c->rows[i].equal;
    }
    if (equal || missing)
        bx_buf_z(to, "\n");
    if (equal)
        bx_buf_f(to, " %zu equal\n", equal);
    if (missing)
        bx_buf_f(to, " %zu without a value in either run\n", missing);
}

static void table(const bx_compare_result *r, bx_buf *to)
{
    const bx_comparison *c = &r->comparison;
    columns widest = measure_columns(r);
    char before[BX_WORDS] = "";
    bool any = false;
    for (size_t i = 0; i < c->n; i++) {
        const bx_compared *row = c->shown[i];
        if (!is_shown(r, row))
            continue;
        if (!any)
            bx_buf_f(to, "\n%*s %*s  %*s\n", VALUE, "old", VALUE, "new", (int)widest.change,
                     "change");
        any = true;
        head(bx_compared_value(row), before, to);
        line(row, &widest, to);
    }
    if (!r->all)
        left_out(c, to);
}

static void about(const char *which, const bx_saved *run, bx_buf *to)
{
    bx_buf_f(to, "   %3s  %s: %s", which, run->name, run->work);
    bx_buf_f(to, run->runs > 1 ? " (%u runs)\n" : "\n", run->runs);
    for (size_t i = 0; i < run->unseen_n; i++) {
        bx_buf_f(to, "        %s: ", bx_words_unseen(&run->unseen[i]));
        bx_words_add_unseen(&run->unseen[i], to);
        bx_buf_z(to, "\n");
    }
}

/* ---- more than two runs ---- */

static size_t width_of_values(const bx_trend *t, bool all)
{
    char text[BX_WORDS];
    size_t widest = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < t->runs_n && (all || t->rows[i].changed); k++)
            widest = larger(widest, strlen(bx_words_value(t->rows[i].value[k], text)));
    return widest;
}

static void trend_head(const bx_trend *t, size_t width, bx_buf *to)
{
    bx_buf_z(to, "\n");
    for (size_t k = 0; k < t->runs_n; k++)
        bx_buf_f(to, " %*zu", (int)width + 1, k + 1);
    bx_buf_z(to, "  change\n");
}

static void trend_row(const bx_trend *t, const bx_trend_row *row, size_t width, const columns *c,
                      bx_buf *to)
{
    char text[BX_WORDS];
    for (size_t k = 0; k < t->runs_n; k++)
        bx_buf_f(to, " %*s", (int)width + 1, bx_words_value(row->value[k], text));
    bx_buf_f(to, "  %*s", (int)c->change, bx_words_change(row->overall, text));
    bx_buf_f(to, "  %-*s %s\n", (int)c->unit, row->named->unit, row->named->name);
}

/* Rows that are left out, by why. */
static void trend_left_out(const bx_trend *t, bx_buf *to)
{
    size_t equal = 0, zero = 0;
    for (size_t i = 0; i < t->n; i++) {
        zero += !t->rows[i].changed && t->rows[i].zero;
        equal += !t->rows[i].changed && !t->rows[i].zero;
    }
    if (equal || zero)
        bx_buf_z(to, "\n");
    if (equal)
        bx_buf_f(to, " %zu equal, or without a value, in all runs\n", equal);
    if (zero)
        bx_buf_f(to, " %zu always 0\n", zero);
}

static void trend_table(const bx_compare_result *r, bx_buf *to)
{
    const bx_trend *t = &r->trend;
    size_t width = width_of_values(t, r->all);
    columns widest = {.change = strlen("change")};
    char before[BX_WORDS] = "", text[BX_WORDS];
    bool any = false;
    for (size_t i = 0; i < t->n; i++) {
        if (!r->all && !t->rows[i].changed)
            continue;
        widest.change = larger(widest.change, strlen(bx_words_change(t->rows[i].overall, text)));
        widest.unit = larger(widest.unit, strlen(t->rows[i].named->unit));
    }
    for (size_t i = 0; i < t->n; i++) {
        if (!r->all && !t->shown[i]->changed)
            continue;
        if (!any)
            trend_head(t, width, to);
        any = true;
        head(t->shown[i]->named, before, to);
        trend_row(t, t->shown[i], width, &widest, to);
    }
    if (!r->all)
        trend_left_out(t, to);
}

static void trend(const bx_compare_result *r, bx_buf *to)
{
    char number[24];
    bx_buf_f(to, "\n Comparison of %zu runs; the change is that from the first to the last:\n",
             r->trend.runs_n);
    for (size_t k = 0; k < r->trend.runs_n; k++) {
        snprintf(number, sizeof number, "%zu", k + 1);
        about(number, &r->trend.runs[k], to);
    }
    trend_table(r, to);
}

static void two(const bx_compare_result *r, bx_buf *to)
{
    bx_buf_z(to, "\n Comparison of two runs:\n");
    about("old", r->comparison.was, to);
    about("new", r->comparison.is, to);
    table(r, to);
}

void bx_compare_text(const bx_compare_result *r, bx_buf *to)
{
    if (r->trend.runs_n > 2)
        trend(r, to);
    else
        two(r, to);
    bx_buf_z(to, "\n");
    for (size_t i = 0; i < r->verdicts_n; i++) {
        bx_buf_z(to, " ");
        bx_words_add_verdict(&r->verdicts[i], to);
        bx_buf_z(to, i + 1 < r->verdicts_n ? "\n" : "\n\n");
    }
}
