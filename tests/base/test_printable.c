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

/* Each byte becomes a '?', so a text keeps its length: the direction of text, no width, fillers,
 * separators of lines, tags, and U+FFFE, which XML cannot hold. */
static void characters_that_hide(void **state)
{
    (void)state;
    becomes(bx_printable, "a\u202eb", "a???b");
    becomes(bx_printable, "\u200b\u2066\ufeff\u061c\u00ad", "?????????????");
    becomes(bx_printable, "\u2028\u3164\U000e0041\ufffe", "?????????????");
    becomes(bx_printable, "\u2027\u202f\u00a1\u0300\U0001f600",
            "\u2027\u202f\u00a1\u0300\U0001f600");
}

static void kinds_of_output(void **state)
{
    (void)state;
    static const char hostile[] = "a|`b``\n\033[m<&\"'>\u202e\xff@";
    bx_buf to = {0};
    bx_buf_name(&to, hostile);
    assert_string_equal(to.p, "a|`b``??[m<&\"'>????@");
    to.n = 0;
    bx_markdown_text(&to, BX_STR("a|`b\n[m](x)<i>*_#@&\u202e!"));
    assert_string_equal(to.p, "a\\|\\`b?\\[m\\](x)\\<i\\>\\*\\_\\#\\@\\&???\\!");
    to.n = 0;
    bx_markdown_code(&to, BX_STR("x > 1"));
    assert_string_equal(to.p, "`x > 1`");
    to.n = 0;
    bx_markdown_code(&to, BX_STR("a``b\n"));
    assert_string_equal(to.p, "``` a``b? ```");
    to.n = 0;
    bx_xml_text(&to, bx_str_of(hostile));
    assert_string_equal(to.p, "a|`b``??[m&lt;&amp;&quot;&apos;&gt;????@");
    bx_buf_free(&to);
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
        cmocka_unit_test(characters_that_hide),
        cmocka_unit_test(kinds_of_output),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
