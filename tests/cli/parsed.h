/* The command's JSON, parsed with json-c, an independent parser. */
#ifndef BX_TESTS_CLI_PARSED_H
#define BX_TESTS_CLI_PARSED_H

#include "../cmocked.h"

#include <json-c/json.h>

static inline json_object *parse(const char *text)
{
    enum json_tokener_error why;
    json_object *o = json_tokener_parse_verbose(text, &why);
    if (!o)
        fail_msg("%s in: %s", json_tokener_error_desc(why), text);
    return o;
}

static inline json_object *member(json_object *o, const char *key)
{
    json_object *value;
    if (!json_object_object_get_ex(o, key, &value))
        fail_msg("no '%s' in %s", key, json_object_to_json_string(o));
    return value;
}

static inline void assert_member(json_object *o, const char *key, const char *text)
{
    assert_string_equal(json_object_get_string(member(o, key)), text);
}

static inline void assert_members(json_object *o, int n)
{
    if (json_object_object_length(o) != n)
        fail_msg("not %d members: %s", n, json_object_to_json_string(o));
}

#endif
