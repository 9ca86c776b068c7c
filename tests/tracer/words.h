/* Words of a process, put together by hand, and the executions of its tasks. */
#ifndef BX_TESTS_TRACER_WORDS_H
#define BX_TESTS_TRACER_WORDS_H

#include "../cmocked.h"

#include "streamed.h"

#include "tracer/trace_format.h"

#include <string.h>
#include <sys/syscall.h>

enum {
    LOADS = 1, /* numbers of blocks: an instruction that loads 8 bytes, or stores them */
    STORES,
    FIRST = 2, /* accesses of the first execution of a thread: a fetch and that one … */
    LATER = 1, /* … and of a later one: the line has been fetched */
    PAGE_LINES = 64,
    WORDS = 256,
};

typedef struct text {
    uint64_t word[WORDS];
    size_t n;
} text;

static inline void put(text *t, uint64_t word)
{
    assert_true(t->n < WORDS);
    t->word[t->n++] = word;
}

static inline void control(text *t, enum bx_trace_control_kind kind, uint32_t value, size_t n,
                           const uint64_t *words)
{
    put(t, bx_trace_control_word(kind, value));
    for (size_t i = 0; i < n; i++)
        put(t, words[i]);
}

#define CONTROL(t, kind, value, ...)                                                               \
    control(t, kind, value, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                  \
            (uint64_t[]){__VA_ARGS__})

static inline void thread(text *t, uint32_t number)
{
    put(t, bx_trace_control_word(BX_TRACE_THREAD, number));
}

static inline void execute(text *t, uint64_t block, uint64_t address)
{
    put(t, block << BX_TRACE_EXIT_BITS);
    put(t, address);
}

static inline void describe(text *t)
{
    CONTROL(t, BX_TRACE_BLOCK, 3, LOADS, bx_trace_instruction(0x1000, 4, BX_CLASS_OTHER),
            bx_trace_entry(BX_TRACE_LOAD, 8, 0), bx_trace_entry(BX_TRACE_EXIT, 0, 0));
    CONTROL(t, BX_TRACE_BLOCK, 3, STORES, bx_trace_instruction(0x1004, 4, BX_CLASS_OTHER),
            bx_trace_entry(BX_TRACE_STORE, 8, 0), bx_trace_entry(BX_TRACE_EXIT, 0, 0));
}

/* The running thread makes another one, number 2. */
static inline void start_second_thread(text *t)
{
    CONTROL(t, BX_TRACE_CALL, SYS_clone, 10, BX_TRACE_NOTHING, 0);
    CONTROL(t, BX_TRACE_START, 2, 1);
    CONTROL(t, BX_TRACE_RETURN, SYS_clone, 11, BX_TRACE_NOTHING, 0);
}

static inline void read_all(streamed *s, bx_trace_stream *stream, const text *t)
{
    assert_int_equal(streamed_read(s, stream, t->word, t->n), t->n);
    assert_null(s->family.malformed);
}

/* The n-th task made, from 0. */
static inline bx_task *task(const streamed *s, size_t n)
{
    size_t all = 0;
    for (const bx_task *t = s->tasks.first; t; t = t->next)
        all++;
    bx_task *t = s->tasks.first;
    for (size_t i = all - 1; i > n; i--)
        t = t->next;
    return t;
}

static inline size_t execute_one(streamed *s, bx_task *t)
{
    assert_int_equal(bx_task_state_of(t), BX_TASK_READY);
    const bx_batch *b = bx_task_take(t);
    size_t n = (size_t)(b->to - b->from);
    bx_task_finish(&s->tasks, t);
    return n;
}

#endif
