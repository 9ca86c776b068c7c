/* Levels of the R-Box. */
#include "nhmex/sums.h"

static unsigned class_bit(const struct packet *p)
{
    return p->class == NCB   ? 1
           : p->class == NCS ? 2
           : p->class == DRS ? 4
           : p->class == NDR ? 8
           : p->class == SNP ? 0x10
                             : 0x20;
}

enum { ON_VN0 = 1, ON_VN1 = 2, ON_VNA = 4, ON_ANY = 7 };

static bool is_on(const struct packet *p, unsigned networks)
{
    return networks >> p->network & 1;
}

static void of_classes(struct sum *s, const struct instants *of, unsigned bits, unsigned networks)
{
    for (size_t i = 0; i < of->n; i++)
        if (class_bit(&of->instant[i].packet) & bits && is_on(&of->instant[i].packet, networks))
            sum_at(s, of->instant[i].time, 1);
}

/* Packets of an input port that wait for a link, in any of the classes. */
static void failed(struct sum *s, const struct package *p, unsigned in, unsigned bits,
                   unsigned networks, bool as_cycles, bool starve)
{
    for (unsigned out = 0; out < PORTS; out++)
        for (size_t i = 0; i < p->port[out].link.n; i++) {
            const struct entry *e = &p->port[out].link.entry[i];
            if (e->kind != in || e->begin == e->arrival || !(class_bit(&e->packet) & bits) ||
                !is_on(&e->packet, networks))
                continue;
            if (as_cycles)
                sum_add(s, e->arrival + (starve ? s->oracle->times.starving : 0), e->begin, 1);
            else
                sum_at(s, e->counted, 1);
        }
}

enum { ANY_CLASS = 0x3f };

static void eot_cycles(struct sum *s, const struct package *p, unsigned in, bool starve)
{
    failed(s, p, in, ANY_CLASS, ON_ANY, true, starve);
    sum_reach(s, 1);
    sum_finished(s);
}

static bool rbox_eot(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    static const unsigned bits[16] = {
        [1] = 0x20, [2] = 0x20, [3] = 8, [4] = 4, [5] = 0x10, [6] = 1, [7] = 2, [8] = 4};
    unsigned mc = umask >> 17 & 15;
    unsigned networks = mc == 2 || mc == 8 ? ON_VN1 : mc == 1 || mc == 4 ? ON_VN0 | ON_VNA : ON_ANY;

    failed(s, p, in, bits[mc], networks, !(umask & 0x200000), false);
    return true;
}

static bool rbox_iperf(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    const struct rport *port = &p->port[in];

    if (umask & 0x1e0000)
        return rbox_eot(s, p, in, umask);
    if (umask == 0x10000)
        return eot_cycles(s, p, in, false), true;
    if (umask == 0x4000000)
        return sum_no_credit(s, &port->link, 1), true;
    if (umask == 0x80000000)
        return sum_occupancy(s, &port->link), true; /* a flit a cycle */
    if (umask == 0x40000000)
        return in % 4 < 2 ? sum_idle(s, &port->link) : (void)0, true;
    if (umask == 0x100)
        return of_classes(s, &port->new_packets, ANY_CLASS, ON_ANY), true;
    if (umask >= 0x200 && umask <= 0xfe00) {
        of_classes(s, &port->new_packets, umask >> 9 & 0x1f, ON_ANY);
        if (umask & 0x4000)
            of_classes(s, &port->new_packets, 0x20, ON_VN0 | ON_VNA);
        if (umask & 0x8000)
            of_classes(s, &port->new_packets, 0x20, ON_VN1);
        return true;
    }
    if (umask <= 0xff)
        return of_classes(s, &port->new_packets, umask & ANY_CLASS,
                          umask >> 6 == 3 ? ON_ANY : 1u << (umask >> 6)),
               true;
    return false;
}

static bool rbox_qlx(struct sum *s, const struct package *p, unsigned in, unsigned umask)
{
    static const unsigned bit[8] = {0x20, 0x10, 8, 2, 4, 1};
    unsigned kind = umask & 15;
    unsigned bits = kind == 0 || kind == 3 || kind == 5 ? bit[umask >> 4 & 7] : ANY_CLASS;

    switch (kind) {
    case 0:
    case 1:
    case 2:
        of_classes(s, &p->port[in].new_packets, bits, ON_ANY);
        return failed(s, p, in, bits, ON_ANY, false, false), true;
    case 3:
        return failed(s, p, in, bits, ON_ANY, false, false), true;
    case 4:
        return eot_cycles(s, p, in, false), true;
    case 5:
        failed(s, p, in, bits, umask & 0x80 ? ON_VN1 : ON_VN0 | ON_VNA, true, false);
        sum_reach(s, 1);
        return sum_finished(s), true;
    case 6: /* *_HOME_ORDER_KILL */
    case 7:
    case 8:
        return true;
    case 9:
        return sum_idle(s, &p->port[in].link), true;
    case 10:
        return eot_cycles(s, p, in, true), true;
    default:
        return false;
    }
}

bool nhmex_rbox_levels(struct sum *s, const struct package *p, const struct nhmex_signal *sig)
{
    switch (sig->code) {
    case 1:
        return rbox_iperf(s, p, sig->unit, sig->umask);
    case 2:
        return rbox_qlx(s, p, sig->unit, sig->umask);
    case 3:
        return sum_packets(s, &p->port[sig->unit].new_packets, 0, 1, &sig->pattern), true;
    default:
        return false;
    }
}
