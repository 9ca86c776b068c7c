/* What the screen shows, and what keys do to it. It knows no terminal. */
#ifndef BX_TOP_VIEW_H
#define BX_TOP_VIEW_H

#include "live/hottest.h"
#include "live/series.h"
#include "top/canvas.h"
#include "top/figures.h"

/* Keys beside characters. */
enum bx_top_key {
    BX_KEY_UP = 0x1000,
    BX_KEY_DOWN,
    BX_KEY_LEFT,
    BX_KEY_RIGHT,
    BX_KEY_PAGE_UP,
    BX_KEY_PAGE_DOWN,
    BX_KEY_HOME,
    BX_KEY_END,
};

/* What a key asks of the one who owns the measurement. */
enum bx_top_action { BX_TOP_NOTHING, BX_TOP_QUIT, BX_TOP_HOLD, BX_TOP_GO_ON, BX_TOP_STEP };

enum bx_top_sort { BX_SORT_GIVEN, BX_SORT_VALUE, BX_SORT_NAME, BX_SORTS };

#define BX_TOP_LAST UINT64_MAX /* the last interval */

typedef struct bx_top_view {
    /* Set before it is drawn. Belong to the caller. */
    const bx_series *s;
    const bx_hottest *hottest; /* NULL: there are no lines … */
    const char *no_lines;      /* … and why */
    const char *work;          /* "workload 'stream'" */
    const char *remark;        /* a line that the user should see, or NULL */
    const char *state;         /* "running", "ended, exit status 0" */
    bool is_recording, batch;

    /* What the keys choose. */
    size_t selected; /* family */
    size_t first;    /* row of the table that is its first one on the screen */
    size_t page;     /* rows of the table on the screen */
    enum bx_top_sort sort;
    bool reverse;
    enum bx_scale scale;
    bool paused;
    uint64_t at; /* interval, or BX_TOP_LAST */
    bool no_metrics, no_units, no_hottest, help;

    size_t *order; /* [s->n] families in the order of the table */
    size_t order_room;
} bx_top_view;

/* A key; the canvas need not be drawn before. */
enum bx_top_action bx_top_take_key(bx_top_view *v, int key);

/* Draws all into the canvas, which is clear. */
void bx_top_draw(bx_top_view *v, bx_canvas *c);

/* How many lines a canvas needs that has everything. */
int bx_top_lines(const bx_top_view *v, int width);

void bx_top_free(bx_top_view *v);

/* ---- values.c ---- */

/* Without its PMU. */
const char *bx_top_event_name(const bx_series_family *f);

/* The slot of the interval that is shown. false: there is none. */
bool bx_top_slot(const bx_top_view *v, uint64_t *interval, size_t *slot);

/* Sorts; false: out of memory. */
bool bx_top_sort(bx_top_view *v);

/* A value of the event, or of one of its series, at the interval that is shown, in the scale that
 * is chosen. false: there is none. */
bool bx_top_value(const bx_top_view *v, const bx_series_family *f, const bx_one_series *one,
                  double *value);

/* The scale of the event's values: a level is what there was at the interval's end in each. */
enum bx_scale bx_top_scale(const bx_series_family *f, enum bx_scale chosen);

/* ---- panels.c: each draws itself into a room, whose height it does not exceed ---- */

typedef struct bx_room {
    int x, y, width, height;
} bx_room;

int bx_top_metric_columns(int width);
void bx_top_heading(bx_canvas *c, bx_room r, const char *title, const char *more);
void bx_top_table(bx_top_view *v, bx_canvas *c, bx_room r);
void bx_top_metrics(const bx_top_view *v, bx_canvas *c, bx_room r);
void bx_top_units(const bx_top_view *v, bx_canvas *c, bx_room r);
void bx_top_chart(const bx_top_view *v, bx_canvas *c, bx_room r);
void bx_top_hottest(const bx_top_view *v, bx_canvas *c, bx_room r);
void bx_top_help(bx_canvas *c, bx_room r);

#endif
