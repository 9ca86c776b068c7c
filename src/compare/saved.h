/* Runs that `boxscore stat -j` has saved: docs/reference/stat.schema.json. */
#ifndef BX_COMPARE_SAVED_H
#define BX_COMPARE_SAVED_H

#include "base/arena.h"
#include "base/error.h"

/* A value of an event or metric, on a unit or the whole machine, in a region or the whole run. */
typedef struct bx_saved_value {
    const char *name;
    const char *unit;    /* of the value; may be "" */
    const char *place;   /* "S0 C-Box 2", a thread's name, or "": the whole machine */
    const char *region;  /* "": the whole run */
    const char *missing; /* why it has no value: "not modelled"; NULL: it has one */
    unsigned thread;     /* of the region; 0: all of them */
    bool metric, scaled;
    bool whole; /* the value is `count`, to the last digit */
    uint64_t count;
    double value;     /* with several runs: the mean */
    double deviation; /* deviation of the runs, if `repeated` */
    bool repeated;    /* the deviation is known */
    double error;     /* half of a scaled value's 95 % confidence interval, if `estimated` */
    bool estimated;   /* the error is known */
} bx_saved_value;

typedef struct bx_saved_fact {
    const char *key, *value;
} bx_saved_fact;

/* Something that a run did not see or count, so its values are not exact. */
typedef struct bx_saved_unseen {
    const char *region; /* concerns this region alone; NULL: the whole run */
    const char *text;
    /* It names processes that still ran at the end. That is no matter if it is so in both runs. */
    bool left;
    bool vague; /* a condition names a value whose error is larger than the value */
} bx_saved_unseen;

typedef struct bx_saved {
    const char *name; /* of the file */
    const char *work;
    unsigned runs; /* each value is the mean of this many runs */
    int status;    /* the program's exit status */
    bx_saved_value *values;
    size_t n;
    bx_saved_fact *environment;
    size_t environment_n;
    bx_saved_unseen *unseen;
    size_t unseen_n;
} bx_saved;

/* Reads all of a file. Texts live in the arena, without control characters. BX_BAD_INPUT with the
 * span at fault if it is not what `stat -j` writes, if it contradicts itself, if it is not
 * complete, or if the run was interrupted or has intervals. */
int bx_saved_read(const char *name, bx_str text, bx_arena *a, bx_saved *to, bx_error *e);

#endif
