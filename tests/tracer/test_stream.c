/* Words of a process, by hand: which accesses wait for which, and words that no tracer writes. */
#include "../cmocked.h"

#include "words.h"

#include "machine/program/trace/member.h"

#include <stdlib.h>

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
    assert_ptr_equal(task(&s, 1)->first->woken_by, task(&s, 0));
    assert_int_equal(execute_one(&s, task(&s, 0)), FIRST);
    assert_int_equal(execute_one(&s, task(&s, 1)), FIRST);
    assert_int_equal(execute_one(&s, task(&s, 0)), LATER);
    assert_null(task(&s, 0)->waker);
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

/* A report says how long threads waited so: for words of others and nothing else, not in a system
 * call. */
static void waits_for_words_are_told_from_others(void **state)
{
    (void)state;
    streamed s;
    text t = {.n = 0};
    streamed_begin(&s, false);
    describe(&t);
    thread(&t, 1);
    execute(&t, LOADS, 0x20000);
    start_second_thread(&t);
    execute(&t, STORES, 0x10000);
    thread(&t, 2);
    execute(&t, LOADS, 0x10000);
    thread(&t, 1);
    execute(&t, STORES, 0x10000);
    CONTROL(&t, BX_TRACE_CALL, SYS_futex, 12, BX_TRACE_FUTEX, 0x30000);
    CONTROL(&t, BX_TRACE_RETURN, SYS_futex, 13, BX_TRACE_NOTHING, 0);
    thread(&t, 2);
    CONTROL(&t, BX_TRACE_CALL, SYS_futex, 11, BX_TRACE_NOTHING, 0);
    CONTROL(&t, BX_TRACE_RETURN, SYS_futex, 14, BX_TRACE_FUTEX, 0x30000);
    execute(&t, LOADS, 0x10000);
    read_all(&s, s.stream, &t);
    const bx_batch *b = task(&s, 1)->first;
    unsigned words = 0, all = 0;
    for (; b; b = b->next) {
        all += b->waits != 0;
        words += b->meets;
        assert_true(!b->meets || b->waits);
    }
    assert_int_equal(all, 3); /* for its beginning, the word, and the futex */
    assert_int_equal(words, 1);
    streamed_end(&s);
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
    assert_false(task(&s, 0)->first->meets); /* it waits for the end, where the store is, too */
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
    while (bx_task_backlog(&s->tasks, t) < BX_TASK_BACKLOG_MOST)
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
                strstr(s.family.notes.text, "process 301 was forked by a process that"));
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
    for (unsigned kind = 0; kind < 128; kind += kind ? 1 : BX_TRACE_MIGRATE_NODE + 1) {
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
    } records[] = {{BX_TRACE_END, 1},          {BX_TRACE_CALL, 3},        {BX_TRACE_RETURN, 3},
                   {BX_TRACE_RELEASE, 3},      {BX_TRACE_START, 1},       {BX_TRACE_STOP, 2},
                   {BX_TRACE_FORK, 1},         {BX_TRACE_MAP, 5},         {BX_TRACE_UNMAP, 2},
                   {BX_TRACE_MOVE, 4},         {BX_TRACE_PAIR, 2},        {BX_TRACE_KERNEL_READ, 2},
                   {BX_TRACE_KERNEL_WRITE, 2}, {BX_TRACE_DISCARD, 2},     {BX_TRACE_AFFINITY, 1},
                   {BX_TRACE_POLICY, 3},       {BX_TRACE_MIGRATE, 1},     {BX_TRACE_RDPMC, 2},
                   {BX_TRACE_ALLOCATE, 2},     {BX_TRACE_FREE, 1},        {BX_TRACE_ADVISE, 2},
                   {BX_TRACE_WHERE, 3},        {BX_TRACE_MIGRATE_NODE, 1}};
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
    t.n = 0;
    CONTROL(&t, BX_TRACE_WHERE, BX_TRACE_ASKED_NUMBER + 1, 1, 1, 0x1000);
    is_refused(&t, "a question that there is not");
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
        cmocka_unit_test(waits_for_words_are_told_from_others),
        cmocka_unit_test(a_word_that_another_thread_wrote_is_waited_for),
        cmocka_unit_test(a_thread_that_has_ended_comes_first),
        cmocka_unit_test(another_word_of_the_line_is_not),
        cmocka_unit_test(a_thread_with_enough_is_passed_over),
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
