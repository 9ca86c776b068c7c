#include "model/private.h"

#include "model/plru.h"

#include <string.h>

enum { L2_CYCLES = 2, L2_CYCLES_DEPENDENT = 8 };

/* ---- the key filter ---- */

/* Index of an access's key: set | kind << 6. The set is in bits 21:16, the kind in bits 1:0; the
 * product puts the kind above the set as well. */
static inline unsigned key_of(bx_access a)
{
    return ((uint32_t)a & 0x3f0003) * 0x400001u >> 16;
}

static inline unsigned key_at(unsigned kind, unsigned set)
{
    return kind << BX_L1_SET_BITS | set;
}

static inline void set_data_keys(struct bx_core *c, unsigned set, uint32_t tag, unsigned state)
{
    c->key[key_at(BX_LOAD, set)] = tag;
    c->key[key_at(BX_STORE, set)] = state == BX_LINE_M ? tag : BX_NO_TAG;
}

static inline void drop_key(struct bx_core *c, unsigned kind, unsigned set, uint32_t tag)
{
    uint32_t *key = &c->key[key_at(kind, set)];
    if (*key == tag)
        *key = BX_NO_TAG;
}

/* ---- places ---- */

static inline unsigned l1_index(uint64_t line)
{
    return (unsigned)line & (BX_L1_SETS - 1);
}

static inline uint32_t l1_tag(uint64_t line)
{
    return (uint32_t)(line >> BX_L1_SET_BITS);
}

static inline struct bx_l2_set *l2_set(struct bx_core *c, uint64_t line)
{
    return &c->l2[line & (BX_L2_SETS - 1)];
}

static inline unsigned l2_match(const struct bx_l2_set *set, uint64_t line)
{
    return bx_match4(set->tag, (uint32_t)(line >> BX_L2_SET_BITS));
}

/* ---- fills ---- */

/* Takes the lowest invalid way, else the one that tree-PLRU points to. */
static inline unsigned l1_make_way(struct bx_l1_set *set)
{
    if (!set->invalid)
        return bx_plru8_victim(set->plru);
    unsigned way = bx_first_way(set->invalid);
    set->invalid &= (uint8_t)(set->invalid - 1);
    return way;
}

static inline void l1_put(struct bx_l1_set *set, unsigned way, uint32_t tag, unsigned state)
{
    set->tag[way] = tag;
    set->state[way] = (uint8_t)state;
    set->plru = bx_plru8_touch(set->plru, way);
}

static void l1i_fill(struct bx_core *c, uint64_t line)
{
    struct bx_l1_set *set = &c->l1i[l1_index(line)];

    l1_put(set, l1_make_way(set), l1_tag(line), BX_LINE_E);
    c->key[key_at(BX_FETCH, l1_index(line))] = l1_tag(line);
    c->has_code = true;
}

static void l2_fill(struct bx_core *c, uint64_t line, unsigned state, unsigned llc_way,
                    struct bx_spills *spills)
{
    struct bx_l2_set *set = l2_set(c, line);
    unsigned way;

    if (set->invalid) {
        way = bx_first_way(set->invalid);
        set->invalid &= (uint8_t)(set->invalid - 1);
    } else {
        way = bx_plru4_victim(set->plru);
        if (set->state[way] == BX_LINE_M)
            spills->of[spills->n++] = (struct bx_spill){
                (uint64_t)set->tag[way] << BX_L2_SET_BITS | (line & (BX_L2_SETS - 1)),
                set->llc_way[way]};
    }
    set->tag[way] = (uint32_t)(line >> BX_L2_SET_BITS);
    set->state[way] = (uint8_t)state;
    set->llc_way[way] = (uint8_t)llc_way;
    set->plru = bx_plru4_touch(set->plru, way);
}

/* A dirty victim of L1D goes to L2. */
static void l1d_victim_to_l2(struct bx_core *c, uint64_t line, struct bx_spills *spills)
{
    struct bx_l2_set *set = l2_set(c, line);
    unsigned found = l2_match(set, line);

    if (found)
        set->state[bx_first_way(found)] = BX_LINE_M;
    else
        l2_fill(c, line, BX_LINE_M, BX_LLC_WAY_UNKNOWN, spills);
}

static void l1d_fill(struct bx_core *c, uint64_t line, unsigned state, struct bx_spills *spills)
{
    unsigned index = l1_index(line);
    struct bx_l1_set *set = &c->l1d[index];
    bool full = !set->invalid;
    unsigned way = l1_make_way(set);
    uint32_t old = set->tag[way];
    bool dirty = full && set->state[way] == BX_LINE_M;

    l1_put(set, way, l1_tag(line), state);
    set_data_keys(c, index, l1_tag(line), state);
    if (dirty)
        l1d_victim_to_l2(c, (uint64_t)old << BX_L1_SET_BITS | index, spills);
}

