/* Replacement policies, access by access, against plain references: LRU as a list, tree-PLRU as a
 * tree walked node by node, QLRU by the parts of its name (uops.info/cache.html, nanoBench), MRU as
 * a list of bits. */
#include "../cmocked.h"
#include "../dice.h"

#include "model/part/replacement.h"

#include <string.h>

enum { MOST = BX_WAYS_MOST, ACCESSES = 20000, NOTHING = -1 };

struct plain {
    const struct bx_policy *policy;
    int ways;
    int block[MOST]; /* NOTHING: the way is empty */
    int age[MOST];   /* by policy */
    unsigned tree, groups[3];
    int last_group;
    int clock;
};

static bool is(const struct plain *p, const char *name)
{
    return strcmp(p->policy->name, name) == 0;
}

static bool is_qlru(const struct plain *p)
{
    return strncmp(p->policy->name, "QLRU", 4) == 0;
}

/* Whether this file has the policy's rule. Of others it tests what holds for all policies. */
static bool is_known(const struct plain *p)
{
    return is(p, "LRU") || is(p, "PLRU") || is(p, "grouped_PLRU") || is(p, "MRU") || is_qlru(p);
}

/* A digit of a policy's name, such as that after "_M". */
static int digit(const struct plain *p, const char *after, int at)
{
    return strstr(p->policy->name, after)[strlen(after) + (size_t)at] - '0';
}

/* ---- trees: root 0, children 2i+1 and 2i+2, a bit of 1 points to the upper half ---- */

static int tree_victim(unsigned bits, int ways)
{
    int node = 0, way = 0;
    for (int half = ways / 2; half; half /= 2) {
        int upper = bits >> node & 1;
        way += upper * half;
        node = 2 * node + 1 + upper;
    }
    return way;
}

static unsigned tree_touch(unsigned bits, int way, int ways)
{
    int node = 0;
    for (int half = ways / 2; half; half /= 2) {
        int upper = way / half & 1;
        bits = (bits & ~(1u << node)) | (unsigned)(upper ^ 1) << node;
        node = 2 * node + 1 + upper;
    }
    return bits;
}

/* ---- the references ---- */

static int largest(const struct plain *p, int except)
{
    int most = 0;
    for (int way = 0; way < p->ways; way++)
        if (way != except && p->age[way] > most)
            most = p->age[way];
    return most;
}

static bool has_empty(const struct plain *p)
{
    for (int way = 0; way < p->ways; way++)
        if (p->block[way] == NOTHING)
            return true;
    return false;
}

static void qlru_use(struct plain *p, int way, bool fill)
{
    int was = p->age[way], update = digit(p, "_U", 0), except = update == 1 ? way : NOTHING;

    p->age[way] = fill ? digit(p, "_M", 0) : was >= 2 ? digit(p, "_H", 3 - was) : 0;
    if (update == 0 && has_empty(p))
        return;
    int most = largest(p, except);
    for (int other = 0; most < 3 && other < p->ways; other++)
        if (other != except)
            p->age[other] += update == 2 ? 1 : 3 - most;
}

static void mru_use(struct plain *p, int way)
{
    p->age[way] = 0;
    if (largest(p, NOTHING) == 0)
        for (int other = 0; other < p->ways; other++)
            p->age[other] = other != way;
}

static void plain_use(struct plain *p, int way, bool fill)
{
    if (!is_known(p))
        return;
    if (is(p, "PLRU")) {
        p->tree = tree_touch(p->tree, way, p->ways);
    } else if (is(p, "grouped_PLRU")) {
        p->last_group = way / 4;
        p->groups[way / 4] = tree_touch(p->groups[way / 4], way % 4, 4);
    } else if (is(p, "LRU")) {
        p->age[way] = ++p->clock;
    } else if (is(p, "MRU")) {
        mru_use(p, way);
    } else {
        qlru_use(p, way, fill);
    }
}

/* The first way, or the last one, of the largest or smallest age. */
static int first_of_age(const struct plain *p, int age)
{
    for (int way = 0; way < p->ways; way++)
        if (p->age[way] == age)
            return way;
    return 0;
}

