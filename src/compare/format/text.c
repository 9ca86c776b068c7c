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
    bx_buf_f(to, "%*s", VALUE, bx_words_value(row->was, text));
    bx_buf_f(to, " %*s", VALUE, bx_words_value(row->is, text));
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
    bx_buf_f(to, "   %s  %s: %s", which, run->name, run->work);
    bx_buf_f(to, run->runs > 1 ? " (%u runs)\n" : "\n", run->runs);
    for (size_t i = 0; i < run->unseen_n; i++) {
        bx_buf_f(to, "        %s: ", bx_words_unseen(&run->unseen[i]));
        bx_words_add_unseen(&run->unseen[i], to);
        bx_buf_z(to, "\n");
    }
}

void bx_compare_text(const bx_compare_result *r, bx_buf *to)
{
    const bx_comparison *c = &r->comparison;
    bx_buf_z(to, "\n Comparison of two runs:\n");
    about("old", c->was, to);
    about("new", c->is, to);
    table(r, to);
    bx_buf_z(to, "\n");
    for (size_t i = 0; i < r->verdicts_n; i++) {
        bx_buf_z(to, " ");
        bx_words_add_verdict(&r->verdicts[i], to);
        bx_buf_z(to, i + 1 < r->verdicts_n ? "\n" : "\n\n");
    }
}
