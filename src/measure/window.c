/* Opens and closes the window, and subtracts the counts outside it. */
#include "measure/window.h"

#include "report/report.h"

#include <stdlib.h>
#include <string.h>

bool bx_time_read(bx_str s, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t scale = 1000000;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = strlen(units[i].name);
        if (s.n > n && memcmp(s.p + s.n - n, units[i].name, n) == 0) {
            scale = units[i].ns;
            s.n -= n;
            break;
        }
    }
    uint64_t number;
    if (!bx_str_u64(s, &number) || number > UINT64_MAX / scale)
        return false;
    *ns = number * scale;
    return true;
}

void bx_window_new(bx_window *w, uint64_t start, uint64_t delay, bool controlled)
{
    *w = (bx_window){.used = delay || controlled,
                     .open = !delay,
                     .ever = !delay,
                     .since = start,
                     .opens_at = delay && delay != UINT64_MAX ? start + delay : UINT64_MAX};
}

void bx_window_free(bx_window *w)
{
    free(w->off);
    free(w->closed);
    w->off = w->closed = NULL;
}

/* Allocates the readings. They are 0, as all counters are at the beginning. */
static int make_room_for_values(bx_window *w, size_t n, bx_error *e)
{
    if (w->off)
        return BX_OK;
    w->n = n;
    w->off = calloc(n + 1, sizeof *w->off);
    w->closed = calloc(n + 1, sizeof *w->closed);
    return w->off && w->closed ? BX_OK : bx_out_of_memory(e);
}

static void open_at(bx_window *w, const bx_reading *now, uint64_t time)
{
    for (size_t i = 0; i < w->n; i++) {
        w->off[i].count += now[i].count - w->closed[i].count;
        w->off[i].enabled += now[i].enabled - w->closed[i].enabled;
        w->off[i].running += now[i].running - w->closed[i].running;
    }
    w->since = time;
    w->open = w->ever = true;
    w->opens_at = UINT64_MAX;
}

static void close_at(bx_window *w, const bx_reading *now, uint64_t time)
{
    memcpy(w->closed, now, w->n * sizeof *now);
    w->spent += time - w->since;
    w->open = false;
}

static int change(bx_window *w, bx_session *s, bool open, uint64_t now, bx_error *e)
{
    size_t n;
    int code = open == w->open ? BX_OK : bx_session_sample(s, e);
    if (code || open == w->open)
        return code;
    const bx_reading *readings = bx_session_readings(s, &n);
    code = make_room_for_values(w, n, e);
    if (!code)
        (open ? open_at : close_at)(w, readings, now);
    return code;
}

int bx_window_update(bx_window *w, bx_session *s, uint64_t now, bx_control *control, bool *stop,
                     bx_error *e)
{
    int code = now >= w->opens_at ? change(w, s, true, now, e) : BX_OK;
    enum bx_control_word word;
    while (!code && !*stop && control && (word = bx_control_next(control))) {
        if (word == BX_CONTROL_ENABLE || word == BX_CONTROL_DISABLE)
            code = change(w, s, word == BX_CONTROL_ENABLE, now, e);
        *stop = word == BX_CONTROL_STOP;
        bx_control_answer(control);
    }
    return code;
}

uint64_t bx_window_time(const bx_window *w, uint64_t start, uint64_t now)
{
    return w->used ? w->spent + (w->open ? now - w->since : 0) : now - start;
}

void bx_window_readings(const bx_window *w, const bx_reading *from, size_t n, bx_reading *to)
{
    for (size_t i = 0; i < n; i++) {
        const bx_reading *value = w->open || !w->closed ? &from[i] : &w->closed[i];
        to[i] = w->off ? bx_reading_since(value, &w->off[i]) : *value;
        if (!w->ever && from[i].state < BX_NOT_MODELLED)
            to[i].state = BX_NOT_MEASURED;
    }
}
