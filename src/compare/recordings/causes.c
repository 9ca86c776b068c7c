/* Rows of both recordings are sorted by what they are; those that are equal in that are one row. */
#include "compare/recordings/causes.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one recording has of a line or an object, of one event. */
typedef struct piece {
    const char *kind, *function, *shown;
    const char *file, *text, *build; /* NULL: not known */
    int64_t line, count;
    uint32_t event;
    bool is;         /* of the new recording */
    const char *key; /* what a line is matched by, within its function */
} piece;

typedef struct pieces {
    piece *one;
    uint32_t n, room;
} pieces;

/* ---- reading ---- */

/* Texts of lines: recordings of other programs, and older ones, have none. */
#define TEXTS    "(SELECT file, line, min(text) AS text FROM source GROUP BY file, line)"
#define NO_TEXTS "(SELECT NULL AS file, NULL AS line, NULL AS text)"

#define NAMED(texts)                                                                               \
    " LEFT JOIN \"binary\" ON \"binary\".id = code.\"binary\" LEFT JOIN " texts                    \
    " AS texts ON texts.file = code.file AND texts.line = code.line "

#define LINES_OF(texts)                                                                            \
    "SELECT c.event, '', code.function, code.function, code.file, code.line, texts.text, "         \
    "min(build_id), sum(c.n) FROM temp.sums AS c LEFT JOIN code ON code.id = c.code" NAMED(        \
        texts) "GROUP BY 1, 3, 5, 6"

/* What was allocated is known by the line that allocates. */
#define OBJECTS_OF(texts)                                                                          \
    "SELECT c.event, object.kind, coalesce(code.function, object.name), object.name, code.file, "  \
    "code.line, texts.text, min(build_id), sum(c.n) FROM temp.sums AS c LEFT JOIN object ON "      \
    "object.id = c.object LEFT JOIN context ON context.id = object.context LEFT JOIN code ON "     \
    "code.id = context.code" NAMED(texts) "GROUP BY 1, 2, 3, 4, 5, 6"

static const char *event_name(const bx_profile *p, int64_t id)
{
    for (uint32_t i = 0; i < p->events; i++)
        if (p->event[i].id == id)
            return p->event[i].name;
    return "";
}

static const char *text_or(bx_profile *p, const bx_cell *cell, const char *instead)
{
    const char *text = bx_profile_copy(p, cell);
    return text ? text : instead;
}

