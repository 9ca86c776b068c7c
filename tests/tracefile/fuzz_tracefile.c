/* Trace files: an input is tried as a file, and as the parts of a chunk with a valid frame. It is
 * read to its end and replayed, or refused with one message. Writing words that were read gives the
 * same words again. */
#include "fuzz/fuzz.h"
#include "machine/program/trace/replay.h"
#include "tracefile/reader.h"
#include "tracer/trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

typedef struct input {
    const char *at;
    size_t n;
} input;

static size_t give(void *context, void *to, size_t n, int *err)
{
    input *in = context;
    (void)err;
    n = n < in->n ? n : in->n;
    memcpy(to, in->at, n);
    in->at += n;
    in->n -= n;
    return n;
}

/* One codec for all processes: one process's descriptions may replace another's, but then the
 * encoder refuses. */
static void encode_again(const bx_tracefile_part *p, bx_codec *c)
{
    uint8_t *column[3];
    for (unsigned i = 0; i < 3; i++)
        FUZZ_MUST(column[i] = malloc(p->n * BX_CODEC_WORD + 1));
    bx_codec_columns ends = {column[0], column[1], column[2]};
    size_t words = bx_codec_encode(c, p->words, p->n, &ends);
    FUZZ_MUST(words == p->n || bx_codec_wrong(c));
    FUZZ_MUST((size_t)(ends.records - column[0]) <= p->n * BX_CODEC_WORD);
    for (unsigned i = 0; i < 3; i++)
        free(column[i]);
}

static void read_all(bx_tracefile_reader *r, bx_error *e)
{
    bx_tracefile_part p = {0};
    bx_codec *c = bx_codec_new();
    int rc = BX_OK;
    FUZZ_MUST(c);
    while (rc == BX_OK && p.kind != BX_PART_END) {
        rc = bx_tracefile_next(r, &p, e);
        if (rc == BX_OK && p.n && p.number == 0) {
            encode_again(&p, c);
            FUZZ_MUST(!bx_codec_wrong(c));
        }
    }
    bx_codec_free(c);
    fuzz_check_error(e, rc, 0);
}

/* Without accesses of the kernel, because one record may have gigabytes. */
static void replay(const char *bytes, size_t n)
{
    char path[32];
    bx_error e = {0};
    bx_tasks tasks;
    bx_trace_replay *r = NULL;
    const bx_trace_replay_options o = {.frames = bx_frames_new(1)};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    FUZZ_MUST(o.frames && bx_tasks_begin(&tasks, NULL, false) && write(fd, bytes, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int rc = bx_trace_replay_new(path, &tasks, &o, &r, &e);
    while (rc == BX_OK && bx_trace_replay_step(r))
        ;
    rc = rc == BX_OK ? bx_trace_replay_check(r, &e) : rc;
    fuzz_check_error(&e, rc, 0);
    bx_trace_replay_free(r);
    bx_tasks_end(&tasks);
    bx_frames_free(o.frames);
    close(fd);
}

static void read_file(const char *bytes, size_t n)
{
    input in = {bytes, n};
    bx_error e = {0};
    bx_tracefile_reader *r = NULL;
    int rc = bx_tracefile_reader_new((bx_tracefile_source){give, &in}, &r, &e);
    if (rc == BX_OK)
        read_all(r, &e);
    else
        fuzz_check_error(&e, rc, 0);
    bx_tracefile_reader_free(r);
}

static void put32(char *to, size_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (char)(value >> 8 * i);
}

/* The input's first two bytes say how it is divided among the columns. */
static void read_chunk(const char *bytes, size_t n)
{
    char head[80];
    if (n < 2)
        return;
    const size_t begin = (size_t)snprintf(
        head, sizeof head, "boxscore trace 1\nwords %d\nargument a\npage-bytes 4096\n\n",
        BX_TRACE_VERSION);
    size_t near = (unsigned char)bytes[0], far = (unsigned char)bytes[1];
    bytes += 2;
    n -= 2;
    near = near < n ? near : 0;
    far = far < n - near ? far : 0;
    size_t room = begin + 2 * BX_CHUNK_HEAD + ZSTD_compressBound(n);
    char *file = calloc(1, room);
    FUZZ_MUST(file);
    memcpy(file, head, begin);
    size_t packed =
        ZSTD_compress(file + begin + BX_CHUNK_HEAD, room - begin - 2 * BX_CHUNK_HEAD, bytes, n, 1);
    put32(file + begin, n - near - far);
    put32(file + begin + 4, near);
    put32(file + begin + 8, far);
    put32(file + begin + 12, packed);
    read_file(file, begin + 2 * BX_CHUNK_HEAD + packed);
    replay(file, begin + 2 * BX_CHUNK_HEAD + packed);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_exact(data, size);
    read_file(bytes, size);
    read_chunk(bytes, size);
    free(bytes);
    return 0;
}
