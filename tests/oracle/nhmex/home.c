/* The paths between and inside packages, and home agents: S-, R- and B-Boxes. */
#include "nhmex/machine.h"

enum { SBOX_PORT = 2, BBOX_PORT = 3, PORTS_OF_SIDE = 4, IOH_PORT = 5 }; /* ports of side 0 */

uint64_t nhmex_egress(struct nhmex_oracle *o, struct resource *r, bool line, uint64_t t)
{
    return nhmex_put(o, r, t, line ? 2 : 1)->end + o->times.ring;
}

/* Lines of a package's part: a whole number of 2 MiB. */
uint64_t nhmex_node_lines(const struct nhmex_oracle *o)
{
    return (uint64_t)(16 * 512 / o->packages) * (2 << 20) / 64;
}

unsigned nhmex_home_package(const struct nhmex_oracle *o, uint64_t line)
{
    unsigned home = (unsigned)((line >> 6) % o->packages);

    if (o->divided)
        for (home = 0; home + 1 < o->packages && line >= (home + 1) * nhmex_node_lines(o);)
            home++;
    return home;
}

unsigned nhmex_home_side(uint64_t line)
{
    return line >> 1 & 1;
}

struct resource *nhmex_table_of(struct nhmex_oracle *o, const struct cbox *c)
{
    return &o->package[c->package].sbox[c->side].table;
}

struct resource *nhmex_credits_of(struct nhmex_oracle *o, const struct cbox *c, uint64_t line)
{
    return &o->package[nhmex_home_package(o, line)].bbox[nhmex_home_side(line)].credits[c->package]
                                                                                       [c->side];
}

static struct sbox *sbox_of(struct nhmex_oracle *o, const struct cbox *c)
{
    return &o->package[c->package].sbox[c->side];
}

/* ---- links ---- */

enum { LINKS = 4, NO_PACKAGE = PACKAGES };

static unsigned neighbour(const struct nhmex_oracle *o, unsigned package, unsigned link)
{
    static const unsigned flips[LINKS] = {1, 2, 4, 7};
    unsigned other;

    if (o->packages <= 5)
        return (package + link + 1) % o->packages;
    other = package ^ flips[link];
    return other < o->packages ? other : NO_PACKAGE;
}

/* The first direct link from one package to another; LINKS: there is none. */
static unsigned direct_link(const struct nhmex_oracle *o, unsigned from, unsigned to)
{
    for (unsigned link = 0; link < LINKS; link++)
        if (neighbour(o, from, link) == to)
            return link;
    return LINKS;
}

static unsigned link_towards(const struct nhmex_oracle *o, unsigned from, unsigned to)
{
    unsigned link = direct_link(o, from, to);

    if (link < LINKS)
        return link;
    for (link = 0; link < LINKS; link++)
        if (neighbour(o, from, link) != NO_PACKAGE &&
            direct_link(o, neighbour(o, from, link), to) < LINKS)
            break;
    return link;
}

static unsigned port_of_link(unsigned link)
{
    return link < 2 ? link : link + 2;
}

/* ---- R-Boxes ---- */

/* "Credits": the one that a packet gets that wants to be at the port at t. NULL: it needs none. */
static struct credit *credit_for(struct nhmex_oracle *o, struct rport *port, unsigned links,
                                 struct packet *p, uint64_t t)
{
    unsigned length = p->flits == 1 ? SHORT : LONG;
    unsigned credits = length == SHORT ? o->times.vna_short : o->times.vna_long;
    struct credit *shared = &port->shared[length][port->turn[length]];
    enum network own = links < 2 ? VN0 : VN1;
    struct credit *other = &port->own[own][p->class == HOM1 ? HOM0 : p->class];

    p->network = VNA;
    if (credits == 0)
        return NULL;
    p->network = own;
    if (shared->free > t) {
        nhmex_put(o, &port->lacks, t, 1)->begin = shared->free;
        if (other->free <= t || other->free < shared->free)
            return other;
    }
    p->network = VNA;
    port->turn[length] = (port->turn[length] + 1) % credits;
    return shared;
}

