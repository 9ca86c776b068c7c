/* The measurement of a server. */
#include "serve/measuring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

/* The interval's values; sums only of what has no units. */
static bool add_values(bx_series *s, const bx_result *r)
{
    size_t n = bx_result_values(r);
    bx_series_begin(s);
    for (size_t i = 0; i < n; i++) {
        int state = bx_result_state(r, i), package = bx_result_package(r, i);
        bool is_sum = bx_result_is_sum(r, i);
        bool has_parts = is_sum && i + 1 < n && !bx_result_is_sum(r, i + 1);
        const bx_series_value value = {
            .event = bx_result_event(r, i),
            .counts = bx_result_counts(r, i),
            .package = package == BX_ANY ? -1 : package,
            .unit = bx_result_unit(r, i) == BX_ANY ? -1 : bx_result_unit(r, i),
            .value = bx_result_value(r, i),
            .share = bx_result_share(r, i),
            .reason =
                state == BX_COUNTED || state == BX_SCALED ? NULL : bx_result_state_text(r, i)};
        if (!has_parts && !bx_series_add(s, &value))
            return false;
    }
    s->seconds += bx_result_seconds(r);
    return true;
}

static int take_interval(void *context, const bx_result *r, bx_error *e)
{
    bx_measuring *m = context;
    pthread_mutex_lock(&m->lock);
    bx_series *s = &m->series;
    const char *machine = bx_result_machine(r);
    bool done = bx_series_text(s, &s->machine, machine) && add_values(s, r);
    s->is_virtual = strncmp(machine, "virtual:", 8) == 0;
    s->running = true;
    m->intervals++;
    pthread_cond_broadcast(&m->changed);
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

/* A workload begins again when it has ended: a server has no end of its own. */
static void *measure(void *context)
{
    bx_measuring *m = context;
    bx_error e = {0};
    int code = BX_OK, status = 0;
    do {
        bx_result *r = NULL;
        code = bx_measure(m->catalog, m->machine, &m->how, &m->what, &r, &e);
        if (!code)
            status = bx_result_exit_status(r);
        bx_result_free(r);
    } while (!code && m->what.workload && go_on(m, 0));
    pthread_mutex_lock(&m->lock);
    m->ended = true;
    m->error = e;
    m->status = status;
    m->series.running = false;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

int bx_measuring_start(bx_measuring *m, bx_error *e)
{
    m->series.most = m->most;
    m->what.at_interval = take_interval;
    m->what.progress = go_on;
    m->what.context = m;
    pthread_mutex_init(&m->lock, NULL);
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
    while (!m->intervals && !m->ended)
        pthread_cond_wait(&m->changed, &m->lock);
    int code = m->error.code;
    if (code && e)
        *e = m->error;
    pthread_mutex_unlock(&m->lock);
    return code;
}

void bx_measuring_stop(bx_measuring *m)
{
    if (m->begun) {
        pthread_mutex_lock(&m->lock);
        m->stop = true;
        pthread_mutex_unlock(&m->lock);
        pthread_join(m->thread, NULL);
    }
    bx_series_free(&m->series);
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
    while (m->intervals == *seen && !m->ended)
        if (pthread_cond_timedwait(&m->changed, &m->lock, &until) == ETIMEDOUT)
            break;
    bool is_new = m->intervals != *seen;
    *seen = m->intervals;
    pthread_mutex_unlock(&m->lock);
    return is_new;
}

void bx_measuring_write(bx_measuring *m, void (*format)(const bx_series *, bx_buf *), bx_buf *to)
{
    pthread_mutex_lock(&m->lock);
    format(&m->series, to);
    pthread_mutex_unlock(&m->lock);
}
