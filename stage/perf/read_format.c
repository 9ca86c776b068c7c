/* Lays out the values, times and ids of a read() as the read_format asks for. */
#include "stage/perf/read_format.h"

#include <linux/perf_event.h>
#include <string.h>

static size_t words_each(uint64_t format)
{
    return 1u + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

size_t bx_read_size(uint64_t format, size_t n)
{
    size_t times = (size_t) !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    return sizeof(uint64_t) * (format & PERF_FORMAT_GROUP ? 1 + times + n * words_each(format)
                                                          : times + words_each(format));
}

static char *put_word(char *to, uint64_t word)
{
    memcpy(to, &word, sizeof word);
    return to + sizeof word;
}

static char *put_times(char *to, uint64_t format, uint64_t enabled, uint64_t running)
{
    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        to = put_word(to, enabled);
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        to = put_word(to, running);
    return to;
}

static char *put_id(char *to, uint64_t format, const bx_read_value *value)
{
    if (format & PERF_FORMAT_ID)
        to = put_word(to, value->id);
    if (format & PERF_FORMAT_LOST)
        to = put_word(to, value->lost);
    return to;
}

void bx_read_put(uint64_t format, uint64_t enabled, uint64_t running, const bx_read_value *values,
                 size_t n, char *to)
{
    if (!(format & PERF_FORMAT_GROUP)) { /* the times are between value and id */
        to = put_times(put_word(to, values->count), format, enabled, running);
        put_id(to, format, values);
        return;
    }
    to = put_times(put_word(to, n), format, enabled, running);
    for (size_t i = 0; i < n; i++)
        to = put_id(put_word(to, values[i].count), format, &values[i]);
}
