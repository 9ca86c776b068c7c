/* What the kernel counts of a group of tasks, or of the whole machine, in the files of resctrl:
 * memory traffic and bytes in the last-level cache, for each of these caches. Documents: Linux,
 * Documentation/filesystems/resctrl.rst, "mon_data". */
#ifndef BX_HOST_PERF_RESCTRL_H
#define BX_HOST_PERF_RESCTRL_H

#include "host/perf/kernel_pmus.h"

#define BX_RESCTRL_FOLDER "/sys/fs/resctrl"

/* Whether the text is of an event of resctrl: "resctrl/mbm_total_bytes,group=web/". */
bool bx_resctrl_is_event(bx_str text);

/* Parses it, as bx_perf_parse() does. One source for each cache that the kernel has a file of. */
int bx_resctrl_parse(bx_perf *p, bx_str text, bx_perf_event *to, bx_error *e);

/* The names of its events, [*n], sorted; none if it is not mounted or monitors nothing. They live
 * in the arena. */
const char *const *bx_resctrl_events(bx_perf *p, size_t *n);

/* What is counted, in a line; "": boxscore knows no more than the name. */
const char *bx_resctrl_title(const char *event);

#endif
