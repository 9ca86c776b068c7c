/* How many cases the random tests try: all of them in the long suite, a part in the quick suite,
 * and a fifth under the address sanitizer, which makes each case slow. */
#ifndef BX_TESTS_ROUNDS_H
#define BX_TESTS_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static inline bool is_long(void)
{
    return getenv("BX_LONG");
}

/* The seed of random tests: BX_SEED, otherwise always the same, and another one each time in the
 * long suite. So a test that is not run again as nothing changed would have tried the same. */
static inline unsigned seed_of_run(void)
{
    const char *given = getenv("BX_SEED");
    return given       ? (unsigned)strtoul(given, NULL, 10)
           : is_long() ? (unsigned)time(NULL) % 32768
                       : 1;
}

static inline unsigned rounds_of(unsigned quick, unsigned all)
{
#ifdef __SANITIZE_ADDRESS__
    quick = (quick + 4) / 5;
    all = (all + 4) / 5;
#endif
    return is_long() ? all : quick;
}

/* Whether the case with that number is tried: one in so many, or all in the long suite. */
static inline bool is_tried(unsigned long number, unsigned one_in)
{
#ifdef __SANITIZE_ADDRESS__
    unsigned in_long = 5;
    one_in = 5 * one_in + 2; /* remains odd if it was odd */
#else
    unsigned in_long = 1;
#endif
    return number % (is_long() ? in_long : one_in) == 0;
}

#endif
