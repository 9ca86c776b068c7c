/* The kernel's PMUs in sysfs, and events in perf's spelling. */
#include "../cmocked.h"

#include "host/perf/kernel_pmus.h"
#include "host/pmus.h"

#include <stdio.h>
#include <string.h>

typedef struct kernel {
    folder f;
    bx_arena arena;
    bx_perf perf;
} kernel;

static void find_pmus(kernel *k)
{
    k->arena = (bx_arena){0};
    assert_true(bx_perf_find_pmus(k->f.root, &k->arena, &k->perf));
}

static void end(kernel *k)
{
    bx_arena_free(&k->arena);
    folder_end(&k->f);
}

static bx_perf_event parsed(kernel *k, const char *text)
{
    bx_perf_event event;
    bx_error e = {0};
    bool known;
    if (bx_perf_parse(&k->perf, bx_str_of(text), &event, &known, &e) != BX_OK)
        fail_msg("%s: %s", text, e.message);
    assert_true(known);
    return event;
}

static void selects(kernel *k, const char *text, uint32_t type, uint64_t config, uint64_t config1,
                    uint64_t config2)
{
    bx_perf_event event = parsed(k, text);
    const bx_perf_config *c = &event.sources[0].config;
    if (c->type != type || c->word[0] != config || c->word[1] != config1 || c->word[2] != config2)
        fail_msg("%s: type %u, config 0x%llx 0x%llx 0x%llx", text, c->type,
                 (unsigned long long)c->word[0], (unsigned long long)c->word[1],
                 (unsigned long long)c->word[2]);
}

static void refused(kernel *k, const char *text, size_t at, size_t len, const char *message,
                    const char *hint)
{
    bx_perf_event event;
    bx_error e = {0};
    bool known;
    assert_int_not_equal(bx_perf_parse(&k->perf, bx_str_of(text), &event, &known, &e), BX_OK);
    if (e.at != at || e.len != len || !strstr(e.message, message) || !strstr(e.hint, hint))
        fail_msg("%s: %zu+%zu %s (%s)", text, e.at, e.len, e.message, e.hint);
}

/* A value's bits fill the ranges from the lowest bit on, in any order of the list. */
static void formats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t word;
        uint64_t mask;
    } good[] = {
        {"config:0-7", 0, 0xff},
        {"config:18", 0, UINT64_C(1) << 18},
        {"config1:32-35,0-7", 1, 0xf000000ff},
        {"config2:0-63", 2, UINT64_MAX},
        {"config:0-7,21", 0, 0x2000ff},
    };
    static const char *const bad[] = {"",           "config",      "config:",    "config9:1",
                                      "config:8-7", "config:1-64", "config:a-b", "event:0-7"};
    bx_perf_format format;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(bx_perf_format_read(bx_str_of(good[i].text), &format));
        assert_int_equal(format.word, good[i].word);
        assert_true(format.mask == good[i].mask);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(bx_perf_format_read(bx_str_of(bad[i]), &format));
}

static void fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},
                {"0.5", 0.5},
                {"6.103515625e-5", 1.0 / 16384},
                {"2.3283064365386962890625e-10", 0x1p-32},
                {"1e3", 1000},
                {"1.25E+2", 125}};
    static const char *const bad[] = {"", ".", "e5", "1e", "1.2.3", "0x10", "-1", "1 "};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(bx_perf_fraction(bx_str_of(good[i].text), &value));
        assert_true(value > good[i].value * (1 - 1e-14) && value < good[i].value * (1 + 1e-14));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(bx_perf_fraction(bx_str_of(bad[i]), &value));
}

