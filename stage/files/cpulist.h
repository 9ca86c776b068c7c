/* Ranges of CPUs in the formats of the kernel's files. */
#ifndef BX_STAGE_FILES_CPULIST_H
#define BX_STAGE_FILES_CPULIST_H

typedef struct bx_cpulist {
    char z[128];
} bx_cpulist;

bx_cpulist bx_cpulist_range(unsigned first, unsigned n); /* a list: "4-7", "4" */

/* A mask of `cpus` bits, in words of 32 bits, the highest first: "000000f0". */
bx_cpulist bx_cpulist_mask(unsigned first, unsigned n, unsigned cpus);

#endif
