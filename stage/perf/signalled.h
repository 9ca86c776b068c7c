/* Events of a gathered machine's PMUs. Nothing models what they count, and they have no registers:
 * signals that a program writes to the dialogue drive their counts. */
#ifndef BX_STAGE_PERF_SIGNALLED_H
#define BX_STAGE_PERF_SIGNALLED_H

#include "stage/perf/opened_events.h"

struct bx_cpus;
struct bx_perf;

typedef struct bx_signalled {
    bx_machine *machine; /* a host below a folder */
    struct bx_perf *perf;
    const struct bx_cpus *cpus;
    const char *const *cpus_of; /* by PMU: its file `cpus`, of the core PMUs of a hybrid CPU */
    unsigned cpus_n;            /* logical CPUs are numbered below it */
} bx_signalled;

/* Reads the descriptions of all PMUs: later, files of this stage cover those of the host. The
 * machine must outlive *s. BX_NO_ACCESS: it has no PMU that perf_event_open() names by a number. */
int bx_signalled_open(bx_signalled *s, bx_machine *gathered, bx_error *e);

/* The PMU of a type number. NULL: none, or one that the host's kernel counts in software. */
const struct bx_perf_pmu *bx_signalled_pmu(const bx_signalled *s, uint32_t type);

/* Whether programs see the PMU. Those of software are the host's. */
bool bx_signalled_has(const struct bx_perf_pmu *pmu);

/* Checks e->request as Linux does, and fills in the PMU. 0 or an errno. */
int bx_signalled_check(const bx_signalled *s, bx_staged_event *e);

/* Turns a generic hardware event into the one of that name of the core's PMU. ENOENT: there is
 * none. */
int bx_signalled_generic(const bx_signalled *s, bx_open_request *request);

/* What happens on PMUs for some cycles. Only its events see a level; the others see 0. */
typedef struct bx_signal {
    const struct bx_perf_event *event; /* NULL: nothing happens */
    bool all_units;                    /* on all PMUs of this kind */
    int64_t package, cpu;              /* -1: on all of them */
    uint64_t level;
} bx_signal;

/* Counts an event for so many cycles. Returns whether the signal reaches it. */
bool bx_signalled_count(const bx_signalled *s, bx_staged_event *e, const bx_signal *signal,
                        uint64_t cycles);

#endif
