/* Four digits tell enough of a rate that changes; a count is whole where there is room. */
#include "top/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Four digits: "1.235", "12.35", "123.5", "1235" never comes. */
static int decimals(double value)
{
    return value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
}

static void short_text(double value, const char *unit, const char *per, char to[BX_FIGURE_ROOM])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t i = 0;
    for (; value >= 999.95 && i < sizeof prefixes / sizeof *prefixes - 1; i++)
        value /= 1000;
    bool whole = i == 0 && value == floor(value);
    const char *gap = *prefixes[i] || *unit ? " " : "";
    snprintf(to, BX_FIGURE_ROOM, "%.*f%s%s%s%s", whole ? 0 : decimals(value), value, gap,
             prefixes[i], unit, per);
}

static bool whole_text(double value, size_t room, char to[BX_FIGURE_ROOM])
{
    char digits[BX_FIGURE_ROOM];
    int n = snprintf(digits, sizeof digits, "%.0f", value);
    size_t k = 0;
    if (value != floor(value) || value >= 9007199254740992.0 || n < 1) /* 2^53 */
        return false;
    for (int i = 0; i < n && k + 2 < BX_FIGURE_ROOM; i++) {
        if (i && (n - i) % 3 == 0)
            to[k++] = ',';
        to[k++] = digits[i];
    }
    to[k] = 0;
    return k <= room;
}

void bx_figure_text(double value, const char *base, enum bx_scale scale, size_t room,
                    char to[BX_FIGURE_ROOM])
{
    if (value == 0) {
        snprintf(to, BX_FIGURE_ROOM, "0");
        return;
    }
    bool bytes = strcmp(base, "bytes") == 0, seconds = strcmp(base, "seconds") == 0;
    if (seconds)
        value /= 1e9;
    if (scale != BX_SCALE_SECOND && !bytes && !seconds && whole_text(value, room, to))
        return;
    short_text(value, bytes ? "B" : seconds ? "s" : "", scale == BX_SCALE_SECOND ? "/s" : "", to);
}

void bx_figure_metric(double value, char to[BX_FIGURE_ROOM])
{
    double size = fabs(value);
    if (size >= 999.95)
        whole_text(round(value), BX_FIGURE_ROOM, to);
    else
        snprintf(to, BX_FIGURE_ROOM, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}
