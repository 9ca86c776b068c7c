/* Regions that a program marks. At a mark all counters are read, as at the end of an interval. A
 * region's count is the sum of the increases between its marks. A region that begins again inside
 * itself is not a new region. Threads that are inside at the same time share the counts. So the row
 * of all threads has the counts of the time when at least one thread was inside, not the sum of the
 * threads' rows. */
#include "session/session.h"

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
    bool is_told; /* the machine reports marks to us */
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

static row *new_row(const struct bx_session *s, const char *name, unsigned thread)
{
    row *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->region.name = strdup(name);
    r->region.thread = thread;
    r->region.core = -1;
    r->entered = calloc(s->n + 1, sizeof *r->entered);
    r->inside = calloc(s->n + 1, sizeof *r->inside);
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
static row *find_or_add(struct bx_session *s, const char *name, unsigned thread, row *all)
{
    struct bx_regions *g = s->regions;
    row *r = find_region(g, name, thread);
    if (r)
        return r;
    r = has_room(g) ? new_row(s, name, thread) : NULL;
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
    }
    return r;
}

/* ---- counting ---- */

static void enter(const struct bx_session *s, row *r)
{
    if (r->depth++ > 0)
        return;
    r->since = s->samples.counted_to;
    memcpy(r->entered, s->readings, s->n * sizeof *r->entered);
}

static void add_up(const struct bx_session *s, row *r)
{
    r->region.time += s->samples.counted_to - r->since;
    for (size_t i = 0; i < s->n; i++) {
        const bx_reading *from = &r->entered[i], *to = &s->readings[i];
        r->inside[i].count += to->count - from->count;
        r->inside[i].enabled += to->enabled - from->enabled;
        r->inside[i].running += to->running - from->running;
        r->inside[i].overflowed |= to->overflowed;
    }
}

static void leave(const struct bx_session *s, row *r)
{
    if (--r->depth == 0)
        add_up(s, r);
}

/* Starts the counts again at 0; threads inside stay inside. */
static void reset(const struct bx_session *s, row *r)
{
    memset(r->inside, 0, s->n * sizeof *r->inside);
    memcpy(r->entered, s->readings, s->n * sizeof *r->entered);
    r->since = s->samples.counted_to;
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

static void begin_region(struct bx_session *s, row *all, row *own)
{
    own->region.entered++;
    all->region.entered++;
    if (own->depth > 0) {
        own->depth++;
        return;
    }
    enter(s, own);
    enter(s, all);
    if (is_selected(s->regions, own->region.name))
        enter(s, s->regions->selected);
}

static void end_region(struct bx_session *s, row *all, row *own)
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
    leave(s, own);
    leave(s, all);
    if (is_selected(s->regions, own->region.name))
        leave(s, s->regions->selected);
}

/* Ends all regions that a thread is still inside. 0: those of all threads. */
static void end_thread(struct bx_session *s, unsigned thread)
{
    for (row *own = s->regions->first; own; own = own->next) {
        if (own->region.thread == 0 || own->depth == 0 || (thread && own->region.thread != thread))
            continue;
        own->region.unended++;
        own->all->region.unended++;
        own->depth = 1;
        end_region(s, own->all, own);
    }
}

static void take_mark(struct bx_session *s, const bx_mark *mark)
{
    row *all = find_or_add(s, mark->name, 0, NULL);
    bool is_new = !find_region(s->regions, mark->name, mark->thread);
    row *own = all ? find_or_add(s, mark->name, mark->thread, all) : NULL;
    if (!own)
        return;
    if (mark->core >= 0)
        own->region.core = mark->core;
    all->region.threads += is_new;
    if (mark->kind == BX_MARK_BEGIN) {
        begin_region(s, all, own);
    } else if (mark->kind == BX_MARK_END) {
        end_region(s, all, own);
    } else {
        reset(s, own);
        reset(s, all);
    }
}

static void at_mark(void *context, const bx_mark *mark)
{
    struct bx_session *s = context;
    if (s->phase != BX_RUNNING)
        return;
    bx_count_now(s);
    if (mark->kind == BX_MARK_THREAD_ENDS)
        end_thread(s, mark->thread);
    else
        take_mark(s, mark);
}

/* ---- a session ---- */

int bx_regions_new(struct bx_session *s, const bx_session_options *o, bx_error *e)
{
    struct bx_regions *g = calloc(1, sizeof *g);
    if (!g)
        return bx_out_of_memory(e);
    s->regions = g;
    g->last = &g->first;
    g->names = o->inside;
    g->names_n = o->inside_n;
    g->selected = g->names_n ? new_row(s, "", 0) : NULL;
    if (g->names_n && !g->selected)
        return bx_out_of_memory(e);
    int code = bx_machine_on_mark(s->programme.machine, at_mark, s, e);
    g->is_told = code == BX_OK;
    return code;
}

void bx_regions_free(struct bx_session *s)
{
    struct bx_regions *g = s->regions;
    if (!g)
        return;
    if (g->is_told)
        bx_machine_on_mark(s->programme.machine, NULL, NULL, NULL);
    for (row *r = g->first, *next; r; r = next) {
        next = r->next;
        free_row(r);
    }
    free_row(g->selected);
    free(g->table);
    free(g->list);
    free(g);
}

void bx_regions_close(struct bx_session *s)
{
    if (!s->regions)
        return;
    bx_count_now(s);
    end_thread(s, 0);
}

/* Makes the sums readings: they are exact if the whole time inside was counted. */
static void settle(const struct bx_session *s, const row *r)
{
    for (size_t i = 0; i < s->n; i++) {
        const bx_reading sum = r->inside[i];
        bx_reading *to = &r->inside[i];
        *to = s->readings[i];
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
static void list_region(const struct bx_session *s, const row *all)
{
    struct bx_regions *g = s->regions;
    g->list[g->n++] = all->region;
    size_t n = 0;
    for (const row *r = s->programme.real_hardware ? NULL : all->threads; r; r = r->next_thread)
        n++;
    g->n += n;
    const row *newest = all->threads;
    for (size_t k = 1; k <= n; k++, newest = newest->next_thread)
        g->list[g->n - k] = newest->region;
}

int bx_regions_finish(struct bx_session *s, bx_error *e)
{
    struct bx_regions *g = s->regions;
    size_t n = 1;
    if (!g)
        return BX_OK;
    for (const row *r = g->first; r; r = r->next, n++)
        settle(s, r);
    g->list = calloc(n, sizeof *g->list);
    if (!g->list || g->no_memory)
        return bx_out_of_memory(e);
    for (const row *r = g->first; r; r = r->next)
        if (!r->region.thread)
            list_region(s, r);
    if (g->selected) {
        settle(s, g->selected);
        memcpy(s->readings, g->selected->inside, s->n * sizeof *s->readings);
    }
    return BX_OK;
}

const bx_region *bx_session_regions(const bx_session *s, size_t *n)
{
    size_t ignored;
    n = n ? n : &ignored;
    *n = 0;
    if (!s)
        return NULL;
    *n = s->regions ? s->regions->n : 0;
    return s->regions ? s->regions->list : NULL;
}

uint64_t bx_session_inside(const bx_session *s)
{
    if (!s)
        return 0;
    return s->regions && s->regions->selected ? s->regions->selected->region.time : 0;
}
