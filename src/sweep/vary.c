/* Reads what a sweep varies. */
#include "sweep/vary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A range of numbers. */
typedef struct range {
    uint64_t first, last, step;
    bool by_factor, is_size; /* is_size: one of its ends has a unit */
} range;

typedef struct reading {
    bx_str text;
    bx_arena *arena;
    bx_vary *to;
    uint32_t room;
    bx_error *e;
} reading;

static int wrong(const reading *r, bx_str at, const char *why, const char *hint)
{
    bx_fail(r->e, BX_BAD_INPUT, (size_t)(at.p - r->text.p), at.n, "%s", why);
    bx_hint(r->e, "%s", hint);
    return BX_BAD_INPUT;
}

static int append_value(reading *r, bx_str at, bx_str value)
{
    bx_vary *v = r->to;
    if (v->n == BX_VARY_VALUES)
        return wrong(r, at, "a key takes at most 1000 values", "sweep fewer of them at once");
    const char *copy = bx_arena_copy(r->arena, value);
    const char **grown =
        bx_arena_grow(r->arena, v->values, (uint32_t)v->n, &r->room, sizeof *v->values, 8);
    if (!copy || !grown)
        return bx_out_of_memory(r->e);
    v->values = grown;
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->values[i], copy) == 0)
            return wrong(r, at, "this gives a value twice", "each value once");
    v->values[v->n++] = copy;
    return BX_OK;
}

/* ---- ranges ---- */

static bool has_unit(bx_str number)
{
    return number.n && !bx_is_digit(number.p[number.n - 1]) && bx_is_digit(number.p[0]);
}

static bool is_decimal(bx_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!bx_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

/* The largest unit that leaves a whole number, as people write sizes. */
static void print_number(const range *g, uint64_t value, char *to, size_t room)
{
    static const char units[] = {'G', 'M', 'K'};
    for (unsigned i = 0; g->is_size && value && i < 3; i++) {
        unsigned shift = 10 * (3 - i);
        if (value % (1ull << shift) == 0) {
            snprintf(to, room, "%" PRIu64 "%c", value >> shift, units[i]);
            return;
        }
    }
    snprintf(to, room, "%" PRIu64, value);
}

static int add_range(reading *r, bx_str at, const range *g)
{
    if (g->first > g->last)
        return wrong(r, at, "this range begins after its end", "the smaller number first");
    if (g->by_factor ? g->step < 2 || g->first == 0 : g->step == 0)
        return wrong(r, at, "this range does not come to an end",
                     "a step of at least 1, a factor of at least 2, and no factor from 0");
    int code = BX_OK;
    for (uint64_t v = g->first; !code; v = g->by_factor ? v * g->step : v + g->step) {
        char text[32];
        print_number(g, v, text, sizeof text);
        code = append_value(r, at, bx_str_of(text));
        if (g->by_factor ? v > g->last / g->step : g->last - v < g->step)
            break;
    }
    return code;
}

/* "A-B": whole numbers without a unit. */
static bool read_dashed(bx_str value, range *g)
{
    bx_str last = value, first = bx_str_cut(&last, '-');
    *g = (range){.step = 1};
    return last.p && is_decimal(first) && is_decimal(last) && bx_str_u64(first, &g->first) &&
           bx_str_u64(last, &g->last);
}

/* "A..B", "A..B+STEP", "A..B*FACTOR". */
static int read_dotted(reading *r, bx_str value, size_t dots)
{
    range g = {.step = 1};
    bx_str first = bx_str_sub(value, 0, dots), rest = bx_str_sub(value, dots + 2, value.n);
    ptrdiff_t by = bx_str_find(rest, '*', 0);
    g.by_factor = by >= 0;
    if (by < 0)
        by = bx_str_find(rest, '+', 0);
    bx_str last = by < 0 ? rest : bx_str_sub(rest, 0, (size_t)by);
    bx_str step = by < 0 ? BX_STR("1") : bx_str_sub(rest, (size_t)by + 1, rest.n);
    g.is_size = has_unit(first) || has_unit(last);
    bool read = bx_str_size(first, &g.first) && bx_str_size(last, &g.last) &&
                (g.by_factor ? bx_str_u64(step, &g.step) : bx_str_size(step, &g.step));
    if (!read)
        return wrong(r, value, "this is not a range",
                     "1-4, 1M..4M+1M by addition, or 1M..16M*2 by multiplication");
    return add_range(r, value, &g);
}

static int read_value(reading *r, bx_str value)
{
    range g;
    for (size_t i = 0; i + 1 < value.n; i++)
        if (value.p[i] == '.' && value.p[i + 1] == '.')
            return read_dotted(r, value, i);
    if (value.n == 0)
        return wrong(r, value, "a value is missing here", "KEY=VALUE,VALUE");
    return read_dashed(value, &g) ? add_range(r, value, &g) : append_value(r, value, value);
}

/* ---- the key ---- */

static int read_key(reading *r, bx_str name)
{
    static const char workload[] = "workload.";
    bx_vary *v = r->to;
    bx_str key = name;
    v->workload = bx_str_starts_fold(name, bx_str_of(workload));
    if (v->workload)
        key = bx_str_sub(name, sizeof workload - 1, name.n);
    v->machine = bx_str_eq(name, BX_STR("machine"));
    for (size_t i = 0; i < key.n; i++)
        if (!bx_is_letter(key.p[i]) && !bx_is_digit(key.p[i]) && key.p[i] != '-')
            key.n = 0;
    if (key.n == 0)
        return wrong(r, name, "this is not a key",
                     "a key of the machine string such as llc, workload.KEY, or machine");
    v->name = bx_arena_copy(r->arena, name);
    v->key = bx_arena_copy(r->arena, key);
    return v->name && v->key ? BX_OK : bx_out_of_memory(r->e);
}

int bx_vary_read(bx_str text, bx_arena *a, bx_vary *to, bx_error *e)
{
    reading r = {.text = text, .arena = a, .to = to, .e = e};
    bx_str rest = text, name = bx_str_cut(&rest, '=');
    *to = (bx_vary){0};
    if (!rest.p)
        return wrong(&r, text, "this has no values", "KEY=VALUE,VALUE: llc=2M,4M");
    int code = read_key(&r, name);
    while (!code && rest.p)
        code = read_value(&r, bx_str_cut(&rest, ','));
    return code;
}
