/* The thread that measures. */
#include "live/measuring.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "measure/result.h"

/* ---- an interval ---- */

/* Whether the name is on the first screen of `stat`, or beside it: without events of the user's
 * choice these come first. */
static bool comes_first(const bx_result *r, const char *name)
{
    static const char *const beside[] = {"ipc", "llc_mpki", "branch_mispredict_ratio",
                                         "dram_bandwidth", "llc_miss_ratio"};
    const bx_measured *of = r->report.of;
    for (size_t i = 0; i < of->screen_n; i++)
        if (strcmp(of->screen[i], name) == 0)
            return true;
    for (size_t i = 0; of->screen_n && i < sizeof beside / sizeof *beside; i++)
        if (strcmp(beside[i], name) == 0)
            return true;
    return false;
}

static bool add_value(bx_series *s, const bx_result *r, size_t i)
{
    int state = bx_result_state(r, i), package = bx_result_package(r, i);
    const bx_series_value value = {
        .event = bx_result_event(r, i),
        .counts = bx_result_counts(r, i),
        .where = bx_result_where(r, i),
        .package = package == BX_ANY ? -1 : package,
        .unit = bx_result_unit(r, i) == BX_ANY ? -1 : bx_result_unit(r, i),
        .value = bx_result_value(r, i),
        .level = r->report.records[i].is_level,
        .share = bx_result_share(r, i),
        .reason = state == BX_COUNTED || state == BX_SCALED ? NULL : bx_result_state_text(r, i)};
    return bx_series_add(s, &value);
}

/* The interval's values; sums only of what has no units. */
static bool add_values(bx_series *s, const bx_result *r, bool first)
{
    size_t n = bx_result_values(r);
    for (size_t i = 0; i < n; i++) {
        bool has_parts = bx_result_is_sum(r, i) && i + 1 < n && !bx_result_is_sum(r, i + 1);
        if (comes_first(r, bx_result_event(r, i)) == first && !has_parts && !add_value(s, r, i))
            return false;
    }
    return true;
}

/* Those of the whole machine. */
static bool add_metrics(bx_series *s, const bx_result *r, bool first)
{
    for (size_t i = 0; i < bx_result_metrics(r); i++) {
        double value = NAN;
        if (*bx_result_metric_where(r, i) || comes_first(r, bx_result_metric(r, i)) != first)
            continue;
        bx_result_metric_value(r, i, &value);
        if (!bx_series_add_metric(s, bx_result_metric(r, i), bx_result_metric_unit(r, i), value,
                                  bx_result_metric_state(r, i)))
            return false;
    }
    return true;
}

static bool add_interval(bx_series *s, const bx_result *r)
{
    return bx_series_begin(s, bx_result_seconds(r)) && add_values(s, r, true) &&
           add_values(s, r, false) && add_metrics(s, r, true) && add_metrics(s, r, false);
}

static bool stands_still(const bx_measuring *m)
{
    return m->series.is_virtual && !m->stop && m->allowed && m->series.intervals >= m->allowed;
}

static int take_interval(void *context, const bx_result *r, bx_error *e)
{
    bx_measuring *m = context;
    pthread_mutex_lock(&m->lock);
    bx_series *s = &m->series;
    const char *machine = bx_result_machine(r);
    bool done = bx_series_text(s, &s->machine, machine) && add_interval(s, r);
    s->is_virtual = strncmp(machine, "virtual:", 8) == 0;
    s->running = true;
    pthread_cond_broadcast(&m->changed);
    if (m->hottest)
        bx_hottest_publish(m->hottest);
    while (stands_still(m)) {
        pthread_cond_wait(&m->changed, &m->lock);
        if (m->hottest)
            bx_hottest_publish(m->hottest);
    }
    pthread_mutex_unlock(&m->lock);
    return done ? BX_OK : bx_out_of_memory(e);
}

static bool go_on(void *context, uint64_t accesses)
{
    bx_measuring *m = context;
    (void)accesses;
    pthread_mutex_lock(&m->lock);
    bool stop = m->stop;
    pthread_mutex_unlock(&m->lock);
    return !stop;
}

