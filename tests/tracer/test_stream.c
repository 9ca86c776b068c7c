/* Words of a process, by hand: which accesses wait for which, the kernel's accesses for it, and
 * words that no tracer writes. */
#include "../cmocked.h"

#include "streamed.h"

#include "machine/program/trace/member.h"
#include "tracer/trace_format.h"

#include <stdlib.h>
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

static void put(text *t, uint64_t word)
{
    assert_true(t->n < WORDS);
    t->word[t->n++] = word;
}

static void control(text *t, enum bx_trace_control_kind kind, uint32_t value, size_t n,
                    const uint64_t *words)
{
    put(t, bx_trace_control_word(kind, value));
    for (size_t i = 0; i < n; i++)
        put(t, words[i]);
}

#define CONTROL(t, kind, value, ...)                                                               \
    control(t, kind, value, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                  \
            (uint64_t[]){__VA_ARGS__})

static void thread(text *t, uint32_t number)
{
    put(t, bx_trace_control_word(BX_TRACE_THREAD, number));
}

static void execute(text *t, uint64_t block, uint64_t address)
{
    put(t, block << BX_TRACE_EXIT_BITS);
    put(t, address);
}

static void describe(text *t)
{
    CONTROL(t, BX_TRACE_BLOCK, 3, LOADS, bx_trace_instruction(0x1000, 4, BX_CLASS_OTHER),
            bx_trace_entry(BX_TRACE_LOAD, 8, 0), bx_trace_entry(BX_TRACE_EXIT, 0, 0));
    CONTROL(t, BX_TRACE_BLOCK, 3, STORES, bx_trace_instruction(0x1004, 4, BX_CLASS_OTHER),
            bx_trace_entry(BX_TRACE_STORE, 8, 0), bx_trace_entry(BX_TRACE_EXIT, 0, 0));
}

/* The running thread makes another one, number 2. */
static void start_second_thread(text *t)
{
    CONTROL(t, BX_TRACE_CALL, SYS_clone, 10, BX_TRACE_NOTHING, 0);
    CONTROL(t, BX_TRACE_START, 2, 1);
    CONTROL(t, BX_TRACE_RETURN, SYS_clone, 11, BX_TRACE_NOTHING, 0);
}

static void read_all(streamed *s, bx_trace_stream *stream, const text *t)
{
    assert_int_equal(streamed_read(s, stream, t->word, t->n), t->n);
    assert_null(s->family.malformed);
}

/* The n-th task made, from 0. */
static bx_task *task(const streamed *s, size_t n)
{
    size_t all = 0;
    for (const bx_task *t = s->tasks.first; t; t = t->next)
        all++;
    bx_task *t = s->tasks.first;
    for (size_t i = all - 1; i > n; i--)
        t = t->next;
    return t;
}

static size_t execute_one(streamed *s, bx_task *t)
{
    assert_int_equal(bx_task_state_of(t), BX_TASK_READY);
    const bx_batch *b = bx_task_take(t);
    size_t n = (size_t)(b->to - b->from);
    bx_task_finish(&s->tasks, t);
    return n;
}

/* ---- what waits for what ---- */

static void a_thread_starts_after_its_creators_clone(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    execute(&t, LOADS, 0x10000);
    start_second_thread(&t);
    execute(&t, LOADS, 0x10000);
    thread(&t, 2);
    execute(&t, LOADS, 0x20000);
    read_all(&s, s.stream, &t);
    assert_int_equal(bx_task_state_of(task(&s, 1)), BX_TASK_BLOCKED);
    assert_int_equal(execute_one(&s, task(&s, 0)), FIRST);
    assert_int_equal(execute_one(&s, task(&s, 1)), FIRST); /* before the creator's second load */
    assert_int_equal(execute_one(&s, task(&s, 0)), LATER);
    assert_true(streamed_is_done(&s));
    streamed_end(&s);
}

