/* Random accesses and signals on boxes of two Xeon 7500, played on the virtual PMUs and on a plain
 * reference that goes cycle by cycle. */
#include "../cmocked.h"

#include "../dice.h"
#include "nhmex_reference.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, STEPS = 1500, EVENTS = 3 };
#define WRAPS BIT(48)

struct pair {
    struct bench b;
    uint64_t seed;
    struct nhmex_reference r;
};

static unsigned below(struct pair *p, unsigned n)
{
    return dice_below(&p->seed, n);
}

static void pass(struct pair *p, unsigned cycles)
{
    ref_cycles(&p->r, cycles);
    script_pass(&p->b.script, cycles);
}

/* ---- registers ---- */

static void play(struct pair *p, unsigned package, unsigned msr, uint64_t value)
{
    set_on(&p->b, REF_CORES * package + below(p, REF_CORES), msr, value);
}

static uint64_t any_control(struct pair *p, const struct ref_counter *c);

static void write_counter(struct pair *p, unsigned package, struct ref_counter *c)
{
    uint64_t value;
    switch (below(p, 4)) {
    case 0:
        value = WRAPS - 1 - below(p, 60);
        value = c->is.box == M_BOX && below(p, 2) ? below(p, 30) : value;
        ref_set_count(c, value);
        play(p, package, c->is.value, value);
        break;
    case 1:
        c->overflowed = false;
        play(p, package, c->is.clear, BIT(c->is.bit));
        break;
    default:
        value = any_control(p, c);
        c->control = value & ~(c->is.box == S_BOX ? BIT(17) : 0);
        play(p, package, c->is.control, value);
        break;
    }
}

/* S-Box: the tally is set to 0 by the same write, after the rest of it. */
static void write_tally(struct pair *p, unsigned package, struct ref_counter *c)
{
    play(p, package, c->is.control, c->control | BIT(17));
    ref_reset_tally(&p->r, package, c);
}

static void write_shared(struct pair *p, unsigned package)
{
    static const unsigned contents[] = {0x100, 0x4000000};
    struct ref_package *k = &p->r.package[package];
    unsigned which = below(p, 2), port = below(p, 4), one = below(p, 2), other = below(p, 2);
    switch (below(p, 4)) {
    case 0:
        k->iperf[which][port] = contents[one];
        play(p, package, (which ? 0xe28 : 0xe08) + port, contents[one]);
        break;
    case 1:
        k->qlx[port] = 0x40 + one + (0x40 + other) * 256;
        play(p, package, 0xe2c + port, k->qlx[port]);
        break;
    case 2:
        k->dsp = (1 + one) << 7;
        play(p, package, 0xca5, k->dsp);
        break;
    default:
        k->fvc = (1 + one) << 11 | (1 + other) << 14;
        play(p, package, 0xcab, k->fvc);
        break;
    }
}

static void write_package(struct pair *p, unsigned package)
{
    struct ref_package *k = &p->r.package[package];
    static const unsigned boxes[] = {B_BOX, S_BOX, R_BOX, M_BOX};
    static const unsigned enables[] = {0xc20, 0xcc0, 0xe20, 0xca0};
    unsigned box = below(p, 4);
    uint64_t value = (below(p, 5) ? EN_ALL : 0) | (below(p, 8) ? 0 : RST_ALL) |
                     (below(p, 3) ? FRZ_ALL : 0) | (uint64_t)below(p, 4) << 1;
    switch (below(p, 4)) {
    case 0:
        value = PMI_SEEN | (below(p, 2) ? COND : 0);
        k->sticky &= ~value;
        play(p, package, U_OVF, value);
        break;
    case 1:
        k->enable[boxes[box]] = below(p, 4) ? 0xf : below(p, 16);
        play(p, package, enables[box], k->enable[boxes[box]]);
        break;
    default:
        ref_set_global(k, value);
        play(p, package, U_CTL, value);
        break;
    }
}