/* Returns when the last flit has left through the link of the output port. links: over which it has
 * come. */
static uint64_t pass_rbox(struct nhmex_oracle *o, unsigned package, unsigned in, unsigned out,
                          const struct packet *of, unsigned links, uint64_t t)
{
    struct rport *port = o->package[package].port;
    struct packet p = *of;
    size_t lacked = port[in].lacks.n;
    struct credit *credit = credit_for(o, &port[in], links, &p, t);
    uint64_t back = in % PORTS_OF_SIDE >= SBOX_PORT                      ? 0
                    : package == 0 && in == IOH_PORT && o->packages <= 4 ? o->times.ioh_link
                                                                         : o->times.link;

    if (port[in].lacks.n > lacked && in % PORTS_OF_SIDE == BBOX_PORT)
        nhmex_count(o, &o->package[package].bbox[in / PORTS_OF_SIDE].counts, 3 << 8 | 0x15, 1, 1);
    if (credit != NULL && credit->free > t) {
        struct entry *waits = nhmex_put(o, &port[in].waits, t, 1);
        waits->begin = credit->free;
        waits->kind = p.class;
        t = credit->free;
    }
    struct entry *e = nhmex_put(o, &port[out].link, t + o->times.r_cross, (int)p.flits);
    e->kind = in;
    e->packet = p;
    nhmex_log(&port[in].new_packets,
              (struct instant){.time = o->now, .bit = 1, .amount = 1, .packet = p});
    if (credit != NULL)
        credit->free = e->end + back;
    return e->end;
}

/* To the other package: docs/explanation/model-dram.md, "Links". */
static uint64_t pass_link(struct nhmex_oracle *o, struct rport *port, const struct packet *p,
                          uint64_t ready)
{
    enum { PARTS = 256, LINE = 64, MILLION = 1000000, MODIFIED = 8 };
    bool modified = p->class == DRS && p->state == MODIFIED && o->times.link_modified;
    uint64_t takes = modified ? o->times.link_modified : o->times.link;
    uint64_t rate = (uint64_t)o->times.link_rate * MILLION;

    if (p->class != DRS || rate == 0)
        return ready + takes;
    uint64_t length = (LINE * o->hz * PARTS + rate - 1) / rate;
    uint64_t begin = single_gap(&port->way, ready * PARTS, length);
    single_use(&port->way, begin, begin + length, length);
    return (begin + PARTS - 1) / PARTS + takes;
}

/* From an R-Box's port to a port of another R-Box, or of its own. */
static uint64_t pass_rboxes(struct nhmex_oracle *o, unsigned package, unsigned in, unsigned to,
                            unsigned out, const struct packet *p, uint64_t t)
{
    unsigned links = 0;

    while (package != to) {
        unsigned link = link_towards(o, package, to);
        unsigned next = neighbour(o, package, link);
        t = pass_rbox(o, package, in, port_of_link(link), p, links++, t);
        t = pass_link(o, &o->package[package].port[port_of_link(link)], p, t);
        in = port_of_link(direct_link(o, next, package));
        package = next;
    }
    return pass_rbox(o, package, in, out, p, links, t);
}

/* ---- S-Boxes ---- */

/* Codes of the S-Box's events that happen in one cycle. */
enum {
    TO_R_PROG_EV = 0x00,
    PKTS_SENT_HOM = 0x60,
    PKTS_SENT_SNP = 0x62,
    PKTS_SENT_DRS = 0x64,
    FLITS_SENT_DRS = 0x65,
    PKTS_SENT_NDR = 0x63,
    PKTS_SENT_NCS = 0x66,
    FLITS_SENT_NCS = 0x67,
    PKTS_SENT_NCB = 0x68,
    FLITS_SENT_NCB = 0x69,
    PKTS_RCVD_NCS = 0x74,
    PKTS_RCVD_NCB = 0x75,
    RBOX_CREDIT_RETURNS = 0x6a,
    BBOX_CREDIT_RETURNS = 0x6b,
    TO_R_B_REQUESTS = 0x6c,
    PKTS_RCVD_NDR = 0x70,
    PKTS_RCVD_SNP = 0x71,
    PKTS_RCVD_DRS_FROM_R = 0x72,
    PKTS_RCVD_DRS_FROM_B = 0x73,
    BBOX_CREDITS = 0x77,
    C_SINKS_S2C = 0x07,
};

