/* The reader's side of a ring. The tests are the tracer, and write what none would write. */
#include "../cmocked.h"

#include "machine/program/trace/process.h"
#include "machine/program/trace/ring.h"

#include "tracer/streamed.h"
#include "tracer/trace_format.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 4096, RING = 4 * CHUNK, BYTES = BX_TRACE_CHUNKS + RING, WORD = sizeof(uint64_t) };

typedef struct shared {
    int fd;
    char *at;
    bx_trace_ring *tracer;
    bx_trace_ring_reader *reader;
    uint64_t *word; /* [RING / WORD] */
} shared;

static shared make_shared(void)
{
    shared s = {.fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    assert_true(s.fd >= 0);
    assert_int_equal(ftruncate(s.fd, BYTES), 0);
    assert_int_equal(fcntl(s.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    s.at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
    assert_true(s.at != MAP_FAILED);
    s.tracer = (bx_trace_ring *)(void *)s.at;
    s.reader = (bx_trace_ring_reader *)(void *)(s.at + BX_TRACE_READER);
    s.word = (uint64_t *)(void *)(s.at + BX_TRACE_CHUNKS);
    *s.tracer = (bx_trace_ring){.magic = BX_TRACE_MAGIC,
                                .version = BX_TRACE_RING_VERSION,
                                .chunk_bytes = CHUNK,
                                .ring_bytes = RING,
                                .base = 0x10000,
                                .cursor = 0x10000};
    for (uint64_t i = 0; i < RING / WORD; i++)
        s.word[i] = i;
    return s;
}

static void free_shared(shared *s)
{
    munmap(s->at, BYTES);
    close(s->fd);
}

static bx_ring *read_ring(const shared *s)
{
    const char *wrong;
    bx_ring *r = bx_ring_new(s->fd, &wrong);
    assert_null(wrong);
    assert_non_null(r);
    return r;
}

/* Words can be read once they are published, chunk by chunk, around the ring. */
static void words_come_in_order(void **state)
{
    (void)state;
    shared s = make_shared();
    bx_ring *r = read_ring(&s);
    const uint64_t *words;
    uint64_t next = 0;
    assert_int_equal(bx_ring_words(r, &words), 0);
    for (uint64_t end = 24; end < 3 * RING; end += 1000) {
        s.tracer->published = end;
        for (size_t n; (n = bx_ring_words(r, &words)); next += n) {
            assert_true(n <= CHUNK / WORD);
            assert_int_equal(words[0], next % (RING / WORD));
            assert_int_equal(words[n - 1], (next + n - 1) % (RING / WORD));
            bx_ring_consume(r, n);
        }
        assert_int_equal(next, end / WORD);
        assert_int_equal(s.reader->consumed, end);
    }
    assert_false(bx_ring_is_broken(r));
    bx_ring_free(r);
    free_shared(&s);
}

/* A word that was read does not change any more, nor is it fetched twice. */
static void words_that_change_are_read_once(void **state)
{
    (void)state;
    shared s = make_shared();
    bx_ring *r = read_ring(&s);
    const uint64_t *words;
    s.tracer->published = 10 * WORD;
    assert_int_equal(bx_ring_words(r, &words), 10);
    for (uint64_t i = 0; i < 10; i++)
        s.word[i] = 12345;
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(words[i], i);
    bx_ring_consume(r, 4);
    s.tracer->published = 12 * WORD;
    assert_int_equal(bx_ring_words(r, &words), 8);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(words[i], 4 + i);
    bx_ring_free(r);
    free_shared(&s);
}

/* The header counts as it was when the ring came. */
static void a_header_that_changes_is_not_believed(void **state)
{
    (void)state;
    shared s = make_shared();
    bx_ring *r = read_ring(&s);
    const uint64_t *words;
    s.tracer->chunk_bytes = s.tracer->version = 0;
    s.tracer->ring_bytes = s.tracer->base = UINT64_MAX / 2;
    s.tracer->published = CHUNK;
    s.reader->consumed = s.reader->unread = 77; /* boxscore's own page is not read either */
    assert_int_equal(bx_ring_words(r, &words), CHUNK / WORD);
    bx_ring_consume(r, CHUNK / WORD);
    assert_int_equal(s.reader->consumed, CHUNK);
    s.tracer->cursor = 0x10000 + CHUNK + 16; /* two more words than were published */
    bx_ring_finish(r);
    assert_int_equal(bx_ring_words(r, &words), 2);
    assert_false(bx_ring_is_broken(r));
    bx_ring_free(r);
    free_shared(&s);
}

static void positions_that_no_tracer_writes_are_noticed(void **state)
{
    (void)state;
    static const uint64_t positions[] = {0,
                                         8,
                                         CHUNK / 2 - 8,
                                         CHUNK / 2 + 1,
                                         CHUNK / 4 + RING + 8,
                                         BX_TRACE_BROKEN,
                                         BX_TRACE_BROKEN - 7,
                                         UINT64_MAX / 2 + 1};
    for (size_t i = 0; i < 2 * sizeof positions / sizeof *positions; i++) {
        shared s = make_shared();
        bx_ring *r = read_ring(&s);
        const uint64_t *words;
        s.tracer->published = CHUNK / 2;
        assert_int_equal(bx_ring_words(r, &words), CHUNK / 2 / WORD);
        bx_ring_consume(r, CHUNK / 4 / WORD);
        assert_false(bx_ring_is_broken(r));
        s.tracer->published = positions[i / 2];
        if (i % 2) /* at its end */
            bx_ring_finish(r);
        size_t n = bx_ring_words(r, &words);
        assert_int_equal(n, CHUNK / 4 / WORD); /* those that were published before */
        assert_true(bx_ring_is_broken(r));
        s.tracer->published = CHUNK; /* it remains so */
        bx_ring_words(r, &words);
        assert_true(bx_ring_is_broken(r));
        bx_ring_free(r);
        free_shared(&s);
    }
}

/* Each wish for a bell has another number, so that it gets another bell. */
static void each_wish_has_a_number(void **state)
{
    (void)state;
    shared s = make_shared();
    bx_ring *r = read_ring(&s);
    assert_true(bx_ring_ask_for_bell(r, true));
    uint32_t first = s.reader->wish;
    assert_int_not_equal(first, 0);
    assert_true(bx_ring_ask_for_bell(r, false));
    assert_int_equal(s.reader->wish, 0);
    s.tracer->published = WORD;
    assert_false(bx_ring_ask_for_bell(r, true));
    assert_int_not_equal(s.reader->wish, 0);
    assert_int_not_equal(s.reader->wish, first);
    bx_ring_free(r);
    free_shared(&s);
}

static void is_no_ring(const shared *s, const char *why)
{
    const char *wrong;
    assert_null(bx_ring_new(s->fd, &wrong));
    assert_string_equal(wrong, why);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    shared s = make_shared();
    static const char sizes[] = "a ring whose sizes do not go together";
    s.tracer->chunk_bytes = 3 * CHUNK;
    is_no_ring(&s, sizes);
    s.tracer->chunk_bytes = 2 * RING;
    is_no_ring(&s, sizes);
    s.tracer->chunk_bytes = CHUNK;
    s.tracer->ring_bytes = 2 * RING;
    is_no_ring(&s, sizes);
    s.tracer->ring_bytes = RING;
    s.tracer->version = 3; /* with one page before the chunks */
    is_no_ring(&s, "a trace of another version: the tracer is not of this boxscore");
    free_shared(&s);
    s.fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(s.fd, BYTES), 0);
    is_no_ring(&s, "a ring that is not sealed");
    close(s.fd);
}

/* Answers stand where the tracer waits for them, and nowhere else. */
static void answers_have_places(void **state)
{
    (void)state;
    shared s = make_shared();
    bx_ring *r = read_ring(&s);
    const bx_trace_answer *a = (const bx_trace_answer *)(void *)(s.at + BX_TRACE_ANSWERS);
    bx_ring_answer(r, BX_TRACE_PLACES - 1, 8, BX_TRACE_IS_READ, 1234);
    bx_ring_answer(r, BX_TRACE_PLACES, 7, BX_TRACE_IS_READ, 7);
    bx_ring_answer(r, UINT64_MAX, 7, BX_TRACE_IS_READ, 7);
    for (size_t i = 0; i + 1 < BX_TRACE_PLACES; i++)
        assert_int_equal(a[i].question, 0);
    assert_int_equal(a[BX_TRACE_PLACES - 1].question, 8);
    assert_int_equal(a[BX_TRACE_PLACES - 1].outcome, BX_TRACE_IS_READ);
    assert_int_equal(a[BX_TRACE_PLACES - 1].value, 1234);
    assert_int_equal(s.word[0], 0);
    bx_ring_free(r);
    free_shared(&s);
}

/* ---- hellos ---- */

static bx_trace_process *greet(streamed *s, const shared *ring, pid_t pid, uint32_t parent)
{
    const bx_trace_message hello = {
        .magic = BX_TRACE_MAGIC, .kind = BX_TRACE_HELLO, .parent = parent, .time = parent};
    const int fd[BX_TRACE_FDS] = {dup(ring->fd), -1, -1};
    bx_trace_process *p = bx_trace_process_new(&s->family, &hello, pid, fd, false);
    assert_non_null(p);
    return p;
}

/* A process says hello again only after an exec, which it has recorded, and never as a child. */
static void a_second_hello_was_not_sent_by_the_tracer(void **state)
{
    (void)state;
    for (uint32_t parent = 0; parent < 2; parent++) {
        streamed s;
        shared ring = make_shared();
        streamed_begin(&s, false);
        s.family.live = true;
        bx_trace_process *first = greet(&s, &ring, getpid(), 0);
        assert_null(s.family.malformed);
        bx_trace_process *second = greet(&s, &ring, getpid(), parent);
        for (int i = 0; i < 3 && !parent; i++) /* words that were published before it are read */
            bx_trace_process_is_done(first);
        assert_string_equal(s.family.malformed, "a program has changed its own trace");
        assert_true(s.family.changed);
        s.family.first = NULL;
        bx_trace_process_free(second);
        bx_trace_process_free(first);
        streamed_end(&s);
        free_shared(&ring);
    }
}

static bool read_counter(void *context, unsigned core, uint32_t counter, uint64_t *value)
{
    *value = *(uint64_t *)context + core;
    return counter < 2;
}

/* A question is answered by the model, for the core of its thread; the answer goes to the process
 * that has asked, and to no other one. */
static void questions_are_answered(void **state)
{
    (void)state;
    for (uint32_t counter = 1; counter < 3; counter++) {
        streamed s;
        shared ring = make_shared(), other = make_shared();
        const bx_trace_answer *a = (const bx_trace_answer *)(void *)(ring.at + BX_TRACE_ANSWERS);
        uint64_t base = 1000;
        streamed_begin(&s, false);
        s.family.live = true;
        s.tasks.read_counter = read_counter;
        s.tasks.context = &base;
        bx_trace_process *p = greet(&s, &ring, getpid(), 0), *q = greet(&s, &other, getppid(), 0);
        ring.word[0] = bx_trace_control_word(BX_TRACE_RDPMC, counter);
        ring.word[1] = 5;
        ring.word[2] = 77;
        ring.tracer->published = 3 * WORD;
        bx_trace_process_read(p);
        bx_task *task = s.tasks.first;
        while (!task->first)
            task = task->next;
        assert_int_equal(bx_task_state_of(task), BX_TASK_READY); /* it needs a core */
        assert_null(bx_tasks_answered(&s.tasks));
        task->core = 3;
        assert_int_equal(bx_task_state_of(task), BX_TASK_BLOCKED);
        bx_question *answered = bx_tasks_answered(&s.tasks);
        assert_non_null(answered);
        assert_false(bx_trace_process_answer(q, answered));
        assert_int_equal(a[5].question, 0);
        assert_true(bx_trace_process_answer(p, answered));
        assert_int_equal(a[5].question, 77);
        assert_int_equal(a[5].outcome, counter < 2 ? BX_TRACE_IS_READ : BX_TRACE_FAULTS);
        assert_int_equal(a[5].value, 1003);
        free(answered);
        s.family.first = NULL;
        bx_trace_process_free(q);
        bx_trace_process_free(p);
        streamed_end(&s);
        free_shared(&other);
        free_shared(&ring);
    }
}

static void a_process_may_have_ended_before_its_hello_is_heard(void **state)
{
    (void)state;
    streamed s;
    shared ring = make_shared();
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    streamed_begin(&s, false);
    bx_trace_process *p = greet(&s, &ring, pid, 0);
    assert_true(bx_trace_process_has_ended(p));
    s.family.first = NULL;
    bx_trace_process_free(p);
    streamed_end(&s);
    free_shared(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_in_order),
        cmocka_unit_test(words_that_change_are_read_once),
        cmocka_unit_test(a_header_that_changes_is_not_believed),
        cmocka_unit_test(positions_that_no_tracer_writes_are_noticed),
        cmocka_unit_test(each_wish_has_a_number),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(answers_have_places),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(a_second_hello_was_not_sent_by_the_tracer),
        cmocka_unit_test(a_process_may_have_ended_before_its_hello_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
