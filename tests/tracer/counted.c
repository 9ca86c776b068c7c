/* Implements counted.h. */
#include "counted.h"

#include "../cmocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_counts(const char *path, counted *c)
{
    char line[256];
    size_t n = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (n < COUNTED_MOST && fgets(line, sizeof line, f))
        n += sscanf(line, "%" SCNu64 ",", &c->n[n]) == 1;
    fclose(f);
    if (n == 0)
        fail_msg("nothing was counted:\n%s", c->by.err);
}

counted count_events(const char *events, const char *options, const char *program)
{
    char folder[] = "/tmp/boxscore-counted-XXXXXX", file[64], script[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/counts", folder);
    int n = snprintf(
        script, sizeof script,
        "P=%s/tests/tracer/traced_\n"
        "exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain %s -x , -o %s -e %s -- %s",
        getenv("BUILD_ROOT"), options, file, events, program);
    assert_true(n > 0 && (size_t)n < sizeof script);
    counted c = {.by = run_shell(script)};
    read_counts(file, &c);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0);
    return c;
}

void count_them(const char *events, const char *options, const char *program, uint64_t *n)
{
    counted c = count_events(events, options, program);
    memcpy(n, c.n, sizeof c.n);
    assert_silent(&c.by);
}

uint64_t count_event(const char *event, const char *options, const char *program)
{
    uint64_t n[COUNTED_MOST];
    count_them(event, options, program, n);
    return n[0];
}

int64_t count_more(const char *event, const char *options, const char *more, const char *than)
{
    return (int64_t)(count_event(event, options, more) - count_event(event, options, than));
}
