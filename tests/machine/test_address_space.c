/* Address spaces: which frames pages have, before and after forks. */
#include "../cmocked.h"

#include "machine/program/decode/address_space.h"
#include "machine/program/task/core_list.h"
#include "machine/program/task/release.h"
#include "model/engine/permute.h"
#include "tracer/trace_format.h"

#include <string.h>

enum { SEED = 1, PAGE = 4096 };

typedef struct rig {
    struct bx_frames *frames;
    bx_physical_memory *memory;
    bx_address_space *space;
} rig;

static rig opened_with(struct bx_frames *frames)
{
    rig r = {.frames = frames};
    r.memory = bx_physical_memory_new(r.frames);
    r.space = bx_address_space_new(r.memory);
    assert_non_null(r.space);
    return r;
}

static rig opened(void)
{
    return opened_with(bx_frames_new(SEED));
}

static void closed(rig *r)
{
    assert_false(bx_physical_memory_ran_out(r->memory));
    bx_address_space_free(r->space);
    bx_physical_memory_free(r->memory);
    bx_frames_free(r->frames);
}

static uint64_t reads(bx_address_space *s, uint64_t page)
{
    return bx_address_space_touch(s, page, BX_TOUCH_FETCH).frame;
}

static bx_page_found writes(bx_address_space *s, uint64_t page)
{
    return bx_address_space_touch(s, page, true);
}

/* Frames are assigned as in docs/explanation/model-memory.md, "Memory": like those of a program
 * that lackey traces. */
static void frames_come_in_the_order_of_first_touch(void **state)
{
    (void)state;
    rig r = opened();
    struct bx_frames *expected = bx_frames_new(SEED);
    const uint64_t pages[] = {5, 900000, 6, 5, 1 << 30, 900000, 7};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        assert_int_equal(reads(r.space, pages[i]), bx_frames_map(expected, pages[i]));
    bx_frames_free(expected);
    closed(&r);
}

static void written_pages_are_copied_after_a_fork(void **state)
{
    (void)state;
    rig r = opened();
    uint64_t first = writes(r.space, 5).frame, second = writes(r.space, 6).frame;
    bx_address_space *child = bx_address_space_fork(r.space);
    assert_int_equal(reads(child, 5), first);
    assert_false(bx_address_space_touch(r.space, 5, false).writable);
    bx_page_found copy = writes(child, 5);
    assert_int_equal(copy.made, BX_PAGE_COPIED);
    assert_int_equal(copy.from, first);
    assert_int_not_equal(copy.frame, first);
    assert_int_equal(reads(r.space, 5), first);
    assert_int_equal(writes(r.space, 5).made,
                     BX_PAGE_THERE); /* no other process has the page any more */
    assert_int_equal(reads(child, 6), second);
    bx_address_space_free(child);
    assert_int_equal(writes(r.space, 6).frame, second);
    closed(&r);
}

static void files_are_shared_until_they_are_written(void **state)
{
    (void)state;
    rig r = opened();
    bx_address_space *other = bx_address_space_new(r.memory);
    const bx_mapping file = {.address = 16 * PAGE,
                             .bytes = 4 * PAGE,
                             .device = 1,
                             .inode = 2,
                             .offset = PAGE,
                             .file = true};
    bx_mapping again = file;
    again.address = 80 * PAGE;
    again.offset = 0;
    bx_address_space_map(r.space, file);
    bx_address_space_map(other, again);
    assert_int_equal(reads(r.space, 16), reads(other, 81));
    assert_int_not_equal(reads(r.space, 17), reads(other, 81));
    bx_page_found copy = writes(other, 81);
    assert_int_equal(copy.made, BX_PAGE_COPIED);
    assert_int_not_equal(copy.frame, reads(r.space, 16));
    again.inode = 3;
    bx_address_space_map(other, again);
    assert_int_not_equal(reads(other, 81), reads(r.space, 16));
    bx_address_space_free(other);
    closed(&r);
}

static void shared_memory_is_shared_over_forks(void **state)
{
    (void)state;
    rig r = opened();
    bx_address_space_map(r.space,
                         (bx_mapping){.address = 16 * PAGE, .bytes = 2 * PAGE, .shared = true});
    uint64_t first = writes(r.space, 16).frame;
    bx_address_space *child = bx_address_space_fork(r.space);
    assert_int_equal(writes(child, 16).frame, first);
    assert_int_equal(writes(r.space, 17).frame, reads(child, 17)); /* touched after the fork */
    bx_address_space_free(child);
    closed(&r);
}

