/* CPUs that follow one another, as the kernel's files have them. */
#ifndef BX_STAGE_FILES_CPULIST_H
#define BX_STAGE_FILES_CPULIST_H

typedef struct bx_cpulist {
    char z[128];
} bx_cpulist;

bx_cpulist bx_cpulist_range(unsigned first, unsigned n); /* "4-7", "4" */

/* Words of 32 bits, the highest first; all of them for that many CPUs: "000000f0". */
bx_cpulist bx_cpulist_mask(unsigned first, unsigned n, unsigned cpus);

#endif
