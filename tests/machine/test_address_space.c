/* Address spaces: which frames pages have, before and after forks. */
#include "../cmocked.h"

#include "machine/program/decode/address_space.h"
#include "machine/program/task/core_list.h"
#include "machine/program/task/release.h"
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
    return bx_address_space_touch(s, page, false).frame;
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

static void the_frame_unmapped_last_is_used_first(void **state)
{
    (void)state;
    rig r = opened();
    uint64_t a = reads(r.space, 5), b = reads(r.space, 6);
    bx_address_space_unmap(r.space, 5 * PAGE, 2 * PAGE);
    assert_int_equal(reads(r.space, 77), b);
    assert_int_equal(reads(r.space, 78), a);
    assert_int_equal(bx_address_space_touch(r.space, 5, false).made, BX_PAGE_ZEROED);
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
    assert_int_equal(bx_address_space_touch(r.space, 5, false).made, BX_PAGE_ZEROED);
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
    uint64_t first = bx_frames_take(expected, BX_FRAME_OF_HUGE);
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

static void huge_pages_fall_apart(void **state)
{
    (void)state;
    rig r = opened_with(bx_frames_new_huge(SEED));
    uint64_t first = reads(r.space, 0), second = reads(r.space, HUGE);
    bx_address_space_unmap(r.space, 0, PAGE);
    assert_false(bx_address_space_is_huge(r.space, 0));
    assert_int_equal(reads(r.space, 1), first + 1);
    assert_int_equal(bx_address_space_touch(r.space, 0, false).frame, first); /* as a small page */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_in_the_order_of_first_touch),
        cmocka_unit_test(written_pages_are_copied_after_a_fork),
        cmocka_unit_test(files_are_shared_until_they_are_written),
        cmocka_unit_test(shared_memory_is_shared_over_forks),
        cmocka_unit_test(the_frame_unmapped_last_is_used_first),
        cmocka_unit_test(moved_pages_keep_their_frames),
        cmocka_unit_test(lists_of_cores),
        cmocka_unit_test(the_last_release_before_a_time),
        cmocka_unit_test(anonymous_areas_are_huge),
        cmocka_unit_test(areas_with_files_are_not_huge),
        cmocka_unit_test(huge_pages_fall_apart),
        cmocka_unit_test(page_tables_end_with_their_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
