/* What a selection of an S-Box counts: docs/explanation/model-nhmex.md. */
#include "model/nhmex/machine.h"

enum { FULL = BX_GAUGE_FULL, NOT_EMPTY = BX_GAUGE_NOT_EMPTY, ENTRIES = BX_GAUGE_ENTRIES };

/* RBOX 01H, BBOX 02H, or both. */
static bool hom(struct bx_nhmex_sbox *s, struct bx_signal *signal, enum bx_gauge_sum what)
{
    uint32_t umask = signal->selection.umask;

    if (umask == 3 && what != BX_GAUGE_ENTRIES)
        return bx_nhmex_level(signal, &s->hom_any, what);
    for (unsigned via = 0; via < BX_NHMEX_VIAS; via++)
        if (umask >> via & 1)
            bx_nhmex_level(signal, &s->hom[via].in, what);
    return !(umask >> BX_NHMEX_VIAS);
}

/* One bit for each C-Box of the side. With several bits, NOT_EMPTY counts cycles with something in
 * any of their queues (p78). FULL is undefined there; the model knows it only for one queue, or for
 * all being full. */
static bool fifo(struct bx_nhmex_fifo *f, struct bx_signal *signal, enum bx_gauge_sum what)
{
    const uint32_t all = (1u << BX_NHMEX_SIDE_CORES) - 1;
    uint32_t umask = signal->selection.umask;

    if (what == BX_GAUGE_NOT_EMPTY)
        return !(umask & ~all) &&
               bx_nhmex_level(signal, &f->lanes, (enum bx_gauge_sum)(BX_GAUGE_LANES + umask));
    if (umask == all && what == BX_GAUGE_FULL)
        return bx_nhmex_level(signal, &f->lanes, what);
    if (umask & (umask - 1) && what == BX_GAUGE_FULL)
        return false;
    for (unsigned lane = 0; lane < BX_NHMEX_SIDE_CORES; lane++)
        if (umask >> lane & 1)
            bx_nhmex_level(signal, &f->of[lane].in, what);
    return !(umask & ~all);
}

static bool by_core(struct bx_nhmex_sbox *s, struct bx_signal *signal, enum bx_nhmex_class class)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned lane = 0; lane < BX_NHMEX_SIDE_CORES; lane++)
        if (umask >> lane & 1)
            bx_nhmex_add(signal, &s->by_core[class][lane]);
    return !(umask >> BX_NHMEX_SIDE_CORES);
}

static bool two(struct bx_signal *signal, const uint64_t count[2])
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < 2; i++)
        if (umask >> i & 1)
            bx_nhmex_add(signal, &count[i]);
    return !(umask >> 2);
}

/* TO_R_*_MSGQ_*: full, not empty and occupancy, class by class, from code 03H on. */
static bool to_r(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    static const struct {
        uint8_t code, class, what;
    } events[] = {
        {0x03, BX_NHMEX_HOM, FULL}, {0x06, BX_NHMEX_HOM, NOT_EMPTY}, {0x07, BX_NHMEX_HOM, ENTRIES},
        {0x08, BX_NHMEX_SNP, FULL}, {0x09, BX_NHMEX_SNP, NOT_EMPTY}, {0x0a, BX_NHMEX_SNP, ENTRIES},
        {0x0b, BX_NHMEX_NDR, FULL}, {0x0c, BX_NHMEX_NDR, NOT_EMPTY}, {0x0d, BX_NHMEX_NDR, ENTRIES},
        {0x0e, BX_NHMEX_DRS, FULL}, {0x0f, BX_NHMEX_DRS, NOT_EMPTY}, {0x10, BX_NHMEX_DRS, ENTRIES},
        {0x11, BX_NHMEX_NCB, FULL}, {0x12, BX_NHMEX_NCB, NOT_EMPTY}, {0x13, BX_NHMEX_NCB, ENTRIES},
        {0x14, BX_NHMEX_NCS, FULL}, {0x15, BX_NHMEX_NCS, NOT_EMPTY}, {0x16, BX_NHMEX_NCS, ENTRIES},
    };

    for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
        enum bx_gauge_sum what = (enum bx_gauge_sum)events[i].what;
        if (events[i].code != signal->selection.code)
            continue;
        switch (events[i].class) {
        case BX_NHMEX_HOM:
            return hom(s, signal, what);
        case BX_NHMEX_SNP:
            return bx_nhmex_level(signal, &s->snp.in, what);
        case BX_NHMEX_NDR:
            return bx_nhmex_level(signal, &s->ndr.in, what);
        case BX_NHMEX_DRS:
            return fifo(&s->drs, signal, what);
        case BX_NHMEX_NCB:
            return fifo(&s->ncb, signal, what);
        default:
            return fifo(&s->ncs, signal, what);
        }
    }
    return false;
}

