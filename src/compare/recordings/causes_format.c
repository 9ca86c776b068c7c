#include "compare/recordings/causes_format.h"

#include "base/json.h"
#include "base/printable.h"
#include "report/number.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 10, COUNT = 16, TEXT_SHOWN = 60 };

static const char *const table_name[BX_CAUSE_TABLES] = {"function", "line", "object"};

/* ---- words ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *bx_cause_signed(int64_t change, char to[BX_CAUSE_SIGNED])
{
    char digits[BX_NUMBER];
    uint64_t size = change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
    snprintf(to, BX_CAUSE_SIGNED, "%s%s",
             change > 0   ? "+"
             : change < 0 ? "-"
                          : "",
             bx_number_whole(size, digits));
    return to;
}

static bool is_elsewhere(const bx_cause *row)
{
    return row->was.is && row->is.is && row->was.file && row->is.file &&
           (row->was.line != row->is.line ||
            strcmp(file_name(row->was.file), file_name(row->is.file)) != 0);
}

void bx_cause_label(const bx_cause *row, bx_buf *to)
{
    const bx_cause_place *at = row->is.is ? &row->is : &row->was;
    bx_buf_z(to, !row->was.is ? "new: " : !row->is.is ? "gone: " : "");
    bx_buf_name(to, at->name);
    if (at->file && !*row->kind) {
        bx_buf_z(to, ", ");
        bx_buf_name(to, file_name(at->file));
        bx_buf_f(to, ":%lld", (long long)at->line);
        if (at->more)
            bx_buf_f(to, " and %u more", at->more);
        if (is_elsewhere(row)) {
            bx_buf_z(to, " (was ");
            bx_buf_name(to, file_name(row->was.file));
            bx_buf_f(to, ":%lld)", (long long)row->was.line);
        }
    }
}

void bx_cause_text(const bx_cause *row, bx_buf *to)
{
    if (row->text && *row->text) {
        bx_buf_z(to, ": ");
        bx_buf_printable(to, bx_str_sub(bx_str_of(row->text), 0, TEXT_SHOWN));
    }
}

static int64_t sum_of(const bx_causes *c, const int64_t *count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->events; i++)
        sum += c->ranks[i] ? count[i] : 0;
    return sum;
}

/* Rows that are shown. What they leave of the whole is said in one row. */
static uint32_t shown_rows(const bx_causes *c, const bx_causes_how *how, unsigned table)
{
    uint32_t n = 0;
    while (n < c->rows[table] && (how->all || (n < SHOWN && c->row[table][n].change)))
        n++;
    return n;
}

typedef struct rest_of_table {
    int64_t was, is;
    uint32_t rows;
} rest_of_table;

static rest_of_table rest_of(const bx_causes *c, unsigned table, uint32_t shown)
{
    rest_of_table rest = {sum_of(c, c->was_total), sum_of(c, c->is_total), c->rows[table] - shown};
    for (uint32_t i = 0; i < shown; i++) {
        rest.was -= sum_of(c, c->row[table][i].was_count);
        rest.is -= sum_of(c, c->row[table][i].is_count);
    }
    return rest;
}

static void add_sort(const bx_causes *c, bx_buf *to)
{
    bool time = strcmp(c->sort, "time") == 0, wait = strcmp(c->sort, "wait") == 0;
    bx_buf_name(to, time ? "cycles of the cores" : wait ? "cycles in which cores wait" : c->sort);
}

static void add_by_number(const bx_causes *c, const char *before, const char *behind, bx_buf *to)
{
    if (c->by_number)
        bx_buf_f(to,
                 "%slines of %u function%s are matched by their numbers, since the text of some is "
                 "not recorded%s",
                 before, c->by_number, c->by_number == 1 ? "" : "s", behind);
}

/* ---- text ---- */

static void text_row(int64_t was, int64_t is, bx_buf *to)
{
    char digits[BX_NUMBER], change[BX_CAUSE_SIGNED];
    bx_buf_f(to, "%*s ", COUNT, bx_number_whole((uint64_t)was, digits));
    bx_buf_f(to, "%*s ", COUNT, bx_number_whole((uint64_t)is, digits));
    bx_buf_f(to, "%*s  ", COUNT, bx_cause_signed(is - was, change));
}

