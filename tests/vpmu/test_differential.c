/* Random register accesses, signals and time, played on the virtual PMUs and on a plain reference
 * that goes cycle by cycle: values, faults, interrupts and sleep must be the same throughout. */
#include "../cmocked.h"

#include "bench.h"
#include "../dice.h"
#include "reference.h"

#include <stdlib.h>

enum { ROUNDS = 200, STEPS = 1500 };

struct pair {
    struct bench b;
    struct reference r;
    uint64_t seed;
};

static uint64_t next(struct pair *p)
{
    return dice_next(&p->seed);
}

static unsigned below(struct pair *p, unsigned n)
{
    return dice_below(&p->seed, n);
}

/* Few codes, so that signals and selections often meet. */
static unsigned any_code(struct pair *p)
{
    return (unsigned[]){0x34, 0x34, 0x80}[below(p, 3)];
}

static unsigned any_umask(struct pair *p)
{
    return (unsigned[]){0x11, 0x88}[below(p, 2)];
}

static void scribble(struct pair *p, struct script_source *source, uint32_t most)
{
    unsigned longest = 1 + below(p, 12);
    script_scribble(source, &p->seed, longest, most);
}

static void write_script(struct pair *p)
{
    struct script *s = &p->b.script;
    script_init(s);
    for (uint16_t unit = 0; unit < 2; unit++)
        for (unsigned i = 0; i < 2; i++)
            scribble(p, script_add(s, BOX_CBO, unit, 0x34, i ? 0x88 : 0x11), 4);
    for (unsigned i = 0; i < 4; i++)
        scribble(p, script_add(s, BOX_ARB, 0, i & 1 ? 0x34 : 0x80, i & 2 ? 0x88 : 0x11), 36);
    script_hold(s, BOX_CLOCK, 0, 0, 0, 1)->style = SCRIPT_OPEN;
    for (unsigned i = 0; i < 3; i++) {
        struct script_source *source =
            script_add(s, BOX_IMC, 0, (uint16_t[]){0x5040, 0x5044, 0x5050}[i], 0);
        scribble(p, source, 3);
        source->sum = UINT32_MAX - below(p, 500);
    }
}

static unsigned any_msr(struct pair *p)
{
    static const unsigned msr[] = {0xe01, 0xe02, 0x394, 0x395, 0x396, 0x3b0, 0x3b1, 0x3b2, 0x3b3,
                                   0x700, 0x701, 0x706, 0x707, 0x710, 0x711, 0x716, 0x717, 0x720,
                                   0x721, 0x726, 0x727, 0x730, 0x731, 0x736, 0x737, 0x702, 0x740};
    return msr[below(p, sizeof(msr) / sizeof(*msr))];
}

static uint64_t any_control(struct pair *p)
{
    uint64_t value = any_code(p) | any_umask(p) << 8;
    value |= below(p, 8) ? UINT64_C(1) << 22 : 0;
    value |= below(p, 2) ? UINT64_C(1) << 20 : 0;
    value |= below(p, 3) ? 0 : UINT64_C(1) << 18;
    value |= below(p, 3) ? 0 : UINT64_C(1) << 23;
    return value | (uint64_t)(below(p, 2) ? below(p, 5) : 0) << 24;
}

/* What suits the register: controls that count, counters near their end; now and then noise. */
static uint64_t any_value(struct pair *p, unsigned msr)
{
    unsigned width = msr == 0x395 ? 48 : 44;
    if (below(p, 20) == 0)
        return next(p) >> below(p, 64);
    if (msr == 0xe01)
        return (below(p, 4) ? UINT64_C(1) << 29 : 0) | (uint64_t)below(p, 2) << 30 |
               (below(p, 3) ? 0 : UINT64_C(1) << 31) | below(p, 32);
    if (msr == 0xe02)
        return below(p, 4) | (uint64_t)below(p, 2) << 3;
    if (msr == 0x394)
        return (uint64_t)below(p, 2) << 22 | (uint64_t)below(p, 2) << 20;
    if (msr == 0x395 || (msr & 0xe) == 6 || (msr & 0xffe) == 0x3b0)
        return (UINT64_C(1) << width) - 1 - below(p, 60);
    return any_control(p);
}