/* A queue of the S-Box sends a packet to the R-Box; returns when it enters the R-Box. */
static uint64_t to_rbox(struct nhmex_oracle *o, struct cbox *c, struct resource *queue, int stay,
                        const struct packet *p, uint64_t t)
{
    const struct entry *e = nhmex_put(o, queue, t, stay);
    struct sbox *s = sbox_of(o, c);

    if ((p->class == DRS || p->class == NCB || p->class == NCS) && e->begin > t) {
        nhmex_count(o, &c->counts, 0x11, 0x80, 1); /* MAF_NACK1 and MAF_NACK2 */
        nhmex_count(o, &c->counts, 0x12, 0x10, 1);
    }
    t = e->end;
    nhmex_log(&s->counts,
              (struct instant){
                  .time = o->now, .code = TO_R_PROG_EV, .bit = 1, .amount = 1, .packet = *p});
    return t;
}

/* From the S-Box to the C-Box: queue to the ring, egress, ring. */
static uint64_t to_slice(struct nhmex_oracle *o, struct cbox *c, const struct packet *p,
                         bool from_b, uint64_t t)
{
    struct sbox *s = sbox_of(o, c);
    bool data = p->class == DRS || p->class == NCB;
    struct resource *queue = p->class == SNP   ? &s->snp
                             : p->class == NCB ? &s->ncb
                             : p->class == NCS ? &s->ncs
                             : !data           ? &s->ndr
                             : from_b          ? &s->b2s
                                               : &s->r2s;
    enum ring ring = p->class == SNP || p->class == NCS ? RING_AD : data ? RING_BL : RING_AK;

    nhmex_count(o, &s->counts, from_b ? BBOX_CREDIT_RETURNS : RBOX_CREDIT_RETURNS, 1, 1);
    nhmex_count(o, &s->counts,
                p->class == SNP   ? PKTS_RCVD_SNP
                : p->class == NCB ? PKTS_RCVD_NCB
                : p->class == NCS ? PKTS_RCVD_NCS
                : !data           ? PKTS_RCVD_NDR
                : from_b          ? PKTS_RCVD_DRS_FROM_B
                                  : PKTS_RCVD_DRS_FROM_R,
                1, 1);
    nhmex_count(o, &c->counts, C_SINKS_S2C, 1u << ring, data ? 2 : 1);
    t = nhmex_put(o, queue, t, (int)o->times.s_queue)->end;
    return nhmex_egress(o, &s->egress[ring][c->number % 4 / 2], data, t);
}

/* ---- to and from B-Boxes ---- */

/* "Credits": when a packet that wants one at t has it. */
static uint64_t with_credit(struct nhmex_oracle *o, struct resource *credits, uint64_t t,
                            unsigned cycles)
{
    uint64_t end = o->end;

    if (credits->capacity == 0)
        return t;
    t = nhmex_put(o, credits, t, (int)cycles)->begin;
    o->end = end; /* work has ended before the credit is back */
    return t;
}

/* A packet from a C-Box's side, or from the IOH (cbox NULL), to the line's home. Returns when it
 * arrives. */