static int plain_victim(const struct plain *p)
{
    int group = (p->last_group + 1) % 3, first = 0;

    if (is(p, "PLRU"))
        return tree_victim(p->tree, p->ways);
    if (is(p, "grouped_PLRU"))
        return 4 * group + tree_victim(p->groups[group], 4);
    if (!is(p, "LRU"))
        return first_of_age(p, is(p, "MRU") ? 1 : 3);
    for (int way = 0; way < p->ways; way++)
        first = p->age[way] < p->age[first] ? way : first;
    return first;
}

static int plain_way(const struct plain *p, int block)
{
    for (int way = 0; way < p->ways; way++)
        if (p->block[way] == block)
            return way;
    return NOTHING;
}

/* R2 takes the highest empty way. */
static int plain_choose(const struct plain *p)
{
    int lowest = plain_way(p, NOTHING), highest = lowest;

    if (lowest == NOTHING)
        return plain_victim(p);
    for (int way = 0; way < p->ways; way++)
        highest = p->block[way] == NOTHING ? way : highest;
    return is_qlru(p) && strstr(p->policy->name, "_R2") ? highest : lowest;
}

static void plain_begin(struct plain *p, const struct bx_policy *policy, int ways)
{
    *p = (struct plain){.policy = policy, .ways = ways};
    for (int way = 0; way < ways; way++) {
        p->block[way] = NOTHING;
        p->age[way] = is_qlru(p) ? 3 : is(p, "MRU");
    }
}

/* ---- comparison ---- */

static uint32_t empty_ways(const struct plain *p)
{
    uint32_t empty = 0;
    for (int way = 0; way < p->ways; way++)
        empty |= (uint32_t)(p->block[way] == NOTHING) << way;
    return empty;
}

static void empty_one(struct plain *p, const struct bx_replacement *r, uint8_t *set, int way)
{
    if (p->block[way] == NOTHING)
        return;
    p->block[way] = NOTHING;
    bx_replacement_empty(r, set, (unsigned)way);
}

static void compare(const struct bx_policy *policy, int ways)
{
    struct bx_replacement r;
    struct plain p;
    uint8_t set[2 * MOST + 1];
    uint64_t dice = (uint64_t)ways;

    assert_true(bx_replacement_make(&r, policy, (unsigned)ways));
    assert_in_range(r.bytes, 1, 2 * MOST);
    set[r.bytes] = 0x5a;
    plain_begin(&p, policy, ways);
    bx_replacement_power_on(&r, set);
    for (unsigned i = 0; i < ACCESSES; i++) {
        int block = (int)dice_below(&dice, (unsigned)ways + (unsigned)ways / 2 + 1);
        int way = plain_way(&p, block);
        bool fill = way == NOTHING;
        if (fill) {
            uint32_t empty = empty_ways(&p);
            way = (int)bx_replacement_choose(&r, set, empty);
            assert_in_range(way, 0, ways - 1);
            assert_true(!empty || empty >> way & 1);
            if (is_known(&p))
                assert_int_equal(way, plain_choose(&p));
            p.block[way] = block;
        }
        plain_use(&p, way, fill);
        bx_replacement_use(&r, set, (unsigned)way, fill);
        if (dice_below(&dice, 30) == 0)
            empty_one(&p, &r, set, (int)dice_below(&dice, (unsigned)ways));
    }
    assert_int_equal(set[r.bytes], 0x5a);
}

static void test_each(void **state)
{
    (void)state;
    const struct bx_policy *policy;
    unsigned sets = 0;

    for (unsigned i = 1; (policy = bx_policy_at(i)); i++)
        for (unsigned ways = 1; ways <= MOST; ways++)
            if (policy->bits(ways) != BX_NO_SUCH_SET) {
                compare(policy, (int)ways);
                sets += is_known(&(struct plain){.policy = policy});
            }
    /* of known policies: five of any number of ways, PLRU of powers of two, grouped PLRU of 12 */
    assert_int_equal(sets, 5 * MOST + 6 + 1);
}

