/* The device files of a stage, over the registers of its virtual machine. Each behaves as the
 * kernel's own file does: lengths that it takes, and what it answers where an access faults. */
#ifndef BX_STAGE_FILES_DEVICE_H
#define BX_STAGE_FILES_DEVICE_H

#include "seam/bus.h"

#include <stddef.h>
#include <sys/types.h>

/* number: which of the devices of this kind; of one with open(), what that made of it for the file
 * that was opened. All return 0 or an errno; *done: bytes. */
typedef struct bx_device {
    int (*read)(void *context, uint64_t number, uint64_t offset, char *to, size_t n, size_t *done);
    int (*write)(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                 size_t *done);
    /* Those that may be NULL. by: the thread that opens. */
    int (*open)(void *context, uint64_t *number, pid_t by);
    void (*release)(void *context, uint64_t number); /* when its last descriptor is closed */
    int (*ioctl)(void *context, uint64_t number, unsigned command, uint64_t argument,
                 uint64_t *result); /* of 8 bytes, where the command says that it gives something */
} bx_device;

/* Their context is a struct bx_bus. */
extern const bx_device bx_device_msr; /* number: logical CPU */
extern const bx_device bx_device_pci; /* number: address of the function's first register */
extern const bx_device bx_device_memory;

enum { BX_DEVICE_PCI_SIZE = 4096 };

#endif
