/* What a selection of a C-Box counts: docs/explanation/model-nhmex.md. */
#include "model/nhmex/machine.h"

/* Adds one count for each bit of the unit mask. */
static bool by_bit(struct bx_signal *signal, const uint64_t *count, unsigned n)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < n; i++)
        if (umask >> i & 1)
            bx_nhmex_add(signal, &count[i]);
    return !(umask >> n);
}

/* ARB_WINS: AD_SB 01H, AD_NSB 02H, AK_SB 04H … IV 40H. */
static bool wins(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < BX_NHMEX_EGRESSES; i++)
        if (umask >> i & 1)
            bx_nhmex_add(signal, &c->egress[i].inserts);
    return !(umask >> BX_NHMEX_EGRESSES);
}

static bool losses(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < BX_NHMEX_EGRESSES; i++)
        if (umask >> i & 1)
            bx_nhmex_level(signal, &c->egress[i].waiting, BX_GAUGE_ENTRIES);
    return !(umask >> BX_NHMEX_EGRESSES);
}

/* Each of AD, AK, BL and IV has two bits. BYP0: messages in either direction that found their
 * egress queue empty. BYP1 is a bypass that takes a cycle, which the model does not have. */
static bool egress_bypasses(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    for (unsigned i = 0; i < BX_NHMEX_IV; i++)
        if (umask >> i / 2 * 2 & 1)
            bx_nhmex_add(signal, &c->egress[i].bypasses);
    if (umask & 0x40)
        bx_nhmex_add(signal, &c->egress[BX_NHMEX_IV].bypasses);
    return !(umask >> 8);
}

/* IRQ_BYP0 01H, IPQ_BYP0 04H: messages that found their queue empty. BYP1: the model has none. */
static bool ingress_bypasses(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    if (umask & 1)
        bx_nhmex_add(signal, &c->queue[BX_NHMEX_IRQ].bypasses);
    if (umask & 4)
        bx_nhmex_add(signal, &c->queue[BX_NHMEX_IPQ].bypasses);
    return !(umask >> 4);
}

/* P2C_AD_SB 01H: 0, because cores do not wait there. C2S_AD_SB 02H, AD_NSB 04H … IV 80H. */
static bool starved(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    uint32_t umask = signal->selection.umask;

    signal->kind = BX_SIGNAL_OCCUPANCY;
    for (unsigned i = 0; i < BX_NHMEX_EGRESSES; i++)
        if (umask >> (i + 1) & 1)
            bx_nhmex_level(signal, &c->egress[i].starving, BX_GAUGE_NOT_EMPTY);
    return !(umask >> (BX_NHMEX_EGRESSES + 1));
}

/* The MAF refuses requests only when it is full. That is one bit of MAF_NACK2, and the bit of
 * MAF_NACK1 for all reasons of MAF_NACK2. */
static bool refusals(struct bx_nhmex_cbox *c, struct bx_signal *signal, uint32_t full)
{
    if (signal->selection.umask & full)
        bx_nhmex_add(signal, &c->queue[BX_NHMEX_MAF].waits);
    return !(signal->selection.umask >> 8);
}

enum { OCCUPANCY_IRQ = 0x18, TRANS_RSPF = 0x23 };

/* OCCUPANCY_* and TRANS_* alternate, queue by queue. */
static bool queue(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    static const uint8_t queues[] = {BX_NHMEX_IRQ, BX_NHMEX_IPQ,  BX_NHMEX_VIQ,
                                     BX_NHMEX_MAF, BX_NHMEX_RWRF, BX_NHMEX_RSPF};
    unsigned at = signal->selection.code - OCCUPANCY_IRQ;
    struct bx_resource *q = &c->queue[queues[at / 2]];

    return at % 2 ? bx_nhmex_add(signal, &q->inserts)
                  : bx_nhmex_level(signal, &q->in, BX_GAUGE_ENTRIES);
}

bool bx_nhmex_c_signal(struct bx_nhmex_cbox *c, struct bx_signal *signal)
{
    unsigned code = signal->selection.code;

    if (code >= OCCUPANCY_IRQ && code <= TRANS_RSPF)
        return queue(c, signal);
    switch (code) {
    case 0x01:
        return by_bit(signal, c->bounces, 2);
    case 0x02: /* 0: cores accept all messages */
    case 0x03:
        return !(signal->selection.umask >> 2);
    case 0x04:
        return true;
    case 0x05:
        return by_bit(signal, c->from_core, BX_NHMEX_RINGS);
    case 0x06:
        return by_bit(signal, c->to_core, BX_NHMEX_RINGS);
    case 0x07:
        return by_bit(signal, c->from_s, BX_NHMEX_RINGS);
    case 0x08:
        return bx_nhmex_add(signal, &c->s_to_core_data);
    case 0x09:
        return wins(c, signal);
    case 0x0a:
        return losses(c, signal);
    case 0x0b:
        return starved(c, signal);
    case 0x0c:
        return egress_bypasses(c, signal);
    case 0x0e:
        return ingress_bypasses(c, signal);
    case 0x10:
        return bx_nhmex_add(signal, &c->queue[BX_NHMEX_MAF].inserts);
    case 0x11:
        return refusals(c, signal, 0x80);
    case 0x12:
        return refusals(c, signal, 0x01);
    case 0x14:
        return by_bit(signal, c->miss, 3);
    case 0x15:
        return by_bit(signal, c->hit, 4);
    case 0x16:
        return by_bit(signal, c->fill, 4);
    case 0x17:
        return by_bit(signal, c->victim, 5);
    case 0x27:
        return by_bit(signal, c->snoop, 2);
    case 0x28:
        return by_bit(signal, c->snoop_hit, 8);
    default:
        return false;
    }
}
