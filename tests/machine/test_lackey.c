/* lackey's text to accesses: docs/explanation/model-programs.md, "Traces of programs". The text is
 * that of valgrind 3.19. */
#include "../cmocked.h"

#include "machine/program/decode/lackey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 7, ROOM = 4096 };

struct reader {
    bx_lackey lackey;
    bx_access access[ROOM];
    size_t n;
};

static void start(struct reader *r)
{
    *r =
        (struct reader){.lackey = {.frames = bx_frames_new(SEED), .slot = bx_core_time_slot(NULL)}};
    assert_non_null(r->lackey.frames);
}

static void finish(struct reader *r)
{
    bx_frames_free(r->lackey.frames);
}

/* Parses the text; returns the number of bytes parsed. */
static size_t give(struct reader *r, const char *text, size_t n)
{
    size_t made;
    size_t taken = bx_lackey_read(&r->lackey, text, n, r->access + r->n, ROOM - r->n, &made);
    r->n += made;
    return taken;
}

static void give_all(struct reader *r, const char *text)
{
    assert_int_equal(give(r, text, strlen(text)), strlen(text));
}

/* Gets frames as fresh memory assigns them: in the order in which pages are first touched. */
static void expect(struct reader *r, size_t i, struct bx_frames *memory, unsigned kind,
                   uint64_t address, unsigned cost)
{
    assert_true(i < r->n);
    assert_int_equal(r->access[i], bx_access_make(bx_frames_line(memory, address), kind, 0, cost));
}

/* What valgrind 3.19 writes with --stats=yes, at the begin and at the end. */
static void the_end(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    give_all(&r, "--1672-- transtab: allocate sector 0\n"
                 "I  0401ab70,3\n"
                 "==1672== translate: 5\n");
    assert_false(r.lackey.ended);
    give_all(&r, "--1672-- translate: 17,179 guest insns, 2,806 traces, 612 uncond chased\n");
    assert_true(r.lackey.ended);
    assert_int_equal(r.lackey.malformed, 0);
    finish(&r);
}

static void loads_and_stores(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    struct bx_frames *memory = bx_frames_new(SEED);
    give_all(&r, "I  0401ab70,3\n"
                 "I  0401ab73,5\n"
                 " S 1fff000708,8\n"
                 " L 1fff000710,4\n"
                 " M 1fff000708,8\n");
    assert_int_equal(r.n, 5);
    expect(&r, 0, memory, BX_FETCH, 0x0401ab70, 1);
    expect(&r, 1, memory, BX_STORE, 0x1fff000708, 1); /* the cycle of the second instruction */
    expect(&r, 2, memory, BX_LOAD, 0x1fff000710, 0);
    expect(&r, 3, memory, BX_LOAD, 0x1fff000708, 0);
    expect(&r, 4, memory, BX_STORE, 0x1fff000708, 0);
    bx_frames_free(memory);
    finish(&r);
}

static void one_fetch_for_each_change_of_line(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    struct bx_frames *memory = bx_frames_new(SEED);
    give_all(&r, "I  00001000,4\n"
                 "I  0000103c,4\n"  /* the same line: no access, one cycle */
                 "I  00001040,2\n"  /* the next access carries the cycle */
                 "I  00001000,4\n"  /* another line: a fetch */
                 "I  0000103e,4\n"  /* continues in line 0x1040 */
                 "I  0000107f,15\n" /* begins in the line fetched last, and continues in the next */
    );
    assert_int_equal(r.n, 5);
    expect(&r, 0, memory, BX_FETCH, 0x1000, 1);
    expect(&r, 1, memory, BX_FETCH, 0x1040, 2);
    expect(&r, 2, memory, BX_FETCH, 0x1000, 1);
    expect(&r, 3, memory, BX_FETCH, 0x1040, 1);
    expect(&r, 4, memory, BX_FETCH, 0x1080, 1);
    bx_frames_free(memory);
    finish(&r);
}

static void accesses_across_lines_are_split(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    struct bx_frames *memory = bx_frames_new(SEED);
    give_all(&r, "I  00001000,4\n"
                 " L 00002ffe,4\n" /* across two pages, so in two frames */
                 " M 0000403f,2\n"
                 " S 00005000,64\n"  /* a whole line */
                 " S 00005020,64\n"  /* two halves */
                 " L 00006001,512\n" /* the largest that lackey reports: nine lines */
    );
    assert_int_equal(r.n, 1 + 2 + 4 + 1 + 2 + 9);
    expect(&r, 0, memory, BX_FETCH, 0x1000, 1);
    expect(&r, 1, memory, BX_LOAD, 0x2ffe, 0);
    expect(&r, 2, memory, BX_LOAD, 0x3000, 0);
    expect(&r, 3, memory, BX_LOAD, 0x4000, 0);
    expect(&r, 4, memory, BX_LOAD, 0x4040, 0);
    expect(&r, 5, memory, BX_STORE, 0x4000, 0);
    expect(&r, 6, memory, BX_STORE, 0x4040, 0);
    expect(&r, 7, memory, BX_STORE, 0x5000, 0);
    expect(&r, 8, memory, BX_STORE, 0x5000, 0);
    expect(&r, 9, memory, BX_STORE, 0x5040, 0);
    for (unsigned i = 0; i < 9; i++)
        expect(&r, 10 + i, memory, BX_LOAD, 0x6000 + 64 * i, 0);
    bx_frames_free(memory);
    finish(&r);
}

