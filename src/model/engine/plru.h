/* Tree-PLRU of the private caches (docs/explanation/model.md): a heap of bits, root at bit 0,
 * children of i at 2i+1 and 2i+2. A 1 means that the next victim is in the upper half of the
 * ways. */
#ifndef BX_MODEL_ENGINE_PLRU_H
#define BX_MODEL_ENGINE_PLRU_H

#include <stdint.h>

/* A touch makes every bit on the way's path point to the other half. */
struct bx_plru_touch {
    uint8_t keep; /* all bits except those on the path */
    uint8_t ones; /* bits on the path that become 1: the way lies in the lower half */
};

static inline uint8_t bx_plru8_touch(uint8_t bits, unsigned way)
{
    static const struct bx_plru_touch touch[8] = {
        {(uint8_t)~0x0b, 0x0b}, {(uint8_t)~0x0b, 0x03}, {(uint8_t)~0x13, 0x11},
        {(uint8_t)~0x13, 0x01}, {(uint8_t)~0x25, 0x24}, {(uint8_t)~0x25, 0x04},
        {(uint8_t)~0x45, 0x40}, {(uint8_t)~0x45, 0x00},
    };
    return (bits & touch[way].keep) | touch[way].ones;
}

static inline uint8_t bx_plru4_touch(uint8_t bits, unsigned way)
{
    static const struct bx_plru_touch touch[4] = {
        {(uint8_t)~0x03, 0x03},
        {(uint8_t)~0x03, 0x01},
        {(uint8_t)~0x05, 0x04},
        {(uint8_t)~0x05, 0},
    };
    return (bits & touch[way].keep) | touch[way].ones;
}

/* The effect of a fill on a set without invalid ways. */
struct bx_plru_fill {
    uint8_t way;  /* the way that the bits point to */
    uint8_t bits; /* after a touch of that way, which inverts the bits on its path */
};

static inline struct bx_plru_fill bx_plru8_fill(uint8_t bits)
{
#define BX_HALF(b)    ((b)&1)
#define BX_QUARTER(b) (2 * BX_HALF(b) + ((b) >> (1 + BX_HALF(b)) & 1))
#define BX_WAY(b)     (2 * BX_QUARTER(b) + ((b) >> (3 + BX_QUARTER(b)) & 1))
#define BX_PATH(b)    (1 | 2 << BX_HALF(b) | 8 << BX_QUARTER(b))
#define BX_FILL(b)                                                                                 \
    {                                                                                              \
        BX_WAY(b), (b) ^ BX_PATH(b)                                                                \
    }
#define BX_FILLS4(b)  BX_FILL(b), BX_FILL((b) + 1), BX_FILL((b) + 2), BX_FILL((b) + 3)
#define BX_FILLS16(b) BX_FILLS4(b), BX_FILLS4((b) + 4), BX_FILLS4((b) + 8), BX_FILLS4((b) + 12)
    static const struct bx_plru_fill fill[128] = {BX_FILLS16(0),  BX_FILLS16(16), BX_FILLS16(32),
                                                  BX_FILLS16(48), BX_FILLS16(64), BX_FILLS16(80),
                                                  BX_FILLS16(96), BX_FILLS16(112)};
    return fill[bits];
#undef BX_FILLS16
#undef BX_FILLS4
#undef BX_FILL
#undef BX_PATH
#undef BX_WAY
#undef BX_QUARTER
#undef BX_HALF
}

/* The way that the bits point to. */
static inline unsigned bx_plru4_victim(uint8_t bits)
{
    static const uint8_t victim[8] = {0, 2, 1, 2, 0, 3, 1, 3};
    return victim[bits];
}

#endif
