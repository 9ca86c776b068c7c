/* "Signals": levels, added up from the log. */
#include "nhmex/machine.h"

#include <stdlib.h>
#include <string.h>

/* Levels while they are added up: level[t] - level[t - 1]. */
struct sum {
    int32_t *level;
    size_t cycles;
    const struct nhmex_oracle *oracle;
};

static void add(struct sum *s, uint64_t begin, uint64_t end, unsigned amount)
{
    if (begin >= end || begin >= s->cycles)
        return;
    s->level[begin] += (int32_t)amount;
    if (end < s->cycles)
        s->level[end] -= (int32_t)amount;
}

static void at(struct sum *s, uint64_t t, unsigned amount)
{
    add(s, t, t + 1, amount);
}

static void add_up(struct sum *s)
{
    for (size_t t = 1; t < s->cycles; t++)
        s->level[t] += s->level[t - 1];
}

/* 1 in the cycles that reach the level. */
static void reach(struct sum *s, int32_t level)
{
    add_up(s);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = s->level[t] >= level;
}

/* ---- parts of sums ---- */

static void instants(struct sum *s, const struct instants *counts, unsigned code, unsigned umask)
{
    for (size_t i = 0; i < counts->n; i++)
        if (counts->instant[i].code == code && counts->instant[i].bit & umask)
            at(s, counts->instant[i].time, counts->instant[i].amount);
}

static void inserts(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        at(s, r->entry[i].counted, 1);
}

static void bypasses(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->entry[i].bypassed)
            at(s, r->entry[i].counted, 1);
}

static void occupancy(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        add(s, r->entry[i].begin, r->entry[i].end, 1);
}

static void waiting(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        add(s, r->entry[i].arrival, r->entry[i].begin, 1);
}

enum { STARVES_AFTER = 16 };

static void starving(struct sum *s, const struct resource *r)
{
    for (size_t i = 0; i < r->n; i++)
        add(s, r->entry[i].arrival + STARVES_AFTER, r->entry[i].begin, 1);
}

typedef void part(struct sum *s, const struct resource *r);

/* Of each of the resources 1 in the cycles in which the part is not 0. */
static void cycles_of(struct sum *s, part *which, const struct resource *r)
{
    struct sum one = {calloc(s->cycles + 1, sizeof *one.level), s->cycles, s->oracle};

    if (one.level == NULL)
        abort();
    which(&one, r);
    reach(&one, 1);
    for (size_t t = 0; t < s->cycles; t++)
        if (one.level[t])
            at(s, t, 1);
    free(one.level);
}

/* ---- C-Box ---- */

static void egress_part(struct sum *s, const struct cbox *c, part *which, unsigned umask)
{
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 1u << i)
            which(s, &c->egress[i]);
}

static void egress_starved(struct sum *s, const struct cbox *c, unsigned umask)
{
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 2u << i) /* bit 0 is P2C_AD_SB */
            cycles_of(s, starving, &c->egress[i]);
}

static void egress_bypasses(struct sum *s, const struct cbox *c, unsigned umask)
{
    for (unsigned i = 0; i < EGRESSES; i++)
        if (umask & 1u << i / 2 * 2) /* bit 1, 3, …: BYP1 */
            bypasses(s, &c->egress[i]);
}

static bool cbox(struct sum *s, const struct cbox *c, const struct nhmex_signal *sig)
{
    static const unsigned once[] = {0x01, 0x05, 0x06, 0x07, 0x11, 0x12,
                                    0x14, 0x15, 0x16, 0x17, 0x27, 0x28};
    const struct resource *queue[] = {&c->irq, &c->ipq, &c->viq, &c->maf, &c->rwrf, &c->rspf};

    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (sig->code == once[i])
            return instants(s, &c->counts, sig->code, sig->umask), true;
    if (sig->code >= 0x18 && sig->code <= 0x23)
        return (sig->code % 2 ? inserts : occupancy)(s, queue[(sig->code - 0x18) / 2]), true;
    switch (sig->code) {
    case 0x02: /* BOUNCES_C2P_*: cores accept everything */
    case 0x03:
    case 0x04:
        return true;
    case 0x08:
        return instants(s, &c->counts, 0x08, 1), true;
    case 0x09:
        return egress_part(s, c, inserts, sig->umask), true;
    case 0x0a:
        return egress_part(s, c, waiting, sig->umask), true;
    case 0x0b:
        return egress_starved(s, c, sig->umask), true;
    case 0x0c:
        return egress_bypasses(s, c, sig->umask), true;
    case 0x0e:
        if (sig->umask & 1)
            bypasses(s, &c->irq);
        if (sig->umask & 4)
            bypasses(s, &c->ipq);
        return true;
    case 0x10:
        return inserts(s, &c->maf), true;
    default:
        return false;
    }
}