/* ---- private accesses ---- */

unsigned bx_core_l2_hit(struct bx_core *c, bx_access a, struct bx_spills *spills)
{
    uint64_t line = bx_access_line(a);
    struct bx_l2_set *set = l2_set(c, line);
    unsigned way = bx_first_way(l2_match(set, line));
    unsigned kind = bx_access_kind(a);

    set->plru = bx_plru4_touch(set->plru, way);
    if (kind >= BX_FETCH) {
        l1i_fill(c, line);
    } else {
        unsigned state = kind == BX_STORE ? BX_LINE_M : set->state[way];
        if (set->state[way] == BX_LINE_M)
            set->state[way] = BX_LINE_E;
        l1d_fill(c, line, state, spills);
    }
    return a & BX_ACCESS_DEPENDENT ? L2_CYCLES_DEPENDENT : L2_CYCLES;
}

/* Whether a fill into L1D would drive out a dirty line that L2 does not have. */
static bool l1d_fill_spills(struct bx_core *c, uint64_t line)
{
    const struct bx_l1_set *set = &c->l1d[l1_index(line)];

    if (set->invalid)
        return false;
    unsigned way = bx_plru8_victim(set->plru);
    if (set->state[way] != BX_LINE_M)
        return false;
    uint64_t victim = (uint64_t)set->tag[way] << BX_L1_SET_BITS | l1_index(line);
    return !l2_match(l2_set(c, victim), victim);
}

/* An access that L1 does not have. Kept out of the hot loop. */
static __attribute__((noinline)) int step_l2(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    const struct bx_l2_set *set = l2_set(c, line);
    unsigned found = l2_match(set, line), kind = bx_access_kind(a);
    struct bx_spills none = {0};

    if (!found)
        return BX_STEP_MISS;
    if (kind == BX_STORE && set->state[bx_first_way(found)] == BX_LINE_S)
        return BX_STEP_MISS;
    if (kind < BX_FETCH && l1d_fill_spills(c, line))
        return BX_STEP_SPILL;
    return (int)bx_core_l2_hit(c, a, &none);
}

static int step_fetch(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    struct bx_l1_set *set = &c->l1i[l1_index(line)];
    unsigned found = bx_match8(set->tag, l1_tag(line));

    if (!found)
        return step_l2(c, a);
    set->plru = bx_plru8_touch(set->plru, bx_first_way(found));
    c->key[key_at(BX_FETCH, l1_index(line))] = l1_tag(line);
    return 0;
}

static inline int step(struct bx_core *c, bx_access a)
{
    uint64_t line = bx_access_line(a);
    unsigned index = l1_index(line), kind = bx_access_kind(a);
    struct bx_l1_set *set = &c->l1d[index];

    if (kind >= BX_FETCH)
        return step_fetch(c, a);
    unsigned found = bx_match8(set->tag, l1_tag(line));
    if (!found)
        return step_l2(c, a);
    unsigned way = bx_first_way(found);
    if (kind == BX_STORE) {
        if (set->state[way] == BX_LINE_S)
            return BX_STEP_MISS;
        set->state[way] = BX_LINE_M;
    }
    set->plru = bx_plru8_touch(set->plru, way);
    set_data_keys(c, index, l1_tag(line), set->state[way]);
    return 0;
}

int bx_core_step(struct bx_core *c, bx_access a)
{
    return step(c, a);
}

const bx_access *bx_core_run(struct bx_core *c, const bx_access *next, const bx_access *end,
                             uint64_t *clock, enum bx_step *why)
{
    uint64_t sixteenths = *clock << 4; /* an access has its cost in bits 15:4: no shift in the loop */

    for (; next < end; next++) {
        bx_access a = *next;
        sixteenths += a & 0xfff0;
        if (c->key[key_of(a)] == (uint32_t)(a >> (16 + BX_L1_SET_BITS)))
            continue;
        int cycles = step(c, a);
        if (cycles < 0) {
            *why = (enum bx_step)cycles;
            break;
        }
        sixteenths += (uint64_t)cycles << 4;
    }
    *clock = sixteenths >> 4;
    return next;
}

/* ---- what the uncore grants ---- */

