/* Names with a number in them, as the catalogue has them: "CBOX{unit}C{n}". */
#ifndef BX_EVENT_PATTERN_H
#define BX_EVENT_PATTERN_H

#include "base/str.h"

/* The numbers that were found; BX_NO_NUMBER where the pattern has none. */
typedef struct bx_numbers {
    unsigned unit, n;
} bx_numbers;
enum { BX_NO_NUMBER = 0xffff };

/* Whether the whole text follows the pattern, ASCII case folded. An empty pattern matches nothing.
 * Numbers of more than four digits do not match. */
bool bx_pattern_match(const char *pattern, bx_str text, bx_numbers *numbers);

/* Decimal digits at the start of the text: how many, at most four; their value in *value. */
size_t bx_digits(bx_str text, unsigned *value);

#endif
