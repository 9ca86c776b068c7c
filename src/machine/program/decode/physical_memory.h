/* For address_space.c: the pages in memory that all address spaces of a program share. */
#ifndef BX_MACHINE_PROGRAM_DECODE_PHYSICAL_MEMORY_H
#define BX_MACHINE_PROGRAM_DECODE_PHYSICAL_MEMORY_H

#include "machine/program/decode/address_space.h"

/* A page in memory. */
typedef struct bx_physical {
    uint64_t device, inode, page; /* of a page that is shared or from a file; the key in the tree */
    uint32_t frame;
    uint32_t users; /* number of virtual pages that have this frame */
    bool known;     /* it is in the tree */
} bx_physical;

struct bx_physical_memory {
    struct bx_frames *frames;
    void *known; /* tree of bx_physical: tsearch(3) */
    uint64_t pages;
    uint64_t anonymous; /* number of shared mappings without a file so far */
    bool out_of_memory;
    bx_physical substitute; /* used when there is no memory for another one */
    bx_physical zero;       /* the page of zeros; users 0: it has no frame yet */
};

/* A page for one more user: a new one, or the one with the key's device, inode and page. node:
 * where a new page is. */
bx_physical *bx_physical_new(bx_physical_memory *m, unsigned node);
bx_physical *bx_physical_known(bx_physical_memory *m, const bx_physical *key, unsigned node);

/* The page of zeros, which all share that have only read theirs. Its frame is one of those from the
 * permutation's end, so other pages have the same frames with it and without. */
bx_physical *bx_physical_zero(bx_physical_memory *m);

void bx_physical_forget(bx_physical_memory *m, bx_physical *p);  /* it has no key any more */
void bx_physical_release(bx_physical_memory *m, bx_physical *p); /* it has one user less */

#endif
