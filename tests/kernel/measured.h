/* boxscore measures in the guest, and beside it the twin is measured: what both count must be the
 * same. The work is done while the program that boxscore measures waits. */
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
    char name[16]; /* of the pause */
    int pid;
    rig_truth_of truth;
    uint64_t counts[RIG_EVENTS];
    char driver[RIG_EVENTS][16]; /* "registers", "perf_event" */
} measured;

/* Starts `boxscore stat --machine host OPTIONS -x, -e EVENTS -- pause` as that user; events: a list
 * with commas. Returns when it counts; fails the test if it ends before. */
void measured_begin(measured *m, rig *r, unsigned user, const char *options, const char *events);

/* Lets it end, with exit status 0, and holds its counts against the twin's. */
void measured_end(measured *m, rig *r);

/* All of it with some work in between. */
void measured_work(measured *m, rig *r, unsigned user, const char *options, const char *events,
                   const char *work);

/* What measured_begin starts, as a command line, for those who want to see it fail. */
const char *measured_command(char to[600], const char *options, const char *events,
                             const char *name);

/* The machine's MSRs as text, a line each. free() */
char *measured_registers(const rig *r);
/* They are as they were; frees `before`. */
void measured_unchanged(const rig *r, char *before);

#endif
