/* Fitting members into passes, against an exhaustive search on random sets, and cases worked out by
 * hand. */
#include "../cmocked.h"

#include "schedule/fit.h"

#include <string.h>

enum { MOST = 24, ALTERNATIVES = 4, COUNTERS = 4 };

/* A set of members, each with its alternatives. */
struct set {
    bx_member members[MOST];
    bx_requirement alternatives[MOST][ALTERNATIVES];
    size_t n;
};

static uint64_t random_of(uint64_t *x, uint64_t n)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (*x >> 33) % n;
}

/* ---- exhaustive search ---- */

static bool contents_agree(const bx_requirement *a, const bx_requirement *b)
{
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < b->n; j++)
            for (unsigned bit = 0; bit < 64; bit++) {
                uint64_t one = UINT64_C(1) << bit;
                if (a->reg[i].reg == b->reg[j].reg && a->reg[i].mask & one &&
                    b->reg[j].mask & one && (a->reg[i].value & one) != (b->reg[j].value & one))
                    return false;
            }
    return true;
}

static bool same_pass_agrees(const bx_member *a, const bx_member *b)
{
    if (a->box != b->box)
        return true;
    if (a->can && b->can && a->counter == b->counter)
        return false;
    return contents_agree(&a->alternative[a->chosen], &b->alternative[b->chosen]);
}

static bool agrees_with_earlier(const bx_member *m, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (m[i].group && m[i].group == m[j].group && m[i].pass != m[j].pass)
            return false;
        if (m[i].pass == m[j].pass && !same_pass_agrees(&m[i], &m[j]))
            return false;
    }
    return true;
}

/* Whether members from `i` on fit into so many passes; every pass, counter and place of each is
 * tried. */
static bool exhaustive(bx_member *m, size_t n, size_t i, unsigned passes)
{
    if (i == n)
        return true;
    for (m[i].pass = 0; m[i].pass < passes; m[i].pass++)
        for (m[i].counter = 0; m[i].counter < COUNTERS; m[i].counter++) {
            if (m[i].can ? !(m[i].can >> m[i].counter & 1) : m[i].counter > 0)
                continue;
            for (m[i].chosen = 0; m[i].chosen < m[i].alternatives; m[i].chosen++)
                if (agrees_with_earlier(m, i) && exhaustive(m, n, i + 1, passes))
                    return true;
        }
    return false;
}

static unsigned least_passes(const struct set *set)
{
    struct set copy = *set;
    for (unsigned passes = 1; passes <= set->n; passes++)
        if (exhaustive(copy.members, set->n, 0, passes))
            return passes;
    return 0;
}

/* ---- sets ---- */

static void assert_sound(const struct set *set, unsigned passes)
{
    bool used[MOST] = {0};
    for (size_t i = 0; i < set->n; i++) {
        const bx_member *m = &set->members[i];
        assert_true(m->pass < passes);
        assert_true(m->chosen < m->alternatives);
        if (m->can)
            assert_true(m->can >> m->counter & 1);
        assert_true(agrees_with_earlier(set->members, i));
        used[m->pass] = true;
    }
    for (unsigned p = 0; p < passes; p++)
        assert_true(used[p]);
}

static void link_alternatives(struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        set->members[i].alternative = set->alternatives[i];
}

/* Few registers with few bits, so that members often conflict: whole registers, halves, and two of
 * a kind with a common part, as real boxes have them. */
static bx_requirement random_requirement(uint64_t *x, unsigned place)
{
    bx_requirement c = {.n = (unsigned)random_of(x, 3)};
    for (unsigned i = 0; i < c.n; i++) {
        uint16_t reg = (uint16_t)(i + random_of(x, 2));
        uint64_t mask = random_of(x, 2) ? 3u << 2 * place : 0x300;
        c.reg[i] = (bx_regvalue){reg, random_of(x, 4) * (mask / 3) & mask, mask};
    }
    return c;
}