/* TO_RING_*_MSGQ_*. */
static bool to_ring(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    static const struct {
        uint8_t code, queue, what;
    } events[] = {
        {0x20, BX_NHMEX_RING_SNP, FULL},      {0x21, BX_NHMEX_RING_NCB, FULL},
        {0x22, BX_NHMEX_RING_NCS, FULL},      {0x23, BX_NHMEX_RING_SNP, NOT_EMPTY},
        {0x24, BX_NHMEX_RING_NCB, NOT_EMPTY}, {0x25, BX_NHMEX_RING_NCS, NOT_EMPTY},
        {0x27, BX_NHMEX_RING_NDR, FULL},      {0x28, BX_NHMEX_RING_NDR, NOT_EMPTY},
        {0x29, BX_NHMEX_RING_NDR, ENTRIES},   {0x2a, BX_NHMEX_RING_R2S, FULL},
        {0x2b, BX_NHMEX_RING_B2S, FULL},      {0x2c, BX_NHMEX_RING_R2S, NOT_EMPTY},
        {0x2d, BX_NHMEX_RING_B2S, NOT_EMPTY}, {0x2e, BX_NHMEX_RING_R2S, ENTRIES},
        {0x2f, BX_NHMEX_RING_B2S, ENTRIES},
    };

    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i].code == signal->selection.code)
            return bx_nhmex_level(signal, &s->to_ring[events[i].queue].in,
                                  (enum bx_gauge_sum)events[i].what);
    return false;
}

/* TO_RING_MSGQ_OCCUPANCY: SNP 01H, NCS 02H, NCB 04H. */
static bool to_ring_occupancy(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    static const uint8_t queues[] = {BX_NHMEX_RING_SNP, BX_NHMEX_RING_NCS, BX_NHMEX_RING_NCB};
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < sizeof queues; i++)
        if (umask >> i & 1)
            bx_nhmex_level(signal, &s->to_ring[queues[i]].in, BX_GAUGE_ENTRIES);
    return !(umask >> sizeof queues);
}

/* EGRESS_*: AD 01H and 02H, AK 04H and 08H, BL 10H and 20H. The first bit is clockwise, the second
 * counter-clockwise. */
static bool egress(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    enum { BYPASS = 0x40, WINS, LOSSES, STARVED };
    uint32_t umask = signal->selection.umask;
    unsigned code = signal->selection.code;

    for (unsigned i = 0; i < 2 * BX_NHMEX_RINGS; i++) {
        if (!(umask >> i & 1))
            continue;
        if (code == BYPASS)
            bx_nhmex_add(signal, &s->egress[i].bypasses);
        else if (code == WINS)
            bx_nhmex_add(signal, &s->egress[i].inserts);
        else if (code == LOSSES)
            bx_nhmex_level(signal, &s->egress[i].waiting, BX_GAUGE_ENTRIES);
        else
            bx_nhmex_level(signal, &s->egress[i].starving, BX_GAUGE_NOT_EMPTY);
    }
    return code >= BYPASS && code <= STARVED && !(umask >> 2 * BX_NHMEX_RINGS);
}

static bool waits(struct bx_signal *signal, struct bx_resource *resource)
{
    return bx_nhmex_level(signal, &resource->waiting, BX_GAUGE_NOT_EMPTY);
}

/* NO_CREDIT_*: cycles in which something waits for room. */
static bool no_credit(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    switch (signal->selection.code) {
    case 0x80:
        return waits(signal, &s->hom[BX_NHMEX_VIA_R]);
    case 0x81:
        return waits(signal, &s->snp);
    case 0x82:
        return bx_nhmex_level(signal, &s->drs.waiting, BX_GAUGE_NOT_EMPTY);
    case 0x83:
        return bx_nhmex_level(signal, &s->ncs.waiting, BX_GAUGE_NOT_EMPTY);
    case 0x84:
        return bx_nhmex_level(signal, &s->ncb.waiting, BX_GAUGE_NOT_EMPTY);
    case 0x85:
        return waits(signal, &s->ndr);
    case 0x86: /* 0: credits of the shared network never run out */
        return !(signal->selection.umask >> BX_NHMEX_VIAS);
    case 0x8a:
        return waits(signal, &s->to_ring[BX_NHMEX_RING_SNP]);
    default:
        return false;
    }
}

