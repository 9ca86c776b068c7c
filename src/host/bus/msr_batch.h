/* Many MSRs in one system call, where the module msr-safe is loaded: each CPU is interrupted once
 * and not once per register. Form of the request: README.md and msr_safe.h of LLNL/msr-safe,
 * version 2.0.0. */
#ifndef BX_HOST_BUS_MSR_BATCH_H
#define BX_HOST_BUS_MSR_BATCH_H

#include "host/system/cpus.h"
#include "seam/bus.h"

/* One register of a batch. */
typedef struct bx_batch_op {
    uint16_t cpu;  /* as in /dev/cpu/N */
    uint16_t read; /* 0: a write */
    int32_t err;   /* minus an errno */
    uint32_t msr;
    uint64_t value;
    uint64_t mask; /* of a write; set by the module */
} bx_batch_op;

typedef struct bx_batch_array {
    uint32_t n;
    uint32_t version; /* major << 16 | minor << 8 | patch; from 2 on, major must be the module's */
    bx_batch_op *ops;
} bx_batch_array;

/* ioctl(2), or a test's replacement. */
typedef int bx_batch_call(int fd, unsigned long request, bx_batch_array *array);

typedef struct bx_batch {
    int fd; /* -1: there is none, or it cannot be used */
    bx_batch_call *call;
    bx_batch_op *ops;
    size_t room;
} bx_batch;

/* Opens /dev/cpu/msr_batch; false: there is none, or we may not open it. call NULL: ioctl(2). */
bool bx_batch_open(bx_batch *b, const char *root, bx_batch_call *call);
void bx_batch_free(bx_batch *b);

/* Reads those of at[] that are MSRs. false: nothing was read; read them one by one to learn which
 * fails and why. A device that cannot be used at all is closed. */
bool bx_batch_read(bx_batch *b, const bx_cpus *cpus, const bx_address *at, uint64_t *values,
                   size_t n);

#endif
