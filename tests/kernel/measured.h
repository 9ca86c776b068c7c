/* boxscore measures in the guest, and the twin is measured beside it. Both counts must be equal.
 * The work is done while the program that boxscore measures waits. */
#ifndef BX_TESTS_KERNEL_MEASURED_H
#define BX_TESTS_KERNEL_MEASURED_H

#include "program.h"
#include "rig.h"

#define STAT "/bin/boxscore stat --machine host "

/* program_says() in the rig's guest. */
void says(const rig *r, unsigned user, const char *command, int status, const char *const *words);

typedef struct measured {
    rig_event events[RIG_EVENTS];
    size_t n;
    char name[16]; /* of the pause program */
    int pid;
    rig_truth_of truth;
    uint64_t counts[RIG_EVENTS];
    char driver[RIG_EVENTS][16]; /* "registers", "perf_event" */
} measured;

/* The events that a command counts, for rig_watch(). */
void measured_events(measured *m, const rig *r, const char *events);

/* The sum of the event's readings by the twin. */
uint64_t measured_truth(const measured *m, size_t event);

/* Starts `boxscore stat --machine host OPTIONS -x, -e EVENTS -- pause` as that user. `events` is a
 * list with commas. Returns when boxscore counts; fails the test if it ends before. */
void measured_begin(measured *m, rig *r, unsigned user, const char *options, const char *events);

/* Lets the program end, checks exit status 0, and compares the counts with the twin's. */
void measured_end(measured *m, rig *r);

/* Both functions, with some work in between. */
void measured_work(measured *m, rig *r, unsigned user, const char *options, const char *events,
                   const char *work);

/* The command line that measured_begin() starts, for tests in which it fails. */
const char *measured_command(char to[600], const char *options, const char *events,
                             const char *name);

/* The machine's MSRs as text, one on each line; free() it. */
char *measured_registers(const rig *r);
/* Checks that the MSRs are unchanged; frees `before`. */
void measured_unchanged(const rig *r, char *before);

#endif
