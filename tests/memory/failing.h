/* Makes allocations of a test's own process fail. */
#ifndef BX_TESTS_MEMORY_FAILING_H
#define BX_TESTS_MEMORY_FAILING_H

#include <stdbool.h>

/* Call this first in main(): it starts the program again with failing_malloc.c loaded. */
void failing_load(void);

/* From now on the n-th allocation fails, and with `later` all after it; 0: none fails. */
void failing_begin(unsigned long nth, bool later);

/* No further allocation fails. Returns how many allocations there were. */
unsigned long failing_end(void);

/* Calls try() with the first allocation failing, then the second, and so on, alone and with all
 * later ones, until none fails. try() calls failing_begin() itself and returns the result of
 * failing_end(). */
typedef unsigned long failing_try(void *context, unsigned long nth, bool later);
unsigned long failing_each(failing_try *try, void *context);

#endif