static void text_table(const bx_causes *c, const bx_causes_how *how, unsigned table, bx_buf *to)
{
    uint32_t n = shown_rows(c, how, table);
    bx_buf_f(to, " by %s:\n", table_name[table]);
    for (uint32_t i = 0; i < n; i++) {
        const bx_cause *row = &c->row[table][i];
        text_row(sum_of(c, row->was_count), sum_of(c, row->is_count), to);
        bx_cause_label(row, to);
        bx_cause_text(row, to);
        bx_buf_z(to, "\n");
    }
    const rest_of_table rest = rest_of(c, table, n);
    if (rest.rows || rest.was || rest.is) {
        text_row(rest.was, rest.is, to);
        bx_buf_f(to, "(%u %s)\n", rest.rows, n ? "others" : "rows, none has changed");
    }
}

void bx_causes_text(const bx_causes *c, const bx_causes_how *how, bx_buf *to)
{
    if (!c->sort) {
        bx_buf_z(to, " The recordings do not tell who caused what changed.\n\n");
        return;
    }
    bx_buf_z(to, " Who made the change of ");
    add_sort(c, to);
    bx_buf_f(to, "\n\n%*s %*s %*s\n", COUNT, "old", COUNT, "new", COUNT, "change");
    for (unsigned table = 0; table < BX_CAUSE_TABLES; table++)
        text_table(c, how, table, to);
    add_by_number(c, "\n ", "\n", to);
    bx_buf_z(to, "\n");
}

/* ---- Markdown ---- */

static void markdown_cell(bx_str text, bx_buf *to)
{
    bx_buf_z(to, "| ");
    bx_markdown_text(to, text);
    bx_buf_z(to, " ");
}

static void markdown_counts(int64_t was, int64_t is, bx_buf *to)
{
    char digits[BX_NUMBER], change[BX_CAUSE_SIGNED];
    markdown_cell(bx_str_of(bx_number_whole((uint64_t)was, digits)), to);
    markdown_cell(bx_str_of(bx_number_whole((uint64_t)is, digits)), to);
    markdown_cell(bx_str_of(bx_cause_signed(is - was, change)), to);
}

static void markdown_table(const bx_causes *c, const bx_causes_how *how, unsigned table, bx_buf *to)
{
    uint32_t n = shown_rows(c, how, table);
    bx_buf_f(to, "\n| %s | old | new | change | text |\n| --- | ---: | ---: | ---: | --- |\n",
             table_name[table]);
    for (uint32_t i = 0; i < n; i++) {
        const bx_cause *row = &c->row[table][i];
        bx_buf label = {.whole = &to->failed};
        bx_cause_label(row, &label);
        markdown_cell((bx_str){bx_buf_text(&label), label.n}, to);
        bx_buf_free(&label);
        markdown_counts(sum_of(c, row->was_count), sum_of(c, row->is_count), to);
        markdown_cell(bx_str_of(row->text), to);
        bx_buf_z(to, "|\n");
    }
    const rest_of_table rest = rest_of(c, table, n);
    bx_buf_f(to, "| %u others ", rest.rows);
    markdown_counts(rest.was, rest.is, to);
    bx_buf_z(to, "| |\n");
}

void bx_causes_markdown(const bx_causes *c, const bx_causes_how *how, bx_buf *to)
{
    if (!c->sort)
        return;
    bx_buf sort = {.whole = &to->failed};
    add_sort(c, &sort);
    bx_buf_z(to, "\n<details><summary>Who made the change of ");
    bx_markdown_text(to, (bx_str){bx_buf_text(&sort), sort.n});
    bx_buf_z(to, "</summary>\n");
    bx_buf_free(&sort);
    for (unsigned table = 0; table < BX_CAUSE_TABLES; table++)
        markdown_table(c, how, table, to);
    add_by_number(c, "\n", "\n", to);
    bx_buf_z(to, "\n</details>\n");
}

/* ---- JSON ---- */

