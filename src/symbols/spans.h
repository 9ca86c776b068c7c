/* Spans of addresses, one inside the other, and the innermost one at an address. */
#ifndef BX_SYMBOLS_SPANS_H
#define BX_SYMBOLS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_address_span {
    uint64_t from, to; /* to: the first address after it */
    uint32_t what;     /* its owner's number: an inner span has a higher one */
    uint32_t around;   /* 1 + index of the span that it is in; 0: in none */
} bx_address_span;

typedef struct bx_address_spans {
    bx_address_span *span;
    size_t n, room;
} bx_address_spans;

/* false: out of memory. An empty one is left out. */
bool bx_address_spans_add(bx_address_spans *s, uint64_t from, uint64_t to, uint32_t what);
/* Call it after the last one was added. */
void bx_address_spans_sort(bx_address_spans *s);
/* NULL: none has the address. */
const bx_address_span *bx_address_spans_find(const bx_address_spans *s, uint64_t address);
void bx_address_spans_free(bx_address_spans *s);

#endif
