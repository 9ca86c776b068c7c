/* A resource that one user at a time can have: docs/explanation/model-dram.md, "Gaps". Times are in
 * 1/256 cycles. All zeros: nobody has had it. */
#ifndef BX_TESTS_ORACLE_SINGLE_H
#define BX_TESTS_ORACLE_SINGLE_H

#include <stdint.h>

enum { SINGLE_STRETCHES = 32 };

struct single_stretch {
    uint64_t begin, end;
};

struct single {
    struct single_stretch used[SINGLE_STRETCHES]; /* in no order */
    unsigned n;
    uint64_t known_from;
};

/* The begin of the first gap of that length, at `begin` or later. */
uint64_t single_gap(const struct single *of, uint64_t begin, uint64_t length);
/* least: the duration of the use; a shorter gap does not count. */
void single_use(struct single *of, uint64_t begin, uint64_t end, uint64_t least);

#endif
