/* Writes JSON. Numbers have the digits that they were counted with. */
#include "serve/api.h"

#include "base/json.h"
#include "serve/exposition.h"

#include <math.h>
#include <stdio.h>

#include <boxscore/boxscore.h>

static void put_place(bx_json *j, const bx_one_series *one)
{
    if (one->package >= 0)
        bx_json_number(j, "package", one->package);
    if (one->unit >= 0)
        bx_json_number(j, "unit", one->unit);
}

/* What is said of a series beside its place. */
typedef void put_counts(bx_json *j, const bx_series *s, const bx_series_family *f,
                        const bx_one_series *one);

static void put_series(bx_json *j, const bx_series *s, const bx_series_family *f, put_counts *put)
{
    bx_json_open(j, "series", '[');
    for (size_t i = 0; i < f->n; i++) {
        bx_json_open(j, NULL, '{');
        put_place(j, &f->series[i]);
        put(j, s, f, &f->series[i]);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

static void put_events(bx_json *j, const bx_series *s, put_counts *put)
{
    bx_json_open(j, "events", '[');
    for (size_t i = 0; i < s->n; i++) {
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "event", s->family[i].event);
        bx_json_text(j, "unit", s->family[i].base);
        if (s->family[i].level)
            bx_json_raw(j, "level", "true");
        bx_json_text(j, "unavailable", s->family[i].reason);
        put_series(j, s, &s->family[i], put);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

/* A value; null: there is none. */
static void put_value(bx_json *j, const char *key, const bx_series_family *f, uint64_t value)
{
    bx_buf text = {.whole = &j->to->failed};
    if (value == BX_SERIES_NONE)
        bx_buf_z(&text, "null");
    else
        bx_exposition_total(&text, f, value);
    bx_json_raw(j, key, bx_buf_text(&text));
    bx_buf_free(&text);
}

/* ---- totals ---- */

static void put_total(bx_json *j, const bx_series *s, const bx_series_family *f,
                      const bx_one_series *one)
{
    if (f->level)
        put_value(j, "now", f, bx_series_now(s, one));
    else
        put_value(j, "total", f, one->total);
}

void bx_api_values(const bx_series *s, bx_buf *to)
{
    bx_json j = {.to = to};
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.9f", s->seconds);
    bx_json_open(&j, NULL, '{');
    bx_json_text(&j, "version", BX_VERSION);
    bx_json_text(&j, "machine", s->machine);
    bx_json_text(&j, "cpu", s->cpu);
    bx_json_text(&j, "clock", s->is_virtual ? "virtual" : "real");
    bx_json_raw(&j, "seconds", seconds);
    bx_json_raw(&j, "up", s->running ? "true" : "false");
    bx_json_text(&j, "failure", s->failure);
    bx_json_text(&j, "obstacle", s->obstacle);
    bx_json_number(&j, "left-out", (int64_t)s->left_out);
    put_events(&j, s, put_total);
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}

/* ---- intervals ---- */

static void put_real(bx_json *j, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    bx_json_raw(j, key, isnan(value) ? "null" : text);
}

static void put_interval_values(bx_json *j, const bx_series *s, const bx_series_family *f,
                                const bx_one_series *one)
{
    size_t slot;
    bx_json_open(j, "values", '[');
    for (uint64_t i = bx_series_first(s); bx_series_slot(s, i, &slot); i++)
        put_value(j, NULL, f, one->interval[slot]);
    bx_json_close(j, ']');
}

static void put_metrics(bx_json *j, const bx_series *s)
{
    size_t slot;
    bx_json_open(j, "metrics", '[');
    for (size_t i = 0; i < s->metrics; i++) {
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "metric", s->metric[i].name);
        bx_json_text(j, "unit", s->metric[i].unit);
        bx_json_open(j, "values", '[');
        for (uint64_t k = bx_series_first(s); bx_series_slot(s, k, &slot); k++)
            put_real(j, NULL, s->metric[i].interval[slot]);
        bx_json_close(j, ']');
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

void bx_api_intervals(const bx_series *s, bx_buf *to)
{
    bx_json j = {.to = to};
    size_t slot;
    bx_json_open(&j, NULL, '{');
    bx_json_text(&j, "clock", s->is_virtual ? "virtual" : "real");
    bx_json_open(&j, "intervals", '[');
    for (uint64_t i = bx_series_first(s); bx_series_slot(s, i, &slot); i++) {
        bx_json_open(&j, NULL, '{');
        bx_json_number(&j, "number", (int64_t)i + 1);
        put_real(&j, "ended", s->at[slot]);
        put_real(&j, "seconds", s->length[slot]);
        bx_json_close(&j, '}');
    }
    bx_json_close(&j, ']');
    put_events(&j, s, put_interval_values);
    put_metrics(&j, s);
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}

/* ---- the machine ---- */

void bx_api_machine(const bx_series *s, bx_buf *to)
{
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '{');
    bx_json_text(&j, "machine", s->machine);
    bx_json_text(&j, "cpu", s->cpu);
    bx_json_number(&j, "packages", s->packages);
    bx_json_number(&j, "cores", s->cores);
    bx_json_text(&j, "obstacle", s->obstacle);
    bx_json_open(&j, "pmus", '[');
    for (size_t i = 0; i < s->pmus; i++) {
        bx_json_open(&j, NULL, '{');
        bx_json_text(&j, "pmu", s->pmu[i].name);
        bx_json_text(&j, "title", s->pmu[i].title);
        bx_json_open(&j, "units", '[');
        for (size_t k = 0; k < s->pmu[i].units; k++)
            bx_json_text(&j, NULL, s->pmu[i].unit[k]);
        bx_json_close(&j, ']');
        bx_json_close(&j, '}');
    }
    bx_json_close(&j, ']');
    bx_json_close(&j, '}');
    bx_buf_z(to, "\n");
}
