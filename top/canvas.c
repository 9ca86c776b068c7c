/* Draws into cells. */
#include "top/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

bool bx_canvas_clear(bx_canvas *c, int width, int height)
{
    size_t n = (size_t)width * (size_t)height;
    if (n > c->room) {
        bx_canvas_cell *all = realloc(c->cell, n * sizeof *all);
        if (!all) {
            c->width = c->height = 0;
            return false;
        }
        c->cell = all;
        c->room = n;
    }
    c->width = width;
    c->height = height;
    for (size_t i = 0; i < n; i++)
        c->cell[i] = (bx_canvas_cell){.text = " "};
    return true;
}

void bx_canvas_free(bx_canvas *c)
{
    free(c->cell);
    *c = (bx_canvas){0};
}

static bx_canvas_cell *cell_at(bx_canvas *c, int x, int y)
{
    bool inside = x >= 0 && y >= 0 && x < c->width && y < c->height;
    return inside ? &c->cell[(size_t)y * (size_t)c->width + (size_t)x] : NULL;
}

static void put_cell(bx_canvas *c, int x, int y, unsigned style, const char *text)
{
    bx_canvas_cell *cell = cell_at(c, x, y);
    if (cell) {
        snprintf(cell->text, sizeof cell->text, "%s", text);
        cell->style = (uint8_t)style;
    }
}

/* A character of a text that may be anybody's: what is not printable becomes '?'. */
typedef struct character {
    char text[8];
    int cells; /* 0, 1 or 2 */
    size_t bytes;
} character;

static character next_character(const bx_canvas *c, const char *text)
{
    character one = {.text = "?", .cells = 1, .bytes = 1};
    wchar_t wide;
    mbstate_t state = {0};
    size_t n = (unsigned char)*text < 0x80 ? 1 : mbrtowc(&wide, text, strlen(text), &state);
    if (n == 1) {
        one.text[0] = *text >= ' ' && *text < 0x7f ? *text : '?';
    } else if (n < sizeof one.text) { /* errors are (size_t)-1 and -2 */
        int cells = wcwidth(wide);
        one.bytes = n;
        if (c->utf8 && cells >= 0) {
            memcpy(one.text, text, n);
            one.text[n] = 0;
            one.cells = cells;
        }
    }
    return one;
}

int bx_canvas_cells(const bx_canvas *c, const char *text)
{
    int n = 0;
    while (*text) {
        character one = next_character(c, text);
        n += one.cells;
        text += one.bytes;
    }
    return n;
}

static int put_text(bx_canvas *c, int x, int y, int width, unsigned style, const char *text)
{
    int end = x + width;
    while (*text) {
        character one = next_character(c, text);
        if (x + one.cells > end)
            break;
        if (one.cells) {
            put_cell(c, x, y, style, one.text);
            if (one.cells == 2)
                put_cell(c, x + 1, y, style, "");
        }
        x += one.cells;
        text += one.bytes;
    }
    return x;
}

static const char *cut_mark(const bx_canvas *c)
{
    return c->utf8 ? "…" : "~";
}

int bx_canvas_text(bx_canvas *c, int x, int y, int width, unsigned style, const char *text)
{
    if (width <= 0)
        return x;
    if (bx_canvas_cells(c, text) <= width)
        return put_text(c, x, y, width, style, text);
    int end = put_text(c, x, y, width - 1, style, text);
    put_cell(c, end, y, style, cut_mark(c));
    return end + 1;
}

int bx_canvas_tail(bx_canvas *c, int x, int y, int width, unsigned style, const char *text)
{
    int cells = bx_canvas_cells(c, text);
    if (cells <= width || width <= 0)
        return bx_canvas_text(c, x, y, width, style, text);
    while (cells > width - 1) {
        character one = next_character(c, text);
        cells -= one.cells;
        text += one.bytes;
    }
    put_cell(c, x, y, style, cut_mark(c));
    return put_text(c, x + 1, y, width - 1, style, text);
}

