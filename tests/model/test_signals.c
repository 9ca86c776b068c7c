/* The meaning of selections (docs/explanation/model-client.md, "Signals"), the possible machines,
 * and feeds. */
#include "../cmocked.h"

#include "client_rig.h"
#include "ear.h"

#include <string.h>

static bool produces(const struct rig *r, unsigned box, unsigned code, unsigned umask)
{
    bx_selection sel = {
        .box = (uint16_t)box, .unit = 77, .package = 9, .code = (uint16_t)code, .umask = umask};
    return bx_model_produces(r->m, &sel); /* wherever it is */
}

static uint64_t tally(const struct rig *r, unsigned box, unsigned unit, unsigned code,
                      unsigned umask)
{
    bx_selection sel = {
        .box = (uint16_t)box, .unit = (uint16_t)unit, .code = (uint16_t)code, .umask = umask};
    uint64_t sum;

    assert_true(r->s->tally(r->s, &sel, &sum));
    return sum;
}

/* Every event of 334060-001 tables 3-1 to 3-3, and further bits that libpfm4 and LIKWID know. */
static void test_produced(void **state)
{
    (void)state;
    static const unsigned lookups[] = {0x21, 0x81, 0x18, 0x88, 0x1f, 0x2f, 0x8f, 0x86, 0x16, 0x26};
    static const unsigned snoops[] = {0x81, 0x41, 0x44, 0x48, 0x21, 0x24, 0x28, 0x84, 0x88, 0xed};
    struct rig r = rig_new(4, 4, 8 << 20);

    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++)
        assert_true(produces(&r, BX_CLIENT_CBO, 0x34, lookups[i]));
    for (size_t i = 0; i < sizeof snoops / sizeof *snoops; i++)
        assert_true(produces(&r, BX_CLIENT_CBO, 0x22, snoops[i]));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x80, 0x01));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x80, 0x02));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x81, 0x01));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x81, 0x02));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x81, 0x20));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x81, 0x22));
    assert_true(produces(&r, BX_CLIENT_ARB, 0x84, 0x01));
    assert_true(produces(&r, BX_CLIENT_CLOCK, 0x00, 0x01));
    assert_true(produces(&r, BX_CLIENT_CLOCK, 0xff, 0x00));
    for (unsigned offset = 0x5040; offset <= 0x5054; offset += 4)
        assert_int_equal(produces(&r, BX_CLIENT_IMC, offset, 0), offset != 0x504c);
    rig_free(&r);
}

static void test_not_produced(void **state)
{
    (void)state;
    static const struct {
        unsigned box, code, umask;
    } none[] = {
        {BX_CLIENT_CBO, 0x22, 0x42},
        {BX_CLIENT_CBO, 0x22, 0x50},
        {BX_CLIENT_CBO, 0x22, 0x141},
        {BX_CLIENT_CBO, 0x34, 0x11f},
        {BX_CLIENT_CBO, 0x35, 0x01},
        {BX_CLIENT_CBO, 0x00, 0x00},
        {BX_CLIENT_ARB, 0x82, 0x01},
        {BX_CLIENT_ARB, 0x83, 0x01},
        {BX_CLIENT_ARB, 0x80, 0x20},
        {BX_CLIENT_ARB, 0x80, 0x00},
        {BX_CLIENT_ARB, 0x81, 0x00},
        {BX_CLIENT_ARB, 0x81, 0x04},
        {BX_CLIENT_ARB, 0x84, 0x02},
        {BX_CLIENT_ARB, 0x84, 0x00},
        {BX_CLIENT_IMC, 0x5041, 0},
        {BX_CLIENT_PACKAGE, 0x34, 0x1f},
        {17, 0x34, 0x1f},
    };
    struct rig r = rig_new(4, 4, 8 << 20);
    uint64_t sum = 42;

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        bx_selection sel = {
            .box = (uint16_t)none[i].box, .code = (uint16_t)none[i].code, .umask = none[i].umask};
        assert_false(bx_model_produces(r.m, &sel));
        assert_false(r.s->tally(r.s, &sel, &sum));
        assert_false(r.s->watch(r.s, 0, &sel));
    }
    assert_int_equal(sum, 42);
    rig_free(&r);
}

/* Units and packages that do not exist have no signals. */
static void test_units(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 2, 4 << 20);
    uint64_t sum;

    for (unsigned unit = 0; unit < 4; unit++) {
        bx_selection sel = {
            .box = BX_CLIENT_CBO, .unit = (uint16_t)unit, .code = 0x34, .umask = 0x8f};
        assert_int_equal(r.s->tally(r.s, &sel, &sum), unit < 2);
        sel.package = 1;
        assert_false(r.s->tally(r.s, &sel, &sum));
    }
    rig_free(&r);
}

