/* The uncore PMU of 334060-001 against a reference. Addresses and bits are typed from its tables
 * 2-1 to 2-8. Where the documents leave something open, the readings of catalog/skl and src/vpmu
 * are typed here again. */
#include "../cmocked.h"

#include "bits.h"
#include "differential.h"

enum {
    SLICES = 4,
    CORES = 4,
    COUNTERS = 2 * SLICES + 2 + 1,
    MEMORY = 5,       /* free-running counters */
    NOTHING = 0xffff, /* no code */
};
enum {
    GLOBAL_CTRL = 0xe01,
    GLOBAL_STATUS = 0xe02,
    FIXED_CTRL = 0x394,
    FIXED_CTR = 0x395,
    CBO_CONFIG = 0x396,
};

/* Table 2-2; bit 4 as in the catalogue. */
#define GLOBAL_BITS (BIT(31) | BIT(30) | BIT(29) | 0x1f)
#define GLOBAL_FRZ  BIT(31)
#define GLOBAL_WAKE BIT(30)
#define GLOBAL_EN   BIT(29)

/* Table 2-3; C-Boxes at bit 3 as in the catalogue. */
#define STATUS_BITS (BIT(0) | BIT(1) | BIT(3))

/* Tables 2-4 and 2-7. */
#define FIXED_BITS  (BIT(22) | BIT(20))
#define SELECT_BITS (0xffff | BIT(18) | BIT(20) | BIT(22) | BIT(23) | (uint64_t)0x1f << 24)
#define SELECT_EDGE BIT(18)
#define SELECT_OVF  BIT(20)
#define SELECT_EN   BIT(22)
#define SELECT_INV  BIT(23)

static const uint16_t memory_offset[MEMORY] = {0x5040, 0x5044, 0x5048, 0x5050, 0x5054};

struct counter {
    unsigned control_msr, value_msr; /* addresses */
    uint16_t box, unit;
    unsigned width, status_bit;
    uint64_t control, value;
};

struct pair {
    struct differential d; /* first */
    uint64_t global, status;
    struct counter counter[COUNTERS];
    uint64_t memory[MEMORY];
    bool asleep[CORES], requested;
};

/* ---- counting ---- */

static void view(struct differential *d, unsigned i, struct view *v)
{
    const struct pair *p = (struct pair *)d;
    if (i >= COUNTERS) {
        v->counting = true;
        v->what.box = BOX_IMC;
        v->what.code = memory_offset[i - COUNTERS];
        return;
    }
    const struct counter *c = &p->counter[i];
    v->counting = p->global & GLOBAL_EN && c->control & SELECT_EN;
    v->what.box = c->box;
    v->what.unit = c->unit;
    v->what.code = c->control & 0xff;
    v->what.umask = c->control >> 8 & 0xff;
    if (c->control_msr == 0x3b3 && v->what.code == 0x80) { /* table 3-2: counter 0 only */
        v->what.code = NOTHING;
        v->what.umask = 0;
    }
    v->threshold = c->control >> 24 & 0x1f;
    v->invert = c->control & SELECT_INV;
    v->edge = c->control & SELECT_EDGE;
}

static bool sees(const struct view *v, const bx_selection *what)
{
    return what->box == BOX_CLOCK || differential_same_event(&v->what, what);
}

static void add(struct differential *d, unsigned i, uint64_t by)
{
    struct pair *p = (struct pair *)d;
    if (i >= COUNTERS) {
        p->memory[i - COUNTERS] = (p->memory[i - COUNTERS] + by) & UINT32_MAX;
        return;
    }
    struct counter *c = &p->counter[i];
    c->value += by;
    if (c->value >> c->width && c->control & SELECT_OVF) {
        p->status |= BIT(c->status_bit);
        p->requested = true;
    }
    c->value &= WIDTH(c->width);
}

static void interrupt(struct differential *d)
{
    struct pair *p = (struct pair *)d;
    if (!p->requested)
        return;
    p->requested = false;
    if (p->global & GLOBAL_FRZ)
        p->global &= ~GLOBAL_EN;
    differential_changed(d);
    for (unsigned core = 0; core < CORES; core++) {
        if (!(p->global >> core & 1) || (p->asleep[core] && !(p->global & GLOBAL_WAKE)))
            continue;
        p->asleep[core] = false;
        differential_interrupt(d, core);
    }
}

