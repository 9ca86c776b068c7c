/* The 60 rows of the M-Box's four equal FVC events (323535-001 p127 to p130, Linux and PCM), and
 * the registers of each. */
#include "../cmocked.h"

#include "event/event.h"
#include "facts.h"

#include <string.h>

enum { ZDP_CTL_FVC = 0xcab }; /* of M-Box 0; M-Box 1 has 40H more */

/* Event, unit mask, INC_SEL, the most that a cycle adds, ZDP_CTL_FVC. */
static const struct row {
    const char *event, *umask;
    uint16_t code, max;
    unsigned sure;
    uint32_t fvc;
} rows[] = {
    {"FVC_EV0", "SMI_CRC_ERR", 0x0d, 1, SURE, 0x0},
    {"FVC_EV0", "MEM_ECC_ERR", 0x0d, 1, SURE, 0x800},
    {"FVC_EV0", "POISON_TXN", 0x0d, 1, SURE, 0x1000},
    {"FVC_EV0", "ALERT_FRAMES", 0x0d, 1, SURE, 0x1800},
    {"FVC_EV0", "FAST_RESET", 0x0d, 1, SURE, 0x2000},
    {"FVC_EV0", "BBOX_CMDS.READS", 0x0d, 1, SURE, 0x2800},
    {"FVC_EV0", "BBOX_CMDS.WRITES", 0x0d, 1, SURE, 0x2820},
    {"FVC_EV0", "BBOX_RSP.ACK", 0x0d, 1, SURE, 0x3000},
    {"FVC_EV0", "BBOX_RSP.RETRY", 0x0d, 1, SURE, 0x3100},
    {"FVC_EV0", "BBOX_RSP.COR", 0x0d, 1, SURE, 0x3200},
    {"FVC_EV0", "BBOX_RSP.UNCOR", 0x0d, 1, SURE, 0x3300},
    {"FVC_EV0", "BBOX_RSP.SPEC_ACK", 0x0d, 1, SURE, 0x3400},
    {"FVC_EV0", "BBOX_RSP.SPR_ACK", 0x0d, 1, SURE, 0x3500},
    {"FVC_EV0", "BBOX_RSP.SPR_UNCOR", 0x0d, 1, SURE, 0x3700},
    {"FVC_EV0", "SMI_NB_TRIG", 0x0d, 1, SURE, 0x3800},
    {"FVC_EV1", "SMI_CRC_ERR", 0x0e, 1, SURE, 0x0},
    {"FVC_EV1", "MEM_ECC_ERR", 0x0e, 1, SURE, 0x4000},
    {"FVC_EV1", "POISON_TXN", 0x0e, 1, SURE, 0x8000},
    {"FVC_EV1", "ALERT_FRAMES", 0x0e, 1, SURE, 0xc000},
    {"FVC_EV1", "FAST_RESET", 0x0e, 1, SURE, 0x10000},
    {"FVC_EV1", "BBOX_CMDS.READS", 0x0e, 1, SURE, 0x14000},
    {"FVC_EV1", "BBOX_CMDS.WRITES", 0x0e, 1, SURE, 0x14020},
    {"FVC_EV1", "BBOX_RSP.ACK", 0x0e, 1, SURE, 0x18000},
    {"FVC_EV1", "BBOX_RSP.RETRY", 0x0e, 1, SURE, 0x18100},
    {"FVC_EV1", "BBOX_RSP.COR", 0x0e, 1, SURE, 0x18200},
    {"FVC_EV1", "BBOX_RSP.UNCOR", 0x0e, 1, SURE, 0x18300},
    {"FVC_EV1", "BBOX_RSP.SPEC_ACK", 0x0e, 1, SURE, 0x18400},
    {"FVC_EV1", "BBOX_RSP.SPR_ACK", 0x0e, 1, SURE, 0x18500},
    {"FVC_EV1", "BBOX_RSP.SPR_UNCOR", 0x0e, 1, SURE, 0x18700},
    {"FVC_EV1", "SMI_NB_TRIG", 0x0e, 1, SURE, 0x1c000},
    {"FVC_EV2", "SMI_CRC_ERR", 0x0f, 1, SURE, 0x0},
    {"FVC_EV2", "MEM_ECC_ERR", 0x0f, 1, SURE, 0x20000},
    {"FVC_EV2", "POISON_TXN", 0x0f, 1, SURE, 0x40000},
    {"FVC_EV2", "ALERT_FRAMES", 0x0f, 1, SURE, 0x60000},
    {"FVC_EV2", "FAST_RESET", 0x0f, 1, SURE, 0x80000},
    {"FVC_EV2", "BBOX_CMDS.READS", 0x0f, 1, SURE, 0xa0000},
    {"FVC_EV2", "BBOX_CMDS.WRITES", 0x0f, 1, SURE, 0xa0020},
    {"FVC_EV2", "BBOX_RSP.ACK", 0x0f, 1, SURE, 0xc0000},
    {"FVC_EV2", "BBOX_RSP.RETRY", 0x0f, 1, SURE, 0xc0100},
    {"FVC_EV2", "BBOX_RSP.COR", 0x0f, 1, SURE, 0xc0200},
    {"FVC_EV2", "BBOX_RSP.UNCOR", 0x0f, 1, SURE, 0xc0300},
    {"FVC_EV2", "BBOX_RSP.SPEC_ACK", 0x0f, 1, SURE, 0xc0400},
    {"FVC_EV2", "BBOX_RSP.SPR_ACK", 0x0f, 1, SURE, 0xc0500},
    {"FVC_EV2", "BBOX_RSP.SPR_UNCOR", 0x0f, 1, SURE, 0xc0700},
    {"FVC_EV2", "SMI_NB_TRIG", 0x0f, 1, SURE, 0xe0000},
    {"FVC_EV3", "SMI_CRC_ERR", 0x10, 0, SURE, 0x0},
    {"FVC_EV3", "MEM_ECC_ERR", 0x10, 0, SURE, 0x100000},
    {"FVC_EV3", "POISON_TXN", 0x10, 0, SURE, 0x200000},
    {"FVC_EV3", "ALERT_FRAMES", 0x10, 0, SURE, 0x300000},
    {"FVC_EV3", "FAST_RESET", 0x10, 0, SURE, 0x400000},
    {"FVC_EV3", "BBOX_CMDS.READS", 0x10, 0, SURE, 0x500000},
    {"FVC_EV3", "BBOX_CMDS.WRITES", 0x10, 0, SURE, 0x500020},
    {"FVC_EV3", "BBOX_RSP.ACK", 0x10, 0, SURE, 0x600000},
    {"FVC_EV3", "BBOX_RSP.RETRY", 0x10, 0, SURE, 0x600100},
    {"FVC_EV3", "BBOX_RSP.COR", 0x10, 0, SURE, 0x600200},
    {"FVC_EV3", "BBOX_RSP.UNCOR", 0x10, 0, SURE, 0x600300},
    {"FVC_EV3", "BBOX_RSP.SPEC_ACK", 0x10, 0, SURE, 0x600400},
    {"FVC_EV3", "BBOX_RSP.SPR_ACK", 0x10, 0, SURE, 0x600500},
    {"FVC_EV3", "BBOX_RSP.SPR_UNCOR", 0x10, 0, SURE, 0x600700},
    {"FVC_EV3", "SMI_NB_TRIG", 0x10, 0, SURE, 0x700000},
};