static bool has_changed(const bx_causes *c, const bx_cause *row)
{
    for (uint32_t i = 0; i < c->events; i++)
        if (row->was_count[i] != row->is_count[i])
            return true;
    return false;
}

static void json_place(bx_json *j, const char *key, const bx_cause_place *at)
{
    char line[32];
    if (!at->is || !at->file) {
        bx_json_raw(j, key, "null");
        return;
    }
    bx_buf place = {.whole = &j->to->failed};
    snprintf(line, sizeof line, ":%lld", (long long)at->line);
    bx_buf_z(&place, at->file);
    bx_buf_z(&place, line);
    bx_json_text(j, key, bx_buf_text(&place));
    bx_buf_free(&place);
}

static void json_counts(bx_json *j, const bx_causes *c, const char *key, const bx_cause *row,
                        const int64_t *count)
{
    bx_json_open(j, key, '{');
    for (uint32_t i = 0; i < c->events; i++)
        if (row->was_count[i] != row->is_count[i])
            bx_json_number(j, c->event[i], count[i]);
    bx_json_close(j, '}');
}

static void json_row(bx_json *j, const bx_causes *c, unsigned table, const bx_cause *row)
{
    const bx_cause_place *at = row->is.is ? &row->is : &row->was;
    bx_json_open(j, NULL, '{');
    bx_json_text(j, "by", table_name[table]);
    bx_json_text(j, table == BX_CAUSE_OBJECT ? "object" : "function", at->name);
    if (table == BX_CAUSE_OBJECT)
        bx_json_text(j, "kind", row->kind);
    if (table != BX_CAUSE_FUNCTION) {
        json_place(j, "old-line", &row->was);
        json_place(j, "new-line", &row->is);
    }
    if (table == BX_CAUSE_LINE && row->text)
        bx_json_text(j, "text", row->text);
    bx_json_text(j, "partner", !row->was.is ? "new" : !row->is.is ? "gone" : "both");
    json_counts(j, c, "old", row, row->was_count);
    json_counts(j, c, "new", row, row->is_count);
    bx_json_close(j, '}');
    bx_buf_z(j->to, "\n");
}

void bx_causes_json(const bx_causes *c, const bx_causes_how *how, bx_buf *to)
{
    for (unsigned table = 0; table < BX_CAUSE_TABLES; table++)
        for (uint32_t i = 0; i < c->rows[table]; i++) {
            bx_json j = {.to = to};
            if (how->all || has_changed(c, &c->row[table][i]))
                json_row(&j, c, table, &c->row[table][i]);
        }
}

/* ---- CSV ---- */

static void csv_field(bx_buf *to, const bx_causes_how *how, const char *text)
{
    bx_csv_text(to, text, how->separator);
    bx_buf_z(to, how->separator);
}

static void csv_row(const bx_causes_how *how, unsigned table, const bx_cause *row,
                    const char *event, int64_t was, int64_t is, bx_buf *to)
{
    char digits[BX_NUMBER];
    bx_buf where = {.whole = &to->failed};
    bx_buf_f(&where, "%s ", table_name[table]);
    bx_cause_label(row, &where);
    csv_field(to, how, bx_buf_text(&where));
    bx_buf_free(&where);
    csv_field(to, how, event);
    csv_field(to, how, "");
    snprintf(digits, sizeof digits, "%lld", (long long)was);
    csv_field(to, how, digits);
    snprintf(digits, sizeof digits, "%lld", (long long)is);
    csv_field(to, how, digits);
    if (was)
        bx_buf_z(to, bx_number_exact(100 * (double)(is - was) / (double)was, digits));
    bx_buf_z(to, "\n");
}

void bx_causes_csv(const bx_causes *c, const bx_causes_how *how, bx_buf *to)
{
    for (unsigned table = 0; table < BX_CAUSE_TABLES; table++)
        for (uint32_t i = 0; i < c->rows[table]; i++) {
            const bx_cause *row = &c->row[table][i];
            for (uint32_t k = 0; k < c->events; k++)
                if (row->was_count[k] != row->is_count[k] || how->all)
                    csv_row(how, table, row, c->event[k], row->was_count[k], row->is_count[k], to);
        }
}
