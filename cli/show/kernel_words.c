/* Where a kernel's format files put an event. */
#include "cli/show/kernel_words.h"

#include "event/event.h"

#include <stdlib.h>
#include <string.h>

static const char *why_none(const bx_catalog *c, const bx_evsel *event)
{
    const bx_cat_event *row = event->event == BX_RAW ? NULL : &bx_cat_events(c)[event->event];
    return row && row->flags & BX_EVENT_TERMS && row->caution ? bx_cat_z(c, row->caution)
                                                              : "Linux has no such event";
}

bool bx_kernel_words_of(bx_perf *perf, const bx_catalog *c, const bx_evsel *event,
                        bx_kernel_words *to)
{
    bx_perf_event placed;
    bool known;
    *to = (bx_kernel_words){0};
    char *own = bx_event_text(c, event, bx_event_format_perf);
    const char *text = own ? bx_arena_copy(perf->arena, bx_str_of(own)) : NULL;
    free(own);
    if (!text)
        return false;
    int code = *text ? bx_perf_parse(perf, bx_str_of(text), &placed, &known, &to->error)
                     : bx_fail(&to->error, BX_NOT_FOUND, 0, 0, "%s", why_none(c, event));
    to->refused = code != BX_OK;
    if (!code) {
        to->pmu = placed.sources[0].pmu ? placed.sources[0].pmu->name : "";
        memcpy(to->word, placed.sources[0].config.word, sizeof to->word);
    }
    return code != BX_NO_MEMORY;
}
