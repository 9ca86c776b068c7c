/* The kernel's files about CPUs: lists of CPUs, and /sys/devices/system/cpu/cpuN/topology. */
#ifndef BX_TRACER_SHOWN_CPUS_H
#define BX_TRACER_SHOWN_CPUS_H

#include "pub_tool_basics.h"

/* These write a line, and return its bytes. Numbers below n that are in the mask (those from 64 on
 * are), as "0-3,8"; and as the kernel's hexadecimal words of 32 bits, the highest first. */
UInt bx_shown_list(HChar *to, UInt room, Int n, ULong mask);
UInt bx_shown_mask(HChar *to, UInt room, Int n, ULong mask);

ULong bx_shown_cpus_of(Int node); /* the first 64, as a mask */

/* A file of a CPU's topology. A core has one CPU, and a node is a package. */
typedef struct bx_shown_cpu {
    Int cpu;
    Int which; /* -1: there is no such CPU, or no such file */
} bx_shown_cpu;

/* False: the path names no such file. */
Bool bx_shown_cpu_at(const HChar *path, bx_shown_cpu *c);
UInt bx_shown_cpu_text(const bx_shown_cpu *c, HChar *to, UInt room);

#endif
