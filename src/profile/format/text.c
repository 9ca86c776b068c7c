#include "base/printable.h"
#include "profile/format/formats.h"
#include "profile/metric_rows.h"
#include "report/number.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 80,
    COUNT = 14,      /* "9,999,999,999 " */
    COUNTS_MOST = 3, /* columns of counts, after the share */
    SHARE = 8,       /* "100.0 % " */
    SIDES_MOST = 8,
};

/* ---- the head ---- */

/* Breaks lines between words; a word that is longer than a line stays whole. */
static void add_wrapped(const char *text, const char *indent, bx_buf *to)
{
    bx_buf safe = {0};
    bx_buf_name(&safe, text);
    size_t at = 0;
    for (bx_str rest = bx_str_of(bx_buf_text(&safe)); rest.p;) {
        bx_str word = bx_str_cut(&rest, ' ');
        if (rest.p && *rest.p == '%') { /* a percentage stays together */
            bx_str sign = bx_str_cut(&rest, ' ');
            word.n = (size_t)(sign.p + sign.n - word.p);
        }
        if (at && at + 1 + word.n > WIDTH) {
            bx_buf_f(to, "\n%s", indent);
            at = strlen(indent);
        } else if (at) {
            bx_buf_z(to, " ");
            at++;
        }
        bx_buf_str(to, word);
        at += word.n;
    }
    bx_buf_z(to, "\n");
    to->failed |= safe.failed;
    bx_buf_free(&safe);
}

static double percent_of(int64_t part, int64_t of)
{
    return of > 0 ? 100.0 * (double)part / (double)of : 0;
}

/* What is waited for: all of at least 1 %, the largest first. */
static void add_parts(const bx_profile *p, bx_buf *to)
{
    int64_t below = INT64_MAX;
    const char *comma = ": ";
    for (uint32_t n = 0; n < p->events; n++) {
        const bx_profile_event *next = NULL;
        for (uint32_t i = 0; i < p->events; i++)
            if (p->event[i].wait && p->event[i].total < below &&
                (!next || p->event[i].total > next->total))
                next = &p->event[i];
        if (!next || percent_of(next->total, p->time) < 1)
            return;
        for (uint32_t i = 0; i < p->events; i++)
            if (p->event[i].wait && p->event[i].total == next->total) {
                bx_buf_f(to, "%s%.0f %% %s", comma, percent_of(next->total, p->time),
                         p->event[i].name + strlen("wait:"));
                comma = ", ";
            }
        below = next->total;
    }
}

void bx_profile_verdict(const bx_profile *p, bx_buf *to)
{
    char digits[BX_NUMBER];
    int64_t waits = 0;
    for (uint32_t i = 0; i < p->events; i++)
        waits += p->event[i].wait ? p->event[i].total : 0;
    if (!p->tells_who) {
        bx_buf_z(to, "counts over time alone, since hardware does not tell who causes them");
    } else if (p->time) {
        bx_buf_f(to, "cores wait in %.0f %% of %s cycles", percent_of(waits, p->time),
                 bx_number_whole((uint64_t)p->time, digits));
        add_parts(p, to);
    } else {
        bx_buf_z(to, "it has no cycles");
    }
    bx_buf_z(to, ".");
}

static void add_verdict(const bx_profile *p, bx_buf *to)
{
    const char *work = bx_profile_fact_text(p, "work"), *on = bx_profile_fact_text(p, "machine");
    bx_buf text = {.whole = &to->failed};
    const char *lacks = bx_profile_fact_text(p, "undocumented");
    bx_buf_f(&text, "%s on %s%s%s%s: ", work ? work : "(unknown)", on ? on : "(unknown)",
             lacks ? " (" : "", lacks ? lacks : "", lacks ? ")" : "");
    bx_profile_verdict(p, &text);
    add_wrapped(bx_buf_text(&text), "  ", to);
    bx_buf_free(&text);
}

static void add_notes(const bx_profile *p, bool before, bx_buf *to)
{
    const char *lack;
    for (unsigned i = 0; (lack = bx_profile_lacks(p, i)); i++)
        if ((strncmp(lack, "incomplete:", 11) == 0) == before)
            add_wrapped(lack, "  ", to);
}

static void add_cards(const bx_profile *p, bx_buf *to)
{
    for (uint32_t i = 0; i < p->findings; i++) {
        const bx_finding *f = &p->finding[i];
        bx_buf text = {0};
        bx_buf_f(&text, "%s: %s", f->rule, f->text);
        bx_buf_z(to, i ? "" : "\n");
        add_wrapped(bx_buf_text(&text), "    ", to);
        to->failed |= text.failed;
        bx_buf_free(&text);
    }
}

