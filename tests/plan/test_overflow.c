/* Plans with a counter that stops all others: its preload, its overflow enable, and the freeze.
 * Typed from 334060-001 tables 2-1 to 2-8, 323535-001 section 2.1 (p13 to p16) and p86, and the
 * SDM's performance monitoring of the P6 family. */
#include "listing.h"

#include <string.h>

static void expect_overflow(const char *machine, const char *events, bx_overflow overflow,
                            const char *text)
{
    struct fixture f = {.overflow = overflow};
    plan(&f, machine, events);
    assert_string_equal(f.text, text);
    done(&f);
}

/* 2^44 - 1000. OVF_EN is bit 20 of the select register; FRZ_ON_PMI, EN and PMI_SEL_CORE0 are bits
 * 31, 29 and 0 of E01H. A freeze clears EN. EN is set last, after the status (bits 3, 1, 0 of E02H)
 * is cleared and the count is preloaded again. */
static void client(void **state)
{
    (void)state;
    expect_overflow("virtual:skl", "UNC_CLOCK,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I",
                    (bx_overflow){.counts = 1000, .again = true},
                    "save 0 0xe01\nsave 0 0xe02\nsave 0 0x395\nsave 0 0x716\n"
                    "save 0 0x394\nsave 0 0x710\n"
                    "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\nsetup 0 0x395=0x0\n"
                    "setup 0 0x716=0xffffffffc18\n"
                    "setup 0 0x394=0x400000\nsetup 0 0x710=0x508834\n"
                    "start 0 0xe01=0xa0000001\n"
                    "read 0 0x395\nread 0 0x716\n"
                    "rearm 0 0xe02=0xb\nrearm 0 0x716=0xffffffffc18\nrearm 0 0xe01=0xa0000001\n"
                    "stop 0 0xe01=0x0\n");
}

/* The clock also has OVF_EN (table 2-4, bit 20), and 48 bits. Without `again` there is no
 * re-arm. */
static void clock_until(void **state)
{
    (void)state;
    expect_overflow("virtual:skl", "UNC_CLOCK", (bx_overflow){.counts = 1},
                    "save 0 0xe01\nsave 0 0xe02\nsave 0 0x395\nsave 0 0x394\n"
                    "setup 0 0xe01=0x0\nsetup 0 0xe02=0xb\nsetup 0 0x395=0xffffffffffff\n"
                    "setup 0 0x394=0x500000\n"
                    "start 0 0xe01=0xa0000001\nread 0 0x395\nstop 0 0xe01=0x0\n");
}

/* PMI_EN is bit 20 of D10H; FRZ_ALL, EN_ALL and PMI_CORE_SEL0 are bits 31, 28 and 1 of C00H. D02H
 * clears the box's overflow bit; while that is set, the counter requests no further interrupt
 * (p86). */
static void xeon_7500(void **state)
{
    (void)state;
    expect_overflow("virtual:nhmex,packages=1", "nhmex_unc_cbox0::LLC_MISSES:ALL",
                    (bx_overflow){.counts = 1000, .again = true},
                    "save 0 0xc00\nsave 0 0xd00\nsave 0 0xd01\nsave 0 0xc01\nsave 0 0xd10\n"
                    "setup 0 0xc00=0x0\nsetup 0 0xc00=0x20000000\nsetup 0 0xd00=0x0\n"
                    "setup 0 0xd02=0x1\nsetup 0 0xd11=0xfffffffffc18\nsetup 0 0xd10=0x500714\n"
                    "start 0 0xd00=0x1\nstart 0 0xc00=0x90000002\n"
                    "read 0 0xd11\n"
                    "rearm 0 0xd02=0x1\nrearm 0 0xd11=0xfffffffffc18\n"
                    "rearm 0 0xd00=0x1\nrearm 0 0xc00=0x90000002\n"
                    "stop 0 0xc00=0x0\nstop 0 0xd00=0x0\n");
}

