/* The R-Box: packets from port to port, and from package to package. */
#include "model/machine/nhmex/machine.h"

static enum bx_nhmex_eot eot_of(enum bx_nhmex_class class)
{
    static const uint8_t eots[BX_NHMEX_CLASSES] = {
        [BX_NHMEX_NCB] = BX_NHMEX_EOT_NCB,      [BX_NHMEX_NCS] = BX_NHMEX_EOT_NCS,
        [BX_NHMEX_DRS] = BX_NHMEX_EOT_DRS_VN0,  [BX_NHMEX_NDR] = BX_NHMEX_EOT_NDR,
        [BX_NHMEX_SNP] = BX_NHMEX_EOT_SNP,      [BX_NHMEX_HOM] = BX_NHMEX_EOT_HOM_VN0,
        [BX_NHMEX_HOM1] = BX_NHMEX_EOT_HOM_VN0,
    };
    return eots[class];
}

/* Counts a packet that finds its output busy. It waits in the entry overflow table. */
static void wait(struct bx_nhmex *m, struct bx_nhmex_rport *port, enum bx_nhmex_class class,
                 uint64_t from, uint64_t to)
{
    port->bids_failed[class == BX_NHMEX_HOM1 ? BX_NHMEX_HOM : class]++;
    port->failed++;
    bx_nhmex_gauge_put(m, &port->eot[eot_of(class)], from, to);
    bx_nhmex_gauge_put(m, &port->eot_any, from, to);
    bx_nhmex_gauge_put(m, &port->starving, from + m->times.starving, to);
}

/* Sends a packet through one package's R-Box. Returns the time when its last flit has left. */
static uint64_t cross(struct bx_nhmex *m, unsigned package, unsigned in, unsigned out,
                      const struct bx_nhmex_packet *packet, uint64_t t)
{
    struct bx_nhmex_rport *from = &m->package[package].r[in], *to = &m->package[package].r[out];
    unsigned class = packet->class == BX_NHMEX_HOM1 ? BX_NHMEX_HOM : packet->class;
    unsigned flits = bx_nhmex_flits(packet);
    uint64_t ready = t + m->times.r_cross, end = bx_nhmex_occupy(m, &to->output, ready, flits);

    from->new_packets[class]++;
    from->packets++;
    if (end - flits > ready)
        wait(m, from, packet->class, ready, end - flits);
    bx_nhmex_compare_packet(&from->patterns, BX_NHMEX_R, BX_NHMEX_IN, packet);
    return end;
}

/* A packet has left the port. Returns the time when it is at the other package. */
static uint64_t go_over(struct bx_link *link, const struct bx_nhmex_packet *packet, uint64_t t)
{
    return packet->class == BX_NHMEX_DRS ? bx_link_send(link, 0, packet->state == BX_NHMEX_RDS_M, t)
                                         : t + link->latency;
}

uint64_t bx_nhmex_route(struct bx_nhmex *m, struct bx_nhmex_node_port from,
                        struct bx_nhmex_node_port to, const struct bx_nhmex_packet *packet,
                        uint64_t t)
{
    unsigned package = from.package, in = from.port;

    while (package != to.package) {
        unsigned link = bx_nhmex_link(m, package, to.package);
        unsigned next = bx_nhmex_neighbour(m, package, link);
        t = cross(m, package, in, bx_nhmex_link_port(link), packet, t);
        t = go_over(&m->package[package].r[bx_nhmex_link_port(link)].over, packet, t);
        in = bx_nhmex_link_port(bx_nhmex_link(m, next, package));
        package = next;
    }
    return cross(m, package, in, to.port, packet, t);
}