/* The tables of watches grow to the highest number. */
static void test_numbers_of_watches(void **state)
{
    (void)state;
    static struct ear ear;
    struct rig r = rig_new(1, 1, 4 << 20);
    const bx_selection clock = {.box = BX_CLIENT_CLOCK};

    ear_open(&ear, &r);
    r.s->unwatch(r.s, 700); /* was never watched */
    for (unsigned id = 0; id < EAR_WATCHES; id += id < 3 ? 1 : 340)
        assert_true(r.s->watch(r.s, id, &clock));
    r.s->unwatch(r.s, 1);
    bx_model_idle(r.m, 10);
    for (unsigned id = 0; id < EAR_WATCHES; id++)
        ear_close(&ear, id, 10);
    assert_int_equal(ear.sum[0], 10);
    assert_int_equal(ear.sum[2], 10);
    assert_int_equal(ear.sum[343], 10);
    assert_int_equal(ear.sum[1023], 10);
    rig_free(&r);
}

/* Masks select parts of the matrix: counts with one line in each of the states. */
static void test_masks(void **state)
{
    (void)state;
    struct rig r = rig_new(4, 1, 8 << 20);

    rig_load(&r, 0, 1);                        /* READ I */
    rig_load(&r, 1, 1);                        /* READ E, XCORE HIT */
    rig_load(&r, 2, 1);                        /* READ S */
    rig_store(&r, 0, 2);                       /* READ I */
    rig_load(&r, 1, 2);                        /* READ E, XCORE HITM */
    rig_load(&r, 2, 2);                        /* READ M */
    rig_wait(&r, BX_AGENT_GT, BX_STORE, 2, 0); /* WRITE M, EXTERNAL HIT x 3 */
    rig_wait(&r, BX_AGENT_GT, BX_STORE, 3, 0); /* WRITE I */
    rig_wait(&r, BX_AGENT_IO, BX_LOAD, 4, 0);  /* EXTSNP I */
    rig_wait(&r, BX_AGENT_IO, BX_LOAD, 1, 0);  /* EXTSNP S */
    static const struct {
        unsigned code, umask, count;
    } row[] = {
        {0x34, 0x18, 2},  {0x34, 0x12, 2}, {0x34, 0x14, 1},  {0x34, 0x11, 1}, {0x34, 0x1f, 6},
        {0x34, 0x16, 3},  {0x34, 0x21, 1}, {0x34, 0x28, 1},  {0x34, 0x2f, 2}, {0x34, 0x48, 1},
        {0x34, 0x44, 1},  {0x34, 0x4f, 2}, {0x34, 0x8f, 10}, {0x34, 0x88, 4}, {0x34, 0x86, 4},
        {0x34, 0x9f, 10}, {0x34, 0x3f, 8}, {0x34, 0x0f, 0},  {0x34, 0xf0, 0}, {0x34, 0x00, 0},
        {0x22, 0x44, 1},  {0x22, 0x48, 1}, {0x22, 0x4d, 2},  {0x22, 0x24, 3}, {0x22, 0x6d, 5},
        {0x22, 0x41, 0},  {0x22, 0x0d, 0}, {0x22, 0x40, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(tally(&r, BX_CLIENT_CBO, 0, row[i].code, row[i].umask), row[i].count);
    /* ARB: a data read, an RFO and GT's write; IO's read is not counted. */
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x81, 0x01), 3);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x81, 0x02), 1);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x81, 0x20), 1);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x81, 0x22), 2);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x81, 0x23), 3);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x84, 0x01), 2);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x80, 0x02), 150);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x80, 0x01), 150 + 150 + 32);
    assert_int_equal(tally(&r, BX_CLIENT_ARB, 0, 0x80, 0x03), 150 + 150 + 32);
    assert_int_equal(tally(&r, BX_CLIENT_IMC, 0, 0x5040, 0), 1);
    assert_int_equal(tally(&r, BX_CLIENT_IMC, 0, 0x5044, 0), 2);
    assert_int_equal(tally(&r, BX_CLIENT_IMC, 0, 0x5048, 0), 1);
    assert_int_equal(tally(&r, BX_CLIENT_IMC, 0, 0x5050, 0), 3);
    assert_int_equal(tally(&r, BX_CLIENT_IMC, 0, 0x5054, 0), 1);
    assert_int_equal(tally(&r, BX_CLIENT_CLOCK, 0, 0xff, 0), rig_now(&r));
    rig_free(&r);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        bx_model_shape shape;
        const char *message, *hint;
    } bad[] = {
        {{2, 4, 4, 8 << 20}, "a client machine has no 2 packages", "1"},
        {{1, 0, 4, 8 << 20}, "a client machine has no 0 cores", "1 to 4"},
        {{1, 5, 4, 8 << 20}, "a client machine has no 5 cores", "1 to 4"},
        {{1, 4, 3, 6 << 20}, "a client machine of 4 cores has no 3 LLC slices", "1, 2 or 4"},
        {{1, 4, 0, 6 << 20}, "a client machine of 4 cores has no 0 LLC slices", "1, 2 or 4"},
        {{1, 4, 4, 6 << 20},
         "an LLC of 6291456 bytes cannot be built from 4 slices of 16 ways",
         "a slice has 64 to 1048576 sets, a power of two"},
        {{1, 4, 4, 128 << 10},
         "an LLC of 131072 bytes cannot be built from 4 slices of 16 ways",
         NULL},
        {{1, 4, 1, 0}, "an LLC of 0 bytes cannot be built from 1 slices of 16 ways", NULL},
        {{1, 4, 1, (1 << 20) + 64},
         "an LLC of 1048640 bytes cannot be built from 1 slices of 16 ways",
         NULL},
        {{1, 4, 1, UINT64_C(2) << 30},
         "an LLC of 2147483648 bytes cannot be built from 1 slices of 16 ways",
         NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bx_error e = {0};
        assert_null(bx_model_new("client", &bad[i].shape, &e));
        assert_int_equal(e.code, BX_BAD_INPUT);
        assert_string_equal(e.message, bad[i].message);
        if (bad[i].hint)
            assert_string_equal(e.hint, bad[i].hint);
        assert_null(bx_model_new("client", &bad[i].shape, NULL));
    }
    bx_error e = {0};
    bx_model_shape good = {1, 1, 1, 64 << 10};
    assert_null(bx_model_new("server", &good, &e));
    assert_int_equal(e.code, BX_NOT_FOUND);
    assert_string_equal(e.message, "there is no machine model 'server'");
    e = (bx_error){0};
    assert_null(bx_model_new("none", &good, &e));
    assert_string_equal(e.message, "no machine model imitates this CPU: it is not virtual");
    assert_null(bx_model_new(NULL, &good, NULL));
    bx_model_free(NULL);
    for (unsigned slices = 1; slices <= 4; slices *= 2) {
        struct rig r = rig_new(slices, slices, slices * (64 << 10));
        rig_free(&r);
    }
}

