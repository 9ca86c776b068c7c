/* Numbers in human-readable form, the same in every locale. */
#ifndef BX_REPORT_NUMBER_H
#define BX_REPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { BX_NUMBER = 32 }; /* size of a buffer for any of them */

/* Writes 1234567 as "1,234,567"; returns `to`. */
const char *bx_number_whole(uint64_t value, char to[BX_NUMBER]);

/* Writes a number with that many decimals (at most 9) without separators, for programs; returns
 * `to`. */
const char *bx_number_plain(double value, unsigned decimals, char to[BX_NUMBER]);

/* Writes a number with as few digits as read back as the same double, for programs; "null" if it is
 * not finite. Returns `to`. */
const char *bx_number_exact(double value, char to[BX_NUMBER]);

/* Writes a metric with a suitable number of decimals: "23.31", "1,234,567", "0.0042"; returns
 * `to`. */
const char *bx_number_figure(double value, char to[BX_NUMBER]);

#endif
