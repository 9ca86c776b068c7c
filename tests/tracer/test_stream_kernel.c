/* Words of a process, by hand: the accesses of the kernel for it, and the memory that it keeps. */
#include "../cmocked.h"

#include "words.h"

#include "machine/program/trace/member.h"

#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_zeroed_at_its_first_touch),
        cmocka_unit_test(a_call_accesses_the_lines_of_its_buffer),
        cmocka_unit_test(written_pages_are_copied_once),
        cmocka_unit_test(pages_of_a_process_that_has_ended_are_not_copied),
        cmocka_unit_test(mappings_of_one_file_share_their_frames),
        cmocka_unit_test(processes_that_have_ended_keep_no_room),
        cmocka_unit_test(threads_that_have_ended_keep_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