/* Agents that do not exist are ignored. */
static void test_no_such_agent(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 2, 4 << 20);
    bx_access a = bx_access_make(1, BX_LOAD, 0, 1);

    rig_feed(&r, 2, &a, 1);
    rig_feed(&r, 61, &a, 1);
    rig_feed(&r, 1000 % BX_AGENTS, &a, 1);
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_int_equal(bx_model_accesses(r.m), 0);
    assert_int_equal(rig_now(&r), 0);
    rig_free(&r);
}

/* Invalid records do no harm: lines beyond memory, kind 3, senseless flags. */
static void test_strange_records(void **state)
{
    (void)state;
    enum { N = 20000 };
    static bx_access access[3][N];
    struct rig r = rig_new(3, 1, 64 << 10);
    uint64_t random = 1;

    for (unsigned a = 0; a < 3; a++)
        for (unsigned i = 0; i < N; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            access[a][i] = random >> 4;
            if (i % 3 == 0) /* the largest line numbers, all of the highest tags */
                access[a][i] |= UINT64_C(0xffffffc000) << 16;
        }
    rig_feed(&r, 0, access[0], N);
    rig_feed(&r, 1, access[1], N);
    rig_feed(&r, BX_AGENT_GT, access[1], N);
    rig_feed(&r, BX_AGENT_IO, access[2], N);
    assert_true(bx_model_run(r.m, BX_NEVER));
    assert_int_equal(bx_model_accesses(r.m), 4 * N);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_produced),      cmocka_unit_test(test_not_produced),
        cmocka_unit_test(test_units),         cmocka_unit_test(test_numbers_of_watches),
        cmocka_unit_test(test_masks),         cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_no_such_agent), cmocka_unit_test(test_strange_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
