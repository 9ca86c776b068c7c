/* The guest's uncore driver, whose register accesses reach a virtual machine's bus in place of the
 * emulated processor: at each RDMSR and WRMSR that the driver comes to, the guest is stopped, the
 * access carried out, and the guest goes on behind the instruction. */
#ifndef BX_TESTS_DRIVER_H
#define BX_TESTS_DRIVER_H

#include "guest.h"

#include "explain/explain.h"
#include "machine/machine.h"

enum { DRIVER_SITES = 4 };

/* Addresses of the kernel's. */
typedef struct driver_symbols {
    uint64_t read_msr, write_msr, read_msr_safe, write_msr_safe;
    uint64_t table, table_end; /* what is to be done after a fault */
    uint64_t pci_read;
} driver_symbols;

/* One MSR instruction of the kernel's, and what the kernel's table of exceptions says of it. */
typedef struct driver_site {
    uint64_t at;
    bool write;
    unsigned pushed; /* words above the return address at that point */
    uint64_t fixup;  /* where the kernel goes on after a fault */
    int error;       /* the register (as GDB_*) that then is -EIO, or -1: RAX and RDX are 0 */
} driver_site;

typedef struct driver {
    guest *guest;
    bx_machine *machine; /* whose registers they are */
    driver_symbols symbols;
    driver_site sites[DRIVER_SITES];
    size_t n;
    uint64_t from, to; /* accesses to these MSRs are the machine's, whoever makes them */
    bx_reg_access *accesses;
    size_t done, room;
    size_t faults, others; /* accesses that faulted; of the kernel's own, which qemu answered */
    bx_explain *explain;
    bx_buf told; /* what explain says of all accesses */
} driver;

/* Boots a guest whose CPU qemu calls so; the machine has as many packages and cores. memory: a file
 * of 32 KiB that the guest sees at physical address FED10000H, or NULL. */
void driver_boot(driver *d, const char *cpu, bx_machine *m, const char *memory);
void driver_end(driver *d);

/* Loads the driver. Where `pci`, the machine's PCI function 00:00.0 takes the place of qemu's. */
void driver_load(driver *d, bool pci);

/* Lines that explain said since `from` (a length of d->told) and that hold `word`. */
size_t driver_told(const driver *d, size_t from, const char *word, char *to, size_t room);

#endif
