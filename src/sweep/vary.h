/* What a sweep varies: a key and the values that it takes one after the other. */
#ifndef BX_SWEEP_VARY_H
#define BX_SWEEP_VARY_H

#include "base/arena.h"
#include "base/error.h"

enum { BX_VARY_VALUES = 1000 };

typedef struct bx_vary {
    const char *name; /* as it was written, without the values: "llc", "workload.size" */
    const char *key;  /* of the machine string, of the workload, or "machine" */
    bool workload;    /* the key is the workload's */
    bool machine;     /* the values are machines */
    const char **values;
    size_t n; /* 1 to BX_VARY_VALUES, all different */
} bx_vary;

/* Reads "KEY=VALUE,VALUE…". A VALUE is a word, numbers one after the other ("1-4"), or a range of
 * numbers or sizes: "1M..4M+1M" by addition, "1M..16M*2" by multiplication. Texts live in the
 * arena. BX_BAD_INPUT with the span. */
int bx_vary_read(bx_str text, bx_arena *a, bx_vary *to, bx_error *e);

#endif
