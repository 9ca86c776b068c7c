/* Tree-PLRU of the private caches (docs/model.md): a heap of bits, root at bit 0, children of i at
 * 2i+1 and 2i+2; 1 means that the upper half of the ways is next to go. */
#ifndef BX_MODEL_PLRU_H
#define BX_MODEL_PLRU_H

#include <stdint.h>

/* A touch points every bit on the way's path at the other half: clear the path, then put ones
 * where the way lies in the lower half. */
static inline uint8_t bx_plru8_touch(uint8_t bits, unsigned way)
{
    static const uint8_t path[8] = {0x0b, 0x0b, 0x13, 0x13, 0x25, 0x25, 0x45, 0x45};
    static const uint8_t ones[8] = {0x0b, 0x03, 0x11, 0x01, 0x24, 0x04, 0x40, 0x00};
    return (uint8_t)((bits & ~path[way]) | ones[way]);
}

static inline unsigned bx_plru8_victim(uint8_t bits)
{
    unsigned half = bits & 1;
    unsigned quarter = half * 2 + (bits >> (1 + half) & 1);
    return quarter * 2 + (bits >> (3 + quarter) & 1);
}

static inline uint8_t bx_plru4_touch(uint8_t bits, unsigned way)
{
    static const uint8_t path[4] = {0x03, 0x03, 0x05, 0x05};
    static const uint8_t ones[4] = {0x03, 0x01, 0x04, 0x00};
    return (uint8_t)((bits & ~path[way]) | ones[way]);
}

static inline unsigned bx_plru4_victim(uint8_t bits)
{
    unsigned half = bits & 1;
    return half * 2 + (bits >> (1 + half) & 1);
}

#endif
