#include "profile/table.h"

#include "base/error.h"
#include "profile/children.h"
#include "profile/metric_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static bool are_equal(const bx_cell *a, const bx_cell *b)
{
    return a->kind == b->kind && (a->kind == BX_CELL_TEXT   ? strcmp(a->text, b->text) == 0
                                  : a->kind == BX_CELL_REAL ? a->real == b->real
                                                            : a->number == b->number);
}

static bool same_row(const bx_profile_table *t, const bx_cell *cell)
{
    if (!t->rows)
        return false;
    for (unsigned i = 0; i < t->columns; i++)
        if (!are_equal(&t->row[t->rows - 1].key[i], &cell[i]))
            return false;
    return true;
}

static uint32_t event_at(const bx_profile *p, int64_t id)
{
    for (uint32_t i = 0; i < p->events; i++)
        if (p->event[i].id == id)
            return i;
    return p->events;
}

static int read_rows(bx_profile *p, const bx_profile_question *q, const char *sql,
                     bx_profile_table *t, bx_error *e)
{
    const bx_cell given[] = {
        bx_cell_text(q->function),           bx_cell_text(q->object),
        bx_cell_number((uint64_t)q->thread), bx_cell_number((uint64_t)q->begin),
        bx_cell_number((uint64_t)q->end),    bx_cell_text(q->source)};
    bx_cell cell[BX_PROFILE_COLUMNS_MOST + 3];
    const bx_cell *count = &cell[t->columns];
    int code = bx_recording_ask(p->from, sql, given, sizeof given / sizeof *given, e);
    while (!code && bx_recording_next(p->from, cell, t->columns + 3)) {
        uint32_t event = event_at(p, count[0].number);
        if (event == p->events || !t->has[event])
            continue;
        if (!same_row(t, cell) && !bx_profile_add_row(p, t, cell))
            return bx_out_of_memory(e);
        bx_profile_row *row = &t->row[t->rows - 1];
        row->value[event] += count[1].number;
        row->by_prefetch[event] += count[2].number;
        row->rank += t->ranks[event] ? count[1].number : 0;
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* Where ranks are equal, in the order of their keys. */
static int compare_rows(const void *a, const void *b)
{
    const bx_profile_row *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* ---- the whole table ---- */

/* Counts by address are of accesses only, and those of units of events outside the cores. */
static int choose_events(bx_profile *p, bx_profile_table *t, bx_error *e)
{
    bx_cell id;
    t->has = bx_arena_get(p->arena, p->events + 1);
    t->ranks = bx_arena_get(p->arena, p->events + 1);
    t->other = bx_arena_get(p->arena, (p->events + 1) * sizeof *t->other);
    if (!t->has || !t->ranks || !t->other)
        return bx_out_of_memory(e);
    if (t->source != BX_FROM_UNIT) {
        for (uint32_t i = 0; i < p->events; i++)
            t->has[i] =
                p->event[i].attributed && (t->source == BX_FROM_COST || !p->event[i].cycles);
        return BX_OK;
    }
    int code = bx_recording_ask(p->from, "SELECT DISTINCT event FROM unit_cost", NULL, 0, e);
    while (!code && bx_recording_next(p->from, &id, 1)) {
        uint32_t event = event_at(p, id.number);
        if (event < p->events)
            t->has[event] = p->event[event].has_total;
    }
    return code ? code : bx_recording_answered(p->from, e);
}

static void leave_out(const bx_profile *p, const bx_profile_question *q, bx_profile_table *t)
{
    if (t->metric)
        bx_profile_sort_by_metric(t);
    else if (t->rows)
        qsort(t->row, t->rows, sizeof *t->row, compare_rows);
    if (q->top && t->rows > q->top) {
        t->left = t->rows - (uint32_t)q->top;
        t->rows = (uint32_t)q->top;
    }
    for (uint32_t i = 0; i < p->events; i++) {
        t->other[i] = p->event[i].total;
        for (uint32_t k = 0; k < t->rows; k++)
            t->other[i] -= t->row[k].value[i];
    }
}

/* A line of the table and its process, by which its row is found. */
typedef struct shared_line {
    int64_t address, pid;
    uint32_t row;
} shared_line;

static int compare_shared_lines(const void *a, const void *b)
{
    const shared_line *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool add_side(bx_profile *p, bx_profile_table *t, uint32_t row, uint32_t *room,
                     const bx_cell *cell)
{
    bx_profile_side *side = bx_arena_grow(p->arena, t->side, t->sides, room, sizeof *side, 64);
    if (!side)
        return false;
    t->side = side;
    side[t->sides++] = (bx_profile_side){.row = row,
                                         .role = bx_profile_copy(p, &cell[2]),
                                         .offset = cell[3].number,
                                         .function = bx_profile_copy(p, &cell[4]),
                                         .line = bx_profile_copy(p, &cell[5]),
                                         .event = bx_profile_copy(p, &cell[6]),
                                         .thread = cell[7].number,
                                         .core = cell[8].number,
                                         .count = cell[9].number};
    return true;
}

/* Reads both sides of each shared line that is shown. One question reads all of them, however many
 * rows there are. */
static int read_sides(bx_profile *p, bx_profile_table *t, bx_error *e)
{
    static const char sql[] =
        "SELECT l.address, l.pid, role, l.offset, code.function, code.file || ':' || code.line, "
        "event.name, thread.tid, core, sum(n) FROM (SELECT address, pid, role, offset, code, "
        "event, thread, core, sum(count) AS n FROM temp.moved GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS "
        "l JOIN event ON event.id = "
        "l.event LEFT JOIN code ON code.id = l.code LEFT JOIN thread ON thread.id = l.thread GROUP "
        "BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 10 DESC, 3, 4, 1, 2";
    bx_cell cell[10];
    uint32_t room = 0;
    shared_line *line = malloc((t->rows + (size_t)1) * sizeof *line);
    if (!line)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < t->rows; i++)
        line[i] = (shared_line){t->row[i].key[0].number, t->row[i].key[1].number, i};
    qsort(line, t->rows, sizeof *line, compare_shared_lines);
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 10)) {
        const shared_line key = {.address = cell[0].number, .pid = cell[1].number};
        const shared_line *of = bsearch(&key, line, t->rows, sizeof *line, compare_shared_lines);
        if (of && !add_side(p, t, of->row, &room, cell))
            code = bx_out_of_memory(e);
    }
    free(line);
    return code ? code : bx_recording_answered(p->from, e);
}

/* Shared lines are by what makes them shared: the event with the most owners, of those in which
 * most counts have one, if there are such. */
static int choose_snoop(bx_profile *p, bx_profile_question *q, bx_error *e)
{
    static const char sql[] =
        "SELECT event FROM temp.owners WHERE owned > 0 ORDER BY 2 * owned >= n DESC, owned DESC "
        "LIMIT 1";
    bx_cell id;
    int code = bx_profile_count_owners(p, e);
    if (!code)
        code = bx_recording_ask(p->from, sql, NULL, 0, e);
    if (!code && bx_recording_next(p->from, &id, 1) && event_at(p, id.number) < p->events)
        q->sort = p->event[event_at(p, id.number)].name;
    return code ? code : bx_recording_answered(p->from, e);
}

static bool is_by_shared_line(const bx_profile_table *t)
{
    for (unsigned i = 0; i < t->keys; i++)
        if (strcmp(t->key[i], "shared-line") == 0)
            return true;
    return false;
}

/* Adds up what the table is made of. */
static int add_up(bx_profile *p, const bx_profile_table *t, const bx_profile_sql *sql, bx_error *e)
{
    int code = sql->moved ? bx_profile_find_moved(p, e) : BX_OK;
    if (code || t->source == BX_FROM_UNIT)
        return code;
    return sql->sums ? bx_profile_sum_costs(p, e)
                     : bx_recording_add_up(p->from, "grouped", bx_buf_text(&sql->columns),
                                           sql->keys, bx_buf_text(&sql->inner), e);
}

int bx_profile_tabulate(bx_profile *p, const bx_profile_question *question, bx_profile_table *to,
                        bx_error *e)
{
    bx_profile_question own = *question, *q = &own;
    bx_profile_sql sql = {0};
    *to = (bx_profile_table){.of = p};
    int code = bx_profile_question_sql(q, to, &sql, e);
    if (!code)
        code = choose_events(p, to, e);
    if (!code && !q->sort && is_by_shared_line(to))
        code = choose_snoop(p, q, e);
    if (!code)
        code = bx_profile_question_sort(q, to, e);
    if (!code)
        code = add_up(p, to, &sql, e);
    if (!code)
        code = read_rows(p, q, bx_buf_text(&sql.outer), to, e);
    bx_buf_free(&sql.inner);
    bx_buf_free(&sql.columns);
    bx_buf_free(&sql.outer);
    if (!code && q->children)
        code = bx_profile_add_children(p, to, e);
    if (!code && to->metric)
        code = bx_profile_add_metric(to, e);
    if (code)
        return code;
    leave_out(p, q, to);
    if (to->keys == 1 && to->rows && is_by_shared_line(to))
        code = read_sides(p, to, e);
    return !code && p->arena->failed ? bx_out_of_memory(e) : code;
}
