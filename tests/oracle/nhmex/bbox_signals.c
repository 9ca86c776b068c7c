/* Levels of the B-Box. */
#include "nhmex/sums.h"

enum { READ = 1, INVITOE = 2, WRITE = 4, CORE = 8, DEVICE = 16 };

static bool fits(const struct entry *e, unsigned what)
{
    unsigned is = (e->kind & 3) == 0 ? READ : (e->kind & 3) == 1 ? INVITOE : WRITE;

    is |= e->kind & 4 ? DEVICE : CORE;
    return (is & what & (READ | INVITOE | WRITE)) && (is & what & (CORE | DEVICE));
}

enum { ALL_KINDS = READ | INVITOE | WRITE, ALL_REQUESTERS = CORE | DEVICE };

static void kinds(struct sum *s, const struct resource *r, unsigned what, bool occupies)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct entry *e = &r->entry[i];
        if (!fits(e, what))
            continue;
        if (occupies)
            sum_add(s, e->begin, e->end, 1);
        else
            sum_at(s, e->counted, 1);
    }
}

/* Data that must wait for a port. */
static void drsq(struct sum *s, const struct bbox *b, bool occupies)
{
    for (unsigned port = 0; port < BPORTS; port++)
        for (size_t i = 0; i < b->port[port].n; i++) {
            const struct entry *e = &b->port[port].entry[i];
            if (!e->kind || e->begin == e->arrival)
                continue;
            if (occupies)
                sum_add(s, e->arrival, e->begin, 1);
            else
                sum_at(s, e->counted, 1);
        }
}

/* The fields of the pattern that the event compares. */
static void matching(struct sum *s, const struct bbox *b, unsigned direction, bool class,
                     bool opcode, bool line, const struct nhmex_signal *sig)
{
    struct nhmex_pattern p = {0};

    if (class)
        p.class = sig->pattern.class;
    if (opcode)
        p.opcode = sig->pattern.opcode;
    if (line)
        p.line = sig->pattern.line;
    sum_packets(s, &b->packets, direction, 3, &p);
}

bool nhmex_bbox_0_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    static const unsigned tracked[32] = {
        [0x04] = ALL_KINDS | ALL_REQUESTERS,
        [0x05] = WRITE | ALL_REQUESTERS,
        [0x06] = INVITOE | ALL_REQUESTERS,
        [0x0b] = ALL_KINDS | DEVICE,
        [0x0d] = WRITE | DEVICE,
        [0x0f] = INVITOE | DEVICE,
        [0x1c] = READ | DEVICE,
    };

    if (sig->code >= 0x01 && sig->code <= 0x03)
        return matching(s, b, PACKET_IN, sig->code != 2, sig->code != 1, true, sig), true;
    if (tracked[sig->code & 31])
        return kinds(s, &b->tracker, tracked[sig->code & 31], true), true;
    if (sig->code == 0x07)
        return sum_occupancy(s, &b->imt), true;
    if (sig->code == 0x09)
        return drsq(s, b, true), true;
    return sig->code == 0x12;
}

bool nhmex_bbox_1_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    static const unsigned inserted[32] = {
        [0x07] = ALL_KINDS | ALL_REQUESTERS, [0x0a] = ALL_KINDS | DEVICE, [0x0b] = ALL_KINDS | CORE,
        [0x0c] = WRITE | ALL_REQUESTERS,     [0x0d] = WRITE | DEVICE,     [0x0e] = WRITE | CORE,
        [0x0f] = INVITOE | ALL_REQUESTERS,   [0x10] = INVITOE | DEVICE,   [0x1c] = INVITOE | CORE,
        [0x1d] = READ | ALL_REQUESTERS,      [0x1f] = READ | CORE,
    };
    bool in = sig->code % 2;

    if (sig->code >= 0x01 && sig->code <= 0x06)
        return matching(s, b, in ? PACKET_IN : PACKET_OUT, sig->code <= 2 || sig->code >= 5,
                        sig->code >= 3, false, sig),
               true;
    if (inserted[sig->code & 31]) {
        kinds(s, &b->imt, inserted[sig->code & 31], false);
        if (sig->code == 0x07)
            kinds(s, &b->acknowledged, inserted[sig->code & 31], false);
        return true;
    }
    if (sig->code == 0x09)
        return drsq(s, b, false), true;
    return sig->code == 0x12;
}

bool nhmex_bbox_2_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x01: /* none is a snoop */
        return matching(s, b, PACKET_IN, false, false, false, sig), true;
    case 0x02:
        return sum_instants(s, &b->packets, PACKET_IN, 1), true;
    case 0x03:
        return sum_instants(s, &b->packets, PACKET_OUT, 1), true;
    case 0x04:
        return matching(s, b, PACKET_IN, false, false, true, sig), true;
    case 0x07:
        return sum_queue_of(s, CYCLES_NE, &b->imt), true;
    default:
        return false;
    }
}

bool nhmex_bbox_3_levels(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x02: /* EARLY_ACK */
    case 0x0f: /* DEMAND_FETCH */
    case 0x12: /* IMPLICIT_WBS */
    case 0x14: /* SBOX_VN0_UNAVAIL */
    case 0x15: /* RBOX_VNA_UNAVAIL */
    case 0x17: /* CONFLICTS */
    case 0x19: /* ACK_BEFORE_LAST_SNP */
        return sum_instants(s, &b->counts, 3 << 8 | sig->code, 1), true;
    case 0x0e:
        for (size_t i = 0; i < b->imt.n; i++)
            if (b->imt.entry[i].begin == b->tracker.entry[i].arrival)
                sum_at(s, b->imt.entry[i].counted, 1);
        return true;
    case 0x13:
        return sum_no_credit(s, &b->imt, 1), true;
    case 0x16:
        return sum_queue_of(s, CYCLES_FULL, &b->imt), true;
    default:
        return false;
    }
}
