/* The S-Box: between the C-Boxes of its side and home agents, other packages and the IOH. */
#include "model/machine/nhmex/machine.h"

enum {
    IOH_NODE = 16,
};

static struct bx_nhmex_sbox *sbox_of(struct bx_nhmex *m, struct bx_nhmex_peer at)
{
    return &m->package[at.package].s[bx_nhmex_side(at.slice)];
}

static unsigned lane_of(struct bx_nhmex_peer at)
{
    return at.slice % BX_NHMEX_SIDE_CORES;
}

/* The R-Box port through which the packets of a C-Box, or of the IOH, enter and leave. */
static struct bx_nhmex_node_port port_of(struct bx_nhmex_peer at)
{
    unsigned port =
        at.ioh ? bx_nhmex_link_port(BX_NHMEX_LINKS - 1) : bx_nhmex_s_port(bx_nhmex_side(at.slice));
    return (struct bx_nhmex_node_port){at.package, port};
}

static uint8_t node_of(struct bx_nhmex_peer at)
{
    return at.ioh ? IOH_NODE : (uint8_t)at.package;
}

static void address(const struct bx_nhmex *m, struct bx_nhmex_packet *packet, uint8_t from,
                    uint8_t to)
{
    packet->from = from;
    packet->to = to;
    packet->home = (uint8_t)bx_nhmex_home(m, packet->line);
}

/* ---- to the R-Box and the B-Box ---- */

/* Passes a queue that exists once for each C-Box. Returns the time when the entry leaves. */
static uint64_t fifo(struct bx_nhmex *m, struct bx_nhmex_fifo *f, unsigned lane, uint64_t t,
                     uint64_t cycles, uint64_t *waits)
{
    uint64_t end = bx_nhmex_occupy(m, &f->of[lane], t, cycles);

    *waits += end - cycles > t;
    bx_gauge_put_lane(&f->lanes, &m->model.memory, lane, m->model.time.now, end - cycles, end);
    bx_nhmex_gauge_put(m, &f->waiting, t, end - cycles);
    return end;
}

static uint64_t hom(struct bx_nhmex *m, struct bx_nhmex_sbox *s, unsigned via, uint64_t t)
{
    uint64_t bypasses = s->hom[via].bypasses;
    uint64_t end = bx_nhmex_occupy(m, &s->hom[via], t, m->times.s_queue);

    if (via == BX_NHMEX_VIA_B && s->hom[via].bypasses != bypasses)
        bx_nhmex_gauge_put(m, &s->bypass_to_b, t, t + 1);
    bx_nhmex_gauge_put(m, &s->hom_any, end - m->times.s_queue, end);
    s->hom_sent[via]++;
    return end;
}

/* Sends a packet through the queue of its class. Returns the time when it is sent. */
static uint64_t send(struct bx_nhmex *m, struct bx_nhmex_peer from, unsigned via,
                     const struct bx_nhmex_packet *packet, uint64_t t)
{
    struct bx_nhmex_sbox *s = sbox_of(m, from);
    unsigned lane = lane_of(from), flits = bx_nhmex_flits(packet);

    if (via == BX_NHMEX_VIA_B) {
        s->sent_to_b++;
        if (packet->class == BX_NHMEX_DRS)
            return bx_nhmex_occupy(m, &s->data_to_b, t, m->times.s_queue + flits - 1);
        return hom(m, s, via, t);
    }
    bx_nhmex_compare_packet(&s->patterns, BX_NHMEX_S, BX_NHMEX_OUT, packet);
    s->flits_sent[packet->class] += flits;
    switch (packet->class) {
    case BX_NHMEX_HOM:
    case BX_NHMEX_HOM1:
        return hom(m, s, via, t);
    case BX_NHMEX_SNP:
        s->snp_sent += !packet->spawned;
        return bx_nhmex_occupy(m, &s->snp, t, m->times.s_queue);
    case BX_NHMEX_NDR:
        s->ndr_sent++;
        return bx_nhmex_occupy(m, &s->ndr, t, m->times.s_queue);
    default:
        s->by_core[packet->class][lane] += !packet->spawned;
        return fifo(m,
                    packet->class == BX_NHMEX_DRS   ? &s->drs
                    : packet->class == BX_NHMEX_NCB ? &s->ncb
                                                    : &s->ncs,
                    lane, t, m->times.s_queue + flits - 1,
                    &m->package[from.package].c[from.slice].nack2[BX_NHMEX_NO_S_FIFO_CREDITS]);
    }
}

/* ---- credits ---- */

/* A packet wants a credit at t, which is back so many cycles after the packet has it. Work may end
 * before that. Returns when the packet has it. */
static uint64_t take_credit(struct bx_nhmex *m, struct bx_queue *credits, uint64_t t,
                            uint64_t cycles)
{
    if (!credits->in.full)
        return t;
    uint64_t begin = bx_queue_begin(credits, m->model.time.now, t, cycles);

    bx_nhmex_queue_put(m, credits, t, begin, begin + cycles);
    return begin;
}