static void write_any(struct pair *p)
{
    struct ref_modes before;
    unsigned package = below(p, REF_PACKAGES), what = below(p, 10);
    struct ref_counter *c = &p->r.package[package].counter[below(p, REF_EACH)];
    ref_note(&p->r, &before);
    if (what < 6)
        write_counter(p, package, c);
    else if (what == 6 && c->is.box == S_BOX)
        write_tally(p, package, c);
    else if (what < 8)
        write_shared(p, package);
    else
        write_package(p, package);
    ref_retune(&p->r, &before);
}

/* ---- random steps ---- */

static const uint16_t s_codes[EVENTS][2] = {{0x07, 1}, {0x0d, 0}, {0x59, 3}};
static const uint16_t b_codes[4][EVENTS] = {{1, 4, 7}, {1, 4, 7}, {1, 4, 7}, {2, 6, 0xe}};

static uint64_t any_control(struct pair *p, const struct ref_counter *c)
{
    unsigned event = below(p, EVENTS);
    uint64_t on = below(p, 8) ? c->is.box == M_BOX ? 1 : c->is.on : 0;
    uint64_t control = on | (below(p, 2) ? c->is.pmi : 0);
    switch (c->is.box) {
    case S_BOX:
        return control | s_codes[event][0] | (uint64_t)s_codes[event][1] << 8 |
               (below(p, 3) ? 0 : BIT(18)) | (below(p, 3) ? 0 : BIT(23)) |
               (uint64_t)(below(p, 2) ? below(p, 5) : 0) << 24;
    case B_BOX:
        return control | (uint64_t)b_codes[c->is.index][event] << 1;
    case R_BOX:
        return control | (uint64_t)(6 * below(p, 4) + below(p, 4)) << 1;
    default:
        return control | (below(p, 3) ? BIT(6) : 0) | (uint64_t)below(p, 3) << 2 |
               (below(p, 3) ? (uint64_t)(event ? 0x0c + event : 0) << 9 : BIT(7)) |
               (below(p, 3) ? 0 : BIT(4)) | (below(p, 2) ? 0 : 3 << 19);
    }
}

static void raise_any(struct pair *p)
{
    unsigned package = below(p, REF_PACKAGES);
    const struct ref_counter *c = &p->r.package[package].counter[below(p, REF_EACH)];
    struct ref_mode m = ref_mode_of(&p->r.package[package], c);
    bx_selection what = {
        .box = (uint16_t)c->is.box,
        .package = (uint16_t)package,
        .unit = (uint16_t)c->is.unit,
        .counter = (uint16_t)c->is.index,
        .code = (uint16_t)m.code,
        .umask = m.umask,
        .port = (uint16_t)m.port,
    };
    uint32_t level = below(p, 6) ? below(p, 6) : below(p, 200);
    unsigned cycles = 1 + below(p, 14);
    bx_error e = {0};
    if (c->control == 0)
        return;
    if (m.gated && below(p, 2)) {
        what.code = (uint16_t)m.gate_code;
        what.umask = m.gate_umask;
    }
    raised_add(&p->r.raised, &what, level, p->r.now, p->r.now + cycles);
    assert_int_equal(bx_vpmu_inject(p->b.v, &what, level, cycles, &e), BX_OK);
    pass(p, 3 + below(p, 12));
}

/* ---- comparing ---- */

static void check_status(struct pair *p, unsigned package)
{
    const struct ref_package *k = &p->r.package[package];
    unsigned cpu = REF_CORES * package;
    uint64_t bits[W_BOX] = {0};
    for (unsigned i = 0; i < REF_EACH; i++)
        bits[k->counter[i].is.box] |= (uint64_t)k->counter[i].overflowed << k->counter[i].is.bit;
    uint64_t left = bits[B_BOX] | bits[M_BOX] ? BIT(16) : 0;
    uint64_t right = (bits[S_BOX] ? BIT(18) : 0) | (bits[R_BOX] ? BIT(19) : 0);
    assert_int_equal(get_on(&p->b, cpu, 0xc21), bits[B_BOX]);
    assert_int_equal(get_on(&p->b, cpu, 0xca1), bits[M_BOX]);
    assert_int_equal(get_on(&p->b, cpu, 0xcc1), bits[S_BOX]);
    assert_int_equal(get_on(&p->b, cpu, 0xe21), bits[R_BOX]);
    assert_int_equal(get_on(&p->b, cpu, 0xc43), left);
    assert_int_equal(get_on(&p->b, cpu, 0xcc3), right);
    assert_int_equal(get_on(&p->b, cpu, U_STATUS),
                     k->sticky | (left ? BIT(3) : 0) | (right ? BIT(2) : 0));
    assert_int_equal(get_on(&p->b, cpu, U_CTL), k->global);
}