void bx_canvas_right(bx_canvas *c, int x, int y, int width, unsigned style, const char *text)
{
    int cells = bx_canvas_cells(c, text);
    bx_canvas_text(c, cells < width ? x + width - cells : x, y, width, style, text);
}

void bx_canvas_fill(bx_canvas *c, int x, int y, int width, unsigned style)
{
    for (int i = 0; i < width; i++)
        put_cell(c, x + i, y, style, " ");
}

void bx_canvas_select(bx_canvas *c, int x, int y, int width)
{
    for (int i = 0; i < width; i++) {
        bx_canvas_cell *cell = cell_at(c, x + i, y);
        if (cell)
            cell->style |= BX_STYLE_SELECTED;
    }
}

static double limited(double share)
{
    return share > 0 ? fmin(share, 1) : 0; /* also of NAN */
}

static unsigned style_of(double level)
{
    enum { LEVELS = BX_STYLE_LEVEL_LAST - BX_STYLE_LEVEL + 1 };
    int step = (int)(limited(level) * LEVELS);
    return BX_STYLE_LEVEL + (unsigned)(step < LEVELS ? step : LEVELS - 1);
}

void bx_canvas_bar(bx_canvas *c, int x, int y, int width, double share, double level)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    if (width <= 0)
        return;
    int eighths = (int)lround(limited(share) * 8 * width);
    if (share > 0 && eighths < 1)
        eighths = 1; /* what is there is seen */
    for (int i = 0; i < width; i++) {
        int part = eighths - 8 * i;
        part = part > 8 ? 8 : part;
        if (part > 0 && c->utf8)
            put_cell(c, x + i, y, style_of(level), parts[part]);
        else if (part >= 4 || (part > 0 && i == 0))
            put_cell(c, x + i, y, style_of(level), "#");
    }
}

static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_heights[] = {"_", ".", ",", "-", "=", "+", "*", "#"};

void bx_canvas_tower(bx_canvas *c, int x, int y, int rows, double share)
{
    int eighths = (int)lround(limited(share) * 8 * rows);
    eighths = eighths ? eighths : 1;
    for (int i = 0; i < rows && eighths > 8 * i; i++) {
        int step = eighths - 8 * i > 8 ? 7 : eighths - 8 * i - 1;
        put_cell(c, x, y - i, style_of((double)i / rows),
                 c->utf8 ? heights[step] : ascii_heights[step]);
    }
}

void bx_canvas_column(bx_canvas *c, int x, int y, double share, double level)
{
    int step = share > 0 ? (int)(limited(share) * 8) : 0;
    step = step > 7 ? 7 : step;
    put_cell(c, x, y, style_of(level), c->utf8 ? heights[step] : ascii_heights[step]);
}

void bx_canvas_slider(bx_canvas *c, int x, int y, int width, double at)
{
    int mark = (int)lround(limited(at) * (width - 1));
    for (int i = 0; i < width; i++)
        put_cell(c, x + i, y, i <= mark ? (unsigned)BX_STYLE_KEY : (unsigned)BX_STYLE_DIM,
                 i == mark  ? c->utf8 ? "●" : "O"
                 : c->utf8  ? i < mark ? "━" : "─"
                 : i < mark ? "="
                            : "-");
}

void bx_canvas_print(const bx_canvas *c, bx_buf *to)
{
    size_t empty = 0;
    for (int y = 0; y < c->height; y++) {
        const bx_canvas_cell *row = &c->cell[(size_t)y * (size_t)c->width];
        int end = c->width;
        while (end > 0 && strcmp(row[end - 1].text, " ") == 0)
            end--;
        if (!end) {
            empty++;
            continue;
        }
        for (; empty; empty--)
            bx_buf_z(to, "\n");
        for (int x = 0; x < end; x++)
            bx_buf_z(to, row[x].text);
        bx_buf_z(to, "\n");
    }
}
