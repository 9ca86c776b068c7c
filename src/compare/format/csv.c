/* Writes a trend as CSV: a row for each value, a column for each run; after them, as in the CSV of
 * stat, lines with '#' for what runs did not see, and for the conditions. A field that contains the
 * separator's first character or a quote is quoted as in RFC 4180. */
#include "base/printable.h"
#include "compare/format/formats.h"
#include "compare/format/words.h"
#include "report/number.h"

#include <stdio.h>
#include <string.h>

static void field(bx_buf *to, const char *separator, const char *text)
{
    bx_csv_text(to, text, separator);
    bx_buf_z(to, separator);
}

/* Empty: the run does not have it. */
static void cell(bx_buf *to, const char *separator, const bx_saved_value *v)
{
    char digits[BX_NUMBER], text[BX_WORDS] = "";
    if (v && !v->missing && v->whole)
        snprintf(text, sizeof text, "%llu", (unsigned long long)v->count);
    else if (v && !v->missing)
        snprintf(text, sizeof text, "%s", bx_number_exact(v->value, digits));
    else if (v)
        bx_words_value(v, text);
    field(to, separator, text);
}

static void incomplete(const bx_saved *run, bx_buf *to)
{
    for (size_t i = 0; i < run->unseen_n; i++) {
        bx_buf_f(to, "# %s: %s: ", bx_words_unseen(&run->unseen[i]), run->name);
        bx_words_add_unseen(&run->unseen[i], to);
        bx_buf_z(to, "\n");
    }
}

void bx_compare_csv(const bx_compare_result *r, bx_buf *to)
{
    const bx_trend *t = &r->trend;
    const char *separator = r->separator;
    char text[BX_WORDS];
    field(to, separator, "where");
    field(to, separator, "what");
    field(to, separator, "unit");
    for (size_t i = 0; i < t->runs_n; i++)
        field(to, separator, t->runs[i].name);
    bx_buf_z(to, "percent\n");
    for (size_t i = 0; i < t->n; i++) {
        const bx_trend_row *row = t->shown[i];
        if (!r->all && !row->changed)
            continue;
        field(to, separator, bx_words_place(row->named, text));
        field(to, separator, row->named->name);
        field(to, separator, row->named->unit);
        for (size_t k = 0; k < t->runs_n; k++)
            cell(to, separator, row->value[k]);
        if (row->overall->both && row->overall->relative)
            bx_buf_z(to, bx_number_exact(row->overall->percent, text));
        bx_buf_z(to, "\n");
    }
    for (size_t i = 0; i < t->runs_n; i++)
        incomplete(&t->runs[i], to);
    for (size_t i = 0; i < r->verdicts_n; i++) {
        bx_buf_z(to, "# ");
        bx_words_add_verdict(&r->verdicts[i], to);
        bx_buf_z(to, "\n");
    }
}