/* Thread 1 wakes thread 2, which had been waiting since it began. */
static void who_acquires_waits_for_the_release(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    start_second_thread(&t);
    thread(&t, 2);
    CONTROL(&t, BX_TRACE_CALL, SYS_futex, 12, BX_TRACE_NOTHING, 0);
    thread(&t, 1);
    execute(&t, LOADS, 0x10000);
    CONTROL(&t, BX_TRACE_CALL, SYS_futex, 13, BX_TRACE_FUTEX, 0x30000);
    CONTROL(&t, BX_TRACE_RETURN, SYS_futex, 14, BX_TRACE_NOTHING, 0);
    execute(&t, LOADS, 0x10008);
    thread(&t, 2);
    CONTROL(&t, BX_TRACE_RETURN, SYS_futex, 15, BX_TRACE_FUTEX, 0x30000);
    execute(&t, LOADS, 0x20000);
    read_all(&s, s.stream, &t);
    assert_int_equal(bx_task_state_of(task(&s, 1)), BX_TASK_BLOCKED);
    assert_int_equal(execute_one(&s, task(&s, 0)), FIRST);
    assert_int_equal(execute_one(&s, task(&s, 1)), FIRST);
    assert_int_equal(execute_one(&s, task(&s, 0)), LATER);
    streamed_end(&s);
}

/* An acquisition at time 15 does not wait for a release at time 20, although that was read
 * first. */
static void a_later_release_is_not_waited_for(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0}, other = {.n = 0};
    streamed_begin(&s, false);
    bx_trace_stream *second = streamed_new(&s, 101, true);
    describe(&t);
    thread(&t, 1);
    execute(&t, LOADS, 0x10000);
    CONTROL(&t, BX_TRACE_CALL, SYS_write, 20, BX_TRACE_PIPE, 7);
    read_all(&s, s.stream, &t);
    describe(&other);
    thread(&other, 1);
    CONTROL(&other, BX_TRACE_CALL, SYS_read, 14, BX_TRACE_NOTHING, 0);
    CONTROL(&other, BX_TRACE_RETURN, SYS_read, 15, BX_TRACE_PIPE, 7);
    execute(&other, LOADS, 0x10000);
    read_all(&s, second, &other);
    assert_int_equal(execute_one(&s, task(&s, 1)), FIRST);
    bx_trace_stream_free(second);
    streamed_end(&s);
}

/* Thread 1 stores to one word, and thread 2 then loads `address`. Returns the thread that thread 2
 * waits for. */
static enum bx_task_state after_a_store(uint64_t address)
{
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    start_second_thread(&t);
    execute(&t, STORES, 0x10000);
    thread(&t, 2);
    execute(&t, LOADS, address);
    read_all(&s, s.stream, &t);
    execute_one(&s, task(&s, 1)); /* the fetch before it does not wait */
    enum bx_task_state state = bx_task_state_of(task(&s, 1));
    streamed_end(&s);
    return state;
}

static void a_word_that_another_thread_wrote_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(after_a_store(0x10000), BX_TASK_BLOCKED);
    assert_int_equal(after_a_store(0x10004), BX_TASK_BLOCKED); /* half of it, half of the next */
}

/* Thread 2 stores and ends; the kernel clears a word. Thread 1 then loads `address`: it waits until
 * thread 2 has executed all that it has. */
static void load_after_an_end(uint64_t address)
{
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    start_second_thread(&t);
    thread(&t, 2);
    execute(&t, STORES, 0x10000);
    CONTROL(&t, BX_TRACE_STOP, 2, 20, 0x20000);
    thread(&t, 1);
    execute(&t, LOADS, address);
    read_all(&s, s.stream, &t);
    while (bx_task_state_of(task(&s, 0)) == BX_TASK_READY)
        execute_one(&s, task(&s, 0));
    assert_non_null(task(&s, 0)->first);
    while (bx_task_state_of(task(&s, 1)) == BX_TASK_READY)
        execute_one(&s, task(&s, 1));
    assert_int_equal(bx_task_state_of(task(&s, 0)), BX_TASK_READY);
    streamed_end(&s);
}

static void a_thread_that_has_ended_comes_first(void **state)
{
    (void)state;
    load_after_an_end(0x10000); /* it wrote the word */
    load_after_an_end(0x20000); /* the word was cleared at its end */
}

static void another_word_of_the_line_is_not(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    start_second_thread(&t);
    execute(&t, STORES, 0x10000);
    thread(&t, 2);
    execute(&t, LOADS, 0x10008);
    read_all(&s, s.stream, &t);
    assert_int_equal(execute_one(&s, task(&s, 1)), FIRST);
    streamed_end(&s);
}

