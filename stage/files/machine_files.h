/* The kernel's files in which programs find a machine's CPUs, registers and memory. */
#ifndef BX_STAGE_FILES_MACHINE_FILES_H
#define BX_STAGE_FILES_MACHINE_FILES_H

#include "machine/machine.h"
#include "stage/files/tree.h"

/* Adds dev/cpu/N/msr, dev/cpu/N/cpuid, dev/mem, PCI configuration space under proc/bus/pci and
 * sys/bus/pci, proc/cpuinfo, and the CPUs and NUMA nodes under sys/devices/system. The files access
 * registers through `bus`: the machine's own, or one in front of it. Machine and bus must outlive
 * the tree. */
void bx_machine_files_add(bx_tree *t, bx_machine *m, struct bx_bus *bus);

/* Writes the CPU model in the form of perf's PERF_CPUID: "GenuineIntel-6-5E-3". */
void bx_machine_files_perf_cpuid(const bx_topology *t, char *to, size_t room);

#endif