static void terms_of_pmus(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    pmus_client(&k.f);
    pmus_server_cbox(&k.f, 10, 50);
    pmus_mbox(&k.f, 0, 60);
    pmus_put(&k.f, "split", "type", "70");
    pmus_put(&k.f, "split", "format/event", "config:0-7,32-35");
    find_pmus(&k);
    selects(&k, "uncore_cbox_1/event=0x34,umask=0x88/", 21, 0x8834, 0, 0);
    selects(&k, "uncore_cbox_1/event=0x34,umask=0x88,period=2000003/", 21, 0x8834, 0, 0);
    selects(&k, "uncore_cbox_1/event=0x34,umask=0x88,edge,inv,cmask=31/", 21, 0x1f848834, 0, 0);
    selects(&k, "uncore_cbox_1/edge=0,event=52/", 21, 0x34, 0, 0);
    selects(&k, "uncore_cbox_10/event=0x35,umask=3,tid_en,filter_tid=0x1f,filter_opc=0x182/", 50,
            0x80335, UINT64_C(0x182) << 52 | 0x1f, 0);
    selects(&k, "uncore_mbox_0/inc_sel=0xd,fvc=0x2c/", 60, 0xd << 9, 0x2c, 0);
    selects(&k, "uncore_mbox_0/filter_cfg_en,filter_mask=1,filter_match=0x3ffffffff/", 60, 0, 0,
            UINT64_C(1) << 63 | UINT64_C(1) << 34 | 0x3ffffffff);
    selects(&k, "split/event=0xabc/", 70, UINT64_C(0xa000000bc), 0, 0);
    selects(&k, "split/config=0x123,config1=4,config2=0x5/", 70, 0x123, 4, 5);
    selects(&k, "split//", 70, 0, 0, 0);
    /* named events, and terms that override theirs */
    selects(&k, "uncore_cbox_0/clockticks/", 20, 0xff, 0, 0);
    selects(&k, "uncore_cbox_0/clockticks,edge/", 20, 0x400ff, 0, 0);
    selects(&k, "uncore_cbox_0/clockticks,event=0x22/", 20, 0x22, 0, 0);
    end(&k);
}

static void what_a_count_is(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    pmus_client(&k.f);
    find_pmus(&k);
    bx_perf_event event = parsed(&k, "uncore_imc/data_reads,name=reads/");
    assert_string_equal(event.name, "reads");
    assert_string_equal(event.unit, "MiB");
    assert_true(event.scale == 1.0 / 16384); /* 64 bytes of 2^20 */
    assert_int_equal(event.sources[0].pmu->cpus_n, 1);
    event = parsed(&k, "uncore_imc/event=1/");
    assert_string_equal(event.name, "uncore_imc/event=1/");
    assert_true(event.scale == 1);
    assert_string_equal(event.unit, "");
    event = parsed(&k, "page-faults:u");
    assert_string_equal(event.count, "faults");
    assert_int_equal(event.sources[0].config.exclude, BX_PERF_NO_KERNEL | BX_PERF_NO_HYPERVISOR);
    end(&k);
}