/* ---- backlogs ---- */

/* Reads until the running thread has enough. */
static void run_on(streamed *s, const bx_task *t)
{
    text more = {.n = 0};
    for (unsigned i = 0; i < WORDS / 2; i++)
        execute(&more, LOADS, 0x10000);
    while (bx_task_backlog(&s->tasks, t) < BX_BACKLOG_MOST)
        read_all(s, s->stream, &more);
}

/* Thread 2 has enough. Thread 1 wants more, until it waits in a system call. When thread 2 has
 * executed its batch, it is no longer full. */
static void a_thread_with_enough_is_passed_over(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0}, call = {.n = 0};
    bool wanted;
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    CONTROL(&t, BX_TRACE_START, 2, 1);
    thread(&t, 2);
    read_all(&s, s.stream, &t);
    assert_int_equal(bx_trace_stream_fullest(s.stream, &wanted), 0);
    run_on(&s, task(&s, 1));
    assert_int_equal(bx_trace_stream_fullest(s.stream, &wanted), 2);
    assert_true(wanted);
    thread(&call, 1);
    CONTROL(&call, BX_TRACE_CALL, SYS_futex, 10, BX_TRACE_NOTHING, 0);
    read_all(&s, s.stream, &call);
    assert_int_equal(bx_trace_stream_fullest(s.stream, &wanted), 2);
    assert_false(wanted);
    streamed_execute(&s, NULL, NULL);
    assert_int_equal(bx_trace_stream_fullest(s.stream, &wanted), 0);
    streamed_end(&s);
}

/* ---- the kernel ---- */

static size_t execute_all(streamed *s)
{
    size_t n = streamed_execute(s, NULL, NULL);
    assert_true(streamed_is_done(s));
    return n;
}

/* A page that is written and one of code are touched first: 64 lines each. A page that is only
 * read is not zeroed; it is when it is written later. */
static void a_page_is_zeroed_at_its_first_touch(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        streamed s;
        text t = {.n = 0};
        streamed_begin(&s, kernel);
        describe(&t);
        thread(&t, 1);
        execute(&t, STORES, 0x10000);
        execute(&t, LOADS, 0x10800);
        execute(&t, LOADS, 0x11000);
        read_all(&s, s.stream, &t);
        assert_int_equal(execute_all(&s), FIRST + 2 * LATER + (kernel ? 2 * PAGE_LINES : 0));
        t.n = 0;
        execute(&t, STORES, 0x11000);
        read_all(&s, s.stream, &t);
        assert_int_equal(execute_all(&s), LATER + (kernel ? PAGE_LINES : 0));
        streamed_end(&s);
    }
}

/* Bytes 0x10 to 0x8f: three lines, of a page that was there. */
static void a_call_accesses_the_lines_of_its_buffer(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        streamed s;
        text t = {.n = 0};
        streamed_begin(&s, kernel);
        describe(&t);
        thread(&t, 1);
        execute(&t, STORES, 0x10000);
        read_all(&s, s.stream, &t);
        execute_all(&s);
        t.n = 0;
        CONTROL(&t, BX_TRACE_CALL, SYS_read, 10, BX_TRACE_NOTHING, 0);
        CONTROL(&t, BX_TRACE_KERNEL_WRITE, 0, 0x10010, 0x80);
        CONTROL(&t, BX_TRACE_KERNEL_READ, 0, 0x10040, 1);
        CONTROL(&t, BX_TRACE_KERNEL_READ, 0, 0x10040, 0);
        CONTROL(&t, BX_TRACE_RETURN, SYS_read, 11, BX_TRACE_NOTHING, 0);
        read_all(&s, s.stream, &t);
        assert_int_equal(execute_all(&s), kernel ? 4 : 0);
        streamed_end(&s);
    }
}

enum { PARENT = 100, CHILD = 101, FORKED = 10 };

