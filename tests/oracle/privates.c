/* Implements privates.h. */
#include "privates.h"

#include "tree.h"

#include "model/engine/access.h"

#include <stdlib.h>

/* ---- one cache ---- */

static struct private_copy *set_of(const struct private_cache *cache, uint64_t line)
{
    return &cache->copy[line % cache->sets * cache->ways];
}

static bool *tree_of(const struct private_cache *cache, uint64_t line)
{
    return &cache->upper_next[line % cache->sets * (cache->ways - 1)];
}

static struct private_copy *find(const struct private_cache *cache, uint64_t line)
{
    struct private_copy *set = set_of(cache, line);

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].line == line && set[way].state != PRIVATE_I)
            return &set[way];
    return NULL;
}

static enum private_state state_in(const struct private_cache *cache, uint64_t line)
{
    const struct private_copy *copy = find(cache, line);
    return copy ? copy->state : PRIVATE_I;
}

static void become(struct private_cache *cache, uint64_t line, enum private_state state)
{
    struct private_copy *copy = find(cache, line);

    if (copy)
        copy->state = state;
}

/* QLRU: all other lines grow older by the same amount, so that the oldest of them has age 3. */
static void make_older(struct private_cache *cache, const struct private_copy *but)
{
    struct private_copy *set = set_of(cache, but->line);
    unsigned oldest = 0;

    for (unsigned way = 0; way < cache->ways; way++)
        if (&set[way] != but && set[way].age > oldest)
            oldest = set[way].age;
    for (unsigned way = 0; way < cache->ways; way++)
        if (&set[way] != but)
            set[way].age += 3 - oldest;
}

static void touch_with(struct private_cache *cache, struct private_copy *copy, unsigned age)
{
    copy->used = ++cache->uses;
    if (cache->policy == PRIVATE_TREE)
        tree_touch(tree_of(cache, copy->line), cache->ways,
                   (unsigned)(copy - set_of(cache, copy->line)));
    if (cache->policy != PRIVATE_QLRU)
        return;
    copy->age = age;
    make_older(cache, copy);
}

static void touch(struct private_cache *cache, struct private_copy *copy)
{
    touch_with(cache, copy, 0);
}

/* QLRU takes the highest empty way, the others the lowest. */
static struct private_copy *empty_way(const struct private_cache *cache, uint64_t line)
{
    struct private_copy *set = set_of(cache, line), *empty = NULL;

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].state == PRIVATE_I && (!empty || cache->policy == PRIVATE_QLRU))
            empty = &set[way];
    return empty;
}

static struct private_copy *victim_for(const struct private_cache *cache, uint64_t line)
{
    struct private_copy *set = set_of(cache, line), *victim = empty_way(cache, line);

    if (victim)
        return victim;
    if (cache->policy == PRIVATE_TREE)
        return &set[tree_victim(tree_of(cache, line), cache->ways)];
    victim = set;
    if (cache->policy == PRIVATE_QLRU)
        while (victim->age != 3)
            victim++;
    for (unsigned way = 0; way < cache->ways && cache->policy == PRIVATE_LRU; way++)
        if (set[way].used < victim->used)
            victim = &set[way];
    return victim;
}

/* Fills the line over the victim, and returns the victim. */
static struct private_copy fill(struct private_cache *cache, uint64_t line,
                                enum private_state state)
{
    struct private_copy *way = victim_for(cache, line);
    struct private_copy old = *way;

    way->line = line;
    way->state = state;
    touch_with(cache, way, 1);
    return old;
}

/* Touches an existing copy and gives it the state. Returns false if there is none. */
static bool update_copy(struct private_cache *cache, uint64_t line, enum private_state state)
{
    struct private_copy *copy = find(cache, line);

    if (copy == NULL)
        return false;
    copy->state = state;
    touch(cache, copy);
    return true;
}

/* ---- copies ---- */

/* The nearest level behind L1 that has the line; as many as there are: none has. */
static unsigned level_with(const struct privates *p, uint64_t line)
{
    unsigned k = 0;

    while (k < p->levels && !find(&p->level[k], line))
        k++;
    return k;
}

bool privates_levels_have(const struct privates *p, uint64_t line)
{
    return level_with(p, line) < p->levels;
}

bool privates_l1d_has(const struct privates *p, uint64_t line)
{
    return find(&p->l1d, line) != NULL;
}