static void costs_beyond_the_most_take_a_fetch(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    struct bx_frames *memory = bx_frames_new(SEED);
    give_all(&r, "I  00001000,4\n");
    for (unsigned i = 0; i < 4095 + 10; i++)
        give_all(&r, "I  00001004,4\n");
    give_all(&r, " L 00001000,4\n");
    assert_int_equal(r.n, 3);
    expect(&r, 0, memory, BX_FETCH, 0x1000, 1);
    expect(&r, 1, memory, BX_FETCH, 0x1000, BX_ACCESS_COST_MAX);
    expect(&r, 2, memory, BX_LOAD, 0x1000, 10);
    bx_frames_free(memory);
    finish(&r);
}

static void the_end_carries_what_cost_is_left(void **state)
{
    (void)state;
    struct reader r;
    bx_access last;
    start(&r);
    assert_int_equal(bx_lackey_end(&r.lackey, &last), 0); /* no line was fetched before */
    struct bx_frames *memory = bx_frames_new(SEED);
    give_all(&r, "I  00001000,4\n");
    assert_int_equal(bx_lackey_end(&r.lackey, &last), 0); /* the fetch carried the cycle */
    give_all(&r, "I  00001004,4\nI  00001008,4\n");
    assert_int_equal(bx_lackey_end(&r.lackey, &r.access[r.n]), 1);
    r.n++;
    expect(&r, 0, memory, BX_FETCH, 0x1000, 1);
    expect(&r, 1, memory, BX_FETCH, 0x1000, 2);
    bx_frames_free(memory);
    finish(&r);
}

static void messages_are_passed_over(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    give_all(&r, "==8712== Lackey, an example Valgrind tool\n"
                 "==8712== \n"
                 "I  00001000,4\n"
                 "--8712-- REDIR: 0x401e2d0 redirected\n"
                 "**8712** told by the program\n");
    assert_int_equal(r.n, 1);
    assert_int_equal(r.lackey.malformed, 0);
    finish(&r);
}

static void anything_else_is_strange(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "I",
        "I ",
        "I  ",
        " ",
        " L",
        " L ",
        "hello",
        "I  1000",
        "I  1000,",
        "I  1000,x",
        "I  1000,4x",
        "I  ,4",
        "I  xyz,4",
        " X 1000,4",
        "L 1000,4",
        "I 1000,4",
        "I  1000,0",
        "I  1000,a",
        "I  1000,513",
        "I  1000,99999999999999999999",
        "I  12345678123456781,4",
        "I  ffffffffffffffff,4",
        "= =",
        "valgrind: the 'impossible' happened:",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct reader r;
        char text[128];
        start(&r);
        snprintf(text, sizeof text, "%s\nI  00001000,4\n%s\n", lines[i], lines[i]);
        /* On the heap, so that sanitizers notice a read past the end. */
        char *exact = malloc(strlen(text));
        memcpy(exact, text, strlen(text));
        assert_int_equal(give(&r, exact, strlen(text)), strlen(text));
        free(exact);
        assert_int_equal(r.n, 1);
        assert_int_equal(r.lackey.malformed, 2);
        assert_string_equal(r.lackey.malformed_line, lines[i]);
        finish(&r);
    }
}

static void a_long_strange_line_is_cut(void **state)
{
    (void)state;
    struct reader r;
    char text[301];
    start(&r);
    memset(text, 'x', 300);
    text[300] = '\n';
    assert_int_equal(give(&r, text, sizeof text), sizeof text);
    assert_int_equal(r.lackey.malformed, 1);
    assert_int_equal(strlen(r.lackey.malformed_line), sizeof r.lackey.malformed_line - 1);
    finish(&r);
}

/* The accesses do not depend on where the text is split. */
static void lines_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const char text[] = "==1== hello\nI  0401ab70,3\n S 1fff000708,8\nI  0401ab7e,7\n"
                               " M 1fff00073f,2\n L 1fff000740,4\nI  0401ab85,1\n";
    struct reader whole;
    start(&whole);
    give_all(&whole, text);
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        struct reader r;
        start(&r);
        size_t taken = give(&r, text, cut);
        assert_true(taken <= cut);
        taken += give(&r, text + taken, strlen(text) - taken);
        assert_int_equal(taken, strlen(text));
        assert_int_equal(r.n, whole.n);
        assert_memory_equal(r.access, whole.access, r.n * sizeof *r.access);
        finish(&r);
    }
    finish(&whole);
}

static void stops_where_there_is_no_room(void **state)
{
    (void)state;
    struct reader r;
    size_t made;
    static const char text[] = " L 00001000,4\n L 00001000,4\n";
    start(&r);
    assert_int_equal(
        bx_lackey_read(&r.lackey, text, sizeof text - 1, r.access, BX_LACKEY_BURST - 1, &made), 0);
    assert_int_equal(made, 0);
    assert_int_equal(
        bx_lackey_read(&r.lackey, text, sizeof text - 1, r.access, BX_LACKEY_BURST, &made),
        sizeof text / 2);
    assert_int_equal(made, 1);
    finish(&r);
}

/* BX_LACKEY_BURST is enough for the worst line: a cost at its limit and nine lines twice. */
static void the_largest_burst_fits(void **state)
{
    (void)state;
    struct reader r;
    start(&r);
    give_all(&r, " M 00001001,512\n");
    assert_int_equal(r.n, 18);
    assert_true(r.n <= BX_LACKEY_BURST);
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(the_end),
        cmocka_unit_test(one_fetch_for_each_change_of_line),
        cmocka_unit_test(accesses_across_lines_are_split),
        cmocka_unit_test(costs_beyond_the_most_take_a_fetch),
        cmocka_unit_test(the_end_carries_what_cost_is_left),
        cmocka_unit_test(messages_are_passed_over),
        cmocka_unit_test(anything_else_is_strange),
        cmocka_unit_test(a_long_strange_line_is_cut),
        cmocka_unit_test(lines_may_be_cut_anywhere),
        cmocka_unit_test(stops_where_there_is_no_room),
        cmocka_unit_test(the_largest_burst_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
