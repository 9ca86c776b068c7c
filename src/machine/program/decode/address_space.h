/* The address spaces of a program's processes: the frame of each virtual page. Pages of one file,
 * and shared memory, have the same frame in all processes. Private pages are copied when written
 * after a fork, as a kernel does it. docs/explanation/model-programs.md, "Address spaces". */
#ifndef BX_MACHINE_PROGRAM_DECODE_ADDRESS_SPACE_H
#define BX_MACHINE_PROGRAM_DECODE_ADDRESS_SPACE_H

#include "machine/program/decode/memory_policy.h"
#include "model/core/page_tables.h"

#include <stdbool.h>
#include <stdint.h>

/* Data that all address spaces of a program share. */
typedef struct bx_physical_memory bx_physical_memory;
typedef struct bx_address_space bx_address_space;

/* NULL: out of memory. frames must outlive the result, which must outlive all its address spaces.
 */
bx_physical_memory *bx_physical_memory_new(struct bx_frames *frames);
void bx_physical_memory_free(bx_physical_memory *m); /* NULL is fine */

/* Whether memory ran out for a table; pages may then have wrong frames. */
bool bx_physical_memory_ran_out(const bx_physical_memory *m);

unsigned bx_physical_memory_nodes(const bx_physical_memory *m);

/* The number of pages in memory, of all address spaces. */
uint64_t bx_physical_memory_pages(const bx_physical_memory *m);

bx_address_space *bx_address_space_new(bx_physical_memory *m); /* NULL: out of memory */
/* Makes the address space of a forked child. Look up the parent's writable pages again afterwards.
 */
bx_address_space *bx_address_space_fork(bx_address_space *parent);
void bx_address_space_clear(bx_address_space *s); /* unmaps everything and returns its frames */
void bx_address_space_free(bx_address_space *s);  /* the same, and frees it; NULL is fine */

/* The source of pages. A page without a mapping is private and anonymous. */
typedef struct bx_mapping {
    uint64_t address, bytes;        /* multiples of the page size */
    uint64_t device, inode, offset; /* of a file, or 0 */
    bool file, shared;
    bool filled; /* private and anonymous memory that a kernel has filled before */
} bx_mapping;

/* These functions change the mappings in a range, so pages that were looked up before are no longer
 * valid. The first two return whether the range had pages. */
bool bx_address_space_map(bx_address_space *s, bx_mapping what);
bool bx_address_space_unmap(bx_address_space *s, uint64_t address, uint64_t bytes);
void bx_address_space_move(bx_address_space *s, uint64_t from, uint64_t bytes, uint64_t to,
                           uint64_t new_bytes);

/* The kernel forgets what private pages of the range contain: madvise(MADV_DONTNEED). Returns
 * whether it had pages. */
bool bx_address_space_discard(bx_address_space *s, uint64_t address, uint64_t bytes);

/* Who touches pages from now on: a thread on a core of that node, with that policy. */
void bx_address_space_touched_by(bx_address_space *s, unsigned node, bx_memory_policy policy);

/* The program wants huge pages in a range, or does not: madvise(MADV_HUGEPAGE, MADV_NOHUGEPAGE). */
void bx_address_space_advise(bx_address_space *s, uint64_t address, uint64_t bytes, bool huge);

/* Sets the policy of a range, as mbind(2). */
void bx_address_space_bind(bx_address_space *s, uint64_t address, uint64_t bytes,
                           bx_memory_policy policy);

/* The policy of a page's range; BX_POLICY_DEFAULT: it has none. */
bx_memory_policy bx_address_space_policy(const bx_address_space *s, uint64_t page);

/* How many pages from there on have the policy of the page; UINT64_MAX: all. */
uint64_t bx_address_space_policy_pages(const bx_address_space *s, uint64_t page);

/* The node of a page; *zero: it is the page of zeros. false: it is not in memory. */
bool bx_address_space_node(const bx_address_space *s, uint64_t page, unsigned *node, bool *zero);

/* Moves a page to another node, or, node BX_NODES_MOST, where its policy wants it. Only a page that
 * nobody else has moves. Returns whether it did; *from, *to: its frames. */
bool bx_address_space_migrate(bx_address_space *s, uint64_t page, unsigned node, uint64_t *from,
                              uint64_t *to);

/* The number plus 1 of the first page from *page on that has a frame, in the memory before `end`,
 * and sets *page after it; 0: there is none. */
uint64_t bx_address_space_next(bx_address_space *s, uint64_t *page, uint64_t end);

/* Whether that is the frame of the page of zeros. */
bool bx_address_space_is_zero(const bx_address_space *s, uint64_t frame);

/* The mapping at an address; its `offset` is that of the address. false: private, anonymous memory
 * that no kernel has filled. */
bool bx_address_space_mapping(const bx_address_space *s, uint64_t address, bx_mapping *m);

/* Whether a page is part of a huge one. */
bool bx_address_space_is_huge(bx_address_space *s, uint64_t page);

/* The lines of the machine have 2^this bytes. */
unsigned bx_address_space_line_shift(const bx_address_space *s);

/* The page tables that page walks of this address space read; the first call makes them. NULL: out
 * of memory. */
struct bx_page_tables *bx_address_space_tables(bx_address_space *s);

enum bx_page_made {
    BX_PAGE_THERE,  /* it existed before, or it is a page of a file, or the zero page */
    BX_PAGE_ZEROED, /* a kernel has just zeroed it */
    BX_PAGE_COPIED, /* a kernel has just copied it from frame `from` */
};

typedef struct bx_page_found {
    uint64_t frame, from;
    bool writable; /* writes go to this frame, too; if not, look the page up again for a write */
    bool changed;  /* until now it could only be read */
    bool huge;     /* all pages of a huge page were made together: `made` applies to all */
    bool
        faulted; /* the touch is a page fault: until now there was no such page, or no such right */
    enum bx_page_made made;
} bx_page_found;

enum bx_touch {
    BX_TOUCH_READ,
    BX_TOUCH_WRITE,
    BX_TOUCH_FETCH, /* of an instruction, which somebody has written */
};

/* page: address >> BX_PAGE_SHIFT. Looks up a page. */
bx_page_found bx_address_space_touch(bx_address_space *s, uint64_t page, enum bx_touch how);

#endif