bool privates_l1i_has(const struct privates *p, uint64_t line)
{
    return find(&p->l1i, line) != NULL;
}

bool privates_l2_has(const struct privates *p, uint64_t line)
{
    return find(&p->level[0], line) != NULL;
}

bool privates_have(const struct privates *p, uint64_t line)
{
    return find(&p->l1d, line) || find(&p->l1i, line) || privates_levels_have(p, line);
}

bool privates_have_modified(const struct privates *p, uint64_t line)
{
    bool modified = state_in(&p->l1d, line) == PRIVATE_M;

    for (unsigned k = 0; k < p->levels; k++)
        modified |= state_in(&p->level[k], line) == PRIVATE_M;
    return modified;
}

void privates_share(struct privates *p, uint64_t line)
{
    become(&p->l1d, line, PRIVATE_S);
    for (unsigned k = 0; k < p->levels; k++)
        become(&p->level[k], line, PRIVATE_S);
}

void privates_invalidate(struct privates *p, uint64_t line)
{
    become(&p->l1d, line, PRIVATE_I);
    become(&p->l1i, line, PRIVATE_I);
    for (unsigned k = 0; k < p->levels; k++)
        become(&p->level[k], line, PRIVATE_I);
}

/* ---- fills, and the write-backs that they cause ---- */

static bool is_exclusive(const struct privates *p, unsigned k)
{
    return p->inclusion[k] == BX_INCLUSION_EXCLUSIVE;
}

/* What a level's victim is in the caches in front of it, by the level's inclusion. Returns whether
 * one of them had it modified. */
static bool leave_front(struct privates *p, unsigned k, uint64_t line)
{
    bool modified = false, all = p->inclusion[k] == BX_INCLUSION_ALL;

    if (!all && p->inclusion[k] != BX_INCLUSION_MODIFIED)
        return false;
    for (unsigned i = 0; i <= k; i++) {
        struct private_cache *front = i < k ? &p->level[i] : &p->l1d;
        if (state_in(front, line) == PRIVATE_M)
            become(front, line, PRIVATE_E), modified = true;
        if (all)
            become(front, line, PRIVATE_I);
    }
    if (all)
        become(&p->l1i, line, PRIVATE_I);
    return modified;
}

static void take_victim(struct privates *p, unsigned k, struct private_copy victim);

static void fill_level(struct privates *p, unsigned k, uint64_t line, enum private_state state)
{
    struct private_copy victim = fill(&p->level[k], line, state);

    if (victim.state != PRIVATE_I && leave_front(p, k, victim.line))
        victim.state = PRIVATE_M;
    if (k == 0)
        p->counts->l2_fills++;
    if (k == 0 && victim.state == PRIVATE_M)
        p->counts->write_backs++;
    if (k + 1 < p->levels)
        take_victim(p, k + 1, victim);
    else if (victim.state == PRIVATE_M && p->write_backs == PRIVATE_WRITE_BACKS)
        abort();
    else if (victim.state == PRIVATE_M)
        p->write_back[p->write_backs++] =
            (struct private_write_back){victim.line, privates_l1d_has(p, victim.line)};
}

/* A level gets a victim of the cache in front of it. */
static void take_victim(struct privates *p, unsigned k, struct private_copy victim)
{
    bool has = find(&p->level[k], victim.line), modified = victim.state == PRIVATE_M;

    if (victim.state == PRIVATE_I)
        return;
    if (!has && (modified || is_exclusive(p, k)))
        fill_level(p, k, victim.line, victim.state);
    if (has && modified)
        become(&p->level[k], victim.line, PRIVATE_M);
}

/* Whether a level keeps a line that comes from behind it. */
static bool keeps(const struct privates *p, unsigned k, struct private_ask ask)
{
    return !is_exclusive(p, k) || (k == 0 && ask.kind == BX_FETCH && !find(&p->l1d, ask.line));
}

static void fill_l1d(struct privates *p, uint64_t line, enum private_state state)
{
    if (update_copy(&p->l1d, line, state))
        return;
    struct private_copy victim = fill(&p->l1d, line, state);
    p->counts->l1d_fills++;
    if (victim.state == PRIVATE_M)
        p->counts->l1d_write_backs++;
    take_victim(p, 0, victim);
}

/* The line comes from behind level n - 1, L3 before L2 before L1. Only L1D gets it modified, or L2
 * if L1I gets it. */
