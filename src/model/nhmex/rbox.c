/* The R-Box: packets from port to port, and from package to package. */
#include "model/nhmex/machine.h"

enum {
    ENTRY = 2, /* cycles from arrival to the first bid at the arbiter */
    CROSS = 4, /* cycles from the arbiter to the output port */
};

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
    bx_gauge_put(&port->eot[eot_of(class)], &m->model, from, to);
    bx_gauge_put(&port->eot_any, &m->model, from, to);
    bx_gauge_put(&port->starving, &m->model, from + BX_RESOURCE_STARVING_CYCLES, to);
}

/* Sends a packet through one package's R-Box. Returns the time when its last flit has left. */
static uint64_t cross(struct bx_nhmex *m, unsigned package, unsigned in, unsigned out,
                      const struct bx_nhmex_packet *packet, uint64_t t)
{
    struct bx_nhmex_rport *from = &m->package[package].r[in], *to = &m->package[package].r[out];
    unsigned class = packet->class == BX_NHMEX_HOM1 ? BX_NHMEX_HOM : packet->class;
    unsigned flits = bx_nhmex_flits(packet);
    uint64_t ready = t + ENTRY + CROSS, end = bx_nhmex_occupy(m, &to->output, ready, flits);

    from->new_packets[class]++;
    from->packets++;
    if (end - flits > ready)
        wait(m, from, packet->class, ready, end - flits);
    bx_nhmex_compare_packet(&from->patterns, BX_NHMEX_R, BX_NHMEX_IN, packet);
    return end;
}

uint64_t bx_nhmex_route(struct bx_nhmex *m, struct bx_nhmex_node_port from,
                        struct bx_nhmex_node_port to, const struct bx_nhmex_packet *packet,
                        uint64_t t)
{
    unsigned package = from.package, in = from.port;

    while (package != to.package) {
        unsigned link = bx_nhmex_link(m, package, to.package);
        unsigned next = bx_nhmex_neighbour(m, package, link);
        t = cross(m, package, in, bx_nhmex_link_port(link), packet, t) + m->times.link;
        in = bx_nhmex_link_port(bx_nhmex_link(m, next, package));
        package = next;
    }
    return cross(m, package, in, to.port, packet, t);
}

/* ---- signals ---- */

enum { IPERF = 1, QLX = 2, XBR = 3 };

/* NEW_PC 5:0 selects classes, NEW_PVN 7:6 a network: VN0 00, VN1 01, VNA 10, any 11. All packets
 * are on VNA. */
static bool new_packets(struct bx_nhmex_rport *port, struct bx_signal *signal, uint32_t value)
{
    for (unsigned class = 0; class < BX_NHMEX_CLASSES - 1; class ++)
        if (value >> class & 1 && value >> 7 & 1)
            bx_nhmex_add(signal, &port->new_packets[class]);
    return true;
}

/* ARB_ALLOC 15:9: NCB, NCS, DRS, NDR, SNP, HOM of VN0 and of VN1. */
static bool allocations(struct bx_nhmex_rport *port, struct bx_signal *signal, uint32_t value)
{
    for (unsigned class = 0; class < BX_NHMEX_CLASSES - 1; class ++)
        if (value >> (9 + class) & 1)
            bx_nhmex_add(signal, &port->new_packets[class]);
    return true;
}

/* MC 20:17 selects a class. With MC_ROLL_ALLOC 21 it counts new entries, otherwise entries. VN1 is
 * not used. */
static bool overflow_table(struct bx_nhmex_rport *port, struct bx_signal *signal, uint32_t value)
{
    static const uint8_t classes[BX_NHMEX_EOTS] = {
        [BX_NHMEX_EOT_HOM_VN0] = BX_NHMEX_HOM, [BX_NHMEX_EOT_NDR] = BX_NHMEX_NDR,
        [BX_NHMEX_EOT_DRS_VN0] = BX_NHMEX_DRS, [BX_NHMEX_EOT_SNP] = BX_NHMEX_SNP,
        [BX_NHMEX_EOT_NCB] = BX_NHMEX_NCB,     [BX_NHMEX_EOT_NCS] = BX_NHMEX_NCS,
    };
    unsigned class = (value >> 17 & 0xf) - 1;

    if (class >= BX_NHMEX_EOTS)
        return false;
    if (!(value >> 21 & 1))
        return bx_nhmex_level(signal, &port->eot[class], BX_GAUGE_ENTRIES);
    if (class != BX_NHMEX_EOT_HOM_VN1 && class != BX_NHMEX_EOT_DRS_VN1)
        bx_nhmex_add(signal, &port->bids_failed[classes[class]]);
    return true;
}

