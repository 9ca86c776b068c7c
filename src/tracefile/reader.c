/* Reads a trace file. */
#include "tracefile/reader.h"

#include "base/error.h"
#include "tracefile/cksum.h"
#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* What a file may make its readers do, in proportion to its bytes: docs/reference/trace.md,
 * "Limits". A recorded trace stays far below, because times differ from record to record. */
enum {
    PROCESSES_MOST = 1 << 22,
    MEMORY_ALWAYS = 64 << 20, /* bytes of memory, */
    MEMORY_PER_BYTE = 256,    /* and more of them for each byte of the file */
    PROCESS_BYTES = 64 << 10, /* memory of a process without its blocks and threads */
    ENDED_BYTES = 512,        /* and what is left of it when it has ended */
    KERNEL_ALWAYS = 1 << 30,  /* bytes that the kernel accesses, */
    KERNEL_PER_BYTE = 1 << 16,
    PARTS_ALWAYS = 1 << 14, /* parts, */
    PARTS_PER_BYTE = 2,     /* and more of them for each byte, */
    WORDS_PER_PART = 4,     /* and for so many words */
};

/* Memory that grows. Growing loses its contents. */
typedef struct memory {
    uint8_t *byte; /* [room] */
    size_t room;
} memory;

struct bx_tracefile_reader {
    bx_tracefile_source from;
    bx_tracefile_head head;
    bx_buf text; /* text of the head */
    ZSTD_DCtx *zstd;
    bx_codec **codec; /* [processes]; NULL: the process has ended */
    uint32_t processes;
    bx_codec_counts gone; /* counts of processes that have ended */
    bx_cksum sum;         /* checksum of all bytes read */
    bx_codec_inputs at;   /* the part of raw that has not been read */
    uint64_t memory;      /* estimated bytes that readers need for all processes */
    uint64_t kernel;      /* bytes that the kernel accesses for them */
    uint64_t parts, words_read;
    bx_tracefile_note *note; /* NULL: nobody watches */
    void *context;
    uint32_t *numbers; /* [processes] that the kernel gave, if somebody watches */
    uint32_t reading;  /* that of the process whose words are read */
    memory raw, pack, words;
};

static bool make_room_for_bytes(memory *m, size_t bytes)
{
    if (bytes <= m->room)
        return true;
    free(m->byte);
    m->byte = malloc(bytes);
    m->room = m->byte ? bytes : 0;
    return m->byte;
}

/* ---- bytes ---- */

static int read_bytes(bx_tracefile_reader *r, void *to, size_t n, size_t *got, bx_error *e)
{
    char reason[128];
    int err = 0;
    *got = 0;
    for (size_t more = 1; *got < n && more; *got += more)
        more = r->from.read(r->from.context, (char *)to + *got, n - *got, &err);
    bx_cksum_add(&r->sum, to, *got);
    return err ? bx_fail(e, bx_code_of(err), 0, 0, "the trace cannot be read: %s",
                         strerror_r(err, reason, sizeof reason))
               : BX_OK;
}

static int cut_off(const bx_tracefile_reader *r, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the trace is cut off after %llu bytes: its end is missing",
            (unsigned long long)r->sum.bytes);
    bx_hint(e, "'boxscore trace info' says what can be read of it");
    return BX_BAD_INPUT;
}

static int read_exactly(bx_tracefile_reader *r, void *to, size_t n, bx_error *e)
{
    size_t got;
    int code = read_bytes(r, to, n, &got, e);
    return code != BX_OK || got == n ? code : cut_off(r, e);
}

static int damaged(const bx_tracefile_reader *r, const char *why, bx_error *e)
{
    return bx_fail(e, BX_BAD_INPUT, 0, 0, "the trace is damaged before byte %llu: %s",
                   (unsigned long long)r->sum.bytes, why);
}

/* ---- the head ---- */

static bool is_beginning(const bx_buf *text)
{
    static const char magic[] = "boxscore trace ";
    size_t n = text->n < sizeof magic - 1 ? text->n : sizeof magic - 1;
    return memcmp(text->p, magic, n) == 0;
}