/* All read one page of zeros, which costs nothing, until they write. */
static void pages_that_are_only_read_are_one(void **state)
{
    (void)state;
    rig r = opened();
    bx_address_space *other = bx_address_space_new(r.memory);
    bx_page_found read = bx_address_space_touch(r.space, 5, BX_TOUCH_READ);
    assert_int_equal(read.made, BX_PAGE_THERE);
    assert_false(read.writable);
    assert_true(bx_address_space_is_zero(r.space, read.frame));
    assert_int_equal(bx_address_space_touch(r.space, 77, BX_TOUCH_READ).frame, read.frame);
    assert_int_equal(bx_address_space_touch(other, 5, BX_TOUCH_READ).frame, read.frame);
    bx_address_space *child = bx_address_space_fork(r.space);
    bx_page_found written = writes(r.space, 5);
    assert_int_equal(written.made, BX_PAGE_ZEROED);
    assert_true(written.changed);
    assert_int_not_equal(written.frame, read.frame);
    assert_int_equal(reads(r.space, 77), read.frame);
    assert_int_equal(reads(child, 5), read.frame);
    assert_int_equal(bx_physical_memory_pages(r.memory), 1);
    assert_int_equal(bx_address_space_touch(r.space, 900, BX_TOUCH_FETCH).made, BX_PAGE_ZEROED);
    bx_address_space_map(other, (bx_mapping){.address = 8 * PAGE, .bytes = PAGE, .filled = true});
    assert_false(
        bx_address_space_is_zero(other, bx_address_space_touch(other, 8, BX_TOUCH_READ).frame));
    bx_address_space_free(child);
    bx_address_space_free(other);
    closed(&r);
}

/* Private memory is forgotten; what others also see stays. */
static void discarded_pages_begin_anew(void **state)
{
    (void)state;
    rig r = opened();
    const bx_mapping file = {
        .address = 16 * PAGE, .bytes = PAGE, .device = 1, .inode = 2, .file = true};
    const bx_mapping shared = {.address = 18 * PAGE, .bytes = PAGE, .shared = true};
    bx_address_space_map(r.space, file);
    bx_address_space_map(r.space, shared);
    uint64_t kept = writes(r.space, 18).frame, after = writes(r.space, 20).frame;
    writes(r.space, 15);
    writes(r.space, 16);
    assert_true(bx_address_space_discard(r.space, 15 * PAGE, 4 * PAGE));
    assert_int_equal(reads(r.space, 18), kept);
    assert_int_equal(reads(r.space, 20), after);
    assert_int_equal(writes(r.space, 15).made, BX_PAGE_ZEROED);
    bx_page_found again = bx_address_space_touch(r.space, 16, BX_TOUCH_READ);
    assert_int_equal(again.made, BX_PAGE_THERE); /* of the file, which is mapped as before */
    assert_false(again.writable);
    assert_true(bx_address_space_discard(r.space, 0, 100 * PAGE));
    assert_false(bx_address_space_discard(r.space, 200 * PAGE, PAGE));
    closed(&r);
}

static unsigned node(const rig *r, uint64_t frame)
{
    return bx_frames_node_of(r->frames, frame);
}

