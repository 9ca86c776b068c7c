/* How much a test does that tries at random, or one in so many: all of it in the long suite, and a
 * fifth where sanitizers make each try slow. */
#ifndef BX_TESTS_ROUNDS_H
#define BX_TESTS_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_long(void)
{
    return getenv("BX_LONG");
}

static inline unsigned rounds_of(unsigned quick, unsigned all)
{
#ifdef __SANITIZE_ADDRESS__
    quick = (quick + 4) / 5;
    all = (all + 4) / 5;
#endif
    return is_long() ? all : quick;
}

/* Whether the one with that number is tried: one in so many, else all. */
static inline bool is_tried(unsigned long number, unsigned one_in)
{
#ifdef __SANITIZE_ADDRESS__
    unsigned in_long = 5;
    one_in = 5 * one_in + 2; /* odd, where it was */
#else
    unsigned in_long = 1;
#endif
    return number % (is_long() ? in_long : one_in) == 0;
}

#endif
