/* Keeps the values of a table's columns, and draws them. */
#include "report/format/spark.h"

#include "base/grow.h"
#include "base/printable.h"
#include "report/format/formats.h"
#include "report/format/text_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_spark_column *column_at(bx_spark *s, size_t index, const char *name)
{
    if (index < s->n)
        return &s->columns[index];
    bx_spark_column *more = realloc(s->columns, (index + 1) * sizeof *more);
    if (!more)
        return NULL;
    s->columns = more;
    s->n = index + 1;
    more[index] = (bx_spark_column){.n = 0};
    snprintf(more[index].name, sizeof more[index].name, "%s", name);
    return &more[index];
}

static bool keep_value(bx_spark_column *c, double value)
{
    double *values = bx_grow(c->value, c->n, &c->room, sizeof *values, 64);
    if (!values)
        return false;
    c->value = values;
    c->value[c->n++] = value;
    return true;
}

void bx_spark_add(bx_spark *s, const bx_report *r, const bx_view *v)
{
    bx_column cell;
    size_t index = 0;
    for (size_t at = 0; !s->failed && bx_column_next(r, v, &at, &cell); index++) {
        bx_spark_column *c = column_at(s, index, cell.head);
        s->failed = !c || !keep_value(c, cell.has_value ? cell.value : -1);
    }
}

/* ---- drawing ---- */

enum { HEIGHTS = 8 };
static const char *const blocks[HEIGHTS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                            "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const letters[HEIGHTS] = {"_", ".", "-", "=", "+", "*", "#", "@"};

/* The mean of the rows that have a value; negative: none has. */
static double mean_of(const bx_spark_column *c, size_t from, size_t to)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (c->value[i] >= 0) {
            sum += c->value[i];
            n++;
        }
    return n ? sum / (double)n : -1;
}

static void draw(const bx_spark_column *c, size_t marks, double most, bool utf8, bx_buf *to)
{
    for (size_t i = 0; i < marks; i++) {
        double mean = mean_of(c, i * c->n / marks, (i + 1) * c->n / marks);
        size_t height = most > 0 && mean >= 0 ? (size_t)(mean / most * HEIGHTS) : 0;
        height = height < HEIGHTS ? height : HEIGHTS - 1;
        bx_buf_z(to, mean < 0 ? " " : utf8 ? blocks[height] : letters[height]);
    }
}

/* Counts are whole, other values are not. */
static void end_text(double value, char to[BX_NUMBER])
{
    if (value < 1e18 && value == (double)(uint64_t)value)
        bx_number_whole((uint64_t)value, to);
    else
        bx_number_figure(value, to);
}

static void write_column(const bx_spark_column *c, size_t names, size_t width, bool utf8,
                         bx_buf *to)
{
    char low[BX_NUMBER], high[BX_NUMBER];
    double least = -1, most = -1;
    for (size_t i = 0; i < c->n; i++) {
        if (c->value[i] < 0)
            continue;
        least = least < 0 || c->value[i] < least ? c->value[i] : least;
        most = c->value[i] > most ? c->value[i] : most;
    }
    if (least < 0)
        return;
    end_text(least, low);
    end_text(most, high);
    size_t taken = strlen("#   ") + names + strlen("    to ") + strlen(low) + strlen(high);
    size_t marks = width > taken + HEIGHTS ? width - taken : HEIGHTS;
    bx_buf_z(to, "# ");
    bx_text_right(to, c->name, names);
    bx_buf_z(to, "  ");
    draw(c, marks < c->n ? marks : c->n, most, utf8, to);
    bx_buf_f(to, "  %s to %s\n", low, high);
}

void bx_spark_write(const bx_spark *s, size_t width, bool utf8, bx_buf *to)
{
    size_t names = 0;
    to->failed |= s->failed;
    for (size_t i = 0; i < s->n; i++)
        names =
            bx_text_width(s->columns[i].name) > names ? bx_text_width(s->columns[i].name) : names;
    for (size_t i = 0; i < s->n; i++)
        if (s->columns[i].n > 1)
            write_column(&s->columns[i], names, width, utf8, to);
}

void bx_spark_free(bx_spark *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->columns[i].value);
    free(s->columns);
    *s = (bx_spark){0};
}