/* The parent has written pages 10h to 12h, and forks. */
static bx_trace_stream *fork_of_three_pages(streamed *s)
{
    text t = {.n = 0};
    streamed_begin(s, true);
    describe(&t);
    thread(&t, 1);
    for (uint64_t page = 0x10; page < 0x13; page++)
        execute(&t, STORES, page << 12);
    CONTROL(&t, BX_TRACE_FORK, 0, FORKED);
    read_all(s, s->stream, &t);
    bx_trace_stream *child = streamed_new(s, CHILD, false);
    bx_trace_fork f = bx_trace_family_child(&s->family, PARENT, FORKED, 0);
    assert_non_null(f.space);
    assert_true(bx_trace_stream_begin(child, f.space, f.at));
    assert_null(bx_trace_family_child(&s->family, PARENT, FORKED, 0).space);
    execute_all(s);
    return child;
}

static size_t executions(streamed *s, bx_trace_stream *in, bool first, size_t n,
                         const uint64_t words[][2])
{
    text t = {.n = 0};
    if (first)
        describe(&t);
    thread(&t, 1);
    for (size_t i = 0; i < n; i++)
        execute(&t, words[i][0], words[i][1]);
    read_all(s, in, &t);
    return execute_all(s);
}

/* The child writes two of the pages, twice each, and reads the third: a kernel copies two, each 64
 * loads and 64 stores. The parent then writes all: the two are its own, the third is copied. */
static void written_pages_are_copied_once(void **state)
{
    (void)state;
    streamed s;
    bx_trace_stream *child = fork_of_three_pages(&s);
    const uint64_t by_child[][2] = {{STORES, 0x10000},
                                    {STORES, 0x10800},
                                    {STORES, 0x11000},
                                    {STORES, 0x11000},
                                    {LOADS, 0x12000}};
    const uint64_t by_parent[][2] = {{STORES, 0x10000}, {STORES, 0x11000}, {STORES, 0x12000}};
    assert_int_equal(executions(&s, child, true, 5, by_child), FIRST + 4 * LATER + 4 * PAGE_LINES);
    assert_int_equal(executions(&s, s.stream, false, 3, by_parent), 3 * LATER + 2 * PAGE_LINES);
    bx_trace_stream_free(child);
    streamed_end(&s);
}

/* Its parent, which has waited for it, has the pages alone. */
static void pages_of_a_process_that_has_ended_are_not_copied(void **state)
{
    (void)state;
    streamed s;
    bx_trace_stream *child = fork_of_three_pages(&s);
    text t = {.n = 0};
    const uint64_t by_parent[][2] = {{STORES, 0x10000}, {STORES, 0x11000}, {STORES, 0x12000}};
    thread(&t, 1);
    CONTROL(&t, BX_TRACE_END, BX_TRACE_END_EXIT, 20);
    read_all(&s, child, &t);
    assert_int_equal(executions(&s, s.stream, false, 3, by_parent), 3 * LATER);
    bx_trace_stream_free(child);
    streamed_end(&s);
}

static void keep_last(void *context, bx_access a)
{
    *(bx_access *)context = a;
}

/* The physical line of the last access. */
static uint64_t last_line(streamed *s, bx_trace_stream *in, bool first, uint64_t address)
{
    bx_access last = 0;
    text t = {.n = 0};
    if (first)
        describe(&t);
    thread(&t, 1);
    execute(&t, LOADS, address);
    read_all(s, in, &t);
    assert_true(streamed_execute(s, keep_last, &last) > 0);
    return bx_access_line(last);
}

/* One file, mapped at other places in two processes; and another one. */
static void mappings_of_one_file_share_their_frames(void **state)
{
    (void)state;
    enum { DEVICE = 8, INODE = 77 };
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, true);
    bx_trace_stream *other = streamed_new(&s, 101, true);
    CONTROL(&t, BX_TRACE_MAP, BX_TRACE_MAP_FILE, 0x40000, 0x4000, DEVICE, INODE, 0);
    read_all(&s, s.stream, &t);
    t.n = 0;
    CONTROL(&t, BX_TRACE_MAP, BX_TRACE_MAP_FILE | BX_TRACE_MAP_SHARED, 0x80000, 0x1000, DEVICE,
            INODE, 0x2000);
    CONTROL(&t, BX_TRACE_MAP, BX_TRACE_MAP_FILE, 0x90000, 0x1000, DEVICE, INODE + 1, 0x2000);
    read_all(&s, other, &t);
    uint64_t there = last_line(&s, s.stream, true, 0x42040);
    assert_int_equal(last_line(&s, other, true, 0x80040), there);
    assert_int_not_equal(last_line(&s, other, false, 0x90040), there);
    bx_trace_stream_free(other);
    streamed_end(&s);
}

