/* Private caches of a core. Sizes, as keys of a machine string give them: a second pass over lines
 * that fit takes the time of hits, and impossible sizes are refused. Inclusion: what each level has
 * after a few accesses, worked out from docs/explanation/model.md, "Private caches". */
#include "../cmocked.h"

#include "rig.h"

#include "model/part/private_step.h"

#include <string.h>

enum { LINES = 6000, FIT_L1 = 1000, L2_WAIT = 8, KIB = 1024 };

static const struct bx_model_cache l2_of_512k = {512 * KIB, 8}, l1_of_64k = {64 * KIB, 16};

static bx_model_shape shape_of(const char *model)
{
    bool client = strcmp(model, "client") == 0;
    return (bx_model_shape){.packages = 1,
                            .cores = 1,
                            .slices = client,
                            .llc_bytes = client ? 2 << 20 : 0,
                            .hz = 1000000000};
}

/* The cycles of the second pass over so many lines, each access waiting for the one before. */
static uint64_t second_pass(const char *model, bx_model_shape shape, unsigned kind, unsigned lines)
{
    static bx_access pass[LINES];
    struct rig r = rig_of(model, shape);

    for (unsigned i = 0; i < lines; i++)
        pass[i] = bx_access_make(i, kind, BX_ACCESS_DEPENDENT, 0);
    rig_play(&r, 0, pass, lines);
    uint64_t cycles = rig_play(&r, 0, pass, lines);
    rig_free(&r);
    return cycles;
}

static void test_sizes(void **state)
{
    (void)state;
    static const char *const models[] = {"client", "ivbep", "nhmex"};

    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        const char *model = models[i];
        bx_model_shape own = shape_of(model), l2 = own, l1d = own, l1i = own;
        l2.l2 = l2_of_512k;
        l1d.l1d = l1i.l1i = l1_of_64k;
        assert_true(second_pass(model, own, BX_LOAD, LINES) > LINES * L2_WAIT);
        assert_int_equal(second_pass(model, l2, BX_LOAD, LINES), LINES * L2_WAIT);
        assert_true(second_pass(model, own, BX_LOAD, FIT_L1) > 0);
        assert_true(second_pass(model, l1i, BX_LOAD, FIT_L1) > 0);
        assert_int_equal(second_pass(model, l1d, BX_LOAD, FIT_L1), 0);
        assert_true(second_pass(model, l1d, BX_FETCH, FIT_L1) > 0);
        assert_int_equal(second_pass(model, l1i, BX_FETCH, FIT_L1), 0);
    }
}

/* A P6's own L2 has 512 KiB. */
static void test_p6(void **state)
{
    (void)state;
    bx_model_shape own = {.packages = 1, .cores = 1}, small = own, l1d = own;

    small.l2 = (struct bx_model_cache){128 * KIB, 4};
    l1d.l1d = l1_of_64k;
    assert_true(second_pass("p6", small, BX_LOAD, LINES) > second_pass("p6", own, BX_LOAD, LINES));
    assert_true(second_pass("p6", l1d, BX_LOAD, FIT_L1) < second_pass("p6", own, BX_LOAD, FIT_L1));
}

static void refuse(const char *model, bx_model_shape shape, const char *message)
{
    bx_error e = {0};

    assert_null(bx_model_new(model, &shape, &e));
    assert_int_equal(e.code, BX_BAD_INPUT);
    assert_string_equal(e.message, message);
    assert_true(*e.hint);
}