/* A packet has come out of an S-Box's queue to the B-Boxes at t. Returns when it leaves. */
static uint64_t leave_for_b(struct bx_nhmex *m, struct bx_nhmex_sbox *s, uint64_t t)
{
    uint64_t leaves = take_credit(m, &s->b_credits, t, (uint64_t)2 * m->times.s_to_b);

    if (leaves > t)
        bx_nhmex_gauge_put(m, &s->no_vna_any, t, leaves);
    return leaves;
}

/* ---- to and from home agents, packages and the IOH ---- */

uint64_t bx_nhmex_to_home(struct bx_nhmex *m, struct bx_nhmex_peer from,
                          struct bx_nhmex_packet *packet, uint64_t t)
{
    unsigned home = bx_nhmex_home(m, packet->line), side = bx_nhmex_home_side(packet->line);
    struct bx_nhmex_bbox *b = &m->package[home].b[side];
    struct bx_nhmex_node_port to = {home, bx_nhmex_b_port(side)};

    address(m, packet, node_of(from), (uint8_t)home);
    if (from.ioh) {
        t = bx_nhmex_route(m, port_of(from), to, packet, t + m->times.ioh_link);
    } else if (home == from.package) {
        t = leave_for_b(m, sbox_of(m, from), send(m, from, BX_NHMEX_VIA_B, packet, t)) +
            m->times.s_to_b;
        b->s_to_b++;
    } else {
        t = bx_nhmex_route(m, port_of(from), to, packet, send(m, from, BX_NHMEX_VIA_R, packet, t));
    }
    b->in_not_snoops++;
    bx_nhmex_compare_packet(&b->patterns, BX_NHMEX_B, BX_NHMEX_IN, packet);
    return t;
}

/* ---- from the R-Box and the B-Box to the rings ---- */

static const uint8_t to_ring_of[BX_NHMEX_CLASSES] = {
    [BX_NHMEX_SNP] = BX_NHMEX_RING_SNP, [BX_NHMEX_NCB] = BX_NHMEX_RING_NCB,
    [BX_NHMEX_NCS] = BX_NHMEX_RING_NCS, [BX_NHMEX_NDR] = BX_NHMEX_RING_NDR,
    [BX_NHMEX_DRS] = BX_NHMEX_RING_R2S,
};

static unsigned ring_of(enum bx_nhmex_class class)
{
    return class == BX_NHMEX_NDR                            ? BX_NHMEX_AK
           : class == BX_NHMEX_DRS || class == BX_NHMEX_NCB ? BX_NHMEX_BL
                                                            : BX_NHMEX_AD;
}

/* Passes a packet for a C-Box from its S-Box to it. Returns the time when the C-Box has it. */
static uint64_t receive(struct bx_nhmex *m, struct bx_nhmex_peer at, unsigned from,
                        const struct bx_nhmex_packet *packet, uint64_t t)
{
    struct bx_nhmex_sbox *s = sbox_of(m, at);
    unsigned ring = ring_of(packet->class), counter = lane_of(at) >= BX_NHMEX_SIDE_CORES / 2;
    unsigned queue = to_ring_of[packet->class];

    s->received[packet->class]++;
    s->received_from[from]++;
    if (from == BX_NHMEX_VIA_B) /* the credit returns in an idle flit */
        bx_nhmex_gauge_put(m, &s->bypass_to_b, t, t + 1);
    if (packet->class == BX_NHMEX_DRS)
        s->data_from[from]++;
    if (packet->class == BX_NHMEX_DRS && from == BX_NHMEX_VIA_B)
        queue = BX_NHMEX_RING_B2S;
    t = bx_nhmex_occupy(m, &s->to_ring[queue], t, m->times.s_queue);
    unsigned messages = ring == BX_NHMEX_BL ? BX_NHMEX_LINE_MESSAGES : 1;
    t = bx_nhmex_occupy(m, &s->egress[2 * ring + counter], t, messages);
    m->package[at.package].c[at.slice].from_s[ring] += messages;
    return t + m->times.ring;
}

uint64_t bx_nhmex_to_slice(struct bx_nhmex *m, struct bx_nhmex_peer from, unsigned package,
                           struct bx_nhmex_packet *packet, uint64_t t)
{
    struct bx_nhmex_peer to = {.package = package, .slice = bx_nhmex_slice(m, packet->line)};

    address(m, packet, node_of(from), node_of(to));
    t = from.ioh ? t + m->times.ioh_link : send(m, from, BX_NHMEX_VIA_R, packet, t);
    return receive(m, to, BX_NHMEX_VIA_R, packet,
                   bx_nhmex_route(m, port_of(from), port_of(to), packet, t));
}

