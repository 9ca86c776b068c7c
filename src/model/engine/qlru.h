/* QLRU_H11_M1_R0_U0 of an LLC set (docs/explanation/model-client.md). The two-bit ages of 16 ways
 * are stored as two bit planes, so that a whole set ages in a few operations. */
#ifndef BX_MODEL_ENGINE_QLRU_H
#define BX_MODEL_ENGINE_QLRU_H

#include <stdint.h>

typedef struct bx_qlru {
    uint16_t low, high; /* the age of way w is bit w of low + 2 x bit w of high */
} bx_qlru;

/* The lowest way of age 3. The set is full; the update after the last fill made some age 3. */
static inline unsigned bx_qlru_victim(const bx_qlru *q)
{
    return (unsigned)__builtin_ctz((unsigned)(q->low & q->high));
}

/* U0, for a full set. Afterwards some way has age 3. */
static inline void bx_qlru_update(bx_qlru *q)
{
    if (q->low & q->high)
        return;
    if (q->high) { /* largest age 2: add 1 */
        q->high |= q->low;
        q->low = (uint16_t)~q->low;
    } else { /* largest age 1: add 2; 0: add 3 */
        q->high = UINT16_MAX;
        if (!q->low)
            q->low = UINT16_MAX;
    }
}

/* H11: 3 and 2 become 1, 1 and 0 become 0. */
static inline void bx_qlru_hit(bx_qlru *q, unsigned way)
{
    uint16_t bit = (uint16_t)(1u << way);
    q->low = (uint16_t)((q->low & ~bit) | (q->high & bit));
    q->high &= (uint16_t)~bit;
}

/* M1: a new line has age 1. */
static inline void bx_qlru_fill(bx_qlru *q, unsigned way)
{
    uint16_t bit = (uint16_t)(1u << way);
    q->low |= bit;
    q->high &= (uint16_t)~bit;
}

#endif
