/* The runs that show which events count: each built-in workload once, and further ones with other
 * settings of the machine. A setting that a CPU model does not have is left out there. */
#ifndef BX_CLI_SHOW_RUNS_H
#define BX_CLI_SHOW_RUNS_H

#include "base/buf.h"
#include "catalog/catalog.h"

/* All runs have a bit of a uint64_t. */
enum { BX_RUNS_MOST = 64 };

/* The i-th run's name: the workload's, or that of its settings; NULL: there are no more. */
const char *bx_run_name(size_t i);

/* The workload as it is run: "stream,size=8M,stride=64". */
const char *bx_run_workload(size_t i);

/* A program that makes an event count which no workload does, such as "true"; NULL: none is
 * known. */
const char *bx_run_program(const char *event);

/* Whether the run is of a workload on the machine of all workloads, without further settings. */
bool bx_run_is_plain(size_t i);

/* Appends the machine string of the run for a CPU. false: the CPU's machines have none of its
 * settings. */
bool bx_run_machine(const bx_catalog *c, unsigned cpu, size_t i, bx_buf *to);

/* Appends "stream, copy": the names of the runs in the mask. */
void bx_run_names(bx_buf *to, uint64_t runs);

#endif