static void several_pmus(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    for (unsigned unit = 0; unit < 12; unit++)
        pmus_server_cbox(&k.f, unit, 40 + unit);
    pmus_put(&k.f, "uncore_cbox_extra", "type", "99");
    for (unsigned unit = 0; unit < 2; unit++) { /* same names, but different PMUs */
        char pmu[24];
        snprintf(pmu, sizeof pmu, "uncore_pair_%u", unit);
        pmus_put(&k.f, pmu, "type", unit ? "98" : "97");
        pmus_put(&k.f, pmu, "format/event", "config:0-7");
        pmus_put(&k.f, pmu, "events/bytes", "event=1");
        pmus_put(&k.f, pmu, "events/bytes.unit", "MiB");
        pmus_put(&k.f, pmu, "events/bytes.scale", "0.5");
    }
    pmus_put(&k.f, "uncore_other_0", "type", "96");
    pmus_put(&k.f, "uncore_other_0", "format/event", "config:0-7");
    pmus_put(&k.f, "uncore_other_0", "events/bytes", "event=1");
    pmus_put(&k.f, "uncore_other_0", "events/bytes.unit", "MiB");
    find_pmus(&k);
    static const char *const spellings[] = {"uncore_cbox/event=0/", "uncore_cbox_?*/event=0/"};
    bx_perf_event event = parsed(&k, spellings[0]);
    assert_int_equal(event.n, 12);
    for (unsigned unit = 0; unit < 12; unit++) { /* in the order of numbers, not of letters */
        assert_int_equal(event.sources[unit].config.type, 40 + unit);
        assert_int_equal(event.sources[unit].pmu->cpus_n, 2);
        assert_int_equal(event.sources[unit].pmu->cpus[1], 12);
    }
    assert_int_equal(parsed(&k, spellings[1]).n, 12); /* only PMUs that have the term */
    event = parsed(&k, "uncore_pair/bytes/");
    assert_string_equal(event.unit, "MiB");
    assert_true(event.scale == 0.5);
    event = parsed(
        &k, "uncore_*/bytes/"); /* one of three has another scale, so the sum is not scaled */
    assert_int_equal(event.n, 3);
    assert_string_equal(event.unit, "");
    assert_true(event.scale == 1);
    refused(&k, "uncore_*/evnt=0/", 9, 4, "uncore_cbox_0 has no term 'evnt'", "'event'");
    refused(&k, "uncore_*/event=0x100/", 9, 11, "event=0x100 is out of range", "");
    assert_int_equal(parsed(&k, "uncore_cbox_1/event=0/").n, 1);
    end(&k);
}

/* Types of cores: the upper half of config has the PMU's type. */
static void kinds_of_cores(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    pmus_put(&k.f, "cpu_core", "type", "4");
    pmus_put(&k.f, "cpu_core", "cpus", "0-7");
    pmus_put(&k.f, "cpu_atom", "type", "10");
    pmus_put(&k.f, "cpu_atom", "cpus", "8-15");
    find_pmus(&k);
    bx_perf_event event = parsed(&k, "cycles");
    assert_int_equal(event.n, 2);
    assert_true(event.sources[0].config.word[0] == UINT64_C(10) << 32);
    assert_true(event.sources[1].config.word[0] == UINT64_C(4) << 32);
    assert_int_equal(parsed(&k, "cpu-clock").n, 1);
    end(&k);
}

static void names_of_any_machine(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    find_pmus(&k);
    selects(&k, "cpu-clock", 1, 0, 0, 0);
    selects(&k, "task-clock", 1, 1, 0, 0);
    selects(&k, "faults", 1, 2, 0, 0);
    selects(&k, "cs", 1, 3, 0, 0);
    selects(&k, "cpu-migrations", 1, 4, 0, 0);
    selects(&k, "minor-faults", 1, 5, 0, 0);
    selects(&k, "major-faults", 1, 6, 0, 0);
    selects(&k, "cycles", 0, 0, 0, 0);
    selects(&k, "cycles:pp", 0, 0, 0, 0);
    selects(&k, "Instructions", 0, 1, 0, 0);
    selects(&k, "branch-misses", 0, 5, 0, 0);
    selects(&k, "ref-cycles", 0, 9, 0, 0);
    selects(&k, "LLC-load-misses", 3, 0x10002, 0, 0);
    selects(&k, "dTLB-stores", 3, 0x103, 0, 0);
    selects(&k, "L1-dcache-prefetch-misses", 3, 0x10200, 0, 0);
    selects(&k, "r1a8", 4, 0x1a8, 0, 0);
    selects(&k, "r00C0:k", 4, 0xc0, 0, 0);
    end(&k);
}

