/* A compiled file with bytes changed: the check refuses it, or all of it can be used. */
#include "catalog/check.h"
#include "event/event.h"
#include "fuzz/fuzz.h"
#include "perfmon/perfmon.h"

#include <stdlib.h>
#include <string.h>

static struct bx_catalog *small(void)
{
    static const char text[] =
        "[{\"Unit\":\"CHA\",\"EventCode\":\"1\",\"UMask\":\"0\",\"EventName\":\"U.X\",\"Counter\":"
        "\"0,1\"},"
        "{\"EventCode\":\"2\",\"UMask\":\"1\",\"EventName\":\"C.Y\",\"Counter\":\"0,1,2\"}]";
    bx_buf refusals = {0};
    bx_perfmon_counts counts;
    const bx_perfmon_file *at_fault;
    const bx_perfmon_file file = {
        .name = BX_STR("a"), .text = {text, sizeof text - 1}, .role = {"", 0}};
    const bx_perfmon_cpu cpu = {
        .folder = BX_STR("tst"), .files = &file, .files_n = 1, .builtin_cpu = -1};
    bx_error e = {0};
    struct bx_catalog *c = bx_perfmon_compile(&cpu, &counts, &refusals, &at_fault, &e);
    bx_buf_free(&refusals);
    FUZZ_MUST(c);
    return c;
}

/* Everything that commands do with an event. */
static void use(const struct bx_catalog *c)
{
    for (uint32_t i = 0; i < c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        bx_evsel found;
        bx_str name = bx_cat_str(c, event->name);
        if (c->cpus.n && bx_event_parse(c, 0, name.p, name.n, &found, NULL) == BX_OK) {
            free(bx_event_text(c, &found, bx_event_format));
            free(bx_event_text(c, &found, bx_event_format_perf));
        }
        FUZZ_MUST(strlen(bx_cat_z(c, event->title)) < c->strings.n);
    }
}

/* The input: four bytes each, a place of 24 bits and a byte to put there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bx_catalog *c = small();
    char *bytes = (char *)c;
    size_t all = c->size;
    for (size_t i = 0; i + 4 <= size; i += 4) {
        size_t at = data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
        bytes[at % all] = (char)data[i + 3];
    }
    if (!bx_catalog_check(bytes, all))
        use(c);
    free(c);
    return 0;
}
