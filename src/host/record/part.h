/* Where a part of a recording begins. Parts are found by halving: their numbers ascend, and to look
 * from the beginning for each of them would take time by the square of how many there are. */
#ifndef BX_HOST_RECORD_PART_H
#define BX_HOST_RECORD_PART_H

#include <stdint.h>

/* What a part begins with; its number follows. */
#define BX_PART_LINE "# boxscore recording 1, part "

/* The offset of the part with that number, from 1; 0: it is the first, or cannot be found so. */
uint64_t bx_part_find(int fd, uint64_t number);

/* How many lines are before an offset. */
unsigned long bx_part_lines(int fd, uint64_t offset);

#endif
