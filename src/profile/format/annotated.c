/* Source lines with their counts beside them. */
#include "base/printable.h"
#include "profile/format/formats.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

enum { AROUND = 3, COUNTS_SHOWN = 2 };

/* FILE:LINE, as keys of rows have it. false: it is none. */
static bool split_place(const bx_cell *place, bx_str *file, uint64_t *line)
{
    const char *colon = place->kind == BX_CELL_TEXT ? strrchr(place->text, ':') : NULL;
    if (!colon || !bx_str_u64(bx_str_of(colon + 1), line))
        return false;
    *file = (bx_str){place->text, (size_t)(colon - place->text)};
    return true;
}

/* A row of a file. */
typedef struct placed_row {
    uint64_t line;
    const bx_profile_row *row;
} placed_row;

static int compare_lines(const void *a, const void *b)
{
    const placed_row *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

/* Those of a file, by line; NULL: out of memory. */
static placed_row *rows_of_file(const bx_profile_table *t, bx_str of, size_t *n)
{
    placed_row *to = malloc((t->rows + 1) * sizeof *to);
    bx_str file;
    uint64_t line;
    *n = 0;
    for (uint32_t i = 0; i < t->rows && to; i++)
        if (split_place(&t->row[i].key[0], &file, &line) && bx_str_eq(file, of))
            to[(*n)++] = (placed_row){line, &t->row[i]};
    if (*n)
        qsort(to, *n, sizeof *to, compare_lines);
    return to;
}

static unsigned choose_counts(const bx_profile_table *t, uint32_t to[COUNTS_SHOWN])
{
    unsigned n = 0;
    for (unsigned first = 1; first <= 2; first++)
        for (uint32_t i = 0; i < t->of->events && n < COUNTS_SHOWN; i++)
            if (t->has[i] && !t->of->event[i].cycles && t->ranks[i] == (first == 1))
                to[n++] = i;
    return n;
}

void bx_profile_counted(const bx_profile_table *t, const bx_profile_row *row, bx_buf *to)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < t->of->events; i++)
        total += t->ranks[i] ? t->of->event[i].total : 0;
    char digits[BX_NUMBER];
    uint32_t event[COUNTS_SHOWN];
    unsigned n = choose_counts(t, event);
    if (row)
        bx_buf_f(to, "%5.1f %%", total > 0 ? 100.0 * (double)row->rank / (double)total : 0);
    else
        bx_buf_f(to, "%7s", "");
    for (unsigned i = 0; i < n; i++)
        bx_buf_f(to, " %13s", row ? bx_number_whole((uint64_t)row->value[event[i]], digits) : "");
}

void bx_profile_counted_heading(const bx_profile_table *t, bx_str file, bx_buf *to)
{
    uint32_t event[COUNTS_SHOWN];
    unsigned n = choose_counts(t, event);
    bx_buf_printable(to, file);
    bx_buf_z(to, ": share of all ");
    bx_buf_name(to, t->sort ? t->sort : "");
    for (unsigned i = 0; i < n; i++) {
        bx_buf_z(to, ", ");
        bx_buf_name(to, t->of->event[event[i]].name);
    }
    bx_buf_z(to, "\n");
}

bx_str bx_profile_file(const bx_profile_table *t, uint32_t row)
{
    bx_str file, earlier;
    uint64_t line;
    if (!split_place(&t->row[row].key[0], &file, &line))
        return (bx_str){0};
    for (uint32_t i = 0; i < row; i++)
        if (split_place(&t->row[i].key[0], &earlier, &line) && bx_str_eq(earlier, file))
            return (bx_str){0};
    return file;
}

/* Tabs to the next column of eight. */
static void add_source(bx_str text, bx_buf *to)
{
    static const char blanks[] = "        ";
    for (size_t column = 0; text.n;) {
        if (*text.p == '\t') {
            bx_buf_add(to, blanks, 8 - column % 8);
            column += 8 - column % 8;
            text = bx_str_sub(text, 1, text.n);
        } else if (*text.p == '\r') {
            text = bx_str_sub(text, 1, text.n);
        } else {
            bx_buf_str(to, bx_next_printable(&text));
            column++;
        }
    }
    bx_buf_z(to, "\n");
}

static void add_annotated(const bx_profile_table *t, const placed_row *row, size_t n, bx_str text,
                          bx_buf *to)
{
    uint64_t number = 0, last = 0;
    size_t at = 0; /* rows before are of lines too far above */
    for (bx_str rest = text; rest.p && rest.n;) {
        bx_str line = bx_str_cut(&rest, '\n');
        number++;
        while (at < n && row[at].line + AROUND < number)
            at++;
        if (at == n || row[at].line > number + AROUND)
            continue;
        size_t own = at;
        while (own < n && row[own].line < number)
            own++;
        if (last && number > last + 1)
            bx_buf_z(to, "...\n");
        bx_profile_counted(t, own < n && row[own].line == number ? row[own].row : NULL, to);
        bx_buf_f(to, " %5llu  ", (unsigned long long)number);
        add_source(line, to);
        last = number;
    }
    for (size_t i = 0; i < n; i++)
        if (row[i].line > number || !row[i].line) {
            bx_profile_counted(t, row[i].row, to);
            bx_buf_f(to, " %5llu  (no text)\n", (unsigned long long)row[i].line);
        }
}

void bx_profile_annotated(const bx_profile_table *t, bx_str file, bx_str text, bx_buf *to)
{
    size_t n;
    placed_row *row = rows_of_file(t, file, &n);
    bx_profile_counted_heading(t, file, to);
    if (row)
        add_annotated(t, row, n, text, to);
    else
        bx_buf_fail(to);
    free(row);
}
