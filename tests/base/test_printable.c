/* Text that is safe on a terminal: ECMA-48 control functions begin with ESC, or with U+0080 to
 * U+009F. */
#include "../cmocked.h"

#include "base/printable.h"

#include <string.h>

typedef void make(char *text, size_t n);

static void becomes(make *printable, const char *text, const char *is)
{
    char copy[64];
    size_t n = strlen(text);
    memcpy(copy, text, n + 1);
    printable(copy, n);
    assert_string_equal(copy, is);
}

static void control_characters(void **state)
{
    (void)state;
    becomes(bx_printable, "", "");
    becomes(bx_printable, "Core i7 \xe2\x80\xa6 \xc3\xa9", "Core i7 \xe2\x80\xa6 \xc3\xa9");
    becomes(bx_printable, "a\033[2Jb\177\a", "a?[2Jb??");
    becomes(bx_printable, "a\nb\tc\r", "a?b?c?");
    becomes(bx_printable,
            "a\xc2\x9b"
            "2Jb\xc2\xa0",
            "a??2Jb\xc2\xa0");
}

static void no_utf8(void **state)
{
    (void)state;
    becomes(bx_printable,
            "\x9b"
            "2J",
            "?2J");
    becomes(bx_printable, "a\xe2\x80", "a??");
    becomes(bx_printable, "\xc2\033[m", "??[m");
}

static void lines(void **state)
{
    (void)state;
    becomes(bx_printable_lines, "a\n\tb\r\033[m\n", "a\n\tb??[m\n");
    char nul[] = {'a', '\0', 'b'};
    bx_printable_lines(nul, sizeof nul);
    assert_memory_equal(nul, "a?b", sizeof nul);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters),
        cmocka_unit_test(no_utf8),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