static void mistakes(void **state)
{
    (void)state;
    kernel k = {.f = folder_new()};
    pmus_client(&k.f);
    pmus_put(&k.f, "untyped", "format/event", "config:0-7");
    pmus_put(&k.f, "uncore_imc", "events/parameter", "event=0x4,core=?");
    pmus_put(&k.f, "uncore_imc", "events/senseless", "event=0x400");
    pmus_put(&k.f, "uncore_imc", "format/core", "config:8-15");
    find_pmus(&k);
    refused(&k, "page-fault", 0, 10, "the kernel has no event 'page-fault'", "'page-faults'");
    refused(&k, "page-faults:x", 12, 1, "'x' is not a privilege level", "u: the program's own");
    refused(&k, "uncore_cbx_0/event=1/", 0, 12, "no PMU 'uncore_cbx_0'", "'uncore_cbox_0'");
    refused(&k, "untyped/event=1/", 0, 7, "no PMU 'untyped'", "");
    refused(&k, "uncore_arb/event=1", 10, 1, "this '/' is not closed", "PMU/term,term/");
    refused(&k, "uncore_arb/evnt=1/", 11, 4, "uncore_arb has no term 'evnt'", "'event'");
    refused(&k, "uncore_imc/data_read/", 11, 9, "no term or event 'data_read'", "'data_reads'");
    refused(&k, "uncore_arb/event=0x100/", 11, 11, "event=0x100 is out of range 0..0xff", "");
    refused(&k, "uncore_arb/event=1,cmask=32/", 19, 8, "cmask=32 is out of range 0..0x1f", "");
    refused(&k, "uncore_arb/event=/", 11, 6, "no value after 'event='", "");
    refused(&k, "uncore_arb/event=one/", 17, 3, "'one' is no number", "");
    refused(&k, "uncore_arb/event=1,,edge/", 19, 1, "a term is missing here", "");
    refused(&k, "uncore_arb/config/", 11, 6, "the term 'config' needs a value", "");
    refused(&k, "uncore_arb/event=1/z", 19, 1, "'z' is not a privilege level", "");
    refused(&k, "uncore_imc/parameter/", 11, 9, "'parameter' needs the term 'core=NUMBER'", "");
    refused(&k, "uncore_imc/senseless/", 11, 9, "the kernel's own terms for 'senseless'", "");
    selects(&k, "uncore_imc/parameter,core=3/", 31, 0x304, 0, 0);
    /* what only perf accepts */
    refused(&k, "cycles:G", 7, 1, "'G' is not a privilege level", "leave it out");
    refused(&k, "sched:sched_switch", 0, 5, "no event 'sched'", "tracepoints are not counted");
    refused(&k, "duration_time", 0, 13, "no event 'duration_time'", "the time that elapsed");
    /* the count would always be 0 */
    refused(&k, "cs:u", 3, 1, "'cs:u' would always be 0", "leave ':u' out");
    selects(&k, "cs:k", 1, 3, 0, 0);
    end(&k);
}

/* Malformed files do not give wrong numbers. */
static void senseless_files(void **state)
{
    (void)state;
    static const char *const scales[] = {"abc", "-1", "1e999", "nan", "0x10", "1,5"};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        kernel k = {.f = folder_new()};
        pmus_client(&k.f);
        pmus_put(&k.f, "uncore_imc", "events/data_reads.scale", scales[i]);
        pmus_put(&k.f, "uncore_arb", "cpumask", i % 2 ? "" : "abc");
        find_pmus(&k);
        bx_perf_event event = parsed(&k, "uncore_imc/data_reads/");
        assert_true(event.scale == 1);
        assert_string_equal(event.unit, ""); /* no scaled value */
        refused(&k, "uncore_arb/event=1/", 0, 10, "no CPU to count 'uncore_arb' on", "");
        end(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),         cmocka_unit_test(fractions),
        cmocka_unit_test(terms_of_pmus),   cmocka_unit_test(what_a_count_is),
        cmocka_unit_test(several_pmus),    cmocka_unit_test(kinds_of_cores),
        cmocka_unit_test(mistakes),        cmocka_unit_test(names_of_any_machine),
        cmocka_unit_test(senseless_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
