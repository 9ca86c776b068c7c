/* Matches names with numbers in them, by the catalogue's patterns: "CBOX{unit}C{n}". */
#ifndef BX_EVENT_PATTERN_H
#define BX_EVENT_PATTERN_H

#include "base/str.h"

/* The numbers found; BX_NO_NUMBER where the pattern has none. */
typedef struct bx_numbers {
    uint32_t unit, n;
} bx_numbers;
#define BX_NO_NUMBER UINT32_MAX

/* Whether the whole text matches the pattern, ASCII case ignored. An empty pattern matches
 * nothing. */
bool bx_pattern_match(const char *pattern, bx_str text, bx_numbers *numbers);

/* Returns the number of decimal digits at the start of the text; *value is their value, at most
 * 10^9. */
size_t bx_digits(bx_str text, uint32_t *value);

#endif
