/* Words of a trace: they are decoded, or refused with a message. The number of words that are
 * available at once makes no difference. Read as the words of a process, they become tasks that
 * end. */
#include "fuzz/fuzz.h"
#include "machine/program/decode/decoder.h"
#include "streamed.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 1, ROOM = 4 * BX_DECODER_BURST, MOST = 1 << 16 };

typedef struct outcome {
    size_t read, made; /* words, accesses */
    uint64_t sum;      /* of the accesses */
    const char *malformed;
    bx_trace_counts counts;
} outcome;

/* step: how many further words are available each time. */
static outcome decode(const uint64_t *words, size_t n, size_t step, const bx_tlb_geometry *tlb,
                      const bx_core_time *core)
{
    static bx_access to[ROOM];
    struct bx_frames *frames = tlb ? bx_frames_new_huge(SEED) : bx_frames_new(SEED);
    bx_physical_memory *memory = bx_physical_memory_new(frames);
    bx_address_space *space = bx_address_space_new(memory);
    bx_decoder *d = bx_decoder_new(space, false);
    outcome o = {0};
    FUZZ_MUST(d && (!tlb || bx_decoder_translate(d, tlb)));
    bx_decoder_time(d, core);
    for (size_t there = 0; there < n && !bx_decoder_malformed(d);) {
        there = n - there < step ? n : there + step;
        for (size_t read = 1; read; o.read += read) {
            size_t made;
            read = bx_decoder_read(d, words + o.read, there - o.read, to, ROOM, &made);
            FUZZ_MUST(read <= there - o.read && made <= ROOM);
            for (size_t i = 0; i < made; i++) {
                FUZZ_MUST(bx_access_line(to[i]) >> bx_page_lines_shift(BX_USUAL_LINE_SHIFT) <
                          1 << BX_FRAME_BITS);
                o.sum = o.sum * 31 + to[i];
            }
            o.made += made;
        }
    }
    o.made += bx_decoder_end(d, to);
    o.malformed = bx_decoder_malformed(d);
    o.counts = bx_decoder_counts(d);
    bx_decoder_free(d);
    bx_address_space_free(space);
    bx_physical_memory_free(memory);
    bx_frames_free(frames);
    return o;
}

static void decode_both(const uint64_t *words, size_t n, const bx_tlb_geometry *tlb,
                        const bx_core_time *core)
{
    outcome whole = decode(words, n, MOST, tlb, core), slow = decode(words, n, 1, tlb, core);
    FUZZ_MUST(whole.read == slow.read && whole.made == slow.made && whole.sum == slow.sum);
    FUZZ_MUST(whole.malformed == slow.malformed);
    FUZZ_MUST(memcmp(&whole.counts, &slow.counts, sizeof whole.counts) == 0);
}

/* After the last word every task can end: no thread waits for an access that is never made. */
static void read_as_process(const uint64_t *words, size_t n)
{
    streamed s;
    streamed_begin(&s, true);
    size_t read = streamed_read(&s, s.stream, words, n);
    bx_trace_stream_end(s.stream);
    streamed_execute(&s, NULL, NULL);
    FUZZ_MUST(read <= n);
    FUZZ_MUST(streamed_is_done(&s));
    FUZZ_MUST(!s.family.no_memory);
    streamed_end(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = size / sizeof(uint64_t);
    uint64_t *words = (uint64_t *)(void *)fuzz_exact(data, n * sizeof *words);
    const bx_core_time plain = {0}, slowest = {8, 15, 15, 15, 1, 4};
    decode_both(words, n, NULL, &plain);
    decode_both(words, n, &bx_tlb_skylake, &plain);
    decode_both(words, n, NULL, &slowest);
    decode_both(words, n, &bx_tlb_skylake, &slowest);
    read_as_process(words, n);
    free(words);
    return 0;
}
