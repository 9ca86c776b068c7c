/* Whether registers that are not our own hold what was written to them: right after, and when a
 * measurement or a turn ends. Otherwise what counters count is something else. */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

uint64_t bx_verify_bits(const struct bx_session *s, const bx_op *op)
{
    const struct bx_catalog *c = s->topology->catalog;
    bx_span fields = bx_cat_regs(c)[op->reg].fields;
    uint64_t bits = 0;
    for (unsigned i = fields.first; i < (unsigned)fields.first + fields.n; i++)
        if (bx_cat_fields(c)[i].kind == BX_FIELD_RW)
            bits |= bx_cat_field_mask(&bx_cat_fields(c)[i]);
    return bits;
}

int bx_verify(struct bx_session *s, const bx_op *op, uint64_t *value)
{
    uint64_t bits = s->wary ? bx_verify_bits(s, op) : 0;
    int why = bits ? s->bus->read(s->bus, &op->at, value) : 0;
    return why ? why : bits && (*value ^ bx_carry_value(s, op)) & bits ? EBADMSG : 0;
}

/* ---- what somebody else has changed meanwhile ---- */

static bool writes(const bx_op *ops, size_t n, const bx_op *to)
{
    for (size_t i = 0; i < n; i++)
        if (ops[i].reg == to->reg && ops[i].unit == to->unit && ops[i].package == to->package)
            return true;
    return false;
}

static void watch(struct bx_session *s, const bx_op *op)
{
    char text[64];
    uint64_t value;
    if (bx_verify(s, op, &value) != EBADMSG || bx_carry_in_vain(s, op) ||
        bx_verify(s, op, &value) != EBADMSG)
        return;
    snprintf(text, sizeof text, "was changed by somebody else: 0x%" PRIx64, value);
    bx_carry_doubted(s, op, text);
}

void bx_verify_watch(struct bx_session *s, bool all, bool stopped)
{
    size_t setups, starts, stops;
    const bx_op *setup = bx_plan_part(&s->plan, BX_SETUP, s->pass, &setups);
    const bx_op *start = bx_plan_part(&s->plan, BX_START, s->pass, &starts);
    const bx_op *stop = bx_plan_part(&s->plan, BX_STOP, s->pass, &stops);
    for (size_t i = 0; s->wary && i < setups + starts; i++) {
        const bx_op *op = i < setups ? &setup[i] : &start[i - setups];
        bool again =
            i < setups && (writes(op + 1, setups - i - 1, op) || writes(start, starts, op));
        if ((op->steady && !all) || again || writes(stop, stops, op) == stopped ||
            bx_doubt_is_counter(s->topology->catalog, op->reg))
            continue;
        watch(s, op);
    }
}
