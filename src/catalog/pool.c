/* The strings of a catalogue that is being made. */
#include "catalog/pool.h"

#include <string.h>

enum { FIRST_ROOM = 1 << 16, FIRST_BUCKETS = 4096, MOST = 1 << 28 };

/* The old strings stay in the arena until the end. */
static bool grow_strings(bx_pool *p, size_t least)
{
    size_t room = p->room ? p->room : FIRST_ROOM;
    while (room < least)
        room *= 2;
    p->full |= room > MOST;
    char *strings = p->full ? NULL : bx_arena_get(p->arena, room);
    if (!strings)
        return false;
    if (p->n)
        memcpy(strings, p->strings, p->n);
    p->strings = strings;
    p->room = (uint32_t)room;
    return true;
}

static uint32_t *bucket(const bx_pool *p, bx_str s)
{
    uint32_t i = bx_str_hash_fold(s, 0) & (p->buckets_n - 1);
    while (p->buckets[i] && !bx_str_eq(s, bx_pool_str(p, p->buckets[i])))
        i = (i + 1) & (p->buckets_n - 1);
    return &p->buckets[i];
}

static bool grow_buckets(bx_pool *p, uint32_t n)
{
    const uint32_t *old = p->buckets;
    uint32_t old_n = p->buckets_n;
    uint32_t *buckets = bx_arena_get(p->arena, n * sizeof *buckets);
    if (!buckets)
        return false;
    p->buckets = buckets;
    p->buckets_n = n;
    for (uint32_t i = 0; i < old_n; i++)
        if (old[i])
            *bucket(p, bx_pool_str(p, old[i])) = old[i];
    return true;
}

bool bx_pool_start(bx_pool *p, bx_arena *arena, const struct bx_catalog *from)
{
    *p = (bx_pool){.arena = arena};
    uint32_t n = from ? from->strings.n : 1; /* offset 0 is "" */
    if (!grow_strings(p, n) || !grow_buckets(p, FIRST_BUCKETS))
        return false;
    if (from)
        memcpy(p->strings, bx_cat_strings(from), n);
    p->n = n;
    return true;
}

bx_cat_text bx_pool_add(bx_pool *p, bx_str s)
{
    if (!s.n || p->full || p->arena->failed)
        return 0;
    if (2 * p->buckets_used >= p->buckets_n && !grow_buckets(p, 2 * p->buckets_n))
        return 0;
    uint32_t *at = bucket(p, s);
    if (*at)
        return *at;
    if (s.n >= p->room - p->n && !grow_strings(p, p->n + s.n + 1))
        return 0;
    *at = p->n;
    memcpy(p->strings + p->n, s.p, s.n); /* the arena's memory is 0: a NUL follows */
    p->n += (uint32_t)s.n + 1;
    p->buckets_used++;
    return *at;
}
