/* Cgroups of the host whose processes are counted, on whichever CPUs they run. Documents:
 * perf_event_open(2), PERF_FLAG_PID_CGROUP; cgroups(7). */
#ifndef BX_MACHINE_CGROUP_H
#define BX_MACHINE_CGROUP_H

#include "base/str.h"

#include <boxscore/boxscore.h>

/* Attaches to one more cgroup. name: its path below the mount point, or that of its folder.
 * BX_NOT_FOUND: no such cgroup. BX_NO_ACCESS: the machine is not this host, or its kernel has no
 * cgroups for perf_event. */
int bx_machine_attach_cgroup(bx_machine *m, bx_str name, bx_error *e);

/* Descriptors of their folders, [*n]. n 0: the machine is attached to none. */
const int *bx_machine_cgroups(const bx_machine *m, size_t *n);

#endif
