/* Writes comparisons as a table in Markdown. */
#include "base/printable.h"
#include "compare/format/formats.h"
#include "compare/format/words.h"

static void cell(bx_buf *to, const char *text)
{
    bx_buf_z(to, "| ");
    bx_markdown_text(to, bx_str_of(text));
    bx_buf_z(to, " ");
}

static void row(const bx_compared *row, bx_buf *to)
{
    char text[BX_WORDS];
    const bx_saved_value *v = bx_compared_value(row);
    cell(to, bx_words_place(v, text));
    cell(to, v->name);
    cell(to, bx_words_before(row, text));
    cell(to, bx_words_after(row, text));
    cell(to, v->unit);
    cell(to, bx_words_change(row, text));
    cell(to, bx_words_remark(row));
    bx_buf_z(to, "|\n");
}

static void table(const bx_comparison *c, bool changed, bx_buf *to)
{
    bx_buf_z(to, "| where | what | old | new | unit | change | |\n"
                 "| --- | --- | ---: | ---: | --- | ---: | --- |\n");
    for (size_t i = 0; i < c->n; i++)
        if (bx_compare_changed(c->shown[i]) == changed)
            row(c->shown[i], to);
}

static void trend(const bx_compare_result *r, bx_buf *to)
{
    const bx_trend *t = &r->trend;
    char text[BX_WORDS];
    cell(to, "where");
    cell(to, "what");
    for (size_t k = 0; k < t->runs_n; k++)
        cell(to, t->runs[k].name);
    bx_buf_z(to, "| unit | change |\n| --- | --- |");
    for (size_t k = 0; k < t->runs_n; k++)
        bx_buf_z(to, " ---: |");
    bx_buf_z(to, " --- | ---: |\n");
    for (size_t i = 0; i < t->n; i++) {
        const bx_trend_row *one = t->shown[i];
        if (!r->all && !one->changed)
            continue;
        cell(to, bx_words_place(one->named, text));
        cell(to, one->named->name);
        for (size_t k = 0; k < t->runs_n; k++)
            cell(to, bx_words_value(one->value[k], text));
        cell(to, one->named->unit);
        cell(to, bx_words_change(one->overall, text));
        bx_buf_z(to, "|\n");
    }
}

static size_t count_changed(const bx_compare_result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->trend.n; i++)
        n += r->trend.rows[i].changed;
    return n;
}

/* Says why a condition is not judged, or that a difference is not significant. */
static void add_reason(const bx_verdict *v, bx_buf *to)
{
    bx_buf says = {.whole = &to->failed};
    if (v->unseen) {
        bx_words_add_reason(v, &says);
    } else if (v->beyond && !v->fails) {
        bx_buf_z(&says, "the difference is not significant");
    }
    bx_buf_z(to, says.n ? "; " : "");
    bx_markdown_text(to, (bx_str){bx_buf_text(&says), says.n});
    bx_buf_free(&says);
}

static void verdict(const bx_verdict *v, bx_buf *to)
{
    char text[BX_WORDS];
    bx_buf_z(to, v->unseen ? "- **not judged**: " : v->fails ? "- **fails**: " : "- passes: ");
    bx_markdown_code(to, v->of->text);
    bx_buf_z(to, ": ");
    bx_markdown_text(to, bx_str_of(bx_words_before(v->row, text)));
    bx_buf_z(to, " → ");
    bx_markdown_text(to, bx_str_of(bx_words_after(v->row, text)));
    bx_buf_z(to, *v->row->is->unit ? " " : "");
    bx_markdown_text(to, bx_str_of(v->row->is->unit));
    bx_buf_f(to, " (%s)", bx_words_change(v->row, text));
    add_reason(v, to);
    bx_buf_z(to, v->by ? "; " : "");
    bx_markdown_text(to, bx_str_of(v->by));
    bx_buf_z(to, "\n");
}

/* What a run did not see. */
static void incomplete(const bx_saved *run, const char *which, bx_buf *to)
{
    for (size_t i = 0; i < run->unseen_n; i++) {
        bx_buf says = {.whole = &to->failed};
        bx_words_add_unseen(&run->unseen[i], &says);
        bx_buf_f(to, "- **%s**: the %s run: ", bx_words_unseen(&run->unseen[i]), which);
        bx_markdown_text(to, (bx_str){bx_buf_text(&says), says.n});
        bx_buf_z(to, "\n");
        bx_buf_free(&says);
    }
}

/* What the runs did not see. Returns the number of lines. */
static size_t all_incomplete(const bx_trend *t, bx_buf *to)
{
    size_t lines = 0;
    for (size_t k = 0; k < t->runs_n; k++) {
        bx_buf number = {.whole = &to->failed};
        bx_buf_f(&number, "%zu.", k + 1);
        incomplete(&t->runs[k], t->runs_n > 2 ? bx_buf_text(&number) : k ? "new" : "old", to);
        bx_buf_free(&number);
        lines += t->runs[k].unseen_n;
    }
    return lines;
}

void bx_compare_markdown(const bx_compare_result *r, bx_buf *to)
{
    const bx_comparison *c = &r->comparison;
    size_t changed = count_changed(r), n = r->trend.n, failed = 0, unjudged = 0;
    for (size_t i = 0; i < r->verdicts_n; i++) {
        failed += r->verdicts[i].fails && !r->verdicts[i].unseen;
        unjudged += r->verdicts[i].unseen != NULL;
    }
    bx_buf_f(to, "### boxscore: %zu of %zu values changed", changed, n);
    if (r->verdicts_n)
        bx_buf_f(to, ", %zu of %zu conditions fail", failed, r->verdicts_n);
    if (unjudged)
        bx_buf_f(to, ", %zu not judged", unjudged);
    bx_buf_z(to, "\n\n");
    size_t lines = r->verdicts_n + all_incomplete(&r->trend, to);
    for (size_t i = 0; i < r->verdicts_n; i++)
        verdict(&r->verdicts[i], to);
    bx_buf_z(to, lines ? "\n" : "");
    if (r->trend.runs_n > 2) {
        if (changed || r->all)
            trend(r, to);
        return;
    }
    if (changed)
        table(c, true, to);
    if (changed == n)
        return;
    bx_buf_f(to, "%s<details><summary>%zu equal values</summary>\n\n", changed ? "\n" : "",
             n - changed);
    table(c, false, to);
    bx_buf_z(to, "\n</details>\n");
}