/* ---- the table ---- */

/* The events of the columns, the one by which rows are sorted first if it is one. */
static unsigned choose_columns(const bx_profile_table *t, uint32_t column[COUNTS_MOST])
{
    unsigned n = 0, most = COUNTS_MOST - (t->metric ? 1 : 0);
    for (unsigned first = 1; first <= 2; first++)
        for (uint32_t i = 0; i < t->of->events && n < most; i++) {
            const bx_profile_event *event = &t->of->event[i];
            bool ranks = t->ranks[i] && !event->cycles;
            if (t->has[i] && !event->cycles && ranks == (first == 1))
                column[n++] = i;
        }
    return n;
}

static int64_t rank_of_total(const bx_profile_table *t)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->of->events; i++)
        sum += t->ranks[i] ? t->of->event[i].total : 0;
    return sum;
}

static void add_name(const bx_profile_table *t, const bx_profile_row *row, bx_buf *to)
{
    const char *between = "";
    for (unsigned i = 0; i < t->columns; i++) {
        const bx_cell *cell = &row->key[i];
        const bx_profile_column *column = &t->column[i];
        bx_buf_z(to, between);
        between = "  ";
        if (cell->kind == BX_CELL_TEXT)
            bx_buf_name(to, cell->text);
        else if (cell->kind != BX_CELL_NUMBER)
            bx_buf_f(to, "(no %s)", column->name);
        else if (column->kind == BX_COLUMN_HEX)
            bx_buf_f(to, "0x%llx", (unsigned long long)cell->number);
        else
            bx_buf_f(to, "%s %lld", column->name, (long long)cell->number);
    }
}

/* A line of the table; count: of each event. */
typedef struct text_line {
    const char *name;
    int64_t rank, self; /* self: without what was called */
    bool has_rank;
    const int64_t *count;
    double metric, own_metric; /* in place of the ranks */
} text_line;

/* The columns before those of counts: shares, or values of the metric. */
static size_t width_of_order(const bx_profile_table *t)
{
    return (size_t)(t->metric ? COUNT : SHARE) * (t->has_children ? 2 : 1);
}

static void add_figure(double value, bx_buf *to)
{
    char digits[BX_NUMBER];
    bx_buf_f(to, "%13s ", isnan(value) ? "-" : bx_number_figure(value, digits));
}

static void add_order(const bx_profile_table *t, const text_line *line, int64_t total, bx_buf *to)
{
    if (t->metric) {
        add_figure(line->metric, to);
        if (t->has_children)
            add_figure(line->own_metric, to);
        return;
    }
    if (line->has_rank)
        bx_buf_f(to, "%5.1f %% ", percent_of(line->rank, total));
    else
        bx_buf_f(to, "%*s", SHARE, "");
    if (t->has_children)
        bx_buf_f(to, "%5.1f %% ", percent_of(line->self, total));
}

/* A name that does not fit stands above its counts. */
static void add_line(const bx_profile_table *t, const text_line *line, int64_t total,
                     const uint32_t *column, unsigned columns, bx_buf *to)
{
    char digits[BX_NUMBER];
    size_t room = WIDTH - width_of_order(t) - COUNT * (size_t)columns;
    bool fits = strlen(line->name) <= room;
    if (!fits)
        bx_buf_f(to, "%s\n", line->name);
    add_order(t, line, total, to);
    for (unsigned i = 0; i < columns; i++)
        bx_buf_f(to, "%13s ", bx_number_whole((uint64_t)line->count[column[i]], digits));
    if (fits)
        bx_buf_z(to, line->name);
    while (to->n && to->p[to->n - 1] == ' ')
        to->p[--to->n] = 0;
    bx_buf_z(to, "\n");
}

static void add_side_lines(const bx_profile_table *t, uint32_t row, bx_buf *to)
{
    char digits[BX_NUMBER];
    unsigned n = 0;
    for (uint32_t i = 0; i < t->sides && n < SIDES_MOST; i++) {
        const bx_profile_side *side = &t->side[i];
        if (side->row != row)
            continue;
        bx_buf_f(to, "  %13s %-9s +%-2lld thread %lld, core %lld, ",
                 bx_number_whole((uint64_t)side->count, digits), side->role ? side->role : "",
                 (long long)side->offset, (long long)side->thread, (long long)side->core);
        bx_buf_name(to, side->function ? side->function : "(unknown)");
        bx_buf_z(to, "\n");
        n++;
    }
}

