/* Reads members of JSON objects, and checks their types and ranges. */
#include "compare/members.h"

#include "base/printable.h"

#include <math.h>
#include <string.h>

int bx_member_wrong(const bx_members *m, const bx_json_value *at, const char *key, const char *what)
{
    return bx_fail(m->e, BX_BAD_INPUT, at->at, at->len, "%s: '%s' is not %s", m->file, key, what);
}

int bx_member_missing(const bx_members *m, const bx_json_value *object, const char *key)
{
    return bx_fail(m->e, BX_BAD_INPUT, object->at, object->len, "%s: there is no '%s' here",
                   m->file, key);
}

int bx_member_contradicts(const bx_members *m, const bx_json_value *at, const char *key,
                          const char *state)
{
    return bx_fail(m->e, BX_BAD_INPUT, at->at, at->len, "%s: this '%s' does not fit the state '%s'",
                   m->file, key, state);
}

int bx_member_copy(const bx_members *m, bx_str text, const char **to)
{
    char *p = bx_arena_copy(m->arena, text);
    if (!p)
        return bx_out_of_memory(m->e);
    bx_printable(p, text.n);
    *to = p;
    return BX_OK;
}

int bx_member_text(const bx_members *m, const bx_json_value *object, const char *key,
                   const char **to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (!v)
        return bx_member_missing(m, object, key);
    return v->kind == BX_JSON_STRING ? bx_member_copy(m, v->text, to)
                                     : bx_member_wrong(m, v, key, "a text");
}

int bx_member_number(const bx_members *m, const bx_json_value *object, const char *key, double *to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (!v)
        return bx_member_missing(m, object, key);
    if (v->kind != BX_JSON_NUMBER)
        return bx_member_wrong(m, v, key, "a number");
    *to = bx_json_double(v);
    if (fabs(*to) > BX_MEMBER_MOST)
        return bx_member_wrong(m, v, key, "a number that 'stat' writes: it is too large");
    if (*to != 0 && fabs(*to) < BX_MEMBER_LEAST)
        return bx_member_wrong(m, v, key, "a number that 'stat' writes: it is too near to 0");
    return BX_OK;
}

int bx_member_size(const bx_members *m, const bx_json_value *object, const char *key, double *to)
{
    int code = bx_member_number(m, object, key, to);
    return !code && *to < 0 ? bx_member_wrong(m, bx_json_member(object, key), key, "0 or above")
                            : code;
}

int bx_member_whole(const bx_members *m, const bx_json_value *object, const char *key,
                    uint64_t least, uint64_t most, uint64_t *to)
{
    const bx_json_value *v = bx_json_member(object, key);
    if (!v)
        return bx_member_missing(m, object, key);
    if (v->kind == BX_JSON_NUMBER && bx_json_u64(v, to) && *to >= least && *to <= most)
        return BX_OK;
    return bx_fail(m->e, BX_BAD_INPUT, v->at, v->len,
                   "%s: '%s' is not a whole number from %llu to %llu", m->file, key,
                   (unsigned long long)least, (unsigned long long)most);
}

int bx_member_name(const bx_members *m, const bx_json_value *object, const char *key,
                   const char **to)
{
    int code = bx_member_text(m, object, key, to);
    return !code && !**to ? bx_member_wrong(m, bx_json_member(object, key), key, "a name") : code;
}

int bx_members_check_others(const bx_members *m, const bx_json_value *line)
{
    static const struct {
        const char *key;
        double least, most;
    } of[] = {
        {"event-runtime", 0, BX_MEMBER_MOST},
        {"pcnt-running", 0, 100},
        {"variance", 0, BX_MEMBER_MOST},
        {"confidence", 0, BX_MEMBER_MOST},
        {"error-percent", 0, BX_MEMBER_MOST},
        {"scale", 2, UINT32_MAX},
        {"units", 1, UINT32_MAX},
        {"units-without-value", 1, UINT32_MAX},
        {"cpu", 0, UINT32_MAX},
        {"tid", 1, INT32_MAX},
        {"entered", 0, 0x1p64},
        {"threads", 0, UINT32_MAX},
        {"core", 0, UINT32_MAX},
    };
    int code = BX_OK;
    for (size_t i = 0; i < sizeof of / sizeof *of && !code; i++) {
        const bx_json_value *v = bx_json_member(line, of[i].key);
        double value = 0;
        if (!v)
            continue;
        code = bx_member_number(m, line, of[i].key, &value);
        if (!code && (value < of[i].least || value > of[i].most))
            code = bx_member_wrong(m, v, of[i].key, "a number that 'stat' writes");
    }
    return code;
}

/* A value is the sum of all units, an exact one was counted all the time, and both members of an
 * error tell the same. */
int bx_members_check_state(const bx_members *m, const bx_json_value *line, const char *state,
                           double value)
{
    const double rounding = 0.01; /* percentages have two decimals */
    const bx_json_value *without = bx_json_member(line, "units-without-value");
    const bx_json_value *share = bx_json_member(line, "pcnt-running");
    const bx_json_value *error = bx_json_member(line, "error");
    const bx_json_value *percent = bx_json_member(line, "error-percent");
    if (without)
        return bx_member_contradicts(m, without, "units-without-value", state);
    if (share && strcmp(state, "counted") == 0 && bx_json_double(share) < 100 - rounding)
        return bx_member_contradicts(m, share, "pcnt-running", state);
    if (!error || !percent || value == 0)
        return BX_OK;
    double told = bx_json_double(percent), is = 100 * bx_json_double(error) / value;
    return fabs(told - is) <= rounding * (1 + is)
               ? BX_OK
               : bx_member_wrong(m, percent, "error-percent", "'error' in percent of the value");
}
