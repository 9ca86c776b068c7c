/* The R-Box: packets from port to port, and from package to package. */
#include "model/machine/nhmex/machine.h"

#include "model/part/later.h"

static unsigned class_of(const struct bx_nhmex_packet *packet)
{
    return packet->class == BX_NHMEX_HOM1 ? BX_NHMEX_HOM : packet->class;
}

/* ---- credits ---- */

/* The S-Box or B-Box of the port has no credit of VNA from t until a time. */
static __attribute__((noinline)) void lack_vna(struct bx_nhmex *m, unsigned package, unsigned in,
                                               uint64_t t, uint64_t until)
{
    struct bx_nhmex_package *p = &m->package[package];
    unsigned side = in / (BX_NHMEX_PORTS / BX_NHMEX_SIDES);

    if (in == bx_nhmex_s_port(side)) {
        bx_nhmex_gauge_put(m, &p->s[side].no_vna, t, until);
        bx_nhmex_gauge_put(m, &p->s[side].no_vna_any, t, until);
    }
    if (in == bx_nhmex_b_port(side))
        p->b[side].no_vna++;
}

/* A packet of an S-Box waits for a credit from t on. */
static void await_credit(struct bx_nhmex *m, struct bx_nhmex_sbox *s, enum bx_nhmex_class class,
                         uint64_t t, uint64_t until)
{
    struct bx_gauge *waiting[BX_NHMEX_CLASSES] = {
        [BX_NHMEX_NCB] = &s->ncb.waiting,
        [BX_NHMEX_NCS] = &s->ncs.waiting,
        [BX_NHMEX_DRS] = &s->drs.waiting,
        [BX_NHMEX_NDR] = &s->ndr.waiting,
        [BX_NHMEX_SNP] = &s->snp.waiting,
        [BX_NHMEX_HOM] = &s->hom[BX_NHMEX_VIA_R].waiting,
        [BX_NHMEX_HOM1] = &s->hom[BX_NHMEX_VIA_R].waiting,
    };

    bx_nhmex_gauge_put(m, waiting[class], t, until);
}

/* A packet arrives at an input port at t, or when it has a credit: of VNA, else the one of its
 * class on the network `own`, else the first of the two that is free. */
struct admission {
    uint64_t t;
    uint64_t
        *credit; /* to be set to the time from which it is free again; NULL: there is no limit */
    enum bx_nhmex_network network;
};

static __attribute__((noinline)) struct admission admit(struct bx_nhmex *m, unsigned package,
                                                        unsigned in,
                                                        const struct bx_nhmex_packet *packet,
                                                        enum bx_nhmex_network own, uint64_t t)
{
    struct bx_nhmex_port_credits *c = &m->package[package].r[in].credits;
    unsigned is_long = bx_nhmex_flits(packet) > 1;
    unsigned credits = is_long ? m->times.vna_long : m->times.vna_short;
    uint64_t *vna = &c->vna[is_long][c->next[is_long]];
    struct admission a = {t, vna, BX_NHMEX_VNA};

    if (!credits)
        return (struct admission){t, NULL, BX_NHMEX_VNA};
    if (*vna > t) {
        uint64_t *other = &c->own[own][class_of(packet)];
        lack_vna(m, package, in, t, *vna);
        if (*other <= t || *other < *vna)
            a = (struct admission){bx_later(t, *other), other, own};
        else
            a.t = *vna;
        if (a.t > t && in == bx_nhmex_s_port(in / 4))
            await_credit(m, &m->package[package].s[in / 4], packet->class, t, a.t);
    }
    if (a.credit == vna)
        c->next[is_long] = (c->next[is_long] + 1) % credits;
    return a;
}

/* The cycles in which a credit goes back. */
static uint64_t credit_returns(const struct bx_nhmex *m, unsigned package, unsigned in)
{
    if (!m->package[package].r[in].link)
        return 0;
    return package == 0 && in == bx_nhmex_link_port(BX_NHMEX_LINKS - 1) && bx_nhmex_has_ioh(m)
               ? m->times.ioh_link
               : m->times.link;
}

/* ---- packets ---- */

/* Counts a packet that finds its output busy. It waits in the entry overflow table. */
static void wait(struct bx_nhmex *m, struct bx_nhmex_rport *port, unsigned class,
                 enum bx_nhmex_network network, uint64_t from, uint64_t to)
{
    unsigned vn = network == BX_NHMEX_VN1;

    port->bids_failed[vn][class]++;
    port->failed++;
    bx_nhmex_gauge_put(m, &port->eot[vn][class], from, to);
    bx_nhmex_gauge_put(m, &port->eot_any, from, to);
    bx_nhmex_gauge_put(m, &port->starving, from + m->times.starving, to);
}

/* Sends a packet through one package's R-Box. Returns the time when its last flit has left. own:
 * its network, if it gets no credit of VNA. */
static uint64_t cross(struct bx_nhmex *m, unsigned package, unsigned in, unsigned out,
                      const struct bx_nhmex_packet *packet, enum bx_nhmex_network own, uint64_t t)
{
    struct bx_nhmex_rport *from = &m->package[package].r[in], *to = &m->package[package].r[out];
    unsigned class = class_of(packet), flits = bx_nhmex_flits(packet);
    struct admission a = {t, NULL, BX_NHMEX_VNA};

    if (m->times.vna_short | m->times.vna_long)
        a = admit(m, package, in, packet, own, t);
    uint64_t ready = a.t + m->times.r_cross, end = bx_nhmex_occupy(m, &to->output, ready, flits);

    if (a.credit)
        *a.credit = end + credit_returns(m, package, in);
    from->new_packets[class]++;
    from->new_on[a.network][class]++;
    from->allocated[class + (class == BX_NHMEX_HOM && a.network == BX_NHMEX_VN1)]++;
    from->packets++;
    if (end - flits > ready)
        wait(m, from, class, a.network, ready, end - flits);
    bx_nhmex_compare_new(&from->patterns, packet, a.network);
    return end;
}

/* A packet has left the port. Returns the time when it is at the other package. */
static uint64_t go_over(struct bx_link *link, const struct bx_nhmex_packet *packet, uint64_t t)
{
    return packet->class == BX_NHMEX_DRS ? bx_link_send(link, 0, packet->state == BX_NHMEX_RDS_M, t)
                                         : t + link->latency;
}

/* The network of a packet without a credit of VNA, after so many links. */
static enum bx_nhmex_network network_after(unsigned links)
{
    return links > 1 ? BX_NHMEX_VN1 : BX_NHMEX_VN0;
}

uint64_t bx_nhmex_route(struct bx_nhmex *m, struct bx_nhmex_node_port from,
                        struct bx_nhmex_node_port to, const struct bx_nhmex_packet *packet,
                        uint64_t t)
{
    unsigned package = from.package, in = from.port, links = 0;

    while (package != to.package) {
        unsigned link = bx_nhmex_link(m, package, to.package);
        unsigned next = bx_nhmex_neighbour(m, package, link);
        t = cross(m, package, in, bx_nhmex_link_port(link), packet, network_after(links++), t);
        t = go_over(&m->package[package].r[bx_nhmex_link_port(link)].over, packet, t);
        in = bx_nhmex_link_port(bx_nhmex_link(m, next, package));
        package = next;
    }
    return cross(m, package, in, to.port, packet, network_after(links), t);
}
