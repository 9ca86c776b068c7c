/* Finds the parts of a register log by binary search, because their numbers ascend. A search from
 * the beginning of the file for each part would take quadratic time. */
#ifndef BX_HOST_REGISTER_LOG_PART_H
#define BX_HOST_REGISTER_LOG_PART_H

#include <stdint.h>

/* The first line of a part begins with this text. The part's number follows. */
#define BX_PART_LINE "# boxscore recording 1, part "

/* The offset of a part by its number, from 1; 0: it is the first, or was not found. */
uint64_t bx_part_find(int fd, uint64_t number);

/* The number of lines before an offset. */
unsigned long bx_part_lines(int fd, uint64_t offset);

#endif