static void test_impossible(void **state)
{
    (void)state;
    bx_model_shape s = shape_of("client");

    s.l1d = (struct bx_model_cache){48 * KIB, 12};
    refuse("client", s, "L1D cannot have 12 ways: its replacement is PLRU");
    s.l1d = (struct bx_model_cache){2 * KIB, 1}; /* 32 sets */
    refuse("client", s, "L1D cannot have 2048 bytes in 1 ways");
    s = shape_of("client");
    s.l1i = (struct bx_model_cache){96 * KIB, 8};
    refuse("client", s, "L1I cannot have 98304 bytes in 8 ways");
    s = shape_of("client");
    s.l2 = (struct bx_model_cache){256 * KIB + 64, 4};
    refuse("client", s, "L2 cannot have 262208 bytes in 4 ways");
    s.l2 = (struct bx_model_cache){.ways = 3}; /* 256 KiB are the model's own */
    refuse("client", s, "L2 cannot have 262144 bytes in 3 ways");
    s = shape_of("ivbep");
    s.l2 = (struct bx_model_cache){512 * KIB, 32};
    refuse("ivbep", s, "L2 cannot have 524288 bytes in 32 ways");
    s.l2 = (struct bx_model_cache){384 * KIB, 12};
    s.measured_replacement = true;
    refuse("ivbep", s, "L2 cannot have 12 ways: its replacement is PLRU");
    refuse("nhmex", s, "L2 cannot have 12 ways: its replacement is PLRU");
    refuse("p6", (bx_model_shape){.packages = 1, .cores = 1, .l2 = {512 * KIB, 6}},
           "L2 cannot have 524288 bytes in 6 ways");
    s.measured_replacement = false; /* LRU has sets of 12 ways */
    bx_error e = {0};
    bx_model *m = bx_model_new("ivbep", &s, &e);
    assert_non_null(m);
    bx_model_free(m);
}

/* In front of L1 is a filter, which needs a policy that settles. */
static void test_policies_of_l1(void **state)
{
    (void)state;
    struct bx_core_caches caches;
    struct bx_core_caches_kind kind = {
        .line_bytes = 64,
        .own = {{32 * KIB, 8}, {32 * KIB, 8}, {256 * KIB, 8}},
        .policy = {&bx_policy_lru, &bx_policy_lru, &bx_policy_qlru_h11_m1_r1_u2},
    };
    bx_model_shape shape = {.packages = 1};
    bx_error e = {0};

    assert_int_equal(bx_core_caches_make(&caches, &kind, &shape, &e), BX_OK);
    kind.policy[BX_CORE_L1I] = &bx_policy_qlru_h11_m1_r1_u2;
    assert_int_equal(bx_core_caches_make(&caches, &kind, &shape, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "L1I cannot have the replacement QLRU_H11_M1_R1_U2");
}

/* ---- policies by key ---- */

/* The cycles of a second round over `lines` lines of one set, each access waiting for the one
 * before. L1D has one way of each set, so it serves none of them. */
static uint64_t second_round(const char *model, bx_model_shape shape, unsigned lines)
{
    bx_access round[32];

    shape.l1d = (struct bx_model_cache){4 * KIB, 1};
    for (unsigned i = 0; i < lines; i++)
        round[i] = bx_access_make((uint64_t)i * 64, BX_LOAD, BX_ACCESS_DEPENDENT, 1);
    struct rig r = rig_of(model, shape);
    rig_play(&r, 0, round, lines);
    uint64_t cycles = rig_play(&r, 0, round, lines);
    rig_free(&r);
    return cycles;
}

static uint32_t number_of(const char *policy)
{
    uint64_t number;

    assert_true(bx_named_number(BX_STR("l2_policy"), bx_str_of(policy), &number));
    return (uint32_t)number;
}

/* Of lines in a cycle that are one more than there are ways, LRU keeps none that is used again, MRU
 * most. */
static void test_policies_by_key(void **state)
{
    static const struct {
        const char *model;
        unsigned llc_ways;
    } of[] = {{"client", 16}, {"ivbep", 20}, {"nhmex", 24}, {"p6", 0}};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned ways = of[i].llc_ways;
        bx_model_shape s = {.packages = 1, .cores = 1, .slices = 1, .line_bytes = 64};
        s.llc_bytes = ways * 64 * 64;
        s.l2 = (struct bx_model_cache){16 * KIB, 4, .policy = number_of("LRU")}; /* 64 sets */
        uint64_t lru = second_round(of[i].model, s, 5);
        s.l2.policy = number_of("MRU");
        assert_true(second_round(of[i].model, s, 5) < lru);
        if (!ways)
            continue;
        s.llc_policy = number_of("LRU");
        lru = second_round(of[i].model, s, ways + 1);
        s.llc_policy = number_of("MRU");
        assert_true(second_round(of[i].model, s, ways + 1) < lru);
    }
    bx_model_shape s = shape_of("client");
    bx_error e = {0};
    s.l1d.policy = number_of("QLRU_H11_M1_R0_U0");
    assert_null(bx_model_new("client", &s, &e));
    assert_string_equal(e.message, "L1D cannot have the replacement QLRU_H11_M1_R0_U0");
    s = shape_of("ivbep");
    s.llc_policy = number_of("PLRU");
    e = (bx_error){0};
    assert_null(bx_model_new("ivbep", &s, &e));
    assert_string_equal(e.message, "the LLC cannot have 20 ways: its replacement is PLRU");
}