static uint64_t to_bbox(struct nhmex_oracle *o, struct cbox *c, const struct packet *p, uint64_t t)
{
    unsigned home = nhmex_home_package(o, p->line), side = nhmex_home_side(p->line);
    struct bbox *b = &o->package[home].bbox[side];
    bool local = c && c->package == home, data = p->class == DRS;
    unsigned out = BBOX_PORT + PORTS_OF_SIDE * side;
    struct sbox *s = c ? sbox_of(o, c) : NULL;
    int queue = (int)o->times.s_queue;

    nhmex_log(
        &b->packets,
        (struct instant){
            .time = o->now, .code = PACKET_IN, .bit = local ? 1 : 2, .amount = 1, .packet = *p});
    if (c == NULL)
        return pass_rboxes(o, 0, IOH_PORT, home, out, p, t + o->times.ioh_link);
    if (!data)
        nhmex_count(o, &s->counts, PKTS_SENT_HOM, local ? 2 : 1, 1);
    if (local) {
        nhmex_count(o, &s->counts, BBOX_CREDITS, 1, 1);
        const struct entry *e = nhmex_put(o, data ? &s->data_to_b : &s->hom_to_b, t,
                                          data ? queue - 1 + (int)p->flits : queue);
        if (!data && e->bypassed)
            nhmex_log(&s->hom_arrivals, (struct instant){.time = t, .amount = 1});
        return with_credit(o, &s->for_bbox, e->end, 2 * o->times.s_to_b) + o->times.s_to_b;
    }
    if (data)
        nhmex_count(o, &s->counts, FLITS_SENT_DRS, 1, p->flits);
    t = to_rbox(o, c, data ? &s->drs_to_r[c->number % 4] : &s->hom_to_r,
                data ? queue - 1 + (int)p->flits : queue, p, t);
    return pass_rboxes(o, c->package, SBOX_PORT + PORTS_OF_SIDE * c->side, home, out, p, t);
}

/* An answer of the home. Returns when it arrives at the C-Box or the IOH. */
static uint64_t from_bbox(struct nhmex_oracle *o, struct cbox *c, const struct packet *p,
                          uint64_t t)
{
    unsigned home = nhmex_home_package(o, p->line), side = nhmex_home_side(p->line);
    struct bbox *b = &o->package[home].bbox[side];
    bool local = c && c->package == home, data = p->class == DRS;
    int stay = !data ? 1 : local ? 2 : (int)p->flits;
    unsigned in = BBOX_PORT + PORTS_OF_SIDE * side;

    nhmex_log(
        &b->packets,
        (struct instant){
            .time = o->now, .code = PACKET_OUT, .bit = local ? 1 : 2, .amount = 1, .packet = *p});
    uint64_t ready = t;

    if (local)
        ready = with_credit(o, &b->for_sbox[data], t, (unsigned)stay + 2 * o->times.s_to_b);
    if (ready > t)
        nhmex_count(o, &b->counts, 3 << 8 | 0x14, 1, 1);
    struct entry *e = nhmex_put(o, &b->port[local ? TO_SBOX : TO_RBOX], ready, stay);
    e->kind = data;
    e->arrival = t; /* data has waited since then */
    t = e->begin;
    if (local) {
        nhmex_log(&sbox_of(o, c)->hom_arrivals,
                  (struct instant){.time = t + o->times.s_to_b, .amount = 1});
        return to_slice(o, c, p, true, t + o->times.s_to_b);
    }
    if (c == NULL)
        return pass_rboxes(o, home, in, 0, IOH_PORT, p, t) + o->times.ioh_link;
    t = pass_rboxes(o, home, in, c->package, SBOX_PORT + PORTS_OF_SIDE * c->side, p, t);
    return to_slice(o, c, p, false, t);
}

/* ---- "Uncacheable accesses" ---- */

/* A packet that is not coherent, or an answer to one, through its S-Box. Returns when the R-Box has
 * it. */
static uint64_t leave(struct nhmex_oracle *o, struct cbox *c, const struct packet *p, uint64_t t)
{
    struct sbox *s = sbox_of(o, c);
    unsigned lane = c->number % 4;
    int stay = (int)o->times.s_queue + (p->class == NDR ? 0 : (int)p->flits - 1);

    if (p->class == NDR)
        nhmex_count(o, &s->counts, PKTS_SENT_NDR, 1, 1);
    else
        nhmex_count(o, &s->counts, p->class == NCB ? PKTS_SENT_NCB : PKTS_SENT_NCS, 1u << lane, 1);
    if (p->class != NDR)
        nhmex_count(o, &s->counts, p->class == NCB ? FLITS_SENT_NCB : FLITS_SENT_NCS, 1, p->flits);
    return to_rbox(o, c,
                   p->class == NDR   ? &s->ndr_to_r
                   : p->class == NCB ? &s->ncb_to_r[lane]
                                     : &s->ncs_to_r[lane],
                   stay, p, t);
}

