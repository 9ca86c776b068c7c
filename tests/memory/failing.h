/* Allocations that fail in a test's own process. */
#ifndef BX_TESTS_MEMORY_FAILING_H
#define BX_TESTS_MEMORY_FAILING_H

#include <stdbool.h>

/* First in main(): the program is run again with failing_malloc.c loaded. */
void failing_load(void);

/* From now on the n-th allocation fails, and with `later` all behind it; 0: none does. */
void failing_begin(unsigned long nth, bool later);

/* None fails any more. Returns how many allocations there were. */
unsigned long failing_end(void);

/* Calls try() with the first allocation failing, then the second, and so on, alone
 * and with all later ones, until there are so few that none fails. try() calls failing_begin()
 * itself and returns what failing_end() did. */
typedef unsigned long failing_try(void *context, unsigned long nth, bool later);
unsigned long failing_each(failing_try *try, void *context);

#endif
