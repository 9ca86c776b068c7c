/* What a selection of a C-Box counts: docs/explanation/model-nhmex.md. */
#include "model/machine/nhmex/signals.h"

static const char *const ring_names[] = {"AD", "AK", "BL"};
static const char *const to_core_names[] = {"IV", "AK", "BL"};
static const char *const state_names[] = {"M", "E", "S", "F", "I"};
static const char *const miss_names[] = {"S", "F", "I"};
static const char *const side_names[] = {"from the own side", "from the other side"};
static const char *const snoop_names[] = {"for reads", "for ownership"};
static const char *const snoop_hit_names[] = {
    "M for reads",     "E for reads",     "S for reads",     "F for reads",
    "M for ownership", "E for ownership", "S for ownership", "F for ownership"};
static const char *const egress_names[] = {"AD_SB", "AD_NSB", "AK_SB", "AK_NSB",
                                           "BL_SB", "BL_NSB", "IV"};
static const char *const nack1_names[] = {"GO_PENDING", "VIC_PENDING", "SNP_PENDING", "AC_PENDING",
                                          "IDX_BLOCK",  "PA_BLOCK",    "IDLE_QPI"};
static const char *const nack2_names[] = {
    "MAF_FULL",          "EGRESS_FULL",         "VIQ_FULL",   "NO_TRACKER_CREDITS",
    "NO_S_FIFO_CREDITS", "NO_S_REQTBL_ENTRIES", "WB_PENDING", "NACK2_ELSE"};
static const char *const queue_names[] = {"IRQ", "IPQ", "VIQ", "MAF", "RWRF", "RSPF"};

#define STATES EACH_OF(state_names, 4)
#define EGRESS EACH_IN(egress_names, BX_NHMEX_EGRESSES, struct bx_queue)
#define QUEUES EACH_IN(queue_names, BX_NHMEX_QUEUES, struct bx_queue)

static const struct bx_tallies
    bounces = {"bounces", COUNTS(c, bounces), EACH_OF(side_names, 2)},
    from_core = {"messages of cores", COUNTS(c, from_core), EACH_OF(ring_names, BX_NHMEX_RINGS)},
    to_core = {"messages to cores", COUNTS(c, to_core), EACH_OF(to_core_names, BX_NHMEX_RINGS)},
    from_s = {"messages of the S-Box", COUNTS(c, from_s), EACH_OF(ring_names, BX_NHMEX_RINGS)},
    data = {"lines answered from outside", COUNTS(c, s_to_core_data)},
    misses = {"requests of cores that miss", COUNTS(c, miss), EACH_OF(miss_names, 3)},
    hits = {"requests of cores that hit", COUNTS(c, hit), STATES},
    fills = {"fills", COUNTS(c, fill), STATES},
    victims = {"victims", COUNTS(c, victim), EACH_OF(state_names, 5)},
    snoops = {"snoops", COUNTS(c, snoop), EACH_OF(snoop_names, 2)},
    snoop_hits = {"snoops that hit", COUNTS(c, snoop_hit), EACH_OF(snoop_hit_names, 8)},
    sent = {"messages into egress", COUNTS(c, egress[0].inserts), EGRESS},
    passed = {"bypasses of egress", COUNTS(c, egress[0].bypasses), EGRESS},
    waiting = {"messages waiting for egress", GAUGES(c, egress[0].waiting), EGRESS},
    starving = {"messages starving for egress", GAUGES(c, egress[0].starving), EGRESS},
    core_starving = {"requests of the core starving for AD_SB", GAUGES(c, core_starving)},
    queued = {"queues", GAUGES(c, queue[0].in), QUEUES},
    inserted = {"inserts", COUNTS(c, queue[0].inserts), QUEUES},
    bypassed = {"bypasses", COUNTS(c, queue[0].bypasses), QUEUES},
    nack1 = {"refusals", COUNTS(c, nack1), EACH_OF(nack1_names, BX_NHMEX_NACK1)},
    nack2 = {"refusals", COUNTS(c, nack2), EACH_OF(nack2_names, BX_NHMEX_NACK2)};

#define BOTH(ring) (SET(BX_NHMEX_##ring##_SB) | SET(BX_NHMEX_##ring##_NSB))

