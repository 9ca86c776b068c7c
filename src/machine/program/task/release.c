/* Finds the release that comes before an acquisition. */
#include "machine/program/task/release.h"

#include "base/grow.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* The number of releases that are kept for an object. An acquisition follows one of the last
 * releases. Two threads that hand over to each other make one release at a time; a writer that is
 * ahead of its reader may have made more. */
enum { KEPT = 1024 };

typedef struct release {
    uint64_t time;
    bx_point end;
} release;

typedef struct object {
    uint64_t kind, id;
    struct object *pair; /* the other end of the same object; NULL: none */
    size_t n, room;
    release *list; /* in the order in which they were read */
} object;

struct bx_releases {
    void *tree; /* tree of `object`: tsearch(3) */
    bool no_memory;
};

bx_releases *bx_releases_new(void)
{
    return calloc(1, sizeof(bx_releases));
}

static void free_object(void *of)
{
    object *o = of;
    free(o->list);
    free(o);
}

void bx_releases_free(bx_releases *r)
{
    if (r)
        tdestroy(r->tree, free_object);
    free(r);
}

bool bx_releases_ran_out(const bx_releases *r)
{
    return r->no_memory;
}

static int compare(const void *left, const void *right)
{
    const object *a = left, *b = right;
    int by_id = (a->id > b->id) - (a->id < b->id);
    return by_id ? by_id : (a->kind > b->kind) - (a->kind < b->kind);
}

static object *find_object(const bx_releases *r, unsigned kind, uint64_t id)
{
    const object key = {.kind = kind, .id = id};
    object *const *found = tfind(&key, &r->tree, compare);
    return found ? *found : NULL;
}

static object *make_object(bx_releases *r, unsigned kind, uint64_t id)
{
    object *o = find_object(r, kind, id);
    if (o)
        return o;
    o = calloc(1, sizeof *o);
    if (o) {
        o->kind = kind;
        o->id = id;
    }
    if (o && tsearch(o, &r->tree, compare))
        return o;
    free(o);
    r->no_memory = true;
    return NULL;
}

static bool make_room_for_releases(object *o)
{
    if (o->n == KEPT) {
        o->n = KEPT / 2;
        memmove(o->list, o->list + KEPT - o->n, o->n * sizeof *o->list);
    }
    release *list = bx_grow(o->list, o->n, &o->room, sizeof *list, 4);
    if (list)
        o->list = list;
    return list;
}

void bx_releases_add(bx_releases *r, unsigned kind, uint64_t id, uint64_t time, bx_point end)
{
    object *o = make_object(r, kind, id);
    if (!o || !make_room_for_releases(o)) {
        r->no_memory = true;
        return;
    }
    o->list[o->n++] = (release){time, end};
}

void bx_releases_pair(bx_releases *r, unsigned kind, uint64_t id, uint64_t other)
{
    object *a = make_object(r, kind, id), *b = make_object(r, kind, other);
    if (!a || !b)
        return;
    a->pair = b;
    b->pair = a;
}

bx_point bx_releases_before(const bx_releases *r, unsigned kind, uint64_t id, uint64_t time)
{
    const object *o = find_object(r, kind, id);
    release last = {0};
    if (o && o->pair)
        o = o->pair;
    for (size_t i = 0; o && i < o->n; i++)
        if (o->list[i].time < time && o->list[i].time >= last.time)
            last = o->list[i];
    return last.end;
}
