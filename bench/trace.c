/* Traces a program without a model. Prints the accesses, the CPU seconds of the program under its
 * tracer, and the CPU seconds of the reader. usage: bench_trace PROGRAM [ARGUMENT…] */
#include "machine/program/tracer.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static double seconds(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
    bx_error e = {0};
    bx_tracer *tracer;
    const bx_tracer_options o = {0};
    struct bx_frames *frames = bx_frames_new(1);
    uint64_t accesses = 0;
    if (argc < 2 || !frames || bx_tracer_new(argv + 1, frames, &o, &tracer, &e) != BX_OK) {
        fprintf(stderr, "bench_trace: %s\n", argc < 2 ? "no program is named" : e.message);
        return 1;
    }
    for (bx_feed *feed = bx_tracer_feed(tracer, 0); feed->refill(feed) == BX_FEED_MORE;
         feed->next = feed->end)
        accesses += (uint64_t)(feed->end - feed->next);
    bx_tracer_ends(tracer);
    int code = bx_tracer_check(tracer, &e);
    if (code != BX_OK)
        fprintf(stderr, "bench_trace: %s\n", e.message);
    fprintf(stderr, "%" PRIu64 " accesses, program %.2f s, reader %.2f s\n", accesses,
            seconds(RUSAGE_CHILDREN), seconds(RUSAGE_SELF));
    bx_tracer_free(tracer);
    bx_frames_free(frames);
    return code != BX_OK;
}
