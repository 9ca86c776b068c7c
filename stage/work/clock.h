/* The time of a machine on stage: it advances with the wall clock, so many virtual cycles a second,
 * and the work with it. Where the model, or the program that is the work, cannot keep up it goes as
 * fast as that can. */
#ifndef BX_STAGE_WORK_CLOCK_H
#define BX_STAGE_WORK_CLOCK_H

#include <boxscore/boxscore.h>

typedef struct bx_stage_clock {
    bx_machine *machine;
    const char *workload; /* started anew as often as it ends; NULL: none */
    char *const *program; /* the same, in its place: words of a command */
    bool needs_ticks;     /* events are multiplexed by it: it is not to pass in long steps */
    uint64_t hz;          /* virtual cycles a second; 0: time stands still */
    uint64_t since;       /* wall clock, ns, and what the machine's time was then */
    uint64_t start;
    uint64_t loaded;   /* accesses that had been made when the work began the last time */
    uint64_t accesses; /* the same when the program was last seen doing something */
    uint64_t active;   /* wall clock then, ns */
    void (*advanced)(
        void *context); /* called by bx_stage_clock_notify(); NULL: nobody wants to know */
    void *context;
    uint64_t step;    /* cycles that the model runs between two readings of the wall clock */
    bx_error trouble; /* why the work was given up, if it was */
} bx_stage_clock;

/* BX_BAD_INPUT with a span in the workload, and the like; a program is waited for until it does
 * something. */
int bx_stage_clock_begin(bx_stage_clock *c, bx_error *e);

/* Brings the machine's time up to the wall clock, for which it takes `budget` ns, or a little more,
 * at most. */
void bx_stage_clock_catch_up(bx_stage_clock *c, uint64_t budget);

/* Tells that registers may have changed; what lets time pass does so by itself. */
void bx_stage_clock_notify(const bx_stage_clock *c);

/* Most milliseconds until it must be called again, as poll() has them: -1 as long as you like. */
int bx_stage_clock_timeout(const bx_stage_clock *c);

#endif
