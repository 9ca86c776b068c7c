/* Carets below a span of a text. */
#include "../cmocked.h"

#include "base/error.h"

#include <string.h>

static void assert_picture(const char *text, size_t at, size_t len, size_t columns,
                           const char *picture)
{
    char to[200];
    bx_error e = {.code = BX_BAD_INPUT, .at = at, .len = len};
    size_t n = bx_error_caret(&e, bx_str_of(text), columns, to, sizeof to);
    assert_string_equal(to, picture);
    assert_int_equal(n, strlen(picture));
}

static void one_line(void **state)
{
    (void)state;
    assert_picture("a:B:t=99", 4, 4, 80, "a:B:t=99\n    ^^^^");
    assert_picture("a:B", 0, 1, 80, "a:B\n^");
}

static void line_of_many(void **state)
{
    (void)state;
    assert_picture("one\ntwo three\nfour", 8, 5, 80, "two three\n    ^^^^^");
    assert_picture("one\ntwo", 4, 3, 80, "two\n^^^");
}

/* A span ends at the end of its line; an empty span still gets a caret. */
static void edges(void **state)
{
    (void)state;
    assert_picture("one\ntwo", 0, 7, 80, "one\n^^^");
    assert_picture("one", 3, 0, 80, "one\n   ^");
    assert_picture("", 0, 0, 80, "\n^");
    assert_picture("one", 99, 5, 80, "one\n   ^");
    assert_picture("a\tb", 2, 1, 80, "a b\n  ^");
}

static void characters_of_several_bytes(void **state)
{
    (void)state;
    assert_picture("\"\xc3\xa4\xc3\xb6\" x", 7, 1, 80, "\"\xc3\xa4\xc3\xb6\" x\n     ^");
}

static void long_line_is_cut(void **state)
{
    (void)state;
    assert_picture("0123456789abcdefghij", 15, 2, 12, "...cdefghij\n      ^^");
    assert_picture("0123456789abcdefghij", 1, 2, 12, "0123456789ab\n ^^");
}

static void small_room(void **state)
{
    (void)state;
    char to[6];
    bx_error e = {.code = BX_BAD_INPUT, .at = 4, .len = 2};
    assert_int_equal(bx_error_caret(&e, BX_STR("abcdef"), 80, to, sizeof to), 13);
    assert_string_equal(to, "abcde");
    assert_int_equal(bx_error_caret(&e, BX_STR("abcdef"), 80, NULL, 0), 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(line_of_many),
        cmocka_unit_test(edges),
        cmocka_unit_test(characters_of_several_bytes),
        cmocka_unit_test(long_line_is_cut),
        cmocka_unit_test(small_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
