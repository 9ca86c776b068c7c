/* Levels of the S-Box. */
#include "nhmex/sums.h"

static void chosen(struct sum *s, enum measure measure, const struct resource *of, unsigned n,
                   unsigned umask)
{
    const struct resource *queue[4];
    unsigned chosen = 0;

    for (unsigned i = 0; i < n; i++)
        if (umask & 1u << i)
            queue[chosen++] = &of[i];
    if (chosen)
        sum_queue_event(s, measure, queue, chosen);
}

static void egress_ways(struct sum *s, const struct sbox *b, part *which, bool cycles,
                        unsigned umask)
{
    for (unsigned i = 0; i < 2 * RINGS; i++) {
        if (!(umask & 1u << i))
            continue;
        if (cycles)
            sum_cycles_of(s, which, &b->egress[i / 2][i % 2]);
        else
            which(s, &b->egress[i / 2][i % 2]);
    }
}

static void waits_for_ipq(struct sum *s, const struct package *p, unsigned side)
{
    for (unsigned n = 0; n < 4; n++)
        sum_waiting(s, &p->cbox[side * 4 + n].ipq);
    sum_reach(s, 1);
    sum_finished(s);
}

static void table(struct sum *s, const struct resource *r, unsigned umask)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->entry[i].kind & umask)
            sum_add(s, r->entry[i].begin, r->entry[i].end, 1);
}

static bool sbox_to_r(struct sum *s, const struct sbox *b, unsigned code, unsigned umask)
{
    switch (code) {
    case 0x03:
        return chosen(s, CYCLES_FULL, &b->hom_to_r, 2, umask), true;
    case 0x06:
        return chosen(s, CYCLES_NE, &b->hom_to_r, 2, umask), true;
    case 0x07:
        return chosen(s, OCCUPANCY, &b->hom_to_r, 2, umask), true;
    case 0x08:
    case 0x09:
    case 0x0a:
        return sum_queue_of(s, code - 0x08, &b->snp_to_r), true;
    case 0x0b:
    case 0x0c:
    case 0x0d:
        return sum_queue_of(s, code - 0x0b, &b->ndr_to_r), true;
    case 0x0e:
    case 0x0f:
    case 0x10:
        return chosen(s, code - 0x0e, b->drs_to_r, 4, umask), true;
    case 0x11:
    case 0x12:
    case 0x13:
        return chosen(s, code - 0x11, b->ncb_to_r, 4, umask), true;
    case 0x14:
    case 0x15:
    case 0x16:
        return chosen(s, code - 0x14, b->ncs_to_r, 4, umask), true;
    default:
        return false;
    }
}

static bool sbox_to_ring(struct sum *s, const struct sbox *b, unsigned code, unsigned umask)
{
    const struct resource *snoops[] = {&b->snp, &b->ncs, &b->ncb};
    const struct resource *in_order[] = {&b->snp, &b->ncb, &b->ncs};

    switch (code) {
    case 0x20:
    case 0x21:
    case 0x22:
        return sum_queue_of(s, CYCLES_FULL, in_order[code - 0x20]), true;
    case 0x23:
    case 0x24:
    case 0x25:
        return sum_queue_of(s, CYCLES_NE, in_order[code - 0x23]), true;
    case 0x26:
        for (unsigned i = 0; i < 3; i++)
            if (umask & 1u << i)
                sum_occupancy(s, snoops[i]);
        return true;
    case 0x27:
    case 0x28:
    case 0x29:
        return sum_queue_of(s, code - 0x27, &b->ndr), true;
    case 0x2a:
    case 0x2c:
    case 0x2e:
        return sum_queue_of(s, (code - 0x2a) / 2, &b->r2s), true;
    case 0x2b:
    case 0x2d:
    case 0x2f:
        return sum_queue_of(s, (code - 0x2b) / 2, &b->b2s), true;
    default:
        return false;
    }
}

/* Cycles in which a packet waits for one of the queues, or in front of the R-Box. */
static void no_credit(struct sum *s, const struct resource *queue, unsigned n,
                      const struct resource *in_front, unsigned class)
{
    for (unsigned i = 0; i < n; i++)
        sum_waiting(s, &queue[i]);
    for (size_t i = 0; i < in_front->n; i++)
        if (in_front->entry[i].kind == class || (class == HOM0 && in_front->entry[i].kind == HOM1))
            sum_add(s, in_front->entry[i].arrival, in_front->entry[i].begin, 1);
    sum_reach(s, 1);
    sum_finished(s);
}

/* Of the R-Box 1, of the B-Box 2. */
static void no_vna(struct sum *s, const struct sbox *b, const struct rport *r, unsigned bits)
{
    if (bits & 1)
        sum_waiting(s, &r->lacks);
    if (bits & 2)
        sum_waiting(s, &b->for_bbox);
    sum_reach(s, 1);
    sum_finished(s);
}

static bool sbox_waits(struct sum *s, const struct package *p, unsigned side, unsigned code,
                       unsigned umask)
{
    const struct sbox *b = &p->sbox[side];
    const struct rport *r = &p->port[2 + 4 * side];

    switch (code) {
    case 0x80:
        return no_credit(s, &b->hom_to_r, 1, &r->waits, HOM0), true;
    case 0x81:
        return no_credit(s, &b->snp_to_r, 1, &r->waits, SNP), true;
    case 0x82:
        return no_credit(s, b->drs_to_r, 4, &r->waits, DRS), true;
    case 0x83:
        return no_credit(s, b->ncs_to_r, 4, &r->waits, NCS), true;
    case 0x84:
        return no_credit(s, b->ncb_to_r, 4, &r->waits, NCB), true;
    case 0x85:
        return no_credit(s, &b->ndr_to_r, 1, &r->waits, NDR), true;
    case 0x86:
        return no_vna(s, b, r, umask), true;
    case 0x8a:
        return waits_for_ipq(s, p, side), true;
    default:
        return false;
    }
}

bool nhmex_sbox_levels(struct sum *s, const struct package *p, const struct nhmex_signal *sig)
{
    static const unsigned once[] = {0x60, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a,
                                    0x6b, 0x6c, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x77};
    const struct sbox *b = &p->sbox[sig->unit];
    unsigned code = sig->code, umask = sig->umask;

    if (code == 0x00)
        return sum_packets(s, &b->counts, 0, 1, &sig->pattern), true;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (code == once[i])
            return sum_instants(s, &b->counts, code, umask ? umask : 1), true;
    if (sbox_to_r(s, b, code, umask) || sbox_to_ring(s, b, code, umask) ||
        sbox_waits(s, p, sig->unit, code, umask))
        return true;
    switch (code) {
    case 0x31:
        return table(s, &b->table, umask), true;
    case 0x40:
        return egress_ways(s, b, sum_bypasses, false, umask), true;
    case 0x41:
        return egress_ways(s, b, sum_inserts, false, umask), true;
    case 0x42:
        return egress_ways(s, b, sum_waiting, false, umask), true;
    case 0x43:
        return egress_ways(s, b, sum_starving, true, umask), true;
    case 0x50:
        return sum_bypasses(s, &b->hom_to_r), true;
    case 0x51:
        if (umask & 1)
            sum_bypasses(s, &b->snp_to_r);
        return true;
    case 0x52:
        return sum_arrivals(s, &b->hom_arrivals), true;
    case 0x53:
        return sum_bypasses(s, &b->b2s), true;
    default:
        return false;
    }
}