/* ---- S-Box ---- */

enum measure { CYCLES_FULL, CYCLES_NE, OCCUPANCY };

/* One queue, or several: full is all of them being full. */
static void queues(struct sum *s, enum measure measure, const struct resource *const *queue,
                   unsigned n)
{
    int32_t capacity = 0;

    for (unsigned i = 0; i < n; i++) {
        occupancy(s, queue[i]);
        capacity += (int32_t)queue[i]->capacity;
    }
    if (measure == CYCLES_FULL)
        reach(s, capacity);
    if (measure == CYCLES_NE)
        reach(s, 1);
}

/* Levels that are finished already become differences again. */
static void finished(struct sum *s)
{
    for (size_t t = s->cycles; t-- > 1;)
        s->level[t] -= s->level[t - 1];
}

static void queue_event(struct sum *s, enum measure measure, const struct resource *const *queue,
                        unsigned n)
{
    queues(s, measure, queue, n);
    if (measure != OCCUPANCY)
        finished(s);
}

static void queue_of(struct sum *s, enum measure measure, const struct resource *queue)
{
    queue_event(s, measure, &queue, 1);
}

static void chosen(struct sum *s, enum measure measure, const struct resource *of, unsigned n,
                   unsigned umask)
{
    const struct resource *queue[4];
    unsigned chosen = 0;

    for (unsigned i = 0; i < n; i++)
        if (umask & 1u << i)
            queue[chosen++] = &of[i];
    if (chosen)
        queue_event(s, measure, queue, chosen);
}

static void egress_ways(struct sum *s, const struct sbox *b, part *which, bool cycles,
                        unsigned umask)
{
    for (unsigned i = 0; i < 2 * RINGS; i++) {
        if (!(umask & 1u << i))
            continue;
        if (cycles)
            cycles_of(s, which, &b->egress[i / 2][i % 2]);
        else
            which(s, &b->egress[i / 2][i % 2]);
    }
}

static bool matches(struct nhmex_field f, uint64_t value)
{
    return ((f.value ^ value) & f.mask) == 0;
}

static void packets(struct sum *s, const struct instants *of, unsigned code, unsigned bits,
                    const struct nhmex_pattern *p)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct packet *is = &of->instant[i].packet;
        if (of->instant[i].code == code && of->instant[i].bit & bits &&
            matches(p->class, is->class) && matches(p->opcode, is->opcode) &&
            matches(p->state, is->state) && matches(p->from, is->from) && matches(p->to, is->to) &&
            matches(p->line, is->line) && matches(p->home, nhmex_home_package(s->oracle, is->line)))
            at(s, of->instant[i].time, p->every_flit ? is->flits : 1);
    }
}

/* Cycles in which something waits for one of the resources. */
static void no_credit(struct sum *s, const struct resource *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        waiting(s, &r[i]);
    reach(s, 1);
    finished(s);
}

static void waits_for_ipq(struct sum *s, const struct package *p, unsigned side)
{
    for (unsigned n = 0; n < 4; n++)
        waiting(s, &p->cbox[side * 4 + n].ipq);
    reach(s, 1);
    finished(s);
}

static void table(struct sum *s, const struct resource *r, unsigned umask)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->entry[i].kind & umask)
            add(s, r->entry[i].begin, r->entry[i].end, 1);
}

