#include "profile/calls.h"

#include "base/error.h"

#include <stdlib.h>

/* ---- reading ---- */

/* Places, and the functions into which theirs were inlined. */
#define FRAMES                                                                                     \
    "(SELECT id, 0 AS depth, function, file, line FROM code UNION ALL "                            \
    "SELECT code, depth, function, file, line FROM inlined WHERE depth > 0)"

static bool add_code(bx_profile *p, bx_calls *to, const bx_cell *cell, uint32_t *room)
{
    bx_call_code *of = bx_arena_grow(p->arena, to->code, to->codes, room, sizeof *of, 256);
    if (!of)
        return false;
    to->code = of;
    of[to->codes++] = (bx_call_code){.id = cell[0].number,
                                     .function = (uint32_t)cell[3].number,
                                     .line = cell[2].number,
                                     .frame = to->frames};
    return true;
}

static bool add_frame_of(bx_profile *p, bx_calls *to, const bx_cell *cell, uint32_t *room)
{
    bx_call_frame *of = bx_arena_grow(p->arena, to->frame, to->frames, room, sizeof *of, 256);
    if (!of)
        return false;
    to->frame = of;
    of[to->frames++] = (bx_call_frame){(uint32_t)cell[3].number, cell[2].number};
    to->code[to->codes - 1].frames++;
    return true;
}

