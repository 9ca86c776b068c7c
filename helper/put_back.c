/* Putting back what a client changed: counters stopped first, gates opened last. */
#include "base/bits.h"
#include "helper/kept.h"

/* The value with the bits that let counters count as they must not be. */
static uint64_t shut(const bx_keeper *k, const bx_allowed *r, uint64_t value)
{
    const struct bx_catalog *c = k->t->catalog;
    for (unsigned i = 0; i < bx_keeper_pmus(k).n; i++) {
        bx_span counters = bx_cat_pmus(c)[bx_keeper_pmus(k).first + i].counters;
        for (unsigned n = 0; n < counters.n; n++) {
            const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + n];
            for (unsigned j = 0; j < counter->counts.n; j++) {
                const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + j];
                const bx_cat_field *f = &bx_cat_fields(c)[cond->field];
                if (cond->reg == r->reg)
                    value = bx_bits_set(value, f->lo, f->hi, ~cond->value);
            }
        }
    }
    return value;
}

static int write_if_other(const bx_keeper *k, const bx_kept_register *one, uint64_t now,
                          uint64_t value)
{
    return value == now ? 0 : k->bus->write(k->bus, &one->at, value);
}

/* As it was, but shut: one that sets counters back as long as it is written is then not written
 * once more after these. */
static int close_one(const bx_keeper *k, const bx_kept_register *one)
{
    uint64_t now;
    int why = k->bus->read(k->bus, &one->at, &now);
    uint64_t back = shut(k, one->r, bx_allow_back(one->r, one->first));
    return why ? why : write_if_other(k, one, now, back);
}

/* Makes the guard of a register hold; the guard, too, is to be put back. */
static int unguard(const bx_keeper *k, bx_kept *kept, const bx_kept_register *one)
{
    const struct bx_catalog *c = k->t->catalog;
    const bx_cat_reg *reg = &bx_cat_regs(c)[one->r->reg];
    const bx_cat_cond *cond = &bx_cat_conds(c)[reg->guard];
    const bx_cat_field *f = &bx_cat_fields(c)[cond->field];
    bx_address at = bx_keeper_address(k, one->at.cpu, reg->pmu, cond->reg, one->r->unit);
    uint64_t now;
    int why = k->bus->read(k->bus, &at, &now);
    if (why || bx_bits_get(now, f->lo, f->hi) == cond->value)
        return why;
    why = bx_kept_keep(k, kept, &at);
    return why ? why : k->bus->write(k->bus, &at, bx_bits_set(now, f->lo, f->hi, cond->value));
}

/* Clears bits of a status through the register of its unit that does that. */
static int clear(const bx_keeper *k, const bx_kept_register *one, uint64_t bits)
{
    const struct bx_catalog *c = k->t->catalog;
    uint16_t pmu = bx_cat_regs(c)[one->r->reg].pmu;
    bx_span regs = bx_cat_pmus(c)[pmu].regs;
    for (unsigned i = 0; i < regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[regs.first + i];
        uint64_t clearing = 0;
        for (unsigned j = 0; j < reg->fields.n; j++) {
            const bx_cat_field *f = &bx_cat_fields(c)[reg->fields.first + j];
            const bx_cat_field *status = f->clears == BX_NONE ? NULL : &bx_cat_fields(c)[f->clears];
            if (status && status->reg == one->r->reg && bits & bx_mask_bits(status->lo, status->hi))
                clearing |= bx_mask_bits(f->lo, f->hi);
        }
        bx_address at =
            bx_keeper_address(k, one->at.cpu, pmu, (uint16_t)(regs.first + i), one->r->unit);
        if (clearing)
            return k->bus->write(k->bus, &at, clearing);
    }
    return 0;
}

static int put_back(const bx_keeper *k, const bx_kept_register *one)
{
    uint64_t now;
    int why = k->bus->read(k->bus, &one->at, &now);
    if (why)
        return why;
    if (!one->r->write)
        return clear(k, one, now & ~one->first);
    uint64_t back = bx_allow_back(one->r, one->first) | (now & ~one->first & one->r->clears);
    return write_if_other(k, one, bx_allow_back(one->r, now), back);
}

enum { FIRST_TURN, VALUES = FIRST_TURN, OTHERS, GUARDS, CONTROLS, GATES, OUTER_GATES, TURNS };

static unsigned turn_of(const bx_keeper *k, const bx_allowed *r)
{
    unsigned role = k->roles[r->reg];
    if (role & BX_ROLE_GATE)
        return bx_cat_regs(k->t->catalog)[r->reg].pmu == bx_keeper_pmus(k).first ? OUTER_GATES
                                                                                 : GATES;
    return role & BX_ROLE_CONTROL ? CONTROLS
           : role & BX_ROLE_GUARD ? GUARDS
           : role & BX_ROLE_VALUE ? VALUES
                                  : OTHERS;
}

size_t bx_kept_put_back(const bx_keeper *k, bx_kept *kept, bx_kept_register *failed)
{
    size_t failures = 0;
    for (size_t i = 0; i < kept->n; i++)
        if (k->roles[kept->list[i].r->reg] & (BX_ROLE_GATE | BX_ROLE_CONTROL))
            close_one(k, &kept->list[i]); /* a failure shows again below */
    for (size_t i = 0, n = kept->n; i < n; i++) {
        const bx_kept_register one = kept->list[i]; /* the list may move */
        if (k->roles[one.r->reg] & BX_ROLE_GUARDED)
            unguard(k, kept, &one);
    }
    for (unsigned turn = FIRST_TURN; turn < TURNS; turn++) {
        for (size_t i = 0; i < kept->n; i++) {
            const bx_kept_register *one = &kept->list[i];
            if (turn_of(k, one->r) != turn || put_back(k, one) == 0)
                continue;
            if (failed && !failures)
                *failed = *one;
            failures++;
        }
    }
    kept->n = 0;
    return failures;
}
