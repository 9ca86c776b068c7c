/* The base layer: slices, numbers, globs, distances, arena, buffer, bits, errors. */
#include "../cmocked.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/keyed.h"
#include "base/slots.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static void slices(void **state)
{
    (void)state;
    assert_true(bx_str_eq_fold(BX_STR("UNC_Cbo"), BX_STR("unc_CBO")));
    assert_false(bx_str_eq(BX_STR("a"), BX_STR("A")));
    assert_true(bx_str_starts_fold(BX_STR("Virtual:skl"), BX_STR("virtual:")));
    assert_false(bx_str_starts_fold(BX_STR("virt"), BX_STR("virtual:")));
    assert_true(bx_str_eq(bx_str_trim(BX_STR(" \t x y \n")), BX_STR("x y")));
    assert_int_equal(bx_str_trim(BX_STR("   ")).n, 0);

    bx_str rest = BX_STR("a::b");
    assert_true(bx_str_eq(bx_str_cut(&rest, ':'), BX_STR("a")));
    assert_int_equal(bx_str_cut(&rest, ':').n, 0);
    assert_true(bx_str_eq(bx_str_cut(&rest, ':'), BX_STR("b")));
    assert_null(rest.p);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        uint64_t value;
    } cases[] = {
        {"0", true, 0},
        {"31", true, 31},
        {"0x1F", true, 31},
        {"010", true, 8},
        {"", false, 0},
        {"0x", false, 0},
        {"08", false, 0},
        {"12a", false, 0},
        {"-1", false, 0},
        {" 1", false, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0x10000000000000000", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 77;
        bool ok = bx_str_u64(bx_str_of(cases[i].text), &value);
        if (ok != cases[i].ok || value != (ok ? cases[i].value : 77))
            fail_msg("\"%s\"", cases[i].text);
    }

    uint64_t size;
    assert_true(bx_str_size(BX_STR("8M"), &size));
    assert_int_equal(size, 8388608);
    assert_true(bx_str_size(BX_STR("0x10k"), &size));
    assert_int_equal(size, 16384);
    assert_true(bx_str_size(BX_STR("8MiB"), &size));
    assert_int_equal(size, 8 << 20);
    assert_true(bx_str_size(BX_STR("2gib"), &size));
    assert_int_equal(size, UINT64_C(2) << 30);
    assert_false(bx_str_size(BX_STR("8iB"), &size));
    assert_false(bx_str_size(BX_STR("MiB"), &size));
    assert_false(bx_str_size(BX_STR("iB"), &size));
    assert_false(bx_str_size(BX_STR("0xaiB"), &size));
    assert_false(bx_str_size(BX_STR("8MB"), &size)); /* 8,000,000 or 8,388,608 */
    assert_false(bx_str_size(BX_STR("M"), &size));
    assert_false(bx_str_size(BX_STR("99999999999999G"), &size));
}

static void names(void **state)
{
    (void)state;
    assert_true(bx_str_glob(BX_STR("*lookup*READ_?"), BX_STR("UNC_CBO_CACHE_LOOKUP:READ_I")));
    assert_false(bx_str_glob(BX_STR("lookup"), BX_STR("cache_lookup")));
    assert_true(bx_str_glob(BX_STR("**"), BX_STR("")));
    assert_false(bx_str_glob(BX_STR("?"), BX_STR("")));

    assert_int_equal(bx_str_distance(BX_STR("kitten"), BX_STR("SITTING"), 9), 3);
    assert_int_equal(bx_str_distance(BX_STR("kitten"), BX_STR("sitting"), 2), 3);
    assert_int_equal(bx_str_distance(BX_STR(""), BX_STR("abc"), 9), 3);

    assert_int_equal(bx_str_hash_fold(BX_STR("A_b"), 1), bx_str_hash_fold(BX_STR("a_B"), 1));
    assert_int_not_equal(bx_str_hash_fold(BX_STR("a"), 1), bx_str_hash_fold(BX_STR("a"), 2));
}

static void bit_ranges(void **state)
{
    (void)state;
    /* 334060-001 table 2-7: THR 28:24 of a select register */
    assert_int_equal(bx_mask_bits(24, 28), 0x1f000000);
    assert_int_equal(bx_mask_bits(0, 63), UINT64_MAX);
    assert_int_equal(bx_mask_width(44), 0xfffffffffff);
    assert_int_equal(bx_bits_get(0x408834, 8, 15), 0x88);
    assert_int_equal(bx_bits_set(0x1f000000, 24, 28, 3), 0x03000000);
}

static void memory(void **state)
{
    (void)state;
    bx_arena arena = {0};
    char *copy = bx_arena_copy(&arena, BX_STR("box"));
    assert_string_equal(copy, "box");
    unsigned char *large = bx_arena_get(&arena, 200000);
    assert_non_null(large);
    assert_int_equal(large[0] | large[199999], 0);
    for (int i = 0; i < 10000; i++)
        assert_int_equal((uintptr_t)bx_arena_get(&arena, 17) % 16, 0);
    assert_null(bx_arena_get(&arena, SIZE_MAX));
    assert_true(arena.failed);
    assert_null(bx_arena_get(&arena, 1));
    bx_arena_free(&arena);

    bx_buf buf = {0};
    char long_text[600];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    bx_buf_z(&buf, "a");
    bx_buf_str(&buf, BX_STR("b"));
    bx_buf_f(&buf, "%d", 12);
    assert_string_equal(buf.p, "ab12");
    bx_buf_f(&buf, "%s", long_text);
    assert_int_equal(buf.n, 4 + 599);
    assert_int_equal(strlen(buf.p), buf.n);
    bx_buf_free(&buf);

    assert_string_equal(bx_buf_text(&buf), "");
    bool whole = false;
    bx_buf part = {.whole = &whole};
    bx_buf_z(&part, "a");
    assert_false(whole);
    bx_buf_f(&part, "%ls", L"\x100"); /* what the C locale cannot print fails as well */
    assert_true(part.failed && whole);
    assert_string_equal(bx_buf_text(&part), "a");
    bx_buf_free(&part);
}