/* ---- registers ---- */

static struct counter *counter_at(struct pair *p, unsigned msr)
{
    for (unsigned i = 0; i < COUNTERS; i++)
        if (msr == p->counter[i].control_msr || msr == p->counter[i].value_msr)
            return &p->counter[i];
    return NULL;
}

static void check_register(struct differential *d, unsigned msr)
{
    struct pair *p = (struct pair *)d;
    const struct counter *c = counter_at(p, msr);
    bool known = c || msr == GLOBAL_CTRL || msr == GLOBAL_STATUS || msr == CBO_CONFIG;
    uint64_t value = c                      ? msr == c->control_msr ? c->control : c->value
                     : msr == GLOBAL_CTRL   ? p->global
                     : msr == GLOBAL_STATUS ? p->status
                                            : SLICES + 1;
    differential_read(d, below(d, CORES), msr, known, value);
}

static void check_all(struct differential *d)
{
    const struct pair *p = (struct pair *)d;
    for (unsigned i = 0; i < COUNTERS; i++) {
        check_register(d, p->counter[i].control_msr);
        check_register(d, p->counter[i].value_msr);
    }
    check_register(d, GLOBAL_CTRL);
    check_register(d, GLOBAL_STATUS);
    for (unsigned i = 0; i < MEMORY; i++)
        differential_same(d, "memory", memory_offset[i],
                          get_mem(&d->b, 0xfed10000 + memory_offset[i], 32), p->memory[i]);
    for (unsigned core = 0; core < CORES; core++)
        differential_same(d, "sleep of core", core, bx_vpmu_asleep(d->b.v, core), p->asleep[core]);
}

/* The bits that can be written. */
static uint64_t writable(const struct counter *c, unsigned msr)
{
    if (c)
        return msr == c->value_msr   ? WIDTH(c->width)
               : c->box == BOX_CLOCK ? FIXED_BITS
                                     : SELECT_BITS;
    return msr == GLOBAL_CTRL ? GLOBAL_BITS : msr == GLOBAL_STATUS ? STATUS_BITS : 0;
}

static void write_both(struct differential *d, unsigned msr, uint64_t value)
{
    struct pair *p = (struct pair *)d;
    struct counter *c = counter_at(p, msr);
    bool taken = !(value & ~writable(c, msr)) && (c || msr == GLOBAL_CTRL || msr == GLOBAL_STATUS);
    if (taken && c)
        *(msr == c->value_msr ? &c->value : &c->control) = value;
    else if (taken && msr == GLOBAL_CTRL)
        p->global = value;
    else if (taken)
        p->status &= ~value;
    differential_write(d, below(d, CORES), msr, value, taken);
}

/* ---- random steps ---- */

/* Few codes, so that signals and selections often match. */
static unsigned any_code(struct differential *d)
{
    return (unsigned[]){0x34, 0x34, 0x80}[below(d, 3)];
}

static unsigned any_umask(struct differential *d)
{
    return (unsigned[]){0x11, 0x88}[below(d, 2)];
}

static unsigned any_msr(struct differential *d)
{
    static const unsigned msr[] = {0xe01, 0xe02, 0x394, 0x395, 0x396, 0x3b0, 0x3b1, 0x3b2, 0x3b3,
                                   0x700, 0x701, 0x706, 0x707, 0x710, 0x711, 0x716, 0x717, 0x720,
                                   0x721, 0x726, 0x727, 0x730, 0x731, 0x736, 0x737, 0x702, 0x740};
    return msr[below(d, sizeof(msr) / sizeof(*msr))];
}

static uint64_t any_control(struct differential *d)
{
    uint64_t value = any_code(d) | any_umask(d) << 8;
    value |= below(d, 8) ? UINT64_C(1) << 22 : 0;
    value |= below(d, 2) ? UINT64_C(1) << 20 : 0;
    value |= below(d, 3) ? 0 : UINT64_C(1) << 18;
    value |= below(d, 3) ? 0 : UINT64_C(1) << 23;
    return value | (uint64_t)(below(d, 2) ? below(d, 5) : 0) << 24;
}

/* Values that suit the register: controls that count, counters near their end, and sometimes random
 * values. */
