/* Device files on stage. They access the registers of the virtual machine and behave like the
 * kernel's device files: the same lengths are allowed, the same errno reports a fault. */
#ifndef BX_STAGE_FILES_DEVICE_H
#define BX_STAGE_FILES_DEVICE_H

#include "seam/bus.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All functions return 0 or an errno. number: which device of its kind; for a device with open(),
 * the number that open() gave to the opened file. *done: bytes read or written. */
typedef struct bx_device {
    int (*read)(void *context, uint64_t number, uint64_t offset, char *to, size_t n, size_t *done);
    /* BX_DEVICE_WAITS: has to be called again, with the same arguments, when the write that is
     * executed now has ended; or with n = 0 if it is given up. */
    int (*write)(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                 size_t *done);
    bool waits; /* its writes may take long, and wait for each other */
    /* The following may be NULL. by: the thread that opens the file. */
    int (*open)(void *context, uint64_t *number, pid_t by);
    void (*release)(void *context, uint64_t number); /* its last descriptor was closed */
    int (*ioctl)(void *context, uint64_t number, unsigned command, uint64_t argument,
                 uint64_t *result); /* 8 bytes, copied out if the command's number says so */
} bx_device;

/* The context of these devices is a struct bx_bus. */
extern const bx_device bx_device_msr; /* number: logical CPU */
extern const bx_device bx_device_pci; /* number: address of the function's first register */
extern const bx_device bx_device_memory;

enum { BX_DEVICE_PCI_SIZE = 4096, BX_DEVICE_WAITS = -1 };

#endif
