/* Writes a trace file. */
#include "tracefile/writer.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Level of zstd. For a trace of gzip, level 3 takes 1.5 times as long, for a file that is smaller
 * by a sixteenth. */
enum { LEVEL = 2 };

struct bx_tracefile_writer {
    bx_tracefile_sink to;
    ZSTD_CCtx *zstd;
    bx_codec **codec; /* [processes]; NULL: the process has ended */
    uint32_t processes;
    uint8_t *column[3];  /* [BX_CHUNK_MOST] each */
    bx_codec_columns at; /* ends of the columns */
    uint8_t *pack;       /* [room]: the head of the chunk, then the frame */
    size_t room;
    int failed; /* errno of a failed write */
    bool no_memory;
    const char *wrong;
};

static void send(bx_tracefile_writer *w, const void *bytes, size_t n)
{
    if (!w->failed)
        w->failed = w->to.write(w->to.context, bytes, n);
}

static bool write_begin(bx_tracefile_writer *w, const bx_tracefile_head *head)
{
    bx_buf text = {0};
    w->room = BX_CHUNK_HEAD + ZSTD_compressBound(BX_CHUNK_MOST);
    w->zstd = ZSTD_createCCtx();
    for (unsigned i = 0; i < 3; i++)
        w->column[i] = malloc(BX_CHUNK_MOST);
    w->at = (bx_codec_columns){w->column[0], w->column[1], w->column[2]};
    w->pack = malloc(w->room);
    bx_tracefile_head_write(head, &text);
    bool good = w->zstd && w->column[0] && w->column[1] && w->column[2] && w->pack && !text.failed;
    if (good) {
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
        send(w, text.p, text.n);
    }
    bx_buf_free(&text);
    return good;
}

bx_tracefile_writer *bx_tracefile_writer_new(const bx_tracefile_head *head, bx_tracefile_sink to)
{
    bx_tracefile_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->to = to;
    if (write_begin(w, head))
        return w;
    bx_tracefile_writer_free(w);
    return NULL;
}

void bx_tracefile_writer_free(bx_tracefile_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->processes; i++)
        bx_codec_free(w->codec[i]);
    free(w->codec);
    ZSTD_freeCCtx(w->zstd);
    for (unsigned i = 0; i < 3; i++)
        free(w->column[i]);
    free(w->pack);
    free(w);
}

/* ---- chunks ---- */

