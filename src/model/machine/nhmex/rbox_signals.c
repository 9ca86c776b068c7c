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
static const char *const eot_names[BX_NHMEX_EOTS] = {
    [BX_NHMEX_EOT_HOM_VN0] = "HOM_VN0", [BX_NHMEX_EOT_HOM_VN1] = "HOM_VN1",
    [BX_NHMEX_EOT_NDR] = "NDR",         [BX_NHMEX_EOT_DRS_VN0] = "DRS_VN0",
    [BX_NHMEX_EOT_SNP] = "SNP",         [BX_NHMEX_EOT_NCB] = "NCB",
    [BX_NHMEX_EOT_NCS] = "NCS",         [BX_NHMEX_EOT_DRS_VN1] = "DRS_VN1"};
static const char *const bid_names[] = {"of packets", "again, after failed ones"};

#define CLASSES EACH_OF(class_names, BX_NHMEX_CLASSES - 1)

static const struct bx_tallies
    new_packets = {"new packets", &bx_read_counts, PORT(new_packets), SERVED, CLASSES},
    bids_failed = {"failed bids", &bx_read_counts, PORT(bids_failed), SERVED, CLASSES},
    bids = {"bids", &bx_read_counts, PORT(packets), SERVED, EACH_OF(bid_names, 2)},
    eot = {"entries of the EOT", &bx_read_gauges, PORT(eot), SERVED,
           EACH_IN(eot_names, BX_NHMEX_EOTS, struct bx_gauge)},
    eot_any = {"the EOT", &bx_read_gauges, PORT(eot_any), SERVED},
    starving = {"starving packets", &bx_read_gauges, PORT(starving), SERVED},
    flits = {"flits on the outgoing link", &bx_read_gauges, PORT(output.in), SERVED},
    link_waits = {"packets waiting for the outgoing link", &bx_read_gauges, PORT(output.waiting),
                  SERVED},
    compared = {"new packets that match, or their flits", &bx_nhmex_read_matches, PORT(patterns),
                SERVED};

enum { IPERF = 1, QLX = 2, XBR = 3 };

/* A value of IPERF has bits of one field only. NEW_PC 5:0 selects classes, NEW_PVN 7:6 a network:
 * VN0 00, VN1 01, VNA 10, any 11. All packets are on VNA. ARB_ALLOC 15:9: NCB, NCS, DRS, NDR, SNP,
 * HOM of VN0 and of VN1. */
#define NEW_OF_VNA                                                                                 \
    {                                                                                              \
        .care = ~UINT64_C(0x7f), .value = 0x80, .some = 0x3f, .each = 0x3f, .free = 0x40           \
    }
#define ALLOC                                                                                      \
    {                                                                                              \
        .care = ~UINT64_C(0xfe00), .value = 0, .some = 0x7e00, .each = 0x7e00, .free = 0x8000      \
    }

/* MC 20:17 selects a class, from 1 on. With MC_ROLL_ALLOC 21 it counts new entries. */
#define MC(table)      IS(((table) + 1u) << 17)
#define MC_ROLL(table) IS(((table) + 1u) << 17 | 1u << 21)

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
enum { QUE_BID, LOCAL_BID, GLOBAL_BID, QUE_FAIL, LOCAL_FAIL, AVAILABLE = 9, STARVING };

/* Of one class: HOM 000, SNP 001, NDR 010, NCS 011, DRS 100, NCB 101. */
#define BIDS(type, tallies)                                                                        \
    BIDS_OF(type, 0x00, tallies, BX_NHMEX_HOM), BIDS_OF(type, 0x10, tallies, BX_NHMEX_SNP),        \
        BIDS_OF(type, 0x20, tallies, BX_NHMEX_NDR), BIDS_OF(type, 0x30, tallies, BX_NHMEX_NCS),    \
        BIDS_OF(type, 0x40, tallies, BX_NHMEX_DRS), BIDS_OF(type, 0x50, tallies, BX_NHMEX_NCB)
#define BIDS_OF(type, code, tallies, class)                                                        \
    {                                                                                              \
        QLX, {.care = 0x7f, .value = (type) | (code), .free = 0x80}, &tallies, SET(class)          \
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
    {IPERF, NEW_OF_VNA, &new_packets},
    {IPERF, ALLOC, &new_packets},
    {IPERF, IS(1u << 8), &bids, SET(0)}, /* READ_WIN */
    {IPERF, IS(1u << 16), &eot_any, .what = NOT_EMPTY},
    {IPERF, MC(BX_NHMEX_EOT_HOM_VN0), &eot, SET(BX_NHMEX_EOT_HOM_VN0), .what = ENTRIES},
    {IPERF, MC(BX_NHMEX_EOT_NDR), &eot, SET(BX_NHMEX_EOT_NDR), .what = ENTRIES},
    {IPERF, MC(BX_NHMEX_EOT_DRS_VN0), &eot, SET(BX_NHMEX_EOT_DRS_VN0), .what = ENTRIES},
    {IPERF, MC(BX_NHMEX_EOT_SNP), &eot, SET(BX_NHMEX_EOT_SNP), .what = ENTRIES},
    {IPERF, MC(BX_NHMEX_EOT_NCB), &eot, SET(BX_NHMEX_EOT_NCB), .what = ENTRIES},
    {IPERF, MC(BX_NHMEX_EOT_NCS), &eot, SET(BX_NHMEX_EOT_NCS), .what = ENTRIES},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_HOM_VN0), &bids_failed, SET(BX_NHMEX_HOM)},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_NDR), &bids_failed, SET(BX_NHMEX_NDR)},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_DRS_VN0), &bids_failed, SET(BX_NHMEX_DRS)},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_SNP), &bids_failed, SET(BX_NHMEX_SNP)},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_NCB), &bids_failed, SET(BX_NHMEX_NCB)},
    {IPERF, MC_ROLL(BX_NHMEX_EOT_NCS), &bids_failed, SET(BX_NHMEX_NCS)},
    {IPERF, IS(1u << 26), &link_waits, .what = NOT_EMPTY},                    /* OUTPUTQ_NE */
    {IPERF, IS(1u << 30), &flits, .what = EMPTY, .needs = BX_NHMEX_HAS_LINK}, /* NULL_IDLE */
    {IPERF, IS(1u << 30), NOTHING, .needs = BX_NHMEX_HAS_NO_LINK}, /* idle flits are of links */
    {IPERF, IS(1u << 31), &flits, .what = NOT_EMPTY},              /* FLITS_SENT */

    BIDS(QUE_BID, new_packets),
    BIDS(QUE_BID, bids_failed),
    {QLX, TYPE(LOCAL_BID), &bids, CHOICES(of_some_class)},
    {QLX, TYPE(GLOBAL_BID), &bids, CHOICES(of_some_class)},
    BIDS(QUE_FAIL, bids_failed),
    /* clocks: a failed bid lasts until the link takes the packet */
    {QLX, TYPE(LOCAL_FAIL), &eot_any, CHOICES(of_some_class), .what = NOT_EMPTY},
    {QLX, TYPE_OF_ANY(AVAILABLE), &flits, .what = EMPTY},
    {QLX, TYPE(STARVING), &starving, CHOICES(of_some_class), .what = NOT_EMPTY},

    {XBR, ANY, &compared, CHOICES(of_pattern), .needs = BX_NHMEX_HAS_PACKET},
};

const struct bx_box_signals bx_nhmex_r_signals = {{BX_ROWS(rows)}};
