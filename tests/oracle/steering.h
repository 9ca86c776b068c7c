/* Instructions that steer caches, for all oracles: docs/explanation/model-programs.md. */
#ifndef BX_TESTS_ORACLE_STEERING_H
#define BX_TESTS_ORACLE_STEERING_H

#include "model/engine/access.h"

/* In the order of their numbers in an access. */
enum steer { STEER_NOT, STEER_T0, STEER_SECOND, STEER_NTA, STEER_OWN, STEER_FLUSH, STEERS };

/* A lock of the bus has the number after them. */
static inline enum steer steer_of(bx_access a)
{
    unsigned how = (unsigned)STEER_T0 + (a >> 57 & 7);
    return a >> 62 & 1 && how < STEERS ? (enum steer)how : STEER_NOT;
}

/* What it asks for: a flush counts as a store past the caches. */
static inline unsigned steer_kind(enum steer how)
{
    return how == STEER_FLUSH ? BX_NON_TEMPORAL : how == STEER_OWN ? BX_STORE : BX_LOAD;
}

static inline bool steer_asks(enum steer how)
{
    return how != STEER_NOT && how != STEER_FLUSH;
}

/* A random one of that line. */
static inline bx_access steer_random(uint64_t line, unsigned cost, uint64_t n)
{
    return UINT64_C(1) << 62 | n % (STEERS - 1) << 57 | line << 16 | cost << 4 | BX_NON_TEMPORAL;
}

#endif
