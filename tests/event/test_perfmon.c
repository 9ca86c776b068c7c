/* Intel's own event lists, of intel/perfmon: SKL/events/skylake_uncore.json, and the C-Boxes of
 * IVT/events/ivytown_uncore.json. They are in the folder that the environment variable BX_PERFMON
 * names; without it the tests are skipped. */
#include "event_case.h"

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
static uint32_t counters_of(const char *object, const char *end)
{
    char counters[64];
    uint32_t can = 0;
    assert_true(get(object, end, "Counter", counters, sizeof counters));
    for (const char *p = counters; *p; p++)
        if (*p >= '0' && *p <= '9')
            can |= 1u << (*p - '0');
    return can;
}

/* The objects of a file, each of which begins with its unit; returns how many there are. */
static unsigned each(const char *name, void (*check)(const char *object, const char *end))
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
    for (const char *at = strstr(json, "\"Unit\""), *next; at; at = next, objects++) {
        next = strstr(at + 1, "\"Unit\"");
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
    assert_true(each("SKL/events/skylake_uncore.json", check_event) > 20);
}

/* ---- Ivy Bridge-EP ---- */

static unsigned known;

/* The catalogue has document 004's list. Rows that are perfmon's alone are passed over: QLRU,
 * RxR_INT_STARVED, TxR_STARVED, RING_SINK_STARVED, RING_BOUNCES:*_CORE and RING_*_USED:CW and CCW.
 */
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
    each("IVT/events/ivytown_uncore.json", check_c_box);
    assert_true(known > 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
        cmocka_unit_test(c_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