static uint64_t any_value(struct differential *d, unsigned msr)
{
    unsigned width = msr == 0x395 ? 48 : 44;
    if (below(d, 20) == 0)
        return dice_next(&d->seed) >> below(d, 64);
    if (msr == 0xe01)
        return (below(d, 4) ? UINT64_C(1) << 29 : 0) | (uint64_t)below(d, 2) << 30 |
               (below(d, 3) ? 0 : UINT64_C(1) << 31) | below(d, 32);
    if (msr == 0xe02)
        return below(d, 4) | (uint64_t)below(d, 2) << 3;
    if (msr == 0x394)
        return (uint64_t)below(d, 2) << 22 | (uint64_t)below(d, 2) << 20;
    if (msr == 0x395 || (msr & 0xe) == 6 || (msr & 0xffe) == 0x3b0)
        return (UINT64_C(1) << width) - 1 - below(d, 60);
    return any_control(d);
}

static void write_any(struct differential *d)
{
    unsigned msr = any_msr(d);
    write_both(d, msr, any_value(d, msr));
}

static void read_any(struct differential *d)
{
    check_register(d, any_msr(d));
}

static void sleep_or_wake(struct differential *d)
{
    unsigned core = below(d, CORES);
    bool *asleep = &((struct pair *)d)->asleep[core];
    *asleep = !*asleep;
    bx_vpmu_sleep(d->b.v, core, *asleep);
}

static bool any_signal(struct differential *d, bx_selection *what)
{
    what->box = (uint16_t)(1 + below(d, 4));
    what->code = (uint16_t)any_code(d);
    what->umask = any_umask(d);
    if (what->box == BOX_CBO)
        what->unit = (uint16_t)below(d, 4);
    if (what->box == BOX_IMC) {
        what->code = below(d, 2) ? 0x5048 : 0x5054;
        what->umask = 0;
    }
    return true;
}

/* ---- at power-on ---- */

static void scribble(struct differential *d, struct script_source *source, uint32_t most)
{
    unsigned longest = 1 + below(d, 12);
    script_scribble(source, &d->seed, longest, most);
}

static void write_script(struct differential *d)
{
    struct pair *p = (struct pair *)d;
    struct script *s = &d->b.script;
    for (uint16_t unit = 0; unit < 2; unit++)
        for (unsigned i = 0; i < 2; i++)
            scribble(d, script_add(s, BOX_CBO, unit, 0x34, i ? 0x88 : 0x11), 4);
    for (unsigned i = 0; i < 4; i++)
        scribble(d, script_add(s, BOX_ARB, 0, i & 1 ? 0x34 : 0x80, i & 2 ? 0x88 : 0x11), 36);
    script_hold(s, BOX_CLOCK, 0, SCRIPT_ANY, 0, 1)->style = SCRIPT_OPEN;
    for (unsigned i = 0; i < MEMORY; i++) {
        if (memory_offset[i] == 0x5048 || memory_offset[i] == 0x5054)
            continue; /* these are raised alone */
        struct script_source *source = script_add(s, BOX_IMC, 0, memory_offset[i], 0);
        scribble(d, source, 3);
        source->sum = p->memory[i] = UINT32_MAX - below(d, 500);
    }
}

static void start(struct differential *d)
{
    struct counter *c = ((struct pair *)d)->counter;
    for (unsigned i = 0; i < 2 * SLICES; i++, c++) {
        unsigned base = 0x700 + 0x10 * (i / 2) + i % 2;
        *c = (struct counter){base, base + 6, BOX_CBO, (uint16_t)(i / 2), 44, 3};
    }
    *c++ = (struct counter){0x3b2, 0x3b0, BOX_ARB, 0, 44, 1};
    *c++ = (struct counter){0x3b3, 0x3b1, BOX_ARB, 0, 44, 1};
    *c = (struct counter){FIXED_CTRL, FIXED_CTR, BOX_CLOCK, 0, 48, 0};
    write_script(d);
}

static const struct differential_machine machine = {
    .spec = "virtual:skl,part=plain",
    .size = sizeof(struct pair),
    .rounds = 200,
    .counters = COUNTERS + MEMORY,
    .interrupts = true,
    .start = start,
    .check = check_all,
    .signal = any_signal,
    .steps = {{4, write_any},
              {2, read_any},
              {1, differential_raise},
              {1, differential_fall},
              {1, sleep_or_wake},
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
