/* QLRU (uops.info/cache.html, whose names are used here): each way has an age of two bits. They are
 * stored as two planes of bits, so that a whole set ages in a few operations: way w has bit w of
 * the low plane and bit w of the high plane. */
#include "model/part/replacement_state.h"

#include <stddef.h>

enum { OLDEST = 3 };

/* A name is H ‹age after a hit of age 3, of age 2› M ‹age after a fill› R ‹the way to replace›
 * U ‹how the set ages›. A hit of age 1 or 0 makes the age 0. A fill takes the lowest way of age 3;
 * R0 and R2 always find one, R1 otherwise takes the lowest way. R2 takes the highest empty way. */
struct bx_qlru {
    uint8_t hit[OLDEST + 1], fill;
    enum {
        U0, /* if no age is 3: all ages grow by 3 - the largest one */
        U1, /* the other ways' ages grow by 3 - the largest one of theirs */
        U2, /* if no age is 3: all ages grow by 1 */
    } update;
};

struct ages {
    uint32_t low, high;
};

static unsigned qlru_bits(unsigned ways)
{
    return 2 * ways;
}

static struct ages ages_of(const struct bx_replacement *r, const uint8_t *set)
{
    uint64_t state = bx_state_of(r, set);

    return (struct ages){(uint32_t)state & bx_all_ways(r),
                         (uint32_t)(state >> r->ways) & bx_all_ways(r)};
}

static void ages_put(const struct bx_replacement *r, uint8_t *set, struct ages a)
{
    bx_state_put(r, set, a.low | (uint64_t)a.high << r->ways);
}

static unsigned largest(struct ages a, uint32_t ways)
{
    return a.low & a.high & ways ? 3 : a.high & ways ? 2 : a.low & ways ? 1 : 0;
}

static struct ages older(struct ages a, uint32_t ways, unsigned by)
{
    if (by & 1) {
        a.high ^= a.low & ways;
        a.low ^= ways;
    }
    if (by & 2)
        a.high ^= ways;
    return a;
}

static struct ages with_age(struct ages a, unsigned way, unsigned age)
{
    uint32_t bit = UINT32_C(1) << way;

    a.low = (a.low & ~bit) | (age & 1) << way;
    a.high = (a.high & ~bit) | age >> 1 << way;
    return a;
}

static void qlru_power_on(const struct bx_replacement *r, uint8_t *set)
{
    ages_put(r, set, (struct ages){bx_all_ways(r), bx_all_ways(r)});
}

static void qlru_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    const struct bx_qlru *of = r->policy->qlru;
    struct ages a = ages_of(r, set);
    unsigned age = (a.low >> way & 1) + 2 * (a.high >> way & 1);
    uint32_t ways = bx_all_ways(r);

    a = with_age(a, way, fill ? of->fill : of->hit[age]);
    if (of->update == U1)
        ways &= ~(UINT32_C(1) << way);
    unsigned most = largest(a, ways);
    if (most != OLDEST)
        a = older(a, ways, of->update == U2 ? 1 : OLDEST - most);
    ages_put(r, set, a);
}

/* An empty way counts as old, so a set does not age before it is full. */
static void qlru_empty(const struct bx_replacement *r, uint8_t *set, unsigned way)
{
    ages_put(r, set, with_age(ages_of(r, set), way, OLDEST));
}

static unsigned qlru_victim(const struct bx_replacement *r, const uint8_t *set)
{
    struct ages a = ages_of(r, set);
    uint32_t oldest = a.low & a.high;

    return oldest ? (unsigned)__builtin_ctz(oldest) : 0;
}

#define FUNCTIONS                                                                                  \
    .bits = qlru_bits, .power_on = qlru_power_on, .use = qlru_use, .victim = qlru_victim

/* The last-level cache of client processors: docs/explanation/model-client.md. */
static const struct bx_qlru h11_m1_u0 = {.hit = {[2] = 1, [3] = 1}, .fill = 1, .update = U0};
const struct bx_policy bx_policy_qlru_h11_m1_r0_u0 = {
    .name = "QLRU_H11_M1_R0_U0", FUNCTIONS, .empty = qlru_empty, .qlru = &h11_m1_u0};

/* L2 from Skylake to Coffee Lake. An emptied way keeps its age: docs/explanation/model-client.md.
 */
static const struct bx_qlru h00_m1_u1 = {.fill = 1, .update = U1};
const struct bx_policy bx_policy_qlru_h00_m1_r2_u1 = {
    .name = "QLRU_H00_M1_R2_U1", FUNCTIONS, .takes_highest = true, .qlru = &h00_m1_u1};

/* Ivy Bridge's last-level cache. An emptied way keeps its age: docs/explanation/model-ivbep.md. */
static const struct bx_qlru h11_m1_u2 = {.hit = {[2] = 1, [3] = 1}, .fill = 1, .update = U2};
const struct bx_policy bx_policy_qlru_h11_m1_r1_u2 = {
    .name = "QLRU_H11_M1_R1_U2", FUNCTIONS, .qlru = &h11_m1_u2};
