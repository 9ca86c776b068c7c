#include "profile/page/cells.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- places: a line of a function ---- */

static int compare_places(const void *a, const void *b, void *calls)
{
    const bx_call_code *code = ((const bx_calls *)calls)->code;
    const bx_call_code *x = &code[*(const uint32_t *)a], *y = &code[*(const uint32_t *)b];
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static bool number_places(bx_html *page)
{
    bx_html_cells *c = page->cells;
    bx_arena *arena = page->of->arena;
    uint32_t codes = page->calls.codes;
    uint32_t *order = bx_arena_get(arena, (codes + 1) * sizeof *order);
    c->place_of = bx_arena_get(arena, (codes + 1) * sizeof *c->place_of);
    c->place = bx_arena_get(arena, (codes + BX_HTML_FIRST) * sizeof *c->place);
    c->places = BX_HTML_FIRST;
    if (!order || !c->place_of || !c->place)
        return false;
    for (uint32_t i = 0; i < codes; i++)
        order[i] = i;
    if (codes)
        qsort_r(order, codes, sizeof *order, compare_places, &page->calls);
    for (uint32_t i = 0; i < codes; i++) {
        const bx_call_code *code = &page->calls.code[order[i]];
        if (!i || compare_places(&order[i - 1], &order[i], &page->calls))
            c->place[c->places++] = (bx_html_place){code->function, code->line};
        c->place_of[order[i]] = c->places - 1;
    }
    return true;
}

/* ---- objects, threads, spans ---- */

static int read_objects(bx_html *page, bx_error *e)
{
    bx_html_cells *c = page->cells;
    bx_profile *p = page->of;
    bx_cell cell[4];
    uint32_t room = 0, id_room = 0, of_room = 0, last = UINT32_MAX;
    int code = bx_recording_ask(p->from,
                                "SELECT id, kind, name, dense_rank() OVER (ORDER BY kind, name) "
                                "AS rank FROM object ORDER BY rank",
                                NULL, 0, e);
    c->objects = BX_HTML_FIRST;
    c->object = bx_arena_grow(p->arena, NULL, 0, &room, sizeof *c->object, 64);
    while (!code && c->object && bx_recording_next(p->from, cell, 4)) {
        if ((uint32_t)cell[3].number != last) {
            c->object =
                bx_arena_grow(p->arena, c->object, c->objects, &room, sizeof *c->object, 64);
            if (!c->object)
                break;
            c->object[c->objects++] =
                (bx_html_object){bx_profile_copy(p, &cell[2]), bx_profile_copy(p, &cell[1])};
            last = (uint32_t)cell[3].number;
        }
        c->object_id = bx_arena_grow(p->arena, c->object_id, c->object_ids, &id_room,
                                     sizeof *c->object_id, 64);
        c->object_of = bx_arena_grow(p->arena, c->object_of, c->object_ids, &of_room,
                                     sizeof *c->object_of, 64);
        if (!c->object_id || !c->object_of)
            break;
        c->object_id[c->object_ids] = cell[0].number;
        c->object_of[c->object_ids++] = c->objects - 1;
    }
    code = code ? code : bx_recording_answered(p->from, e);
    return !code && p->arena->failed ? bx_out_of_memory(e) : code;
}

static int read_threads(bx_html *page, bx_error *e)
{
    bx_html_cells *c = page->cells;
    bx_profile *p = page->of;
    bx_cell cell[4];
    uint32_t room = 0;
    int code = bx_recording_ask(p->from, "SELECT id, tid, pid, process FROM thread ORDER BY id",
                                NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 4)) {
        bx_html_thread *of = bx_arena_grow(p->arena, c->thread, c->threads, &room, sizeof *of, 64);
        if (!of)
            return bx_out_of_memory(e);
        c->thread = of;
        of[c->threads++] = (bx_html_thread){cell[0].number, cell[1].number, cell[2].number,
                                            bx_profile_copy(p, &cell[3])};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* A recording has at most 128. */
static int read_span_ids(bx_html *page, bx_error *e)
{
    bx_html_cells *c = page->cells;
    bx_profile *p = page->of;
    bx_cell cell;
    uint32_t room = 0;
    int code = bx_recording_ask(p->from, "SELECT id FROM span ORDER BY id LIMIT 1024", NULL, 0, e);
    while (!code && bx_recording_next(p->from, &cell, 1)) {
        c->span = bx_arena_grow(p->arena, c->span, c->spans, &room, sizeof *c->span, 128);
        if (!c->span)
            return bx_out_of_memory(e);
        c->span[c->spans++] = cell.number;
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* ---- rows ---- */

typedef struct id_map {
    int64_t id;
    uint32_t to;
} id_map;

static int compare_id_maps(const void *a, const void *b)
{
    const id_map *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Into the order of ids. */
static bool sort_objects(bx_html *page)
{
    bx_html_cells *c = page->cells;
    id_map *map = malloc((c->object_ids + (size_t)1) * sizeof *map);
    if (!map)
        return false;
    for (uint32_t i = 0; i < c->object_ids; i++)
        map[i] = (id_map){c->object_id[i], c->object_of[i]};
    if (c->object_ids)
        qsort(map, c->object_ids, sizeof *map, compare_id_maps);
    for (uint32_t i = 0; i < c->object_ids; i++) {
        c->object_id[i] = map[i].id;
        c->object_of[i] = map[i].to;
    }
    free(map);
    return true;
}

static uint32_t index_of_id(const int64_t *ids, uint32_t n, int64_t id)
{
    const int64_t *at = n ? bsearch(&id, ids, n, sizeof *ids, compare_id_maps) : NULL;
    return at ? (uint32_t)(at - ids) : UINT32_MAX;
}

static uint32_t thread_of(const bx_html_cells *c, const bx_cell *cell)
{
    for (uint32_t low = 0, high = c->threads; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (c->thread[middle].id == cell->number)
            return cell->kind == BX_CELL_NUMBER ? BX_HTML_FIRST + middle : BX_HTML_NONE;
        if (c->thread[middle].id < cell->number)
            low = middle + 1;
        else
            high = middle;
    }
    return BX_HTML_NONE;
}

static bool add_page_cell(bx_html_cells *c, bx_html_cell cell)
{
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 4096;
        bx_html_cell *more = realloc(c->cell, room * sizeof *more);
        if (!more)
            return false;
        c->cell = more;
        c->room = room;
    }
    c->cell[c->n++] = cell;
    return true;
}

/* event, code, context, object, thread, span, count, by_prefetch */
static bool take_row(bx_html *page, const bx_cell *row)
{
    bx_html_cells *c = page->cells;
    const bx_profile *p = page->of;
    uint32_t event = 0;
    while (event < p->events && p->event[event].id != row[0].number)
        event++;
    if (event == p->events || !p->event[event].attributed || !row[6].number)
        return true;
    uint32_t code = bx_calls_code_at(&page->calls, row[1].number);
    uint32_t context = row[2].kind ? bx_calls_context_at(&page->calls, row[2].number) : UINT32_MAX;
    uint32_t object =
        row[3].kind ? index_of_id(c->object_id, c->object_ids, row[3].number) : UINT32_MAX;
    uint32_t span = row[5].kind ? index_of_id(c->span, c->spans, row[5].number) : UINT32_MAX;
    uint32_t node = context == UINT32_MAX ? BX_STACK_ROOT : c->stacks.node_of[context];
    if (code != UINT32_MAX)
        node = bx_stacks_callers(&c->stacks, &page->calls.code[code], context);
    if (node == BX_STACK_NONE)
        return false;
    double total = p->event[event].total > 0 ? (double)p->event[event].total : 1;
    bx_html_cell cell = {
        .place = code == UINT32_MAX ? BX_HTML_CUT : c->place_of[code],
        .object = object == UINT32_MAX ? BX_HTML_NONE : c->object_of[object],
        .thread = thread_of(c, &row[4]),
        .node = node,
        .event = (uint16_t)event,
        .span = span == UINT32_MAX ? 0 : (uint16_t)(span + 1),
        .count = row[6].number,
        .share = (double)row[6].number / total,
    };
    if (!add_page_cell(c, cell))
        return false;
    cell.event = (uint16_t)(event + p->events);
    cell.count = row[7].number;
    cell.share = (double)cell.count / total;
    return !cell.count || add_page_cell(c, cell);
}

static int compare_keys(const void *a, const void *b)
{
    const bx_html_cell *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->span > y->span) - (x->span < y->span);
}

size_t bx_html_cells_merge(bx_html_cell *cell, size_t n)
{
    size_t to = 0;
    if (n)
        qsort(cell, n, sizeof *cell, compare_keys);
    for (size_t i = 0; i < n; i++)
        if (to && compare_keys(&cell[to - 1], &cell[i]) == 0) {
            cell[to - 1].count += cell[i].count;
            cell[to - 1].share += cell[i].share;
        } else {
            cell[to++] = cell[i];
        }
    return to;
}

static int read_costs(bx_html *page, bx_error *e)
{
    bx_profile *p = page->of;
    bx_cell row[8];
    bool whole = true;
    int code = bx_recording_ask(p->from,
                                "SELECT event, code, context, object, thread, span, count, "
                                "by_prefetch FROM cost",
                                NULL, 0, e);
    while (!code && whole && bx_recording_next(p->from, row, 8))
        whole = take_row(page, row);
    code = code ? code : bx_recording_answered(p->from, e);
    return !code && !whole ? bx_out_of_memory(e) : code;
}

int bx_html_cells_read(bx_html *page, bx_error *e)
{
    bx_html_cells *c = page->cells = calloc(1, sizeof *c);
    if (!c)
        return bx_out_of_memory(e);
    if (page->of->events > UINT16_MAX / 2)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording has too many events for a page");
    int code = read_objects(page, e);
    if (!code && (!sort_objects(page) || !number_places(page) ||
                  !bx_stacks_read(&page->calls, false, &c->stacks)))
        code = bx_out_of_memory(e);
    if (!code)
        code = read_threads(page, e);
    if (!code)
        code = read_span_ids(page, e);
    if (!code)
        code = read_costs(page, e);
    if (!code)
        c->n = bx_html_cells_merge(c->cell, c->n);
    return code;
}

void bx_html_cells_free(bx_html_cells *c)
{
    if (c) {
        free(c->cell);
        bx_stacks_free(&c->stacks);
    }
    free(c);
}
