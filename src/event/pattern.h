/* Names with a number in them, as the catalogue has them: "CBOX{unit}C{n}". */
#ifndef BX_EVENT_PATTERN_H
#define BX_EVENT_PATTERN_H

#include "base/str.h"

/* The numbers that were found; BX_NO_NUMBER where the pattern has none. */
typedef struct bx_numbers {
    uint32_t unit, n;
} bx_numbers;
#define BX_NO_NUMBER UINT32_MAX

/* Whether the whole text follows the pattern, ASCII case folded. An empty pattern matches
 * nothing. */
bool bx_pattern_match(const char *pattern, bx_str text, bx_numbers *numbers);

/* Decimal digits at the start of the text: how many; their value, at most 10^9, in *value. */
size_t bx_digits(bx_str text, uint32_t *value);

#endif
