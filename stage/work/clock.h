/* The time of a machine on stage. It follows the wall clock, at a given number of virtual cycles a
 * second, and the work runs with it. Where the model, or a followed program, is too slow, time
 * advances as fast as they can. */
#ifndef BX_STAGE_WORK_CLOCK_H
#define BX_STAGE_WORK_CLOCK_H

#include <boxscore/boxscore.h>

typedef struct bx_stage_clock {
    bx_machine *machine;  /* NULL: without a model nothing but time passes: */
    uint64_t passed;      /* … cycles until now */
    const char *workload; /* restarted whenever it ends; NULL: none */
    char *const *program; /* instead of a workload, the words of a command to follow; NULL: none */
    uint64_t hz;          /* virtual cycles a second; 0: time stands still */
    bool held;            /* a write lets time pass itself, or may: catching up is not allowed */
    bool needs_ticks;     /* events wait for counters: catch up every millisecond even when idle */
    uint64_t wall_base;   /* wall clock, ns, at the machine time `cycle_base` */
    uint64_t cycle_base;  /* cycles */
    uint64_t loaded;      /* accesses of the machine when the work was started last */
    uint64_t accesses;    /* accesses when the program was last seen to make one */
    uint64_t active;      /* wall clock at that access, ns */
    uint64_t next_interrupt;         /* when the timer of idle cores is due, cycles */
    void (*advanced)(void *context); /* called by bx_stage_clock_notify(); may be NULL */
    void *context;
    uint64_t step;    /* cycles that the model runs between two readings of the wall clock */
    bx_error trouble; /* why the work was given up; code BX_OK: it was not */
} bx_stage_clock;

/* Starts the work. If that is a program, time waits until it makes its first access. BX_BAD_INPUT
 * with a span in the workload, or the errors of starting a program. */
int bx_stage_clock_begin(bx_stage_clock *c, bx_error *e);

/* The machine's time in cycles, and its own clock rate. */
uint64_t bx_stage_clock_now(const bx_stage_clock *c);
uint64_t bx_stage_clock_hz(const bx_stage_clock *c);

/* Advances the machine towards the wall clock, for at most `budget` ns of the host's time, plus one
 * step. Then calls bx_stage_clock_notify(). */
void bx_stage_clock_catch_up(bx_stage_clock *c, uint64_t budget);

/* Calls `advanced`: registers may have changed. */
void bx_stage_clock_notify(const bx_stage_clock *c);

/* Milliseconds until bx_stage_clock_catch_up() has to be called, as poll() takes them; -1: never.
 */
int bx_stage_clock_timeout(const bx_stage_clock *c);

#endif
