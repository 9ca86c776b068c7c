/* Metrics of perfmon, in Intel's form and in perf's, as formulas of src/metric/. */
#ifndef BX_PERFMON_METRICS_H
#define BX_PERFMON_METRICS_H

#include "base/buf.h"
#include "base/json_read.h"
#include "perfmon/assembly.h"

typedef struct bx_perfmon_metrics {
    bx_assembly *a;
    bx_span span; /* the rows so far; the last ones */
    bx_span own;  /* were imported */
    /* by own row: Linux's PMU of its cores on a hybrid CPU, "cpu_core"; "": all cores are alike */
    char (*cores)[16];
    size_t cores_room;
    unsigned named; /* by the formulas, as bits: topdown.h */
    size_t read, refused;
    bx_buf *refusals;
} bx_perfmon_metrics;

/* Adds the metrics of a file. of: its name, which names metrics whose name an earlier file has:
 * "sapphirerapids_metrics_perf.json". core: as an element of `cores`. */
int bx_perfmon_metrics_add(bx_perfmon_metrics *m, const bx_json_value *file, bx_str of,
                           const char *core, bx_error *e);

#endif