/* Each remark once, however often a workload runs. */
static void keep_remarks(bx_measuring *m, const bx_result *r)
{
    const char *text;
    for (size_t i = 0; (text = bx_result_remark(r, i)); i++)
        if (!strstr(bx_buf_text(&m->remarks), text))
            bx_buf_f(&m->remarks, "%s\n", text);
}

static void end_run(bx_measuring *m, const bx_result *r)
{
    pthread_mutex_lock(&m->lock);
    m->status = bx_result_exit_status(r);
    m->runs++;
    keep_remarks(m, r);
    pthread_mutex_unlock(&m->lock);
}

/* A workload begins again when it has ended: this has no end of its own. */
static void *measure(void *context)
{
    bx_measuring *m = context;
    bx_error e = {0};
    int code = BX_OK;
    const bx_measure_watch watch =
        m->hottest ? bx_hottest_watch(m->hottest) : (bx_measure_watch){0};
    const bx_measure_followers by = {m->signals, m->hottest ? &watch : NULL};
    do {
        bx_result *r = NULL;
        code = bx_measure_watched(m->catalog, m->machine, &m->how, &m->what, &by, &r, &e);
        if (!code)
            end_run(m, r);
        bx_result_free(r);
    } while (!code && m->what.workload && go_on(m, 0));
    pthread_mutex_lock(&m->lock);
    m->ended = true;
    m->error = e;
    m->series.running = false;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

int bx_measuring_start(bx_measuring *m, bx_error *e)
{
    m->series.most = m->most;
    m->series.keeps = m->keeps;
    m->what.at_interval = take_interval;
    m->what.progress = go_on;
    m->what.context = m;
    pthread_mutex_init(&m->lock, NULL);
    if (m->hottest)
        m->hottest->lock = &m->lock;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&m->changed, &clock);
    pthread_condattr_destroy(&clock);
    int reason = pthread_create(&m->thread, NULL, measure, m);
    if (reason)
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot start a thread: %s", strerror(reason));
    m->begun = true;
    pthread_mutex_lock(&m->lock);
    while (!m->series.intervals && !m->ended)
        pthread_cond_wait(&m->changed, &m->lock);
    int code = m->error.code;
    if (code && e)
        *e = m->error;
    pthread_mutex_unlock(&m->lock);
    return code;
}

void bx_measuring_ask_to_stop(bx_measuring *m)
{
    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

void bx_measuring_allow(bx_measuring *m, uint64_t intervals)
{
    pthread_mutex_lock(&m->lock);
    m->allowed = intervals;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

void bx_measuring_end(bx_measuring *m)
{
    if (!m->begun)
        return;
    bx_measuring_ask_to_stop(m);
    pthread_join(m->thread, NULL);
    m->begun = false;
}

void bx_measuring_stop(bx_measuring *m)
{
    bx_measuring_end(m);
    if (m->hottest)
        bx_hottest_free(m->hottest);
    bx_series_free(&m->series);
    bx_buf_free(&m->remarks);
}

bool bx_measuring_ended(bx_measuring *m)
{
    pthread_mutex_lock(&m->lock);
    bool ended = m->ended;
    pthread_mutex_unlock(&m->lock);
    return ended;
}

bool bx_measuring_await(bx_measuring *m, uint64_t *seen, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&m->lock);
    while (m->series.intervals == *seen && !m->ended)
        if (pthread_cond_timedwait(&m->changed, &m->lock, &until) == ETIMEDOUT)
            break;
    bool is_new = m->series.intervals != *seen;
    *seen = m->series.intervals;
    pthread_mutex_unlock(&m->lock);
    return is_new;
}

void bx_measuring_write(bx_measuring *m, void (*format)(const bx_series *, bx_buf *), bx_buf *to)
{
    pthread_mutex_lock(&m->lock);
    format(&m->series, to);
    pthread_mutex_unlock(&m->lock);
}
