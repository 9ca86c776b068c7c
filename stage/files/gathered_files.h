/* The files of a gathered machine, as programs on stage find them. */
#ifndef BX_STAGE_FILES_GATHERED_FILES_H
#define BX_STAGE_FILES_GATHERED_FILES_H

#include "stage/files/tree.h"

struct bx_cpus;

/* Adds proc/cpuinfo, and the CPUs and NUMA nodes under sys/devices/system, of the machine whose
 * files lie under `root`. It has no PCI devices and no firmware. */
void bx_gathered_files_add(bx_tree *t, const char *root, const struct bx_cpus *cpus);

/* Copies the text files below a folder of that machine, "/sys/…". */
void bx_gathered_files_copy(bx_tree *t, const char *root, const char *folder);

/* Writes the CPU model in the form of perf's PERF_CPUID, "GenuineIntel-6-8F-8"; "": unknown. */
void bx_gathered_files_perf_cpuid(const char *root, char *to, size_t room);

#endif
