/* A guest with its driver on a virtual machine, and a twin: an equal machine that does the same
 * work and is measured by boxscore itself. The guest and the twin must count the same. */
#ifndef BX_TESTS_KERNEL_RIG_H
#define BX_TESTS_KERNEL_RIG_H

#include "driver.h"
#include "spelling.h"
#include "window.h"

#include "machine/dialogue/dialogue.h"

enum { RIG_EVENTS = 24 };

typedef struct rig {
    driver d;
    bx_machine *twin;
    bx_dialogue *here, *there; /* both get work as lines of the register dialogue */
    spellings known;
    unsigned pauses; /* number of pauses started, for their names */
    window memory;   /* used if the machine has such registers */
} rig;

/* An event that the guest has opened. */
typedef struct rig_event {
    bx_evsel what;
    char name[160];
    int fd;
} rig_event;

typedef struct rig_value {
    uint64_t count, enabled, running;
} rig_value;

/* A test program has one guest: cmocka_run_group_tests(tests, rig_set_up, rig_tear_down). All tests
 * are skipped if no guest can run. */
int rig_set_up(void **state);
int rig_tear_down(void **state);

/* Boots, in the first test. The driver is loaded unless o->programs is set; a test that needs it
 * then loads it itself. o may be NULL. cpu, memory and pci are filled in for the machine's kind. */
rig *rig_first(void **state, const char *machine, const driver_options *o);

/* For the other tests; fails the test if the driver has not started. */
rig *rig_needed(void **state);

/* Checks that the driver has registered these PMUs: "cbox_0" is uncore_cbox_0. */
void rig_has(const rig *r, const char *const *pmus, size_t n);

/* Opens an event; the driver gets perf's spelling of it. `leader` is the first event of the group,
 * or NULL. Unit and package are 0 unless the string names them. */
rig_event rig_open(rig *r, const char *event, const rig_event *leader, bool enabled);
/* The same with any spelling of perf's; if the driver refuses it, fd is -1. */
rig_event rig_try(rig *r, const char *perf, const rig_event *leader);
void rig_enable(rig *r, const rig_event *e);
void rig_disable(rig *r, const rig_event *e);
rig_value rig_read(rig *r, const rig_event *e);
rig_value rig_take(rig *r, rig_event *e); /* reads and closes */
void rig_close(rig *r, rig_event *e);

/* Executes lines of the register dialogue ("run stream,size=64K", "signal …") on both machines. */
void rig_work(rig *r, const char *lines);

/* The twin counts those events at once, from rig_watch() to rig_truth_end(). */
typedef struct rig_truth_of {
    bx_session *session;
    const bx_reading *readings;
    size_t n;
} rig_truth_of;
rig_truth_of rig_watch(rig *r, const rig_event *events, size_t n);
void rig_truth_end(rig_truth_of *t);
uint64_t rig_truth(const rig_truth_of *t, size_t event);

/* Opens the events, does the work, and compares the guest's counts with the twin's. Sets counts, if
 * not NULL. If they differ, rig_agrees() returns false and puts the first difference into `why`;
 * rig_counts() fails the test. */
typedef struct rig_difference {
    char text[400];
} rig_difference;
bool rig_agrees(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts,
                rig_difference *why);
void rig_counts(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts);
/* The same with a group, whose first event leads it. */
void rig_group_counts(rig *r, const char *const *events, size_t n, const char *work);

/* Checks that no access has faulted so far; otherwise prints what explain reports about it. */
void rig_no_fault(const rig *r);

/* Checks that explain has no warnings about the accesses so far; otherwise prints them. */
void rig_no_warning(const rig *r);

/* The last test: explain has no other warnings about all accesses. */
void rig_warnings(void **state);

/* Gives the guest the present contents of the machine's memory-mapped registers. */
void rig_refresh(rig *r);

#endif
