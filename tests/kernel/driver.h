/* The guest's drivers, whose register accesses reach a virtual machine's bus in place of the
 * emulated processor: the uncore driver's, and those that programs make through the MSR device and
 * PCI configuration space. In the kernel's memory the functions that they call are replaced by
 * tests/kernel/carrier.S. */
#ifndef BX_TESTS_KERNEL_DRIVER_H
#define BX_TESTS_KERNEL_DRIVER_H

#include "guest.h"

#include "explain/explain.h"
#include "machine/machine.h"

typedef struct driver {
    guest *guest;
    bx_machine *machine; /* whose registers they are */
    unsigned threads;    /* of each core, which have its registers in common */
    bx_reglog_access *accesses;
    size_t done, room;
    size_t faults; /* accesses that faulted */
    bx_explain *explain;
    bx_buf explained; /* what explain says of all accesses */
    /* Where this register is read or written, it faults all the same; 0: none. */
    uint64_t broken;
} driver;

typedef struct driver_options {
    const char *cpu;    /* qemu's name of it, and features */
    const char *memory; /* a file of 32 KiB that the guest sees at FED10000H, or NULL */
    const char *kernel; /* further parameters of the kernel, or NULL */
    unsigned threads;   /* of each core; 0: one */
    bool pci;           /* the machine's PCI function 00:00.0 takes the place of qemu's */
    bool programs;      /* as guest_options.programs */
} driver_options;

/* Boots a guest with as many packages and cores as the machine has. Its register accesses are the
 * machine's when this returns; the uncore driver is not loaded yet. */
void driver_boot(driver *d, bx_machine *m, const driver_options *o);
void driver_end(driver *d);

/* Lines that explain said since `from` (a length of d->explained) and that hold `word`. */
size_t driver_explained(const driver *d, size_t from, const char *word, char *to, size_t room);

#endif