/* ---- memory ---- */

/* A process makes an access in its first thread and in a second one, and both end before it. */
static void live_and_die(streamed *s, uint32_t number)
{
    text t = {.n = 0};
    bx_trace_stream *process = streamed_new(s, number, true);
    describe(&t);
    thread(&t, 1);
    execute(&t, LOADS, 0x10000);
    start_second_thread(&t);
    thread(&t, 2);
    execute(&t, LOADS, 0x20000);
    CONTROL(&t, BX_TRACE_STOP, 2, 20, 0);
    CONTROL(&t, BX_TRACE_RELEASE, 0, 21, BX_TRACE_NOTHING, 0);
    CONTROL(&t, BX_TRACE_STOP, 1, 22, 0);
    CONTROL(&t, BX_TRACE_END, BX_TRACE_END_EXIT, 23);
    read_all(s, process, &t);
    bx_trace_stream_end(process);
    bx_trace_stream_free(process);
    assert_int_equal(streamed_execute(s, NULL, NULL), 2 * FIRST);
}

static void processes_that_have_ended_keep_no_room(void **state)
{
    (void)state;
    streamed s;
    streamed_begin(&s, false);
    for (uint32_t i = 0; i < 50; i++)
        live_and_die(&s, 200 + i);
    size_t few = s.tasks.chunks;
    for (uint32_t i = 50; i < 500; i++)
        live_and_die(&s, 200 + i);
    assert_int_equal(s.tasks.chunks, few);
    assert_true(few <= 3); /* one for each of two threads, and one more while they change */
    streamed_end(&s);
}

/* The number of an ended thread is used again, or never. */
static void threads_that_have_ended_keep_no_room(void **state)
{
    (void)state;
    for (uint32_t same = 0; same < 2; same++) {
        streamed s;
        text t = {.n = 0};
        streamed_begin(&s, false);
        describe(&t);
        thread(&t, 1);
        read_all(&s, s.stream, &t);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t number = same ? 2 : 2 + i;
            t.n = 0;
            thread(&t, 1);
            CONTROL(&t, BX_TRACE_START, number, 1);
            thread(&t, number);
            execute(&t, LOADS, 0x20000);
            CONTROL(&t, BX_TRACE_STOP, number, 20, 0);
            CONTROL(&t, BX_TRACE_RELEASE, 0, 21, BX_TRACE_NOTHING, 0);
            read_all(&s, s.stream, &t);
            assert_true(streamed_execute(&s, NULL, NULL) > 0);
        }
        assert_true(s.tasks.chunks <= 3);
        streamed_end(&s);
    }
}

/* ---- what tracers say ---- */

static const char *notes_of(streamed *s, bx_trace_stream *in, uint32_t kind, const char *says)
{
    uint64_t words[8] = {1 + strlen(says) / 8};
    text t = {.n = 0};
    memcpy(words + 1, says, strlen(says));
    control(&t, BX_TRACE_NOTE, kind, 1 + words[0], words);
    read_all(s, in, &t);
    return s->family.notes.text;
}

static void a_fact_is_told_once_and_a_cut_marks_the_run(void **state)
{
    (void)state;
    streamed s;
    streamed_begin(&s, true);
    bx_trace_stream *other = streamed_new(&s, 101, true);
    assert_string_equal(notes_of(&s, s.stream, BX_TRACE_NOTE_CALL, "'a' x"), "process 100, 'a' x");
    notes_of(&s, s.stream, BX_TRACE_NOTE_CALL, "'a' x");
    notes_of(&s, other, BX_TRACE_NOTE_CALL, "'a' x");
    assert_false(s.family.notes.cut);
    assert_string_equal(notes_of(&s, other, BX_TRACE_NOTE_CUT, "'b' \033[2J"),
                        "process 100, and 1 more, 'a' x\n process 101, 'b' ?[2J");
    assert_true(s.family.notes.cut);
    for (unsigned i = 0; i < 40; i++)
        notes_of(&s, other, BX_TRACE_NOTE_CALL,
                 (char[]){(char)('a' + i % 26), i < 26 ? 'x' : 'y', 0});
    assert_non_null(strstr(s.family.notes.text, "\n and 26 more notes of the tracer"));
    bx_trace_stream_free(other);
    streamed_end(&s);
}

