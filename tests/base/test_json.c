/* JSON text: strings by RFC 8259, UTF-8 by RFC 3629. */
#include "../cmocked.h"

#include "base/json.h"

#define assert_json(string, expected)                                                              \
    do {                                                                                           \
        bx_buf b = {0};                                                                            \
        bx_json_string(&b, BX_STR(string));                                                        \
        assert_string_equal(b.p, expected);                                                        \
        bx_buf_free(&b);                                                                           \
    } while (0)

static void strings(void **state)
{
    (void)state;
    assert_json("", "\"\"");
    assert_json("plain/text", "\"plain/text\"");
    assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_json("\n\t\r\001\177", "\"\\n\\t\\u000d\\u0001\\u007f\"");
    assert_json("a\0b", "\"a\\u0000b\"");
    assert_json("é € 𝄞", "\"é € 𝄞\"");
    assert_json("a\u202eb\u200b\U000e0041",
                "\"a\\u202eb\\u200b\\udb40\\udc41\""); /* not printable */
}

/* A byte that begins no character, a character cut off, an overlong slash, a surrogate, and a code
 * beyond U+10FFFF. */
static void what_is_no_utf8(void **state)
{
    (void)state;
    assert_json("a\x80z", "\"a\\ufffdz\"");
    assert_json("\xe2\x82", "\"\\ufffd\\ufffd\"");
    assert_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    assert_json("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"");
    assert_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    assert_json("\xf0\x80\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    assert_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    assert_json("\xc3x", "\"\\ufffdx\"");
}

static void commas(void **state)
{
    (void)state;
    bx_buf b = {0};
    bx_json j = {.to = &b};
    bx_json_open(&j, NULL, '[');
    bx_json_open(&j, NULL, '{');
    bx_json_text(&j, "name", "a\"b");
    bx_json_hex(&j, "value", 0x408834);
    bx_json_open(&j, "none", '[');
    bx_json_close(&j, ']');
    bx_json_text(&j, "null", NULL);
    bx_json_close(&j, '}');
    bx_json_number(&j, NULL, -1);
    bx_json_number(&j, NULL, INT64_MAX);
    bx_json_close(&j, ']');
    assert_string_equal(b.p,
                        "[{\"name\":\"a\\\"b\",\"value\":\"0x408834\",\"none\":[],\"null\":null},"
                        "-1,9223372036854775807]");
    bx_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(what_is_no_utf8),
        cmocka_unit_test(commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
