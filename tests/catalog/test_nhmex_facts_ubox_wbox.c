/* The 13 rows of the U-Box's event list and the 40 of the W-Box's (323535-001 sections 2.2 and 2.8
 * and LIKWID), and the registers of each. */
#include "../cmocked.h"

#include "facts.h"

/* The list has codes of nine bits, 1DFH and 1E4H to 1E6H; the catalogue has their lower eight. */
static const struct event_row of_ubox[] = {
    {"BUF_VALID_LOCAL_INT", "", 0x00, 0, 0, LIKELY},
    {"BUF_VALID_REMOTE_INT", "", 0x01, 0, 0, LIKELY},
    {"BUF_VALID_LOCK", "", 0x02, 0, 0, LIKELY},
    {"BUF_VALID_STST", "", 0x03, 0, 0, LIKELY},
    {"BUF_VALID_SPC_CYCLES", "", 0x04, 0, 1, SURE},
    {"U2R_REQUESTS", "", 0x50, 0, 1, SURE},
    {"U2B_REQUEST_CYCLES", "", 0x51, 0, 1, SURE},
    {"WOKEN", "", 0xf8, 0, 0, LIKELY},
    {"IPIS_SENT", "", 0xf9, 0, 0, LIKELY},
    {"RECOV", "", 0xdf, 0, 0, WEAK},
    {"CORRECTED_ERR", "", 0xe4, 0, 0, WEAK},
    {"UNCORRECTED_ERR", "", 0xe5, 0, 0, WEAK},
    {"FATAL_ERR", "", 0xe6, 0, 0, WEAK},
};

/* The clock has its own counter, so its code is only nominal. */
static const struct event_row of_wbox[] = {
    {"C_THROTTLE_TMP", "C0", 0x00, 0x01, 1, LIKELY},
    {"C_THROTTLE_TMP", "C1", 0x00, 0x02, 1, LIKELY},
    {"C_THROTTLE_TMP", "C2", 0x00, 0x04, 1, LIKELY},
    {"C_THROTTLE_TMP", "C3", 0x00, 0x08, 1, LIKELY},
    {"C_THROTTLE_TMP", "C4", 0x00, 0x10, 1, LIKELY},
    {"C_THROTTLE_TMP", "C5", 0x00, 0x20, 1, LIKELY},
    {"C_THROTTLE_TMP", "C6", 0x00, 0x40, 1, LIKELY},
    {"C_THROTTLE_TMP", "C7", 0x00, 0x80, 1, LIKELY},
    {"C_THROTTLE_TMP", "C_ALL", 0x00, 0xff, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C0", 0x01, 0x01, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C1", 0x01, 0x02, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C2", 0x01, 0x04, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C3", 0x01, 0x08, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C4", 0x01, 0x10, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C5", 0x01, 0x20, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C6", 0x01, 0x40, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C7", 0x01, 0x80, 1, LIKELY},
    {"C_C0_THROTTLE_DIE", "C_ALL", 0x01, 0xff, 1, LIKELY},
    {"PROCHOT", "", 0x02, 0x00, 1, SURE},
    {"C_C0_THROTTLE_PROCHOT", "C0", 0x03, 0x01, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C1", 0x03, 0x02, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C2", 0x03, 0x04, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C3", 0x03, 0x08, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C4", 0x03, 0x10, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C5", 0x03, 0x20, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C6", 0x03, 0x40, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C7", 0x03, 0x80, 1, LIKELY},
    {"C_C0_THROTTLE_PROCHOT", "C_ALL", 0x03, 0xff, 1, LIKELY},
    {"C_CYCLES_TURBO", "C0", 0x04, 0x01, 1, LIKELY},
    {"C_CYCLES_TURBO", "C1", 0x04, 0x02, 1, LIKELY},
    {"C_CYCLES_TURBO", "C2", 0x04, 0x04, 1, LIKELY},
    {"C_CYCLES_TURBO", "C3", 0x04, 0x08, 1, LIKELY},
    {"C_CYCLES_TURBO", "C4", 0x04, 0x10, 1, LIKELY},
    {"C_CYCLES_TURBO", "C5", 0x04, 0x20, 1, LIKELY},
    {"C_CYCLES_TURBO", "C6", 0x04, 0x40, 1, LIKELY},
    {"C_CYCLES_TURBO", "C7", 0x04, 0x80, 1, LIKELY},
    {"C_CYCLES_TURBO", "C_ALL", 0x04, 0xff, 1, LIKELY},
    {"TM1_ON", "", 0x07, 0x00, 1, LIKELY},
    {"RATIO_CHANGE_ABORT", "", 0x08, 0x00, 1, LIKELY},
    {"FIXED_UNCORE_CLOCK", "", 0xff, 0x00, 1, SURE},
};

/* Code 7:0, unit mask 15:8, enable 22; the clock's control has its enable in bit 0. */
static size_t ubox_registers(size_t i, unsigned unit, struct msr expected[MOST_MSRS])
{
    (void)unit;
    expected[0] = (struct msr){0xc10, of_ubox[i].code | 1U << 22};
    return 1;
}

static bool is_clock(size_t i)
{
    return of_wbox[i].code == 0xff;
}

static size_t wbox_registers(size_t i, unsigned unit, struct msr expected[MOST_MSRS])
{
    (void)unit;
    expected[0] = (struct msr){0xc90, of_wbox[i].code | of_wbox[i].value << 8 | 1U << 22};
    if (is_clock(i))
        expected[0] = (struct msr){0x395, 1};
    return 1;
}

static struct event_row wbox_row(size_t i)
{
    struct event_row row = of_wbox[i];
    row.counters = is_clock(i) ? 0x10 : 0xf;
    return row;
}

static struct event_list ubox = {
    .pmu = "nhmex_unc_ubox",
    .columns = CODE | VALUE | MAX | CONFIDENCE | NEEDS_UMASK,
    EVENT_ROWS(of_ubox),
    .listed = 13,
    .units = 1,
    .registers = ubox_registers,
};
static struct event_list wbox = {
    .pmu = "nhmex_unc_wbox",
    .columns = CODE | VALUE | MAX | CONFIDENCE | NEEDS_UMASK | COUNTERS,
    .row = wbox_row,
    .n = sizeof of_wbox / sizeof *of_wbox,
    .listed = 40,
    .units = 1,
    .registers = wbox_registers,
};

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(every_row, ubox),       LIST_TEST(every_row, wbox),
        LIST_TEST(no_other_names, ubox),  LIST_TEST(no_other_names, wbox),
        LIST_TEST(final_registers, ubox), LIST_TEST(final_registers, wbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