uint64_t nhmex_message(struct nhmex_oracle *o, struct cbox *from, struct cbox *to,
                       const struct packet *p, uint64_t t)
{
    t = leave(o, from, p, t);
    t = pass_rboxes(o, from->package, SBOX_PORT + PORTS_OF_SIDE * from->side, to->package,
                    SBOX_PORT + PORTS_OF_SIDE * to->side, p, t);
    return to_slice(o, to, p, false, t);
}

/* A packet from a C-Box's side to the IOH. Returns when it arrives. */
static uint64_t to_ioh(struct nhmex_oracle *o, struct cbox *c, const struct packet *p, uint64_t t)
{
    t = leave(o, c, p, t);
    return pass_rboxes(o, c->package, SBOX_PORT + PORTS_OF_SIDE * c->side, 0, IOH_PORT, p, t) +
           o->times.ioh_link;
}

static uint64_t from_ioh(struct nhmex_oracle *o, struct cbox *c, const struct packet *p, uint64_t t)
{
    t = pass_rboxes(o, 0, IOH_PORT, c->package, SBOX_PORT + PORTS_OF_SIDE * c->side, p,
                    t + o->times.ioh_link);
    return to_slice(o, c, p, false, t);
}

uint64_t nhmex_to_device(struct nhmex_oracle *o, struct cbox *c, const struct access *x, uint64_t t)
{
    bool stores = x->stores, partial = x->partial;
    struct packet p = {stores ? NCB : NCS, 0, 1, 0, c->package, IOH, x->line, true};

    if (stores)
        p.flits = partial ? 11 : 9;
    p.opcode = stores ? (partial ? 12 : 1) : (partial ? 4 : 0);
    uint64_t there = to_ioh(o, c, &p, t), served = there + o->times.ioh_device;
    struct packet back = {NDR, 8, 1, 0, IOH, c->package, x->line, true};
    if (!stores)
        back = (struct packet){DRS, 3, 9, 0, IOH, c->package, x->line, true};
    uint64_t done = from_ioh(o, c, &back, stores ? there : served);
    if (stores && partial) {
        struct packet interrupt = {NCB, 10, 11, 0, IOH, c->package, x->line, true};
        struct packet taken = {NDR, 8, 1, 0, c->package, IOH, x->line, true};
        t = from_ioh(o, c, &interrupt, served);
        nhmex_device_interrupt(o, c->package, t + o->times.ring);
        t = nhmex_egress(o, &c->egress[AK_SB], false, t);
        o->end = later(o->end, to_ioh(o, c, &taken, t));
    }
    return done;
}

/* ---- snoops and their answers ---- */

enum { NONE = 16, RSP_I = 0, RSP_S = 1, DATAC = 0, WB_I_DATA = 4, WB_S_DATA = 5, WB_I_PTL = 8 };

struct found_answer {
    unsigned response, written; /* opcodes; NONE */
    bool forwards;
    unsigned state; /* state of the forwarded line */
};

/* The table of "Snoop". */
static struct found_answer answer_to(enum snoop snoop, enum state found)
{
    bool read = snoop == SNP_DATA || snoop == SNP_CODE;

    if (found == STATE_M)
        return read                    ? (struct found_answer){12, WB_S_DATA, true, 1}
               : snoop == SNP_INV_OWN  ? (struct found_answer){9, NONE, true, 8}
               : snoop == SNP_INV_ITOE ? (struct found_answer){13, WB_I_DATA, false, 0}
                                       : (struct found_answer){8, NONE, true, 0};
    if (found == STATE_E || found == STATE_F)
        return read                    ? (struct found_answer){10, NONE, true, 1}
               : snoop == SNP_INV_OWN  ? (struct found_answer){9, NONE, true, 4}
               : snoop == SNP_INV_ITOE ? (struct found_answer){RSP_I, NONE, false, 0}
                                       : (struct found_answer){8, NONE, true, 0};
    if (found == STATE_S && (read || snoop == SNP_CUR))
        return (struct found_answer){RSP_S, NONE, false, 0};
    return (struct found_answer){RSP_I, NONE, false, 0};
}

