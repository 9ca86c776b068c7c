/* The prefetchers: cases worked out by hand from docs/explanation/model-prefetchers.md,
 * "Prefetchers", and comparison of each access with a plain reference written from that page. */
#include "../cmocked.h"
#include "../dice.h"

#include "model/part/prefetchers.h"

#include <stdbool.h>

enum { PAGE = 64, ROOM = 256, INSTRUCTION = 0x400 };

/* ---- by hand ---- */

typedef struct rig {
    struct bx_prefetchers of;
    bx_access asked[ROOM];
    size_t n;
} rig;

static rig *rig_new(rig *r)
{
    bx_prefetchers_power_on(&r->of, 6);
    r->n = 0;
    return r;
}

static void touch_by(rig *r, uint32_t instruction, uint64_t line, unsigned kind)
{
    assert_true(r->n + BX_PREFETCH_MOST <= ROOM);
    bx_access *end =
        bx_prefetchers_see(&r->of, instruction, bx_access_make(line, kind, 0, 3), r->asked + r->n);
    r->n = (size_t)(end - r->asked);
}

static void load(rig *r, uint64_t line)
{
    touch_by(r, INSTRUCTION, line, BX_LOAD);
}

/* The prefetches of one prefetcher, in order; the list ends with -1. */
static void asked(const rig *r, enum bx_prefetcher by, const int *lines)
{
    for (size_t i = 0; i < r->n; i++)
        if (bx_access_prefetcher(r->asked[i]) == by)
            assert_int_equal(bx_access_line(r->asked[i]), *lines++);
    assert_int_equal(*lines, -1);
}

#define ASKED(r, by, ...) asked(r, by, (const int[]){__VA_ARGS__})

/* The third line makes the second step in one direction. From there on, the streamer asks for two
 * lines each time. */
static void test_ascending(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = 0; line < 6; line++)
        load(&r, line);
    ASKED(&r, BX_PREFETCHER_NEXT, 2, 3, 4, 5, 6, -1);
    ASKED(&r, BX_PREFETCHER_STRIDE, 3, 4, 5, 6, -1);
    ASKED(&r, BX_PREFETCHER_ADJACENT, 3, 5, -1);
    ASKED(&r, BX_PREFETCHER_STREAMER, 3, 4, 5, 6, 7, 8, 9, 10, -1);
}

/* In a whole page: up to 20 lines ahead, each line of the page once, and none past its end. */
static void test_page_end(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = PAGE; line < 2 * PAGE; line++) {
        r.n = 0;
        load(&r, line);
        for (size_t i = 0; i < r.n; i++) {
            assert_int_equal(bx_access_line(r.asked[i]) / PAGE, 1);
            assert_in_range(bx_access_line(r.asked[i]), line + 1, line + 20);
        }
        if (line >= PAGE + 22 && line < 2 * PAGE - 20)
            ASKED(&r, BX_PREFETCHER_STREAMER, (int)line + 20, -1);
    }
    assert_int_equal(r.n, 0);
}

static void test_descending(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = 63; line > 58; line--)
        load(&r, line);
    ASKED(&r, BX_PREFETCHER_NEXT, -1);
    ASKED(&r, BX_PREFETCHER_STRIDE, 60, 59, 58, -1);
    ASKED(&r, BX_PREFETCHER_ADJACENT, 60, 58, -1);
    ASKED(&r, BX_PREFETCHER_STREAMER, 60, 59, 58, 57, 56, 55, -1);
}

static void test_descending_to_the_page(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = 2 * PAGE + 3; line >= 2 * PAGE; line--)
        load(&r, line);
    ASKED(&r, BX_PREFETCHER_STRIDE, 2 * PAGE, -1);
    ASKED(&r, BX_PREFETCHER_STREAMER, 2 * PAGE, -1);
}

/* Three lines further each time. */
static void test_stride(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = 0; line <= 12; line += 3)
        load(&r, line);
    ASKED(&r, BX_PREFETCHER_NEXT, -1);
    ASKED(&r, BX_PREFETCHER_STRIDE, 9, 12, 15, -1);
    ASKED(&r, BX_PREFETCHER_ADJACENT, 2, 7, 8, 13, -1);
    ASKED(&r, BX_PREFETCHER_STREAMER, 7, 8, 10, 11, 13, 14, -1);
}

/* 2 KiB is the longest stride. */
static void test_longest_stride(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    load(&r, 63);
    load(&r, 95);
    load(&r, 127);
    ASKED(&r, BX_PREFETCHER_STRIDE, -1); /* the next line is in another page */
    rig_new(&r);
    load(&r, 31);
    load(&r, 63); /* 32 */
    load(&r, 95); /* 32 again */
    ASKED(&r, BX_PREFETCHER_STRIDE, 127, -1);
    rig_new(&r);
    load(&r, 28);
    load(&r, 61); /* 33 */
    load(&r, 94);
    ASKED(&r, BX_PREFETCHER_STRIDE, -1);
}

