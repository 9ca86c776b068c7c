/* LIKWID on stage, and what boxscore counts of the same work in process. */
#ifndef BX_TESTS_STAGE_CLIENT_H
#define BX_TESTS_STAGE_CLIENT_H

#include <stddef.h>

/* A shell function: `whole MACHINE WORK OPTION…` runs likwid-perfctr with these options on that
 * machine, on which nothing else happens than that work. Leaves $D.csv, what it printed, and
 * $D.told, what it programmed. On a busy host LIKWID may be woken by the start of its own child,
 * stop the counters, read them and continue; what happens meanwhile it misses. Then it is run
 * again.
 */
#define LIKWID_WHOLE                                                                               \
    "whole() {\n"                                                                                  \
    "  machine=$1; printf \"#!/bin/sh\\necho run $2 >/dev/boxscore/dialogue\\n\" >$D.sh\n"         \
    "  chmod +x $D.sh; shift 2\n"                                                                  \
    "  for try in 1 2 3 4 5 6 7 8 9; do\n"                                                         \
    "    timeout 200 $B explain --machine $machine --pace 0 -o $D.told -- \\\n"                    \
    "      likwid-perfctr \"$@\" $D.sh >$D.csv 2>&1\n"                                             \
    "    grep ' counts ' $D.told | sort | uniq -d | grep -q . || break\n"                          \
    "  done; rm -f $D.sh\n"                                                                        \
    "}\n"

/* An event with its counter and options, as LIKWID has them. */
typedef struct likwid_event {
    const char *name;
    const char *truth; /* what the counter then counts, in boxscore's words; NULL: what it says */
    unsigned scale;    /* what one count of the register stands for; 0: 1 */
} likwid_event;

/* Both count these events of all packages while `work` runs once, from the machine's start, and no
 * time passes otherwise. Asserts that they have the same counts, of which at least `seen` are not
 * 0, and that explain has these warnings. `machine` has that many packages and cores. */
typedef struct likwid_case {
    const char *machine;
    unsigned packages, cores;
    const char *work;
    const likwid_event *events;
    size_t n;
    unsigned seen;
    const char *warnings; /* whole lines; "": none */
} likwid_case;
void likwid_agrees(const likwid_case *c);

#endif