struct transaction {
    struct cbox *requester; /* NULL: the IOH */
    unsigned opcode, id;    /* id: its package, or IOH */
    uint64_t line;
    uint64_t begins; /* it is in the IMT */
    bool snooped;    /* a snoop has been sent */
    bool forwarded;
    uint64_t responses; /* when the last response or written data was at the home */
    struct outcome out;
};

/* The answer of a slice to a snoop that is in its S-Box at t. */
static void answer_snoop(struct nhmex_oracle *o, struct transaction *x, struct cbox *c,
                         struct found_answer a, uint64_t t)
{
    unsigned home = nhmex_home_package(o, x->line);
    struct sbox *s = sbox_of(o, c);

    if ((a.written != NONE && c->package != home) || a.forwards)
        nhmex_count(o, &s->counts, PKTS_SENT_DRS, 1u << c->number % 4, 1);
    if (a.written != NONE) {
        struct packet wb = {DRS, a.written, 9, 0, c->package, home, x->line};
        uint64_t there = to_bbox(o, c, &wb, t);
        struct bbox *b = &o->package[home].bbox[nhmex_home_side(x->line)];
        nhmex_count(o, &b->counts, 3 << 8 | 0x12, 1, 1);
        nhmex_memory(o, x->line, true, there);
        x->responses = later(x->responses, there);
    }
    struct packet response = {HOM1, a.response, 1, 0, c->package, home, x->line};
    x->responses = later(x->responses, to_bbox(o, c, &response, t));
    if (!a.forwards)
        return;
    struct packet data = {DRS, DATAC, 9, a.state, c->package, x->id, x->line};
    unsigned in = SBOX_PORT + PORTS_OF_SIDE * c->side;
    nhmex_count(o, &s->counts, FLITS_SENT_DRS, 1, 9);
    t = to_rbox(o, c, &s->drs_to_r[c->number % 4], (int)o->times.s_queue + 8, &data, t);
    if (x->requester == NULL) {
        x->out.data = pass_rboxes(o, c->package, in, 0, IOH_PORT, &data, t) + o->times.ioh_link;
    } else {
        unsigned out = SBOX_PORT + PORTS_OF_SIDE * x->requester->side;
        t = pass_rboxes(o, c->package, in, x->requester->package, out, &data, t);
        x->out.data = to_slice(o, x->requester, &data, false, t);
    }
    x->forwarded = true;
}

/* "Conflicts", from the response RspCnflt on. Returns false if no other answer follows; else
 * times->done is when it is ready to leave. */
static bool after_conflict(struct nhmex_oracle *o, struct transaction *x, struct cbox *c,
                           enum state found, struct snoop_times *times)
{
    unsigned home = nhmex_home_package(o, x->line);
    struct bbox *b = &o->package[home].bbox[nhmex_home_side(x->line)];
    struct packet response = {HOM1, 4, 1, 0, c->package, home, x->line};
    uint64_t t = nhmex_egress(o, &c->egress[AK_SB], false, times->conflict);

    x->responses = later(x->responses, to_bbox(o, c, &response, t));
    if (found == STATE_I)
        return false;
    bool brings = found == STATE_M && x->opcode == SNP_INV_ITOE;
    struct packet ack = {HOM0, brings ? 9 : 15, 1, 0, c->package, home, x->line};
    t = nhmex_egress(o, &c->egress[brings ? BL_SB : AK_SB], brings, times->done);
    uint64_t there = later(x->begins, to_bbox(o, c, &ack, t));
    nhmex_put(o, &b->acknowledged, o->now, 1)->kind =
        (x->opcode == SNP_INV_ITOE ? 1u : 0u) | (x->requester ? 0u : 4u);
    if (brings) {
        struct packet line = {DRS, WB_I_DATA, 9, 0, c->package, home, x->line};
        uint64_t data = to_bbox(o, c, &line, t);
        nhmex_count(o, &b->counts, 3 << 8 | 0x12, 1, 1);
        nhmex_memory(o, x->line, true, data);
        there = later(there, data);
        if (c->package != home)
            nhmex_count(o, &sbox_of(o, c)->counts, PKTS_SENT_DRS, 1u << c->number % 4, 1);
    }
    x->responses = later(x->responses, there);
    unsigned forward = x->opcode == SNP_INV_ITOE ? 12 : x->opcode == SNP_INV_OWN ? 11 : 10;
    struct packet back = {NDR, brings ? 8 : forward, 1, 0, home, c->package, x->line};
    t = from_bbox(o, c, &back, there + o->times.b_decide);
    o->end = later(o->end, t);
    times->done = t + o->times.c_response;
    return !brings;
}

