/* Frames of virtual pages. */
#include "../cmocked.h"

#include "model/engine/frames.h"
#include "model/engine/permute.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FRAMES = 1 << BX_FRAME_BITS };

/* The order of first touches decides, not the addresses. */
static void test_first_touch(void **state)
{
    (void)state;
    static const uint64_t page[] = {0x400, 0x7fff12345, 0, 5, UINT64_MAX >> BX_PAGE_SHIFT, 0x401};
    enum { N = sizeof page / sizeof *page };
    struct bx_frames *a = bx_frames_new(1), *b = bx_frames_new(1), *c = bx_frames_new(2);
    uint64_t frame[N];
    unsigned same = 0;

    for (unsigned i = 0; i < N; i++) {
        frame[i] = bx_frames_map(a, page[i]);
        assert_true(frame[i] < FRAMES);
        for (unsigned j = 0; j < i; j++)
            assert_true(frame[i] != frame[j]);
        assert_int_equal(bx_frames_map(b, 1000 + i), frame[i]);
        same += bx_frames_map(c, page[i]) == frame[i];
    }
    assert_true(same < 2); /* another seed */
    for (unsigned i = N; i-- > 0;)
        assert_int_equal(bx_frames_map(a, page[i]), frame[i]);
    bx_frames_free(a);
    bx_frames_free(b);
    bx_frames_free(c);
    bx_frames_free(NULL);
}

/* Each node has frames of its own, in the order of one permutation; when its memory is in use, the
 * next node's is taken. */
static void test_nodes(void **state)
{
    (void)state;
    for (unsigned nodes = 1; nodes <= BX_NODES_MOST; nodes++)
        for (int huge = 0; huge < 2; huge++) {
            struct bx_frames *f = huge ? bx_frames_new_huge(1) : bx_frames_new(1);
            uint64_t each = bx_node_frames(nodes), first = 0;
            bx_frames_divide(f, nodes);
            assert_int_equal(each % 512, 0);
            for (unsigned node = 0; node < nodes; node++) {
                uint64_t frame = bx_frames_take(f, BX_FRAME_OF_PAGE, node);
                first = node ? first : frame;
                assert_int_equal(frame, first + node * each);
                assert_int_equal(bx_frames_node_of(f, frame), node);
                assert_int_equal(bx_node_of_line(frame * 64 + 63, each * 64, nodes), node);
                assert_true(frame < FRAMES);
                frame = bx_frames_take(f, BX_FRAME_OF_HUGE, node);
                assert_int_equal(bx_frames_node_of(f, frame), node);
                assert_int_equal(bx_frames_node_of(f, frame + 511), node);
                frame = bx_frames_take(f, BX_FRAME_OF_TABLE, node);
                assert_int_equal(bx_frames_node_of(f, frame), node);
                bx_frames_give_back(f, BX_FRAME_OF_TABLE, frame);
                assert_int_equal(bx_frames_take(f, BX_FRAME_OF_TABLE, node), frame);
            }
            bx_frames_free(f);
        }
    struct bx_frames *f = bx_frames_new_huge(1);
    bx_frames_divide(f, 2);
    for (unsigned i = 0; i < 4096; i++)
        assert_int_equal(bx_frames_node_of(f, bx_frames_take(f, BX_FRAME_OF_HUGE, 1)), 1);
    assert_int_equal(bx_frames_node_of(f, bx_frames_take(f, BX_FRAME_OF_HUGE, 1)), 0);
    bx_frames_free(f);
}

static void test_lines(void **state)
{
    (void)state;
    struct bx_frames *f = bx_frames_new(1);
    uint64_t first = bx_frames_line(f, 0x7f0000001000), next = bx_frames_map(f, 0x7f0000002);

    assert_int_equal(first % 64, 0);
    assert_int_equal(bx_frames_line(f, 0x7f000000103f), first);
    assert_int_equal(bx_frames_line(f, 0x7f0000001040), first + 1);
    assert_int_equal(bx_frames_line(f, 0x7f0000001fff), first + 63);
    assert_int_equal(bx_frames_line(f, 0x7f0000002000), next * 64);
    bx_frames_free(f);
}