/* ---- inclusion ---- */

enum { L2_CYCLES = 3, L3_CYCLES = 5, A_SET = 64 /* lines that far apart share each set */ };

struct caches {
    struct bx_core_caches_kind kind;
    struct bx_core_caches made;
    struct bx_core_counts counts;
    bx_arena memory;
    struct bx_privates *p;
};

/* L1D has one way of 64 sets, and each level behind it `ways` of as many sets. l3: 0: there is
 * none. */
static void caches_new(struct caches *c, uint32_t l2, uint32_t ways, uint32_t l3)
{
    const bx_model_shape shape = {.packages = 1};
    const bx_model_times times = {
        .l2_hit = L2_CYCLES, .l2_wait = L2_CYCLES, .l3_hit = L3_CYCLES, .l3_wait = L3_CYCLES};
    bx_error e = {0};

    *c = (struct caches){
        .kind = {.line_bytes = 64,
                 .own = {{4 * KIB, 1, 0},
                         {4 * KIB, 1, 0},
                         {(uint64_t)ways * 4 * KIB, ways, l2},
                         {l3 ? (uint64_t)ways * 4 * KIB : 0, ways, l3}},
                 .policy = {&bx_policy_lru, &bx_policy_lru, &bx_policy_lru, &bx_policy_lru}}};
    assert_int_equal(bx_core_caches_make(&c->made, &c->kind, &shape, &e), BX_OK);
    c->p = bx_privates_new(&c->made, &times, &c->counts, &c->memory);
    assert_non_null(c->p);
}

/* Makes an access; a line that no cache has is granted in E or, for a store, M. Returns the
 * cycles, or BX_STEP_MISS. */
static int make_access(struct caches *c, unsigned kind, uint64_t line)
{
    bx_access a = bx_access_make(line, kind, 0, 0);
    int need = bx_privates_step(c->p, a, BX_NEVER, false);

    c->p->victims = 0;
    if (need == BX_STEP_AT_TURN)
        return (int)bx_privates_use_at_turn(c->p, a);
    if (need == BX_STEP_MISS)
        bx_privates_fill(c->p, a, kind == BX_STORE ? BX_LINE_M : BX_LINE_E);
    return need;
}

/* The states of a line in L1D, L2 and L3 are those. */
static void expect(const struct caches *c, uint64_t line, const char *states)
{
    const struct bx_cache *cache[] = {&c->p->l1d, &c->p->level[0], &c->p->level[1]};

    for (unsigned i = 0; states[i]; i++)
        assert_int_equal("ISEM"[bx_privates_state(cache[i], line)], states[i]);
}

/* The last access has made L2, or L3, lose this line. */
static void expect_victim(const struct caches *c, uint64_t line, bool dirty, bool in_l1d)
{
    assert_int_equal(c->p->victims, 1);
    assert_int_equal(c->p->victim[0].line, line);
    assert_int_equal(c->p->victim[0].dirty, dirty);
    assert_int_equal(c->p->victim[0].in_l1d, in_l1d);
}