uint64_t bx_nhmex_forward(struct bx_nhmex *m, struct bx_nhmex_peer from, struct bx_nhmex_peer to,
                          struct bx_nhmex_packet *packet, uint64_t t)
{
    address(m, packet, node_of(from), node_of(to));
    t = send(m, from, BX_NHMEX_VIA_R, packet, t);
    t = bx_nhmex_route(m, port_of(from), port_of(to), packet, t);
    return to.ioh ? t + m->times.ioh_link : receive(m, to, BX_NHMEX_VIA_R, packet, t);
}

uint64_t bx_nhmex_to_ioh(struct bx_nhmex *m, struct bx_nhmex_peer from,
                         struct bx_nhmex_packet *packet, uint64_t t)
{
    const struct bx_nhmex_peer ioh = {.ioh = true};

    address(m, packet, node_of(from), IOH_NODE);
    packet->home = IOH_NODE;
    t = send(m, from, BX_NHMEX_VIA_R, packet, t);
    return bx_nhmex_route(m, port_of(from), port_of(ioh), packet, t) + m->times.ioh_link;
}

uint64_t bx_nhmex_from_ioh(struct bx_nhmex *m, struct bx_nhmex_peer to,
                           struct bx_nhmex_packet *packet, uint64_t t)
{
    const struct bx_nhmex_peer ioh = {.ioh = true};

    address(m, packet, IOH_NODE, node_of(to));
    t = bx_nhmex_route(m, port_of(ioh), port_of(to), packet, t + m->times.ioh_link);
    return receive(m, to, BX_NHMEX_VIA_R, packet, t);
}

/* Sends a packet through a B-Box's port to its S-Box or R-Box. The packet keeps the port busy. Data
 * that finds it busy, or has no credit, waits in DRSQ (323535-001 page 46). Returns the time when
 * the packet begins to leave. */
static uint64_t through_output(struct bx_nhmex *m, struct bx_nhmex_bbox *b, unsigned via,
                               const struct bx_nhmex_packet *packet, uint64_t t)
{
    bool data = packet->class == BX_NHMEX_DRS;
    unsigned cycles = !data                   ? 1
                      : via == BX_NHMEX_VIA_B ? BX_NHMEX_LINE_MESSAGES
                                              : bx_nhmex_flits(packet);
    uint64_t ready = via == BX_NHMEX_VIA_B ? take_credit(m, &b->s_credits[packet->class], t,
                                                         cycles + (uint64_t)2 * m->times.s_to_b)
                                           : t;
    uint64_t begin = bx_nhmex_occupy(m, &b->output[via], ready, cycles) - cycles;

    if (data && begin > t) {
        b->drsq_inserts++;
        bx_nhmex_gauge_put(m, &b->drsq, t, begin);
    }
    return begin;
}

uint64_t bx_nhmex_from_home(struct bx_nhmex *m, struct bx_nhmex_peer to,
                            struct bx_nhmex_packet *packet, uint64_t t)
{
    unsigned home = bx_nhmex_home(m, packet->line), side = bx_nhmex_home_side(packet->line);
    struct bx_nhmex_node_port from = {home, bx_nhmex_b_port(side)};
    struct bx_nhmex_bbox *b = &m->package[home].b[side];
    bool local = !to.ioh && to.package == home;

    address(m, packet, (uint8_t)home, node_of(to));
    bx_nhmex_compare_packet(&b->patterns, BX_NHMEX_B, BX_NHMEX_OUT, packet);
    t = through_output(m, b, local ? BX_NHMEX_VIA_B : BX_NHMEX_VIA_R, packet, t);
    if (local) {
        b->b_to_s++;
        return receive(m, to, BX_NHMEX_VIA_B, packet, t + m->times.s_to_b);
    }
    t = bx_nhmex_route(m, from, port_of(to), packet, t);
    return to.ioh ? t + m->times.ioh_link : receive(m, to, BX_NHMEX_VIA_R, packet, t);
}

struct bx_queue *bx_nhmex_table(struct bx_nhmex *m, struct bx_nhmex_peer requester)
{
    return &sbox_of(m, requester)->table;
}

struct bx_queue *bx_nhmex_credits(struct bx_nhmex *m, struct bx_nhmex_peer requester, uint64_t line)
{
    struct bx_nhmex_bbox *b = &m->package[bx_nhmex_home(m, line)].b[bx_nhmex_home_side(line)];
    return &b->credits[requester.package][bx_nhmex_side(requester.slice)];
}

void bx_nhmex_table_put(struct bx_nhmex *m, struct bx_nhmex_peer requester, uint64_t line,
                        uint64_t begin, uint64_t end, uint64_t answered)
{
    struct bx_nhmex_sbox *s = sbox_of(m, requester);
    unsigned where = bx_nhmex_home(m, line) == requester.package ? BX_NHMEX_LOCAL : BX_NHMEX_REMOTE;

    s->requests[where]++;
    bx_nhmex_queue_put(m, &s->table, begin, begin, end);
    bx_nhmex_gauge_put(m, &s->table_of[where], begin, end);
    bx_nhmex_queue_put(m, bx_nhmex_credits(m, requester, line), begin, begin, answered);
}
