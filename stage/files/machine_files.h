/* What a machine on stage shows of itself: the files of its kernel that programs look at. */
#ifndef BX_STAGE_FILES_MACHINE_FILES_H
#define BX_STAGE_FILES_MACHINE_FILES_H

#include "machine/machine.h"
#include "stage/files/tree.h"

/* Adds dev/cpu/N/msr, dev/cpu/N/cpuid, dev/mem, PCI configuration space under proc/bus/pci and
 * sys/bus/pci, proc/cpuinfo, and the CPUs and nodes of memory under sys/devices/system. Registers
 * are reached through `bus`: the machine's own, or one in front of it. */
void bx_machine_files_add(bx_tree *t, bx_machine *m, struct bx_bus *bus);

/* The CPU model as perf writes it: "GenuineIntel-6-5E-3". */
void bx_machine_files_perf_cpuid(const bx_topology *t, char *to, size_t room);

#endif
