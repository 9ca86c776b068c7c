/* Writes and erases the progress line. */
#include "cli/common/progress.h"

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

/* Columns of the terminal; at most 160 are used. */
static unsigned columns(void)
{
    enum { USUAL = 80, MOST = 160 };
    struct winsize size;
    const char *wanted = getenv("COLUMNS");
    unsigned long own = wanted ? strtoul(wanted, NULL, 10) : 0;
    if (own && own < MOST)
        return (unsigned)own;
    unsigned n = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    return n == 0 ? USUAL : n > MOST ? MOST : n;
}

void bx_progress_show(bx_progress *p, uint64_t accesses)
{
    if (!p->terminal)
        return;
    double now = bx_progress_clock(), taken = now - p->start;
    if (taken < 1 || now - p->last < 0.1)
        return;
    char line[160], whole[sizeof line + 8], done[BX_NUMBER], rate[BX_NUMBER], seconds[BX_NUMBER];
    bx_number_whole(accesses, done);
    bx_number_plain((double)accesses / taken / 1e6, 1, rate);
    bx_number_plain(taken, 1, seconds);
    snprintf(line, sizeof line, "%s accesses, %s million/s, %s s", done, rate, seconds);
    /* A second line could not be erased. The cursor returns to column 1, so that the program's
     * output overwrites this one. */
    snprintf(whole, sizeof whole, "\r\033[K%.*s\r", (int)columns() - 1, line);
    put_progress(whole);
    p->last = now;
    p->shown = true;
}

void bx_progress_erase(bx_progress *p)
{
    if (p->shown)
        put_progress("\r\033[K");
    p->shown = false;
}