/* Linux's policies, on four nodes. */
static void pages_come_from_the_node_of_their_policy(void **state)
{
    (void)state;
    struct bx_frames *frames = bx_frames_new(SEED);
    bx_frames_divide(frames, 4);
    rig r = opened_with(frames);
    const bx_memory_policy local = {0}, bind = {BX_POLICY_BIND, 1 << 1 | 1 << 3},
                           preferred = {BX_POLICY_PREFERRED, 1 << 3},
                           interleave = {BX_POLICY_INTERLEAVE, 1 << 0 | 1 << 2 | 1 << 3};
    const unsigned turn[] = {0, 2, 3};
    bx_address_space_touched_by(r.space, 2, local);
    assert_int_equal(node(&r, writes(r.space, 1).frame), 2);
    bx_address_space_touched_by(r.space, 1, local);
    assert_int_equal(node(&r, writes(r.space, 2).frame), 1);
    assert_int_equal(node(&r, writes(r.space, 1).frame), 2); /* it stays */
    bx_address_space_touched_by(r.space, 1, preferred);
    assert_int_equal(node(&r, writes(r.space, 3).frame), 3);
    bx_address_space_touched_by(r.space, 3, bind);
    assert_int_equal(node(&r, writes(r.space, 4).frame), 3);
    bx_address_space_touched_by(r.space, 0, bind);
    assert_int_equal(node(&r, writes(r.space, 5).frame), 1);
    bx_address_space_touched_by(r.space, 1, interleave);
    for (uint64_t page = 60; page < 72; page++)
        assert_int_equal(node(&r, writes(r.space, page).frame), turn[page % 3]);
    /* The policy of a range goes first; an unmapped range has none any more. */
    bx_address_space_bind(r.space, 100 * PAGE, 9 * PAGE, preferred);
    bx_address_space_bind(r.space, 102 * PAGE, 3 * PAGE,
                          (bx_memory_policy){BX_POLICY_BIND, 1 << 2});
    bx_address_space_touched_by(r.space, 1, local);
    assert_int_equal(node(&r, writes(r.space, 101).frame), 3);
    assert_int_equal(node(&r, writes(r.space, 104).frame), 2);
    assert_int_equal(node(&r, writes(r.space, 105).frame), 3);
    assert_int_equal(node(&r, writes(r.space, 109).frame), 1);
    bx_address_space *child = bx_address_space_fork(r.space);
    assert_int_equal(node(&r, writes(child, 103).frame), 2);
    bx_address_space_free(child);
    bx_address_space_unmap(r.space, 101 * PAGE, 3 * PAGE);
    assert_int_equal(node(&r, writes(r.space, 103).frame), 1);
    assert_int_equal(node(&r, writes(r.space, 100).frame), 3);
    closed(&r);
}

static void pages_move_to_other_nodes(void **state)
{
    (void)state;
    struct bx_frames *frames = bx_frames_new(SEED);
    uint64_t from, to, page = 0;
    bx_frames_divide(frames, 2);
    rig r = opened_with(frames);
    uint64_t first = writes(r.space, 5).frame;
    assert_false(bx_address_space_migrate(r.space, 5, 0, &from, &to)); /* it is there */
    assert_false(bx_address_space_migrate(r.space, 6, 1, &from, &to)); /* there is no page */
    assert_true(bx_address_space_migrate(r.space, 5, 1, &from, &to));
    assert_int_equal(from, first);
    assert_int_equal(node(&r, to), 1);
    assert_int_equal(writes(r.space, 5).frame, to);
    assert_int_equal(bx_address_space_policy_pages(r.space, 7), UINT64_MAX);
    bx_address_space_bind(r.space, 0, 99 * PAGE, (bx_memory_policy){BX_POLICY_BIND, 1});
    assert_int_equal(bx_address_space_policy_pages(r.space, 7), 99 - 7);
    assert_int_equal(bx_address_space_policy_pages(r.space, 99), UINT64_MAX);
    bx_address_space_bind(r.space, 50 * PAGE, PAGE, (bx_memory_policy){0});
    assert_int_equal(bx_address_space_policy_pages(r.space, 7), 50 - 7);
    assert_int_equal(bx_address_space_policy_pages(r.space, 50), 1);
    assert_int_equal(bx_address_space_next(r.space, &page, 99 * PAGE), 5 + 1);
    assert_true(bx_address_space_migrate(r.space, 5, BX_NODES_MOST, &from, &to));
    assert_int_equal(to, first); /* the frame given back last */
    assert_int_equal(bx_address_space_next(r.space, &page, 99 * PAGE), 0);
    bx_address_space *child = bx_address_space_fork(r.space);
    assert_false(bx_address_space_migrate(r.space, 5, 1, &from, &to)); /* two have it */
    bx_address_space_free(child);
    closed(&r);
}

static void the_frame_unmapped_last_is_used_first(void **state)
{
    (void)state;
    rig r = opened();
    uint64_t a = reads(r.space, 5), b = reads(r.space, 6);
    bx_address_space_unmap(r.space, 5 * PAGE, 2 * PAGE);
    assert_int_equal(reads(r.space, 77), b);
    assert_int_equal(reads(r.space, 78), a);
    assert_int_equal(bx_address_space_touch(r.space, 5, true).made, BX_PAGE_ZEROED);
    closed(&r);
}

