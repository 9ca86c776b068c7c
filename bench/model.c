/* Measures the speed of the machine model on recorded accesses.
 *
 * usage: bench_model [--oracle] TRACE|compress|sweep|lines
 *
 * TRACE is a file of bx_access records, as bench_record writes them. The other traces are made
 * here: `compress` is what a compressor does with its window and hash chains, `sweep` loads 8 bytes
 * at a time through 256 MiB, and `lines` loads once per line of them. One core executes the
 * accesses from memory on the machine of `virtual:skl,part=plain`. Prints the data references, the
 * seconds, and millions of data references a second. With --oracle the plain reference model runs
 * the accesses as well, in five alternating rounds. All counts must be equal, and the median of the
 * ratios is printed. */
#include "oracle.h"

#include "model/machine/client/counts.h"
#include "model/engine/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const bx_model_shape shape = {.packages = 1, .cores = 4, .slices = 4, .llc_bytes = 8 << 20};

struct trace {
    bx_access *access;
    size_t n, room;
    uint64_t data_references;
};

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "bench_model: %s%s\n", what, which);
    exit(1);
}

/* ---- traces ---- */

static void add(struct trace *t, bx_access a)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 1 << 20;
        t->access = realloc(t->access, t->room * sizeof *t->access);
        if (!t->access)
            fail("out of memory", "");
    }
    t->access[t->n++] = a;
}

static void read_trace(struct trace *t, const char *name)
{
    FILE *file = fopen(name, "rb");
    bx_access piece[4096];
    size_t n;

    if (!file)
        fail("cannot open ", name);
    while ((n = fread(piece, sizeof *piece, 4096, file)) > 0)
        for (size_t i = 0; i < n; i++)
            add(t, piece[i]);
    fclose(file);
}

enum { REFERENCES = 16000000 };

static void sweep(struct trace *t, struct bx_frames *frames, unsigned step)
{
    for (uint64_t at = 0; t->n < REFERENCES; at = (at + step) % (256 << 20))
        add(t, bx_access_make(bx_frames_line(frames, at), BX_LOAD, 0, 1));
}

/* What deflate does: it searches earlier text for matches, by hash chains in a window of 32 KiB. */
struct compressor {
    struct trace *t;
    struct bx_frames *frames;
    uint8_t text[1 << 20];
    uint16_t head[1 << 15], chain[1 << 15];
};

enum { TEXT = 0x10000000, HEAD = 0x20000000, CHAIN = 0x30000000, OUT = 0x40000000 };

static void touch(struct compressor *c, uint64_t address, unsigned kind)
{
    add(c->t, bx_access_make(bx_frames_line(c->frames, address), kind, 0, 2));
}

static uint8_t text_at(struct compressor *c, uint32_t at)
{
    touch(c, TEXT + at, BX_LOAD);
    return c->text[at];
}

static uint32_t match_length(struct compressor *c, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    while (n < 258 && b + n < sizeof c->text && text_at(c, a + n) == text_at(c, b + n))
        n++;
    return n;
}

static void compress(struct trace *t, struct bx_frames *frames)
{
    struct compressor *c = calloc(1, sizeof *c);
    uint32_t random = 1, out = 0;

    if (!c)
        fail("out of memory", "");
    *c = (struct compressor){.t = t, .frames = frames};
    for (size_t i = 0; i < sizeof c->text; i++) {
        random = random * 1103515245 + 12345;
        c->text[i] = i > 4096 && random >> 24 < 240 ? c->text[i - 1 - (random >> 8) % 8 * 499]
                                                    : (uint8_t)(random >> 16 & 63);
    }
    for (uint32_t at = 0; t->n < REFERENCES; at = (at + 1) % (sizeof c->text - 300)) {
        uint32_t hash =
            (text_at(c, at) << 10 ^ text_at(c, at + 1) << 5 ^ text_at(c, at + 2)) & 0x7fff;
        uint32_t best = 0, tries = 8;
        touch(c, HEAD + 2 * hash, BX_LOAD);
        for (uint32_t seen = c->head[hash]; seen && tries--; seen = c->chain[seen]) {
            uint32_t back = (at - seen) & 0x7fff,
                     n = back <= at ? match_length(c, at - back, at) : 0;
            best = n > best ? n : best;
            touch(c, CHAIN + 2 * seen, BX_LOAD);
        }
        c->chain[at & 0x7fff] = c->head[hash];
        touch(c, CHAIN + 2 * (at & 0x7fff), BX_STORE);
        c->head[hash] = at & 0x7fff;
        touch(c, HEAD + 2 * hash, BX_STORE);
        touch(c, OUT + out++ % (1 << 20), BX_STORE);
        at += best > 3 ? best / 2 : 0;
    }
    free(c);
}