/* Only the package of the counter is frozen; the other package is only enabled. */
static void one_package(void **state)
{
    (void)state;
    struct fixture f = {.overflow.counts = 5};
    unsigned freezes = 0, enables = 0;
    plan(&f, "virtual:nhmex,packages=2", "FIXED_UNCORE_CLOCK,nhmex_unc_cbox0@1::LLC_MISSES:ALL");
    for (size_t i = 0; i < f.plan.n; i++) {
        const bx_op *op = &f.plan.ops[i];
        if (op->step != BX_STEP_START || op->at.offset != 0xc00)
            continue;
        assert_int_equal(op->value, op->package == 1 ? 0x90000002 : 0x10000000);
        freezes += op->package == 1;
        enables += op->package == 0;
    }
    assert_int_equal(freezes, 1);
    assert_int_equal(enables, 1);
    done(&f);
}

/* INT is bit 20, EN bit 22 of 186H alone. Nothing freezes. */
static void p6(void **state)
{
    (void)state;
    expect_overflow("virtual:p6", "CPU_CLK_UNHALTED,INST_RETIRED",
                    (bx_overflow){.counts = 1000, .again = true},
                    "save 0 0x186\nsave 0 0xc1\nsave 0 0xc2\nsave 0 0x187\n"
                    "setup 0 0x186=0x30079\nsetup 0 0xc1=0x0\nsetup 0 0xc2=0xfffffffc18\n"
                    "setup 0 0x187=0x1300c0\n"
                    "start 0 0x186=0x430079\n"
                    "read 0 0xc1\nread 0 0xc2\n"
                    "rearm 0 0xc2=0xfffffffc18\nrearm 0 0x186=0x430079\n"
                    "stop 0 0x186=0x0\n");
}

/* ---- what is refused ---- */

static bx_evsel event(const char *text)
{
    bx_evsel event = {0};
    bx_error e = {0};
    if (bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, &e) != BX_OK)
        fail_msg("%s", e.message);
    return event;
}

static int counts(const char *text, uint64_t n)
{
    bx_evsel of = event(text);
    return bx_overflow_check_counts(bx_catalog_builtin(), &of, n, NULL);
}

/* Widths: 44 and 48 bits (334060-001 table 1-2), 48 (323535-001), and 40 on P6. A write to a P6
 * counter sets 32 bits and copies bit 31 upwards (SDM), so 2^40 - 2^31 is the lowest start. */
