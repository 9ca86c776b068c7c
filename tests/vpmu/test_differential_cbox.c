/* Random accesses and signals on the C-Boxes of two packages, played on the virtual PMUs and on a
 * plain reference that goes cycle by cycle: resets, freezes and filters included. Addresses and
 * bits as in test_cbox.c. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"
#include "../dice.h"
#include "raised.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 150, STEPS = 1500 };
enum { CBOX = 1, PACKAGES = 2, UNITS = 2, COUNTERS = 4 };
enum { GLOBAL = 0xc00, BASE = 0xd04, STRIDE = 0x20 };

#define SELECT (0xffff | BIT(17) | BIT(18) | BIT(19) | BIT(22) | (uint64_t)0xff << 24)
#define WRAP   WIDTH(44)

struct ref_box {
    bool frozen;
    uint64_t filter[2], control[COUNTERS], count[COUNTERS];
    bool high[COUNTERS];
};

/* A counter, by its indices. */
struct counter_ref {
    struct pair *p;
    unsigned package, unit, i;
};

struct pair {
    struct bench b;
    uint64_t seed, now, global[PACKAGES];
    struct ref_box box[PACKAGES][UNITS];
    struct raised raised;
};

static unsigned below(struct pair *p, unsigned n)
{
    return dice_below(&p->seed, n);
}

/* ---- what is selected, and which filters that has ---- */

enum { TID = 0xf, STATES = 0x7e0000, NIDS = 0xffff };
#define OPCODES (UINT64_C(0xdff) << 20) /* opc, nc and isoc */

static const struct select {
    unsigned code, umask;
    uint64_t filters[2];
} selects[] = {
    {0x34, 0x11, {STATES, 0}},         {0x34, 0x41, {STATES, NIDS}}, {0x35, 0x01, {0, OPCODES}},
    {0x35, 0x41, {0, OPCODES | NIDS}}, {0x35, 0x08, {0, 0}},         {0x35, 0x48, {0, NIDS}},
};
enum { SELECTS = sizeof(selects) / sizeof(*selects) };

/* Which bits of a filter the counter compares. */
static uint64_t compared(uint64_t control, unsigned filter)
{
    uint64_t bits = filter == 0 && control & BIT(19) ? TID : 0;
    for (unsigned i = 0; i < SELECTS; i++)
        if ((control & 0xff) == selects[i].code && (control >> 8 & 0xff) == selects[i].umask)
            return bits | selects[i].filters[filter];
    return 0;
}

static const uint64_t fields[2][4] = {{1, 0xe, STATES, 0},
                                      {NIDS, UINT64_C(0x1ff) << 20, BIT(30), BIT(31)}};

static bool field_passes(uint64_t filter, uint64_t key, uint64_t field, uint64_t keys)
{
    if (!(keys & field))
        return true;
    filter &= field;
    key &= field;
    if (field == STATES)
        return filter & key;
    if (field == NIDS)
        return filter == 0 || filter & key;
    return filter == key || (filter == 0 && field != 1 && field != 0xe);
}

static bool passes(const struct ref_box *box, uint64_t control, const bx_selection *what)
{
    for (unsigned f = 0; f < 2; f++)
        for (unsigned i = 0; i < 4; i++)
            if (!field_passes(box->filter[f], what->filter[f], fields[f][i],
                              compared(control, f) & what->applies[f]))
                return false;
    return true;
}

/* ---- counting ---- */

static bool counts(struct pair *p, unsigned package, const struct ref_box *box, unsigned i)
{
    return !(p->global[package] & BIT(31)) && !box->frozen && box->control[i] & BIT(22);
}

static bool sees(const void *counter, const bx_selection *what)
{
    const struct counter_ref *at = counter;
    const struct ref_box *box = &at->p->box[at->package][at->unit];
    uint64_t control = box->control[at->i];
    return what->package == at->package && what->unit == at->unit &&
           what->code == (control & 0xff) && what->umask == (control >> 8 & 0xff) &&
           passes(box, control, what);
}

static uint32_t raised(struct pair *p, unsigned package, unsigned unit, unsigned i)
{
    return raised_level(&p->raised, p->now, sees, &(struct counter_ref){p, package, unit, i});
}

/* The script is of package 0 alone. */
static uint32_t scripted(struct pair *p, unsigned package, unsigned unit, unsigned i,
                         uint64_t cycle)
{
    uint64_t control = p->box[package][unit].control[i];
    struct script_source *source =
        script_find(&p->b.script, CBOX, (uint16_t)unit, control & 0xff, control >> 8 & 0xff);
    return source && package == 0 ? script_level(source, cycle) : 0;
}

static bool condition(uint64_t control, uint32_t level)
{
    return level >= (control >> 24 & 0xff ? control >> 24 & 0xff : 1);
}

