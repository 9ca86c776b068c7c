/* Writes values, differences and verdicts in words. */
#include "compare/format/words.h"

#include "base/printable.h"
#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *bx_words_value(const bx_saved_value *v, char to[BX_WORDS])
{
    char number[BX_NUMBER];
    if (!v || v->missing)
        snprintf(to, BX_WORDS, "%s%s%s", v ? "<" : "", v ? v->missing : "-", v ? ">" : "");
    else
        snprintf(to, BX_WORDS, "%s",
                 v->whole ? bx_number_whole(v->count, number) : bx_number_figure(v->value, number));
    return to;
}

/* Two figures that differ beyond the digits of a figure are shown with more of them. */
static const char *apart(const bx_compared *row, const bx_saved_value *v, char to[BX_WORDS])
{
    char was[BX_WORDS], is[BX_WORDS];
    bx_words_value(row->was, was);
    bx_words_value(row->is, is);
    bool alike = row->both && !row->equal && !row->was->missing && !row->is->missing;
    for (int digits = 5; alike && digits < 16 && strcmp(was, is) == 0; digits++) {
        snprintf(was, sizeof was, "%.*g", digits, row->was->value);
        snprintf(is, sizeof is, "%.*g", digits, row->is->value);
    }
    snprintf(to, BX_WORDS, "%s", v == row->was ? was : is);
    return to;
}

const char *bx_words_before(const bx_compared *row, char to[BX_WORDS])
{
    return apart(row, row->was, to);
}

const char *bx_words_after(const bx_compared *row, char to[BX_WORDS])
{
    return apart(row, row->is, to);
}

const char *bx_words_change(const bx_compared *row, char to[BX_WORDS])
{
    char number[BX_NUMBER], within[BX_NUMBER];
    const char *sign = row->difference > 0 ? "+" : "";
    *to = '\0';
    if (!row->both)
        return to;
    if (row->equal && row->within == 0)
        snprintf(to, BX_WORDS, "equal");
    else if (!row->relative)
        snprintf(to, BX_WORDS, "%s%s from 0", sign, bx_number_figure(row->difference, number));
    else if (row->within > 0)
        snprintf(to, BX_WORDS, "%s%s %% +- %s %%", sign, bx_number_figure(row->percent, number),
                 bx_number_figure(100 * row->within / fabs(row->was->value), within));
    else
        snprintf(to, BX_WORDS, "%s%s %%", sign, bx_number_figure(row->percent, number));
    return to;
}

const char *bx_words_remark(const bx_compared *row)
{
    bool scaled = row->both && (row->was->scaled || row->is->scaled);
    if (row->both && row->tested && !row->significant && !row->equal)
        return scaled ? "scaled; not significant" : "not significant";
    return scaled ? "scaled" : "";
}

const char *bx_words_place(const bx_saved_value *v, char to[BX_WORDS])
{
    char thread[32] = "";
    if (v->thread)
        snprintf(thread, sizeof thread, ", thread %u", v->thread);
    if (*v->region)
        snprintf(to, BX_WORDS, "region '%.60s'%s%s%.40s", v->region, thread, *v->place ? ", " : "",
                 v->place);
    else
        snprintf(to, BX_WORDS, "%s", v->place);
    bx_printable(to, strlen(to)); /* a character of several bytes may have been cut */
    return to;
}

const char *bx_words_verdict(const bx_verdict *v)
{
    return v->unseen   ? "not judged"
           : v->fails  ? "fails"
           : v->beyond ? "passes: the difference is not significant"
                       : "passes";
}

void bx_words_add_verdict(const bx_verdict *v, bx_buf *to)
{
    char text[BX_WORDS];
    const bx_compared *row = v->row;
    bx_buf_str(to, v->of->text);
    bx_buf_f(to, ": %s: %s", bx_words_verdict(v), bx_words_before(row, text));
    bx_buf_f(to, " -> %s %s", bx_words_after(row, text), row->is->unit);
    bx_buf_f(to, " (%s)", bx_words_change(row, text));
    if (v->unseen) {
        bx_buf_z(to, "; ");
        bx_words_add_reason(v, to);
    }
    if (v->by)
        bx_buf_f(to, "; %s", v->by);
}

void bx_words_add_unseen(const bx_saved_unseen *unseen, bx_buf *to)
{
    if (unseen->region)
        bx_buf_f(to, "region '%s': ", unseen->region);
    bx_buf_z(to, unseen->text);
}

const char *bx_words_unseen(const bx_saved_unseen *unseen)
{
    return unseen->left ? "left running" : "incomplete";
}

void bx_words_add_reason(const bx_verdict *v, bx_buf *to)
{
    bx_buf_f(to,
             v->unseen->vague  ? "in %s, "
             : v->unseen->left ? "the runs left different processes running: in %s: "
                               : "%s is incomplete: ",
             v->unseen_in->name);
    bx_words_add_unseen(v->unseen, to);
}
