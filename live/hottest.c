/* Adds up the rows of an attribution by source line. */
#include "live/hottest.h"

#include "base/error.h"
#include "base/grow.h"
#include "machine/program/process/host_program.h"
#include "measure/pass.h"
#include "model/engine/ledger.h"
#include "report/label.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 1 << 20,       /* of the attribution */
    BETWEEN_LOOKS = 250000000, /* ns */
};

/* ---- lines ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *p = text ? text : ""; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_line(const void *row)
{
    const bx_hot_line *l = row;
    return hash_text(hash_text(UINT64_C(0xcbf29ce484222325) ^ l->line, l->function), l->file);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_line(const void *row, const void *key)
{
    const bx_hot_line *a = row, *b = key;
    return a->line == b->line && same_text(a->function, b->function) && same_text(a->file, b->file);
}

static const bx_slots_kind lines_by_text = {sizeof(bx_hot_line), hash_line, same_line};

/* 1 + its index; 0: out of memory. */
static uint32_t find_line(bx_hottest *h, bx_hot_line key)
{
    if (!bx_slots_make_room(&h->by_text, &lines_by_text, h->line, h->lines, 256))
        return 0;
    uint32_t *slot = bx_slots_find(&h->by_text, &lines_by_text, h->line, &key);
    if (*slot)
        return *slot;
    bx_hot_line *all = bx_grow(h->line, h->lines, &h->lines_room, sizeof *all, 256);
    if (!all)
        return 0;
    h->line = all;
    key.function = bx_arena_copy(&h->arena, bx_str_of(key.function));
    key.file = key.file ? bx_arena_copy(&h->arena, bx_str_of(key.file)) : NULL;
    all[h->lines++] = key;
    *slot = (uint32_t)h->lines;
    return h->arena.failed ? 0 : *slot;
}

static uint32_t name_line(bx_hottest *h, uint32_t code)
{
    static const char *const reserved[BX_CODE_FIRST] = {"(not an instruction)", "(device)",
                                                        "(kernel)", "(workload)", "(other)"};
    if (code < BX_CODE_FIRST)
        return find_line(h, (bx_hot_line){.function = reserved[code]});
    bx_code_frames at;
    bx_code_names_at(&h->names, code - BX_CODE_FIRST, &at);
    char *name = bx_code_names_source(&h->names, &at.frame[0]);
    uint32_t found = find_line(h, (bx_hot_line){.function = name ? name : at.frame[0].function,
                                                .file = at.frame[0].file,
                                                .line = at.frame[0].line});
    free(name);
    return found;
}

/* The line of each instruction stays what it was when it was first looked at. */
static bx_hot_line *line_of(bx_hottest *h, uint32_t code)
{
    if (code >= h->codes) {
        size_t n = code + 1 + h->codes;
        uint32_t *all = realloc(h->line_of, n * sizeof *all);
        if (!all)
            return NULL;
        memset(all + h->codes, 0, (n - h->codes) * sizeof *all);
        h->line_of = all;
        h->codes = n;
    }
    if (!h->line_of[code])
        h->line_of[code] = name_line(h, code);
    return h->line_of[code] ? &h->line[h->line_of[code] - 1] : NULL;
}

/* ---- a look ---- */

static void keep_top(bx_hottest_event *to, const bx_hot_line *line)
{
    bool full = to->n == BX_HOTTEST_LINES;
    if (full && to->top[to->n - 1].count >= line->count)
        return;
    size_t i = full ? to->n - 1 : to->n++;
    for (; i > 0 && to->top[i - 1].count < line->count; i--)
        to->top[i] = to->top[i - 1];
    to->top[i] = *line;
}

static void look_at(bx_hottest *h, const bx_costs *costs, size_t event)
{
    bx_hottest_event *to = &h->event[event];
    for (size_t i = 0; i < h->lines; i++)
        h->line[i].count = 0;
    to->n = 0;
    to->total = 0;
    for (size_t i = 0; i < costs->n; i++) {
        const bx_cost *cost = &costs->row[i];
        if (cost->key.event != event || !cost->count)
            continue;
        bx_hot_line *line = line_of(h, cost->key.code);
        if (!line) /* out of memory: the line is missing, not its count */
            line = &(bx_hot_line){.function = "(other)"};
        line->count += cost->count;
        to->total += cost->count;
    }
    for (size_t i = 0; i < h->lines; i++)
        if (h->line[i].count)
            keep_top(to, &h->line[i]);
}

