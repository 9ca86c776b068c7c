/* The 50 rows of the B-Box's event lists, one list for each counter (323535-001 section 2.4 and
 * LIKWID), and the registers of each. */
#include "../cmocked.h"

#include "facts.h"

/* Event, its code, the only counter that has it, whether it needs the match registers, and what one
 * count stands for: 256 of the tracker file, 32 of the in-flight memory table (p46/55/56). */
static const struct row {
    const char *event;
    uint16_t code;
    uint8_t counter;
    bool match;
    uint16_t scale;
    unsigned sure;
} rows[] = {
    {"MSG_ADDR_IN_MATCH", 0x01, 0, true, 1, LIKELY},
    {"OPCODE_ADDR_IN_MATCH", 0x02, 0, true, 1, LIKELY},
    {"MSG_OPCODE_ADDR_IN_MATCH", 0x03, 0, true, 1, LIKELY},
    {"TF_ALL", 0x04, 0, false, 256, LIKELY},
    {"TF_WR", 0x05, 0, false, 256, LIKELY},
    {"TF_INVITOE", 0x06, 0, false, 256, LIKELY},
    {"IMT_VALID_OCCUPANCY", 0x07, 0, false, 32, LIKELY},
    {"DRSQ_OCCUPANCY", 0x09, 0, false, 32, WEAK},
    {"TF_IOH", 0x0b, 0, false, 256, LIKELY},
    {"TF_IOH_WR", 0x0d, 0, false, 256, LIKELY},
    {"TF_IOH_INVITOE", 0x0f, 0, false, 256, LIKELY},
    {"SNPOQ_OCCUPANCY", 0x12, 0, false, 256, WEAK},
    {"DIRQ_OCCUPANCY", 0x17, 0, false, 256, WEAK},
    {"TF_IOH_NON_INVITOE_RD", 0x1c, 0, false, 256, LIKELY},
    {"MSG_IN_MATCH", 0x01, 1, true, 1, SURE},
    {"MSG_OUT_MATCH", 0x02, 1, true, 1, SURE},
    {"OPCODE_IN_MATCH", 0x03, 1, true, 1, SURE},
    {"OPCODE_OUT_MATCH", 0x04, 1, true, 1, SURE},
    {"MSG_OPCODE_IN_MATCH", 0x05, 1, true, 1, SURE},
    {"MSG_OPCODE_OUT_MATCH", 0x06, 1, true, 1, SURE},
    {"IMT_INSERTS_ALL", 0x07, 1, false, 1, SURE},
    {"DRSQ_INSERTS", 0x09, 1, false, 1, SURE},
    {"IMT_INSERTS_IOH", 0x0a, 1, false, 1, SURE},
    {"IMT_INSERTS_NON_IOH", 0x0b, 1, false, 1, LIKELY},
    {"IMT_INSERTS_WR", 0x0c, 1, false, 1, LIKELY},
    {"IMT_INSERTS_IOH_WR", 0x0d, 1, false, 1, LIKELY},
    {"IMT_INSERTS_NON_IOH_WR", 0x0e, 1, false, 1, LIKELY},
    {"IMT_INSERTS_INVITOE", 0x0f, 1, false, 1, LIKELY},
    {"IMT_INSERTS_IOH_INVITOE", 0x10, 1, false, 1, LIKELY},
    {"SNPOQ_INSERTS", 0x12, 1, false, 1, SURE},
    {"DIRQ_INSERTS", 0x17, 1, false, 1, LIKELY},
    {"IMT_INSERTS_NON_IOH_INVITOE", 0x1c, 1, false, 1, LIKELY},
    {"IMT_INSERTS_RD", 0x1d, 1, false, 1, LIKELY},
    {"IMT_INSERTS_NON_IOH_RD", 0x1f, 1, false, 1, LIKELY},
    {"MSGS_IN_NON_SNP", 0x01, 2, false, 1, LIKELY},
    {"MSGS_S_TO_B", 0x02, 2, false, 1, LIKELY},
    {"MSGS_B_TO_S", 0x03, 2, false, 1, LIKELY},
    {"ADDR_IN_MATCH", 0x04, 2, true, 1, SURE},
    {"IMT_NE_CYCLES", 0x07, 2, false, 1, SURE},
    {"EARLY_ACK", 0x02, 3, false, 1, SURE},
    {"IMT_PREALLOC", 0x06, 3, false, 1, SURE},
    {"COHQ_BYPASS", 0x0e, 3, false, 1, SURE},
    {"DEMAND_FETCH", 0x0f, 3, false, 1, SURE},
    {"IMPLICIT_WBS", 0x12, 3, false, 1, SURE},
    {"COHQ_IMT_ALLOC_WAIT", 0x13, 3, false, 1, SURE},
    {"SBOX_VN0_UNAVAIL", 0x14, 3, false, 1, SURE},
    {"RBOX_VNA_UNAVAIL", 0x15, 3, false, 1, SURE},
    {"IMT_FULL", 0x16, 3, false, 1, SURE},
    {"CONFLICTS", 0x17, 3, false, 1, SURE},
    {"ACK_BEFORE_LAST_SNP", 0x19, 3, false, 1, SURE},
};

