/* Writes cells into the page. What does not fit loses its time and its calls, then all but its
 * event, the cheapest first: the sums stay. */
#include "profile/page/cells.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int compare_shares(const void *a, const void *b)
{
    const bx_html_cell *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* ---- cutting ---- */

/* The dearest `keep` cells keep all; of the others, merged, half as many keep code, object and
 * thread. Returns how many cells are left. */
static size_t cut_cells(bx_html_cell *cell, size_t n, size_t keep)
{
    if (keep >= n)
        return n;
    qsort(cell, n, sizeof *cell, compare_shares);
    for (size_t i = keep; i < n; i++) {
        cell[i].span = 0;
        cell[i].node = BX_HTML_NO_CALL;
    }
    size_t coarse = bx_html_cells_merge(cell + keep, n - keep);
    if (coarse > keep / 2) {
        qsort(cell + keep, coarse, sizeof *cell, compare_shares);
        for (size_t i = keep + keep / 2; i < keep + coarse; i++)
            cell[i].place = cell[i].object = cell[i].thread = BX_HTML_CUT;
    }
    return bx_html_cells_merge(cell, keep + coarse);
}

static void count_shown(const bx_html *page, const bx_html_cell *cell, size_t n,
                        bx_html_shown *shown)
{
    const bx_profile *p = page->of;
    double time = 0, time_who = 0;
    *shown = (bx_html_shown){.rows = n, .least = 1, .least_who = 1, .time = 1, .time_who = 1};
    for (uint32_t event = 0; event < p->events; event++) {
        int64_t all = 0, who = 0;
        double total = (double)p->event[event].total;
        for (size_t i = 0; i < n; i++)
            if (cell[i].event == event && cell[i].place != BX_HTML_CUT) {
                who += cell[i].count;
                all += cell[i].node == BX_HTML_NO_CALL ? 0 : cell[i].count;
            }
        if (!p->event[event].attributed || total <= 0)
            continue;
        time += p->event[event].cycles ? (double)all : 0;
        time_who += p->event[event].cycles ? (double)who : 0;
        if ((double)who / total < shown->least_who || (double)all / total < shown->least) {
            shown->least = (double)all / total < shown->least ? (double)all / total : shown->least;
            shown->least_who =
                (double)who / total < shown->least_who ? (double)who / total : shown->least_who;
            shown->least_event = p->event[event].name;
        }
    }
    if (p->time) {
        shown->time = time / (double)p->time;
        shown->time_who = time_who / (double)p->time;
    }
}

/* ---- names that cells use ---- */

enum { UNUSED, USED };

typedef struct used_names {
    uint32_t *place, *object, *thread, *node, *function; /* numbers on the page, or UNUSED */
} used_names;

static void free_used(used_names *u)
{
    free(u->place);
    free(u->object);
    free(u->thread);
    free(u->node);
    free(u->function);
}

static bool find_used(const bx_html *page, const bx_html_cell *cell, size_t n, used_names *u)
{
    const bx_html_cells *c = page->cells;
    u->place = calloc(c->places + (size_t)1, sizeof *u->place);
    u->object = calloc(c->objects + (size_t)1, sizeof *u->object);
    u->thread = calloc(c->threads + (size_t)BX_HTML_FIRST, sizeof *u->thread);
    u->node = calloc(c->stacks.nodes + (size_t)1, sizeof *u->node);
    u->function = calloc(page->calls.functions + (size_t)1, sizeof *u->function);
    if (!u->place || !u->object || !u->thread || !u->node || !u->function)
        return false;
    for (size_t i = 0; i < n; i++) {
        u->place[cell[i].place] = u->object[cell[i].object] = USED;
        u->thread[cell[i].thread] = u->node[cell[i].node] = USED;
    }
    for (uint32_t i = c->stacks.nodes; i-- > BX_HTML_NO_CALL + 1;)
        if (u->node[i]) {
            u->node[c->stacks.node[i].parent] = USED;
            u->function[c->stacks.node[i].function] = USED;
        }
    for (uint32_t i = BX_HTML_FIRST; i < c->places; i++)
        if (u->place[i])
            u->function[c->place[i].function] = USED;
    return true;
}

/* Writes the used items of a list, the first ones always, and gives them their numbers. */
typedef void write_item(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to);

static void write_list(const bx_html *page, const used_names *u, const char *name, uint32_t *used,
                       uint32_t first, uint32_t n, write_item *item, bx_buf *to)
{
    uint32_t number = 0;
    bx_buf_f(to, "\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++) {
        if (i >= first && !used[i])
            continue;
        used[i] = number;
        bx_buf_z(to, number++ ? ",\n" : "");
        if (i < first)
            bx_buf_z(to, "null");
        else
            item(page, u, i, to);
    }
    bx_buf_z(to, "],\n");
}

static void write_function(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to)
{
    (void)u;
    bx_buf_z(to, "[");
    bx_html_string(to, page->calls.function[at].name);
    bx_buf_z(to, ",");
    bx_html_string(to, page->calls.function[at].file);
    bx_buf_z(to, "]");
}

static void write_place(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to)
{
    const bx_html_place *place = &page->cells->place[at];
    bx_buf_f(to, "[%u,%lld]", u->function[place->function], (long long)place->line);
}

static void write_object(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to)
{
    (void)u;
    bx_buf_z(to, "[");
    bx_html_string(to, page->cells->object[at].name);
    bx_buf_z(to, ",");
    bx_html_string(to, page->cells->object[at].kind);
    bx_buf_z(to, "]");
}

static void write_thread(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to)
{
    const bx_html_thread *thread = &page->cells->thread[at - BX_HTML_FIRST];
    (void)u;
    bx_buf_f(to, "[%lld,%lld,", (long long)thread->tid, (long long)thread->pid);
    bx_html_string(to, thread->program);
    bx_buf_z(to, "]");
}

static void write_node(const bx_html *page, const used_names *u, uint32_t at, bx_buf *to)
{
    const bx_stack_node *node = &page->cells->stacks.node[at];
    bx_buf_f(to, "[%u,%u]", u->node[node->parent], u->function[node->function]);
}

/* ---- cells ---- */

static bool same_group(const bx_html_cell *a, const bx_html_cell *b)
{
    return a->place == b->place && a->object == b->object && a->thread == b->thread &&
           a->node == b->node;
}

static void write_cells(const bx_html_cell *cell, size_t n, const used_names *u, bx_buf *to)
{
    bx_buf_z(to, "\"cells\":[");
    for (size_t i = 0; i < n; i++) {
        bool first = !i || !same_group(&cell[i - 1], &cell[i]);
        if (first)
            bx_buf_f(to, "%s[%u,%u,%u,%u", i ? "],\n" : "", u->place[cell[i].place],
                     u->object[cell[i].object], u->thread[cell[i].thread], u->node[cell[i].node]);
        bx_buf_f(to, ",%u,%u,%lld", cell[i].event, cell[i].span, (long long)cell[i].count);
    }
    bx_buf_z(to, n ? "]],\n" : "],\n");
}

static bool write_cut(const bx_html *page, bx_html_cell *cell, size_t keep, bx_buf *to,
                      bx_html_shown *shown)
{
    const bx_html_cells *c = page->cells;
    used_names u = {0};
    if (c->n)
        memcpy(cell, c->cell, c->n * sizeof *cell);
    size_t n = cut_cells(cell, c->n, keep);
    count_shown(page, cell, n, shown);
    shown->rows_of = c->n;
    bool whole = find_used(page, cell, n, &u);
    if (whole) {
        write_list(page, &u, "functions", u.function, 0, page->calls.functions, write_function, to);
        write_list(page, &u, "places", u.place, BX_HTML_FIRST, c->places, write_place, to);
        write_list(page, &u, "objects", u.object, BX_HTML_FIRST, c->objects, write_object, to);
        write_list(page, &u, "threads", u.thread, BX_HTML_FIRST, c->threads + BX_HTML_FIRST,
                   write_thread, to);
        write_list(page, &u, "nodes", u.node, BX_HTML_NO_CALL + 1, c->stacks.nodes, write_node, to);
        write_cells(cell, n, &u, to);
    }
    free_used(&u);
    return whole;
}

int bx_html_cells_write(const bx_html *page, size_t most, bx_buf *to, bx_html_shown *shown,
                        bx_error *e)
{
    enum { BYTES_OF_A_CELL = 12, TRIES = 24 };
    const bx_html_cells *c = page->cells;
    size_t from = to->n, keep = c->n;
    if (keep > most / BYTES_OF_A_CELL * 2)
        keep = most / BYTES_OF_A_CELL;
    bx_html_cell *cell = malloc((c->n + 1) * sizeof *cell);
    bool whole = cell != NULL, fits = false;
    for (unsigned i = 0; i < TRIES && whole && !fits; i++) {
        to->n = from;
        whole = write_cut(page, cell, keep, to, shown) && !to->failed;
        fits = to->n - from <= most;
        if (!fits) /* a little less than in proportion, since names stay */
            keep = (size_t)((double)keep * (double)most / (double)(to->n - from) * 0.95);
    }
    free(cell);
    if (!whole)
        return bx_out_of_memory(e);
    if (!fits)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording does not fit into a page");
    return BX_OK;
}
