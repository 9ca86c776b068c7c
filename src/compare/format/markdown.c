/* Writes comparisons as a table in Markdown. */
#include "compare/format/formats.h"
#include "compare/format/words.h"

#include <string.h>

/* Escapes characters that have a meaning in a table. */
static void cell(bx_buf *to, const char *text)
{
    bx_buf_z(to, "| ");
    for (; *text; text++)
        bx_buf_f(to, strchr("\\|<>*_`[]@#", *text) ? "\\%c" : "%c", *text);
    bx_buf_z(to, " ");
}

static void row(const bx_compared *row, bx_buf *to)
{
    char text[BX_WORDS];
    const bx_saved_value *v = bx_compared_value(row);
    cell(to, bx_words_place(v, text));
    cell(to, v->name);
    cell(to, bx_words_value(row->was, text));
    cell(to, bx_words_value(row->is, text));
    cell(to, v->unit);
    cell(to, bx_words_change(row, text));
    cell(to, bx_words_remark(row));
    bx_buf_z(to, "|\n");
}

static bool is_changed(const bx_compared *row)
{
    bool only_one = !row->was || !row->is || !row->was->missing != !row->is->missing;
    return row->both ? !row->equal : only_one;
}

static void table(const bx_comparison *c, bool changed, bx_buf *to)
{
    bx_buf_z(to, "| where | what | old | new | unit | change | |\n"
                 "| --- | --- | ---: | ---: | --- | ---: | --- |\n");
    for (size_t i = 0; i < c->n; i++)
        if (is_changed(&c->rows[i]) == changed)
            row(&c->rows[i], to);
}

static size_t count_changed(const bx_comparison *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += is_changed(&c->rows[i]);
    return n;
}

static void verdict(const bx_verdict *v, bx_buf *to)
{
    char text[BX_WORDS];
    bx_buf_z(to, v->fails ? "- **fails**: `" : "- passes: `");
    bx_buf_str(to, v->of->text);
    bx_buf_f(to, "`: %s", bx_words_value(v->row->was, text));
    bx_buf_f(to, " → %s %s", bx_words_value(v->row->is, text), v->row->is->unit);
    bx_buf_f(to, " (%s)%s\n", bx_words_change(v->row, text),
             v->beyond && !v->fails ? "; the difference is not significant" : "");
}

void bx_compare_markdown(const bx_compare_result *r, bx_buf *to)
{
    const bx_comparison *c = &r->comparison;
    size_t changed = count_changed(c), failed = 0;
    for (size_t i = 0; i < r->verdicts_n; i++)
        failed += r->verdicts[i].fails;
    bx_buf_f(to, "### boxscore: %zu of %zu values changed", changed, c->n);
    if (r->verdicts_n)
        bx_buf_f(to, ", %zu of %zu conditions fail", failed, r->verdicts_n);
    bx_buf_z(to, "\n\n");
    for (size_t i = 0; i < r->verdicts_n; i++)
        verdict(&r->verdicts[i], to);
    bx_buf_z(to, r->verdicts_n ? "\n" : "");
    if (changed)
        table(c, true, to);
    if (changed == c->n)
        return;
    bx_buf_f(to, "%s<details><summary>%zu equal values</summary>\n\n", changed ? "\n" : "",
             c->n - changed);
    table(c, false, to);
    bx_buf_z(to, "\n</details>\n");
}
