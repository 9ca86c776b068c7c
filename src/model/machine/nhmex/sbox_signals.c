/* What a selection of an S-Box counts: docs/explanation/model-nhmex.md. */
#include "model/machine/nhmex/signals.h"

static const char *const via_names[] = {"to the R-Box", "to the B-Box"};
static const char *const from_names[] = {"from the R-Box", "from the B-Box"};
static const char *const home_names[] = {"LOCAL", "REMOTE"};
static const char *const lane_names[] = {"C-Box 0 or 4", "C-Box 1 or 5", "C-Box 2 or 6",
                                         "C-Box 3 or 7"};
static const char *const to_ring_names[] = {"SNP", "NCS", "NCB", "NDR", "R2S_DRS", "B2S_DRS"};
static const char *const class_names[] = {"NCB", "NCS", "DRS", "NDR", "SNP", "HOM", "HOM1"};
static const char *const egress_names[] = {"AD clockwise", "AD counter-clockwise",
                                           "AK clockwise", "AK counter-clockwise",
                                           "BL clockwise", "BL counter-clockwise"};

#define LANES    EACH_IN(lane_names, BX_NHMEX_SIDE_CORES, struct bx_queue)
#define ANY_LANE .axis = {{lane_names, BX_NHMEX_SIDE_CORES, 0}}
#define CORES    EACH_OF(lane_names, BX_NHMEX_SIDE_CORES)
#define VIAS     EACH_IN(via_names, BX_NHMEX_VIAS, struct bx_queue)
#define TO_RING  EACH_IN(to_ring_names, BX_NHMEX_TO_RINGS, struct bx_queue)
#define EGRESS   EACH_IN(egress_names, 2 * BX_NHMEX_RINGS, struct bx_queue)

static const struct bx_tallies
    compared = {"packets to the R-Box that match", MATCHES(s)},
    hom = {"home messages", GAUGES(s, hom[0].in), VIAS},
    hom_any = {"home messages", GAUGES(s, hom_any)},
    hom_waits = {"home messages waiting for the R-Box", GAUGES(s, hom[BX_NHMEX_VIA_R].waiting)},
    hom_passed = {"bypasses of home messages to the R-Box",
                  COUNTS(s, hom[BX_NHMEX_VIA_R].bypasses)},
    to_b_passed = {"bypasses to the B-Box, and credits back", GAUGES(s, bypass_to_b)},
    snp = {"snoops to the R-Box", GAUGES(s, snp.in)},
    snp_waits = {"snoops waiting for the R-Box", GAUGES(s, snp.waiting)},
    snp_passed = {"bypasses of snoops to the R-Box", COUNTS(s, snp.bypasses)},
    drs = {"DRS to the R-Box", GAUGES(s, drs.of[0].in), LANES},
    drs_any = {"DRS to the R-Box", GAUGES(s, drs.lanes), ANY_LANE},
    drs_waits = {"DRS waiting for the R-Box", GAUGES(s, drs.waiting)},
    to_ring = {"messages to the ring", GAUGES(s, to_ring[0].in), TO_RING},
    ipq_waits = {"snoops waiting for IPQ", GAUGES(s, ipq_waiting)},
    to_ring_passed = {"bypasses to the ring", COUNTS(s, to_ring[0].bypasses), TO_RING},
    ncb = {"NCB to the R-Box", GAUGES(s, ncb.of[0].in), LANES},
    ncb_any = {"NCB to the R-Box", GAUGES(s, ncb.lanes), ANY_LANE},
    ncb_waits = {"NCB waiting for the R-Box", GAUGES(s, ncb.waiting)},
    ncs = {"NCS to the R-Box", GAUGES(s, ncs.of[0].in), LANES},
    ncs_any = {"NCS to the R-Box", GAUGES(s, ncs.lanes), ANY_LANE},
    ncs_waits = {"NCS waiting for the R-Box", GAUGES(s, ncs.waiting)},
    ndr = {"NDR to the R-Box", GAUGES(s, ndr.in)},
    no_vna = {"no credit of VNA for the R-Box", GAUGES(s, no_vna)},
    no_b_vna = {"no credit of VNA for a B-Box", GAUGES(s, b_credits.waiting)},
    no_vna_any = {"no credit of VNA for the R-Box or a B-Box", GAUGES(s, no_vna_any)},
    ndr_waits = {"NDR waiting for the R-Box", GAUGES(s, ndr.waiting)},
    ndr_sent = {"NDR packets sent to the R-Box", COUNTS(s, ndr_sent)},
    ncb_sent = {"NCB packets sent to the R-Box", COUNTS(s, by_core[BX_NHMEX_NCB]), CORES},
    ncs_sent = {"NCS packets sent to the R-Box", COUNTS(s, by_core[BX_NHMEX_NCS]), CORES},
    table = {"requests in flight", GAUGES(s, table_of[0]), EACH_IN(home_names, 2, struct bx_gauge)},
    requests = {"requests", COUNTS(s, requests), EACH_OF(home_names, 2)},
    sent = {"messages into egress", COUNTS(s, egress[0].inserts), EGRESS},
    passed = {"bypasses of egress", COUNTS(s, egress[0].bypasses), EGRESS},
    waiting = {"messages waiting for egress", GAUGES(s, egress[0].waiting), EGRESS},
    starving = {"messages starving for egress", GAUGES(s, egress[0].starving), EGRESS},
    hom_sent = {"HOM packets sent", COUNTS(s, hom_sent), EACH_OF(via_names, BX_NHMEX_VIAS)},
    snp_sent = {"SNP packets sent to the R-Box", COUNTS(s, snp_sent)},
    drs_sent = {"DRS packets sent to the R-Box", COUNTS(s, by_core[BX_NHMEX_DRS]), CORES},
    flits = {"flits sent to the R-Box", COUNTS(s, flits_sent),
             EACH_OF(class_names, BX_NHMEX_CLASSES)},
    received = {"packets received", COUNTS(s, received), EACH_OF(class_names, BX_NHMEX_CLASSES)},
    data_from = {"DRS packets received", COUNTS(s, data_from), EACH_OF(from_names, BX_NHMEX_VIAS)},
    received_from = {"packets received", COUNTS(s, received_from),
                     EACH_OF(from_names, BX_NHMEX_VIAS)},
    sent_to_b = {"packets sent to the B-Box", COUNTS(s, sent_to_b)};