static void put32(uint8_t *to, size_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static size_t bytes_of(const bx_tracefile_writer *w)
{
    return (size_t)(w->at.records - w->column[0]) + (size_t)(w->at.near - w->column[1]) +
           (size_t)(w->at.far - w->column[2]);
}

/* Appends all columns to the first one, whose room is enough. */
static void join_columns(bx_tracefile_writer *w, const size_t length[3])
{
    memcpy(w->column[0] + length[0], w->column[1], length[1]);
    memcpy(w->column[0] + length[0] + length[1], w->column[2], length[2]);
    w->at = (bx_codec_columns){w->column[0], w->column[1], w->column[2]};
}

static void send_chunk(bx_tracefile_writer *w)
{
    size_t all = bytes_of(w), n;
    const size_t length[3] = {(size_t)(w->at.records - w->column[0]),
                              (size_t)(w->at.near - w->column[1]),
                              (size_t)(w->at.far - w->column[2])};
    if (!all)
        return;
    join_columns(w, length);
    n = ZSTD_compress2(w->zstd, w->pack + BX_CHUNK_HEAD, w->room - BX_CHUNK_HEAD, w->column[0],
                       all);
    if (ZSTD_isError(n)) {
        w->no_memory = true; /* there is room, so only memory can be missing */
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        put32(w->pack + 4 * (size_t)i, length[i]);
    put32(w->pack + 12, n);
    send(w, w->pack, BX_CHUNK_HEAD + n);
}

bool bx_tracefile_writer_failed(const bx_tracefile_writer *w)
{
    return w->failed || w->no_memory || w->wrong;
}

/* ---- parts ---- */

static void put_number(bx_tracefile_writer *w, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *w->at.records++ = (uint8_t)(value | 0x80);
    *w->at.records++ = (uint8_t)value;
}

static void begin_part(bx_tracefile_writer *w, enum bx_part kind)
{
    if (bytes_of(w) >= BX_CHUNK_BYTES)
        send_chunk(w);
    *w->at.records++ = (uint8_t)kind;
}

static bool add_codec(bx_tracefile_writer *w)
{
    bx_codec **more = realloc(w->codec, (w->processes + 1) * sizeof(bx_codec *));
    if (!more)
        return false;
    w->codec = more;
    w->codec[w->processes] = bx_codec_new();
    return w->codec[w->processes];
}

uint32_t bx_tracefile_writer_processes(const bx_tracefile_writer *w)
{
    return w->processes;
}

uint32_t bx_tracefile_write_hello(bx_tracefile_writer *w, uint32_t process, uint32_t parent,
                                  uint64_t time)
{
    if (bx_tracefile_writer_failed(w))
        return 0;
    if (!add_codec(w)) {
        w->no_memory = true;
        return 0;
    }
    begin_part(w, BX_PART_HELLO);
    put_number(w, process);
    put_number(w, parent);
    put_number(w, time);
    return w->processes++;
}

void bx_tracefile_write_watched(bx_tracefile_writer *w, uint32_t number, bx_codec_control *control,
                                void *context)
{
    if (!bx_tracefile_writer_failed(w) && number < w->processes && w->codec[number])
        bx_codec_watch(w->codec[number], control, context);
}

/* Writes a part of words. Their number is known only afterwards, so its field has room for the
 * largest number. */
static void write_part(bx_tracefile_writer *w, uint32_t number, const uint64_t *words, size_t n)
{
    bx_codec *c = w->codec[number];
    begin_part(w, BX_PART_WORDS_OF);
    put_number(w, number);
    uint8_t *count = w->at.records;
    w->at.records += 3;
    n = bx_codec_encode(c, words, n, &w->at);
    w->wrong = bx_codec_wrong(c);
    w->no_memory |= bx_codec_ran_out(c);
    count[0] = (uint8_t)(n | 0x80);
    count[1] = (uint8_t)(n >> 7 | 0x80);
    count[2] = (uint8_t)(n >> 14);
}

void bx_tracefile_write_words(bx_tracefile_writer *w, uint32_t number, const uint64_t *words,
                              size_t n)
{
    if (n > BX_PART_WORDS)
        w->wrong = "too many words at once";
    if (n && !bx_tracefile_writer_failed(w) && number < w->processes && w->codec[number])
        write_part(w, number, words, n);
}

void bx_tracefile_write_gone(bx_tracefile_writer *w, uint32_t number)
{
    if (bx_tracefile_writer_failed(w) || number >= w->processes)
        return;
    begin_part(w, BX_PART_GONE);
    put_number(w, number);
    bx_codec_free(w->codec[number]);
    w->codec[number] = NULL;
}

void bx_tracefile_write_fact(bx_tracefile_writer *w, enum bx_part kind, uint32_t process,
                             const char *text)
{
    size_t n = strlen(text);
    n = n < BX_PART_NAME_MOST ? n : BX_PART_NAME_MOST;
    if (bx_tracefile_writer_failed(w))
        return;
    begin_part(w, kind);
    put_number(w, process);
    put_number(w, n);
    memcpy(w->at.records, text, n);
    w->at.records += n;
}

void bx_tracefile_write_round(bx_tracefile_writer *w)
{
    if (!bx_tracefile_writer_failed(w))
        begin_part(w, BX_PART_ROUND);
}

int bx_tracefile_write_end(bx_tracefile_writer *w, int status, int signal, bx_error *e)
{
    static const uint8_t end[BX_CHUNK_HEAD] = {0};
    char reason[128];
    if (!bx_tracefile_writer_failed(w)) {
        begin_part(w, BX_PART_END);
        put_number(w, (uint64_t)status);
        put_number(w, (uint64_t)signal);
        send_chunk(w);
        send(w, end, sizeof end);
    }
    if (w->no_memory)
        return bx_out_of_memory(e);
    if (w->wrong)
        return bx_fail(e, BX_SYSTEM, 0, 0, "unintelligible trace: %s", w->wrong);
    if (w->failed == EPIPE) /* nobody reads it, which needs no message */
        return bx_fail(e, BX_SYSTEM, 0, 0, "%s", "");
    if (w->failed) {
        bx_fail(e, bx_code_of(w->failed), 0, 0, "cannot write '%s': %s", w->to.name,
                strerror_r(w->failed, reason, sizeof reason));
        bx_hint(e, "make room there, or give another file: a trace takes up to a byte for each "
                   "memory reference");
        return e->code;
    }
    return BX_OK;
}