static void moved_pages_keep_their_frames(void **state)
{
    (void)state;
    rig r = opened();
    uint64_t a = reads(r.space, 5), b = reads(r.space, 6);
    bx_address_space_move(r.space, 5 * PAGE, 2 * PAGE, 1000 * PAGE, 3 * PAGE);
    assert_int_equal(reads(r.space, 1000), a);
    assert_int_equal(reads(r.space, 1001), b);
    assert_int_equal(bx_address_space_touch(r.space, 5, true).made, BX_PAGE_ZEROED);
    closed(&r);
}

/* ---- cores of threads ---- */

static void expect_cores(const char *text, const char *cores)
{
    const bx_topology t = {.packages = 2, .cores = 3};
    bx_core_list list;
    assert_int_equal(bx_core_list_parse(text, &t, &list, NULL), BX_OK);
    assert_int_equal(list.n, strlen(cores));
    for (unsigned i = 0; i < list.n; i++)
        assert_int_equal(list.core[i], cores[i] - '0');
}

static void refuse_cores(const char *text, const char *message)
{
    const bx_topology t = {.packages = 2, .cores = 3};
    bx_core_list list;
    bx_error e = {0};
    assert_int_equal(bx_core_list_parse(text, &t, &list, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, message);
}

static void lists_of_cores(void **state)
{
    (void)state;
    expect_cores(NULL, "012345");
    expect_cores("compact", "012345");
    expect_cores("spread", "031425");
    expect_cores("4,0-2,1", "4012");
    refuse_cores("", "'' is no list of cores");
    refuse_cores("1-", "'1-' is no list of cores");
    refuse_cores("3-1", "'3-1' is no list of cores");
    refuse_cores("1 2", "'1 2' is no list of cores");
    refuse_cores("0-6", "'0-6' names core 6, and the machine has 6: 0-5");
}

/* ---- releases ---- */

static void the_last_release_before_a_time(void **state)
{
    (void)state;
    bx_releases *r = bx_releases_new();
    bx_task a, b;
    bx_releases_add(r, BX_TRACE_PIPE, 7, 100, (bx_point){&a, 1});
    bx_releases_add(r, BX_TRACE_PIPE, 7, 300, (bx_point){&a, 2});
    bx_releases_add(r, BX_TRACE_PIPE, 7, 200, (bx_point){&b, 5});
    bx_releases_add(r, BX_TRACE_FUTEX, 7, 250, (bx_point){&a, 9});
    assert_null(bx_releases_before(r, BX_TRACE_PIPE, 7, 100).task);
    assert_ptr_equal(bx_releases_before(r, BX_TRACE_PIPE, 7, 101).task, &a);
    assert_ptr_equal(bx_releases_before(r, BX_TRACE_PIPE, 7, 300).task, &b);
    assert_int_equal(bx_releases_before(r, BX_TRACE_PIPE, 7, 301).n, 2);
    assert_null(bx_releases_before(r, BX_TRACE_PIPE, 8, 301).task);
    bx_releases_pair(r, BX_TRACE_SOCKET, 1, 2);
    bx_releases_add(r, BX_TRACE_SOCKET, 1, 10, (bx_point){&a, 3});
    assert_int_equal(bx_releases_before(r, BX_TRACE_SOCKET, 2, 20).n, 3);
    assert_null(bx_releases_before(r, BX_TRACE_SOCKET, 1, 20).task);
    bx_releases_free(r);
}

/* ---- huge pages ---- */

enum { HUGE = 512 }; /* pages */

static void anonymous_areas_are_huge(void **state)
{
    (void)state;
    rig r = opened_with(bx_frames_new_huge(SEED));
    struct bx_frames *expected = bx_frames_new_huge(SEED);
    bx_page_found found = writes(r.space, 3 * HUGE + 7);
    uint64_t first = bx_frames_take(expected, BX_FRAME_OF_HUGE, 0);
    assert_true(found.huge && found.writable);
    assert_int_equal(found.made, BX_PAGE_ZEROED);
    assert_int_equal(found.frame, first + 7);
    assert_true(bx_address_space_is_huge(r.space, 3 * HUGE));
    assert_false(bx_address_space_is_huge(r.space, 4 * HUGE));
    found = writes(r.space, 3 * HUGE);
    assert_false(found.huge);
    assert_int_equal(found.made, BX_PAGE_THERE);
    assert_int_equal(found.frame, first);
    assert_true(bx_address_space_unmap(r.space, 3 * HUGE * PAGE, HUGE * PAGE));
    assert_false(bx_address_space_unmap(r.space, 3 * HUGE * PAGE, HUGE * PAGE));
    assert_int_equal(reads(r.space, 8 * HUGE), first); /* the whole huge page was given back */
    bx_frames_free(expected);
    closed(&r);
}

static void areas_with_files_are_not_huge(void **state)
{
    (void)state;
    rig r = opened_with(bx_frames_new_huge(SEED));
    const bx_mapping file = {.address = (HUGE + 5) * PAGE, .bytes = PAGE, .inode = 2, .file = true};
    bx_address_space_map(r.space, file);
    uint64_t first = reads(r.space, HUGE);
    assert_int_equal(first % HUGE, 0);
    assert_int_equal(reads(r.space, 2 * HUGE - 1),
                     first + 1); /* the next frame of the same huge page */
    assert_false(bx_address_space_is_huge(r.space, HUGE));
    assert_true(bx_address_space_touch(r.space, 2 * HUGE, false).huge);
    assert_true(bx_address_space_touch(r.space, 0, false).huge);
    closed(&r);
}

/* Linux, admin-guide/mm/transhuge.rst: `always` passes over memory with MADV_NOHUGEPAGE, `madvise`
 * takes only memory with MADV_HUGEPAGE, and a huge page must lie within it. */
static void advice_chooses_huge_pages(void **state)
{
    (void)state;
    static const struct {
        uint64_t page, pages;
        bool huge;
    } advice[] = {{HUGE, 2 * HUGE, true},     {4 * HUGE + 1, HUGE, true},
                  {6 * HUGE, HUGE / 2, true}, {6 * HUGE + HUGE / 2, HUGE, true},
                  {8 * HUGE, 2 * HUGE, true}, {9 * HUGE + 3, 1, false}};
    static const struct {
        uint64_t area;
        bool always, advised;
    } expected[] = {{0, true, false}, {1, true, true},  {2, true, true}, {3, true, false},
                    {4, true, false}, {5, true, false}, {6, true, true}, {7, true, false},
                    {8, true, true},  {9, false, false}};
    for (int advised = 0; advised < 2; advised++) {
        rig r = opened_with(bx_frames_new_huge(SEED));
        if (advised)
            bx_frames_for_advised(r.frames);
        for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
            bx_address_space_advise(r.space, advice[i].page * PAGE, advice[i].pages * PAGE,
                                    advice[i].huge);
        bx_address_space *child = bx_address_space_fork(r.space); /* inherits it */
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            bool huge = advised ? expected[i].advised : expected[i].always;
            assert_int_equal(writes(r.space, expected[i].area * HUGE + 9).huge, huge);
            assert_int_equal(writes(child, expected[i].area * HUGE + 9).huge, huge);
        }
        bx_address_space_free(child);
        closed(&r);
    }
}

