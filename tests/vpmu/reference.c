#include "reference.h"

#include "bits.h"

#include <string.h>

enum {
    GLOBAL_CTRL = 0xe01,
    GLOBAL_STATUS = 0xe02,
    FIXED_CTRL = 0x394,
    FIXED_CTR = 0x395,
    CBO_CONFIG = 0x396,
};

/* Table 2-2; bit 4 as the catalogue holds it. */
#define GLOBAL_BITS (BIT(31) | BIT(30) | BIT(29) | 0x1f)
#define GLOBAL_FRZ  BIT(31)
#define GLOBAL_WAKE BIT(30)
#define GLOBAL_EN   BIT(29)

/* Table 2-3; C-Boxes at bit 3 as the catalogue holds it. */
#define STATUS_BITS (BIT(0) | BIT(1) | BIT(3))

/* Tables 2-4 and 2-7. */
#define FIXED_BITS  (BIT(22) | BIT(20))
#define SELECT_BITS (0xffff | BIT(18) | BIT(20) | BIT(22) | BIT(23) | (uint64_t)0x1f << 24)
#define SELECT_EDGE BIT(18)
#define SELECT_OVF  BIT(20)
#define SELECT_EN   BIT(22)
#define SELECT_INV  BIT(23)

static const unsigned imc_offset[5] = {0x5040, 0x5044, 0x5048, 0x5050, 0x5054};

static void add(struct reference *r, unsigned i, uint16_t box, uint16_t unit, unsigned control,
                unsigned value, unsigned width, unsigned status_bit)
{
    r->counter[i] = (struct ref_counter){.control_msr = control,
                                         .value_msr = value,
                                         .box = box,
                                         .unit = unit,
                                         .width = width,
                                         .status_bit = status_bit};
}

void ref_init(struct reference *r, struct script *s)
{
    memset(r, 0, sizeof(*r));
    r->script = s;
    for (unsigned i = 0; i < 2 * REF_SLICES; i++) {
        uint16_t unit = (uint16_t)(i / 2);
        unsigned base = 0x700 + 0x10 * unit + i % 2;
        add(r, i, BOX_CBO, unit, base, base + 6, 44, 3);
    }
    add(r, 8, BOX_ARB, 0, 0x3b2, 0x3b0, 44, 1);
    add(r, 9, BOX_ARB, 0, 0x3b3, 0x3b1, 44, 1);
    add(r, 10, BOX_CLOCK, 0, FIXED_CTRL, FIXED_CTR, 48, 0);
    for (unsigned i = 0; i < 5; i++) {
        const struct script_source *source = script_find(s, BOX_IMC, 0, (uint16_t)imc_offset[i], 0);
        r->imc[i] = source ? source->sum : 0;
    }
}

bool ref_read(const struct reference *r, unsigned msr, uint64_t *value)
{
    for (unsigned i = 0; i < REF_COUNTERS; i++) {
        const struct ref_counter *c = &r->counter[i];
        if (msr != c->control_msr && msr != c->value_msr)
            continue;
        *value = msr == c->control_msr ? c->control : c->value;
        return true;
    }
    if (msr != GLOBAL_CTRL && msr != GLOBAL_STATUS && msr != CBO_CONFIG)
        return false;
    *value = msr == GLOBAL_CTRL ? r->global : msr == GLOBAL_STATUS ? r->status : REF_SLICES + 1;
    return true;
}

static uint64_t threshold(const struct ref_counter *c)
{
    return c->control >> 24 & 0x1f;
}

static bool counts(const struct reference *r, const struct ref_counter *c)
{
    return r->global & GLOBAL_EN && c->control & SELECT_EN;
}

/* What is counted no longer is what it was: as if the condition had not held before. */
static void set_control(struct ref_counter *c, uint64_t value)
{
    if ((value ^ c->control) & ~SELECT_OVF)
        c->high = false;
    c->control = value;
}

static void set_global(struct reference *r, uint64_t value)
{
    for (unsigned i = 0; i < REF_COUNTERS; i++)
        if ((value ^ r->global) & GLOBAL_EN)
            r->counter[i].high = false;
    r->global = value;
}

static bool write_counter(struct ref_counter *c, unsigned msr, uint64_t value)
{
    uint64_t bits = msr == c->value_msr   ? BIT(c->width) - 1
                    : c->box == BOX_CLOCK ? FIXED_BITS
                                          : SELECT_BITS;
    if (value & ~bits)
        return false;
    if (msr == c->value_msr)
        c->value = value;
    else
        set_control(c, value);
    return true;
}