static void arrivals(struct sum *s, const struct instants *of)
{
    for (size_t i = 0; i < of->n; i++)
        at(s, of->instant[i].time, 1);
    reach(s, 1);
    finished(s);
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
        return queue_of(s, code - 0x08, &b->snp_to_r), true;
    case 0x0b:
    case 0x0c:
    case 0x0d:
        return queue_of(s, code - 0x0b, &b->ndr_to_r), true;
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
        return queue_of(s, CYCLES_FULL, in_order[code - 0x20]), true;
    case 0x23:
    case 0x24:
    case 0x25:
        return queue_of(s, CYCLES_NE, in_order[code - 0x23]), true;
    case 0x26:
        for (unsigned i = 0; i < 3; i++)
            if (umask & 1u << i)
                occupancy(s, snoops[i]);
        return true;
    case 0x27:
    case 0x28:
    case 0x29:
        return queue_of(s, code - 0x27, &b->ndr), true;
    case 0x2a:
    case 0x2c:
    case 0x2e:
        return queue_of(s, (code - 0x2a) / 2, &b->r2s), true;
    case 0x2b:
    case 0x2d:
    case 0x2f:
        return queue_of(s, (code - 0x2b) / 2, &b->b2s), true;
    default:
        return false;
    }
}

static bool sbox_waits(struct sum *s, const struct package *p, unsigned side, unsigned code)
{
    const struct sbox *b = &p->sbox[side];

    switch (code) {
    case 0x80:
        return no_credit(s, &b->hom_to_r, 1), true;
    case 0x81:
        return no_credit(s, &b->snp_to_r, 1), true;
    case 0x82:
        return no_credit(s, b->drs_to_r, 4), true;
    case 0x83: /* NCS, NCB, NDR: the S-Box sends none; VNA */
    case 0x84:
    case 0x85:
    case 0x86:
        return true;
    case 0x8a:
        return waits_for_ipq(s, p, side), true;
    default:
        return false;
    }
}

static bool sbox(struct sum *s, const struct package *p, const struct nhmex_signal *sig)
{
    static const unsigned once[] = {0x60, 0x62, 0x64, 0x65, 0x6a, 0x6b,
                                    0x6c, 0x70, 0x71, 0x72, 0x73, 0x77};
    const struct sbox *b = &p->sbox[sig->unit];
    unsigned code = sig->code, umask = sig->umask;

    if (code == 0x00)
        return packets(s, &b->counts, 0, 1, &sig->pattern), true;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (code == once[i])
            return instants(s, &b->counts, code, umask ? umask : 1), true;
    if (sbox_to_r(s, b, code, umask) || sbox_to_ring(s, b, code, umask) ||
        sbox_waits(s, p, sig->unit, code))
        return true;
    switch (code) {
    case 0x31:
        return table(s, &b->table, umask), true;
    case 0x40:
        return egress_ways(s, b, bypasses, false, umask), true;
    case 0x41:
        return egress_ways(s, b, inserts, false, umask), true;
    case 0x42:
        return egress_ways(s, b, waiting, false, umask), true;
    case 0x43:
        return egress_ways(s, b, starving, true, umask), true;
    case 0x50:
        return bypasses(s, &b->hom_to_r), true;
    case 0x51:
        if (umask & 1)
            bypasses(s, &b->snp_to_r);
        return true;
    case 0x52:
        return arrivals(s, &b->hom_arrivals), true;
    case 0x53:
        return bypasses(s, &b->b2s), true;
    case 0x63: /* NDR, NCS and NCB: none are sent, and of the latter two none received */
    case 0x66:
    case 0x67:
    case 0x68:
    case 0x69:
    case 0x74:
    case 0x75:
        return true;
    default:
        return false;
    }
}

/* ---- B-Box ---- */

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
            add(s, e->begin, e->end, 1);
        else
            at(s, e->counted, 1);
    }
}

/* Data that has to wait for a port. */
static void drsq(struct sum *s, const struct bbox *b, bool occupies)
{
    for (unsigned port = 0; port < BPORTS; port++)
        for (size_t i = 0; i < b->port[port].n; i++) {
            const struct entry *e = &b->port[port].entry[i];
            if (!e->kind || e->begin == e->arrival)
                continue;
            if (occupies)
                add(s, e->arrival, e->begin, 1);
            else
                at(s, e->counted, 1);
        }
}

/* Of the pattern what the event compares. */
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
    packets(s, &b->packets, direction, 3, &p);
}

static bool bbox_0(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
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
        return occupancy(s, &b->imt), true;
    if (sig->code == 0x09)
        return drsq(s, b, true), true;
    return sig->code == 0x12;
}

