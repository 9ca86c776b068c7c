/* Compares LIKWID's counts on stage with boxscore's counts of the same work in process. */
#ifndef BX_TESTS_STAGE_CLIENT_H
#define BX_TESTS_STAGE_CLIENT_H

#include <stddef.h>

/* A shell function: `whole MACHINE WORK OPTION…` runs likwid-perfctr with these options while the
 * machine runs that work and nothing else. It leaves LIKWID's output in $D.csv and explain's text
 * in $D.text. On a busy host the start of LIKWID's own child may wake LIKWID. It then stops the
 * counters, reads them and starts them again, and misses the counts in between. In that case the
 * function runs it again. */
#define LIKWID_WHOLE                                                                               \
    "whole() {\n"                                                                                  \
    "  machine=$1; printf \"#!/bin/sh\\necho run $2 >/dev/boxscore/dialogue\\n\" >$D.sh\n"         \
    "  chmod +x $D.sh; shift 2\n"                                                                  \
    "  for try in 1 2 3 4 5 6 7 8 9; do\n"                                                         \
    "    timeout 200 $B explain --machine $machine --pace 0 -o $D.text -- \\\n"                    \
    "      likwid-perfctr \"$@\" $D.sh >$D.csv 2>&1\n"                                             \
    "    grep ' counts ' $D.text | sort | uniq -d | grep -q . || break\n"                          \
    "  done; rm -f $D.sh\n"                                                                        \
    "}\n"

/* An event with its counter and options, in LIKWID's notation. */
typedef struct likwid_event {
    const char *name;
    const char *truth; /* the event really counted, in boxscore's notation; NULL: this one */
    unsigned scale;    /* the factor from the register's count to LIKWID's; 0: 1 */
} likwid_event;

/* LIKWID and boxscore count these events on all packages while `work` runs once on a new machine,
 * whose time does not advance otherwise. Asserts that the counts are equal, that at least `seen` of
 * them are not 0, and that explain prints these warnings. `machine` has that many packages and
 * cores. */
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
