/* Finds the name nearest to a misspelt one. */
#ifndef BX_BASE_NEAREST_H
#define BX_BASE_NEAREST_H

#include "base/error.h"

typedef struct bx_nearest {
    bx_str wanted;
    unsigned distance; /* of the nearest name so far */
    char name[64];     /* "": no name is near enough */
} bx_nearest;

bx_nearest bx_nearest_to(bx_str wanted);
void bx_nearest_offer(bx_nearest *n, const char *name);

#define BX_DID_YOU_MEAN            "did you mean"
#define BX_DID_YOU_MEAN_NAME(name) BX_DID_YOU_MEAN " '" name "'?"

/* Sets the hint to BX_DID_YOU_MEAN_NAME if a name is near enough. */
void bx_nearest_hint(bx_error *e, const bx_nearest *n);

#endif