static bool bbox_1(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
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
    if (inserted[sig->code & 31])
        return kinds(s, &b->imt, inserted[sig->code & 31], false), true;
    if (sig->code == 0x09)
        return drsq(s, b, false), true;
    return sig->code == 0x12;
}

static bool bbox_2(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x01: /* none is a snoop */
        return matching(s, b, PACKET_IN, false, false, false, sig), true;
    case 0x02:
        return instants(s, &b->packets, PACKET_IN, 1), true;
    case 0x03:
        return instants(s, &b->packets, PACKET_OUT, 1), true;
    case 0x04:
        return matching(s, b, PACKET_IN, false, false, true, sig), true;
    case 0x07:
        return queue_of(s, CYCLES_NE, &b->imt), true;
    default:
        return false;
    }
}

static bool bbox_3(struct sum *s, const struct bbox *b, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x02: /* EARLY_ACK */
    case 0x0f: /* DEMAND_FETCH */
    case 0x12: /* IMPLICIT_WBS */
    case 0x19: /* ACK_BEFORE_LAST_SNP */
        return instants(s, &b->counts, 3 << 8 | sig->code, 1), true;
    case 0x0e:
        for (size_t i = 0; i < b->imt.n; i++)
            if (b->imt.entry[i].begin == b->imt.entry[i].arrival)
                at(s, b->imt.entry[i].counted, 1);
        return true;
    case 0x13:
        return no_credit(s, &b->imt, 1), true;
    case 0x14: /* *_UNAVAIL, CONFLICTS */
    case 0x15:
    case 0x17:
        return true;
    case 0x16:
        return queue_of(s, CYCLES_FULL, &b->imt), true;
    default:
        return false;
    }
}

/* ---- R-Box ---- */

static unsigned class_bit(const struct packet *p)
{
    return p->class == DRS ? 4 : p->class == NDR ? 8 : p->class == SNP ? 0x10 : 0x20;
}

static void of_classes(struct sum *s, const struct instants *of, unsigned bits)
{
    for (size_t i = 0; i < of->n; i++)
        if (class_bit(&of->instant[i].packet) & bits)
            at(s, of->instant[i].time, 1);
}

/* Packets of an input port that wait for a link, of any of the classes. */
static void failed(struct sum *s, const struct package *p, unsigned in, unsigned bits,
                   bool as_cycles, bool starve)
{
    for (unsigned out = 0; out < PORTS; out++)
        for (size_t i = 0; i < p->port[out].link.n; i++) {
            const struct entry *e = &p->port[out].link.entry[i];
            if (e->kind != in || e->begin == e->arrival || !(class_bit(&e->packet) & bits))
                continue;
            if (as_cycles)
                add(s, e->arrival + (starve ? STARVES_AFTER : 0), e->begin, 1);
            else
                at(s, e->counted, 1);
        }
}

enum { ANY_CLASS = 0x3f };

static void eot_cycles(struct sum *s, const struct package *p, unsigned in, bool starve)
{
    failed(s, p, in, ANY_CLASS, true, starve);
    reach(s, 1);
    finished(s);
}

static bool rbox_eot(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    static const unsigned bits[16] = {[1] = 0x20, [3] = 8, [4] = 4, [5] = 0x10, [6] = 1, [7] = 2};

    failed(s, p, in, bits[umask >> 17 & 15], !(umask & 0x200000), false);
    return true;
}

static void idle(struct sum *s, const struct resource *link)
{
    occupancy(s, link);
    add_up(s);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = s->level[t] == 0;
    finished(s);
}

static bool rbox_iperf(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    const struct rport *port = &p->port[in];

    if (umask & 0x1e0000)
        return rbox_eot(s, p, in, umask);
    if (umask == 0x10000)
        return eot_cycles(s, p, in, false), true;
    if (umask == 0x4000000)
        return no_credit(s, &port->link, 1), true;
    if (umask == 0x80000000)
        return occupancy(s, &port->link), true; /* a flit a cycle */
    if (umask == 0x40000000)
        return in % 4 < 2 ? idle(s, &port->link) : (void)0, true;
    if (umask == 0x100)
        return of_classes(s, &port->new_packets, ANY_CLASS), true;
    if (umask >= 0x200 && umask <= 0xfe00)
        return of_classes(s, &port->new_packets, umask >> 9 & ANY_CLASS), true;
    if (umask <= 0xff)
        return of_classes(s, &port->new_packets, umask & 0x80 ? umask & ANY_CLASS : 0), true;
    return false;
}

