/* Random accesses and signals on the two counters of a P6, played on the virtual PMU and on a plain
 * reference that goes cycle by cycle: the shared enable, privilege levels, sign-extended writes,
 * interrupts and RDPMC. Addresses and bits as in test_p6_counters.c. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"
#include "../dice.h"
#include "raised.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 150, STEPS = 1500, PMIS = 4096 };

#define SELECT ((BIT(21) - 1) | BIT(23) | (uint64_t)0xff << 24)
#define EN     BIT(22)
#define WRAP   WIDTH(40)

struct pair {
    struct bench b;
    uint64_t seed, now, control[2], count[2];
    bool high[2];
    struct raised raised;
    unsigned pmis;
    uint64_t pmi[PMIS];
};

static unsigned below(struct pair *p, unsigned n)
{
    return dice_below(&p->seed, n);
}

static unsigned levels(uint64_t control)
{
    return (control & BIT(17) ? BX_LEVEL_OS : 0) | (control & BIT(16) ? BX_LEVEL_USER : 0);
}

static bool counts(struct pair *p, unsigned i)
{
    return p->control[0] & EN && levels(p->control[i]);
}

/* What a counter sees is up to its control. */
static bool sees(const void *counter, const bx_selection *what)
{
    uint64_t control = *(const uint64_t *)counter;
    return what->code == (control & 0xff) && what->umask == (control >> 8 & 0xff) &&
           (what->levels == 0 || what->levels & levels(control));
}

static uint32_t scripted(struct pair *p, unsigned i, uint64_t cycle)
{
    uint64_t control = p->control[i];
    struct script_source *source =
        script_find(&p->b.script, 0, 0, control & 0xff, control >> 8 & 0xff);
    return source ? script_level(source, cycle) : 0;
}

static uint32_t raised(struct pair *p, unsigned i)
{
    return raised_level(&p->raised, p->now, sees, &p->control[i]);
}

static bool condition(uint64_t control, uint32_t level)
{
    uint64_t threshold = control >> 24 & 0xff;
    if (threshold == 0)
        return level > 0;
    return control & BIT(23) ? level < threshold : level >= threshold;
}

static bool count_cycle(struct pair *p, unsigned i)
{
    uint64_t control = p->control[i];
    if (!counts(p, i))
        return false;
    uint32_t level = scripted(p, i, p->now) + raised(p, i);
    bool holds = condition(control, level);
    p->count[i] += control & BIT(18) ? holds && !p->high[i] : control >> 24 & 0xff ? holds : level;
    p->high[i] = holds;
    bool overflow = p->count[i] > WRAP;
    p->count[i] &= WRAP;
    return overflow && control & BIT(20);
}

static void pass(struct pair *p, unsigned cycles)
{
    for (unsigned n = 0; n < cycles; n++) {
        bool first = count_cycle(p, 0), second = count_cycle(p, 1);
        p->now++;
        if ((first || second) && p->pmis < PMIS)
            p->pmi[p->pmis++] = p->now;
    }
    script_pass(&p->b.script, cycles);
}

/* ---- registers ---- */

/* Bits of a control that say what the counter counts; INT and PC do not. */
static uint64_t mode(struct pair *p, unsigned i)
{
    return (p->control[i] & ~(EN | BIT(19) | BIT(20))) | (uint64_t)counts(p, i) << 40;
}

static bool write_select(struct pair *p, unsigned i, uint64_t value)
{
    uint64_t before[2] = {mode(p, 0), mode(p, 1)};
    if (value & ~(SELECT | EN))
        return false;
    p->control[i] = i ? value & ~EN : value;
    for (unsigned k = 0; k < 2; k++)
        p->high[k] = p->high[k] && mode(p, k) == before[k];
    return true;
}

static void write_both(struct pair *p, unsigned msr, uint64_t value)
{
    unsigned i = msr == 0x187 || msr == 0xc2;
    bool taken = true;
    if (msr >= 0x186)
        taken = write_select(p, i, value);
    else if (value & ~WRAP)
        taken = false;
    else
        p->count[i] = (uint64_t)(int64_t)(int32_t)(uint32_t)value & WRAP;
    assert_int_equal(wr(&p->b, 0, msr, value), taken ? 0 : 5);
}

static void check_all(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t value = 0;
        assert_int_equal(get(&p->b, 0x186 + i), p->control[i]);
        assert_int_equal(get(&p->b, 0xc1 + i), p->count[i]);
        assert_int_equal(bx_vpmu_rdpmc(p->b.v, 0, i, 3, true, BX_MODE_V86, &value), 0);
        assert_int_equal(value, p->count[i]);
    }
    assert_int_equal(p->b.pmis, p->pmis);
    for (unsigned i = 0; i < p->pmis; i++)
        assert_int_equal(p->b.pmi[i].time, p->pmi[i]);
}

/* ---- random steps ---- */

static uint64_t any_control(struct pair *p)
{
    return (uint64_t[]){0xc0, 0xf2e}[below(p, 2)] | (uint64_t)below(p, 16) << 16 |
           (below(p, 2) ? BIT(20) : 0) | (below(p, 6) ? EN : 0) | (below(p, 3) ? 0 : BIT(23)) |
           (uint64_t)(below(p, 2) ? below(p, 5) : 0) << 24;
}

static void write_any(struct pair *p)
{
    unsigned i = below(p, 2);
    switch (below(p, 8)) {
    case 0:
        write_both(p, (unsigned[]){0x186, 0x187, 0xc1, 0xc2}[below(p, 4)],
                   dice_next(&p->seed) >> below(p, 64));
        break;
    case 1:
    case 2:
        write_both(p, 0xc1 + i, UINT32_MAX - below(p, 40));
        break;
    default:
        write_both(p, 0x186 + i, any_control(p));
        break;
    }
}

static void raise_any(struct pair *p)
{
    bool other = below(p, 2);
    bx_selection what = {
        .code = other ? 0x2e : 0xc0,
        .umask = other ? 0xf : 0,
        .levels = (uint8_t)below(p, 3),
    };
    uint32_t level = below(p, 6);
    unsigned cycles = 1 + below(p, 14);
    bx_error e = {0};
    raised_add(&p->raised, &what, level, p->now, p->now + cycles);
    assert_int_equal(bx_vpmu_inject(p->b.v, &what, level, cycles, &e), BX_OK);
    pass(p, 3 + below(p, 12));
}

/* The signals that end now do not continue: as if the cycle before had been without them. */
static void fall_both(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++)
        if (raised_ends(&p->raised, p->now, sees, &p->control[i]))
            p->high[i] =
                p->high[i] && condition(p->control[i], scripted(p, i, p->now - 1) + raised(p, i));
    bx_vpmu_fall(p->b.v);
}

static void start(struct pair *p, unsigned round)
{
    memset(p, 0, sizeof(*p));
    p->seed = round;
    script_init(&p->b.script);
    script_scribble(script_add(&p->b.script, 0, 0, 0xc0, 0), &p->seed, 3, 4);
    bench_open(&p->b, "virtual:p6");
}

static void test_same_as_the_reference(void **state)
{
    (void)state;
    struct pair *p = malloc(sizeof(*p));
    assert_non_null(p);
    unsigned pmis = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        start(p, round);
        for (unsigned i = 0; i < STEPS; i++) {
            unsigned what = below(p, 10);
            if (what < 4)
                write_any(p);
            else if (what < 6)
                raise_any(p);
            else if (what == 6)
                fall_both(p);
            else
                pass(p, below(p, 9));
            if (i % 16 == 0)
                check_all(p);
        }
        check_all(p);
        pmis += p->pmis;
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
