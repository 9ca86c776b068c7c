/* Regions that a program marks. At a mark all counters are read, as at the end of an interval. A
 * region's count is the sum of the increases between its marks. A region that begins again inside
 * itself is not a new region. Threads that are inside at the same time share the counts. So the row
 * of all threads has the counts of the time when at least one thread was inside, not the sum of the
 * threads' rows. */
#include "session/estimate.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* A row: a region of one thread, of all threads, or all regions that are given as `inside`. */
typedef struct row {
    struct row *next;
    struct row *collides;              /* the next one in the same place of the table */
    struct row *all;                   /* of a thread's row: that of all threads */
    struct row *threads, *next_thread; /* the region's rows of one thread, the newest first */
    bx_region region;
    unsigned depth;      /* begins without an end; in the row of all threads: threads inside */
    uint64_t since;      /* the time when it was entered */
    bx_reading *entered; /* the readings at that time */
    bx_reading *inside;  /* the sums so far */
} row;

struct bx_regions {
    row *first, **last;
    row **table; /* [mask + 1] or NULL: the rows by name and thread */
    size_t rows, mask;
    row *selected; /* row of the selected regions; NULL: readings always count */
    const char *const *names;
    size_t names_n;
    bx_region *list; /* the result, when the session has stopped */
    size_t n;
    bool no_memory;
    bool by_thread; /* rows of single threads are listed, too */
};

/* ---- rows ---- */

static void free_row(row *r)
{
    if (!r)
        return;
    free((char *)(uintptr_t)r->region.name);
    free(r->entered);
    free(r->inside);
    free(r);
}

static row *new_row(size_t readings, const char *name, unsigned thread)
{
    row *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->region.name = strdup(name);
    r->region.thread = thread;
    r->region.core = -1;
    r->entered = calloc(readings + 1, sizeof *r->entered);
    r->inside = calloc(readings + 1, sizeof *r->inside);
    r->region.readings = r->inside;
    if (r->region.name && r->entered && r->inside)
        return r;
    free_row(r);
    return NULL;
}

static row **place_of(const struct bx_regions *g, const char *name, unsigned thread)
{
    return &g->table[bx_str_hash_fold(bx_str_of(name), thread) & g->mask];
}

static row *find_region(const struct bx_regions *g, const char *name, unsigned thread)
{
    row *r = g->table ? *place_of(g, name, thread) : NULL;
    while (r && (r->region.thread != thread || strcmp(r->region.name, name) != 0))
        r = r->collides;
    return r;
}

static void put_in_table(struct bx_regions *g, row *r)
{
    row **place = place_of(g, r->region.name, r->region.thread);
    r->collides = *place;
    *place = r;
}

/* Keeps at least as many places as rows. */
static bool has_room(struct bx_regions *g)
{
    size_t places = g->table ? 2 * (g->mask + 1) : 64;
    if (g->table && g->rows <= g->mask)
        return true;
    row **table = calloc(places, sizeof(row *));
    if (!table)
        return false;
    free(g->table);
    g->table = table;
    g->mask = places - 1;
    for (row *r = g->first; r; r = r->next)
        put_in_table(g, r);
    return true;
}

/* all: the row of all threads, for that of one. */
static row *find_or_add(const bx_estimate *estimate, const char *name, unsigned thread, row *all)
{
    struct bx_regions *g = estimate->regions;
    row *r = find_region(g, name, thread);
    if (r)
        return r;
    r = has_room(g) ? new_row(estimate->n, name, thread) : NULL;
    g->no_memory |= !r;
    if (!r)
        return NULL;
    put_in_table(g, r);
    g->rows++;
    *g->last = r;
    g->last = &r->next;
    r->all = all;
    if (all) {
        r->next_thread = all->threads;
        all->threads = r;
        all->region.threads++;
    }
    return r;
}

/* ---- counting ---- */

static void enter(const bx_estimate *estimate, row *r, uint64_t now)
{
    if (r->depth++ > 0)
        return;
    r->since = now;
    memcpy(r->entered, estimate->readings, estimate->n * sizeof *r->entered);
}

static void add_up(const bx_estimate *estimate, row *r, uint64_t now)
{
    r->region.time += now - r->since;
    for (size_t i = 0; i < estimate->n; i++) {
        const bx_reading *from = &r->entered[i], *to = &estimate->readings[i];
        r->inside[i].count = to->level ? to->count : r->inside[i].count + to->count - from->count;
        r->inside[i].enabled += to->enabled - from->enabled;
        r->inside[i].running += to->running - from->running;
        r->inside[i].overflowed |= to->overflowed;
    }
}

static void leave(const bx_estimate *estimate, row *r, uint64_t now)
{
    if (--r->depth == 0)
        add_up(estimate, r, now);
}

/* Starts the counts again at 0; threads inside stay inside. */
static void reset(const bx_estimate *estimate, row *r, uint64_t now)
{
    memset(r->inside, 0, estimate->n * sizeof *r->inside);
    memcpy(r->entered, estimate->readings, estimate->n * sizeof *r->entered);
    r->since = now;
    r->region.entered = r->region.time = 0;
}

/* ---- marks ---- */

static bool is_selected(const struct bx_regions *g, const char *name)
{
    for (size_t i = 0; g->selected && i < g->names_n; i++)
        if (strcmp(g->names[i], name) == 0)
            return true;
    return false;
}