static void snoop_package(struct nhmex_oracle *o, struct transaction *x, unsigned package,
                          uint64_t t)
{
    struct cbox *c = &o->package[package].cbox[nhmex_slice_of(o, x->line)];
    struct packet p = {SNP, x->opcode, 1, 0, x->id, package, x->line};
    unsigned out = SBOX_PORT + PORTS_OF_SIDE * c->side;

    if (x->requester) {
        struct sbox *s = sbox_of(o, x->requester);
        if (!x->snooped)
            nhmex_count(o, &s->counts, PKTS_SENT_SNP, 1, 1);
        x->snooped = true;
        t = to_rbox(o, x->requester, &s->snp_to_r, (int)o->times.s_queue, &p, t);
        t = pass_rboxes(o, x->requester->package, SBOX_PORT + PORTS_OF_SIDE * x->requester->side,
                        package, out, &p, t);
    } else {
        t = pass_rboxes(o, 0, IOH_PORT, package, out, &p, t + o->times.ioh_link);
    }
    t = to_slice(o, c, &p, false, t);
    struct snoop_times times;
    enum state found = nhmex_snooped(o, c, (enum snoop)x->opcode, x->line, t, &times);
    if (found != STATE_I)
        x->out.had = true;
    if (found == STATE_M)
        x->out.modified = true;
    if (times.conflict && !after_conflict(o, x, c, found, &times))
        return;
    struct found_answer a = answer_to((enum snoop)x->opcode, found);
    bool data = a.forwards || a.written != NONE;
    t = nhmex_egress(o, &c->egress[data ? BL_SB : AK_SB], data, times.done);
    answer_snoop(o, x, c, a, t);
}

/* ---- requests to a home ---- */

enum tracked { OF_READ, OF_INVITOE, OF_WRITE, OF_IOH = 4 }; /* kinds of entries */

/* A request arrives at the home. Returns its number in the IMT. */
static size_t enter_home(struct nhmex_oracle *o, struct bbox *b, unsigned kind, uint64_t line,
                         uint64_t t)
{
    uint64_t alone =
        (kind & ~(unsigned)OF_IOH) == OF_WRITE ? t : nhmex_without(o, &b->imt, line, t);
    size_t number = nhmex_put_open(o, &b->imt, alone);

    if (alone > t)
        nhmex_count(o, &b->counts, 3 << 8 | 0x17, 1, 1);
    b->imt.entry[number].kind = kind;
    b->imt.entry[number].line = line;
    b->tracker.capacity = UINT32_MAX;
    nhmex_put_open(o, &b->tracker, t);
    b->tracker.entry[number].kind = kind;
    return number;
}

/* A request leaves the home. */
static void leave_home(struct nhmex_oracle *o, struct bbox *b, size_t number, uint64_t t)
{
    o->end = later(o->end, t);
    b->imt.entry[number].end = t;
    b->tracker.entry[number].end = t;
}

static uint64_t read_for(struct nhmex_oracle *o, struct bbox *b, const struct transaction *x,
                         const struct entry *imt, uint64_t arrived)
{
    uint64_t first = imt->begin + o->times.b_lookup;

    if (imt->begin > arrived) {
        nhmex_count(o, &b->counts, 3 << 8 | 0x0f, 1, 1);
        return nhmex_memory(o, x->line, false, later(first, x->responses));
    }
    uint64_t read = nhmex_memory(o, x->line, false, first);
    if (read < x->responses)
        nhmex_count(o, &b->counts, 3 << 8 | 0x19, 1, 1);
    return read;
}