bool ref_write(struct reference *r, unsigned msr, uint64_t value)
{
    for (unsigned i = 0; i < REF_COUNTERS; i++)
        if (msr == r->counter[i].control_msr || msr == r->counter[i].value_msr)
            return write_counter(&r->counter[i], msr, value);
    if (msr == GLOBAL_CTRL && !(value & ~GLOBAL_BITS)) {
        set_global(r, value);
        return true;
    }
    if (msr == GLOBAL_STATUS && !(value & ~STATUS_BITS)) {
        r->status &= ~value;
        return true;
    }
    return false;
}

static bool sees(const void *counter, const bx_selection *what)
{
    const struct ref_counter *c = counter;
    return c->box == what->box && c->unit == what->unit &&
           (c->box == BOX_CLOCK ||
            ((c->control & 0xff) == what->code && (c->control >> 8 & 0xff) == what->umask));
}

static uint64_t scripted(const struct reference *r, const struct ref_counter *c, uint64_t cycle)
{
    const struct script_source *source =
        script_find(r->script, c->box, c->unit, c->control & 0xff, c->control >> 8 & 0xff);
    return source ? script_level(source, cycle) : 0;
}

static bool condition(const struct ref_counter *c, uint64_t level)
{
    uint64_t t = threshold(c);
    if (t == 0)
        return level > 0;
    return c->control & SELECT_INV ? level < t : level >= t;
}

static uint64_t added(const struct ref_counter *c, uint64_t level)
{
    bool holds = condition(c, level);
    if (c->control & SELECT_EDGE)
        return holds && !c->high;
    return threshold(c) ? holds : level;
}

static void interrupt(struct reference *r)
{
    for (unsigned core = 0; core < REF_CORES; core++) {
        if (!(r->global >> core & 1) || (r->asleep[core] && !(r->global & GLOBAL_WAKE)))
            continue;
        r->asleep[core] = false;
        if (r->pmis < REF_PMIS)
            r->pmi[r->pmis++] = (struct ref_pmi){r->now, core};
    }
}

/* One cycle; true if a counter asks for an interrupt. */
static bool count_cycle(struct reference *r)
{
    bool request = false;
    for (unsigned i = 0; i < REF_COUNTERS; i++) {
        struct ref_counter *c = &r->counter[i];
        if (!counts(r, c))
            continue;
        uint64_t level = scripted(r, c, r->now) + raised_level(&r->raised, r->now, sees, c);
        c->value += added(c, level);
        c->high = condition(c, level);
        bool overflow = c->value >> c->width;
        c->value &= BIT(c->width) - 1;
        if (overflow && c->control & SELECT_OVF) {
            r->status |= BIT(c->status_bit);
            request = true;
        }
    }
    return request;
}

static bool memory_sees(const void *offset, const bx_selection *what)
{
    return what->box == BOX_IMC && what->code == *(const unsigned *)offset && what->umask == 0;
}

static void count_memory(struct reference *r)
{
    for (unsigned i = 0; i < 5; i++) {
        const struct script_source *source =
            script_find(r->script, BOX_IMC, 0, (uint16_t)imc_offset[i], 0);
        r->imc[i] += source ? script_level(source, r->now) : 0;
        r->imc[i] += raised_level(&r->raised, r->now, memory_sees, &imc_offset[i]);
        r->imc[i] &= UINT32_MAX;
    }
}

void ref_pass(struct reference *r, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles; i++) {
        bool request = count_cycle(r);
        count_memory(r);
        r->now++;
        if (request && r->global & GLOBAL_FRZ)
            set_global(r, r->global & ~GLOBAL_EN);
        if (request)
            interrupt(r);
    }
}

/* The signals that end now do not continue: as if the cycle before had been without them. */
void ref_fall(struct reference *r)
{
    for (unsigned i = 0; i < REF_COUNTERS; i++) {
        struct ref_counter *c = &r->counter[i];
        if (!raised_ends(&r->raised, r->now, sees, c))
            continue;
        uint64_t rest = scripted(r, c, r->now - 1) + raised_level(&r->raised, r->now, sees, c);
        c->high = c->high && condition(c, rest);
    }
}
