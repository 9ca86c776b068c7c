/* Our events against Intel's own lists in intel/perfmon: SKL/events/skylake_uncore.json, the
 * C-Boxes and memory channels of IVT/events/ivytown_uncore.json, and the lists of core events. They
 * are in the folder that the environment variable BX_PERFMON names; without it the tests are
 * skipped. */
#include "event_case.h"
#include "event/event.h"

#include <stdlib.h>

/* The text after "key": "…" within an object, in `to`; false if it has no such key. */
static bool get(const char *object, const char *end, const char *key, char *to, size_t room)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(object, quoted);
    if (!at || at > end)
        return false;
    at = strchr(at + strlen(quoted), '"') + 1;
    size_t n = strcspn(at, "\"");
    assert_true(n < room);
    memcpy(to, at, n);
    to[n] = '\0';
    return true;
}

static unsigned long number(const char *object, const char *end, const char *key)
{
    char text[64];
    assert_true(get(object, end, key, text, sizeof text));
    return strtoul(text, NULL, 0);
}

/* "0,1" as a mask. */
static uint32_t counters_in(const char *object, const char *end, const char *key)
{
    char counters[64];
    uint32_t can = 0;
    assert_true(get(object, end, key, counters, sizeof counters));
    for (const char *p = counters; *p; p++)
        if (*p >= '0' && *p <= '9')
            can |= 1u << (*p - '0');
    return can;
}

static uint32_t counters_of(const char *object, const char *end)
{
    return counters_in(object, end, "Counter");
}

/* Finds the objects of a file, each of which begins with this key; returns how many there are. */
static unsigned each(const char *name, const char *key,
                     void (*check)(const char *object, const char *end))
{
    const char *folder = getenv("BX_PERFMON");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    FILE *file = folder ? fopen(path, "r") : NULL;
    if (!file) {
        print_message("skipped: BX_PERFMON names no copy of intel/perfmon\n");
        skip();
    }
    static char json[1 << 20];
    size_t n = fread(json, 1, sizeof json - 1, file);
    assert_true(n < sizeof json - 1);
    fclose(file);
    json[n] = '\0';
    unsigned objects = 0;
    for (const char *at = strstr(json, key), *next; at; at = next, objects++) {
        next = strstr(at + 1, key);
        check(at, next ? next : json + n);
    }
    return objects;
}

/* ---- Skylake ---- */

static void check_event(const char *object, const char *end)
{
    char text[TEXT], counters[64];
    if (!get(object, end, "EventName", text, sizeof text))
        return;
    bx_evsel event = parsed(text);
    assert_true(get(object, end, "Counter", counters, sizeof counters));
    if (strcmp(counters, "FIXED") == 0) {
        assert_int_equal(bx_event_lowest_counter(built_in(), &event), -1);
        return;
    }
    uint64_t value = 1u << 22 | number(object, end, "EventCode") |
                     number(object, end, "UMask") << 8 | number(object, end, "EdgeDetect") << 18 |
                     number(object, end, "Invert") << 23 | number(object, end, "CounterMask") << 24;
    assert_control(text, value);
    assert_int_equal(bx_event_counters(built_in(), &event), counters_of(object, end));
}

static void every_event(void **state)
{
    (void)state;
    assert_true(each("SKL/events/skylake_uncore.json", "\"Unit\"", check_event) > 20);
}

/* ---- Ivy Bridge-EP ---- */

static unsigned known;

/* The catalogue has document 004's list. Rows that only perfmon has are skipped: QLRU,
 * RxR_INT_STARVED, TxR_STARVED, RING_SINK_STARVED, RING_BOUNCES:*_CORE and RING_*_USED:CW and
 * CCW. */
