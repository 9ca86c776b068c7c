/* What a selection of a port of an R-Box counts: docs/explanation/model-nhmex.md. */
#include "model/machine/nhmex/signals.h"

#define PORT(member)                                                                               \
    {                                                                                              \
        .at = offsetof(struct bx_nhmex, package[0].r[0].member),                                   \
        .package = sizeof(struct bx_nhmex_package),                                                \
        .unit = BX_NHMEX_PORTS / 2 * sizeof(struct bx_nhmex_rport),                                \
        .port = sizeof(struct bx_nhmex_rport)                                                      \
    }

static const char *const class_names[] = {"NCB", "NCS", "DRS", "NDR", "SNP", "HOM"};
static const char *const allocated_names[] = {"NCB", "NCS",     "DRS",    "NDR",
                                              "SNP", "HOM_VN0", "HOM_VN1"};
static const char *const network_names[] = {"NCB",        "NCS",        "DRS",        "NDR",
                                            "SNP",        "HOM",        "NCB on VN1", "NCS on VN1",
                                            "DRS on VN1", "NDR on VN1", "SNP on VN1", "HOM on VN1"};
static const char *const bid_names[] = {"of packets", "again, after failed ones"};

#define CLASSES EACH_OF(class_names, BX_NHMEX_CLASSES - 1)

static const struct bx_tallies
    new_packets = {"new packets", &bx_read_counts, PORT(new_packets), SERVED, CLASSES},
    new_on_vn0 = {"new packets on VN0", &bx_read_counts, PORT(new_on[BX_NHMEX_VN0]), SERVED,
                  CLASSES},
    new_on_vn1 = {"new packets on VN1", &bx_read_counts, PORT(new_on[BX_NHMEX_VN1]), SERVED,
                  CLASSES},
    new_on_vna = {"new packets on VNA", &bx_read_counts, PORT(new_on[BX_NHMEX_VNA]), SERVED,
                  CLASSES},
    allocated = {"new packets", &bx_read_counts, PORT(allocated), SERVED,
                 EACH_OF(allocated_names, BX_NHMEX_PACKET_CLASSES + 1)},
    bids_failed = {"failed bids", &bx_read_counts, PORT(bids_failed), SERVED,
                   EACH_OF(network_names, BX_NHMEX_VNA *BX_NHMEX_PACKET_CLASSES)},
    bids = {"bids", &bx_read_counts, PORT(packets), SERVED, EACH_OF(bid_names, 2)},
    eot = {"entries of the EOT", &bx_read_gauges, PORT(eot), SERVED,
           EACH_IN(network_names, BX_NHMEX_VNA *BX_NHMEX_PACKET_CLASSES, struct bx_gauge)},
    eot_any = {"the EOT", &bx_read_gauges, PORT(eot_any), SERVED},
    starving = {"starving packets", &bx_read_gauges, PORT(starving), SERVED},
    flits = {"flits on the outgoing link", &bx_read_gauges, PORT(output.in), SERVED},
    link_waits = {"packets waiting for the outgoing link", &bx_read_gauges, PORT(output.waiting),
                  SERVED},
    compared = {"new packets that match, or their flits", &bx_nhmex_read_matches, PORT(patterns),
                SERVED};

enum { IPERF = 1, QLX = 2, XBR = 3 };

/* A value of IPERF has bits of one field only. NEW_PC 5:0 selects classes, NEW_PVN 7:6 a network:
 * VN0 00, VN1 01, VNA 10, any 11. ARB_ALLOC 15:9: NCB, NCS, DRS, NDR, SNP, HOM of VN0 and of VN1.
 */
#define NEW_ON(network, of)                                                                        \
    {                                                                                              \
        .care = ~UINT64_C(0x3f), .value = (network) << 6, .some = (of), .each = 0x3f               \
    }
#define ALLOC                                                                                      \
    {                                                                                              \
        .care = ~UINT64_C(0xfe00), .value = 0, .some = 0xfe00, .each = 0xfe00                      \
    }
enum { ANY_NETWORK = BX_NHMEX_NETWORKS };

/* Classes by network: those of VN0, which are also VNA's, then those of VN1. */
#define ON_VN0(class)  SET(class)
#define ON_VN1(class)  SET(BX_NHMEX_PACKET_CLASSES + (class))
#define ON_BOTH(class) (ON_VN0(class) | ON_VN1(class))

/* MC 20:17 selects a class, with MC_ROLL_ALLOC 21 its new entries. */
#define EOT(mc, tallies)                                                                           \
    {IPERF, IS((mc) << 17), &eot, tallies, .what = ENTRIES},                                       \
    {                                                                                              \
        IPERF, IS((mc) << 17 | 1u << 21), &bids_failed, tallies                                    \
    }

/* A half of QLX: type 3:0, class 6:4, network 7. A packet bids once, and a second time if its
 * output was busy. */
#define TYPE(t)                                                                                    \
    {                                                                                              \
        .care = 0x0f, .value = (t), .free = 0x80                                                   \
    }
#define TYPE_OF_ANY(t)                                                                             \
    {                                                                                              \
        .care = 0x0f, .value = (t), .free = 0xf0                                                   \
    }
enum { QUE_BID, LOCAL_BID, GLOBAL_BID, QUE_FAIL, LOCAL_FAIL, GLOBAL_FAIL, AVAILABLE = 9, STARVING };

