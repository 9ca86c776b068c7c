/* Which object a process has at an address, at the present place of its trace: addresses are used
 * again. docs/explanation/attribution.md, "Objects" */
#ifndef BX_MACHINE_PROGRAM_DECODE_OBJECT_MAP_H
#define BX_MACHINE_PROGRAM_DECODE_OBJECT_MAP_H

#include "machine/program/decode/address_space.h"
#include "machine/program/decode/call_stack.h"
#include "machine/program/decode/witness.h"

typedef struct bx_object_map bx_object_map;

/* They must outlive it. NULL: out of memory. */
bx_object_map *bx_object_map_new(bx_witness *w, bx_address_space *space);
/* That of a forked child; NULL: out of memory, or m is NULL. */
bx_object_map *bx_object_map_copy(const bx_object_map *m, bx_address_space *space);
void bx_object_map_free(bx_object_map *m); /* NULL is fine */

/* Objects of late, by the low bits of the address's granule: the first member of a map. */
enum { BX_OBJECT_GRANULE_BITS = 4, BX_OBJECT_MEMOS = 1 << 12 };
typedef struct bx_object_memo {
    uint64_t granule; /* plus 1; 0: none */
    uint32_t object;
} bx_object_memo;

uint32_t bx_object_map_look_up(bx_object_map *m, uint64_t address, const bx_call_stacks *calls);

/* The number of the object, as in the witness. calls: of the running thread, on its stack; NULL:
 * not known. */
static inline uint32_t bx_object_map_at(bx_object_map *m, uint64_t address,
                                        const bx_call_stacks *calls)
{
    const uint64_t granule = address >> BX_OBJECT_GRANULE_BITS;
    const bx_object_memo *memo = (const bx_object_memo *)(const void *)m;

    memo += granule % BX_OBJECT_MEMOS;
    return __builtin_expect(memo->granule == granule + 1, 1)
               ? memo->object
               : bx_object_map_look_up(m, address, calls);
}

/* An allocator has given memory, in that context; or takes it back. */
void bx_object_map_allocate(bx_object_map *m, uint64_t address, uint64_t bytes, uint32_t context);
void bx_object_map_release(bx_object_map *m, uint64_t address);

/* An ELF file was mapped from its begin on. */
void bx_object_map_image(bx_object_map *m, uint64_t address, uint64_t device, uint64_t inode);
/* The mappings in a range have changed. */
void bx_object_map_forget(bx_object_map *m, uint64_t address, uint64_t bytes);

#endif
