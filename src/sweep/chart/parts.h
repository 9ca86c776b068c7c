/* What all charts of a sweep have: their values, colours, frame and axes. */
#ifndef BX_SWEEP_CHART_PARTS_H
#define BX_SWEEP_CHART_PARTS_H

#include "sweep/chart/chart.h"

/* The drawing in units of SVG, and the part inside the axes. */
enum {
    BX_PLOT_WIDTH = 720,
    BX_PLOT_LEFT = 80,
    BX_PLOT_RIGHT = 20,
    BX_PLOT_TOP = 62,
    BX_PLOT_HEIGHT = 300
};

/* A value of each point. */
typedef struct bx_chart_value {
    const bx_sweep_results *r;
    size_t column;
    bool more_is_better;
} bx_chart_value;

/* Finds the column of a name. */
int bx_chart_find_value(const bx_sweep_results *r, bx_str name, bx_chart_value *to, bx_error *e);

/* Finds a key; NULL: the last one with several values, but not `except`. */
int bx_chart_find_key(const bx_sweep_results *r, const char *name, size_t except, size_t *key,
                      bx_error *e);

/* The value of a point. false: it has none. */
bool bx_chart_number(const bx_chart_value *v, size_t point, double *to);

/* The different values of a key, in the order of the sweep. Free it. NULL: out of memory. */
const char **bx_chart_settings(const bx_sweep_results *r, size_t key, size_t *n);

/* An axis: from 0 to `most` for values, from `least` to `most` for keys. */
typedef struct bx_chart_axis {
    double least, most;
    bool logarithmic;
    bool words;            /* settings are no numbers: they stand side by side */
    const char **settings; /* [n], of a key */
    size_t n;
} bx_chart_axis;

/* The axis of a value: from 0 to a round number. */
bx_chart_axis bx_chart_value_axis(const bx_chart_value *v);

/* The axis of a key: numbers, on a logarithmic scale if they reach from 1 to 8 or further. */
bx_chart_axis bx_chart_key_axis(const char **settings, size_t n);

/* Where the i-th setting or a value lies, from 0 to 1. */
double bx_chart_place(const bx_chart_axis *a, size_t i);
double bx_chart_share(const bx_chart_axis *a, double value);

/* The head of the file with the title, `height` units high; bx_buf_z(to, "</svg>\n") ends it. */
void bx_chart_head(bx_buf *to, unsigned height, const char *title, const char *work);

/* The name of the y axis, whose middle is at that height. */
void bx_chart_side(bx_buf *to, double middle, const char *name);

/* The frame, with ticks and names of both axes. y NULL: the chart draws its own. */
void bx_chart_frame(bx_buf *to, const bx_chart_axis *x, const char *x_name, const bx_chart_axis *y,
                    const char *y_name);

/* "NAME, UNIT" of a value. */
void bx_chart_name(const bx_chart_value *v, bx_buf *to);

/* Where a share of an axis lies in the drawing. */
double bx_chart_x(double share);
double bx_chart_y(double share);

/* The dot of a point at these shares of both axes. Its tooltip has the settings and the value. */
void bx_chart_dot(bx_buf *to, const bx_chart_value *v, size_t point, double x, double y,
                  unsigned series, bool filled);

/* how: attributes. */
void bx_chart_text(bx_buf *to, double x, double y, const char *how, const char *text);

#endif
