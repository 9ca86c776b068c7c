/* What the CPUID instruction returns on a machine on stage: CPU model, caches, topology and the
 * size of a core's PMU. It reports only features that every x86-64 CPU has, so that no program uses
 * one that the host lacks. Leaves: SDM volume 2, CPUID. */
#ifndef BX_STAGE_FILES_CPUID_H
#define BX_STAGE_FILES_CPUID_H

#include "machine/virtual_cpuid.h"
#include "stage/files/device.h"

/* cpu: logical CPU. Leaves and subleaves without contents return zeros. */
bx_cpuid bx_cpuid_of(const bx_topology *t, unsigned cpu, uint32_t leaf, uint32_t subleaf);

enum { BX_CPUID_STEPPING = 3, BX_CPUID_LEAVES = 0xb };

/* The file dev/cpu/N/cpuid: 16 bytes at the offset leaf | subleaf << 32 (Linux
 * arch/x86/kernel/cpuid.c). Its context is a bx_topology, its number the logical CPU. */
extern const bx_device bx_device_cpuid;

#endif
