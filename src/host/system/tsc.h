/* The frequency of the time stamp counter. */
#ifndef BX_HOST_SYSTEM_TSC_H
#define BX_HOST_SYSTEM_TSC_H

/* In Hz; 0: unknown. root: the folder of a machine's /proc; "": this machine, which is asked by
 * CPUID first. */
double bx_tsc_hz(const char *root);

#endif
