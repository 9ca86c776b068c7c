#include "machine/program/trace_source.h"

#include "machine/program/decoder.h"
#include "machine/program/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert((int)BX_DECODER_BURST <= (int)BX_TRACE_ROOM, "a batch has room for any block");

typedef struct ring_source {
    bx_trace_source base;
    bx_ring *ring;
    bx_decoder *decoder;
    const char *malformed;
    bool ended;
} ring_source;

static size_t read_ring(bx_trace_source *source, bx_access *to, size_t room)
{
    ring_source *s = (ring_source *)source;
    size_t n = 0;
    s->malformed = bx_ring_malformed(s->ring);
    while (room - n >= BX_DECODER_BURST && !s->malformed) {
        const uint64_t *words;
        size_t made, there = bx_ring_words(s->ring, &words);
        if (there == 0)
            break;
        size_t read = bx_decoder_read(s->decoder, words, there, to + n, room - n, &made);
        bx_ring_consume(s->ring, read);
        n += made;
        s->malformed = bx_decoder_malformed(s->decoder);
        if (read == there || room - n < BX_DECODER_BURST || s->malformed)
            continue;
        if (bx_decoder_skips(words[read]))
            bx_ring_skip(s->ring);
        else
            s->malformed = "a record that has no end";
    }
    source->broken = s->malformed;
    source->no_memory = bx_decoder_out_of_memory(s->decoder);
    return n;
}

static void wait(bx_trace_source *source)
{
    bx_ring_wait(((ring_source *)source)->ring);
}

static size_t read_rest(bx_trace_source *source, bx_access *to, size_t room)
{
    ring_source *s = (ring_source *)source;
    if (s->ended)
        return 0;
    bx_ring_finish(s->ring);
    size_t n = read_ring(source, to, room);
    if (n == 0) {
        s->ended = true;
        n = bx_decoder_end(s->decoder, to);
    }
    return n;
}

static const char *malformed(bx_trace_source *source)
{
    return ((ring_source *)source)->malformed;
}

static void free_ring(bx_trace_source *source)
{
    ring_source *s = (ring_source *)source;
    bx_ring_free(s->ring);
    bx_decoder_free(s->decoder);
    free(s);
}

bx_trace_source *bx_ring_source(struct bx_frames *frames, bool remarks)
{
    ring_source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base = (bx_trace_source){-1, false, false, read_ring, wait, read_rest, malformed, free_ring};
    s->ring = bx_ring_new();
    s->decoder = s->ring ? bx_decoder_new(frames) : NULL;
    if (!s->decoder) {
        int err = errno;
        free_ring(&s->base);
        errno = err;
        return NULL;
    }
    if (remarks)
        bx_decoder_make_remarks(s->decoder);
    s->base.fd = bx_ring_fd(s->ring);
    return &s->base;
}