static void fill_from(struct privates *p, unsigned n, struct private_ask ask,
                      enum private_state state)
{
    while (n-- > 0) {
        enum private_state there = state;
        if (state == PRIVATE_M && ask.kind != BX_FETCH)
            there = PRIVATE_E;
        if (!keeps(p, n, ask))
            become(&p->level[n], ask.line, PRIVATE_I);
        else if (!update_copy(&p->level[n], ask.line, there))
            fill_level(p, n, ask.line, there);
    }
    if (ask.kind == BX_FETCH)
        fill(&p->l1i, ask.line, PRIVATE_E);
    else
        fill_l1d(p, ask.line, state);
}

void privates_fill(struct privates *p, struct private_ask ask, enum private_state granted)
{
    fill_from(p, p->levels, ask, granted);
}

void privates_fill_prefetch(struct privates *p, struct private_ask ask, enum private_state granted)
{
    for (unsigned k = p->levels; k-- > 0;)
        if (k == 0 || !is_exclusive(p, k))
            fill_level(p, k, ask.line, granted == PRIVATE_M ? PRIVATE_E : granted);
}

/* ---- instructions that steer caches ---- */

static bool own(const struct privates *p, uint64_t line)
{
    bool owned = state_in(&p->l1d, line) >= PRIVATE_E;

    for (unsigned k = 0; k < p->levels; k++)
        owned |= state_in(&p->level[k], line) >= PRIVATE_E;
    return owned;
}

bool privates_are_steered(const struct privates *p, enum steer how, uint64_t line)
{
    if (how == STEER_OWN)
        return own(p, line);
    return privates_l1d_has(p, line) || (how == STEER_SECOND && privates_have(p, line));
}

void privates_fill_steered(struct privates *p, enum steer how, uint64_t line,
                           enum private_state granted)
{
    enum private_state state = granted == PRIVATE_M ? PRIVATE_E : granted;
    bool l2_alone = p->levels == 1 && !is_exclusive(p, 0);

    if (how == STEER_OWN && privates_have(p, line)) {
        become(&p->l1d, line, PRIVATE_E);
        for (unsigned k = 0; k < p->levels; k++)
            become(&p->level[k], line, PRIVATE_E);
    } else if (how == STEER_T0 || !l2_alone) {
        privates_fill(p, (struct private_ask){BX_LOAD, line}, state);
    } else if (how == STEER_NTA) {
        fill_l1d(p, line, state);
    } else {
        fill_level(p, 0, line, state);
    }
}

/* ---- accesses ---- */

/* L1D has the line in E. The levels may have to have it, too. */
static bool may_modify(const struct privates *p, uint64_t line)
{
    for (unsigned k = 0; k < p->levels; k++)
        if (p->inclusion[k] == BX_INCLUSION_MODIFIED && state_in(&p->level[k], line) < PRIVATE_E)
            return false;
    return true;
}

bool privates_hit_l1(struct privates *p, struct private_ask ask)
{
    struct private_cache *l1 = ask.kind == BX_FETCH ? &p->l1i : &p->l1d;
    struct private_copy *copy = find(l1, ask.line);
    bool store = ask.kind == BX_STORE;

    if (!copy || (store && copy->state == PRIVATE_S) ||
        (store && copy->state == PRIVATE_E && !may_modify(p, ask.line)))
        return false;
    touch(l1, copy);
    if (store)
        copy->state = PRIVATE_M;
    return true;
}

int privates_level_for(const struct privates *p, struct private_ask ask)
{
    unsigned k = level_with(p, ask.line);
    bool store = ask.kind == BX_STORE;

    if (k == p->levels)
        return -1;
    if (store &&
        (state_in(&p->l1d, ask.line) == PRIVATE_S || state_in(&p->level[k], ask.line) == PRIVATE_S))
        return -1; /* it finds the line in S */
    if (store && find(&p->l1d, ask.line) && k == 0)
        return -1; /* L1D may not modify it, though L2 has it */
    return (int)k;
}

bool privates_hit_waits(const struct privates *p, struct private_ask ask)
{
    if (level_with(p, ask.line) > 0)
        return true; /* L3's hits */
    if (ask.kind == BX_FETCH)
        return false;
    if (is_exclusive(p, 0))
        return true;
    const struct private_copy *victim = victim_for(&p->l1d, ask.line);
    return victim->state == PRIVATE_M && !find(&p->level[0], victim->line);
}

