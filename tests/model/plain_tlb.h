/* A plain reference of TLBs and page-structure caches, written only from
 * docs/explanation/model-memory.md, "TLBs". */
#ifndef BX_TESTS_MODEL_PLAIN_TLB_H
#define BX_TESTS_MODEL_PLAIN_TLB_H

#include <stdbool.h>
#include <stdint.h>

/* PLAIN_OTHER has none of the usual sizes. Its DTLB has 16 and 8 entries in 4 and 2 ways. Its ITLB
 * has 8 and 4, all of them one set. Its STLB has 64 in 8 ways, for pages of 4K. Its page-structure
 * caches have 8 PDEs, 2 PDPTEs and 1 PML4E. */
enum plain_processor {
    PLAIN_SKYLAKE,
    PLAIN_IVY_BRIDGE,
    PLAIN_NEHALEM,
    PLAIN_OTHER,
    PLAIN_PROCESSORS
};

struct plain_tlb;

struct plain_tlb *plain_tlb_new(enum plain_processor p);
void plain_tlb_free(struct plain_tlb *t);

/* The result of a translation: loads of the entries of levels first … last (0: PTE, 3: PML4E), an
 * STLB hit, or neither. */
struct plain_translation {
    bool first_level, stlb;
    unsigned first, last;
};
struct plain_translation plain_tlb_access(struct plain_tlb *t, uint64_t page, bool huge,
                                          bool instructions);
void plain_tlb_invalidate(struct plain_tlb *t, uint64_t page, uint64_t pages);

#endif
