/* A decoder with an address space of its own. */
#ifndef BX_TESTS_TRACER_DECODER_RIG_H
#define BX_TESTS_TRACER_DECODER_RIG_H

#include "../cmocked.h"
#include "../dice.h"

#include "machine/program/decode/decoder_state.h"

#include "tracer/trace_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 3, ROOM = 4 * BX_DECODER_BURST };

static uint64_t seed = 1;

static inline unsigned roll(unsigned n)
{
    return dice_below(&seed, n);
}

/* A decoder with an address space of its own. */
typedef struct rig {
    struct bx_frames *frames;
    bx_physical_memory *memory;
    bx_address_space *space;
} rig;

static inline bx_decoder *open_decoder_of_lines(rig *r, bool kernel, unsigned line_shift)
{
    r->frames = bx_frames_new(SEED);
    bx_frames_set_line(r->frames, line_shift);
    r->memory = bx_physical_memory_new(r->frames);
    r->space = bx_address_space_new(r->memory);
    /* as lackey sees it: no page is the one of zeros */
    bx_address_space_map(r->space,
                         (bx_mapping){.bytes = (UINT64_C(1) << 47) - 4096, .filled = true});
    bx_decoder *d = bx_decoder_new(r->space, kernel);
    assert_non_null(d);
    return d;
}

static inline bx_decoder *open_decoder(rig *r, bool kernel)
{
    return open_decoder_of_lines(r, kernel, BX_USUAL_LINE_SHIFT);
}

static inline void close_decoder(bx_decoder *d, rig *r)
{
    bx_decoder_free(d);
    bx_address_space_free(r->space);
    bx_physical_memory_free(r->memory);
    bx_frames_free(r->frames);
}

static inline size_t decode(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to)
{
    size_t made;
    assert_int_equal(bx_decoder_read(d, words, n, to, ROOM, &made), n);
    assert_null(bx_decoder_malformed(d));
    return made;
}

static inline uint64_t instruction(uint64_t address, unsigned size)
{
    return bx_trace_instruction(address, size, BX_CLASS_OTHER);
}

#endif