static int read_code(bx_profile *p, bx_calls *to, bx_error *e)
{
    bx_cell cell[4];
    uint32_t room = 0, frame_room = 0;
    int code = bx_recording_ask(p->from,
                                "SELECT id, depth, line, dense_rank() OVER (ORDER BY function, "
                                "file) - 1 FROM " FRAMES " ORDER BY id, depth",
                                NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 4)) {
        bool inlined = cell[1].number > 0;
        if (inlined && (!to->codes || to->code[to->codes - 1].id != cell[0].number))
            continue; /* of no place */
        if (!(inlined ? add_frame_of(p, to, cell, &frame_room) : add_code(p, to, cell, &room)))
            return bx_out_of_memory(e);
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* In the order of their numbers in read_code(). */
static int read_functions(bx_profile *p, bx_calls *to, bx_error *e)
{
    bx_cell cell[2];
    uint32_t room = 0;
    int code = bx_recording_ask(
        p->from, "SELECT DISTINCT function, file FROM " FRAMES " ORDER BY function, file", NULL, 0,
        e);
    while (!code && bx_recording_next(p->from, cell, 2)) {
        bx_call_function *of =
            bx_arena_grow(p->arena, to->function, to->functions, &room, sizeof *of, 256);
        if (!of)
            return bx_out_of_memory(e);
        to->function = of;
        of[to->functions++] =
            (bx_call_function){bx_profile_copy(p, &cell[0]), bx_profile_copy(p, &cell[1])};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

static int read_contexts(bx_profile *p, bx_calls *to, bx_error *e)
{
    bx_cell cell[3];
    uint32_t room = 0;
    int code =
        bx_recording_ask(p->from, "SELECT id, parent, code FROM context ORDER BY id", NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 3)) {
        bx_call_context *of =
            bx_arena_grow(p->arena, to->context, to->contexts, &room, sizeof *of, 256);
        if (!of)
            return bx_out_of_memory(e);
        to->context = of;
        of[to->contexts++] = (bx_call_context){cell[0].number, cell[1].number, cell[2].number};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

static int compare_ids(const void *a, const void *b) /* an id is the first member of all */
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

uint32_t bx_calls_code_at(const bx_calls *c, int64_t id)
{
    const bx_call_code *code =
        c->codes ? bsearch(&id, c->code, c->codes, sizeof *c->code, compare_ids) : NULL;
    return code ? (uint32_t)(code - c->code) : UINT32_MAX;
}

uint32_t bx_calls_context_at(const bx_calls *c, int64_t id)
{
    const bx_call_context *context =
        c->contexts ? bsearch(&id, c->context, c->contexts, sizeof *c->context, compare_ids) : NULL;
    return context ? (uint32_t)(context - c->context) : UINT32_MAX;
}

static int read_call_costs(bx_profile *p, bool data, bx_calls *to, bx_error *e)
{
    bx_cell cell[6];
    uint32_t room = 0;
    int code =
        bx_recording_add_up(p->from, "called", "code, context, object, thread, event, n, p", 5,
                            data ? "SELECT code, context, object, thread, event, count, 0 FROM cost"
                                 : "SELECT code, context, NULL, NULL, event, count, 0 FROM cost",
                            e);
    if (!code)
        code = bx_recording_ask(p->from,
                                "SELECT code, context, object, thread, event, n FROM temp.called "
                                "ORDER BY 1, 2, 3, 4, 5",
                                NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 6)) {
        uint32_t at = bx_calls_code_at(to, cell[0].number);
        uint32_t event = 0;
        while (event < p->events && p->event[event].id != cell[4].number)
            event++;
        if (at == UINT32_MAX || event == p->events || !p->event[event].attributed)
            continue;
        bx_call_cost *of = bx_arena_grow(p->arena, to->cost, to->costs, &room, sizeof *of, 256);
        if (!of)
            return bx_out_of_memory(e);
        to->cost = of;
        of[to->costs++] = (bx_call_cost){.code = at,
                                         .context = cell[1].number,
                                         .object = cell[2].number,
                                         .thread = cell[3].number,
                                         .event = event,
                                         .count = cell[5].number};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

/* Objects or threads. */
static int read_data(bx_profile *p, const char *sql, bx_call_data **to, uint32_t *n, bx_error *e)
{
    bx_cell cell[4];
    uint32_t room = 0;
    int code = bx_recording_ask(p->from, sql, NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 4)) {
        bx_call_data *of = bx_arena_grow(p->arena, *to, *n, &room, sizeof *of, 64);
        if (!of)
            return bx_out_of_memory(e);
        *to = of;
        of[(*n)++] = (bx_call_data){cell[0].number, bx_profile_copy(p, &cell[1]), cell[2].number,
                                    cell[3].number};
    }
    return code ? code : bx_recording_answered(p->from, e);
}

int bx_calls_read(bx_profile *p, bool data, bx_calls *to, bx_error *e)
{
    *to = (bx_calls){.of = p};
    int code = read_code(p, to, e);
    if (!code)
        code = read_functions(p, to, e);
    if (!code)
        code = read_contexts(p, to, e);
    if (!code)
        code = read_call_costs(p, data, to, e);
    if (!code && data)
        code = read_data(p, "SELECT id, name, 0, 0 FROM object WHERE name IS NOT NULL ORDER BY id",
                         &to->object, &to->objects, e);
    if (!code && data)
        code = read_data(p, "SELECT id, NULL, tid, pid FROM thread ORDER BY id", &to->thread,
                         &to->threads, e);
    for (uint32_t i = 0; i < to->codes && !code; i++)
        if (to->code[i].function >= to->functions)
            code = bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording changes while it is read");
    for (uint32_t i = 0; i < to->frames && !code; i++)
        if (to->frame[i].function >= to->functions)
            code = bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording changes while it is read");
    return !code && p->arena->failed ? bx_out_of_memory(e) : code;
}

bool bx_calls_same(const bx_call_cost *a, const bx_call_cost *b)
{
    return a->code == b->code && a->context == b->context && a->object == b->object &&
           a->thread == b->thread;
}

const bx_call_data *bx_calls_object(const bx_calls *c, int64_t id)
{
    return c->objects ? bsearch(&id, c->object, c->objects, sizeof *c->object, compare_ids) : NULL;
}

const bx_call_data *bx_calls_thread(const bx_calls *c, int64_t id)
{
    return c->threads ? bsearch(&id, c->thread, c->threads, sizeof *c->thread, compare_ids) : NULL;
}

/* ---- chains ---- */

/* A file may have a circle: a chain ends anyway. */
unsigned bx_calls_chain(const bx_calls *c, int64_t context, uint32_t to[BX_CALLS_DEEPEST])
{
    unsigned n = 0;
    while (context && n < BX_CALLS_DEEPEST) {
        uint32_t at = bx_calls_context_at(c, context);
        uint32_t code = at == UINT32_MAX ? at : bx_calls_code_at(c, c->context[at].code);
        if (code == UINT32_MAX)
            break;
        to[n++] = code;
        context = c->context[at].parent;
    }
    return n;
}

static unsigned add_steps(const bx_calls *c, uint32_t code, uint32_t *to, unsigned n)
{
    const bx_call_code *of = &c->code[code];
    if (n < BX_CALLS_STEPS_MOST)
        to[n++] = code;
    for (uint32_t i = 0; i < of->frames && n < BX_CALLS_STEPS_MOST; i++)
        to[n++] = c->codes + of->frame + i;
    return n;
}

unsigned bx_calls_steps(const bx_calls *c, uint32_t code, int64_t context,
                        uint32_t to[BX_CALLS_STEPS_MOST])
{
    uint32_t chain[BX_CALLS_DEEPEST];
    unsigned calls = bx_calls_chain(c, context, chain), n = add_steps(c, code, to, 0);
    for (unsigned i = 0; i < calls; i++)
        n = add_steps(c, chain[i], to, n);
    return n;
}

bx_call_frame bx_calls_step(const bx_calls *c, uint32_t step)
{
    return step < c->codes ? (bx_call_frame){c->code[step].function, c->code[step].line}
                           : c->frame[step - c->codes];
}
