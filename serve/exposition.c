/* Writes series for readers.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and
 * https://github.com/OpenObservability/OpenMetrics, "Text format". A family's lines stand together,
 * after what describes it. */
#include "serve/exposition.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <boxscore/boxscore.h>

typedef struct exposition {
    const bx_series *s;
    bx_buf *to;
    bool open; /* OpenMetrics */
} exposition;

/* The value of a label, quoted. */
static void put_label(const exposition *x, const char *key, const char *value, bool *more)
{
    bx_buf safe = {.whole = &x->to->failed};
    bx_buf_name(&safe, value);
    bx_buf_f(x->to, "%s%s=\"", *more ? "," : "{", key);
    for (bx_str rest = bx_str_of(bx_buf_text(&safe)); rest.n;) {
        size_t n = strcspn(rest.p, "\"\\"); /* up to what needs a backslash */
        bx_buf_add(x->to, rest.p, n);
        if (n < rest.n)
            bx_buf_add(x->to, (const char[]){'\\', rest.p[n]}, 2);
        rest = bx_str_sub(rest, n + 1, rest.n);
    }
    bx_buf_z(x->to, "\"");
    bx_buf_free(&safe);
    *more = true;
}

static void put_number_label(const exposition *x, const char *key, int value, bool *more)
{
    if (value < 0)
        return;
    bx_buf_f(x->to, "%c%s=\"%d\"", *more ? ',' : '{', key, value);
    *more = true;
}

/* kind: "gauge", "counter" or "info". unit: "" if it has none. */
static void describe_family(const exposition *x, const char *name, const char *kind,
                            const char *unit, const char *help)
{
    const char *suffix = x->open                        ? ""
                         : strcmp(kind, "counter") == 0 ? "_total"
                         : strcmp(kind, "info") == 0    ? "_info"
                                                        : "";
    if (!x->open && strcmp(kind, "info") == 0)
        kind = "gauge";
    bx_buf_f(x->to, "# HELP %s%s ", name, suffix);
    bx_buf_name(x->to, help);
    bx_buf_f(x->to, "%s\n# TYPE %s%s %s\n", x->open ? "." : "", name, suffix, kind);
    if (x->open && *unit)
        bx_buf_f(x->to, "# UNIT %s %s\n", name, unit);
}

void bx_exposition_total(bx_buf *to, const bx_series_family *f, uint64_t total)
{
    const uint64_t billion = 1000000000;
    if (f->billionths)
        bx_buf_f(to, "%" PRIu64 ".%09" PRIu64, total / billion, total % billion);
    else
        bx_buf_f(to, "%" PRIu64, total);
}

/* What all lines of a family begin with. Returns whether it has a label. */
static bool begin_lines(const exposition *x, const bx_series_family *f)
{
    bool more = false;
    bx_buf_f(x->to, f->level ? "%s" : "%s_total", f->name);
    if (*f->pmu)
        put_label(x, "pmu", f->pmu, &more);
    return more;
}

static void put_all_series(const exposition *x, const bx_series_family *f)
{
    bx_buf begin = {.whole = &x->to->failed};
    bool has_label = begin_lines(&(exposition){x->s, &begin, x->open}, f);
    for (size_t i = 0; i < f->n; i++) {
        bool more = has_label;
        uint64_t value = f->level ? bx_series_now(x->s, &f->series[i]) : f->series[i].total;
        if (f->level && value == BX_SERIES_NONE)
            continue;
        bx_buf_add(x->to, begin.p, begin.n);
        put_number_label(x, "package", f->series[i].package, &more);
        put_number_label(x, "unit", f->series[i].unit, &more);
        bx_buf_z(x->to, more ? "} " : " ");
        bx_exposition_total(x->to, f, value);
        bx_buf_z(x->to, "\n");
    }
    bx_buf_free(&begin);
}

/* Families of one name, of several PMUs, stand together. */
static void put_families(const exposition *x, size_t first)
{
    const bx_series *s = x->s;
    const bx_series_family *f = &s->family[first];
    for (size_t i = 0; i < first; i++)
        if (s->family[i].n && strcmp(s->family[i].name, f->name) == 0)
            return;
    bx_buf help = {.whole = &x->to->failed};
    bx_buf_f(&help, "%s, %s", f->event,
             f->level ? "at the end of the last interval" : "counted since the server began");
    describe_family(x, f->name, f->level ? "gauge" : "counter", f->base, bx_buf_text(&help));
    bx_buf_free(&help);
    for (size_t i = first; i < s->n; i++)
        if (strcmp(s->family[i].name, f->name) == 0)
            put_all_series(x, &s->family[i]);
}

static void put_gauge(const exposition *x, const char *name, const char *help, double value)
{
    describe_family(x, name, "gauge", "", help);
    bx_buf_f(x->to, "%s %.9g\n", name, value);
}

static void put_info(const exposition *x)
{
    bool more = false;
    describe_family(x, "boxscore", "info", "", "what counts, and where");
    bx_buf_z(x->to, "boxscore_info");
    put_label(x, "version", BX_VERSION, &more);
    put_label(x, "cpu", x->s->cpu ? x->s->cpu : "", &more);
    put_label(x, "machine", x->s->machine ? x->s->machine : "", &more);
    put_label(x, "clock", x->s->is_virtual ? "virtual" : "real", &more);
    bx_buf_z(x->to, "} 1\n");
}

static void put_ratios(const exposition *x)
{
    bool described = false;
    for (size_t i = 0; i < x->s->n; i++) {
        const bx_series_family *f = &x->s->family[i];
        bool more = false;
        if (!f->n || f->reason || f->share >= 1)
            continue;
        if (!described)
            describe_family(
                x, "boxscore_running_ratio", "gauge", "",
                "share of the last interval in which the event was counted, the rest is "
                "estimated");
        described = true;
        bx_buf_z(x->to, "boxscore_running_ratio");
        put_label(x, "event", f->event, &more);
        bx_buf_f(x->to, "} %.6f\n", f->share);
    }
}

static void put_unavailable(const exposition *x)
{
    bool described = false;
    for (size_t i = 0; i < x->s->n; i++) {
        const bx_series_family *f = &x->s->family[i];
        bool more = false;
        if (!f->reason)
            continue;
        if (!described)
            describe_family(x, "boxscore_unavailable", "gauge", "",
                            "events without a value, and why");
        described = true;
        bx_buf_z(x->to, "boxscore_unavailable");
        put_label(x, "event", f->event, &more);
        put_label(x, "reason", f->reason, &more);
        bx_buf_z(x->to, "} 1\n");
    }
}

static void put_all(const exposition *x)
{
    const bx_series *s = x->s;
    put_gauge(x, "boxscore_up", "1 while it counts", s->running);
    put_info(x);
    describe_family(x, "boxscore_clock_seconds", "counter", "seconds",
                    "the machine's own time that was counted");
    bx_buf_f(x->to, "boxscore_clock_seconds_total %.9f\n", s->seconds);
    if (s->left_out)
        put_gauge(x, "boxscore_series_left_out", "series beyond --max-series, which are not here",
                  (double)s->left_out);
    for (size_t i = 0; i < s->n; i++)
        if (s->family[i].n)
            put_families(x, i);
    put_ratios(x);
    put_unavailable(x);
    if (x->open)
        bx_buf_z(x->to, "# EOF\n");
}

void bx_exposition_prometheus(const bx_series *s, bx_buf *to)
{
    put_all(&(exposition){s, to, false});
}

void bx_exposition_openmetrics(const bx_series *s, bx_buf *to)
{
    put_all(&(exposition){s, to, true});
}
