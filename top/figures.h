/* Counts as short texts. */
#ifndef BX_TOP_FIGURES_H
#define BX_TOP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

enum { BX_FIGURE_ROOM = 40 };

/* What a value stands for. */
enum bx_scale { BX_SCALE_SECOND, BX_SCALE_INTERVAL, BX_SCALE_TOTAL, BX_SCALES };

/* "199.7 M/s", "14.35 GB/s", "0.998 s/s"; of an interval and in total "196,995", or "12.35 M" if it
 * is longer than `room` characters. base: as in bx_series_family. */
void bx_figure_text(double value, const char *base, enum bx_scale scale, size_t room,
                    char to[BX_FIGURE_ROOM]);

/* A metric's value: at most five digits. */
void bx_figure_metric(double value, char to[BX_FIGURE_ROOM]);

#endif
