/* Replacement in four ways: by hand, and access by access against a plain reference of the
 * published definition of QLRU_H00_M1_R2_U1 (uops.info/cache.html, nanoBench). */
#include "../cmocked.h"
#include "../dice.h"

#include "model/engine/policy4.h"

#include <stdbool.h>

enum { WAYS = 4, NOTHING = -1, BLOCKS = 9, ACCESSES = 200000 };

/* Four fills of an empty set: from way 3 down to way 0. The last one finds all others of age 1, and
 * makes them 3; so way 1 is the lowest of the oldest. A hit of way 1 (age 0) leaves 2 and 3 at 3.
 */
static void test_by_hand(void **state)
{
    (void)state;
    bx_policy4 p;
    bx_policy4_make_qlru(&p);
    uint8_t bits = p.first;

    for (unsigned i = 0; i < WAYS; i++) {
        unsigned empty = (1u << (WAYS - i)) - 1;
        assert_int_equal(p.empty[empty], WAYS - 1 - i);
        bits = p.fill[WAYS - 1 - i][bits];
    }
    assert_int_equal(bits, 3 << 6 | 3 << 4 | 3 << 2 | 1);
    assert_int_equal(p.victim[bits], 1);
    bits = p.hit[1][bits];
    assert_int_equal(bits, 3 << 6 | 3 << 4 | 0 << 2 | 1);
    assert_int_equal(p.victim[bits], 2);
}

/* ---- the reference ---- */

typedef struct reference {
    int block[WAYS];
    int age[WAYS];
} reference;

static int way_of(const int *in, int wanted, bool from_right)
{
    for (int i = 0; i < WAYS; i++) {
        int way = from_right ? WAYS - 1 - i : i;
        if (in[way] == wanted)
            return way;
    }
    return NOTHING;
}

/* Returns whether it hits. */
static bool access_block(reference *r, int block)
{
    int way = way_of(r->block, block, false), most = 0;
    bool hit = way != NOTHING;

    if (!hit) {
        way = way_of(r->block, NOTHING, true);
        if (way == NOTHING)
            way = way_of(r->age, 3, false);
        assert_int_not_equal(way, NOTHING);
        r->block[way] = block;
    }
    r->age[way] = hit ? 0 : 1;
    for (int i = 0; i < WAYS; i++)
        if (i != way && r->age[i] > most)
            most = r->age[i];
    for (int i = 0; i < WAYS; i++)
        if (i != way)
            r->age[i] += 3 - most;
    return hit;
}

/* ---- the tables, in use ---- */

typedef struct set {
    int block[WAYS];
    unsigned empty;
    uint8_t bits;
} set;

static bool access_set(const bx_policy4 *p, set *s, int block)
{
    int way = way_of(s->block, block, false);

    if (way != NOTHING) {
        s->bits = p->hit[way][s->bits];
        return true;
    }
    way = s->empty ? p->empty[s->empty] : p->victim[s->bits];
    s->block[way] = block;
    s->empty &= ~(1u << way);
    s->bits = p->fill[way][s->bits];
    return false;
}

static void flush(reference *r, set *s, int block)
{
    int way = way_of(r->block, block, false);

    if (way == NOTHING)
        return;
    r->block[way] = s->block[way] = NOTHING;
    s->empty |= 1u << way;
}

static void test_against_the_definition(void **state)
{
    (void)state;
    uint64_t dice = 1;
    reference r = {{NOTHING, NOTHING, NOTHING, NOTHING}, {3, 3, 3, 3}};
    set s = {{NOTHING, NOTHING, NOTHING, NOTHING}, 0xf, 0};
    bx_policy4 p;

    bx_policy4_make_qlru(&p);
    s.bits = p.first;
    for (unsigned i = 0; i < ACCESSES; i++) {
        int block = (int)dice_below(&dice, BLOCKS);
        if (dice_below(&dice, 20) == 0)
            flush(&r, &s, (int)dice_below(&dice, BLOCKS));
        assert_int_equal(access_set(&p, &s, block), access_block(&r, block));
        for (int way = 0; way < WAYS; way++)
            assert_int_equal(s.block[way], r.block[way]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_against_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