static bool iperf(struct bx_nhmex_rport *port, struct bx_signal *signal)
{
    const uint32_t new_pc = 0xff, read_win = 1u << 8, alloc = 0xfe00, eot_ne = 1u << 16;
    const uint32_t eot = 0x3e0000, outputq_ne = 1u << 26, null_idle = 1u << 30, sent = 1u << 31;
    uint32_t value = signal->selection.umask;

    if (value && !(value & ~new_pc))
        return new_packets(port, signal, value);
    if (value && !(value & ~alloc))
        return allocations(port, signal, value);
    if (value && !(value & ~eot))
        return overflow_table(port, signal, value);
    if (value == read_win) {
        bx_nhmex_add(signal, &port->packets);
        return true;
    }
    if (value == eot_ne)
        return bx_nhmex_level(signal, &port->eot_any, BX_GAUGE_NOT_EMPTY);
    if (value == outputq_ne)
        return bx_nhmex_level(signal, &port->output.waiting, BX_GAUGE_NOT_EMPTY);
    if (value == null_idle && port->link)
        return bx_nhmex_level(signal, &port->output.in, BX_GAUGE_EMPTY);
    return value == sent && bx_nhmex_level(signal, &port->output.in, BX_GAUGE_NOT_EMPTY);
}

/* A half of QLX: type 3:0, class 6:4, network 7. A packet bids once, and a second time if its
 * output was busy. */
static bool qlx(struct bx_nhmex_rport *port, struct bx_signal *signal)
{
    enum { QUE_BID, LOCAL_BID, GLOBAL_BID, QUE_FAIL, LOCAL_FAIL, GLOBAL_FAIL };
    enum { QUE_KILL = 6, LOCAL_KILL, GLOBAL_KILL, AVAILABLE, STARVING };
    static const uint8_t classes[] = {BX_NHMEX_HOM, BX_NHMEX_SNP, BX_NHMEX_NDR,
                                      BX_NHMEX_NCS, BX_NHMEX_DRS, BX_NHMEX_NCB};
    uint32_t value = signal->selection.umask;
    unsigned type = value & 0xf, class = value >> 4 & 7;

    if (value > 0xff)
        return false;
    if (type == AVAILABLE)
        return bx_nhmex_level(signal, &port->output.in, BX_GAUGE_EMPTY);
    if (class >= sizeof classes)
        return false;
    switch (type) {
    case QUE_BID:
        bx_nhmex_add(signal, &port->new_packets[classes[class]]);
        bx_nhmex_add(signal, &port->bids_failed[classes[class]]);
        return true;
    case LOCAL_BID:
    case GLOBAL_BID:
        bx_nhmex_add(signal, &port->packets);
        bx_nhmex_add(signal, &port->failed);
        return true;
    case QUE_FAIL:
        bx_nhmex_add(signal, &port->bids_failed[classes[class]]);
        return true;
    case LOCAL_FAIL: /* clocks: a failed bid lasts until the link takes the packet */
        return bx_nhmex_level(signal, &port->eot_any, BX_GAUGE_NOT_EMPTY);
    case GLOBAL_FAIL: /* VN0 and VN1 are not used */
    case QUE_KILL:    /* a port's home messages never overtake each other */
    case LOCAL_KILL:
    case GLOBAL_KILL:
        return true;
    case STARVING:
        return bx_nhmex_level(signal, &port->starving, BX_GAUGE_NOT_EMPTY);
    default:
        return false;
    }
}

bool bx_nhmex_r_signal(struct bx_nhmex_rport *port, struct bx_signal *signal)
{
    switch (signal->selection.code) {
    case IPERF:
        return iperf(port, signal);
    case QLX:
        return qlx(port, signal);
    default:
        return signal->selection.code == XBR && bx_nhmex_can_compare(&signal->selection);
    }
}
