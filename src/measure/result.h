/* A measurement of bx_measure_…() while it counts, and its result when it has ended. */
#ifndef BX_MEASURE_RESULT_H
#define BX_MEASURE_RESULT_H

#include "machine/machine.h"
#include "report/report.h"

#include <boxscore/boxscore.h>

struct bx_result {
    bx_session *session; /* while it counts; else NULL */
    bx_machine *machine; /* of the session */
    uint64_t began;      /* the machine's time */
    bx_arena arena;      /* of the result of the whole run; its regions have no arena */
    bx_measured measured;
    bx_report report; /* open once the counts are there */
    double seconds;
    int exit_status;
    const bx_record **metrics; /* [metrics_n] of the report, those with a metric */
    size_t metrics_n;
    bx_region region;   /* whose result this is; name NULL: the whole run's */
    bx_result *regions; /* [regions_n] of the whole run */
    size_t regions_n;
    const char **remarks; /* [remarks_n] on the whole run */
    size_t remarks_n;
};

/* Takes the counts of the session, which has stopped, counted up to the time `ended`. BX_OK or
 * BX_NO_MEMORY. */
int bx_result_take(bx_result *r, uint64_t ended, bx_error *e);

#endif
