/* Names eight bytes at a time, checked against what they are byte by byte. */
#include "../cmocked.h"

#include "base/name.h"

enum { LONGEST = 40 };

/* What a byte is to names, one by one: the definition. */
static unsigned char alone(unsigned char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte + 'a' - 'A' : byte);
}

static void every_pair_of_bytes(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char one[9] = "12345678", two[9] = "12345678";
            one[3] = (char)a;
            two[3] = (char)b;
            bool same = alone((unsigned char)a) == alone((unsigned char)b);
            assert_int_equal(bx_name_same((bx_str){one, 8}, (bx_str){two, 8}), same);
            assert_int_equal(bx_name_same((bx_str){one + 2, 5}, (bx_str){two + 2, 5}), same);
            if (same)
                assert_int_equal(bx_name_hash((bx_str){one, 8}, 7),
                                 bx_name_hash((bx_str){two, 8}, 7));
        }
}

/* Names of each length, alike but for case, and with one byte changed at each position. */
static void every_length(void **state)
{
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        char one[LONGEST + 1], two[LONGEST + 1];
        for (size_t i = 0; i < n; i++) {
            one[i] = "UNC_CBO_READ_9z"[i % 15];
            two[i] = "unc_cbo_read_9Z"[i % 15];
        }
        bx_str a = {one, n}, b = {two, n};
        assert_true(bx_name_same(a, b));
        assert_int_equal(bx_name_hash(a, 1), bx_name_hash(b, 1));
        assert_int_not_equal(bx_name_hash(a, 1), bx_name_hash(a, 2));
        if (n)
            assert_false(bx_name_same(a, (bx_str){two, n - 1}));
        for (size_t i = 0; i < n; i++) {
            two[i] ^= 0x40;
            assert_false(bx_name_same(a, b));
            assert_int_not_equal(bx_name_hash(a, 1), bx_name_hash(b, 1));
            two[i] ^= 0x40;
        }
    }
}

/* It stops at a joint, a sign or a blank, and nowhere else. */
static void skipping(void **state)
{
    (void)state;
    static const char others[] = ":./=@,-; \t\x01";
    for (size_t n = 0; n < LONGEST; n++)
        for (size_t at = 0; at <= n; at++)
            for (const char *other = others; *other; other++) {
                char text[LONGEST];
                for (size_t i = 0; i < n; i++)
                    text[i] = "UNC_CBO09zaZA_"[i % 14];
                if (at < n)
                    text[at] = *other;
                assert_int_equal(bx_name_skip(text, n), at);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_bytes),
        cmocka_unit_test(every_length),
        cmocka_unit_test(skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
