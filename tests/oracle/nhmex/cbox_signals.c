/* Levels of the C-Box. */
#include "nhmex/sums.h"

static void egress_part(struct sum *s, const struct cbox *c, part *which, unsigned umask)
{
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 1u << i)
            which(s, &c->egress[i]);
    for (unsigned away = 0; away < 2; away++) /* AD_SB, AD_NSB */
        if (umask & 1u << away)
            which(s, &c->core_ad[away]);
}

static void egress_starved(struct sum *s, const struct cbox *c, unsigned umask)
{
    if (umask & 1) /* P2C_AD_SB */
        sum_cycles_of(s, sum_starving, &c->core_ad[0]);
    if (umask & 4) /* AD_NSB, in which a C-Box itself sends nothing */
        sum_cycles_of(s, sum_starving, &c->core_ad[1]);
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 2u << i)
            sum_cycles_of(s, sum_starving, &c->egress[i]);
}

static void egress_bypasses(struct sum *s, const struct cbox *c, unsigned umask)
{
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 1u << i / 2 * 2) /* bit 1, 3, …: BYP1 */
            sum_bypasses(s, &c->egress[i]);
}

static void egress_full(struct sum *s, const struct cbox *c)
{
    for (unsigned e = 0; e < EGRESSES; e++)
        for (size_t i = 0; i < c->egress[e].n; i++)
            if (c->egress[e].entry[i].begin > c->egress[e].entry[i].arrival)
                sum_at(s, c->egress[e].entry[i].counted, 1);
}

bool nhmex_cbox_levels(struct sum *s, const struct cbox *c, const struct nhmex_signal *sig)
{
    static const unsigned once[] = {0x01, 0x05, 0x06, 0x07, 0x11, 0x12,
                                    0x14, 0x15, 0x16, 0x17, 0x27, 0x28};
    const struct resource *queue[] = {&c->irq, &c->ipq, &c->viq, &c->maf, &c->rwrf, &c->rspf};

    if ((sig->code == 0x11 && sig->umask & 0x80) || (sig->code == 0x12 && sig->umask & 0x02))
        egress_full(s, c);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (sig->code == once[i])
            return sum_instants(s, &c->counts, sig->code, sig->umask), true;
    if (sig->code >= 0x18 && sig->code <= 0x23)
        return (sig->code % 2 ? sum_inserts : sum_occupancy)(s, queue[(sig->code - 0x18) / 2]),
               true;
    switch (sig->code) {
    case 0x08:
        return sum_instants(s, &c->counts, 0x08, 1), true;
    case 0x09:
        return egress_part(s, c, sum_inserts, sig->umask), true;
    case 0x0a:
        return egress_part(s, c, sum_waiting, sig->umask), true;
    case 0x0b:
        return egress_starved(s, c, sig->umask), true;
    case 0x0c:
        return egress_bypasses(s, c, sig->umask), true;
    case 0x0e:
        if (sig->umask & 1)
            sum_bypasses(s, &c->irq);
        if (sig->umask & 4)
            sum_bypasses(s, &c->ipq);
        return true;
    case 0x10:
        return sum_inserts(s, &c->maf), true;
    default:
        return false;
    }
}
