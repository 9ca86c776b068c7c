/* Events in perf's spelling, with a sysfs that has the PMUs of one client and two servers. The
 * result is an event whose text is read to the same counters again, or an error. */
#include "fuzz/fuzz.h"
#include "host/perf/kernel_pmus.h"
#include "host/pmus.h"

#include <stdlib.h>
#include <string.h>

static struct {
    folder f;
    bx_arena arena;
    bx_perf perf;
} kernel;

static void end(void)
{
    bx_arena_free(&kernel.arena);
    folder_end(&kernel.f);
}

static void begin(void)
{
    if (kernel.perf.n)
        return;
    kernel.f = folder_new();
    atexit(end);
    pmus_client(&kernel.f);
    pmus_server_cbox(&kernel.f, 7, 40);
    pmus_mbox(&kernel.f, 0, 60);
    pmus_put(&kernel.f, "uncore_imc", "events/parameter", "event=0x4,core=?");
    pmus_put(&kernel.f, "uncore_imc", "events/senseless", "event=0x400");
    pmus_put(&kernel.f, "uncore_imc", "format/core", "config:8-15");
    pmus_put(&kernel.f, "cpu", "type", "4");
    pmus_put(&kernel.f, "cpu", "format/event", "config:0-7");
    pmus_put(&kernel.f, "cpu", "format/ldlat", "config1:0-15");
    pmus_put(&kernel.f, "cpu", "events/mem-loads", "event=0xcd,ldlat=3");
    FUZZ_MUST(bx_perf_find_pmus(kernel.f.root, &kernel.arena, &kernel.perf));
    for (size_t i = 0; i < kernel.perf.n; i++)
        FUZZ_MUST(bx_perf_describe(&kernel.perf, &kernel.perf.pmus[i]));
}

static bool same(const bx_perf_event *a, const bx_perf_event *b)
{
    bool is = a->n == b->n && a->scale == b->scale && strcmp(a->name, b->name) == 0;
    for (size_t i = 0; is && i < a->n; i++)
        is = a->sources[i].pmu == b->sources[i].pmu &&
             a->sources[i].config.type == b->sources[i].config.type &&
             a->sources[i].config.exclude == b->sources[i].config.exclude &&
             memcmp(a->sources[i].config.word, b->sources[i].config.word,
                    sizeof a->sources[i].config.word) == 0;
    return is;
}

static void check_event(bx_perf *p, const bx_perf_event *event)
{
    bx_perf_event again;
    bool known;
    FUZZ_MUST(event->n && event->name && event->text && event->count && event->unit);
    FUZZ_MUST(event->scale > 0);
    for (size_t i = 0; i < event->n; i++)
        FUZZ_MUST(!event->sources[i].pmu || event->sources[i].pmu->exists);
    FUZZ_MUST(bx_perf_parse(p, bx_str_of(event->text), &again, &known, NULL) == BX_OK);
    FUZZ_MUST(known && same(event, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    size = strnlen((const char *)data, size); /* lists of events are C strings */
    char *text = fuzz_exact(data, size);
    bx_arena arena = {0};
    bx_perf p = kernel.perf;
    p.arena = &arena;
    bx_perf_event event;
    bx_error e = {0};
    bool known = false;
    int code = bx_perf_parse(&p, (bx_str){text, size}, &event, &known, &e);
    fuzz_check_error(&e, code, size);
    FUZZ_MUST(code || known);
    if (!code)
        check_event(&p, &event);
    bx_arena_free(&arena);
    free(text);
    return 0;
}
