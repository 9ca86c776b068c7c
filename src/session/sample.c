/* How often a counter that is not our own is read, and which of the values counts: any of them may
 * be wrong. */
#include "session/session.h"

#include <errno.h>

/* Xeon 7500, 323535-001 page 140: a value that ends in 0x000000 or 0x000001 is 0x1000000 too high.
 * It is taken as read where less would be behind the last value: there was no carry then. */
static uint64_t without_erratum(const bx_tally *t, uint64_t raw)
{
    uint64_t value = raw >> t->shift & t->mask, carry = UINT64_C(1) << t->erratum;
    if (!t->erratum || (value & (carry - 1)) > 1 ||
        ((value - carry - t->last) & t->mask) > t->mask / 2)
        return raw;
    return raw - (carry << t->shift);
}

static bool stands_still(const struct bx_session *s, const bx_tally *t)
{
    return t->stops && (s->look == BX_LOOK_ENDS || (s->look == BX_LOOK_TURN && t->takes_turns));
}

/* How often a counter is read. Where every value of the register is one of the counter, only
 * further looks tell nonsense from a count; where it begins and what it reads at its end are final,
 * too. Of one that moves a look can be a little off: the middle one of three is not. */
static unsigned looks_at(const struct bx_session *s, const bx_tally *t)
{
    if (stands_still(s, t))
        return 2;
    bool passing = s->look != BX_LOOK_BEGINS && s->look != BX_LOOK_ENDS;
    return t->outside && passing ? 1 : BX_LOOKS;
}

/* 0, or an errno: EBADMSG if the looks do not go together. */
static int confirm(struct bx_session *s, size_t i, uint64_t fetched)
{
    bx_active *a = &s->active;
    bx_tally *t = a->tally[i];
    unsigned n = looks_at(s, t);
    uint64_t looks[BX_LOOKS] = {a->values[i]};
    for (unsigned k = 1; k < n; k++) {
        int why = s->bus->read(s->bus, &a->at[i], &looks[k]);
        if (why)
            return why;
        uint64_t now = bx_machine_time(s->machine);
        looks[k] = without_erratum(t, looks[k]);
        if (bx_doubt(t, looks[k], now - s->looked) ||
            (stands_still(s, t) ? looks[k] != looks[k - 1]
                                : !bx_doubt_near(t, looks[k - 1], looks[k], now - fetched)))
            return EBADMSG;
        fetched = now;
    }
    a->values[i] = looks[n / 2];
    return 0;
}

/* Where a second try is no better the counter is out: what it shows from now on would not be a
 * count. */
bool bx_look_sure(struct bx_session *s, size_t i, uint64_t fetched)
{
    bx_active *a = &s->active;
    const char *doubt = NULL;
    int why = 0;
    for (unsigned look = 0; why == 0 && look < 2; look++) {
        if (look > 0)
            why = s->bus->read(s->bus, &a->at[i], &a->values[i]);
        if (why)
            break;
        a->values[i] = without_erratum(a->tally[i], a->values[i]);
        doubt = bx_doubt(a->tally[i], a->values[i], bx_machine_time(s->machine) - s->looked);
        why = doubt ? 0 : confirm(s, i, fetched);
        if (why == EBADMSG) {
            why = 0;
            doubt = "reads otherwise at every look";
        } else if (why == 0 && !doubt) {
            return true;
        }
    }
    if (why)
        bx_carry_failed(s, a->op[i], why);
    else
        bx_carry_doubted(s, a->op[i], doubt);
    return false;
}
