/* Allocations that fail: what failing_malloc.c, which is loaded into a program, shares with the
 * test. */
#ifndef BX_TESTS_MEMORY_FAILING_MALLOC_H
#define BX_TESTS_MEMORY_FAILING_MALLOC_H

#include <stdatomic.h>
#include <stdbool.h>

/* The contents of the file that $BX_FAILING_MALLOC names. */
typedef struct failing_malloc {
    atomic_ulong done; /* allocations of the program and of its processes so far */
    unsigned long nth; /* the one that fails, counted from 1; 0: none */
    bool later;        /* and so do all later ones */
} failing_malloc;

#endif