#define REFUSED(bit)                                                                               \
    {                                                                                              \
        .care = (bit), .value = (bit), .free = 0x51                                                \
    }

static const struct bx_row rows[] = {
    {0x01, EACH(0x03), &bounces},
    {0x05, EACH(0x07), &from_core},
    {0x06, EACH(0x07), &to_core},
    {0x07, EACH(0x07), &from_s},
    {0x08, ANY, &data},
    {0x09, EACH(0x7f), &sent},
    {0x0a, EACH(0x7f), &waiting, .what = ENTRIES},
    {0x0b, HAS(0x01), &core_starving, .what = NOT_EMPTY}, /* P2C_AD_SB */
    {0x0b, {.some = 0xfe, .each = 0xfe}, &starving, .what = NOT_EMPTY},
    /* Each of AD, AK, BL and IV has two bits. BYP0: messages in either direction that found their
     * egress queue empty. BYP1, a bypass that takes a cycle, the model does not have. */
    {0x0c, HAS(0x01), &passed, BOTH(AD)},
    {0x0c, HAS(0x04), &passed, BOTH(AK)},
    {0x0c, HAS(0x10), &passed, BOTH(BL)},
    {0x0c, HAS(0x40), &passed, SET(BX_NHMEX_IV)},
    /* IRQ_BYP0 and IPQ_BYP0 */
    {0x0e, HAS(0x01), &bypassed, SET(BX_NHMEX_IRQ)},
    {0x0e, HAS(0x04), &bypassed, SET(BX_NHMEX_IPQ)},
    {0x10, ANY, &inserted, SET(BX_NHMEX_MAF)},
    /* GO_PENDING 01H, IDX_BLOCK 10H and IDLE_QPI 40H, which there are none of, only in the sum with
     * others */
    {0x11, REFUSED(0x02), &nack1, SET(BX_NHMEX_VIC_PENDING)},
    {0x11, REFUSED(0x04), &nack1, SET(BX_NHMEX_SNP_PENDING)},
    {0x11, REFUSED(0x08), &nack1, SET(BX_NHMEX_AC_PENDING)},
    {0x11, REFUSED(0x20), &nack1, SET(BX_NHMEX_PA_BLOCK)},
    {0x11, HAS(0x80), &nack2}, /* all reasons of MAF_NACK2 */
    {0x12, {.some = 0x7f, .each = 0x7f}, &nack2},
    {0x14, EACH(0x07), &misses},
    {0x15, EACH(0x0f), &hits},
    {0x16, HAS(0x01), &fills, SET(0)},
    {0x16, HAS(0x02), &fills, SET(1)},
    {0x16, {.care = 0x08, .value = 0x08, .free = 0x04}, &fills, SET(3)}, /* S 04H: none (p144) */
    {0x17, EACH(0x1f), &victims},
    {0x18, ANY, &queued, SET(BX_NHMEX_IRQ), .what = ENTRIES},
    {0x19, ANY, &inserted, SET(BX_NHMEX_IRQ)},
    {0x1a, ANY, &queued, SET(BX_NHMEX_IPQ), .what = ENTRIES},
    {0x1b, ANY, &inserted, SET(BX_NHMEX_IPQ)},
    {0x1c, ANY, &queued, SET(BX_NHMEX_VIQ), .what = ENTRIES},
    {0x1d, ANY, &inserted, SET(BX_NHMEX_VIQ)},
    {0x1e, ANY, &queued, SET(BX_NHMEX_MAF), .what = ENTRIES},
    {0x1f, ANY, &inserted, SET(BX_NHMEX_MAF)},
    {0x20, ANY, &queued, SET(BX_NHMEX_RWRF), .what = ENTRIES},
    {0x21, ANY, &inserted, SET(BX_NHMEX_RWRF)},
    {0x22, ANY, &queued, SET(BX_NHMEX_RSPF), .what = ENTRIES},
    {0x23, ANY, &inserted, SET(BX_NHMEX_RSPF)},
    {0x27, EACH(0x03), &snoops},
    {0x28, EACH(0xff), &snoop_hits},
};

const struct bx_box_signals bx_nhmex_c_signals = {{BX_ROWS(rows)}};
