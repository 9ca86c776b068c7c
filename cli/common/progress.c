/* Writes and erases the progress line. */
#include "cli/common/progress.h"

#include "base/buf.h"
#include "report/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

double bx_progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bx_progress bx_progress_start(void)
{
    return (bx_progress){.terminal = isatty(STDERR_FILENO), .start = bx_progress_clock()};
}

static void put_progress(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

enum { USUAL = 80, MOST = 160 /* columns that are used */ };

unsigned bx_progress_columns(int fd)
{
    struct winsize size;
    const char *wanted = getenv("COLUMNS");
    unsigned long own = wanted ? strtoul(wanted, NULL, 10) : 0;
    if (own && own < MOST)
        return (unsigned)own;
    unsigned n = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    return n == 0 ? USUAL : n > MOST ? MOST : n;
}

/* "virtual time 0.51 s, 42 % of the trace, run 2 of 5, 1,234,567 accesses, 12.3 s, 24 x slower"
 * than the machine */
static void describe(const bx_measurement_state *state, double taken, bx_buf *to)
{
    char number[BX_NUMBER];
    if (state->is_virtual)
        bx_buf_f(to, "virtual time %s s, ", bx_number_figure(state->seconds, number));
    if (state->share >= 0)
        bx_buf_f(to, "%s %% of the trace, ", bx_number_plain(100 * state->share, 0, number));
    if (state->runs > 1)
        bx_buf_f(to, "run %llu of %llu, ", (unsigned long long)state->run,
                 (unsigned long long)state->runs);
    if (state->is_virtual)
        bx_buf_f(to, "%s accesses, ", bx_number_whole(state->accesses, number));
    bx_buf_f(to, "%s s", bx_number_plain(taken, 1, number));
    if (state->is_virtual && state->seconds > 0)
        bx_buf_f(to, ", %s x slower", bx_number_plain(taken / state->seconds, 0, number));
}

/* Seconds that the work has taken, if it is time to show a line; 0: it is not. */
static double time_to_show(const bx_progress *p)
{
    double now = bx_progress_clock(), taken = now - p->start;
    return p->terminal && taken >= 1 && now - p->last >= 0.1 ? taken : 0;
}

/* A second line could not be erased. The cursor returns to column 1, so that the program's output
 * overwrites this one. */
static void put_line(bx_progress *p, const char *text)
{
    char whole[MOST + 8];
    snprintf(whole, sizeof whole, "\r\033[K%.*s\r", (int)bx_progress_columns(STDERR_FILENO) - 1,
             text);
    put_progress(whole);
    p->last = bx_progress_clock();
    p->shown = true;
}

void bx_progress_show(bx_progress *p, const bx_measurement_state *state)
{
    double taken = time_to_show(p);
    if (taken == 0)
        return;
    bx_buf line = {0};
    describe(state, taken, &line);
    put_line(p, bx_buf_text(&line));
    bx_buf_free(&line);
}

void bx_progress_say(bx_progress *p, const char *text)
{
    char number[BX_NUMBER];
    double taken = time_to_show(p);
    if (taken == 0)
        return;
    bx_buf line = {0};
    bx_buf_f(&line, "%s s: %s", bx_number_plain(taken, 1, number), text);
    put_line(p, bx_buf_text(&line));
    bx_buf_free(&line);
}

void bx_progress_erase(bx_progress *p)
{
    if (p->shown)
        put_progress("\r\033[K");
    p->shown = false;
}