/* Two instructions, each with its own stream in one page: L2 sees no direction. */
static void test_two_streams(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned i = 0; i < 5; i++) {
        touch_by(&r, 1, 2 * i, BX_LOAD);
        touch_by(&r, 2, 32 + 2 * i, BX_LOAD);
    }
    ASKED(&r, BX_PREFETCHER_STREAMER, -1);
    ASKED(&r, BX_PREFETCHER_STRIDE, 6, 38, 8, 40, 10, 42, -1);
}

/* Instructions whose numbers have the same low bits replace each other's entry. */
static void test_same_entry(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned i = 0; i < 5; i++) {
        touch_by(&r, 1, 2 * i, BX_LOAD);
        touch_by(&r, 1 + BX_STRIDE_INSTRUCTIONS, 32 + 2 * i, BX_LOAD);
    }
    ASKED(&r, BX_PREFETCHER_STRIDE, -1);
}

/* Stores and fetches also train L2's prefetchers, which ask for lines of their kind. */
static void test_kinds(void **state)
{
    (void)state;
    static const unsigned kinds[] = {BX_STORE, BX_FETCH};
    for (unsigned k = 0; k < 2; k++) {
        rig r;
        rig_new(&r);
        for (unsigned line = 0; line < 4; line++)
            touch_by(&r, INSTRUCTION, line, kinds[k]);
        ASKED(&r, BX_PREFETCHER_NEXT, -1);
        ASKED(&r, BX_PREFETCHER_STRIDE, -1);
        ASKED(&r, BX_PREFETCHER_ADJACENT, 3, -1);
        ASKED(&r, BX_PREFETCHER_STREAMER, 3, 4, 5, 6, -1);
        for (size_t i = 0; i < r.n; i++) {
            bx_access for_what = bx_access_prefetched(r.asked[i]);
            assert_int_equal(for_what & 3, kinds[k]);
            assert_int_equal(for_what, bx_access_make(bx_access_line(for_what), kinds[k], 0, 0));
        }
    }
}

/* Another access to the line touched last has no effect, except on the stride. */
static void test_touched(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    for (unsigned line = 0; line < 4; line++)
        load(&r, line);
    r.n = 0;
    for (unsigned line = 0; line < 4; line++)
        touch_by(&r, 7, line, BX_LOAD);
    ASKED(&r, BX_PREFETCHER_STRIDE, 3, 4, -1);
    assert_int_equal(r.n, 2);
}

/* Loads of random lines of 64 MiB: almost no prefetches. */
static void test_random_lines(void **state)
{
    (void)state;
    rig r;
    rig_new(&r);
    uint64_t dice = 3;
    size_t n = 0;
    for (unsigned i = 0; i < 100000; i++, n += r.n, r.n = 0)
        load(&r, dice_below(&dice, 1 << 20));
    assert_in_range(n, 1, 1000);
}

/* If 33 pages are walked in turn, the entry of the one followed longest is always replaced. */
static void test_streams_at_once(void **state)
{
    (void)state;
    for (unsigned pages = 32; pages <= 33; pages++) {
        rig r;
        rig_new(&r);
        size_t n = 0;
        for (unsigned line = 0; line < 8; line += 2)
            for (unsigned page = 0; page < pages; page++, n += r.n, r.n = 0)
                touch_by(&r, page, page * PAGE + line, BX_STORE);
        assert_int_equal(n, pages == 32 ? 32 * (3 + 2 * 2) : 0);
    }
}

/* ---- the reference: every rule as on the page, with nothing packed ---- */

typedef struct reference {
    struct {
        bool used;
        uint32_t instruction;
        int64_t line, stride;
    } stride[256];
    struct {
        bool used;
        int64_t page, last, ahead;
        int direction, steps;
    } stream[32];
    int oldest;
    int64_t touched[512];
    int64_t line[8];
    enum bx_prefetcher by[8];
    size_t n;
} reference;

static void reference_new(reference *r)
{
    *r = (reference){.n = 0};
    for (unsigned i = 0; i < 512; i++)
        r->touched[i] = -1;
}

static void ask(reference *r, enum bx_prefetcher by, int64_t line)
{
    r->by[r->n] = by;
    r->line[r->n++] = line;
}

