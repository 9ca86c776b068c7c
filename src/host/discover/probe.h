/* Finds out what a machine offers: its CPU, and access to its counters. It only reads files. */
#ifndef BX_HOST_DISCOVER_PROBE_H
#define BX_HOST_DISCOVER_PROBE_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct bx_probe {
    bool cpu_known;  /* vendor to stepping are set */
    char vendor[16]; /* "GenuineIntel" */
    char brand[64];  /* may be empty */
    unsigned family, model, stepping;
    unsigned cpus;   /* logical ones */
    bool hypervisor; /* we run in a virtual machine */

    char device[32]; /* the MSR device of the first CPU that is online */
    int msr; /* 0: this device, or that of another CPU, can be opened for reading and writing; else
                an errno */
    bool readable; /* it can be opened for reading */
    bool gathered; /* unpacked from a file of `machine gather`: nothing can be written */
    bool lockdown; /* the kernel denies even root access to registers */
    bool paranoid_known;
    int paranoid;              /* perf_event_paranoid */
    bool watchdog;             /* the NMI watchdog holds a counter of each core */
    const char *const *uncore; /* uncore PMUs that the kernel offers to perf, sorted */
    size_t uncore_n;
    const char *valgrind; /* where it is; NULL: not on the PATH */
} bx_probe;

/* Reads the machine whose file system is under `root` ("" for this one). A file that cannot be read
 * counts as absent. Texts live in the arena. false when out of memory (arena->failed). */
bool bx_probe_read(const char *root, bx_arena *arena, bx_probe *probe);

#endif