/* Reads exactly to the end of the empty line. */
static int read_head(bx_tracefile_reader *r, bx_error *e)
{
    bx_buf *text = &r->text;
    while (text->n < 2 || text->p[text->n - 1] != '\n' || text->p[text->n - 2] != '\n') {
        char byte;
        int code = read_exactly(r, &byte, 1, e);
        if (code != BX_OK)
            return code;
        bx_buf_add(text, &byte, 1);
        if (text->failed)
            return bx_out_of_memory(e);
        if (text->n == BX_TRACEFILE_HEAD_MOST || !is_beginning(text))
            break;
    }
    return bx_tracefile_head_read(&r->head, (bx_str){text->p, text->n}, e);
}

static int read_begin(bx_tracefile_reader *r, bx_error *e)
{
    int code = read_head(r, e);
    if (code != BX_OK)
        return code;
    r->zstd = ZSTD_createDCtx();
    return r->zstd ? BX_OK : bx_out_of_memory(e);
}

int bx_tracefile_reader_new(bx_tracefile_source from, bx_tracefile_reader **r, bx_error *e)
{
    bx_tracefile_reader *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->from = from;
    bx_cksum_begin(&made->sum);
    int code = read_begin(made, e);
    if (code != BX_OK)
        bx_tracefile_reader_free(made);
    else
        *r = made;
    return code;
}

void bx_tracefile_reader_free(bx_tracefile_reader *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->processes; i++)
        bx_codec_free(r->codec[i]);
    free(r->codec);
    free(r->numbers);
    bx_tracefile_head_free(&r->head);
    bx_buf_free(&r->text);
    ZSTD_freeDCtx(r->zstd);
    free(r->raw.byte);
    free(r->pack.byte);
    free(r->words.byte);
    free(r);
}

const bx_tracefile_head *bx_tracefile_reader_head(const bx_tracefile_reader *r)
{
    return &r->head;
}

/* ---- chunks ---- */

static size_t get32(const uint8_t *from)
{
    return (size_t)from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
}

/* Sets the columns; their lengths add up to the unpacked length. */
static void set_columns(bx_tracefile_reader *r, const size_t length[3])
{
    const uint8_t *at = r->raw.byte;
    bx_codec_input *column[3] = {&r->at.records, &r->at.near, &r->at.far};
    for (unsigned i = 0; i < 3; at += length[i++])
        *column[i] = (bx_codec_input){at, at + length[i]};
}

static int read_chunk(bx_tracefile_reader *r, bx_error *e)
{
    uint8_t head[BX_CHUNK_HEAD];
    int code = read_exactly(r, head, sizeof head, e);
    if (code != BX_OK)
        return code;
    const size_t length[3] = {get32(head), get32(head + 4), get32(head + 8)};
    size_t raw = length[0] + length[1] + length[2], packed = get32(head + 12);
    if (length[0] == 0 || raw > BX_CHUNK_MOST || packed > ZSTD_compressBound(BX_CHUNK_MOST))
        return damaged(r, "a chunk of impossible size", e);
    if (!make_room_for_bytes(&r->raw, raw) || !make_room_for_bytes(&r->pack, packed))
        return bx_out_of_memory(e);
    code = read_exactly(r, r->pack.byte, packed, e);
    if (code != BX_OK)
        return code;
    size_t n = ZSTD_decompressDCtx(r->zstd, r->raw.byte, raw, r->pack.byte, packed);
    if (ZSTD_isError(n))
        return damaged(r, ZSTD_getErrorName(n), e);
    if (n != raw)
        return damaged(r, "a chunk of another size than it says", e);
    set_columns(r, length);
    return BX_OK;
}

/* ---- parts ---- */

static bool take_number(bx_tracefile_reader *r, uint64_t *value)
{
    bx_codec_input *in = &r->at.records;
    *value = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint8_t byte = *in->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_numbers(bx_tracefile_reader *r, uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!take_number(r, &values[i]))
            return false;
    return true;
}

static size_t left(bx_codec_input in)
{
    return (size_t)(in.end - in.at);
}

static bool has_rest(const bx_tracefile_reader *r)
{
    return left(r->at.near) || left(r->at.far);
}

/* ---- limits ---- */

/* The bytes of memory that further parts may take. */
static uint64_t memory_left(const bx_tracefile_reader *r)
{
    uint64_t most = MEMORY_ALWAYS + MEMORY_PER_BYTE * r->sum.bytes;
    return r->memory < most ? most - r->memory : 0;
}