static void growing_arrays(void **state)
{
    (void)state;
    uint64_t *all = NULL;
    size_t room = 0, moves = 0;
    for (size_t n = 0; n < 100; n++) {
        size_t before = room;
        all = bx_grow(all, n, &room, sizeof *all, 3);
        assert_non_null(all);
        assert_true(room > n);
        moves += room != before;
        all[n] = n * n;
    }
    assert_int_equal(moves, 7); /* 3, 6, 12, 24, 48, 96, 192 */
    for (size_t n = 0; n < 100; n++)
        assert_int_equal(all[n], n * n);
    free(all);
    /* More than there can be: nothing is freed or changed. */
    room = SIZE_MAX / 8;
    assert_null(bx_grow(NULL, room, &room, 8, 1));
    assert_true(room == SIZE_MAX / 8);
}

static void errors(void **state)
{
    (void)state;
    bx_error e = {0};
    assert_int_equal(bx_fail(&e, BX_BAD_INPUT, 3, 2, "no %s", "box"), BX_BAD_INPUT);
    bx_hint(&e, "try %d", 4);
    bx_error_shift(&e, 10);
    assert_string_equal(e.message, "no box");
    assert_string_equal(e.hint, "try 4");
    assert_int_equal(e.at, 13);
    /* the first error wins */
    assert_int_equal(bx_fail(&e, BX_NO_MEMORY, 0, 0, "later"), BX_NO_MEMORY);
    assert_string_equal(e.message, "no box");
    bx_hint(&e, "try less memory");
    assert_string_equal(e.hint, "try 4");
    assert_int_equal(bx_fail(NULL, BX_FAULT, 0, 0, "nobody listens"), BX_FAULT);
}

typedef struct numbered {
    uint64_t key;
    unsigned value;
} numbered;

/* Many keys share few hashes. */
static uint64_t hash_of_number(const void *row)
{
    return ((const numbered *)row)->key / 50;
}

static bool is_number(const void *row, const void *key)
{
    return ((const numbered *)row)->key == ((const numbered *)key)->key;
}

static void rows_by_key(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const bx_slots_kind kind = {sizeof(numbered), hash_of_number, is_number};
    static numbered row[N];
    bx_slots s = {0};
    for (unsigned i = 0; i < N; i++) {
        row[i] = (numbered){7 * i, i};
        assert_true(bx_slots_make_room(&s, &kind, row, i, 16));
        assert_true(s.n >= 2 * (i + 1) && (s.n & (s.n - 1)) == 0);
        uint32_t *slot = bx_slots_find(&s, &kind, row, &row[i]);
        assert_int_equal(*slot, 0);
        *slot = i + 1;
    }
    for (unsigned i = 0; i < 7 * N; i++) {
        uint32_t found = *bx_slots_find(&s, &kind, row, &(numbered){i, 0});
        assert_int_equal(found, i % 7 ? 0 : i / 7 + 1);
    }
    bx_slots_clear(&s);
    assert_int_equal(*bx_slots_find(&s, &kind, row, &row[0]), 0);
    bx_slots_free(&s);
}

static bool is_odd(const void *context, const void *record)
{
    return ((const numbered *)record)->value % 2 == *(const unsigned *)context;
}

static void records_by_key(void **state)
{
    (void)state;
    enum { N = 3000 };
    bx_keyed k = {.size = sizeof(numbered)};
    for (unsigned i = 0; i < N; i++) {
        assert_true(bx_keyed_make_room(&k, 16));
        numbered *to = bx_keyed_find(&k, i / 3 * 4096 + i % 3);
        assert_int_equal(to->key, 0);
        *to = (numbered){i / 3 * 4096 + i % 3 + 1, i};
        k.n++;
    }
    for (unsigned i = 0; i < N; i += 3) {
        bx_keyed_remove(&k, bx_keyed_find(&k, i / 3 * 4096));
        assert_int_equal(k.n, N - i / 3 - 1);
    }
    const unsigned odd = 1;
    assert_true(bx_keyed_resize(&k, k.places, is_odd, &odd));
    assert_int_equal(k.n, N / 3);
    for (unsigned i = 0; i < N; i++) {
        const numbered *found = bx_keyed_find(&k, i / 3 * 4096 + i % 3);
        assert_int_equal(found->key != 0, i % 3 != 0 && i % 2);
        if (found->key)
            assert_int_equal(found->value, i);
    }
    free(k.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_key), cmocka_unit_test(records_by_key),
        cmocka_unit_test(slices),      cmocka_unit_test(numbers),
        cmocka_unit_test(names),       cmocka_unit_test(bit_ranges),
        cmocka_unit_test(memory),      cmocka_unit_test(growing_arrays),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
