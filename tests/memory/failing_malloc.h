/* The data that failing_malloc.c, which is loaded into a program, shares with the test. */
#ifndef BX_TESTS_MEMORY_FAILING_MALLOC_H
#define BX_TESTS_MEMORY_FAILING_MALLOC_H

#include <stdatomic.h>
#include <stdbool.h>

/* The contents of the file named by $BX_FAILING_MALLOC. */
typedef struct failing_malloc {
    atomic_ulong done; /* allocations of the program and of its processes so far */
    unsigned long nth; /* which one fails, counted from 1; 0: none */
    bool later;        /* all after it fail, too */
} failing_malloc;

#endif