/* A new mapping has no advice; a mapping that moves keeps its own. */
static void advice_goes_with_the_mapping(void **state)
{
    (void)state;
    rig r = opened_with(bx_frames_new_huge(SEED));
    bx_frames_for_advised(r.frames);
    bx_address_space_advise(r.space, 0, 3 * HUGE * PAGE, true);
    bx_address_space_map(r.space, (bx_mapping){.address = 0, .bytes = HUGE * PAGE});
    assert_false(writes(r.space, 0).huge);
    bx_address_space_move(r.space, HUGE * PAGE, HUGE * PAGE, 8 * HUGE * PAGE, 2 * HUGE * PAGE);
    assert_false(writes(r.space, HUGE).huge);
    assert_true(writes(r.space, 2 * HUGE).huge);
    assert_true(writes(r.space, 8 * HUGE).huge);
    assert_true(writes(r.space, 9 * HUGE).huge);
    assert_true(bx_address_space_discard(r.space, 8 * HUGE * PAGE, HUGE * PAGE));
    assert_true(writes(r.space, 8 * HUGE).huge); /* MADV_DONTNEED keeps it */
    closed(&r);
}

static void huge_pages_fall_apart(void **state)
{
    (void)state;
    rig r = opened_with(bx_frames_new_huge(SEED));
    uint64_t first = reads(r.space, 0), second = reads(r.space, HUGE);
    bx_address_space_unmap(r.space, 0, PAGE);
    assert_false(bx_address_space_is_huge(r.space, 0));
    assert_int_equal(reads(r.space, 1), first + 1);
    assert_int_equal(writes(r.space, 0).frame, first); /* as a small page */
    bx_address_space *child = bx_address_space_fork(r.space);
    bx_page_found copy = writes(child, HUGE + 3);
    assert_true(copy.changed);
    assert_int_equal(copy.made, BX_PAGE_COPIED);
    assert_int_equal(copy.from, second + 3);
    assert_false(bx_address_space_is_huge(child, HUGE));
    assert_true(bx_address_space_is_huge(r.space, HUGE));
    assert_int_equal(reads(child, HUGE + 4), second + 4);
    bx_address_space_free(child);
    bx_address_space_move(r.space, HUGE * PAGE, PAGE, 9 * HUGE * PAGE, PAGE);
    assert_false(bx_address_space_is_huge(r.space, HUGE));
    assert_int_equal(reads(r.space, 9 * HUGE), second);
    closed(&r);
}