/* A queue for each C-Box of the side. With several bits, NOT_EMPTY counts cycles with something in
 * any of their queues (p78). FULL is undefined there; the model knows it only for one queue, or for
 * all being full. */
#define FIFO(full, not_empty, entries, queue)                                                      \
    {full, IS(0x0), NOTHING}, {full, IS(0x1), &queue, SET(0), .what = FULL},                       \
        {full, IS(0x2), &queue, SET(1), .what = FULL},                                             \
        {full, IS(0x4), &queue, SET(2), .what = FULL},                                             \
        {full, IS(0x8), &queue, SET(3), .what = FULL},                                             \
        {full, IS(0xf), &queue##_any, .what = FULL},                                               \
        {not_empty, EACH(0xf), &queue##_any, .what = BX_WHAT_LANES},                               \
    {                                                                                              \
        entries, EACH(0xf), &queue, .what = ENTRIES                                                \
    }

/* All of the pattern is compared but response and opcode, whose bits are not known. */
static const struct bx_choice of_pattern[] = {
    {BX_NO_AXIS, {FILTER(0, .free = UINT64_MAX), FILTER(2, .free = UINT64_MAX)}},
    {BX_NO_AXIS, {FILTER(1, .free = UINT64_MAX >> 16)}},
};

/* RBOX 01H, BBOX 02H, or both */
#define OF_VNA(bits)                                                                               \
    {                                                                                              \
        .care = 0x03, .value = (bits), .free = 0xfc                                                \
    }

static const struct bx_row rows[] = {
    {0x00, ANY, &compared, CHOICES(of_pattern)},

    /* TO_R_*_MSGQ_*: RBOX 01H, BBOX 02H, or both */
    {0x03, IS(0x03), &hom_any, .what = FULL},
    {0x03, EACH(0x03), &hom, .what = FULL},
    {0x06, IS(0x03), &hom_any, .what = NOT_EMPTY},
    {0x06, EACH(0x03), &hom, .what = NOT_EMPTY},
    {0x07, EACH(0x03), &hom, .what = ENTRIES},
    {0x08, ANY, &snp, .what = FULL},
    {0x09, ANY, &snp, .what = NOT_EMPTY},
    {0x0a, ANY, &snp, .what = ENTRIES},
    {0x0b, ANY, &ndr, .what = FULL},
    {0x0c, ANY, &ndr, .what = NOT_EMPTY},
    {0x0d, ANY, &ndr, .what = ENTRIES},
    FIFO(0x0e, 0x0f, 0x10, drs),
    FIFO(0x11, 0x12, 0x13, ncb),
    FIFO(0x14, 0x15, 0x16, ncs),

    /* TO_RING_*_MSGQ_* */
    {0x20, ANY, &to_ring, SET(BX_NHMEX_RING_SNP), .what = FULL},
    {0x23, ANY, &to_ring, SET(BX_NHMEX_RING_SNP), .what = NOT_EMPTY},
    {0x21, ANY, &to_ring, SET(BX_NHMEX_RING_NCB), .what = FULL},
    {0x24, ANY, &to_ring, SET(BX_NHMEX_RING_NCB), .what = NOT_EMPTY},
    {0x22, ANY, &to_ring, SET(BX_NHMEX_RING_NCS), .what = FULL},
    {0x25, ANY, &to_ring, SET(BX_NHMEX_RING_NCS), .what = NOT_EMPTY},
    {0x26, EACH(0x07), &to_ring, .what = ENTRIES}, /* SNP 01H, NCS 02H, NCB 04H */
    {0x27, ANY, &to_ring, SET(BX_NHMEX_RING_NDR), .what = FULL},
    {0x28, ANY, &to_ring, SET(BX_NHMEX_RING_NDR), .what = NOT_EMPTY},
    {0x29, ANY, &to_ring, SET(BX_NHMEX_RING_NDR), .what = ENTRIES},
    {0x2a, ANY, &to_ring, SET(BX_NHMEX_RING_R2S), .what = FULL},
    {0x2b, ANY, &to_ring, SET(BX_NHMEX_RING_B2S), .what = FULL},
    {0x2c, ANY, &to_ring, SET(BX_NHMEX_RING_R2S), .what = NOT_EMPTY},
    {0x2d, ANY, &to_ring, SET(BX_NHMEX_RING_B2S), .what = NOT_EMPTY},
    {0x2e, ANY, &to_ring, SET(BX_NHMEX_RING_R2S), .what = ENTRIES},
    {0x2f, ANY, &to_ring, SET(BX_NHMEX_RING_B2S), .what = ENTRIES},

    {0x31, EACH(0x03), &table, .what = ENTRIES},

    /* EGRESS_*: AD, AK and BL have two bits each */
    {0x40, EACH(0x3f), &passed},
    {0x41, EACH(0x3f), &sent},
    /* not of AD alone: snoops come one a cycle, so that none waits there */
    {0x42, {.some = 0x3c, .each = 0x3f}, &waiting, .what = ENTRIES},
    {0x43, {.some = 0x3c, .each = 0x3f}, &starving, .what = NOT_EMPTY},

    /* Packets that found their queue empty. To the B-Box: cycles, which include credits that return
     * the same way. */
    {0x50, ANY, &hom_passed},
    {0x51, {.care = 0x01, .value = 0x01, .free = UINT64_MAX}, &snp_passed},
    {0x52, ANY, &to_b_passed, .what = NOT_EMPTY},
    {0x53, ANY, &to_ring_passed, SET(BX_NHMEX_RING_B2S)},

    {0x60, EACH(0x03), &hom_sent},
    {0x62, ANY, &snp_sent},
    {0x63, ANY, &ndr_sent},
    {0x64, EACH(0x0f), &drs_sent},
    {0x65, ANY, &flits, SET(BX_NHMEX_DRS)},
    {0x66, EACH(0x0f), &ncs_sent},
    {0x67, ANY, &flits, SET(BX_NHMEX_NCS)},
    {0x68, EACH(0x0f), &ncb_sent},
    {0x69, ANY, &flits, SET(BX_NHMEX_NCB)},
    {0x6a, ANY, &received_from, SET(BX_NHMEX_VIA_R)}, /* each returns a credit */
    {0x6b, ANY, &received_from, SET(BX_NHMEX_VIA_B)},
    {0x6c, EACH(0x03), &requests},
    {0x70, ANY, &received, SET(BX_NHMEX_NDR)},
    {0x71, ANY, &received, SET(BX_NHMEX_SNP)},
    {0x72, ANY, &data_from, SET(BX_NHMEX_VIA_R)},
    {0x73, ANY, &data_from, SET(BX_NHMEX_VIA_B)},
    {0x74, ANY, &received, SET(BX_NHMEX_NCS)},
    {0x75, ANY, &received, SET(BX_NHMEX_NCB)},
    {0x77, ANY, &sent_to_b},

    /* NO_CREDIT_*: cycles in which something waits for room */
    {0x80, ANY, &hom_waits, .what = NOT_EMPTY},
    {0x81, ANY, &snp_waits, .what = NOT_EMPTY},
    {0x82, ANY, &drs_waits, .what = NOT_EMPTY},
    {0x83, ANY, &ncs_waits, .what = NOT_EMPTY},
    {0x84, ANY, &ncb_waits, .what = NOT_EMPTY},
    {0x85, ANY, &ndr_waits, .what = NOT_EMPTY},
    {0x86, OF_VNA(0x01), &no_vna, .what = NOT_EMPTY},
    {0x86, OF_VNA(0x02), &no_b_vna, .what = NOT_EMPTY},
    {0x86, OF_VNA(0x03), &no_vna_any, .what = NOT_EMPTY},
    {0x8a, ANY, &ipq_waits, .what = NOT_EMPTY},
};

const struct bx_box_signals bx_nhmex_s_signals = {{BX_ROWS(rows)}};
