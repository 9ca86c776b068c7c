/* The device files of a stage, over the registers of its virtual machine. Each behaves as the
 * kernel's own file does: lengths that it takes, and what it answers where an access faults. */
#ifndef BX_STAGE_DEVICE_H
#define BX_STAGE_DEVICE_H

#include "seam/bus.h"

#include <stddef.h>

/* number: which of the devices of this kind. Both return 0 or an errno; *done: bytes. */
typedef struct bx_device {
    int (*read)(void *context, uint64_t number, uint64_t offset, char *to, size_t n, size_t *done);
    int (*write)(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                 size_t *done);
} bx_device;

/* Their context is a struct bx_bus. */
extern const bx_device bx_device_msr; /* number: logical CPU */
extern const bx_device bx_device_pci; /* number: address of the function's first register */
extern const bx_device bx_device_memory;

enum { BX_DEVICE_PCI_SIZE = 256 };

#endif