/* A store's copies: kept where they are, with a new state, else filled. */
static void fill_store(struct bx_core *c, uint64_t line, unsigned llc_way, struct bx_spills *spills)
{
    struct bx_l2_set *l2 = l2_set(c, line);
    unsigned in_l2 = l2_match(l2, line);
    struct bx_l1_set *l1d = &c->l1d[l1_index(line)];
    unsigned in_l1d = bx_match8(l1d->tag, l1_tag(line));

    if (in_l2) {
        unsigned way = bx_first_way(in_l2);
        l2->state[way] = BX_LINE_E;
        l2->plru = bx_plru4_touch(l2->plru, way);
    } else {
        l2_fill(c, line, BX_LINE_E, llc_way, spills);
    }
    if (in_l1d) {
        l1_put(l1d, bx_first_way(in_l1d), l1_tag(line), BX_LINE_M);
        set_data_keys(c, l1_index(line), l1_tag(line), BX_LINE_M);
    } else {
        l1d_fill(c, line, BX_LINE_M, spills);
    }
}

void bx_core_fill(struct bx_core *c, bx_access a, enum bx_line_state state, unsigned llc_way,
                  struct bx_spills *spills)
{
    uint64_t line = bx_access_line(a);

    switch (bx_access_kind(a)) {
    case BX_LOAD: /* a load that missed has no copy in L1D or L2, a fetch none in L1I or L2 */
        l2_fill(c, line, state, llc_way, spills);
        l1d_fill(c, line, state, spills);
        break;
    case BX_STORE:
        fill_store(c, line, llc_way, spills);
        break;
    default:
        l2_fill(c, line, state, llc_way, spills);
        l1i_fill(c, line);
    }
}

/* ---- snoops ---- */

enum bx_response bx_core_share(struct bx_core *c, uint64_t line)
{
    unsigned index = l1_index(line), dirty = 0, l1d, l1i, l2;
    struct bx_l1_set *l1d_at = &c->l1d[index];
    struct bx_l2_set *l2_at = l2_set(c, line);

    l1d = bx_match8(l1d_at->tag, l1_tag(line));
    if (l1d) {
        uint8_t *state = &l1d_at->state[bx_first_way(l1d)];
        dirty |= *state == BX_LINE_M;
        *state = BX_LINE_S;
        drop_key(c, BX_STORE, index, l1_tag(line));
    }
    l2 = l2_match(l2_at, line);
    if (l2) {
        uint8_t *state = &l2_at->state[bx_first_way(l2)];
        dirty |= *state == BX_LINE_M;
        *state = BX_LINE_S;
    }
    l1i = c->has_code ? bx_match8(c->l1i[index].tag, l1_tag(line)) : 0;
    if (!(l1d | l2 | l1i))
        return BX_SNOOP_MISS;
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

static inline void l1_drop(struct bx_l1_set *set, unsigned found)
{
    set->tag[bx_first_way(found)] = BX_NO_TAG;
    set->invalid |= (uint8_t)found;
}

enum bx_response bx_core_lose(struct bx_core *c, uint64_t line)
{
    unsigned index = l1_index(line), dirty = 0, l1d, l1i = 0, l2;
    uint32_t tag = l1_tag(line);
    struct bx_l2_set *l2_at = l2_set(c, line);

    l1d = bx_match8(c->l1d[index].tag, tag);
    if (l1d) {
        dirty |= c->l1d[index].state[bx_first_way(l1d)] == BX_LINE_M;
        l1_drop(&c->l1d[index], l1d);
        drop_key(c, BX_LOAD, index, tag);
        drop_key(c, BX_STORE, index, tag);
    }
    l2 = l2_match(l2_at, line);
    if (l2) {
        unsigned way = bx_first_way(l2);
        dirty |= l2_at->state[way] == BX_LINE_M;
        l2_at->tag[way] = BX_NO_TAG;
        l2_at->invalid |= (uint8_t)l2;
    }
    if (c->has_code && (l1i = bx_match8(c->l1i[index].tag, tag)) != 0) {
        l1_drop(&c->l1i[index], l1i);
        drop_key(c, BX_FETCH, index, tag);
    }
    if (!(l1d | l2 | l1i))
        return BX_SNOOP_MISS;
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

/* ---- power-on ---- */

static void l1_power_on(struct bx_l1_set *set)
{
    memset(set->tag, 0xff, sizeof set->tag);
    set->invalid = 0xff;
}

void bx_core_power_on(struct bx_core *c)
{
    memset(c, 0, sizeof *c);
    memset(c->key, 0xff, sizeof c->key);
    for (unsigned i = 0; i < BX_L1_SETS; i++) {
        l1_power_on(&c->l1d[i]);
        l1_power_on(&c->l1i[i]);
    }
    for (unsigned i = 0; i < BX_L2_SETS; i++) {
        memset(c->l2[i].tag, 0xff, sizeof c->l2[i].tag);
        c->l2[i].invalid = 0xf;
    }
}
