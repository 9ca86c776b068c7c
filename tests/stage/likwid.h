/* What the tests of LIKWID 5.2.2 on stage, unmodified, have in common. Its counts of a modelled PMU
 * equal counts in process of the same work, where it programs the PMU as Intel's documents say.
 * Where it does not (the table in docs/reference/stage-tools.md), it counts the event that the
 * registers select: `truth` there. Each start of LIKWID sleeps for a second, so there is a program
 * for each processor: meson runs them at the same time. */
#ifndef BX_TESTS_STAGE_LIKWID_H
#define BX_TESTS_STAGE_LIKWID_H

#include "../cmocked.h"

#include "stage/client.h"
#include "stage/play.h"

#define CASE(...)                                                                                  \
    do {                                                                                           \
        const likwid_case c = {__VA_ARGS__};                                                       \
        likwid_agrees(&c);                                                                         \
    } while (0)
#define EVENTS(list) .events = list, .n = sizeof(list) / sizeof *(list)

static inline void need_likwid(void)
{
    need_mount_namespace();
    need_program("likwid-perfctr");
}

#endif
