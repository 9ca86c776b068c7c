/* The registers of a real machine through Linux, and the bus over the three register spaces: MSRs
 * through /dev/cpu/N/msr (Documentation/.../msr.4), PCI configuration space through sysfs or
 * /proc/bus/pci, memory-mapped registers through /dev/mem. All these files lie under a root folder.
 */
#ifndef BX_HOST_BUS_REGISTERS_H
#define BX_HOST_BUS_REGISTERS_H

#include "host/bus/msr_batch.h"
#include "host/system/cpus.h"
#include "seam/bus.h"

/* A bus to the registers of the machine under `root`; bus->close() ends it. Files are opened when
 * they are first needed. cpus must outlive the bus. NULL when out of memory. */
struct bx_bus *bx_registers_open(const char *root, const bx_cpus *cpus);

/* The same with a replacement for ioctl(2); NULL: ioctl(2). */
struct bx_bus *bx_registers_open_with(const char *root, const bx_cpus *cpus, bx_batch_call *call);

/* ---- the three register spaces, each with its open files ---- */

typedef struct bx_msrs {
    const char *root;
    int *fd; /* by the machine's CPU; -1: not opened yet */
    const bx_cpus *cpus;
} bx_msrs;

bool bx_msrs_new(bx_msrs *m, const char *root, const bx_cpus *cpus);
void bx_msrs_free(bx_msrs *m);
int bx_msrs_read(bx_msrs *m, const bx_address *at, uint64_t *value);
int bx_msrs_write(bx_msrs *m, const bx_address *at, uint64_t value);

typedef struct bx_pci {
    const char *root;
    struct bx_pci_function *functions;
    size_t n;
} bx_pci;

void bx_pci_free(bx_pci *p);
int bx_pci_read(bx_pci *p, const bx_address *at, uint64_t *value);
int bx_pci_write(bx_pci *p, const bx_address *at, uint64_t value);

typedef struct bx_memory {
    const char *root;
    int fd; /* -1: not opened yet */
    struct bx_page *pages;
    size_t n;
} bx_memory;

void bx_memory_free(bx_memory *m);
int bx_memory_read(bx_memory *m, const bx_address *at, uint64_t *value);
int bx_memory_write(bx_memory *m, const bx_address *at, uint64_t value);

/* ---- what they share: little-endian values of 1, 2, 4 or 8 bytes at an offset of a file ---- */

/* 0 or an errno. A short read is EACCES: a user without rights sees only the beginning of
 * configuration space. */
int bx_value_read(int fd, uint64_t offset, unsigned bytes, uint64_t *value);
int bx_value_write(int fd, uint64_t offset, unsigned bytes, uint64_t value);

#endif