/* A fetch of another line of the set takes the place of a modified line in L2, of one way. */
static void test_victims_of_l2(void **state)
{
    (void)state;
    struct caches c;

    caches_new(&c, BX_INCLUSION_NONE, 1, 0);
    make_access(&c, BX_STORE, 0);
    expect(&c, 0, "ME");
    make_access(&c, BX_FETCH, A_SET);
    expect(&c, 0, "MI");
    assert_int_equal(c.p->victims, 0); /* it was clean in L2 */
    make_access(&c, BX_LOAD, 2 * A_SET);
    expect(&c, 0, "IM"); /* L1D's victim is filled into L2 */
    assert_int_equal(c.counts.count[BX_CORE_L1D_WRITE_BACKS], 1);
    bx_arena_free(&c.memory);

    caches_new(&c, BX_INCLUSION_MODIFIED, 1, 0);
    make_access(&c, BX_STORE, 0);
    make_access(&c, BX_FETCH, A_SET);
    expect(&c, 0, "EI");
    expect_victim(&c, 0, true, true);
    assert_int_equal(make_access(&c, BX_LOAD, 0), 0);
    assert_int_equal(make_access(&c, BX_STORE, 0), BX_STEP_MISS);
    expect(&c, 0, "ME");
    bx_arena_free(&c.memory);

    caches_new(&c, BX_INCLUSION_ALL, 1, 0);
    make_access(&c, BX_STORE, 0);
    make_access(&c, BX_FETCH, A_SET);
    expect(&c, 0, "II");
    expect_victim(&c, 0, true, false);
    make_access(&c, BX_LOAD, 2 * A_SET);
    assert_int_equal(make_access(&c, BX_FETCH, A_SET), BX_STEP_MISS); /* L1I has lost it, too */
    bx_arena_free(&c.memory);
}

static void test_exclusive(void **state)
{
    (void)state;
    struct caches c;

    caches_new(&c, BX_INCLUSION_EXCLUSIVE, 1, 0);
    make_access(&c, BX_STORE, 0);
    expect(&c, 0, "MI");
    make_access(&c, BX_LOAD, A_SET);
    expect(&c, 0, "IM");
    expect(&c, A_SET, "EI");
    assert_int_equal(make_access(&c, BX_LOAD, 0), L2_CYCLES); /* both change places */
    expect(&c, 0, "MI");
    expect(&c, A_SET, "IE");
    assert_int_equal(make_access(&c, BX_LOAD, 2 * A_SET), BX_STEP_MISS);
    expect(&c, 0, "IM");
    make_access(&c, BX_LOAD, 3 * A_SET);
    expect_victim(&c, 0, true, false);
    assert_int_equal(make_access(&c, BX_FETCH, 3 * A_SET), BX_STEP_MISS); /* L1D has it */
    expect(&c, 3 * A_SET, "EI");
    make_access(&c, BX_FETCH, 4 * A_SET);
    expect(&c, 4 * A_SET, "IE");
    assert_int_equal(make_access(&c, BX_FETCH, 3 * A_SET), BX_STEP_MISS);
    assert_int_equal(make_access(&c, BX_FETCH, 4 * A_SET), L2_CYCLES);
    expect(&c, 4 * A_SET, "IE");
    bx_arena_free(&c.memory);
}

/* A third private level is data as well. */
static void test_third_level(void **state)
{
    (void)state;
    struct caches c;

    caches_new(&c, BX_INCLUSION_EXCLUSIVE, 1, BX_INCLUSION_EXCLUSIVE);
    make_access(&c, BX_STORE, 0);
    make_access(&c, BX_LOAD, A_SET);
    make_access(&c, BX_LOAD, 2 * A_SET);
    expect(&c, 0, "IIM");
    expect(&c, A_SET, "IEI");
    assert_int_equal(make_access(&c, BX_LOAD, 0), L3_CYCLES);
    expect(&c, 0, "MII");
    expect(&c, A_SET, "IIE");
    bx_arena_free(&c.memory);

    caches_new(&c, BX_INCLUSION_NONE, 2, BX_INCLUSION_ALL);
    make_access(&c, BX_STORE, 0);
    make_access(&c, BX_LOAD, A_SET);
    expect(&c, 0, "IME");
    make_access(&c, BX_LOAD, 2 * A_SET); /* L3 has two ways: line 0 leaves all levels */
    expect(&c, 0, "III");
    expect_victim(&c, 0, true, false);
    bx_privates_snoop(c.p, A_SET, true);
    expect(&c, A_SET, "III");
    bx_arena_free(&c.memory);
}