static bool rbox_qlx(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    static const unsigned bit[8] = {0x20, 0x10, 8, 2, 4, 1};
    unsigned kind = umask & 15, bits = kind == 0 || kind == 3 ? bit[umask >> 4 & 7] : ANY_CLASS;

    switch (kind) {
    case 0:
    case 1:
    case 2:
        of_classes(s, &p->port[in].new_packets, bits);
        return failed(s, p, in, bits, false, false), true;
    case 3:
        return failed(s, p, in, bits, false, false), true;
    case 4:
        return eot_cycles(s, p, in, false), true;
    case 5: /* GLOBAL_ARB_BID_FAIL, *_HOME_ORDER_KILL */
    case 6:
    case 7:
    case 8:
        return true;
    case 9:
        return idle(s, &p->port[in].link), true;
    case 10:
        return eot_cycles(s, p, in, true), true;
    default:
        return false;
    }
}

static bool rbox(struct sum *s, const struct package *p, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 1:
        return rbox_iperf(s, p, sig->unit, sig->umask);
    case 2:
        return rbox_qlx(s, p, sig->unit, sig->umask);
    case 3:
        return packets(s, &p->port[sig->unit].new_packets, 0, 1, &sig->pattern), true;
    default:
        return false;
    }
}

/* ---- M-Box ---- */

enum { REFRESH_EVERY = 16384 };

/* 1 in the cycles of a state of the queues: its bit of DSP_FILL. */
static void state_cycles(struct sum *s, const struct mbox *m, unsigned bit)
{
    const struct resource *queue = bit & 5 ? &m->reads : &m->writes;

    if (bit & 3) {
        queue_of(s, CYCLES_FULL, queue);
        return;
    }
    idle(s, queue);
}

static void add_sum(struct sum *s, const struct mbox *m, unsigned umask, bool entered)
{
    for (unsigned bit = 1; bit < 16; bit *= 2) {
        struct sum one = {calloc(s->cycles + 1, sizeof *one.level), s->cycles, s->oracle};
        if (one.level == NULL)
            abort();
        if (umask & bit) {
            state_cycles(&one, m, bit);
            for (size_t t = 0; t < s->cycles; t++)
                if (!entered)
                    s->level[t] += one.level[t];
                else if (t > 0 && one.level[t] > 0)
                    at(s, t, 1);
        }
        free(one.level);
    }
}

static void writes_first(struct sum *s, const struct mbox *m)
{
    occupancy(s, &m->writes);
    reach(s, 8);
    finished(s);
}

static void changes(struct sum *s, const struct mbox *m)
{
    writes_first(s, m);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = abs(s->level[t]);
    finished(s);
}

static void refreshes(struct sum *s)
{
    for (uint64_t t = REFRESH_EVERY; t < s->cycles; t += REFRESH_EVERY)
        at(s, t, 1);
}

/* A command's instants have its code as their bit, which is no mask. */
static void dram_command(struct sum *s, const struct instants *of, unsigned which, int sign)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->instant[i].code == 0x0a && of->instant[i].bit == which) {
            uint64_t t = of->instant[i].time;
            if (t < s->cycles)
                s->level[t] += sign;
            if (t + 1 < s->cycles)
                s->level[t + 1] -= sign;
        }
}

static bool dram_cmd(struct sum *s, const struct mbox *m, const struct nhmex_signal *sig)
{
    if (sig->umask == 0x01 || sig->umask == 0x09)
        return refreshes(s), true;
    if (sig->by_mode && sig->mode != 0 && sig->mode != 2)
        return true;
    if (sig->by_mode && sig->mode == 2)
        return dram_command(s, &m->writes_first, sig->umask, 1), true;
    dram_command(s, &m->counts, sig->umask, 1);
    if (sig->by_mode)
        dram_command(s, &m->writes_first, sig->umask, -1);
    return true;
}

