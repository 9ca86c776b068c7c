/* Intel's own event list for this processor: SKL/events/skylake_uncore.json of intel/perfmon, in
 * the folder that the environment variable BX_PERFMON names. Without it the test is skipped. */
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

static void assert_event(const char *object, const char *end)
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
    uint32_t can = 0;
    for (const char *p = counters; *p; p++)
        if (*p >= '0' && *p <= '9')
            can |= 1u << (*p - '0');
    assert_int_equal(bx_event_counters(built_in(), &event), can);
}

static void every_event(void **state)
{
    (void)state;
    const char *folder = getenv("BX_PERFMON");
    char path[4096];
    snprintf(path, sizeof path, "%s/SKL/events/skylake_uncore.json", folder ? folder : "");
    FILE *file = folder ? fopen(path, "r") : NULL;
    if (!file) {
        print_message("skipped: BX_PERFMON names no copy of intel/perfmon\n");
        skip();
    }
    static char json[1 << 20];
    size_t n = fread(json, 1, sizeof json - 1, file);
    fclose(file);
    json[n] = '\0';
    unsigned events = 0;
    for (const char *at = strstr(json, "\"Unit\""); at; events++) {
        const char *end = strchr(at, '}');
        assert_non_null(end);
        assert_event(at, end);
        at = strstr(end, "\"Unit\"");
    }
    assert_true(events > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
