/* Where a program wants huge pages, and where not. Linux: madvise(2), MADV_HUGEPAGE;
 * docs/explanation/model-memory.md, "Huge pages". */
#ifndef BX_MACHINE_PROGRAM_DECODE_HUGE_ADVICE_H
#define BX_MACHINE_PROGRAM_DECODE_HUGE_ADVICE_H

#include "machine/program/decode/ranges.h"

enum bx_huge_advice { BX_ADVICE_NONE, BX_ADVICE_HUGE, BX_ADVICE_SMALL };

/* Addresses with advice; a bx_ranges has all of them. */
typedef struct bx_advised {
    bx_range addresses;
    enum bx_huge_advice advice;
} bx_advised;

/* Sets the advice for the addresses from … to - 1. false: out of memory. */
bool bx_advice_set(bx_ranges *all, uint64_t from, uint64_t to, enum bx_huge_advice advice);
enum bx_huge_advice bx_advice_at(const bx_ranges *all, uint64_t address);

/* Whether the memory from … to - 1 may be in a huge page. asked: only if it is advised as a whole.
 */
bool bx_advice_allows(const bx_ranges *all, uint64_t from, uint64_t to, bool asked);

#endif