static void numbers(void **state)
{
    static const struct {
        const char *event;
        uint64_t most;
    } of[] = {
        {"skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", 0xfffffffffff},
        {"skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL", 0xfffffffffff},
        {"UNC_CLOCK", 0xffffffffffff},
        {"nhmex_unc_cbox0::LLC_HITS:ALL", 0xffffffffffff},
        {"p6::INST_RETIRED", 0x80000000},
        {"pm::INST_RETIRED", 0x80000000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        assert_int_equal(counts(of[i].event, 0), BX_BAD_INPUT);
        assert_int_equal(counts(of[i].event, 1000), BX_OK);
        assert_int_equal(counts(of[i].event, of[i].most), BX_OK);
        assert_int_equal(counts(of[i].event, of[i].most + 1), BX_BAD_INPUT);
        assert_int_equal(counts(of[i].event, UINT64_MAX), BX_BAD_INPUT);
    }
}

/* 323535-001 p140: a count may not start at FFFFFEH or FFFFFFH. */
static void forbidden_starts(void **state)
{
    (void)state;
    static const char lookups[] = "nhmex_unc_cbox0::LLC_HITS:ALL";
    assert_int_equal(counts("UNC_CLOCK", 1), BX_OK);
    assert_int_equal(counts(lookups, 1), BX_BAD_INPUT);
    assert_int_equal(counts(lookups, 2), BX_BAD_INPUT);
    assert_int_equal(counts(lookups, 3), BX_OK);
    assert_int_equal(counts(lookups, 0x1000000), BX_OK);
    assert_int_equal(counts(lookups, 0x1000001), BX_BAD_INPUT);
    assert_int_equal(counts(lookups, 0x1000002), BX_BAD_INPUT);
}

/* An M-Box counter of COUNT_MODE 1 (p127) counts down from N - 1: its Nth count borrows. */
static void downwards(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    bx_evsel up = event("nhmex_unc_mbox0::FVC:BBOX_CMDS.READS"),
             down = event("nhmex_unc_mbox0::RAW:code=0x1a:mode=1");
    const bx_cat_counter *counter = &bx_cat_counters(c)[bx_cat_pmus(c)[up.pmu].counters.first];
    assert_int_equal(bx_overflow_start(c, counter, &up, 1000), 0xfffffffffc18);
    assert_int_equal(bx_overflow_start(c, counter, &down, 1000), 999);
}

static void counters_without(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    bx_evsel imc = event("DRAM_DATA_READS"), ivbep = event("ivbep_unc_cbo0::UNC_C_CLOCKTICKS"),
             cbo = event("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    bx_error e = {0};
    assert_int_equal(bx_overflow_check(c, &cbo, &e), BX_OK);
    assert_int_equal(bx_overflow_check(c, &imc, &e), BX_NO_FIT);
    assert_string_equal(e.message, "its counter is free-running: no start can be written");
    e = (bx_error){0};
    assert_int_equal(bx_overflow_check(c, &ivbep, &e), BX_NO_FIT);
    assert_string_equal(e.message,
                        "no document at hand describes what its counters do at an overflow");
}

static void assert_not_found(const char *machine, const char *events, size_t which,
                             const char *message, const char *hint)
{
    bx_topology t;
    bx_evsel list[MOST];
    bx_schedule s;
    bx_overflow o = {.counts = 10};
    bx_error e = {0};
    size_t n;
    assert_int_equal(bx_topology_parse(bx_catalog_builtin(), bx_str_of(machine), &t, NULL), BX_OK);
    assert_int_equal(bx_events_parse(t.catalog, t.cpu, events, list, MOST, &n, NULL), BX_OK);
    assert_int_equal(bx_schedule_make(&t, list, n, &s, NULL), BX_OK);
    if (bx_overflow_find(&t, list, &s, which, &o, &e) == BX_OK)
        bx_overflow_fits(&t, list, &s, &e);
    assert_int_equal(e.code, BX_NO_FIT);
    assert_string_equal(e.message, message);
    assert_string_equal(e.hint, hint);
    assert_true(e.len > 0);
    bx_schedule_free(&s);
}

static void counters_not_found(void **state)
{
    (void)state;
    assert_not_found("virtual:skl", "UNC_CBO_CACHE_LOOKUP:ANY_I", 0,
                     "4 counters count this at once: name the one that shall overflow",
                     "name one of them: skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_not_found("virtual:nhmex,packages=2", "nhmex_unc_cbox3::LLC_HITS:ALL", 0,
                     "2 counters count this at once: name the one that shall overflow",
                     "name one of them: nhmex_unc_cbox3@0::LLC_HITS:ALL");
    assert_not_found("virtual:nhmex,packages=1", "nhmex_unc_rbox0::NEW_PACKETS_RECV:ANY_ALL", 0,
                     "4 counters count this at once: name the one that shall overflow",
                     "name one of them: nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_ALL:port=0");
    assert_not_found("virtual:skl",
                     "UNC_CLOCK,skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL,UNC_ARB_TRK_REQUESTS:WRITES,"
                     "UNC_ARB_COH_TRK_REQUESTS:ALL",
                     0, "no counter of ARB is left for UNC_ARB_COH_TRK_REQUESTS:ALL",
                     "all counters are read at one moment: leave out what does not fit at once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client),
        cmocka_unit_test(clock_until),
        cmocka_unit_test(xeon_7500),
        cmocka_unit_test(one_package),
        cmocka_unit_test(p6),
        cmocka_unit_test(numbers),
        cmocka_unit_test(forbidden_starts),
        cmocka_unit_test(downwards),
        cmocka_unit_test(counters_without),
        cmocka_unit_test(counters_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