static bool packets(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    switch (signal->selection.code) {
    case 0x60:
        return two(signal, s->hom_sent);
    case 0x62:
        return bx_nhmex_add(signal, &s->snp_sent);
    case 0x63:
        return bx_nhmex_add(signal, &s->ndr_sent);
    case 0x64:
        return by_core(s, signal, BX_NHMEX_DRS);
    case 0x65:
        return bx_nhmex_add(signal, &s->flits_sent[BX_NHMEX_DRS]);
    case 0x66:
        return by_core(s, signal, BX_NHMEX_NCS);
    case 0x67:
        return bx_nhmex_add(signal, &s->flits_sent[BX_NHMEX_NCS]);
    case 0x68:
        return by_core(s, signal, BX_NHMEX_NCB);
    case 0x69:
        return bx_nhmex_add(signal, &s->flits_sent[BX_NHMEX_NCB]);
    case 0x6a:
        return bx_nhmex_add(signal, &s->received_from[BX_NHMEX_VIA_R]);
    case 0x6b:
        return bx_nhmex_add(signal, &s->received_from[BX_NHMEX_VIA_B]);
    case 0x6c:
        return two(signal, s->requests);
    case 0x70:
        return bx_nhmex_add(signal, &s->received[BX_NHMEX_NDR]);
    case 0x71:
        return bx_nhmex_add(signal, &s->received[BX_NHMEX_SNP]);
    case 0x72:
        return bx_nhmex_add(signal, &s->data_from[BX_NHMEX_VIA_R]);
    case 0x73:
        return bx_nhmex_add(signal, &s->data_from[BX_NHMEX_VIA_B]);
    case 0x74:
        return bx_nhmex_add(signal, &s->received[BX_NHMEX_NCS]);
    case 0x75:
        return bx_nhmex_add(signal, &s->received[BX_NHMEX_NCB]);
    case 0x77:
        return bx_nhmex_add(signal, &s->sent_to_b);
    default:
        return false;
    }
}

/* Packets that found their queue empty: those to the R-Box, and data from the B-Box. For the queue
 * to the B-Box: cycles, which include credits that return the same way. */
static bool bypasses(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    switch (signal->selection.code) {
    case 0x50:
        return bx_nhmex_add(signal, &s->hom[BX_NHMEX_VIA_R].bypasses);
    case 0x51: /* SNP 01H; BIG_SNP 02H: 0, no snoop is for several lines */
        return umask & 1 ? bx_nhmex_add(signal, &s->snp.bypasses) : umask == 2;
    case 0x52:
        return bx_nhmex_level(signal, &s->bypass_to_b, BX_GAUGE_NOT_EMPTY);
    case 0x53:
        return bx_nhmex_add(signal, &s->to_ring[BX_NHMEX_RING_B2S].bypasses);
    default:
        return false;
    }
}

/* REQ_TBL_OCCUPANCY: LOCAL 01H, REMOTE 02H. */
static bool table(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < 2; i++)
        if (umask >> i & 1)
            bx_nhmex_level(signal, &s->table_of[i], BX_GAUGE_ENTRIES);
    return !(umask >> 2);
}

bool bx_nhmex_s_signal(struct bx_nhmex_sbox *s, struct bx_signal *signal)
{
    unsigned code = signal->selection.code;

    if (code == 0x00)
        return bx_nhmex_can_compare(&signal->selection);
    if (code < 0x20)
        return to_r(s, signal);
    if (code == 0x26)
        return to_ring_occupancy(s, signal);
    if (code < 0x30)
        return to_ring(s, signal);
    if (code == 0x31)
        return table(s, signal);
    if (code < 0x50)
        return egress(s, signal);
    if (code < 0x60)
        return bypasses(s, signal);
    return code < 0x80 ? packets(s, signal) : no_credit(s, signal);
}
