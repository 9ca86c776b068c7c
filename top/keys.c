/* What keys do. */
#include "top/view.h"

#include <stdlib.h>
#include <string.h>

/* The row of the selected event. */
static size_t selected_row(const bx_top_view *v)
{
    for (size_t i = 0; i < v->s->n; i++)
        if (v->order[i] == v->selected)
            return i;
    return 0;
}

static void select_row(bx_top_view *v, int64_t row)
{
    int64_t last = (int64_t)v->s->n - 1;
    row = row > last ? last : row;
    row = row < 0 ? 0 : row;
    if (v->s->n)
        v->selected = v->order[row];
}

static enum bx_top_action set_paused(bx_top_view *v, bool paused)
{
    v->paused = paused;
    if (v->is_recording) { /* it plays, from the begin if it is at its end */
        uint64_t last = v->s->intervals - 1;
        if (!paused && (v->at == BX_TOP_LAST || v->at >= last))
            v->at = 0;
        return BX_TOP_NOTHING;
    }
    v->at = paused && v->s->intervals ? v->s->intervals - 1 : BX_TOP_LAST;
    return paused ? BX_TOP_HOLD : BX_TOP_GO_ON;
}

static enum bx_top_action move_time(bx_top_view *v, int64_t by)
{
    enum bx_top_action action = BX_TOP_NOTHING;
    if (!v->s->intervals)
        return action;
    if (!v->paused)
        action = set_paused(v, true);
    int64_t first = (int64_t)bx_series_first(v->s), last = (int64_t)v->s->intervals - 1;
    int64_t at = (v->at == BX_TOP_LAST ? last : (int64_t)v->at) + by;
    v->at = (uint64_t)(at < first ? first : at > last ? last : at);
    return action;
}

static bool take_choice(bx_top_view *v, int key)
{
    switch (key) {
    case 's':
        v->sort = (v->sort + 1) % BX_SORTS;
        return true;
    case 'r':
        v->reverse = !v->reverse;
        return true;
    case 't':
        v->scale = (v->scale + 1) % BX_SCALES;
        return true;
    case 'm':
        v->no_metrics = !v->no_metrics;
        return true;
    case 'u':
        v->no_units = !v->no_units;
        return true;
    case 'l':
        v->no_hottest = !v->no_hottest;
        return true;
    default:
        return false;
    }
}

static bool take_movement(bx_top_view *v, int key)
{
    int64_t row = (int64_t)selected_row(v), page = v->page > 1 ? (int64_t)v->page - 1 : 1;
    switch (key) {
    case BX_KEY_UP:
    case 'k':
        select_row(v, row - 1);
        return true;
    case BX_KEY_DOWN:
    case 'j':
        select_row(v, row + 1);
        return true;
    case BX_KEY_PAGE_UP:
        select_row(v, row - page);
        return true;
    case BX_KEY_PAGE_DOWN:
        select_row(v, row + page);
        return true;
    case 'g':
        select_row(v, 0);
        return true;
    case 'G':
        select_row(v, INT64_MAX);
        return true;
    default:
        return false;
    }
}

static enum bx_top_action take_time(bx_top_view *v, int key)
{
    switch (key) {
    case ' ':
    case 'p':
        return set_paused(v, !v->paused);
    case '.':
        if (v->is_recording)
            return move_time(v, 1);
        v->paused = true;
        v->at = BX_TOP_LAST;
        return BX_TOP_STEP;
    case BX_KEY_LEFT:
        return move_time(v, -1);
    case BX_KEY_RIGHT:
        return move_time(v, 1);
    case '[':
        return move_time(v, -10);
    case ']':
        return move_time(v, 10);
    case BX_KEY_HOME:
        return move_time(v, -INT32_MAX);
    case BX_KEY_END:
        if (v->is_recording)
            return move_time(v, INT32_MAX);
        return set_paused(v, false);
    default:
        return BX_TOP_NOTHING;
    }
}

enum bx_top_action bx_top_take_key(bx_top_view *v, int key)
{
    if (key == 'q' || key == 'Q')
        return BX_TOP_QUIT;
    if (v->help || key == 'h' || key == '?') {
        v->help = !v->help;
        return BX_TOP_NOTHING;
    }
    if (!bx_top_sort(v) || take_choice(v, key) || take_movement(v, key))
        return BX_TOP_NOTHING;
    return take_time(v, key);
}
