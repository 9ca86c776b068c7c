/* Members onto counters, in as few passes as can be. Knows nothing but masks. */
#ifndef BX_SCHEDULE_MATCH_H
#define BX_SCHEDULE_MATCH_H

#include <stddef.h>
#include <stdint.h>

enum { BX_MATCH_COUNTERS = 32 };

/* can[i], never 0: mask of the counters that member i can be counted on. Fills counter[i] and
 * pass[i], so that no two members share a counter in one pass, and returns the number of passes:
 * the least possible. */
unsigned bx_match(const uint32_t *can, size_t n, uint8_t *counter, uint16_t *pass);

#endif