/* An exclusive L3 gives a modified line away to a fetch. L1I cannot have it modified, so L2 does:
 * no modification is lost. */
static void test_modified_code_of_l3(void **state)
{
    (void)state;
    struct caches c;

    caches_new(&c, BX_INCLUSION_NONE, 1, BX_INCLUSION_EXCLUSIVE);
    make_access(&c, BX_STORE, 0);
    expect(&c, 0, "MEI");
    make_access(&c, BX_LOAD, A_SET);
    expect(&c, 0, "IMI");
    make_access(&c, BX_LOAD, 2 * A_SET);
    expect(&c, 0, "IIM");
    assert_int_equal(make_access(&c, BX_FETCH, 0), L3_CYCLES);
    expect(&c, 0, "IMI");
    make_access(&c, BX_FETCH, A_SET);
    expect(&c, 0, "IIM");
    bx_arena_free(&c.memory);
}

/* A machine with a private L3, by its shape alone. Each access waits for the one before. L1D has 64
 * lines, L2 128, L3 1024; each has one way or, L3, two, so that a cycle of lines fits a level or
 * passes it by. A second pass over 128 lines hits L2, over 512 L3, over 2048 the LLC. */
static void test_l3_of_a_machine(void **state)
{
    (void)state;
    static const char *const models[] = {"client", "ivbep", "nhmex"};
    enum { L3_HIT = 7, L3_WAIT = 13, OF_L2 = 128, OF_L3 = 512, OF_LLC = 2048 };

    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        bx_model_shape s = shape_of(models[i]);
        s.l1d = (struct bx_model_cache){4 * KIB, 1};
        s.l1i = s.l1d;
        s.l2 = (struct bx_model_cache){8 * KIB, 1};
        uint64_t without = second_pass(models[i], s, BX_LOAD, OF_L3);
        s.l3 = (struct bx_model_cache){64 * KIB, 2, .policy = number_of("LRU")};
        s.times.l3_hit = L3_HIT;
        s.times.l3_wait = L3_WAIT;
        assert_int_equal(second_pass(models[i], s, BX_LOAD, OF_L2), OF_L2 * L2_WAIT);
        assert_int_equal(second_pass(models[i], s, BX_LOAD, OF_L3), OF_L3 * L3_WAIT);
        assert_int_equal(second_pass(models[i], s, BX_FETCH, OF_L3), OF_L3 * L3_WAIT);
        assert_true(without > OF_L3 * L3_WAIT);
        assert_true(second_pass(models[i], s, BX_LOAD, OF_LLC) > OF_LLC * L3_WAIT);
        s.l3.inclusion =
            BX_INCLUSION_EXCLUSIVE; /* L2 gives L3 its victims, and L3 its lines back */
        assert_int_equal(second_pass(models[i], s, BX_LOAD, OF_L3), OF_L3 * L3_WAIT);
        s.l3.ways = 3;
        refuse(models[i], s, "L3 cannot have 65536 bytes in 3 ways");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_p6),
        cmocka_unit_test(test_impossible),      cmocka_unit_test(test_policies_of_l1),
        cmocka_unit_test(test_policies_by_key), cmocka_unit_test(test_victims_of_l2),
        cmocka_unit_test(test_exclusive),       cmocka_unit_test(test_third_level),
        cmocka_unit_test(test_l3_of_a_machine), cmocka_unit_test(test_modified_code_of_l3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