static void check_c_box(const char *object, const char *end)
{
    char unit[16], text[TEXT];
    assert_true(get(object, end, "Unit", unit, sizeof unit));
    if (strcmp(unit, "CBO") != 0)
        return;
    assert_true(get(object, end, "EventName", text, sizeof text));
    bx_str mask = bx_str_of(text), name = bx_str_cut(&mask, '.');
    uint16_t pmu = bx_cat_find_pmu(built_in(), BX_STR("ivbep_unc_cbo"));
    uint16_t e = bx_cat_find_event(built_in(), pmu, name);
    uint16_t u = e == BX_NONE || !mask.p ? BX_NONE : bx_cat_find_umask(built_in(), e, mask);
    if (e == BX_NONE || (mask.p && u == BX_NONE))
        return;
    const bx_cat_event *event = &bx_cat_events(built_in())[e];
    unsigned value = u == BX_NONE ? 0 : bx_cat_umasks(built_in())[u].value;
    if (event->code != number(object, end, "EventCode") || value != number(object, end, "UMask") ||
        event->counters != counters_of(object, end))
        fail_msg("%s: 0x%x, 0x%x, counters 0x%x", text, event->code, value, event->counters);
    known++;
}

static void c_boxes(void **state)
{
    (void)state;
    known = 0;
    each("IVT/events/ivytown_uncore.json", "\"Unit\"", check_c_box);
    assert_true(known > 130);
}

/* All rows except two, for which libpfm4 has the values exchanged. */
static void check_channel(const char *object, const char *end)
{
    char unit[16], name[TEXT - 16], text[TEXT];
    assert_true(get(object, end, "Unit", unit, sizeof unit));
    assert_true(get(object, end, "EventName", name, sizeof name));
    snprintf(text, sizeof text, "ivbep_unc_imc0::%s", name);
    if (strcmp(unit, "iMC") != 0 || strcmp(name, "UNC_M_CAS_COUNT.RD_RMM") == 0 ||
        strcmp(name, "UNC_M_CAS_COUNT.RD_WMM") == 0)
        return;
    bx_evsel event = parsed(text);
    assert_control(text,
                   1u << 22 | number(object, end, "EventCode") | number(object, end, "UMask") << 8);
    assert_int_equal(bx_event_counters(built_in(), &event), counters_of(object, end));
    known++;
}

static void memory_channels(void **state)
{
    (void)state;
    known = 0;
    each("IVT/events/ivytown_uncore.json", "\"Unit\"", check_channel);
    assert_int_equal(known, 198 - 2);
}

/* ---- cores ---- */

static struct {
    int cpu;
    uint32_t general;     /* mask of its general counters */
    unsigned first_fixed; /* perfmon's number of the first fixed one */
    const char *const
        *pass; /* rows to skip: the catalogue lacks them or has other values; NULL ends */
    unsigned passed;
} core;

static bool is_passed(const char *name)
{
    for (const char *const *p = core.pass; *p; p++)
        if (strcmp(*p, name) == 0)
            return true;
    return false;
}

/* The second register of a row with a filter. A threshold of 0 needs none. */
static void check_filter(const char *object, const char *end, const bx_regvalue *to, size_t n)
{
    uint64_t value = number(object, end, "MSRValue");
    unsigned long at = number(object, end, "MSRIndex"); /* the first of several */
    if (!at || (!value && n == 1)) {
        assert_int_equal(n, 1);
        return;
    }
    assert_int_equal(n, 2);
    assert_int_equal(to[1].value & to[1].mask, value);
    assert_int_equal(address(to[1].reg, 0), at);
}

static void check_general(const char *object, const char *end, const char *name,
                          const bx_evsel *event)
{
    enum { USR = 1 << 16, OS = 1 << 17, EN = 1 << 22 };
    bx_regvalue to[1 + BX_EXTRAS];
    size_t n = bx_event_registers(built_in(), event, BX_LOWEST, to);
    uint64_t value = USR | OS | EN | number(object, end, "EventCode") |
                     number(object, end, "UMask") << 8 | number(object, end, "EdgeDetect") << 18 |
                     number(object, end, "AnyThread") << 21 | number(object, end, "Invert") << 23 |
                     number(object, end, "CounterMask") << 24;
    char text[64];
    bool by_thread = get(object, end, "CounterHTOff", text, sizeof text);
    uint32_t counters =
        core.general & counters_in(object, end, by_thread ? "CounterHTOff" : "Counter");
    if (to[0].value != value || bx_event_counters(built_in(), event) != counters)
        fail_msg("%s: 0x%llx on counters 0x%x, not 0x%llx on 0x%x", name,
                 (unsigned long long)to[0].value, bx_event_counters(built_in(), event),
                 (unsigned long long)value, counters);
    check_filter(object, end, to, n);
}

