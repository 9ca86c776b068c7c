/* The page tables of an address space, for page walks: the physical address of each entry.
 * docs/explanation/model-memory.md, "TLBs". */
#ifndef BX_MODEL_CORE_PAGE_TABLES_H
#define BX_MODEL_CORE_PAGE_TABLES_H

#include "model/engine/frames.h"

enum bx_page_level { BX_PTE, BX_PDE, BX_PDPTE, BX_PML4E, BX_PAGE_LEVELS };

enum { BX_TABLE_SHIFT = 9 }; /* a table has 512 entries of 8 bytes */

struct bx_page_tables;

/* frames must outlive the page tables. NULL: out of memory. */
struct bx_page_tables *bx_page_tables_new(struct bx_frames *frames);
void bx_page_tables_clear(struct bx_page_tables *t); /* gives back the frames of all tables */
void bx_page_tables_free(struct bx_page_tables *t);  /* also gives back the frames; NULL is fine */

/* Tables that are first used from now on are in the memory of that node; at first, of node 0. */
void bx_page_tables_set_node(struct bx_page_tables *t, unsigned node);

/* The physical line number of a page's entry at that level (page: address >> BX_PAGE_SHIFT). A
 * table gets its frame when it is first used. */
uint64_t bx_page_tables_line(struct bx_page_tables *t, enum bx_page_level level, uint64_t page);

/* Gives frames to all tables that a walk for this page reads, from the top level down to `last`. */
void bx_page_tables_make(struct bx_page_tables *t, uint64_t page, enum bx_page_level last);

bool bx_page_tables_out_of_memory(const struct bx_page_tables *t);

#endif