static uint64_t kernel_left(const bx_tracefile_reader *r)
{
    uint64_t most = KERNEL_ALWAYS + KERNEL_PER_BYTE * r->sum.bytes;
    return r->kernel < most ? most - r->kernel : 0;
}

static int check_parts(bx_tracefile_reader *r, bx_error *e)
{
    uint64_t most = PARTS_ALWAYS + PARTS_PER_BYTE * r->sum.bytes + r->words_read / WORDS_PER_PART;
    return ++r->parts <= most
               ? BX_OK
               : damaged(r, "more parts without words than a file of its size has", e);
}

static void see_control(void *context, const uint64_t *words)
{
    const bx_tracefile_reader *r = context;
    if (bx_trace_control_kind(words[0]) == BX_TRACE_NOTE)
        r->note(r->context, r->reading, words);
}

static bool watch_process(bx_tracefile_reader *r, uint32_t number)
{
    uint32_t *more = realloc(r->numbers, (r->processes + 1) * sizeof *more);
    if (!more)
        return false;
    r->numbers = more;
    r->numbers[r->processes] = number;
    bx_codec_watch(r->codec[r->processes], see_control, r);
    return true;
}

void bx_tracefile_watch(bx_tracefile_reader *r, bx_tracefile_note *note, void *context)
{
    r->note = note;
    r->context = context;
}

static int take_hello(bx_tracefile_reader *r, const uint64_t *values, bx_tracefile_part *part,
                      bx_error *e)
{
    if (values[0] > UINT32_MAX || values[1] > UINT32_MAX || r->processes == PROCESSES_MOST)
        return damaged(r, "a process that cannot be", e);
    if (memory_left(r) < PROCESS_BYTES)
        return damaged(r, "more processes than a file of its size has", e);
    bx_codec **more = realloc(r->codec, (r->processes + 1) * sizeof(bx_codec *));
    if (!more)
        return bx_out_of_memory(e);
    r->codec = more;
    r->codec[r->processes] = bx_codec_new();
    if (!r->codec[r->processes])
        return bx_out_of_memory(e);
    if (r->note && !watch_process(r, (uint32_t)values[0])) {
        bx_codec_free(r->codec[r->processes]);
        return bx_out_of_memory(e);
    }
    r->memory += PROCESS_BYTES;
    part->number = r->processes++;
    part->process = (uint32_t)values[0];
    part->parent = (uint32_t)values[1];
    part->time = values[2];
    return BX_OK;
}

static int take_words(bx_tracefile_reader *r, const uint64_t *values, bx_tracefile_part *part,
                      bx_error *e)
{
    bx_codec *c = r->codec[values[0]];
    if (values[1] > BX_PART_WORDS)
        return damaged(r, "a part that does not fit", e);
    if (!make_room_for_bytes(&r->words, values[1] * sizeof(uint64_t)))
        return bx_out_of_memory(e);
    uint64_t *words = (uint64_t *)(void *)r->words.byte;
    bx_codec_memory before = bx_codec_memory_of(c);
    bx_codec_allow(c, memory_left(r), kernel_left(r));
    r->reading = r->numbers ? r->numbers[values[0]] : 0;
    bool good = bx_codec_decode(c, &r->at, words, values[1]);
    bx_codec_memory after = bx_codec_memory_of(c);
    r->memory += after.held - before.held + after.kept - before.kept;
    r->kernel += after.kernel - before.kernel;
    r->words_read += values[1];
    if (!good)
        return bx_codec_ran_out(c) ? bx_out_of_memory(e) : damaged(r, bx_codec_wrong(c), e);
    part->words = words;
    part->n = values[1];
    return BX_OK;
}

static void add_counts(bx_codec_counts *to, bx_codec_counts more)
{
    bx_trace_counts_add(&to->made, more.made, 1);
    to->threads += more.threads;
}

static void take_gone(bx_tracefile_reader *r, uint32_t number)
{
    add_counts(&r->gone, bx_codec_count(r->codec[number]));
    r->memory -= PROCESS_BYTES - ENDED_BYTES + bx_codec_memory_of(r->codec[number]).held;
    bx_codec_free(r->codec[number]);
    r->codec[number] = NULL;
}