static void check_register(struct pair *p, unsigned msr)
{
    uint64_t ours = 0, theirs = 0;
    bool known = ref_read(&p->r, msr, &theirs);
    assert_int_equal(rd(&p->b, below(p, REF_CORES), msr, &ours), known ? 0 : 5);
    if (ours != theirs)
        print_message("MSR 0x%x at cycle %llu\n", msr, (unsigned long long)p->r.now);
    assert_int_equal(ours, theirs);
}

static void check_all(struct pair *p)
{
    static const unsigned offset[5] = {0x5040, 0x5044, 0x5048, 0x5050, 0x5054};
    for (unsigned i = 0; i < REF_COUNTERS; i++) {
        check_register(p, p->r.counter[i].control_msr);
        check_register(p, p->r.counter[i].value_msr);
    }
    check_register(p, 0xe01);
    check_register(p, 0xe02);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(get_mem(&p->b, 0xfed10000 + offset[i], 32), p->r.imc[i]);
    for (unsigned core = 0; core < REF_CORES; core++)
        assert_int_equal(bx_vpmu_asleep(p->b.v, core), p->r.asleep[core]);
    assert_int_equal(p->b.pmis, p->r.pmis);
    for (unsigned i = 0; i < p->r.pmis; i++) {
        assert_int_equal(p->b.pmi[i].time, p->r.pmi[i].time);
        assert_int_equal(p->b.pmi[i].cpu, p->r.pmi[i].cpu);
    }
}

static void write_both(struct pair *p, unsigned msr, uint64_t value)
{
    bool taken = ref_write(&p->r, msr, value);
    assert_int_equal(wr(&p->b, below(p, REF_CORES), msr, value), taken ? 0 : 5);
}

static void inject_both(struct pair *p)
{
    bx_selection what = {
        .box = (uint16_t)(1 + below(p, 4)),
        .code = (uint16_t)any_code(p),
        .umask = any_umask(p),
    };
    uint32_t level = below(p, 6);
    unsigned cycles = 1 + below(p, 14);
    if (what.box == BOX_CBO)
        what.unit = (uint16_t)below(p, 4);
    if (what.box == BOX_IMC) {
        what.code = below(p, 2) ? 0x5048 : 0x5054;
        what.umask = 0;
    }
    bx_error e = {0};
    raised_add(&p->r.raised, &what, level, p->r.now, p->r.now + cycles);
    assert_int_equal(bx_vpmu_inject(p->b.v, &what, level, cycles, &e), BX_OK);
}

static void pass_both(struct pair *p, unsigned cycles)
{
    ref_pass(&p->r, cycles);
    script_pass(&p->b.script, cycles);
}

static void step(struct pair *p)
{
    unsigned msr = any_msr(p), core = below(p, REF_CORES);
    switch (below(p, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        write_both(p, msr, any_value(p, msr));
        break;
    case 4:
    case 5:
        check_register(p, msr);
        break;
    case 6:
        inject_both(p);
        pass_both(p, 3 + below(p, 12));
        break;
    case 7:
        ref_fall(&p->r);
        bx_vpmu_fall(p->b.v);
        break;
    case 8:
        p->r.asleep[core] = !p->r.asleep[core];
        bx_vpmu_sleep(p->b.v, core, p->r.asleep[core]);
        break;
    default:
        pass_both(p, below(p, 9));
        break;
    }
}

static void test_same_as_the_reference(void **state)
{
    (void)state;
    struct pair *p = malloc(sizeof(*p));
    assert_non_null(p);
    unsigned pmis = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        p->seed = round;
        write_script(p);
        ref_init(&p->r, &p->b.script);
        bench_open(&p->b, "virtual:skl");
        for (unsigned i = 0; i < STEPS; i++) {
            step(p);
            if (i % 16 == 0)
                check_all(p);
        }
        check_all(p);
        pmis += p->b.pmis;
        bench_close(&p->b);
    }
    free(p);
    assert_true(pmis > ROUNDS); /* the rounds did reach overflows */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