static int read_pieces(const bx_causes *c, bx_profile *p, const char *sql, pieces *to, bx_error *e)
{
    bx_cell cell[9];
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 9)) {
        uint32_t event = bx_causes_event(c, event_name(p, cell[0].number));
        if (event == c->events)
            continue;
        piece *one = bx_arena_grow(c->is->arena, to->one, to->n, &to->room, sizeof *one, 1024);
        if (!one)
            return bx_out_of_memory(e);
        to->one = one;
        one[to->n++] = (piece){.event = event,
                               .is = p == c->is,
                               .kind = text_or(p, &cell[1], ""),
                               .function = text_or(p, &cell[2], "(unknown)"),
                               .shown = text_or(p, &cell[3], "(unknown)"),
                               .file = cell[5].number > 0 ? bx_profile_copy(p, &cell[4]) : NULL,
                               .line = cell[5].number,
                               .text = bx_profile_copy(p, &cell[6]),
                               .build = bx_profile_copy(p, &cell[7]),
                               .count = cell[8].number,
                               .key = ""};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* ---- matching ---- */

static int compare_functions(const piece *x, const piece *y)
{
    int kinds = strcmp(x->kind, y->kind);
    return kinds ? kinds : strcmp(x->function, y->function);
}

static int compare_of_function(const void *a, const void *b)
{
    return compare_functions(a, b);
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    int by = compare_functions(x, y);
    by = by ? by : strcmp(x->key, y->key);
    by = by ? by : x->is - y->is;
    by = by ? by : strcmp(x->file ? x->file : "", y->file ? y->file : "");
    by = by ? by : (x->line > y->line) - (x->line < y->line);
    return by ? by : (x->event > y->event) - (x->event < y->event);
}

/* FILE:LINE without folders, which differ between versions. */
static const char *number_key(const bx_causes *c, const piece *of)
{
    char key[160];
    const char *slash = strrchr(of->file, '/');
    snprintf(key, sizeof key, ":%.120s:%lld", slash ? slash + 1 : of->file, (long long)of->line);
    const char *copy = bx_arena_copy(c->is->arena, bx_str_of(key));
    return copy ? copy : "";
}

/* The binaries that both recordings have of a function. Few functions are in several. */
typedef struct builds {
    const char *id[8];
    bool in[2][8];
    unsigned n;
    bool unknown;
} builds;

static void add_build(builds *to, const piece *of)
{
    unsigned i = 0;
    while (of->build && i < to->n && strcmp(to->id[i], of->build) != 0)
        i++;
    to->unknown |= !of->build || i == sizeof to->id / sizeof *to->id;
    if (to->unknown)
        return;
    to->id[i] = of->build;
    to->n += i == to->n;
    to->in[of->is][i] = true;
}

/* Then numbers are as good as texts. */
static bool are_same_builds(const builds *b)
{
    return !b->unknown && memcmp(b->in[0], b->in[1], sizeof b->in[0]) == 0;
}

/* Lines of one function are matched by their text if it is known of all, else by their number.
 * true: by number, both recordings have some, and these are not known to be of the same binaries.
 */
static bool set_keys(const bx_causes *c, piece *one, uint32_t n)
{
    bool known = true, was = false, is = false;
    builds of = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        known &= !one[i].file || one[i].text;
        was |= !one[i].is && one[i].file;
        is |= one[i].is && one[i].file;
        add_build(&of, &one[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (one[i].file)
            one[i].key = known ? one[i].text : number_key(c, &one[i]);
    return !known && was && is && !are_same_builds(&of);
}

static unsigned set_all_keys(const bx_causes *c, pieces *of)
{
    unsigned by_number = 0;
    if (of->n)
        qsort(of->one, of->n, sizeof *of->one, compare_of_function);
    for (uint32_t i = 0, end; i < of->n; i = end) {
        for (end = i + 1; end < of->n && !compare_functions(&of->one[i], &of->one[end]); end++)
            ;
        by_number += set_keys(c, &of->one[i], end - i);
    }
    return by_number;
}

static void set_place(bx_cause *row, const piece *of, const piece *before)
{
    bx_cause_place *place = of->is ? &row->is : &row->was;
    if (!place->is)
        *place = (bx_cause_place){true, of->shown, of->file, of->line, 0};
    else if (of->file && before->file &&
             (before->line != of->line || strcmp(before->file, of->file) != 0))
        place->more++;
}

static bx_cause *new_row(bx_causes *c, enum bx_cause_table table, uint32_t *room, const piece *of)
{
    bx_arena *a = c->is->arena;
    bx_cause *row = bx_arena_grow(a, c->row[table], c->rows[table], room, sizeof *row, 256);
    int64_t *count = bx_arena_get(a, 2 * (c->events + (size_t)1) * sizeof *count);
    if (!row || !count)
        return NULL;
    c->row[table] = row;
    row += c->rows[table];
    *row = (bx_cause){.kind = of->kind,
                      .text = table == BX_CAUSE_LINE ? of->text : NULL,
                      .was_count = count,
                      .is_count = count + c->events,
                      .place = c->rows[table]++};
    return row;
}

static int make_table(bx_causes *c, enum bx_cause_table table, pieces *of, bx_error *e)
{
    uint32_t room = 0;
    bx_cause *row = NULL;
    if (of->n)
        qsort(of->one, of->n, sizeof *of->one, compare_pieces);
    for (uint32_t i = 0; i < of->n; i++) {
        const piece *one = &of->one[i], *before = i ? one - 1 : one;
        bool same = i && !compare_functions(one, before) && strcmp(one->key, before->key) == 0;
        if (!same && !(row = new_row(c, table, &room, one)))
            return bx_out_of_memory(e);
        set_place(row, one, before);
        (one->is ? row->is_count : row->was_count)[one->event] += one->count;
    }
    return BX_OK;
}

static int match_lines(bx_causes *c, pieces *of, bx_error *e)
{
    int code = make_table(c, BX_CAUSE_FUNCTION, of, e);
    for (uint32_t i = 0; i < c->rows[BX_CAUSE_FUNCTION]; i++) {
        bx_cause *row = &c->row[BX_CAUSE_FUNCTION][i];
        row->was.file = row->is.file = NULL;
        row->was.more = row->is.more = 0;
    }
    c->by_number = set_all_keys(c, of);
    return code ? code : make_table(c, BX_CAUSE_LINE, of, e);
}

/* ---- both recordings ---- */

/* The event of that name, if the recording says who caused it; else NULL. */
static const bx_profile_event *attributed(const bx_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->events; i++)
        if (p->event[i].attributed && strcmp(p->event[i].name, name) == 0)
            return &p->event[i];
    return NULL;
}

static int choose_common(bx_causes *c, bx_error *e)
{
    bx_arena *a = c->is->arena;
    size_t most = c->was->events + (size_t)1;
    c->event = bx_arena_get(a, most * sizeof *c->event);
    c->was_total = bx_arena_get(a, most * sizeof *c->was_total);
    c->is_total = bx_arena_get(a, most * sizeof *c->is_total);
    c->ranks = bx_arena_get(a, most);
    if (!c->event || !c->was_total || !c->is_total || !c->ranks)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < c->was->events; i++) {
        const bx_profile_event *was = &c->was->event[i], *is = attributed(c->is, was->name);
        if (!was->attributed || !is || bx_causes_event(c, was->name) < c->events)
            continue;
        c->event[c->events] = was->name;
        c->was_total[c->events] = was->total;
        c->is_total[c->events++] = is->total;
    }
    return BX_OK;
}

static int read_both(const bx_causes *c, bool objects, pieces *to, bx_error *e)
{
    bx_profile *const both[] = {c->was, c->is};
    int code = BX_OK;
    for (unsigned i = 0; i < 2 && !code; i++) {
        bool texts;
        code = bx_profile_has_table(both[i], "source", &texts, e);
        if (!code)
            code = bx_profile_sum_costs(both[i], e);
        const char *lines = texts ? LINES_OF(TEXTS) : LINES_OF(NO_TEXTS);
        const char *data = texts ? OBJECTS_OF(TEXTS) : OBJECTS_OF(NO_TEXTS);
        if (!code)
            code = read_pieces(c, both[i], objects ? data : lines, to, e);
    }
    return code;
}

int bx_causes_read(bx_profile *was, bx_profile *is, const char *sort, bx_causes *to, bx_error *e)
{
    pieces lines = {0}, objects = {0};
    *to = (bx_causes){.was = was, .is = is};
    int code = choose_common(to, e);
    if (!code && to->events)
        code = read_both(to, false, &lines, e);
    if (!code && to->events)
        code = read_both(to, true, &objects, e);
    if (!code)
        code = match_lines(to, &lines, e);
    if (code)
        return code;
    set_all_keys(to, &objects);
    code = make_table(to, BX_CAUSE_OBJECT, &objects, e);
    if (!code && (was->arena->failed || is->arena->failed))
        code = bx_out_of_memory(e);
    if (code || bx_causes_sort(to, sort ? sort : "time") || !sort)
        return code;
    bx_fail(e, BX_NOT_FOUND, 0, 0, "the recordings do not tell who caused '%.80s'", sort);
    bx_hint(e, "an event that both have, 'wait' or 'time'");
    return e->code;
}

/* ---- the order ---- */

uint32_t bx_causes_event(const bx_causes *c, const char *name)
{
    for (uint32_t i = 0; i < c->events; i++)
        if (strcmp(c->event[i], name) == 0)
            return i;
    return c->events;
}

static bool is_ranked(const char *event, const char *sort)
{
    const char *own = strstr(event, "::");
    bool wait = strncmp(event, "wait:", 5) == 0;
    if (strcmp(sort, "wait") == 0 || strcmp(sort, "time") == 0)
        return wait || (*sort == 't' && strcmp(event, "issue") == 0);
    return bx_str_eq_fold(bx_str_of(event), bx_str_of(sort)) ||
           (own && bx_str_eq_fold(bx_str_of(own + 2), bx_str_of(sort)));
}

static int compare_causes(const void *a, const void *b)
{
    const bx_cause *x = a, *y = b;
    int64_t first = x->change < 0 ? -x->change : x->change;
    int64_t second = y->change < 0 ? -y->change : y->change;
    if (first != second)
        return first < second ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

bool bx_causes_choose(const bx_causes *c, const char *sort, bool *ranks)
{
    bool any = false;
    for (uint32_t i = 0; i < c->events; i++) {
        ranks[i] = is_ranked(c->event[i], sort);
        any |= ranks[i];
    }
    return any;
}

int64_t bx_causes_change(const bx_causes *c, const bx_cause *row, const bool *ranks)
{
    const int64_t *was = row ? row->was_count : c->was_total;
    const int64_t *is = row ? row->is_count : c->is_total;
    int64_t change = 0;
    for (uint32_t i = 0; i < c->events; i++)
        change += ranks[i] ? is[i] - was[i] : 0;
    return change;
}

bool bx_causes_sort(bx_causes *c, const char *sort)
{
    if (!bx_causes_choose(c, sort, c->ranks))
        return false;
    c->sort = sort;
    for (unsigned table = 0; table < BX_CAUSE_TABLES; table++) {
        for (uint32_t i = 0; i < c->rows[table]; i++)
            c->row[table][i].change = bx_causes_change(c, &c->row[table][i], c->ranks);
        if (c->rows[table])
            qsort(c->row[table], c->rows[table], sizeof *c->row[table], compare_causes);
    }
    return true;
}

const bx_cause *bx_causes_most(const bx_causes *c, enum bx_cause_table table, const bool *ranks)
{
    bool more = bx_causes_change(c, NULL, ranks) > 0;
    const bx_cause *most = NULL;
    int64_t largest = 0;
    for (uint32_t i = 0; i < c->rows[table]; i++) {
        int64_t change = bx_causes_change(c, &c->row[table][i], ranks);
        change = more ? change : -change;
        if (change > largest) {
            most = &c->row[table][i];
            largest = change;
        }
    }
    return most;
}
