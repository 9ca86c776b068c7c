/* Our JSON parser against json-c: json-c accepts whatever ours accepts, and reads the same
 * values. */
#include "base/json_read.h"
#include "fuzz/fuzz.h"

#include <json-c/json.h>

#include <stdlib.h>
#include <string.h>

static void same(const bx_json_value *v, json_object *o);

static void same_elements(const bx_json_value *v, json_object *o)
{
    size_t n = 0;
    for (const bx_json_value *element = v->first; element; element = element->next)
        same(element, json_object_array_get_idx(o, n++));
    FUZZ_MUST(n == json_object_array_length(o));
}

/* In json-c a key ends at a NUL, and the last of equal keys is kept. */
static void same_members(const bx_json_value *v, json_object *o)
{
    for (const bx_json_value *member = v->first; member; member = member->next) {
        json_object *other;
        if (memchr(member->key.p, 0, member->key.n) || strpbrk(member->key.p, "\xf0\xf1"))
            continue; /* or characters that json-c replaces: is_replaced() */
        FUZZ_MUST(json_object_object_get_ex(o, member->key.p, &other));
        const bx_json_value *last = bx_json_member(v, member->key.p);
        FUZZ_MUST(last && last->kind <= BX_JSON_OBJECT);
        if (last == member && !json_object_object_get_ex(o, "", NULL))
            same(member, other);
    }
}

/* json-c replaces halves of surrogate pairs. json-c 0.16 also replaces U+1DC00 to U+1DFFF, whose
 * low bits look like one. */
static bool is_replaced(const char *text, size_t n)
{
    return memmem(text, n, "\xef\xbf\xbd", 3);
}

static void same(const bx_json_value *v, json_object *o)
{
    static const json_type types[] = {json_type_null,   json_type_boolean, json_type_boolean,
                                      json_type_double, json_type_string,  json_type_array,
                                      json_type_object};
    json_type type = json_object_get_type(o);
    FUZZ_MUST(type == types[v->kind] || (v->kind == BX_JSON_NUMBER && type == json_type_int));
    const char *text = type == json_type_string ? json_object_get_string(o) : "";
    size_t n = type == json_type_string ? (size_t)json_object_get_string_len(o) : 0;
    if (v->kind == BX_JSON_STRING && !is_replaced(v->text.p, v->text.n) && !is_replaced(text, n)) {
        FUZZ_MUST(n == v->text.n);
        FUZZ_MUST(memcmp(text, v->text.p, n) == 0);
    }
    if (type == json_type_double)
        FUZZ_MUST(json_object_get_double(o) == bx_json_double(v));
    if (v->kind == BX_JSON_ARRAY)
        same_elements(v, o);
    if (v->kind == BX_JSON_OBJECT)
        same_members(v, o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    bx_arena a = {0};
    bx_error e = {0};
    const bx_json_value *v;
    size_t at = 0;
    int code = bx_json_read((bx_str){text, size}, &at, &a, &v, &e);
    fuzz_check_error(&e, code, size + 1);
    FUZZ_MUST(!code == !!v && (code || at <= size));
    if (!code) {
        struct json_tokener *tokener = json_tokener_new_ex(64);
        json_object *o = json_tokener_parse_ex(tokener, text, (int)at);
        enum json_tokener_error wrong = json_tokener_get_error(tokener);
        if (wrong == json_tokener_continue) /* a number may continue */
            o = json_tokener_parse_ex(tokener, " ", 1);
        FUZZ_MUST(json_tokener_get_error(tokener) == json_tokener_success);
        same(v, o);
        json_object_put(o);
        json_tokener_free(tokener);
    }
    bx_arena_free(&a);
    free(text);
    return 0;
}
