/* Implements sweep.h. */
#include "sweep.h"

#include "../cmocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the model produces the event and perf can spell it. An event may be produced on one of
 * two ports only. */
static bool can_be_told(const rig *r, const char *event)
{
    bx_evsel e;
    char perf[512];
    const bx_catalog *c = bx_catalog_builtin();
    if (bx_event_parse(c, r->twin->topology.cpu, event, strlen(event), &e, NULL))
        return false;
    if (e.unit == BX_ANY && e.port == BX_ANY)
        e.unit = 0;
    return bx_machine_produces(r->twin, &e) && bx_event_format_perf(c, &e, perf, sizeof perf) > 0;
}

static void one(rig *r, const sweep *s, const char *name, swept *result)
{
    for (size_t i = 0; s->with[i]; i++) {
        char event[256];
        const char *const events[] = {event};
        snprintf(event, sizeof event, "%s%s::%s%s", s->pmu, s->unit, name, s->with[i]);
        if (!can_be_told(r, event))
            continue;
        uint64_t count;
        rig_difference why;
        if (!rig_agrees(r, events, 1, s->work, &count, &why))
            bx_buf_f(&result->different, "%s\n", why.text);
        result->counted++;
        result->not_zero += count != 0;
        return;
    }
    bx_buf_f(&result->unspellable, "%s\n", name);
}

void swept_end(swept *s, size_t rows)
{
    assert_int_equal(s->rows, rows);
    if (s->unspellable.p)
        fail_msg("not counted:\n%s", s->unspellable.p);
    if (s->different.p)
        fail_msg("%s", s->different.p);
    assert_true(s->not_zero > s->rows / 20 || s->counted < s->rows);
    bx_buf_free(&s->unspellable);
    bx_buf_free(&s->different);
}

swept sweep_all(rig *r, const sweep *s)
{
    swept result = {0};
    char command[512], line[512], pmu[64], name[128];
    snprintf(command, sizeof command, "%s list --machine '%s' --modelled %s",
             getenv("BOXSCORE") ? getenv("BOXSCORE") : "boxscore", bx_machine_name(r->twin),
             s->pmu);
    const char *every = getenv("BX_KERNEL_EVERY");
    size_t step = every && atoi(every) > 0 ? (size_t)atoi(every) : 1;
    FILE *list = popen(command, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list))
        if (sscanf(line, " %63[^: ]::%127s", pmu, name) == 2 && strcmp(pmu, s->pmu) == 0 &&
            result.rows++ % step == 0)
            one(r, s, name, &result);
    assert_int_equal(pclose(list), 0);
    return result;
}
