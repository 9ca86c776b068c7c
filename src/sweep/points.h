/* The points of a sweep: each combination of the values of all keys. The last key's values change
 * first. */
#ifndef BX_SWEEP_POINTS_H
#define BX_SWEEP_POINTS_H

#include "base/buf.h"
#include "sweep/vary.h"

enum { BX_SWEEP_POINTS = 100000 };

typedef struct bx_points {
    const char *machine;  /* the string that the keys are added to */
    const char *workload; /* the same; NULL: another work */
    const bx_vary *vary;
    size_t keys;
    size_t n; /* number of points, from bx_points_count() */
} bx_points;

/* Sets n. BX_BAD_INPUT: a key stands twice, or already in the machine string or the workload; a
 * workload's key without a workload; more than BX_SWEEP_POINTS. */
int bx_points_count(bx_points *p, bx_error *e);

/* The value of a key in a point. */
const char *bx_points_value(const bx_points *p, size_t point, size_t key);

/* Appends the machine string or the workload of a point. */
void bx_points_machine(const bx_points *p, size_t point, bx_buf *to);
void bx_points_workload(const bx_points *p, size_t point, bx_buf *to);

#endif