static void make_trace(struct trace *t, const char *name)
{
    struct bx_frames *frames = bx_frames_new(1);

    if (!frames)
        fail("out of memory", "");
    if (!strcmp(name, "compress"))
        compress(t, frames);
    else if (!strcmp(name, "sweep"))
        sweep(t, frames, 8);
    else if (!strcmp(name, "lines"))
        sweep(t, frames, 64);
    else
        read_trace(t, name);
    bx_frames_free(frames);
    for (size_t i = 0; i < t->n; i++)
        t->data_references += (t->access[i] & 3) != BX_FETCH;
}

/* ---- runs ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum bx_feed_state nothing_more(bx_feed *feed)
{
    (void)feed;
    return BX_FEED_END;
}

/* run_model() and run_oracle() return the seconds of the run alone. The caller reads and frees the
 * machine. */
static double run_model(const struct trace *t, bx_model **model)
{
    bx_error e = {0};
    bx_feed feed = {t->access, t->access + t->n, nothing_more};

    *model = bx_model_new("client", &shape, &e);
    if (!*model)
        fail(e.message, "");
    bx_model_feed(*model, 0, &feed);
    double begin = seconds();
    bx_model_run(*model, BX_NEVER);
    return seconds() - begin;
}

static double run_oracle(const struct trace *t, struct oracle **oracle)
{
    struct oracle_trace traces[BX_AGENTS] = {{t->access, t->n}};

    *oracle = oracle_new(&shape, false);
    double begin = seconds();
    oracle_run(*oracle, traces);
    return seconds() - begin;
}

static uint64_t sum(const uint64_t *part, size_t n)
{
    return n ? part[0] + sum(part + 1, n - 1) : 0;
}

/* Model and oracle have their counts in the same order, so equal bytes are equal counts. */
static void compare(bx_model *model, const struct oracle *oracle)
{
    const struct bx_client_counts *ours = bx_client_counts_of(model);
    const struct oracle_counts *theirs = oracle_counts(oracle);
    bool equal = bx_model_accesses(model) == theirs->accesses &&
                 !memcmp(ours->lookup, theirs->lookup, sizeof ours->lookup) &&
                 !memcmp(ours->xsnp, theirs->xsnp, sizeof ours->xsnp) &&
                 sum(ours->arb, BX_ARB_KINDS) == theirs->arb_all &&
                 ours->arb[BX_ARB_DATA_READ] == theirs->arb_data_read &&
                 ours->arb[BX_ARB_WRITE] == theirs->arb_writes &&
                 sum(ours->occupancy, BX_ARB_KINDS) == theirs->occupancy_all &&
                 ours->occupancy[BX_ARB_DATA_READ] == theirs->occupancy_data_read &&
                 !memcmp(ours->imc, theirs->imc_requests, sizeof ours->imc) &&
                 ours->data_reads == theirs->data_reads && ours->data_writes == theirs->data_writes;
    if (!equal)
        fail("the oracle counts differently", "");
}

/* One round of model and oracle; returns the oracle's seconds over the model's. */
static double round_of_both(const struct trace *t, double *model_seconds)
{
    bx_model *model;
    struct oracle *oracle;
    double ours = run_model(t, &model), theirs = run_oracle(t, &oracle);

    compare(model, oracle);
    bx_model_free(model);
    oracle_free(oracle);
    *model_seconds = ours;
    return theirs / ours;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void against_oracle(const struct trace *t)
{
    enum { ROUNDS = 5 };
    double ratio[ROUNDS], time[ROUNDS];

    for (int i = 0; i < ROUNDS; i++)
        ratio[i] = round_of_both(t, &time[i]);
    qsort(ratio, ROUNDS, sizeof *ratio, by_value);
    qsort(time, ROUNDS, sizeof *time, by_value);
    double rate = (double)t->data_references / time[ROUNDS / 2] / 1e6;
    printf("%.1f x the oracle (%.1f M data references a second), all counts equal\n",
           ratio[ROUNDS / 2], rate);
}

int main(int argc, char **argv)
{
    struct trace t = {0};
    bool oracle = argc == 3 && !strcmp(argv[1], "--oracle");

    if (argc != 2 && !oracle)
        fail("usage: bench_model [--oracle] TRACE|compress|sweep|lines", "");
    make_trace(&t, argv[argc - 1]);
    if (oracle) {
        against_oracle(&t);
    } else {
        bx_model *model;
        double taken = run_model(&t, &model);
        bx_model_free(model);
        printf("%llu %.3f %.1f\n", (unsigned long long)t.data_references, taken,
               (double)t.data_references / taken / 1e6);
    }
    free(t.access);
    return 0;
}
