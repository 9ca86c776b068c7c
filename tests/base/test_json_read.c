/* The JSON parser, by RFC 8259. */
#include "../cmocked.h"

#include "base/json_read.h"

#include <string.h>

static const bx_json_value *read_json(bx_arena *a, const char *text)
{
    const bx_json_value *v;
    bx_error e = {0};
    size_t at = 0;
    if (bx_json_read(bx_str_of(text), &at, a, &v, &e))
        fail_msg("%s: %s", text, e.message);
    assert_int_equal(at, strlen(text));
    return v;
}

static void values(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    const bx_json_value *v =
        read_json(&a, " {\"a\" : [1, -2.5e3, true, false, null], \"b\":{}, \"\" : \"x\", \"c\":7}");
    assert_int_equal(v->kind, BX_JSON_OBJECT);
    const bx_json_value *list = bx_json_member(v, "a");
    static const bx_json_kind kinds[] = {BX_JSON_NUMBER, BX_JSON_NUMBER, BX_JSON_TRUE,
                                         BX_JSON_FALSE, BX_JSON_NULL};
    const bx_json_value *element = list->first;
    for (size_t i = 0; i < 5; i++, element = element->next)
        assert_int_equal(element->kind, kinds[i]);
    assert_null(element);
    assert_true(bx_json_double(list->first->next) == -2500);
    assert_int_equal(list->at, 8);
    assert_int_equal(list->len, 30);
    assert_int_equal(bx_json_member(v, "b")->kind, BX_JSON_OBJECT);
    assert_int_equal(bx_json_member(v, "c")->kind, BX_JSON_NUMBER);
    assert_true(bx_str_eq(bx_json_member(v, "")->text, BX_STR("x")));
    assert_null(bx_json_member(v, "d"));
    assert_null(bx_json_member(list, "a"));
    bx_arena_free(&a);
}

static void strings(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        bx_str text;
    } of[] = {
        {"\"\"", {"", 0}},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", {"\"\\/\b\f\n\r\t", 8}},
        {"\"\\u0041\\u00e9\\u20AC\"", {"Aé€", 6}},
        {"\"\\ud834\\udd1e\"", {"𝄞", 4}}, /* RFC 8259, section 7 */
        {"\"\\ud837\\udd1e\"", {"\xf0\x9d\xb4\x9e", 4}},
        {"\"\\ud834x\\udd1e\"", {"\xef\xbf\xbdx\xef\xbf\xbd", 7}},
        {"\"a\\u0000b\"", {"a\0b", 3}},
        {"\"é\"", {"é", 2}},
    };
    bx_arena a = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const bx_json_value *v = read_json(&a, of[i].json);
        assert_int_equal(v->text.n, of[i].text.n);
        assert_memory_equal(v->text.p, of[i].text.p, of[i].text.n);
    }
    bx_arena_free(&a);
}

/* Counts have up to 64 bits, all of them kept. */
static void whole_numbers(void **unused)
{
    (void)unused;
    bx_arena a = {0};
    uint64_t n;
    assert_true(bx_json_u64(read_json(&a, "18446744073709551615"), &n) && n == UINT64_MAX);
    assert_true(bx_json_u64(read_json(&a, "\"9007199254740993\""), &n) && n == (1ull << 53) + 1);
    assert_true(bx_json_u64(read_json(&a, "0"), &n) && n == 0);
    static const char *const no[] = {
        "18446744073709551616", "1.0", "-1", "1e3", "\"\"", "\"0x10\"", "\"010\"", "null", "[]"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(bx_json_u64(read_json(&a, no[i]), &n));
    bx_arena_free(&a);
}

static void what_is_wrong(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        size_t at, len;
        const char *message;
    } of[] = {
        {"", 0, 0, "it ends where a value is missing"},
        {"nul", 0, 1, "this is not a value"},
        {"[1 2]", 3, 1, "this is not ',' or ']'"},
        {"[1,]", 3, 1, "this is not a value"},
        {"[1", 2, 0, "it ends where ',' or ']' is missing"},
        {"{\"a\" 1}", 5, 1, "this is not the ':' after a member's name"},
        {"{a:1}", 1, 1, "this is not a member's name in quotes"},
        {"{\"a\":1,}", 7, 1, "this is not a member's name in quotes"},
        {"01", 0, 2, "this is not a number"},
        {"-", 0, 1, "this is not a number"},
        {"1.", 0, 2, "this is not a number"},
        {"1e", 0, 2, "this is not a number"},
        {"[1e999]", 1, 5, "the number is too large"},
        {"\"a", 2, 0, "it ends where the '\"' of a string is missing"},
        {"\"a\\", 2, 2, "this is not an escape of JSON"},
        {"\"\\x41\"", 1, 2, "this is not an escape of JSON"},
        {"\"\\u12g4\"", 1, 2, "this is not an escape of JSON"},
        {"\"a\nb\"", 2, 1, "this is not a character of a string"},
        {"NaN", 0, 1, "this is not a value"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1", 32, 1, "more than 32 brackets are open here"},
    };
    bx_arena a = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const bx_json_value *v;
        bx_error e = {0};
        size_t at = 0;
        assert_int_equal(bx_json_read(bx_str_of(of[i].json), &at, &a, &v, &e), BX_BAD_INPUT);
        assert_null(v);
        assert_string_equal(e.message, of[i].message);
        assert_int_equal(e.at, of[i].at);
        assert_int_equal(e.len, of[i].len);
    }
    bx_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(strings),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
