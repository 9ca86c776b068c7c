/* A screen as cells of characters with a style: drawn here, then shown by a terminal or as text. */
#ifndef BX_TOP_CANVAS_H
#define BX_TOP_CANVAS_H

#include "base/buf.h"

#include <stdint.h>

/* What a cell is; the terminal chooses colours, or without them bold, reverse and so on. */
enum bx_style {
    BX_STYLE_PLAIN,
    BX_STYLE_TITLE, /* the first line */
    BX_STYLE_HEAD,  /* of a table */
    BX_STYLE_DIM,
    BX_STYLE_STRONG,
    BX_STYLE_WARN,
    BX_STYLE_KEY,
    BX_STYLE_GOOD,
    BX_STYLE_LEVEL, /* levels from low to high */
    BX_STYLE_LEVEL_LAST = BX_STYLE_LEVEL + 4,
    BX_STYLES,
    BX_STYLE_SELECTED = 64, /* a flag */
};

typedef struct bx_canvas_cell {
    char text[8]; /* a character as UTF-8; "": after a wide one */
    uint8_t style;
} bx_canvas_cell;

typedef struct bx_canvas {
    int width, height;
    bool utf8;            /* else ASCII only */
    bx_canvas_cell *cell; /* [height][width] */
    size_t room;
} bx_canvas;

/* Makes it that large, and empty. false: out of memory; it is then 0 x 0. */
bool bx_canvas_clear(bx_canvas *c, int width, int height);
void bx_canvas_free(bx_canvas *c);

/* Writes into the room from x, at most `width` cells. Text that is too long ends in '…'. Returns
 * the x after it. What lies outside the canvas is not drawn, here and below. */
int bx_canvas_text(bx_canvas *c, int x, int y, int width, unsigned style, const char *text);
/* The same with its last characters where it is too long; at the right end of the room. */
int bx_canvas_tail(bx_canvas *c, int x, int y, int width, unsigned style, const char *text);
void bx_canvas_right(bx_canvas *c, int x, int y, int width, unsigned style, const char *text);
/* How many cells a text has. */
int bx_canvas_cells(const bx_canvas *c, const char *text);

/* A style for a whole row, over what is there. */
void bx_canvas_select(bx_canvas *c, int x, int y, int width);
void bx_canvas_fill(bx_canvas *c, int x, int y, int width, unsigned style);

/* A bar of a share of the room, 0 to 1; and a column of a chart that is one cell. level: its
 * colour, 0 to 1. */
void bx_canvas_bar(bx_canvas *c, int x, int y, int width, double share, double level);
void bx_canvas_column(bx_canvas *c, int x, int y, double share, double level);
/* The same of several cells, from the lowest, y, upwards. */
void bx_canvas_tower(bx_canvas *c, int x, int y, int rows, double share);
/* A line with a mark, for a time bar. */
void bx_canvas_slider(bx_canvas *c, int x, int y, int width, double at);

/* As text, without spaces at the ends of lines and empty lines at the end. */
void bx_canvas_print(const bx_canvas *c, bx_buf *to);

#endif