/* ---- processes that signals stop ---- */

static void stopped_threads_count_as_in_a_call(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    start_second_thread(&t);
    CONTROL(&t, BX_TRACE_CALL, SYS_read, 15, BX_TRACE_NOTHING, 0);
    thread(&t, 2);
    execute(&t, LOADS, 0x20000);
    read_all(&s, s.stream, &t);
    assert_true(task(&s, 0)->in_call);
    assert_false(task(&s, 1)->in_call);
    bx_trace_stream_pause(s.stream, true);
    assert_true(task(&s, 1)->in_call);
    bx_trace_stream_pause(s.stream, false);
    assert_true(task(&s, 0)->in_call); /* as before */
    assert_false(task(&s, 1)->in_call);
    streamed_end(&s);
}

/* ---- processes whose fork is unknown ---- */

typedef struct given {
    bx_word_source source;
    const text *words;
    size_t used;
} given;

static size_t given_words(bx_word_source *from, const uint64_t **words)
{
    const given *g = (const given *)(void *)from;
    *words = g->words->word + g->used;
    return g->words->n - g->used;
}

static void use_words(bx_word_source *from, size_t n)
{
    ((given *)(void *)from)->used += n;
}

static void begin_member(streamed *s, bx_trace_member *m, given *g, uint32_t process,
                         uint32_t parent, uint64_t time)
{
    const bx_trace_message hello = {.process = process, .parent = parent, .time = time};
    g->source = (bx_word_source){given_words, use_words};
    *m = (bx_trace_member){.source = &g->source};
    assert_true(bx_trace_member_begin(m, &s->family, &hello));
}

/* In its namespace the parent has number 2, not 300: the time tells which fork it was. A process
 * whose fork nobody has recorded begins, too, but not without a note. */
static void a_process_waits_only_for_a_fork_that_may_come(void **state)
{
    (void)state;
    for (unsigned recorded = 0; recorded < 2; recorded++) {
        streamed s;
        text of_parent = {.n = 0}, of_child = {.n = 0};
        bx_trace_member parent, child;
        given from_parent = {.words = &of_parent}, from_child = {.words = &of_child};
        streamed_begin(&s, false);
        s.family.live = true;
        CONTROL(&of_parent, BX_TRACE_CALL, SYS_fork, 40, BX_TRACE_NOTHING, 0);
        CONTROL(&of_parent, BX_TRACE_FORK, 0, recorded ? 50 : 49);
        CONTROL(&of_parent, BX_TRACE_RETURN, SYS_fork, 60, BX_TRACE_PROCESS, 2);
        describe(&of_child);
        execute(&of_child, LOADS, 0x10000);
        begin_member(&s, &parent, &from_parent, 300, 0, 30);
        begin_member(&s, &child, &from_child, 301, 2, 50);
        assert_false(bx_trace_member_read(&child)); /* the parent may still tell */
        assert_true(bx_trace_member_read(&parent));
        assert_true(bx_trace_member_read(&child));
        assert_int_equal(from_child.used, of_child.n);
        assert_int_equal(s.family.notes.cut, !recorded);
        if (!recorded)
            assert_non_null(
                strstr(s.family.notes.text, "process 301, was forked by a process that"));
        s.family.first = NULL;
        bx_trace_member_end(&child);
        bx_trace_member_end(&parent);
        streamed_end(&s);
    }
}

/* ---- words that no tracer writes ---- */

static void is_refused(const text *t, const char *why)
{
    streamed s;
    streamed_begin(&s, true);
    streamed_read(&s, s.stream, t->word, t->n);
    assert_non_null(s.family.malformed);
    assert_string_equal(s.family.malformed, why);
    streamed_end(&s);
}

static void unknown_kinds_are_refused(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 128; kind += kind ? 1 : BX_TRACE_MIGRATE + 1) {
        text t = {.n = 0};
        put(&t, BX_TRACE_CONTROL | (uint64_t)kind << 56);
        is_refused(&t, "a record that there cannot be");
    }
}

