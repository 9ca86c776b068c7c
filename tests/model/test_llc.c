/* The last-level cache: the slice of a line, and which line is replaced. */
#include "../cmocked.h"

#include "client_rig.h"

enum { LINE_BITS = 6, LLC_SETS = 64, WAYS = 16 };

/* Address bits of the two hash functions: Maurice et al., RAID 2015. The first list is printed
 * there; the second is from its mask 0x2eb5faa880. */
static const unsigned first_hash[] = {6,  10, 12, 14, 16, 17, 18, 20, 22, 24,
                                      25, 26, 27, 28, 30, 32, 33, 35, 36};
static const unsigned second_hash[] = {7,  11, 13, 15, 17, 19, 20, 21, 22, 23,
                                       24, 26, 28, 29, 31, 33, 34, 35, 37};

static bool has(const unsigned *list, size_t n, unsigned bit)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == bit)
            return true;
    return false;
}

#define HAS(list, bit) has(list, sizeof(list) / sizeof *(list), bit)

static uint64_t reads_of(const struct rig *r, unsigned slice)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < BX_MESI_STATES; s++)
        sum += rig_counts(r)->lookup[slice][BX_CLIENT_READ][s];
    return sum;
}

/* The slice that looks an address up. */
static unsigned slice_of(struct rig *r, uint64_t address)
{
    uint64_t before[BX_CLIENT_SLICES];
    unsigned slice = BX_CLIENT_SLICES;

    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        before[s] = reads_of(r, s);
    rig_wait(r, BX_AGENT_GT, BX_LOAD, address >> LINE_BITS, 0);
    for (unsigned s = 0; s < BX_CLIENT_SLICES; s++)
        if (reads_of(r, s) == before[s] + 1)
            slice = s;
    return slice;
}

static void test_hash_bits(void **state)
{
    (void)state;
    struct rig four = rig_new(1, 4, 8 << 20), two = rig_new(1, 2, 8 << 20);
    struct rig one = rig_new(1, 1, 8 << 20);

    for (unsigned bit = LINE_BITS; bit < 43; bit++) {
        uint64_t address = UINT64_C(1) << bit;
        unsigned first = HAS(first_hash, bit), second = HAS(second_hash, bit);
        assert_int_equal(slice_of(&four, address), first + 2 * second);
        assert_int_equal(slice_of(&two, address), first);
        assert_int_equal(slice_of(&one, address), 0);
    }
    /* Parities: the effects of two bits cancel out. */
    assert_int_equal(slice_of(&four, 1 << 6 | 1 << 10), 0);
    assert_int_equal(slice_of(&four, 1 << 6 | 1 << 7 | 1 << 10), 2);
    assert_int_equal(slice_of(&four, 1 << 17 | 1 << 7), 1);
    rig_free(&four);
    rig_free(&two);
    rig_free(&one);
}

/* McCalpin: in every aligned group with as many lines as slices, each slice has one line. */
static void test_groups_of_four(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 4, 8 << 20);
    uint64_t base = 0x123456780;

    for (unsigned i = 0; i < 500; i++, base = (base * 69069 + 0x40000) & 0x3ffffffff) {
        unsigned seen = 0;
        for (uint64_t line = 0; line < 4; line++)
            seen |= 1u << slice_of(&r, (base & ~UINT64_C(0xff)) + 64 * line);
        assert_int_equal(seen, 0xf);
    }
    rig_free(&r);
}

/* So each slice has 262144 of 2^20 consecutive lines. */
static void test_sweep(void **state)
{
    (void)state;
    static bx_access sweep[1 << 20];
    struct rig r = rig_new(1, 4, 8 << 20);

    for (uint64_t i = 0; i < 1 << 20; i++)
        sweep[i] = bx_access_make((UINT64_C(7) << 22) + i, BX_LOAD, 0, 15);
    rig_feed(&r, BX_AGENT_GT, sweep, 1 << 20);
    assert_true(bx_model_run(r.m, BX_NEVER));
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(reads_of(&r, s), 262144);
    rig_free(&r);
}

/* GT has no caches of its own, so each of its loads is an LLC lookup. */
static bool hits(struct rig *r, unsigned block)
{
    uint64_t misses = rig_lookups(r, BX_CLIENT_READ, BX_LINE_I);
    rig_wait(r, BX_AGENT_GT, BX_LOAD, (uint64_t)block * LLC_SETS + 5, 0);
    return rig_lookups(r, BX_CLIENT_READ, BX_LINE_I) == misses;
}

/* CacheQuery (README): a set of 12 ways gets blocks 0 to 11, then 12. Block 0 is replaced, and 1 to
 * 11 remain. The same holds with 16 ways. */
static void test_first_victim(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, LLC_SETS * WAYS * 64);

    for (unsigned block = 0; block <= 16; block++)
        assert_false(hits(&r, block));
    for (unsigned block = 1; block <= 16; block++)
        assert_true(hits(&r, block));
    assert_false(hits(&r, 0));
    rig_free(&r);
}

/* The policy as in nanoBench's cacheSim, one age at a time. */
struct set {
    int block[WAYS], age[WAYS]; /* block -1: empty */
};

static void update(struct set *s)
{
    int largest = 0;
    for (unsigned w = 0; w < WAYS; w++) {
        if (s->block[w] < 0)
            return;
        if (s->age[w] > largest)
            largest = s->age[w];
    }
    for (unsigned w = 0; w < WAYS; w++)
        s->age[w] += 3 - largest;
}

static bool plain_access(struct set *s, int block)
{
    static const int after_hit[4] = {0, 0, 1, 1};
    unsigned way = WAYS;

    for (unsigned w = 0; w < WAYS; w++)
        if (s->block[w] == block) {
            s->age[w] = after_hit[s->age[w]];
            update(s);
            return true;
        }
    for (unsigned w = WAYS; w-- > 0;)
        if (s->age[w] == 3)
            way = w;
    for (unsigned w = WAYS; w-- > 0;)
        if (s->block[w] < 0)
            way = w;
    assert_true(way < WAYS);
    s->block[way] = block;
    s->age[way] = 1;
    update(s);
    return false;
}

static void test_policy(void **state)
{
    (void)state;
    for (unsigned blocks = 14; blocks <= 40; blocks += 13) {
        struct rig r = rig_new(1, 1, LLC_SETS * WAYS * 64);
        struct set plain = {{0}, {0}};
        uint32_t random = blocks;
        for (unsigned w = 0; w < WAYS; w++)
            plain.block[w] = -1;
        for (unsigned i = 0; i < 4000; i++) {
            random = random * 1664525 + 1013904223;
            unsigned block = (random >> 16) % blocks;
            assert_int_equal(hits(&r, block), plain_access(&plain, (int)block));
        }
        rig_free(&r);
    }
}

/* Lines of different sets do not interfere: of 17 lines the last one is in the next set. */
static void test_sets(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, LLC_SETS * WAYS * 64);

    for (uint64_t i = 0; i < 16; i++)
        rig_wait(&r, BX_AGENT_GT, BX_LOAD, i * LLC_SETS, 0);
    rig_wait(&r, BX_AGENT_GT, BX_LOAD, 1, 0);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 17);
    for (uint64_t i = 0; i < 16; i++)
        rig_wait(&r, BX_AGENT_GT, BX_LOAD, i * LLC_SETS, 0);
    assert_int_equal(rig_lookups(&r, BX_CLIENT_READ, BX_LINE_I), 17);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_bits), cmocka_unit_test(test_groups_of_four),
        cmocka_unit_test(test_sweep),     cmocka_unit_test(test_first_victim),
        cmocka_unit_test(test_policy),    cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
