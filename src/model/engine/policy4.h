/* Replacement in sets of four ways, as tables. The index is a byte of state bits of the set. */
#ifndef BX_MODEL_ENGINE_POLICY4_H
#define BX_MODEL_ENGINE_POLICY4_H

#include <stdint.h>

typedef struct bx_policy4 {
    uint8_t hit[4][256], fill[4][256]; /* [way][bits]: the bits after a hit or fill */
    uint8_t victim[256];               /* [bits]: of a full set */
    uint8_t empty[16];                 /* [mask of empty ways]: the way to fill */
    uint8_t first;                     /* the bits of an empty set */
} bx_policy4;

/* Tree-PLRU. A fill takes the lowest empty way. */
void bx_policy4_make_plru(bx_policy4 *p);

/* QLRU_H00_M1_R2_U1: four ages of two bits each, way 0 in the lowest bits. Measured in the L2 of
 * processors from Skylake to Coffee Lake (uops.info/cache.html, whose names are used here). */
void bx_policy4_make_qlru(bx_policy4 *p);

#endif
