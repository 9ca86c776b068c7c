/* The words of the notation of signals, for files that have tables of rows: engine/signal_table.h.
 */
#ifndef BX_MODEL_ENGINE_SIGNAL_WORDS_H
#define BX_MODEL_ENGINE_SIGNAL_WORDS_H

#include "model/engine/signal_table.h"

#define AT(bits, v)                                                                                \
    {                                                                                              \
        .care = (bits), .value = (v)                                                               \
    }
#define IS(v)     AT(UINT64_MAX, v)
#define HAS(bits) AT(bits, bits)
#define EACH(bits)                                                                                 \
    {                                                                                              \
        .each = (bits)                                                                             \
    }
#define FREE(bits)                                                                                 \
    {                                                                                              \
        .free = (bits)                                                                             \
    }
#define ANY         FREE(UINT64_MAX)
#define BY_CHOICE   FREE(0)
#define CHOICES(of) .choice = (of), .choices = sizeof(of) / sizeof *(of)
#define SET(i)      (UINT64_C(1) << (i))
#define NOTHING     NULL
#define AGAIN(axis) ((axis) | BX_AXIS_AGAIN)
/* Of filter registers, and of which of their bits apply: */
#define FILTER(k, ...)                                                                             \
    {                                                                                              \
        .word = BX_OF_FILTER + (k), __VA_ARGS__                                                    \
    }
#define APPLIES(k, ...)                                                                            \
    {                                                                                              \
        .word = BX_OF_APPLIES + (k), __VA_ARGS__                                                   \
    }

#endif