/* Every frame is assigned once before any is assigned again: 16 GiB of pages. */
static void test_all_of_memory(void **state)
{
    (void)state;
    struct bx_frames *f = bx_frames_new(42);
    uint8_t *seen = calloc(FRAMES, 1);

    assert_non_null(seen);
    for (uint64_t page = 0; page < FRAMES; page++) {
        uint64_t frame = bx_frames_map(f, page * 3);
        if (frame < FRAMES)
            seen[frame]++;
    }
    for (unsigned frame = 0; frame < FRAMES; frame++)
        assert_int_equal(seen[frame], 1);
    assert_int_equal(bx_frames_map(f, UINT64_C(1) << 40), bx_frames_map(f, 0));
    assert_int_equal(bx_frames_map(f, 1), bx_frames_map(f, 3));
    free(seen);
    bx_frames_free(f);
}

static void test_permutation(void **state)
{
    (void)state;
    for (unsigned half_bits = 1; half_bits <= 5; half_bits++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            bool seen[1 << 10] = {false};
            for (uint64_t n = 0; n < UINT64_C(1) << 2 * half_bits; n++) {
                uint64_t to = bx_permute(seed, half_bits, n);
                assert_true(to < UINT64_C(1) << 2 * half_bits && !seen[to]);
                seen[to] = true;
            }
        }
    }
}

/* 16 GiB of huge pages; then of frames of 4 KiB, which are cut from huge ones in order. */
static void test_huge_frames(void **state)
{
    (void)state;
    enum { HUGE = 512 };
    struct bx_frames *f = bx_frames_new_huge(42), *g = bx_frames_new_huge(42);
    bool *seen = calloc(FRAMES / HUGE, 1);

    assert_true(bx_frames_are_huge(f));
    for (unsigned i = 0; i < FRAMES / HUGE; i++) {
        uint64_t frame = bx_frames_take(f, BX_FRAME_OF_HUGE, 0);
        assert_int_equal(frame % HUGE, 0);
        assert_true(frame < FRAMES);
        assert_false(seen[frame / HUGE]);
        seen[frame / HUGE] = true;
        if (i % 2) {
            assert_int_equal(bx_frames_take(g, BX_FRAME_OF_HUGE, 0), frame);
            continue;
        }
        for (unsigned k = 0; k < HUGE; k++)
            assert_int_equal(i % 4 ? bx_frames_map(g, i * 1000 + k)
                                   : bx_frames_take(g, BX_FRAME_OF_PAGE, 0),
                             frame + k);
    }
    bx_frames_give_back(g, BX_FRAME_OF_HUGE, 512);
    assert_int_equal(bx_frames_take(g, BX_FRAME_OF_HUGE, 0), 512);
    free(seen);
    bx_frames_free(f);
    bx_frames_free(g);
}

/* Frames of page tables come from the end of the same order. */
static void test_frames_of_tables(void **state)
{
    (void)state;
    for (unsigned huge = 0; huge < 2; huge++) {
        struct bx_frames *f = huge ? bx_frames_new_huge(7) : bx_frames_new(7);
        struct bx_frames *g = huge ? bx_frames_new_huge(7) : bx_frames_new(7);
        static uint32_t order[FRAMES];
        for (unsigned i = 0; i < FRAMES; i++)
            order[i] = (uint32_t)bx_frames_take(f, BX_FRAME_OF_PAGE, 0);
        for (unsigned i = 0; i < 1000; i++) {
            unsigned at = FRAMES - 1 - i; /* huge frames from the end, within each from its start */
            assert_int_equal(bx_frames_take(g, BX_FRAME_OF_TABLE, 0),
                             order[huge ? at / 512 * 512 + i % 512 : at]);
        }
        bx_frames_give_back(g, BX_FRAME_OF_TABLE, 5);
        assert_int_equal(bx_frames_take(g, BX_FRAME_OF_PAGE, 0), order[0]);
        assert_int_equal(bx_frames_take(g, BX_FRAME_OF_TABLE, 0), 5);
        bx_frames_free(f);
        bx_frames_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_touch),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_all_of_memory),
        cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_huge_frames),
        cmocka_unit_test(test_frames_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