static void check_all(struct pair *p)
{
    for (unsigned n = 0; n < REF_PACKAGES; n++) {
        for (unsigned i = 0; i < REF_EACH; i++) {
            const struct ref_counter *c = &p->r.package[n].counter[i];
            assert_int_equal(get_on(&p->b, REF_CORES * n, c->is.value), c->sum >> c->shift);
            assert_int_equal(get_on(&p->b, REF_CORES * n, c->is.control), c->control);
        }
        check_status(p, n);
    }
    assert_int_equal(p->b.pmis, p->r.pmis);
    for (unsigned i = 0; i < p->r.pmis; i++) {
        assert_int_equal(p->b.pmi[i].time, p->r.pmi[i].time);
        assert_int_equal(p->b.pmi[i].cpu, p->r.pmi[i].cpu);
    }
}

static void script(struct pair *p)
{
    static const uint16_t reported[][4] = {
        {S_BOX, 1, 0x07, 1},  {S_BOX, 1, 0x59, 3}, {B_BOX, 0, 4, 0},    {B_BOX, 0, 1, 0},
        {R_BOX, 1, 1, 0x100}, {R_BOX, 1, 2, 0x40}, {M_BOX, 0, 0x0d, 1}, {M_BOX, 0, 0x20, 1},
    };
    for (size_t i = 0; i < ARRAY(reported); i++) {
        struct script_source *source = script_add(&p->b.script, reported[i][0], reported[i][1],
                                                  reported[i][2], reported[i][3]);
        script_scribble(source, &p->seed, 9, 4);
        if (reported[i][0] == S_BOX) /* queues are levels, which are reported at once */
            source->style = below(p, 2) ? SCRIPT_OPEN : SCRIPT_RUNS;
    }
}

static void start(struct pair *p, unsigned round)
{
    static const struct {
        unsigned box, unit, n;
    } boxes[] = {{S_BOX, 1, 3}, {B_BOX, 0, 4}, {R_BOX, 1, 3}, {M_BOX, 0, 3}};
    memset(p, 0, sizeof(*p));
    p->seed = round;
    script_init(&p->b.script);
    script(p);
    p->r.script = &p->b.script;
    bench_open(&p->b, "virtual:nhmex,packages=2,cores=2,freeze=5");
    for (unsigned n = 0; n < REF_PACKAGES; n++) {
        unsigned at = 0;
        for (size_t k = 0; k < ARRAY(boxes); k++)
            for (unsigned i = 0; i < boxes[k].n; i++)
                p->r.package[n].counter[at++].is = nhmex_counter_of(boxes[k].box, boxes[k].unit, i);
    }
}

static void test_same_as_the_reference(void **state)
{
    (void)state;
    struct pair *p = malloc(sizeof(*p));
    assert_non_null(p);
    for (unsigned round = 0; round < ROUNDS; round++) {
        start(p, round);
        for (unsigned i = 0; i < STEPS && p->r.pmis + 100 < BENCH_PMIS; i++) {
            unsigned what = below(p, 10);
            if (what < 6)
                write_any(p);
            else if (what < 8)
                raise_any(p);
            else
                pass(p, below(p, 9));
            if (i % 8 == 0)
                check_all(p);
        }
        check_all(p);
        bench_close(&p->b);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
