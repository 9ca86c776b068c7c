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

static columns measure_columns(const bx_comparison *c)
{
    columns widest = {.change = strlen("change")};
    char text[BX_WORDS];
    for (size_t i = 0; i < c->n; i++) {
        widest.change = larger(widest.change, strlen(bx_words_change(&c->rows[i], text)));
        widest.unit = larger(widest.unit, strlen(bx_compared_value(&c->rows[i])->unit));
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

static void table(const bx_comparison *c, bx_buf *to)
{
    columns widest = measure_columns(c);
    char before[BX_WORDS] = "";
    bx_buf_f(to, "\n%*s %*s  %*s\n", VALUE, "old", VALUE, "new", (int)widest.change, "change");
    for (size_t i = 0; i < c->n; i++) {
        head(bx_compared_value(&c->rows[i]), before, to);
        line(&c->rows[i], &widest, to);
    }
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
    table(c, to);
    bx_buf_z(to, "\n");
    for (size_t i = 0; i < r->verdicts_n; i++) {
        bx_buf_z(to, " ");
        bx_words_add_verdict(&r->verdicts[i], to);
        bx_buf_z(to, i + 1 < r->verdicts_n ? "\n" : "\n\n");
    }
}