/* The metric of all that was counted, and why rows stand last. */
static void add_metric(const bx_profile_table *t, bx_buf *to)
{
    char digits[BX_NUMBER];
    if (!t->metric)
        return;
    bx_buf_f(to, "M: %s, ", t->sort);
    bx_buf_z(to, isnan(t->metric_of_all) ? "-" : bx_number_figure(t->metric_of_all, digits));
    bx_buf_f(to, " %s\n", bx_cat_z(t->metrics->catalog, t->metric->of->unit));
    if (t->few)
        bx_buf_f(to, "rows with less than 1 %% of each event of it stand last: %u\n", t->few);
}

static void add_legend(const bx_profile_table *t, const uint32_t *column, unsigned columns,
                       bx_buf *to)
{
    char digits[BX_NUMBER];
    unsigned hidden = 0, nobody = 0;
    bx_buf_z(to, !t->has_children ? "\n"
                 : t->metric      ? "\nM and counts are with what was called; self: without.\n"
                             : "\nShares and counts are with what was called; self: without.\n");
    add_metric(t, to);
    for (unsigned i = 0; i < columns; i++) {
        const bx_profile_event *event = &t->of->event[column[i]];
        bx_buf_f(to, "%c: ", 'A' + (int)i);
        bx_buf_name(to, event->name);
        bx_buf_f(to, ", %s ", bx_number_whole((uint64_t)event->total, digits));
        bx_buf_name(to, event->unit ? event->unit : "");
        bx_buf_z(to, "\n");
    }
    for (uint32_t i = 0; i < t->of->events; i++) {
        hidden += t->has[i] && !t->of->event[i].cycles;
        nobody += t->source == BX_FROM_COST && !t->of->event[i].attributed;
    }
    if (hidden > columns)
        bx_buf_f(to, "%u more events: --sort EVENT, -x, or --json\n", hidden - columns);
    if (nobody)
        bx_buf_f(to, "%u events are not attributed: --json has their totals\n", nobody);
}

static int64_t own_rank(const bx_profile_table *t, const bx_profile_row *row)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->of->events; i++)
        sum += t->ranks[i] ? row->value[i] : 0;
    return sum;
}

static void add_table(const bx_profile_table *t, bx_buf *to)
{
    uint32_t column[COUNTS_MOST];
    unsigned columns = choose_columns(t, column);
    int64_t total = rank_of_total(t), rest = total;
    bx_buf name = {0};
    bx_buf_z(to, t->metric ? "\n" : "\nshare of ");
    bx_buf_name(to, t->sort);
    bx_buf_z(to, ", by");
    for (unsigned i = 0; i < t->keys; i++)
        bx_buf_f(to, "%s %s", i ? "," : "", t->key[i]);
    bx_buf_z(to, ":\n");
    bx_buf_f(to, t->metric ? "%13s " : "%7s ", t->metric ? "M" : "share");
    if (t->has_children)
        bx_buf_f(to, t->metric ? "%13s " : "%7s ", "self");
    for (unsigned i = 0; i < columns; i++)
        bx_buf_f(to, "%13c ", 'A' + (int)i);
    bx_buf_f(to, "%s\n", t->key[0]);
    for (uint32_t i = 0; i < t->rows; i++) {
        const bx_profile_row *row = &t->row[i];
        name.n = 0;
        add_name(t, row, &name);
        const text_line line = {bx_buf_text(&name),
                                row->rank,
                                own_rank(t, row),
                                true,
                                t->has_children ? row->children : row->value,
                                row->metric,
                                row->own_metric};
        add_line(t, &line, total, column, columns, to);
        add_side_lines(t, i, to);
        rest -= line.self;
    }
    to->failed |= name.failed;
    bx_buf_free(&name);
    bool any = t->left || rest;
    for (unsigned i = 0; i < columns; i++)
        any |= t->other[column[i]] != 0;
    double metric = t->metric ? bx_profile_metric_of(t, t->other) : 0;
    if (any)
        add_line(t,
                 &(text_line){t->left ? "(other rows)" : "(not in these rows)", rest, rest,
                              !t->has_children, t->other, t->has_children ? NAN : metric, metric},
                 total, column, columns, to);
    add_legend(t, column, columns, to);
}

void bx_profile_text(const bx_profile_table *t, bx_buf *to)
{
    add_notes(t->of, true, to);
    add_verdict(t->of, to);
    add_cards(t->of, to);
    if (t->sort)
        add_table(t, to);
    add_notes(t->of, false, to);
}
