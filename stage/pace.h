/* The time of a machine on stage: it goes on with the wall clock, so many virtual cycles a second,
 * and the work with it. Where the model cannot keep up it goes as fast as it can. */
#ifndef BX_STAGE_PACE_H
#define BX_STAGE_PACE_H

#include <boxscore/boxscore.h>

typedef struct bx_pace {
    bx_machine *machine;
    const char *workload; /* started anew as often as it ends; NULL: none */
    uint64_t hz;          /* virtual cycles a second; 0: time stands still */
    uint64_t since;       /* wall clock, ns, and what the machine's time was then */
    uint64_t start;
    void (*passed)(void *context); /* called by bx_pace_tell(); NULL: nobody wants to know */
    void *context;
    uint64_t step; /* cycles that the model runs between two looks at the clock */
} bx_pace;

/* BX_BAD_INPUT with a span in the workload, and the like. */
int bx_pace_begin(bx_pace *p, bx_error *e);

/* Brings the machine's time up to the wall clock, for which it takes `budget` ns, or a little more,
 * at most. */
void bx_pace_catch_up(bx_pace *p, uint64_t budget);

/* Tells that registers may have changed; what lets time pass does so by itself. */
void bx_pace_tell(const bx_pace *p);

/* Most milliseconds until it must be called again, as poll() has them: -1 as long as you like. */
int bx_pace_patience(const bx_pace *p);

#endif
