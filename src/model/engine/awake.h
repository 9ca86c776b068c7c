/* Which cores of a package are awake, that is execute something, and how many cycles of periodic
 * windows have passed with which of them awake.
 *
 * Changes can come in any order. They are stored until the present has passed them, and the sums
 * are brought up to date before they are read. */
#ifndef BX_MODEL_ENGINE_AWAKE_H
#define BX_MODEL_ENGINE_AWAKE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { BX_AWAKE_CORES = 8, BX_AWAKE_SETS = 1 << BX_AWAKE_CORES, BX_AWAKE_WINDOWS = 5 };

/* The cycles from `from` to `until` - 1 of each period of `every` cycles, but none before `first`.
 * every 0: none. until is not above every. */
struct bx_window {
    uint64_t every, from, until, first;
};

bool bx_window_has(const struct bx_window *w, uint64_t t);
/* The window's cycles before t. */
uint64_t bx_window_cycles(const struct bx_window *w, uint64_t t);
/* The next time after t at which the window begins or ends; UINT64_MAX: there is none. */
uint64_t bx_window_next(const struct bx_window *w, uint64_t t);

struct bx_awake_step {
    uint64_t at;
    uint8_t core;
    bool awake;
};

struct bx_awake {
    uint64_t since; /* the sums have all cycles before this one */
    unsigned cores; /* the set of those that are awake from then to the first step */
    struct bx_window window[BX_AWAKE_WINDOWS];
    uint64_t cycles[BX_AWAKE_WINDOWS][BX_AWAKE_SETS]; /* by window and set of awake cores */
    const uint64_t *now;                              /* the present time */
    bx_arena *memory;                                 /* of the steps */
    uint32_t n, room;
    struct bx_awake_step *step; /* in order of time */
};

/* From t on, the core is awake, or is not. */
void bx_awake_set(struct bx_awake *a, unsigned core, uint64_t t, bool awake);

/* Brings the sums up to date: to all cycles before `now`. */
void bx_awake_advance(struct bx_awake *a, uint64_t now);

/* Cycles of a window before `now` in which one or more of these cores were awake. */
uint64_t bx_awake_cycles(struct bx_awake *a, unsigned window, unsigned cores, uint64_t now);

/* The next time after `now` at which the set of awake cores may change, as far as it is known. */
uint64_t bx_awake_next(struct bx_awake *a, uint64_t now);

#endif