void privates_take(struct privates *p, struct private_ask ask)
{
    unsigned k = level_with(p, ask.line);
    struct private_copy *copy = find(&p->level[k], ask.line);
    enum private_state state = copy->state;

    if (!keeps(p, k, ask)) {
        copy->state = PRIVATE_I;
    } else {
        touch(&p->level[k], copy);
        if (state == PRIVATE_M && p->moves_modified && ask.kind != BX_FETCH)
            copy->state = PRIVATE_E;
        else if (state == PRIVATE_M)
            state = PRIVATE_E;
    }
    fill_from(p, k, ask, ask.kind == BX_STORE ? PRIVATE_M : state);
}

/* ---- power-on ---- */

struct private_kind private_kind_of(const bx_model_shape *shape, unsigned own,
                                    struct private_kind kind)
{
    kind.inclusion[0] = shape->l2.inclusion ? shape->l2.inclusion : own;
    kind.inclusion[1] = shape->l3.inclusion ? shape->l3.inclusion : own;
    kind.l3.ways = shape->l3.ways ? shape->l3.ways : kind.l2.ways;
    kind.l3.sets = (unsigned)(shape->l3.bytes / 64 / kind.l3.ways);
    kind.l3.policy = kind.l2.policy;
    if (shape->l2.bytes) {
        kind.l2.ways = shape->l2.ways;
        kind.l2.sets = (unsigned)(shape->l2.bytes / 64 / kind.l2.ways);
    }
    return kind;
}

void private_trial(bx_model_shape *shape, uint64_t seed, const char *name)
{
    static const bx_model_cache l3[] = {{.bytes = 32 << 10, .ways = 4},
                                        {.bytes = 64 << 10, .ways = 8},
                                        {.bytes = 256 << 10, .ways = 4}};
    uint64_t n = seed;

    for (; *name; name++)
        n = n * 31 + (unsigned char)*name;
    n = n * 0x9e3779b97f4a7c15 >> 33; /* small seeds of a family differ in all that follows */

    shape->l2 = (bx_model_cache){0};
    if (n / 5 % 2)
        shape->l2 = (bx_model_cache){.bytes = 32 << 10, .ways = 8};
    shape->l2.inclusion = (uint32_t)(n / 3 % BX_INCLUSIONS);
    shape->times.l3_hit = 10 + n % 3;
    shape->times.l3_wait = 20;
    if (n % 5 < 2)
        return;
    shape->l3 = l3[n % 3];
    shape->l3.inclusion = (uint32_t)(n / 7 % BX_INCLUSIONS);
}

static struct private_cache new_cache(unsigned sets, unsigned ways, enum private_policy policy)
{
    struct private_cache cache = {.sets = sets, .ways = ways, .policy = policy};

    cache.copy = calloc((size_t)sets * ways, sizeof *cache.copy);
    cache.upper_next = calloc((size_t)sets * (ways - 1), sizeof *cache.upper_next);
    if (!cache.copy || !cache.upper_next)
        abort();
    for (size_t i = 0; i < (size_t)sets * ways; i++)
        cache.copy[i].age = 3;
    return cache;
}

static void free_cache(struct private_cache *cache)
{
    free(cache->copy);
    free(cache->upper_next);
}

void privates_new(struct privates *p, const struct private_kind *kind,
                  struct oracle_core_counts *counts)
{
    *p = (struct privates){
        .l1d = new_cache(kind->l1d.sets, kind->l1d.ways, kind->l1d.policy),
        .l1i = new_cache(kind->l1i.sets, kind->l1i.ways, kind->l1i.policy),
        .level = {new_cache(kind->l2.sets, kind->l2.ways, kind->l2.policy)},
        .levels = kind->l3.sets ? 2 : 1,
        .inclusion = {kind->inclusion[0], kind->inclusion[1]},
        .moves_modified = kind->moves_modified,
        .counts = counts,
    };
    if (kind->l3.sets)
        p->level[1] = new_cache(kind->l3.sets, kind->l3.ways, kind->l3.policy);
}

void privates_free(struct privates *p)
{
    free_cache(&p->l1d);
    free_cache(&p->l1i);
    for (unsigned k = 0; k < p->levels; k++)
        free_cache(&p->level[k]);
}
