/* Implements core_compared.h. */
#include "core_compared.h"

#include <inttypes.h>
#include <stdio.h>

void core_compare(bx_model *m, bx_selection core, enum oracle_processor processor,
                  const struct oracle_core_counts *expected,
                  void (*disagree)(void *trial, const char *text), void *trial)
{
    struct oracle_core_event event[ORACLE_CORE_EVENTS];
    size_t n = oracle_core_events(expected, processor, event);
    bx_signals *signals = bx_model_signals(m);
    char text[160];

    core.levels = BX_LEVELS;
    for (size_t i = 0; i < n; i++) {
        uint64_t is = 0;
        core.code = (uint16_t)event[i].code;
        core.umask = event[i].umask;
        core.threshold = event[i].threshold;
        bool produced = bx_model_produces(m, &core) && signals->tally(signals, &core, &is);
        if (produced && is == event[i].count)
            continue;
        int at =
            snprintf(text, sizeof text,
                     "package %u, core %u, event %#x, unit mask %#x, threshold %u: ", core.package,
                     core.unit, core.code, core.umask, core.threshold);
        if (produced)
            snprintf(text + at, sizeof text - (size_t)at,
                     "%" PRIu64 ", not %" PRIu64 " (model, oracle)", is, event[i].count);
        else
            snprintf(text + at, sizeof text - (size_t)at, "not produced");
        disagree(trial, text);
    }
}

void core_levels(const struct oracle_core_counts *expected, const bx_selection *sel,
                 uint32_t *level, uint64_t cycles)
{
    const struct oracle_cycles *c = &expected->cycles;
    unsigned marks = oracle_core_marks(sel->code, sel->umask, sel->threshold);

    for (uint64_t i = 0; i < cycles; i++)
        level[i] = i < c->n && (c->cycle[i] & marks) == marks;
}