static void random_set(struct set *set, uint64_t *x, size_t n, unsigned boxes)
{
    *set = (struct set){.n = n};
    for (size_t i = 0; i < n; i++) {
        bx_member *m = &set->members[i];
        m->box = (uint16_t)random_of(x, boxes);
        m->can = random_of(x, 3) ? (1u << COUNTERS) - 1 : (uint32_t)random_of(x, 1u << COUNTERS);
        m->alternatives = (uint8_t)(1 + random_of(x, ALTERNATIVES));
        bx_requirement first = random_requirement(x, 0);
        for (unsigned j = 0; j < m->alternatives; j++) {
            set->alternatives[i][j] = first;
            for (unsigned k = 0; k < first.n; k++) {
                bx_regvalue *r = &set->alternatives[i][j].reg[k];
                if (r->mask < 0x100) { /* this part of it depends on the place */
                    r->value <<= 2 * j;
                    r->mask <<= 2 * j;
                }
            }
        }
    }
    link_alternatives(set);
}

/* Makes groups of two compatible members. */
static void random_groups(struct set *set, uint64_t *x)
{
    for (size_t i = 0; i + 1 < set->n; i += 2) {
        struct set two = {.members = {set->members[i], set->members[i + 1]}, .n = 2};
        if (random_of(x, 2) && exhaustive(two.members, 2, 0, 1))
            set->members[i].group = set->members[i + 1].group = (uint16_t)(i + 1);
    }
}

static void assert_least(struct set *set)
{
    unsigned least = least_passes(set), found = bx_fit(set->members, set->n);
    assert_int_equal(found, least);
    assert_sound(set, found);
}

/* ---- tests ---- */

static void nothing_takes_one_pass(void **state)
{
    (void)state;
    assert_int_equal(bx_fit(NULL, 0), 1);
}

static struct set two(bx_regvalue a, bx_regvalue b)
{
    struct set set = {.n = 2,
                      .members = {{.can = 3, .alternatives = 1}, {.can = 3, .alternatives = 1}},
                      .alternatives = {{{.reg = {a}, .n = 1}}, {{.reg = {b}, .n = 1}}}};
    return set;
}

static void same_contents_are_shared(void **state)
{
    (void)state;
    struct set set = two((bx_regvalue){7, 0x180, 0x1ff}, (bx_regvalue){7, 0x180, 0x1ff});
    link_alternatives(&set);
    assert_int_equal(bx_fit(set.members, 2), 1);
    assert_int_equal(set.members[0].counter, 0);
    assert_int_equal(set.members[1].counter, 1);
}

static void different_contents_are_multiplexed(void **state)
{
    (void)state;
    struct set set = two((bx_regvalue){7, 0x180, 0x1ff}, (bx_regvalue){7, 0x182, 0x1ff});
    link_alternatives(&set);
    assert_int_equal(bx_fit(set.members, 2), 2);
    assert_int_equal(set.members[0].pass, 0);
    assert_int_equal(set.members[1].pass, 1);
    assert_int_equal(set.members[1].counter, 0);
}

static void halves_of_a_register(void **state)
{
    (void)state;
    struct set set = two((bx_regvalue){7, 0x12, 0xff}, (bx_regvalue){7, 0x3400, 0xff00});
    link_alternatives(&set);
    assert_int_equal(bx_fit(set.members, 2), 1);
}

/* Two events have two equal places: the second event takes the free place. A third event needs
 * another pass, unless it requires the same as the first. */
static void equal_places(void **state)
{
    (void)state;
    struct set set = {.n = 4};
    static const uint64_t contents[] = {1, 2, 3, 1};
    for (size_t i = 0; i < set.n; i++) {
        set.members[i] = (bx_member){.can = 15, .alternatives = 2};
        for (uint16_t place = 0; place < 2; place++)
            set.alternatives[i][place] =
                (bx_requirement){.reg = {{place, contents[i], UINT32_MAX}}, .n = 1};
    }
    link_alternatives(&set);
    assert_int_equal(bx_fit(set.members, set.n), 2);
    static const uint8_t places[] = {0, 1, 0, 0}, passes[] = {0, 0, 1, 0};
    for (size_t i = 0; i < set.n; i++) {
        assert_int_equal(set.members[i].chosen, places[i]);
        assert_int_equal(set.members[i].pass, passes[i]);
    }
}

/* A crown: each of three members conflicts with two of another three. If compatible pairs come one
 * after the other, first fit needs a pass for each pair. But the three members of one side are
 * compatible with each other. */