/* Each kind, one word too short. */
static void records_without_an_end_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum bx_trace_control_kind kind;
        size_t words;
    } records[] = {{BX_TRACE_END, 1},          {BX_TRACE_CALL, 3},    {BX_TRACE_RETURN, 3},
                   {BX_TRACE_RELEASE, 3},      {BX_TRACE_START, 1},   {BX_TRACE_STOP, 2},
                   {BX_TRACE_FORK, 1},         {BX_TRACE_MAP, 5},     {BX_TRACE_UNMAP, 2},
                   {BX_TRACE_MOVE, 4},         {BX_TRACE_PAIR, 2},    {BX_TRACE_KERNEL_READ, 2},
                   {BX_TRACE_KERNEL_WRITE, 2}, {BX_TRACE_DISCARD, 2}, {BX_TRACE_AFFINITY, 1},
                   {BX_TRACE_POLICY, 3},       {BX_TRACE_MIGRATE, 1}, {BX_TRACE_RDPMC, 2}};
    const uint64_t zero[8] = {0};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        text t = {.n = 0};
        control(&t, records[i].kind, 0, records[i].words - 1, zero);
        is_refused(&t, "a record that has no end");
    }
    static const unsigned with_text[] = {BX_TRACE_REGION, BX_TRACE_UNTRACED, BX_TRACE_NOTE};
    for (unsigned i = 0; i < 3; i++) {
        text t = {.n = 0};
        CONTROL(&t, with_text[i], 0, 2, 0x41);
        is_refused(&t, "a record that has no end");
    }
}

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    text t = {.n = 0};
    CONTROL(&t, BX_TRACE_UNTRACED, 0, BX_TRACE_PATH_WORDS + 1, 0);
    is_refused(&t, "a record that there cannot be");
    t.n = 0;
    CONTROL(&t, BX_TRACE_NOTE, BX_TRACE_NOTES, 1, 'x');
    is_refused(&t, "a note of an unknown kind");
    t.n = 0;
    CONTROL(&t, BX_TRACE_BLOCK, BX_TRACE_ENTRIES + 1, 0);
    is_refused(&t, "a description that is too long");
    t.n = 0;
    thread(&t, 1);
    thread(&t, 1 << 20);
    is_refused(&t, "a thread with a number that none can have");
    t.n = 0;
    CONTROL(&t, BX_TRACE_KERNEL_WRITE, 0, 0x1000, UINT64_C(1) << 40);
    is_refused(&t, "more than a system call can access");
}

static void half_an_execution_is_refused(void **state)
{
    (void)state;
    text t = {.n = 0};
    describe(&t);
    put(&t, LOADS << BX_TRACE_EXIT_BITS);
    is_refused(&t, "a record that there cannot be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_starts_after_its_creators_clone),
        cmocka_unit_test(who_acquires_waits_for_the_release),
        cmocka_unit_test(a_later_release_is_not_waited_for),
        cmocka_unit_test(a_word_that_another_thread_wrote_is_waited_for),
        cmocka_unit_test(a_thread_that_has_ended_comes_first),
        cmocka_unit_test(another_word_of_the_line_is_not),
        cmocka_unit_test(a_thread_with_enough_is_passed_over),
        cmocka_unit_test(a_page_is_zeroed_at_its_first_touch),
        cmocka_unit_test(a_call_accesses_the_lines_of_its_buffer),
        cmocka_unit_test(written_pages_are_copied_once),
        cmocka_unit_test(pages_of_a_process_that_has_ended_are_not_copied),
        cmocka_unit_test(mappings_of_one_file_share_their_frames),
        cmocka_unit_test(processes_that_have_ended_keep_no_room),
        cmocka_unit_test(threads_that_have_ended_keep_no_room),
        cmocka_unit_test(a_fact_is_told_once_and_a_cut_marks_the_run),
        cmocka_unit_test(stopped_threads_count_as_in_a_call),
        cmocka_unit_test(a_process_waits_only_for_a_fork_that_may_come),
        cmocka_unit_test(unknown_kinds_are_refused),
        cmocka_unit_test(records_without_an_end_are_refused),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(half_an_execution_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
