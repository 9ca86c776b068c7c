/* The signal seam: what counters can count. A machine model implements bx_signals, a virtual PMU
 * calls it.
 *
 * A signal has a level: how much a counter would add in one cycle. The model keeps tallies: sums of
 * level x cycles since power-on. A counter without threshold, invert, edge or overflow watch is a
 * difference of two tallies, and costs nothing while the model runs. Only signals that a counter
 * watches are reported level by level. Codes, unit masks and filter values are raw register
 * contents, never names. */
#ifndef BX_SEAM_SIGNAL_H
#define BX_SEAM_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_FILTERS = 10 }; /* most filter registers of a box */

/* The selection of a counter. */
typedef struct bx_selection {
    uint16_t box;  /* PMU type: its index among the CPU's PMUs in the catalogue */
    uint16_t unit; /* instance within the package */
    uint16_t package;
    uint16_t code; /* event select; fixed and free-running counters: the event's nominal code;
                      UINT16_MAX: nothing */
    uint32_t umask;
    uint16_t counter;            /* index within the unit: the same code may differ by it */
    uint16_t port;               /* port of the unit; 0 if it has none */
    uint64_t filter[BX_FILTERS]; /* shared filter registers, raw; 0 if the box has none */
    /* Which bits of `filter` are used: the fields that the control register enables and that apply
     * to this code and unit mask. A field with one bit for each choice passes signals that share a
     * bit with it, any other field passes equal values. */
    uint64_t applies[BX_FILTERS];
    /* The threshold, if bx_signals.compares() returns true for this event; else 0. With a
     * threshold, the model reports level 1 while the event's level is at least that high. */
    uint32_t threshold;
    uint8_t levels; /* BX_LEVEL_*: privilege levels counted; all if the box distinguishes none */
    /* Rises are counted (edge detect). If a signal has a slower clock than the model, it must then
     * keep its level between two of its clocks; otherwise its level is 0 there. */
    bool rises;
    /* A modifier has a value that no model distinguishes (`unmodelled` of the catalogue). Then no
     * model produces the signal. */
    bool unmodelled;
} bx_selection;

enum { BX_LEVEL_OS = 1, BX_LEVEL_USER = 2, BX_LEVELS = 3 }; /* CPL 0; CPL 1 to 3 */

#define BX_OPEN_ENDED UINT64_MAX /* a level that lasts until the next one is reported */
#define BX_NEVER      UINT64_MAX
#define BX_TIME_MOST  (UINT64_C(1) << 56) /* the latest time of a machine: 208 days at 4 GHz */

/* Called by the model, implemented by the virtual PMU. Times are uncore cycles since power-on and
 * never decrease. Between two reported levels the level is 0 unless the earlier one was reported as
 * BX_OPEN_ENDED.
 */
typedef struct bx_watcher {
    /* Watch `id` has `level` from `start` on, for `cycles`. */
    void (*on_level)(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                     uint32_t level);
    /* Called when the time of the alarm is reached, and nothing later has been executed. Tallies
     * are those of that time. Returns the time of the next alarm, later than this one, or BX_NEVER.
     */
    uint64_t (*alarm)(struct bx_watcher *w, uint64_t now);
} bx_watcher;

/* Called by the virtual PMU, implemented by the model. */
typedef struct bx_signals {
    /* Uncore cycles since power-on. */
    uint64_t (*now)(struct bx_signals *s);
    /* Sum of level x cycles since power-on; false: the model does not produce this signal. */
    bool (*tally)(struct bx_signals *s, const bx_selection *sel, uint64_t *sum);
    /* Reports level changes of sel under `id` from now on; an id in use is replaced. Ids are low
     * numbers: tables grow to the highest one. A signal that is high now is reported at once.
     * false: the model does not produce it, or memory ran out, which the model then reports to its
     * machine. */
    bool (*watch)(struct bx_signals *s, unsigned id, const bx_selection *sel);
    void (*unwatch)(struct bx_signals *s, unsigned id);
    /* relaxed: until it is called again, no report of that watch makes the watcher read a tally, or
     * set an alarm earlier than the present one. The model then need not have the tallies of all
     * cores exact in each cycle. A new watch is not relaxed. NULL: it makes no difference. */
    void (*relax)(struct bx_signals *s, unsigned id, bool relaxed);
    /* Sets the time of bx_watcher.alarm, in place of the earlier one. BX_NEVER: none. */
    void (*set_alarm)(struct bx_signals *s, uint64_t when);
    void (*set_watcher)(struct bx_signals *s, bx_watcher *w); /* only one; NULL: none */
    /* Counters of the package request an interrupt, which is now sent to `cores` cores. Some
     * machines can count that. NULL: the model ignores it. */
    void (*interrupt)(struct bx_signals *s, unsigned package, unsigned cores);
    /* Switches off the core's prefetchers whose bits are set, and switches on all others. The bits
     * are those of MSR 1A4H. NULL: there are no prefetchers. */
    void (*set_prefetchers)(struct bx_signals *s, unsigned core, unsigned off);
    /* Whether the model itself compares the level of sel with the threshold. It does so for events
     * that are defined with that threshold only. NULL: it never does. */
    bool (*compares)(struct bx_signals *s, const bx_selection *sel);
} bx_signals;

#endif