/* What `settles` says: the filter in front of a cache relies on it. */
static void test_settles(void **state)
{
    (void)state;
    const struct bx_policy *policy;

    for (unsigned i = 1; (policy = bx_policy_at(i)); i++) {
        struct bx_replacement r;
        uint8_t set[MOST + 8], was[MOST + 8];
        uint64_t dice = i;
        bool changes = false;
        unsigned ways = bx_replacement_make(&r, policy, 8) ? 8 : 12;
        assert_true(bx_replacement_make(&r, policy, ways));
        bx_replacement_power_on(&r, set);
        for (unsigned n = 0; n < ACCESSES; n++) {
            unsigned way = dice_below(&dice, ways);
            bx_replacement_use(&r, set, way, dice_below(&dice, 2));
            memcpy(was, set, r.bytes);
            bx_replacement_use(&r, set, way, false);
            changes |= memcmp(was, set, r.bytes) != 0;
        }
        assert_int_equal(changes, !policy->settles);
    }
}

/* Four fills of an empty set: from way 3 down to way 0. The last one finds all others of age 1, and
 * makes them 3; so way 1 is the lowest of the oldest. A hit of way 1 (age 0) leaves 2 and 3 at
 * 3. */
static void test_l2_of_skylake(void **state)
{
    (void)state;
    struct bx_replacement r;
    uint8_t set;

    assert_true(bx_replacement_make(&r, &bx_policy_qlru_h00_m1_r2_u1, 4));
    bx_replacement_power_on(&r, &set);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(bx_replacement_choose(&r, &set, (1u << (4 - i)) - 1), 3 - i);
        bx_replacement_use(&r, &set, 3 - i, true);
    }
    assert_int_equal(bx_replacement_choose(&r, &set, 0), 1);
    bx_replacement_use(&r, &set, 1, false);
    assert_int_equal(bx_replacement_choose(&r, &set, 0), 2);
}

/* If the set is filled again and again, ways are replaced in the order of textbooks. */
static void test_tree_order(void **state)
{
    (void)state;
    static const unsigned order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    struct bx_replacement r;
    uint8_t set;

    assert_true(bx_replacement_make(&r, &bx_policy_plru, 8));
    bx_replacement_power_on(&r, &set);
    for (unsigned way = 0; way < 8; way++)
        bx_replacement_use(&r, &set, way, true);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(bx_replacement_choose(&r, &set, 0), order[i % 8]);
        bx_replacement_use(&r, &set, order[i % 8], true);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct bx_replacement r;

    uint64_t number;

    assert_true(bx_named_number(BX_STR("l2_policy"), BX_STR("lru"), &number));
    assert_ptr_equal(bx_policy_at(number), &bx_policy_lru);
    assert_true(bx_named_number(BX_STR("l2_policy"), BX_STR("QLRU_H00_M1_R2_U1"), &number));
    assert_ptr_equal(bx_policy_at(number), &bx_policy_qlru_h00_m1_r2_u1);
    assert_true(bx_named_number(BX_STR("l2_policy"), BX_STR("own"), &number));
    assert_int_equal(number, 0);
    assert_null(bx_policy_at(0));
    assert_false(bx_named_number(BX_STR("l2_policy"), BX_STR("QLRU"), &number));
    for (number = 1; bx_policy_at(number); number++)
        assert_string_equal(bx_policy_at(number)->name,
                            bx_named_value(BX_STR("l2_policy"), number));
    assert_null(bx_named_value(BX_STR("l2_policy"), number));
    assert_false(bx_replacement_make(&r, &bx_policy_plru, 12));
    assert_false(bx_replacement_make(&r, &bx_policy_lru, 0));
    assert_false(bx_replacement_make(&r, &bx_policy_lru, MOST + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),          cmocka_unit_test(test_settles),
        cmocka_unit_test(test_l2_of_skylake), cmocka_unit_test(test_tree_order),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