/* Of one class: HOM 000, SNP 001, NDR 010, NCS 011, DRS 100, NCB 101. */
#define BIDS(type, tallies, of)                                                                    \
    OF_CLASS(type, 0x00, tallies, of(BX_NHMEX_HOM)),                                               \
        OF_CLASS(type, 0x10, tallies, of(BX_NHMEX_SNP)),                                           \
        OF_CLASS(type, 0x20, tallies, of(BX_NHMEX_NDR)),                                           \
        OF_CLASS(type, 0x30, tallies, of(BX_NHMEX_NCS)),                                           \
        OF_CLASS(type, 0x40, tallies, of(BX_NHMEX_DRS)),                                           \
        OF_CLASS(type, 0x50, tallies, of(BX_NHMEX_NCB))
#define OF_CLASS(type, code, tallies, which)                                                       \
    {                                                                                              \
        QLX, {.care = 0x7f, .value = (type) | (code), .free = 0x80}, &tallies, which               \
    }
#define CLOCKS_OF(code, which)                                                                     \
    {                                                                                              \
        QLX, AT(0xff, GLOBAL_FAIL | (code)), &eot, which, .what = NOT_EMPTY                        \
    }

/* The class is one of the six, and does not matter. */
static const struct bx_choice of_some_class[] = {
    {BX_NO_AXIS, {{.care = 0x40, .value = 0, .free = 0x30}}},
    {BX_NO_AXIS, {{.care = 0x60, .value = 0x40, .free = 0x10}}},
};

/* All of the pattern is compared but bits 71:64 of the match data. */
static const struct bx_choice of_pattern[] = {
    {BX_NO_AXIS, {FILTER(0, .free = ~UINT64_C(0xff)), FILTER(1, .free = UINT64_MAX)}},
    {BX_NO_AXIS, {FILTER(2, .free = UINT64_MAX)}},
};

static const struct bx_row rows[] = {
    {IPERF, NEW_ON(BX_NHMEX_VN0, 0x3f), &new_on_vn0},
    {IPERF, NEW_ON(BX_NHMEX_VN1, 0x3f), &new_on_vn1},
    {IPERF, NEW_ON(BX_NHMEX_VNA, 0x3f), &new_on_vna},
    {IPERF, NEW_ON(ANY_NETWORK, 0x3f), &new_packets},
    {IPERF, ALLOC, &allocated},
    {IPERF, IS(1u << 8), &bids, SET(0)}, /* READ_WIN */
    {IPERF, IS(1u << 16), &eot_any, .what = NOT_EMPTY},
    EOT(1u, ON_VN0(BX_NHMEX_HOM)),
    EOT(2u, ON_VN1(BX_NHMEX_HOM)),
    EOT(3u, ON_BOTH(BX_NHMEX_NDR)),
    EOT(4u, ON_VN0(BX_NHMEX_DRS)),
    EOT(5u, ON_BOTH(BX_NHMEX_SNP)),
    EOT(6u, ON_BOTH(BX_NHMEX_NCB)),
    EOT(7u, ON_BOTH(BX_NHMEX_NCS)),
    EOT(8u, ON_VN1(BX_NHMEX_DRS)),
    {IPERF, IS(1u << 26), &link_waits, .what = NOT_EMPTY},                    /* OUTPUTQ_NE */
    {IPERF, IS(1u << 30), &flits, .what = EMPTY, .needs = BX_NHMEX_HAS_LINK}, /* NULL_IDLE */
    {IPERF, IS(1u << 30), NOTHING, .needs = BX_NHMEX_HAS_NO_LINK}, /* idle flits are of links */
    {IPERF, IS(1u << 31), &flits, .what = NOT_EMPTY},              /* FLITS_SENT */

    BIDS(QUE_BID, new_packets, SET),
    BIDS(QUE_BID, bids_failed, ON_BOTH),
    {QLX, TYPE(LOCAL_BID), &bids, CHOICES(of_some_class)},
    {QLX, TYPE(GLOBAL_BID), &bids, CHOICES(of_some_class)},
    BIDS(QUE_FAIL, bids_failed, ON_BOTH),
    /* clocks: a failed bid lasts until the link takes the packet */
    {QLX, TYPE(LOCAL_FAIL), &eot_any, CHOICES(of_some_class), .what = NOT_EMPTY},
    CLOCKS_OF(0x00, ON_VN0(BX_NHMEX_HOM)),
    CLOCKS_OF(0x10, ON_VN0(BX_NHMEX_SNP)),
    CLOCKS_OF(0x20, ON_VN0(BX_NHMEX_NDR)),
    CLOCKS_OF(0x30, ON_VN0(BX_NHMEX_NCS)),
    CLOCKS_OF(0x40, ON_VN0(BX_NHMEX_DRS)),
    CLOCKS_OF(0x50, ON_VN0(BX_NHMEX_NCB)),
    CLOCKS_OF(0x80, ON_VN1(BX_NHMEX_HOM)),
    CLOCKS_OF(0x90, ON_VN1(BX_NHMEX_SNP)),
    CLOCKS_OF(0xa0, ON_VN1(BX_NHMEX_NDR)),
    CLOCKS_OF(0xb0, ON_VN1(BX_NHMEX_NCS)),
    CLOCKS_OF(0xc0, ON_VN1(BX_NHMEX_DRS)),
    CLOCKS_OF(0xd0, ON_VN1(BX_NHMEX_NCB)),
    {QLX, TYPE_OF_ANY(AVAILABLE), &flits, .what = EMPTY},
    {QLX, TYPE(STARVING), &starving, CHOICES(of_some_class), .what = NOT_EMPTY},

    {XBR, ANY, &compared, CHOICES(of_pattern), .needs = BX_NHMEX_HAS_PACKET},
};

const struct bx_box_signals bx_nhmex_r_signals = {{BX_ROWS(rows)}};