static void check_core(const char *object, const char *end)
{
    char name[TEXT], counter[64];
    bx_evsel event;
    bx_error e = {0};
    assert_true(get(object, end, "EventName", name, sizeof name));
    assert_true(get(object, end, "Counter", counter, sizeof counter));
    if (is_passed(name)) {
        core.passed++;
        return;
    }
    if (bx_event_parse(built_in(), core.cpu, name, strlen(name), &event, &e))
        fail_msg("'%s': %s (%s)", name, e.message, e.hint);
    if (strncmp(counter, "Fixed", 5) != 0) {
        check_general(object, end, name, &event);
        return;
    }
    unsigned fixed = (unsigned)(counter[strlen(counter) - 1] - '0') - core.first_fixed;
    assert_int_equal(bx_event_counters(built_in(), &event), (core.general + 1) << fixed);
}

static unsigned cores(const char *cpu, const char *file, unsigned first_fixed,
                      const char *const *pass)
{
    bx_str name = bx_str_of(cpu);
    core.cpu = bx_cat_find_cpu(built_in(), name);
    core.first_fixed = first_fixed;
    core.pass = pass;
    core.passed = core.general = 0;
    char pmu[32];
    snprintf(pmu, sizeof pmu, "%s_core", cpu);
    bx_span all = bx_cat_pmus(built_in())[bx_cat_find_pmu(built_in(), bx_str_of(pmu))].counters;
    for (unsigned i = 0; i < all.n; i++)
        if (!(bx_cat_counters(built_in())[all.first + i].flags & BX_COUNTER_FIXED))
            core.general |= 1u << i;
    unsigned n = each(file, "\"EventCode\"", check_core);
    for (; *pass; pass++)
        core.passed--;
    assert_int_equal(core.passed, 0);
    return n;
}

/* The any-thread bits of all fixed counters are in one register, which no event sets. The last
 * skipped row is only a heading. */
static void skl_core(void **state)
{
    (void)state;
    static const char *const pass[] = {"CPU_CLK_UNHALTED.THREAD_ANY", "OFFCORE_RESPONSE", NULL};
    assert_int_equal(cores("skl", "SKL/events/skylake_core.json", 0, pass), 564);
}

/* Skips three rows whose response has another bit 17 than most rows of its name, and one whose
 * event has eight counters under its other name. */
static void ivbep_core(void **state)
{
    (void)state;
    static const char *const pass[] = {"CPU_CLK_UNHALTED.THREAD_ANY",
                                       "CPU_CLK_THREAD_UNHALTED.ONE_THREAD_ACTIVE",
                                       "OFFCORE_RESPONSE.ALL_CODE_RD.LLC_MISS.ANY_RESPONSE",
                                       "OFFCORE_RESPONSE.ALL_CODE_RD.LLC_MISS.REMOTE_HIT_FORWARD",
                                       "OFFCORE_RESPONSE.DEMAND_RFO.LLC_MISS.REMOTE_HITM",
                                       NULL};
    assert_int_equal(cores("ivbep", "IVT/events/ivytown_core.json", 0, pass), 356);
}

static void nhmex_core(void **state)
{
    (void)state;
    static const char *const pass[] = {NULL};
    assert_int_equal(cores("nhmex", "NHM-EX/events/NehalemEX_core.json", 1, pass), 553);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),     cmocka_unit_test(c_boxes),
        cmocka_unit_test(memory_channels), cmocka_unit_test(skl_core),
        cmocka_unit_test(ivbep_core),      cmocka_unit_test(nhmex_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
