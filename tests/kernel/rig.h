/* A guest with its driver on a virtual machine, and beside it a twin: an equal machine that does
 * the same work and is measured by boxscore itself. What the guest counts must be what the twin
 * does. */
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
    bx_dialogue *here, *there; /* work is given to both as lines of the register dialogue */
    spellings known;
    unsigned pauses; /* that have been started: names for them */
    window memory;   /* where a machine has such registers */
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

/* The tests of a program have one guest: cmocka_run_group_tests(tests, rig_set_up, rig_tear_down).
 * All of them are skipped where there can be none. */
int rig_set_up(void **state);
int rig_tear_down(void **state);

/* In the first test: boots. The driver is loaded unless o->programs: who wants it then asks for it.
 * o can be NULL; what the machine's kind says is filled in: cpu, memory and pci. */
rig *rig_first(void **state, const char *machine, const driver_options *o);

/* In the others; fails the test where the driver has not started. */
rig *rig_needed(void **state);

/* The driver has registered these: "cbox_0" is uncore_cbox_0. */
void rig_has(const rig *r, const char *const *pmus, size_t n);

/* Opens: the driver gets perf's spelling of it. leader: the first of the group, or NULL. Unit and
 * package are 0 unless the string names them. */
rig_event rig_open(rig *r, const char *event, const rig_event *leader, bool enabled);
/* The same with a spelling of perf's own; the driver may refuse: fd is -1 then. */
rig_event rig_try(rig *r, const char *perf, const rig_event *leader);
void rig_enable(rig *r, const rig_event *e);
void rig_disable(rig *r, const rig_event *e);
rig_value rig_read(rig *r, const rig_event *e);
rig_value rig_take(rig *r, rig_event *e); /* reads and closes */
void rig_close(rig *r, rig_event *e);

/* Lines of the register dialogue ("run stream,size=64K", "signal …"), on both machines. */
void rig_work(rig *r, const char *lines);

/* The twin counts those events from now on, all at once; rig_truth ends that. */
typedef struct rig_truth_of {
    bx_session *session;
    const bx_reading *readings;
    size_t n;
} rig_truth_of;
rig_truth_of rig_watch(rig *r, const rig_event *events, size_t n);
void rig_truth_end(rig_truth_of *t);
uint64_t rig_truth(const rig_truth_of *t, size_t event);

/* All of it: opens the events, does the work, and holds what the guest reads against what the twin
 * counts. Sets counts, if not NULL. False, and the first difference in `why`, if they differ;
 * rig_counts fails the test then. */
typedef struct rig_difference {
    char text[400];
} rig_difference;
bool rig_agrees(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts,
                rig_difference *why);
void rig_counts(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts);
/* The same of a group: the first one leads it. */
void rig_group_counts(rig *r, const char *const *events, size_t n, const char *work);

/* No access has faulted so far; otherwise the test fails and prints what explain says of it. */
void rig_no_fault(const rig *r);

/* explain warns of none of the accesses so far; otherwise the test fails and prints the warnings.
 */
void rig_no_warning(const rig *r);

/* A test, the last one: whatever else explain has to say of all that is nothing. */
void rig_warnings(void **state);

/* The guest sees the present contents of the machine's memory-mapped registers. */
void rig_refresh(rig *r);

#endif
