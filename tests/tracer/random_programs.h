/* Random programs, as words and as the text of lackey. */
#ifndef BX_TESTS_TRACER_RANDOM_PROGRAMS_H
#define BX_TESTS_TRACER_RANDOM_PROGRAMS_H

#include "decoder_rig.h"

#include "machine/program/decode/lackey.h"

#include <stdio.h>

typedef struct program {
    uint64_t words[1 << 16];
    size_t n;
    char text[1 << 21];
    size_t length;
} program;

enum { BLOCKS = 40, MOST_ENTRIES = 24 };

static const uint64_t DATA = 0x7f0000000000;
static unsigned data_bytes = 1 << 14; /* that programs access */

typedef struct described {
    uint64_t entry[MOST_ENTRIES];
    size_t n, exits;
} described;

static inline void word(program *p, uint64_t w)
{
    assert_true(p->n < sizeof p->words / sizeof *p->words);
    p->words[p->n++] = w;
}

static inline void line(program *p, const char *kind, uint64_t address, unsigned size)
{
    p->length += (size_t)snprintf(p->text + p->length, sizeof p->text - p->length,
                                  "%s %" PRIx64 ",%u\n", kind, address, size);
    assert_true(p->length < sizeof p->text - 64);
}

static inline void describe(program *p, described *b, uint64_t number)
{
    uint64_t address = 0x400000 + roll(4096);
    *b = (described){0};
    while (b->n < MOST_ENTRIES - 1) {
        unsigned kind = b->n == 0 ? 0 : roll(8), size = 1 + roll(15);
        if (kind < 4) {
            b->entry[b->n++] = instruction(address, size);
            address += size;
        } else if (kind < 6) {
            bool guarded = roll(4) == 0;
            b->entry[b->n++] =
                bx_trace_entry(roll(2) ? BX_TRACE_LOAD : BX_TRACE_STORE,
                               roll(6) ? 1u << roll(6) : 512, guarded ? BX_TRACE_GUARDED : 0);
        } else if (kind == 6) {
            b->entry[b->n++] = bx_trace_entry(BX_TRACE_EXIT, 0, 0);
            b->exits++;
        } else {
            break;
        }
    }
    b->entry[b->n++] = bx_trace_entry(BX_TRACE_EXIT, 0, 0);
    b->exits++;
    word(p, bx_trace_control_word(BX_TRACE_BLOCK, (uint32_t)b->n));
    word(p, number);
    for (size_t i = 0; i < b->n; i++)
        word(p, b->entry[i]);
}

static inline void access_of(program *p, uint64_t entry)
{
    bool guarded = entry & BX_TRACE_GUARDED;
    uint64_t address = DATA + roll(data_bytes);
    if (guarded && roll(2)) {
        word(p, BX_TRACE_NO_ACCESS);
        return;
    }
    word(p, address);
    line(p, bx_trace_entry_kind(entry) == BX_TRACE_LOAD ? " L" : " S", address,
         bx_trace_entry_size(entry));
}

static inline void execute(program *p, const described *b, uint64_t number)
{
    size_t left_by = roll((unsigned)b->exits), exit = 0;
    word(p, number << BX_TRACE_EXIT_BITS | left_by);
    for (size_t i = 0; i < b->n; i++) {
        switch (bx_trace_entry_kind(b->entry[i])) {
        case BX_TRACE_INSTRUCTION:
            line(p, "I ", bx_trace_entry_address(b->entry[i]), bx_trace_entry_size(b->entry[i]));
            break;
        case BX_TRACE_EXIT:
            if (exit++ == left_by)
                return;
            break;
        default:
            access_of(p, b->entry[i]);
        }
    }
}

/* Many turns in one line without data: their cost exceeds what an access carries. */
static inline void spin(program *p)
{
    described b = {.n = 4, .exits = 1};
    for (unsigned i = 0; i < 3; i++)
        b.entry[i] = instruction(0x500000 + i, 1);
    b.entry[3] = bx_trace_entry(BX_TRACE_EXIT, 0, 0);
    word(p, bx_trace_control_word(BX_TRACE_BLOCK, 4));
    word(p, BLOCKS);
    for (unsigned i = 0; i < 4; i++)
        word(p, b.entry[i]);
    for (unsigned i = 1350 + roll(60); i; i--)
        execute(p, &b, BLOCKS);
}

static inline void make_program(program *p)
{
    described block[BLOCKS];
    p->n = p->length = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        describe(p, &block[i], i);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned number = roll(BLOCKS);
        if (roll(100) == 0)
            describe(p, &block[number], number); /* translated again */
        if (roll(400) == 0)
            spin(p);
        execute(p, &block[number], number);
    }
}

static inline size_t by_lackey(const program *p, bx_access *to, size_t room)
{
    bx_lackey l = {.frames = bx_frames_new(SEED), .slot = bx_core_time_slot(NULL)};
    size_t made;
    assert_int_equal(bx_lackey_read(&l, p->text, p->length, to, room, &made), p->length);
    assert_int_equal(l.malformed, 0);
    made += bx_lackey_end(&l, to + made);
    bx_frames_free(l.frames);
    return made;
}

#endif
