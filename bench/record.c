/* Records the memory references of a program in the form that the machine model reads: a file of
 * bx_access records in the host's byte order.
 *
 * usage: bench_record [-n DATA-REFERENCES] [-d] FILE [-n …] [-d] PROGRAM [ARGUMENT…]
 *
 * -n ends the program after that many loads and stores. -d leaves fetches out; their cost is added
 * to the next access. */
#include "machine/program/tracer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t most; /* loads and stores to record at most */
    bool data_only;
    const char *file;
    char **program;
};

static int usage(void)
{
    fprintf(stderr, "usage: bench_record [-n DATA-REFERENCES] [-d] FILE PROGRAM [ARGUMENT...]\n");
    return 2;
}

static bool parse(struct options *o, char **arg)
{
    o->most = UINT64_MAX;
    for (; *arg && !(o->file && **arg != '-'); arg++) {
        if (strcmp(*arg, "-d") == 0)
            o->data_only = true;
        else if (strcmp(*arg, "-n") == 0 && arg[1])
            o->most = strtoull(*++arg, NULL, 10);
        else if (!o->file && **arg != '-')
            o->file = *arg;
        else
            return false;
    }
    o->program = arg;
    return o->file && *arg;
}

static unsigned cost_of(bx_access a)
{
    return a >> 4 & BX_ACCESS_COST_MAX;
}

/* Writes the feed to the file; returns the number of loads and stores. */
static uint64_t record(const struct options *o, bx_feed *feed, FILE *to)
{
    uint64_t references = 0;
    unsigned skipped = 0; /* cost of fetches that were left out */
    while (references < o->most &&
           (feed->next != feed->end || feed->refill(feed) == BX_FEED_MORE)) {
        bx_access a = *feed->next++;
        bool data = (a & 3) != BX_FETCH, keep = data || !o->data_only;
        references += data;
        unsigned cost = cost_of(a) + skipped;
        if (cost > BX_ACCESS_COST_MAX)
            cost = BX_ACCESS_COST_MAX;
        skipped = keep ? 0 : cost;
        a = (a & ~((bx_access)BX_ACCESS_COST_MAX << 4)) | (bx_access)cost << 4;
        if (keep && fwrite(&a, sizeof a, 1, to) != 1)
            break;
    }
    return references;
}

int main(int argc, char **argv)
{
    (void)argc;
    struct options o = {0};
    if (!parse(&o, argv + 1))
        return usage();
    bx_error e = {0};
    bx_tracer *tracer;
    struct bx_frames *frames = bx_frames_new(1);
    if (!frames ||
        bx_tracer_new(o.program, frames, &(bx_tracer_options){0}, &tracer, &e) != BX_OK) {
        fprintf(stderr, "bench_record: %s\n", e.message);
        return 1;
    }
    FILE *to = fopen(o.file, "wb");
    uint64_t references = to ? record(&o, bx_tracer_feed(tracer, 0), to) : 0;
    bool fine = to && !ferror(to);
    if (to && fclose(to) != 0)
        fine = false;
    if (!fine)
        perror(o.file);
    if (fine && bx_tracer_ends(tracer) && bx_tracer_check(tracer, &e) != BX_OK) {
        fprintf(stderr, "bench_record: %s\n", e.message);
        fine = false;
    }
    bx_tracer_free(tracer);
    bx_frames_free(frames);
    printf("%" PRIu64 "\n", references);
    return fine ? 0 : 1;
}