static void begin_region(const bx_estimate *estimate, row *all, row *own, uint64_t now)
{
    own->region.entered++;
    all->region.entered++;
    if (own->depth > 0) {
        own->depth++;
        return;
    }
    enter(estimate, own, now);
    enter(estimate, all, now);
    if (is_selected(estimate->regions, own->region.name))
        enter(estimate, estimate->regions->selected, now);
}

static void end_region(const bx_estimate *estimate, row *all, row *own, uint64_t now)
{
    if (own->depth == 0) {
        own->region.unbegun++;
        all->region.unbegun++;
        return;
    }
    if (own->depth > 1) {
        own->depth--;
        return;
    }
    leave(estimate, own, now);
    leave(estimate, all, now);
    if (is_selected(estimate->regions, own->region.name))
        leave(estimate, estimate->regions->selected, now);
}

/* Ends all regions that a thread is still inside. 0: those of all threads. */
static void end_thread(const bx_estimate *estimate, unsigned thread, uint64_t now)
{
    for (row *own = estimate->regions->first; own; own = own->next) {
        if (own->region.thread == 0 || own->depth == 0 || (thread && own->region.thread != thread))
            continue;
        own->region.unended++;
        own->all->region.unended++;
        own->depth = 1;
        end_region(estimate, own->all, own, now);
    }
}

static void take_mark(const bx_estimate *estimate, const bx_mark *mark, uint64_t now)
{
    row *all = find_or_add(estimate, mark->name, 0, NULL);
    row *own = all ? find_or_add(estimate, mark->name, mark->thread, all) : NULL;
    if (!own)
        return;
    if (mark->core >= 0)
        own->region.core = mark->core;
    if (mark->kind == BX_MARK_BEGIN) {
        begin_region(estimate, all, own, now);
    } else if (mark->kind == BX_MARK_END) {
        end_region(estimate, all, own, now);
    } else {
        reset(estimate, own, now);
        reset(estimate, all, now);
    }
}

void bx_regions_mark(bx_estimate *estimate, const bx_mark *mark, uint64_t now)
{
    if (mark->kind == BX_MARK_THREAD_ENDS)
        end_thread(estimate, mark->thread, now);
    else
        take_mark(estimate, mark, now);
}

/* ---- an estimate's regions ---- */

bool bx_regions_new(bx_estimate *estimate, const bx_session_options *o, bool by_thread)
{
    struct bx_regions *g = calloc(1, sizeof *g);
    if (!g)
        return false;
    estimate->regions = g;
    g->last = &g->first;
    g->by_thread = by_thread;
    g->names = o->inside;
    g->names_n = o->inside_n;
    g->selected = g->names_n ? new_row(estimate->n, "", 0) : NULL;
    return g->selected || !g->names_n;
}

void bx_regions_free(struct bx_regions *g)
{
    if (!g)
        return;
    for (row *r = g->first, *next; r; r = next) {
        next = r->next;
        free_row(r);
    }
    free_row(g->selected);
    free(g->table);
    free(g->list);
    free(g);
}

void bx_regions_close(bx_estimate *estimate, uint64_t now)
{
    end_thread(estimate, 0, now);
}

/* Makes the sums readings: they are exact if the whole time inside was counted. */
static void settle(const bx_estimate *estimate, const row *r)
{
    for (size_t i = 0; i < estimate->n; i++) {
        const bx_reading sum = r->inside[i];
        bx_reading *to = &r->inside[i];
        *to = estimate->readings[i];
        to->count = sum.count;
        to->enabled = sum.enabled;
        to->running = sum.running;
        to->overflowed = sum.overflowed;
        to->spread = to->together = (bx_spread){0}; /* the spread is known for whole turns only */
        if (to->state == BX_COUNTED || to->state == BX_SCALED)
            to->state = sum.running == sum.enabled ? BX_COUNTED : BX_SCALED;
    }
}

/* On a host, only rows of all threads are listed: its counters cannot separate a thread's counts
 * from those of others. */
static void list_region(struct bx_regions *g, const row *all)
{
    g->list[g->n++] = all->region;
    size_t n = 0;
    for (const row *r = g->by_thread ? all->threads : NULL; r; r = r->next_thread)
        n++;
    g->n += n;
    const row *newest = all->threads;
    for (size_t k = 1; k <= n; k++, newest = newest->next_thread)
        g->list[g->n - k] = newest->region;
}

int bx_regions_finish(bx_estimate *estimate, bx_error *e)
{
    struct bx_regions *g = estimate->regions;
    size_t n = 1;
    if (!g)
        return BX_OK;
    for (const row *r = g->first; r; r = r->next, n++)
        settle(estimate, r);
    g->list = calloc(n, sizeof *g->list);
    if (!g->list || g->no_memory)
        return bx_out_of_memory(e);
    for (const row *r = g->first; r; r = r->next)
        if (!r->region.thread)
            list_region(g, r);
    if (g->selected) {
        settle(estimate, g->selected);
        memcpy(estimate->readings, g->selected->inside, estimate->n * sizeof *estimate->readings);
    }
    return BX_OK;
}

const bx_region *bx_regions_list(const bx_estimate *estimate, size_t *n)
{
    *n = estimate->regions ? estimate->regions->n : 0;
    return estimate->regions ? estimate->regions->list : NULL;
}

uint64_t bx_regions_inside(const bx_estimate *estimate)
{
    const struct bx_regions *g = estimate->regions;
    return g && g->selected ? g->selected->region.time : 0;
}