static int take_fact(bx_tracefile_reader *r, const uint64_t *values, bx_tracefile_part *part,
                     bx_error *e)
{
    if (values[0] > UINT32_MAX || values[1] > BX_PART_NAME_MOST || values[1] > left(r->at.records))
        return damaged(r, "a part that does not fit", e);
    part->process = (uint32_t)values[0];
    part->name = (bx_str){(const char *)r->at.records.at, values[1]};
    r->at.records.at += values[1];
    return BX_OK;
}

static int take_end(bx_tracefile_reader *r, const uint64_t *values, bx_tracefile_part *part,
                    bx_error *e)
{
    uint8_t end[BX_CHUNK_HEAD], more;
    size_t got;
    if (values[0] > 255 || values[1] > 127 || left(r->at.records) || has_rest(r))
        return damaged(r, "its end is malformed", e);
    part->status = (int)values[0];
    part->signal = (int)values[1];
    int code = read_exactly(r, end, sizeof end, e);
    if (code == BX_OK)
        code = read_bytes(r, &more, 1, &got, e);
    if (code == BX_OK && (got || memcmp(end, (uint8_t[BX_CHUNK_HEAD]){0}, sizeof end) != 0))
        return damaged(r, "something follows its end", e);
    return code;
}

static int take_part(bx_tracefile_reader *r, bx_tracefile_part *part, bx_error *e)
{
    static const unsigned char numbers[] = {
        [BX_PART_HELLO] = 3,  [BX_PART_WORDS_OF] = 2, [BX_PART_GONE] = 1,
        [BX_PART_UNREAD] = 2, [BX_PART_ROUND] = 0,    [BX_PART_END] = 2,
        [BX_PART_CUT] = 2,    [BX_PART_LEFT] = 2,     [BX_PART_FACT] = 2};
    uint64_t values[3];
    unsigned kind = *r->at.records.at++;
    if (kind < BX_PART_HELLO || kind >= sizeof numbers || !take_numbers(r, values, numbers[kind]))
        return damaged(r, "a part of unknown kind, or without an end", e);
    part->kind = (enum bx_part)kind;
    if (kind == BX_PART_HELLO)
        return take_hello(r, values, part, e);
    if (kind == BX_PART_END)
        return take_end(r, values, part, e);
    if (kind == BX_PART_ROUND)
        return BX_OK;
    if (kind == BX_PART_UNREAD || kind >= BX_PART_CUT)
        return take_fact(r, values, part, e);
    if (values[0] >= r->processes || !r->codec[values[0]])
        return damaged(r, "a process that has not begun, or is gone", e);
    part->number = (uint32_t)values[0];
    if (kind == BX_PART_WORDS_OF)
        return take_words(r, values, part, e);
    take_gone(r, part->number);
    return BX_OK;
}

int bx_tracefile_next(bx_tracefile_reader *r, bx_tracefile_part *part, bx_error *e)
{
    *part = (bx_tracefile_part){0};
    if (!left(r->at.records) && has_rest(r))
        return damaged(r, "addresses that no record has", e);
    int code = left(r->at.records) ? BX_OK : read_chunk(r, e);
    if (code == BX_OK)
        code = check_parts(r, e);
    part->bytes = r->sum.bytes;
    return code == BX_OK ? take_part(r, part, e) : code;
}

void *bx_tracefile_take_words(bx_tracefile_reader *r)
{
    void *words = r->words.byte;
    r->words = (memory){0};
    return words;
}

/* ---- counts ---- */

bx_codec_counts bx_tracefile_counts(const bx_tracefile_reader *r)
{
    bx_codec_counts sum = r->gone;
    for (uint32_t i = 0; i < r->processes; i++)
        if (r->codec[i])
            add_counts(&sum, bx_codec_count(r->codec[i]));
    return sum;
}

uint32_t bx_tracefile_processes(const bx_tracefile_reader *r)
{
    return r->processes;
}

uint64_t bx_tracefile_bytes(const bx_tracefile_reader *r)
{
    return r->sum.bytes;
}

uint32_t bx_tracefile_cksum(const bx_tracefile_reader *r)
{
    return bx_cksum_of(&r->sum);
}