/* A process has its own page tables, and gives their frames back. */
static void page_tables_end_with_their_process(void **state)
{
    (void)state;
    rig r = opened();
    bx_address_space *other = bx_address_space_new(r.memory);
    uint64_t first = bx_page_tables_line(bx_address_space_tables(r.space), BX_PTE, 77);
    uint64_t second = bx_page_tables_line(bx_address_space_tables(other), BX_PTE, 77);
    assert_true(first != second);
    bx_address_space_clear(other);
    assert_int_equal(bx_page_tables_line(bx_address_space_tables(r.space), BX_PDE, 77) / 64,
                     second / 64);
    bx_address_space_free(other);
    closed(&r);
}

typedef struct marked {
    bx_range range;
    unsigned mark;
} marked;

/* Ranges that are added and cut at random hold what an array of single addresses holds. */
static void ranges_are_cut(void **state)
{
    enum { ADDRESSES = 64, ROUNDS = 3000 };
    (void)state;
    bx_ranges all = {.size = sizeof(marked)};
    unsigned plain[ADDRESSES] = {0};
    uint64_t random = SEED;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        uint64_t from = bx_random(&random) % ADDRESSES;
        uint64_t to = from + bx_random(&random) % (ADDRESSES - from + 1);
        const marked one = {{from, to}, bx_random(&random) % 3 ? round : 0};
        assert_true(bx_ranges_cut(&all, from, to));
        if (one.mark)
            assert_true(bx_ranges_add(&all, &one));
        for (uint64_t i = from; i < to; i++)
            plain[i] = one.mark;
        for (uint64_t i = 0; i < ADDRESSES; i++) {
            const marked *found = bx_ranges_at(&all, i);
            assert_int_equal(found ? found->mark : 0, plain[i]);
        }
        for (size_t i = 1; i < all.n; i++)
            assert_true(((marked *)bx_ranges_entry(&all, i - 1))->range.to <=
                        ((marked *)bx_ranges_entry(&all, i))->range.from);
    }
    bx_ranges_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_in_the_order_of_first_touch),
        cmocka_unit_test(written_pages_are_copied_after_a_fork),
        cmocka_unit_test(files_are_shared_until_they_are_written),
        cmocka_unit_test(shared_memory_is_shared_over_forks),
        cmocka_unit_test(pages_that_are_only_read_are_one),
        cmocka_unit_test(discarded_pages_begin_anew),
        cmocka_unit_test(pages_come_from_the_node_of_their_policy),
        cmocka_unit_test(pages_move_to_other_nodes),
        cmocka_unit_test(the_frame_unmapped_last_is_used_first),
        cmocka_unit_test(ranges_are_cut),
        cmocka_unit_test(moved_pages_keep_their_frames),
        cmocka_unit_test(lists_of_cores),
        cmocka_unit_test(the_last_release_before_a_time),
        cmocka_unit_test(anonymous_areas_are_huge),
        cmocka_unit_test(advice_chooses_huge_pages),
        cmocka_unit_test(advice_goes_with_the_mapping),
        cmocka_unit_test(areas_with_files_are_not_huge),
        cmocka_unit_test(huge_pages_fall_apart),
        cmocka_unit_test(page_tables_end_with_their_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
