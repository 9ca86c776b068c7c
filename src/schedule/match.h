/* Matches members to counters in as few passes as possible. It knows masks only. */
#ifndef BX_SCHEDULE_MATCH_H
#define BX_SCHEDULE_MATCH_H

#include <stddef.h>
#include <stdint.h>

enum { BX_MATCH_COUNTERS = 32 };

/* can[i], never 0: mask of the possible counters of member i. Fills in counter[i] and pass[i] so
 * that no two members have the same counter in one pass. Returns the number of passes, which is the
 * minimum. */
unsigned bx_match(const uint32_t *can, size_t n, uint8_t *counter, uint16_t *pass);

#endif
