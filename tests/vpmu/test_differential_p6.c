/* The two counters of a P6 against a reference: the shared enable, privilege levels, sign-extended
 * writes, interrupts and RDPMC. Addresses and bits as in test_p6_counters.c. */
#include "../cmocked.h"

#include "bits.h"
#include "differential.h"

#define SELECT ((BIT(21) - 1) | BIT(23) | (uint64_t)0xff << 24)
#define EN     BIT(22)
#define WRAP   WIDTH(40)

struct pair {
    struct differential d; /* first */
    uint64_t control[2], count[2];
    bool requested;
};

/* ---- counting ---- */

/* INT and PC do not affect what is counted. */
static void view(struct differential *d, unsigned i, struct view *v)
{
    const struct pair *p = (struct pair *)d;
    uint64_t control = p->control[i];
    v->what.levels =
        (control & BIT(17) ? BX_LEVEL_OS : 0) | (control & BIT(16) ? BX_LEVEL_USER : 0);
    v->counting = p->control[0] & EN && v->what.levels;
    v->what.code = control & 0xff;
    v->what.umask = control >> 8 & 0xff;
    v->threshold = control >> 24 & 0xff;
    v->invert = control & BIT(23);
    v->edge = control & BIT(18);
}

static bool sees(const struct view *v, const bx_selection *what)
{
    return differential_same_event(&v->what, what) &&
           (what->levels == 0 || what->levels & v->what.levels);
}

static void add(struct differential *d, unsigned i, uint64_t by)
{
    struct pair *p = (struct pair *)d;
    p->count[i] += by;
    if (p->count[i] > WRAP && p->control[i] & BIT(20))
        p->requested = true;
    p->count[i] &= WRAP;
}

static void interrupt(struct differential *d)
{
    struct pair *p = (struct pair *)d;
    if (p->requested)
        differential_interrupt(d, 0);
    p->requested = false;
}

/* ---- registers ---- */

static bool write_select(struct pair *p, unsigned i, uint64_t value)
{
    if (value & ~(SELECT | EN))
        return false;
    p->control[i] = i ? value & ~EN : value;
    return true;
}

static void write_both(struct differential *d, unsigned msr, uint64_t value)
{
    struct pair *p = (struct pair *)d;
    unsigned i = msr == 0x187 || msr == 0xc2;
    bool taken = true;
    if (msr >= 0x186)
        taken = write_select(p, i, value);
    else if (value & ~WRAP)
        taken = false;
    else
        p->count[i] = (uint64_t)(int64_t)(int32_t)(uint32_t)value & WRAP;
    differential_write(d, 0, msr, value, taken);
}

static void check_all(struct differential *d)
{
    const struct pair *p = (struct pair *)d;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t value = 0;
        differential_read(d, 0, 0x186 + i, true, p->control[i]);
        differential_read(d, 0, 0xc1 + i, true, p->count[i]);
        assert_int_equal(bx_vpmu_rdpmc(d->b.v, 0, i, 3, true, BX_MODE_V86, &value), 0);
        differential_same(d, "RDPMC", i, value, p->count[i]);
    }
}

/* ---- random steps ---- */

static uint64_t any_control(struct differential *d)
{
    return (uint64_t[]){0xc0, 0xf2e}[below(d, 2)] | (uint64_t)below(d, 16) << 16 |
           (below(d, 2) ? BIT(20) : 0) | (below(d, 6) ? EN : 0) | (below(d, 3) ? 0 : BIT(23)) |
           (uint64_t)(below(d, 2) ? below(d, 5) : 0) << 24;
}

static void write_any(struct differential *d)
{
    unsigned i = below(d, 2);
    switch (below(d, 8)) {
    case 0:
        write_both(d, (unsigned[]){0x186, 0x187, 0xc1, 0xc2}[below(d, 4)],
                   dice_next(&d->seed) >> below(d, 64));
        break;
    case 1:
    case 2:
        write_both(d, 0xc1 + i, UINT32_MAX - below(d, 40));
        break;
    default:
        write_both(d, 0x186 + i, any_control(d));
        break;
    }
}

static bool any_signal(struct differential *d, bx_selection *what)
{
    bool other = below(d, 2);
    what->code = other ? 0x2e : 0xc0;
    what->umask = other ? 0xf : 0;
    what->levels = (uint8_t)below(d, 3);
    return true;
}

static void start(struct differential *d)
{
    script_scribble(script_add(&d->b.script, 0, 0, 0xc0, 0), &d->seed, 3, 4);
}

static const struct differential_machine machine = {
    .spec = "virtual:p6,part=plain",
    .size = sizeof(struct pair),
    .rounds = 150,
    .counters = 2,
    .interrupts = true,
    .start = start,
    .check = check_all,
    .signal = any_signal,
    .steps = {{4, write_any},
              {2, differential_raise},
              {1, differential_fall},
              {3, differential_pass}},
    .view = view,
    .add = add,
    .sees = sees,
    .tick = interrupt,
};

int main(void)
{
    return differential_main(&machine);
}