static struct event_row row(size_t i)
{
    return (struct event_row){
        .event = rows[i].event,
        .umask = "",
        .code = rows[i].code,
        .max = 1,
        .sure = rows[i].sure,
        .counters = 1U << rows[i].counter,
        .scale = rows[i].scale,
    };
}

/* Code 5:1, enable 0, on the counter that has it. */
static size_t registers(size_t i, unsigned unit, struct msr expected[MOST_MSRS])
{
    expected[0] =
        (struct msr){(unit ? 0xc70 : 0xc30) + 2U * rows[i].counter, rows[i].code << 1 | 1};
    expected[1] = (struct msr){unit ? 0xe4d : 0xe45, 0};
    expected[2] = (struct msr){unit ? 0xe4e : 0xe46, 0};
    return rows[i].match ? 3 : 1;
}

static struct event_list bbox = {
    .pmu = "nhmex_unc_bbox",
    .columns = CODE | MAX | CONFIDENCE | COUNTERS | SCALE | NEEDS_UMASK,
    .row = row,
    .n = sizeof rows / sizeof *rows,
    .listed = 50,
    .units = 2,
    .registers = registers,
};

static void matches_have_modifiers(void **state)
{
    (void)state;
    const struct bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < bbox.n; i++)
        FACTS_SAME(rows[i].event, "",
                   {"takes modifiers",
                    facts_event(c, facts_pmu(c, bbox.pmu), rows[i].event)->modifiers != 0,
                    rows[i].match});
}

/* Address 43:0, class of incoming messages 47:44, of outgoing ones 51:48, opcodes 55:52 and 59:56.
 * A given field is compared as a whole. */
static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *event, *pattern;
        uint16_t control, code;
        uint64_t match, mask;
    } all[] = {
        {"MSG_ADDR_IN_MATCH", "mc=DRS:addr=0x40", 0xc30, 1, 0xe00000000040, 0xffffffffffff},
        {"OPCODE_ADDR_IN_MATCH", "addr=1:addr_mask=0xf", 0xc30, 2, 1, 0xf},
        {"MSG_OPCODE_ADDR_IN_MATCH", "opc=WbIData", 0xc30, 3, 0x40e00000000000, 0xf0f00000000000},
        {"MSG_IN_MATCH", "mc=SNP", 0xc32, 1, 0x300000000000, 0xf00000000000},
        {"MSG_OUT_MATCH", "mc=SNP", 0xc32, 2, 0x3000000000000, 0xf000000000000},
        {"OPCODE_IN_MATCH", "opc=RspFwd", 0xc32, 3, 0x80000000000000, 0xf0000000000000},
        {"OPCODE_OUT_MATCH", "opc=RspFwd", 0xc32, 4, 0x800000000000000, 0xf00000000000000},
        {"MSG_OPCODE_IN_MATCH", "opc=NcIOWr", 0xc32, 5, 0xb0400000000000, 0xf0f00000000000},
        {"MSG_OPCODE_OUT_MATCH", "opc=NcIOWr", 0xc32, 6, 0xb04000000000000, 0xf0f000000000000},
        {"ADDR_IN_MATCH", "addr=0xfffffffffff", 0xc34, 4, 0xfffffffffff, 0xfffffffffff},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct msr expected[] = {
            {all[i].control, all[i].code << 1 | 1}, {0xe45, all[i].match}, {0xe46, all[i].mask}};
        facts_check_registers(expected, 3, "nhmex_unc_bbox0::%s:%s", all[i].event, all[i].pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(every_row, bbox),       LIST_TEST(no_other_names, bbox),
        LIST_TEST(final_registers, bbox), cmocka_unit_test(matches_have_modifiers),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