static void count_cycle(struct pair *p, unsigned package, unsigned unit)
{
    struct ref_box *box = &p->box[package][unit];
    for (unsigned i = 0; i < COUNTERS; i++) {
        if (!counts(p, package, box, i))
            continue;
        uint64_t control = box->control[i];
        uint32_t now = scripted(p, package, unit, i, p->now) + raised(p, package, unit, i);
        bool holds = condition(control, now);
        uint64_t add = control & BIT(18)      ? holds && !box->high[i]
                       : control >> 24 & 0xff ? holds
                                              : now;
        box->count[i] = (box->count[i] + add) & WRAP;
        box->high[i] = holds;
    }
}

static void pass(struct pair *p, unsigned cycles)
{
    for (unsigned n = 0; n < cycles; n++, p->now++)
        for (unsigned package = 0; package < PACKAGES; package++)
            for (unsigned unit = 0; unit < UNITS; unit++)
                count_cycle(p, package, unit);
    script_pass(&p->b.script, cycles);
}

/* ---- registers ---- */

/* What a counter counts: when it changes, the condition is taken as not having held before. */
struct mode {
    bool counting;
    uint64_t control, filter[2];
    uint64_t compared[2];
};

static struct mode mode_of(struct pair *p, unsigned package, unsigned unit, unsigned i)
{
    const struct ref_box *box = &p->box[package][unit];
    struct mode m;
    memset(&m, 0, sizeof(m));
    m.counting = counts(p, package, box, i);
    m.control = box->control[i] & ~(BIT(19) | BIT(22));
    for (unsigned f = 0; f < 2; f++) {
        m.compared[f] = compared(box->control[i], f);
        m.filter[f] = box->filter[f] & m.compared[f];
    }
    return m;
}

static void write_box_control(struct ref_box *box, uint64_t value)
{
    box->frozen = value & BIT(8);
    for (unsigned i = 0; i < COUNTERS; i++) {
        box->control[i] = value & 1 ? 0 : box->control[i];
        box->count[i] = value & 2 ? 0 : box->count[i];
    }
}

/* Register `at` of a box; false: it faults. */
static bool write_box(struct ref_box *box, unsigned at, uint64_t value)
{
    static const uint64_t filters[2] = {0x7e01ff, 0xfff0ffff};
    uint64_t bits = at == 0                  ? BIT(0) | BIT(1) | BIT(8) | BIT(16) | BIT(17)
                    : at >= 0xc && at < 0x10 ? SELECT
                    : at == 0x10             ? filters[0]
                    : at == 0x16             ? filters[1]
                                             : WRAP;
    if (value & ~bits)
        return false;
    if (at == 0) {
        write_box_control(box, value);
    } else if (at >= 0xc && at < 0x10) {
        box->control[at - 0xc] = value & ~BIT(17);
        box->count[at - 0xc] = value & BIT(17) ? 0 : box->count[at - 0xc];
    } else if (at == 0x10 || at == 0x16) {
        box->filter[at == 0x16] = value;
    } else {
        box->count[at - 0x12] = value;
    }
    return true;
}

static bool write_global(struct pair *p, unsigned package, uint64_t value)
{
    if (value & ~(uint64_t)0xe0007fff)
        return false;
    p->global[package] = value;
    return true;
}

static void write_both(struct pair *p, unsigned package, unsigned msr, uint64_t value)
{
    struct mode before[UNITS][COUNTERS];
    for (unsigned unit = 0; unit < UNITS; unit++)
        for (unsigned i = 0; i < COUNTERS; i++)
            before[unit][i] = mode_of(p, package, unit, i);
    bool taken = msr == GLOBAL ? write_global(p, package, value)
                               : write_box(&p->box[package][(msr - BASE) / STRIDE],
                                           (msr - BASE) % STRIDE, value);
    for (unsigned unit = 0; unit < UNITS; unit++)
        for (unsigned i = 0; i < COUNTERS; i++) {
            struct mode after = mode_of(p, package, unit, i);
            if (memcmp(&after, &before[unit][i], sizeof(after)) != 0)
                p->box[package][unit].high[i] = false;
        }
    assert_int_equal(wr(&p->b, 2 * package + below(p, 2), msr, value), taken ? 0 : 5);
}

static void check_all(struct pair *p)
{
    for (unsigned package = 0; package < PACKAGES; package++)
        for (unsigned unit = 0; unit < UNITS; unit++) {
            const struct ref_box *box = &p->box[package][unit];
            unsigned base = BASE + STRIDE * unit, cpu = 2 * package;
            assert_int_equal(get_on(&p->b, cpu, base), 0x30000 | (box->frozen ? BIT(8) : 0));
            assert_int_equal(get_on(&p->b, cpu, base + 0x10), box->filter[0]);
            assert_int_equal(get_on(&p->b, cpu, base + 0x16), box->filter[1]);
            for (unsigned i = 0; i < COUNTERS; i++) {
                assert_int_equal(get_on(&p->b, cpu, base + 0xc + i), box->control[i]);
                assert_int_equal(get_on(&p->b, cpu, base + 0x12 + i), box->count[i]);
            }
        }
}

