/* Sends the register accesses of a guest's drivers to a virtual machine's bus instead of the
 * emulated processor. These are accesses of the uncore driver, and those that programs make through
 * the MSR device and PCI configuration space. tests/kernel/carrier.S replaces the functions in the
 * kernel's memory that make them. */
#ifndef BX_TESTS_KERNEL_DRIVER_H
#define BX_TESTS_KERNEL_DRIVER_H

#include "guest.h"

#include "explain/explain.h"
#include "machine/machine.h"

typedef struct driver {
    guest *guest;
    bx_machine *machine; /* has the registers */
    unsigned threads;    /* of each core; they share the core's registers */
    bx_reglog_access *accesses;
    size_t done, room;
    size_t faults; /* number of accesses that faulted */
    bx_explain *explain;
    bx_buf explained; /* explain's report on all accesses */
    /* Every access to this register faults; 0: none. */
    uint64_t broken;
} driver;

typedef struct driver_options {
    const char *cpu;    /* qemu's name for it, with features */
    const char *memory; /* a file of 32 KiB that the guest sees at FED10000H, or NULL */
    const char *kernel; /* further parameters of the kernel, or NULL */
    unsigned threads;   /* of each core; 0: one */
    bool pci;           /* the machine's PCI function 00:00.0 replaces qemu's */
    bool programs;      /* as guest_options.programs */
} driver_options;

/* Boots a guest with as many packages and cores as the machine has. When this returns, its register
 * accesses go to the machine; the uncore driver is not loaded yet. */
void driver_boot(driver *d, bx_machine *m, const driver_options *o);
void driver_end(driver *d);

/* Gets the lines that explain has added since `from` (a length of d->explained) and that contain
 * `word`. */
size_t driver_explained(const driver *d, size_t from, const char *word, char *to, size_t room);

#endif