/* Rules 5 and 6: the home answers. */
static void answer_request(struct nhmex_oracle *o, struct transaction *x, size_t number)
{
    unsigned home = nhmex_home_package(o, x->line);
    struct bbox *b = &o->package[home].bbox[nhmex_home_side(x->line)];
    struct packet p = {NDR, 8, 1, 0, home, x->id, x->line};
    const struct entry *imt = &b->imt.entry[number];
    uint64_t t = later(imt->begin + o->times.b_lookup, x->responses);

    if (x->opcode == SNP_INV_ITOE) {
        p.opcode = 0;
    } else {
        uint64_t read = read_for(o, b, x, imt, b->tracker.entry[number].arrival);
        if (!x->forwarded) {
            t = later(t, read);
            p = (struct packet){DRS, 2, 9, 4, home, x->id, x->line};
            p.state = x->opcode == SNP_CUR ? 0 : x->opcode != SNP_INV_OWN && x->out.had ? 1 : 4;
        }
    }
    t += o->times.b_decide;
    leave_home(o, b, number, t);
    x->out.answer = from_bbox(o, x->requester, &p, t);
}

struct outcome nhmex_to_home(struct nhmex_oracle *o, struct cbox *c, unsigned opcode, uint64_t line,
                             uint64_t accepted, uint64_t t)
{
    unsigned home = nhmex_home_package(o, line);
    struct transaction x = {
        .requester = c, .opcode = opcode, .id = c ? c->package : IOH, .line = line};
    struct packet p = {HOM0, opcode, 1, 0, x.id, home, line};
    unsigned kind = (opcode == SNP_INV_ITOE ? OF_INVITOE : OF_READ) | (c ? 0u : OF_IOH);
    struct bbox *b = &o->package[home].bbox[nhmex_home_side(line)];
    size_t table = 0, credit = 0;

    if (c) {
        struct sbox *s = sbox_of(o, c);
        table = nhmex_put_open(o, &s->table, accepted);
        credit = nhmex_put_open(o, nhmex_credits_of(o, c, line), accepted);
        s->table.entry[table].kind = c->package == home ? 1 : 2;
        nhmex_count(o, &s->counts, TO_R_B_REQUESTS, c->package == home ? 1 : 2, 1);
    }
    size_t number = enter_home(o, b, kind, line, to_bbox(o, c, &p, t));
    x.begins = b->imt.entry[number].begin;
    for (unsigned package = 0; package < o->packages; package++)
        if (package != x.id)
            snoop_package(o, &x, package, t);
    answer_request(o, &x, number);
    if (c) {
        sbox_of(o, c)->table.entry[table].end = later(x.out.answer, x.out.data);
        nhmex_credits_of(o, c, line)->entry[credit].end = b->imt.entry[number].end;
    }
    return x.out;
}

uint64_t nhmex_write_home(struct nhmex_oracle *o, struct cbox *c, uint64_t line, bool partial,
                          uint64_t t)
{
    unsigned home = nhmex_home_package(o, line), id = c ? c->package : IOH;
    struct bbox *b = &o->package[home].bbox[nhmex_home_side(line)];
    struct packet request = {HOM0, 12, 1, 0, id, home, line};
    struct packet data = {DRS, partial ? WB_I_PTL : WB_I_DATA, partial ? 11 : 9, 0, id, home, line};
    struct packet ack = {NDR, 8, 1, 0, home, id, line};

    if (c && c->package != home)
        nhmex_count(o, &sbox_of(o, c)->counts, PKTS_SENT_DRS, 1u << c->number % 4, 1);
    size_t number =
        enter_home(o, b, OF_WRITE | (c ? 0u : OF_IOH), line, to_bbox(o, c, &request, t));
    uint64_t there = to_bbox(o, c, &data, t);
    t = later(b->imt.entry[number].begin + o->times.b_lookup, there);
    leave_home(o, b, number, nhmex_memory(o, line, true, t));
    nhmex_count(o, &b->counts, 3 << 8 | 0x02, 1, 1);
    return from_bbox(o, c, &ack, t + o->times.b_decide);
}
