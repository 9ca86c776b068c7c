/* A cgroup of the host whose processes are counted, on whichever CPUs they run. Documents:
 * perf_event_open(2), PERF_FLAG_PID_CGROUP; cgroups(7). */
#ifndef BX_MACHINE_CGROUP_H
#define BX_MACHINE_CGROUP_H

#include <boxscore/boxscore.h>

/* Attaches to a cgroup. name: its path below the mount point, or that of its folder. BX_NOT_FOUND:
 * no such cgroup. BX_NO_ACCESS: the machine is not this host, or its kernel has no cgroups for
 * perf_event. */
int bx_machine_attach_cgroup(bx_machine *m, const char *name, bx_error *e);

/* A descriptor of its folder; -1: the machine is attached to none. */
int bx_machine_cgroup(const bx_machine *m);

#endif