static void reference_stride(reference *r, uint32_t instruction, int64_t line)
{
    unsigned i = instruction % 256;
    int64_t stride = 0;
    if (r->stride[i].used && r->stride[i].instruction == instruction)
        stride = line - r->stride[i].line;
    if (stride > 32 || stride < -32)
        stride = 0;
    if (stride != 0 && stride == r->stride[i].stride && line + stride >= 0 &&
        (line + stride) / PAGE == line / PAGE)
        ask(r, BX_PREFETCHER_STRIDE, line + stride);
    r->stride[i].used = true;
    r->stride[i].instruction = instruction;
    r->stride[i].line = line;
    r->stride[i].stride = stride;
}

static void reference_stream(reference *r, unsigned i, int64_t line)
{
    int64_t last = r->stream[i].last;
    int direction = line > last ? 1 : -1;
    if (line == last)
        direction = r->stream[i].direction;
    if (direction != r->stream[i].direction) {
        r->stream[i].direction = direction;
        r->stream[i].steps = 0;
        r->stream[i].ahead = line;
    }
    if (line != last)
        r->stream[i].steps++;
    r->stream[i].last = line;
    if (direction == 1 && r->stream[i].ahead < line)
        r->stream[i].ahead = line;
    if (direction == -1 && r->stream[i].ahead > line)
        r->stream[i].ahead = line;
    for (int n = 0; n < 2 && r->stream[i].steps >= 2; n++) {
        int64_t next = r->stream[i].ahead + direction, distance = (next - line) * direction;
        if (next < 0 || next / PAGE != line / PAGE || distance > 20)
            return;
        r->stream[i].ahead = next;
        ask(r, BX_PREFETCHER_STREAMER, next);
    }
}

static void reference_see(reference *r, uint32_t instruction, int64_t line, unsigned kind)
{
    r->n = 0;
    if (kind == BX_LOAD)
        reference_stride(r, instruction, line);
    if (r->touched[line % 512] == line)
        return;
    r->touched[line % 512] = line;
    if (kind == BX_LOAD && line % PAGE > 0 && line % PAGE < PAGE - 1 &&
        r->touched[(line - 1) % 512] == line - 1)
        ask(r, BX_PREFETCHER_NEXT, line + 1);
    for (unsigned i = 0; i < 32; i++)
        if (r->stream[i].used && r->stream[i].page == line / PAGE) {
            int64_t pair = line % 2 ? line - 1 : line + 1;
            if (r->touched[pair % 512] != pair)
                ask(r, BX_PREFETCHER_ADJACENT, pair);
            reference_stream(r, i, line);
            return;
        }
    int i = r->oldest;
    r->oldest = (i + 1) % 32;
    r->stream[i].used = true;
    r->stream[i].page = line / PAGE;
    r->stream[i].last = r->stream[i].ahead = line;
    r->stream[i].direction = r->stream[i].steps = 0;
}

/* Walks of several instructions through some pages, each with a stride, which start again now and
 * then; and random lines among them. */
static void test_reference(void **state)
{
    enum { WALKS = 12, ACCESSES = 20000 };
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        uint64_t dice = seed, pages = 1 + dice_below(&dice, seed % 2 ? 4 : 80);
        int64_t at[WALKS] = {0}, stride[WALKS] = {0}, lines = (int64_t)pages * PAGE;
        rig r;
        reference plain;
        rig_new(&r);
        reference_new(&plain);
        for (unsigned i = 0; i < ACCESSES; i++) {
            unsigned walk = dice_below(&dice, WALKS), kind = dice_below(&dice, 3);
            if (dice_below(&dice, 20) == 0) {
                at[walk] = dice_below(&dice, (unsigned)lines);
                stride[walk] = (int64_t)dice_below(&dice, 79) - 39;
                if (walk % 2)
                    stride[walk] = stride[walk] < 0 ? -1 : 1;
            }
            at[walk] = ((at[walk] + stride[walk]) % lines + lines) % lines;
            uint32_t instruction = walk % 5 + (walk % 2) * 256;
            r.n = 0;
            touch_by(&r, instruction, (uint64_t)at[walk], kind);
            reference_see(&plain, instruction, at[walk], kind);
            assert_int_equal(r.n, plain.n);
            for (size_t k = 0; k < r.n; k++) {
                assert_int_equal(bx_access_line(r.asked[k]), plain.line[k]);
                assert_int_equal(bx_access_prefetcher(r.asked[k]), plain.by[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascending),    cmocka_unit_test(test_page_end),
        cmocka_unit_test(test_descending),   cmocka_unit_test(test_descending_to_the_page),
        cmocka_unit_test(test_stride),       cmocka_unit_test(test_longest_stride),
        cmocka_unit_test(test_two_streams),  cmocka_unit_test(test_same_entry),
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_touched),
        cmocka_unit_test(test_random_lines), cmocka_unit_test(test_streams_at_once),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