/* event: NULL: all that are told. */
static void look(bx_hottest *h, const char *event)
{
    struct bx_attribution *a = h->machine ? bx_machine_attributed(h->machine) : NULL;
    if (!a)
        return;
    pthread_mutex_lock(&h->witness.lock);
    bx_code_names_open(&h->names);
    for (size_t i = 0; i < h->events; i++)
        if (h->event[i].told && (!event || strcmp(h->event[i].event, event) == 0))
            look_at(h, &a->costs, i);
    pthread_mutex_unlock(&h->witness.lock);
}

void bx_hottest_publish(bx_hottest *h)
{
    uint64_t now = bx_process_clock();
    bool again = h->wanted == h->looked && now - h->when < BETWEEN_LOOKS;
    if (again && !h->always)
        return;
    h->looked = h->wanted;
    look(h, h->wanted);
    h->when = bx_process_clock();
}

const bx_hottest_event *bx_hottest_of(const bx_hottest *h, const char *event)
{
    for (size_t i = 0; i < h->events; i++)
        if (strcmp(h->event[i].event, event) == 0)
            return &h->event[i];
    return NULL;
}

/* ---- a measurement ---- */

static void forget(bx_hottest *h)
{
    if (h->bears_witness)
        bx_witness_end(&h->witness);
    h->bears_witness = false;
    bx_code_names_close(&h->names);
    bx_slots_free(&h->by_text);
    free(h->line);
    free(h->line_of);
    bx_arena_free(&h->arena);
    const bx_hottest kept = {
        .lock = h->lock, .demangle = h->demangle, .always = h->always, .wanted = h->wanted};
    *h = kept;
}

static int on_pass_opened(void *context, bx_pass *p, bx_error *e)
{
    bx_hottest *h = context;
    const bx_measured *measured = p->of->measured;
    pthread_mutex_lock(h->lock);
    forget(h);
    pthread_mutex_unlock(h->lock);
    if (!bx_machine_model(p->machine))
        return BX_OK;
    h->machine = p->machine;
    h->told = bx_arena_get(&h->arena, (measured->events_n + 1) * sizeof *h->told);
    h->event = bx_arena_get(&h->arena, (measured->events_n + 1) * sizeof *h->event);
    for (size_t i = 0; h->event && i < measured->events_n; i++) {
        const char *name = measured->names ? measured->names[i] : NULL;
        h->event[i].event =
            name ? bx_arena_copy(&h->arena, bx_str_of(name))
                 : bx_label_event(measured->catalog, &measured->events[i], &h->arena);
        if (h->event[i].event)
            h->events++;
    }
    if (h->arena.failed)
        return bx_out_of_memory(e);
    bx_witness_begin(&h->witness);
    h->bears_witness = true;
    h->names = (bx_code_names){.witness = &h->witness, .demangle = h->demangle};
    bx_machine_bear_witness(p->machine, &h->witness);
    return BX_OK;
}

static int on_pass_started(void *context, bx_pass *p, bx_error *e)
{
    bx_hottest *h = context;
    int code = h->machine ? bx_pass_attribute(p, h->told, e) : BX_OK;
    struct bx_attribution *a = !code && h->machine ? bx_machine_attributed(h->machine) : NULL;
    if (a)
        a->costs.most = a->lines.most = MOST_ROWS;
    for (size_t i = 0; i < h->events; i++)
        h->event[i].told = h->told[i];
    return code;
}

static uint64_t never_due(void *context)
{
    (void)context;
    return UINT64_MAX;
}

static int on_pass_passed(void *context, bx_pass *p, bx_error *e)
{
    (void)context, (void)p, (void)e;
    return BX_OK;
}

/* The machine goes: what it has told stays. */
static int on_pass_stopped(void *context, bx_pass *p, bx_error *e)
{
    bx_hottest *h = context;
    (void)p, (void)e;
    pthread_mutex_lock(h->lock);
    look(h, NULL);
    h->machine = NULL;
    pthread_mutex_unlock(h->lock);
    return BX_OK;
}

bx_measure_watch bx_hottest_watch(bx_hottest *h)
{
    return (bx_measure_watch){h,         on_pass_opened, on_pass_started,
                              never_due, on_pass_passed, on_pass_stopped};
}

void bx_hottest_free(bx_hottest *h)
{
    forget(h);
}
