/* Implements random_events.h. */
#include "../cmocked.h"

#include "../dice.h"
#include "random_events.h"

#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- work ---- */

static const char *const machines[] = {
    "virtual:skl,part=plain",
    "virtual:skl,part=i7-6700k",
    "virtual:skl,part=plain,cores=2,llc=1M",
    "virtual:ivbep,part=plain,packages=1,cores=4",
    "virtual:ivbep,part=plain,packages=2,cores=2",
    "virtual:nhmex,part=plain,packages=2,cores=2",
    "virtual:p6,part=plain",
};

/* One part of a workload; the P6 has a single core. */
static int add_part(uint64_t *seed, bool one_core, char *to, size_t room)
{
    unsigned kind = dice_below(seed, one_core ? 5 : 9), cores = 1 + dice_below(seed, 2);
    unsigned size = 64u << dice_below(seed, 6), number = 1 + dice_below(seed, 1000);
    cores = one_core ? 1 : cores;
    switch (kind) {
    case 0:
        return snprintf(to, room, "stream,size=%uK,cores=%u,passes=%u", size, cores,
                        1 + 2048 / size);
    case 1:
        return snprintf(to, room, "copy,size=%uK,cores=%u,passes=%u", size, cores, 1 + 2048 / size);
    case 2:
        return snprintf(to, room, "chase,size=%uK,passes=%u", size / 4, 2 + 512 / size);
    case 3:
        return snprintf(to, room, "random,size=%uK,iterations=%u,write=%u,seed=%u", size,
                        20000 + dice_below(seed, 60000), dice_below(seed, 100), number);
    case 4:
        return snprintf(to, room, "dma,size=%uK,iterations=%u,period=%u", size,
                        5000 + dice_below(seed, 30000), 20 + dice_below(seed, 200));
    case 5:
        return snprintf(to, room, "sharing,size=%uK,iterations=%u,write=%u,seed=%u", size,
                        20000 + dice_below(seed, 40000), 1 + dice_below(seed, 30), number);
    case 6:
        return snprintf(to, room, "pingpong,iterations=%u,period=%u", 2000 + dice_below(seed, 4000),
                        50 + dice_below(seed, 400));
    case 7:
        return snprintf(to, room, "producer,iterations=%u,period=%u", 2000 + dice_below(seed, 4000),
                        50 + dice_below(seed, 400));
    default:
        return snprintf(to, room, "lock,iterations=%u,hold=%u,pause=%u",
                        500 + dice_below(seed, 1000), 50 + dice_below(seed, 300),
                        100 + dice_below(seed, 2000));
    }
}

struct random_work random_work(uint64_t *seed)
{
    struct random_work w;
    w.machine = machines[dice_below(seed, sizeof machines / sizeof *machines)];
    bool one_core = strstr(w.machine, "p6");
    int n = add_part(seed, one_core, w.workload, RANDOM_WORK);
    if (dice_below(seed, 2)) {
        w.workload[n++] = '+';
        add_part(seed, one_core, w.workload + n, RANDOM_WORK - (size_t)n);
    }
    return w;
}

/* ---- events ---- */

static void consider(const bx_machine *m, const char *name, bx_evsel *to, size_t *n)
{
    const bx_catalog *c = bx_catalog_builtin();
    if (bx_event_parse(c, bx_machine_cpu(m), name, strlen(name), &to[*n], NULL) == BX_OK &&
        bx_machine_units(m, to[*n].pmu) && bx_machine_produces(m, &to[*n]))
        ++*n;
}

bx_evsel *random_choice(const bx_machine *m, size_t *n)
{
    const bx_catalog *c = bx_catalog_builtin();
    bx_span pmus = bx_cat_cpus(c)[bx_machine_cpu(m)].pmus;
    bx_evsel *to = calloc(20000, sizeof *to);
    assert_non_null(to);
    *n = 0;
    for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[p];
        for (unsigned i = pmu->events.first; i < pmu->events.first + pmu->events.n; i++) {
            const bx_cat_event *event = &bx_cat_events(c)[i];
            char name[256];
            snprintf(name, sizeof name, "%s::%s", bx_cat_z(c, pmu->name), bx_cat_z(c, event->name));
            size_t length = strlen(name);
            if (!event->umasks.n)
                consider(m, name, to, n);
            for (unsigned u = 0; u < event->umasks.n; u++) {
                const bx_cat_umask *umask = &bx_cat_umasks(c)[event->umasks.first + u];
                snprintf(name + length, sizeof name - length, ":%s", bx_cat_z(c, umask->name));
                consider(m, name, to, n);
            }
            assert_true(*n < 19000);
        }
    }
    return to;
}

void random_events(const bx_evsel *choice, size_t choices, uint64_t *seed, bx_evsel *events,
                   size_t n)
{
    for (size_t i = 0; i < n; i++)
        events[i] = choice[dice_below(seed, (unsigned)choices)];
}