/* ---- random steps ---- */

static uint64_t any_filter(struct pair *p, unsigned filter)
{
    if (filter == 0)
        return (uint64_t)below(p, 4) | (uint64_t)below(p, 4) << 17;
    return (uint64_t)below(p, 4) | (uint64_t)(below(p, 3) ? 0x180 + below(p, 2) : 0) << 20 |
           (uint64_t)(below(p, 4) == 0) << 30 | (uint64_t)(below(p, 4) == 0) << 31;
}

static uint64_t any_control(struct pair *p)
{
    const struct select *s = &selects[below(p, SELECTS)];
    return s->code | s->umask << 8 | (below(p, 8) ? BIT(22) : 0) | (below(p, 3) ? 0 : BIT(18)) |
           (below(p, 3) ? 0 : BIT(19)) | (below(p, 6) ? 0 : BIT(17)) |
           (uint64_t)(below(p, 2) ? below(p, 5) : 0) << 24;
}

static void write_any(struct pair *p)
{
    unsigned package = below(p, PACKAGES), box = BASE + STRIDE * below(p, UNITS);
    unsigned i = below(p, COUNTERS), filter = below(p, 2);
    switch (below(p, 12)) {
    case 0:
        write_both(p, package, GLOBAL, below(p, 3) ? BIT(29) : BIT(31));
        break;
    case 1:
        write_both(p, package, box, below(p, 4) | (below(p, 3) ? 0 : BIT(8)));
        break;
    case 2:
        write_both(p, package, box, below(p, 3) ? 0 : BIT(8) | 3 << 16);
        break;
    case 3:
        write_both(p, package, box + 0x12 + i, WRAP - below(p, 40));
        break;
    case 4:
        write_both(p, package, (unsigned[]){GLOBAL, box, box + 0xc + i, box + 0x16}[below(p, 4)],
                   dice_next(&p->seed) >> below(p, 64));
        break;
    case 5:
    case 6:
    case 7:
        write_both(p, package, box + (filter ? 0x16 : 0x10), any_filter(p, filter));
        break;
    default:
        write_both(p, package, box + 0xc + i, any_control(p));
        break;
    }
}

static void raise_any(struct pair *p)
{
    const struct select *s = &selects[below(p, SELECTS)];
    bx_selection what = {
        .box = CBOX,
        .package = (uint16_t)below(p, PACKAGES),
        .unit = (uint16_t)below(p, UNITS),
        .code = (uint16_t)s->code,
        .umask = s->umask,
    };
    uint32_t level = below(p, 6);
    unsigned cycles = 1 + below(p, 14);
    for (unsigned f = 0; f < 2; f++) {
        for (unsigned i = 0; i < 4; i++)
            what.applies[f] |= below(p, 2) ? fields[f][i] : 0;
        what.filter[f] = any_filter(p, f) & what.applies[f];
    }
    bx_error e = {0};
    raised_add(&p->raised, &what, level, p->now, p->now + cycles);
    assert_int_equal(bx_vpmu_inject(p->b.v, &what, level, cycles, &e), BX_OK);
    pass(p, 3 + below(p, 12));
}

/* The signals that end now do not continue: as if the cycle before had been without them. */
static void fall_both(struct pair *p)
{
    for (unsigned package = 0; package < PACKAGES; package++)
        for (unsigned unit = 0; unit < UNITS; unit++)
            for (unsigned i = 0; i < COUNTERS; i++) {
                struct ref_box *box = &p->box[package][unit];
                struct counter_ref at = {p, package, unit, i};
                if (!raised_ends(&p->raised, p->now, sees, &at))
                    continue;
                uint32_t rest = raised(p, package, unit, i);
                rest += scripted(p, package, unit, i, p->now - 1);
                box->high[i] = box->high[i] && condition(box->control[i], rest);
            }
    bx_vpmu_fall(p->b.v);
}

static void start(struct pair *p, unsigned round)
{
    memset(p, 0, sizeof(*p));
    p->seed = round;
    script_init(&p->b.script);
    for (uint16_t unit = 0; unit < UNITS; unit++)
        for (unsigned i = 0; i < SELECTS; i += 2)
            script_scribble(
                script_add(&p->b.script, CBOX, unit, (uint16_t)selects[i].code, selects[i].umask),
                &p->seed, 9, 4);
    bench_open(&p->b, "virtual:ivbep,cores=2");
}

static void test_same_as_the_reference(void **state)
{
    (void)state;
    struct pair *p = malloc(sizeof(*p));
    assert_non_null(p);
    for (unsigned round = 0; round < ROUNDS; round++) {
        start(p, round);
        for (unsigned i = 0; i < STEPS; i++) {
            unsigned what = below(p, 10);
            if (what < 5)
                write_any(p);
            else if (what < 7)
                raise_any(p);
            else if (what == 7)
                fall_both(p);
            else
                pass(p, below(p, 9));
            if (i % 16 == 0)
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