static struct event_row row(size_t i)
{
    return (struct event_row){
        .event = rows[i].event,
        .umask = rows[i].umask,
        .max = rows[i].max,
        .sure = rows[i].sure,
        .counters = 0x3f,
    };
}

/* INC_SEL at 13:9, enable 0, wrap mode 6. */
static size_t registers(size_t i, unsigned unit, struct msr expected[MOST_MSRS])
{
    expected[0] = (struct msr){unit ? 0xcf0 : 0xcb0, (uint64_t)rows[i].code << 9 | 0x41};
    expected[1] = (struct msr){ZDP_CTL_FVC + 0x40 * unit, rows[i].fvc};
    return 2;
}

static struct event_list fvc = {
    .pmu = "nhmex_unc_mbox",
    .columns = MAX | CONFIDENCE | COUNTERS | NEEDS_UMASK,
    .row = row,
    .n = sizeof rows / sizeof *rows,
    .listed = 60,
    .units = 2,
    .registers = registers,
};

/* FVC takes any of the four choices: in choice k it is FVC_EVk. */
static void any_choice(void **state)
{
    (void)state;
    const struct bx_catalog *c = bx_catalog_builtin();
    for (size_t i = 0; i < fvc.n; i++) {
        char text[64] = "nhmex_unc_mbox0::FVC:";
        strcat(text, rows[i].umask);
        bx_evsel evsel = facts_evsel(text);
        uint16_t first;
        assert_int_equal(bx_event_places(c, &evsel, 0, &first), 4);
        bx_regvalue is[BX_EXTRAS + 2];
        assert_int_equal(bx_event_registers_at(c, &evsel,
                                               bx_pmu_counter(c, facts_pmu(c, fvc.pmu), 0),
                                               (uint16_t)(first + rows[i].code - 0x0d), is),
                         2);
        assert_int_equal(is[0].value, rows[i].code << 9 | 0x41);
        assert_int_equal(is[1].value, rows[i].fvc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(every_row, fvc),
        LIST_TEST(final_registers, fvc),
        cmocka_unit_test(any_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