static void first_fit_is_not_enough(void **state)
{
    (void)state;
    struct set set = {.n = 6};
    for (uint16_t i = 0; i < set.n; i++) {
        bool upper = i % 2 == 0;
        unsigned row = i / 2;
        set.members[i] = (bx_member){.can = 0, .alternatives = 1};
        for (unsigned other = 0; other < 3; other++) {
            uint16_t reg = (uint16_t)(upper ? 3 * row + other : 3 * other + row);
            if (other != row)
                set.alternatives[i][0].reg[set.alternatives[i][0].n++] =
                    (bx_regvalue){reg, upper, 1};
        }
    }
    link_alternatives(&set);
    assert_int_equal(bx_fit_within(set.members, set.n, 0), 3);
    assert_int_equal(bx_fit(set.members, set.n), 2);
    assert_sound(&set, 2);
}

static void a_group_stays_together(void **state)
{
    (void)state;
    /* One counter in each box. The group spans two boxes, and each box has another member before
     * it. */
    struct set set = {.n = 4,
                      .members = {{.can = 1, .alternatives = 1, .box = 0},
                                  {.can = 1, .alternatives = 1, .box = 0, .group = 9},
                                  {.can = 1, .alternatives = 1, .box = 1, .group = 9},
                                  {.can = 1, .alternatives = 1, .box = 1}}};
    link_alternatives(&set);
    assert_int_equal(bx_fit(set.members, set.n), 2);
    assert_sound(&set, 2);
    assert_int_equal(set.members[1].pass, set.members[2].pass);
}

static void least_passes_of_random_sets(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (unsigned round = 0; round < 3000; round++) {
        struct set set;
        random_set(&set, &x, 1 + random_of(&x, 5), 1);
        assert_least(&set);
    }
}

static void least_passes_with_groups_and_boxes(void **state)
{
    (void)state;
    uint64_t x = 2;
    for (unsigned round = 0; round < 1500; round++) {
        struct set set;
        random_set(&set, &x, 2 + random_of(&x, 4), 1 + (unsigned)random_of(&x, 2));
        random_groups(&set, &x);
        assert_least(&set);
    }
}

/* Sets that are too large for an exhaustive search: the result must be valid, and no worse than
 * first fit. */
static void large_sets_are_sound(void **state)
{
    (void)state;
    uint64_t x = 3;
    for (unsigned round = 0; round < 60; round++) {
        struct set set;
        random_set(&set, &x, MOST, 1 + (unsigned)random_of(&x, 2));
        random_groups(&set, &x);
        struct set greedy = set;
        link_alternatives(&greedy);
        unsigned first = bx_fit_within(greedy.members, MOST, 0);
        assert_sound(&greedy, first);
        unsigned found = bx_fit(set.members, MOST);
        assert_true(found <= first);
        assert_sound(&set, found);
    }
}

/* Many members of few kinds. Members of one kind that need no counter share a pass. If they need a
 * counter, four of a kind fit a pass, and they are in order. */
static void many_equal_members(void **state)
{
    (void)state;
    enum { MANY = 3000, KINDS = 3 };
    static bx_member members[MANY];
    static bx_requirement kinds[KINDS];
    for (uint16_t i = 0; i < KINDS; i++)
        kinds[i] = (bx_requirement){.reg = {{7, i, 3}}, .n = 1};
    for (unsigned needs_counter = 0; needs_counter < 2; needs_counter++) {
        for (size_t i = 0; i < MANY; i++)
            members[i] = (bx_member){
                .alternative = &kinds[i % KINDS], .alternatives = 1, .can = needs_counter ? 15 : 0};
        assert_int_equal(bx_fit(members, MANY), needs_counter ? MANY / 4 : KINDS);
        for (size_t i = 0; i < MANY; i++) {
            size_t of_kind = needs_counter ? i / KINDS : 0;
            assert_int_equal(members[i].pass, of_kind / 4 * KINDS + i % KINDS);
            assert_int_equal(members[i].counter, of_kind % 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_takes_one_pass),
        cmocka_unit_test(same_contents_are_shared),
        cmocka_unit_test(different_contents_are_multiplexed),
        cmocka_unit_test(halves_of_a_register),
        cmocka_unit_test(equal_places),
        cmocka_unit_test(first_fit_is_not_enough),
        cmocka_unit_test(a_group_stays_together),
        cmocka_unit_test(least_passes_of_random_sets),
        cmocka_unit_test(least_passes_with_groups_and_boxes),
        cmocka_unit_test(large_sets_are_sound),
        cmocka_unit_test(many_equal_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
