/* Implements trace.h. */
#include "../cmocked.h"

#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *open_trace(const char *name)
{
    char path[4096];
    const char *root = getenv("SOURCE_ROOT");
    snprintf(path, sizeof(path), "%s/tests/reglogs/%s", root ? root : ".", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

static void play_write(struct bench *b, const struct register_log *t, unsigned cpu, uint64_t msr,
                       uint64_t value)
{
    set_on(b, cpu, msr, value);
    if (msr == t->start && value >> t->go & 1)
        script_pass(&b->script, 10);
}

/* Values that were read must be those of the recording, except the preloaded ones that its header
 * names. */
static void play_read(struct bench *b, struct register_log *t, unsigned cpu, uint64_t msr,
                      uint64_t value, unsigned *reads)
{
    uint64_t got = get_on(b, cpu, msr);
    for (unsigned i = 0; t->preloaded[i]; i++)
        if (msr == t->preloaded[i])
            assert_int_equal(got, value);
    if (msr != t->counter)
        return;
    t->counted = t->counted ? t->counted : got;
    assert_int_equal(got, t->counted * ++*reads);
}

void register_log_play(struct bench *b, struct register_log *t)
{
    FILE *f = open_trace(t->name);
    char line[256], way;
    uint64_t at, value;
    unsigned cpu, reads = 0;
    while (fgets(line, sizeof(line), f)) {
        if (line[0] == '#')
            continue;
        t->lines++;
        if (sscanf(line, "pci 00:00.0 R64 0x%" SCNx64 " 0x%" SCNx64, &at, &value) == 2) {
            assert_int_equal(get_pci(b, at, 64), value);
            continue;
        }
        assert_int_equal(sscanf(line, "cpu%u %c 0x%" SCNx64 " 0x%" SCNx64, &cpu, &way, &at, &value),
                         4);
        if (way == 'W')
            play_write(b, t, cpu, at, value);
        else
            play_read(b, t, cpu, at, value, &reads);
    }
    fclose(f);
}