static void scheduled(struct sum *s, const struct mbox *m, unsigned umask)
{
    for (size_t i = 0; i < m->inflight.n; i++)
        if (umask == 8 || umask == m->inflight.entry[i].kind)
            add(s, m->inflight.entry[i].begin, m->inflight.entry[i].end, 1);
    reach(s, 1);
    finished(s);
}

static void mode_cycles(struct sum *s, const struct mbox *m, unsigned mode)
{
    if (mode == 2)
        writes_first(s, m);
    if (mode != 0)
        return;
    writes_first(s, m);
    for (size_t t = 0; t < s->cycles; t++)
        s->level[t] = -s->level[t];
    add(s, 0, s->cycles, 1);
}

static bool mbox(struct sum *s, const struct mbox *m, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 0x00:
        return add_sum(s, m, sig->umask, true), true;
    case 0x20:
        return add_sum(s, m, sig->umask, false), true;
    case 0x21:
        return mode_cycles(s, m, sig->umask), true;
    case 0x25:
        return sig->umask == 1 ? add(s, 0, s->cycles, 1) : (void)0, true;
    case 0x26:
        return scheduled(s, m, sig->umask), true;
    case 0x01:
    case 0x23:
    case 0x24:
        cycles_of(s, starving, &m->reads);
        return true;
    case 0x06:
        return refreshes(s), true;
    case 0x08:
        return changes(s, m), true;
    case 0x0a:
        return dram_cmd(s, m, sig);
    case 0x02:
    case 0x07:
    case 0x13:
    case 0x14:
    case 0x15:
        return instants(s, &m->counts, sig->code, 1), true;
    case 0x0d: /* FVC: the sub-event in bits 3:0, command or response above */
        if ((sig->umask & 15) == 5)
            instants(s, &m->counts, 0x1a, sig->umask >> 4 < 2 ? 1u << (sig->umask >> 4) : 0);
        else if (sig->umask == 6)
            instants(s, &m->counts, 0x1a, 3);
        return true;
    case 0x16:
    case 0x17:
    case 0x18:
        return true;
    case 0x12:
    case 0x1a:
    case 0x1d:
        return instants(s, &m->counts, 0x1a, 3), true;
    case 0x1b:
        return add(s, 0, s->cycles, 1), true;
    case 0x1c:
        return occupancy(s, &m->inflight), true;
    default:
        return false;
    }
}

/* ---- U-Box and W-Box ---- */

static bool ubox(struct sum *s, const struct package *p, unsigned code)
{
    switch (code) {
    case 0x00: /* a cycle for each interrupt */
    case 0x50:
        return arrivals(s, &p->interrupts), true;
    case 0xf9:
        return instants(s, &p->interrupts, 0, 1), true;
    case 0x01:
    case 0x51:
    case 0xf8:
        return true;
    default:
        return false;
    }
}

static bool wbox(struct sum *s, const struct nhmex_signal *sig)
{
    if (sig->code == 0xff)
        add(s, 0, s->cycles, 1);
    return sig->code == 0xff || sig->code == 0x04 || sig->code == 0x08;
}

/* ---- all ---- */

static bool differences(const struct nhmex_oracle *o, const struct nhmex_signal *sig, struct sum *s)
{
    const struct package *p = &o->package[sig->package];

    switch (sig->box) {
    case NHMEX_U:
        return ubox(s, p, sig->code);
    case NHMEX_C:
        return cbox(s, &p->cbox[sig->unit], sig);
    case NHMEX_S:
        return sbox(s, p, sig);
    case NHMEX_B: {
        bool (*const counter[])(struct sum *, const struct bbox *,
                                const struct nhmex_signal *) = {bbox_0, bbox_1, bbox_2, bbox_3};
        return counter[sig->counter](s, &p->bbox[sig->unit], sig);
    }
    case NHMEX_R:
        return rbox(s, p, sig);
    case NHMEX_M:
        return mbox(s, &p->mbox[sig->unit], sig);
    default:
        return wbox(s, sig);
    }
}

bool nhmex_oracle_levels(const struct nhmex_oracle *o, const struct nhmex_signal *s, int32_t *level,
                         size_t cycles)
{
    struct sum sum = {level, cycles, o};

    memset(level, 0, cycles * sizeof *level);
    if (!differences(o, s, &sum))
        return false;
    add_up(&sum);
    return true;
}
