/* The combinations of what a sweep varies. */
#include "sweep/points.h"

#include <string.h>

/* Whether "NAME,key=value,…" has the key. */
static bool names_key(const char *text, const char *key)
{
    bx_str rest = bx_str_of(text);
    bx_str_cut(&rest, ',');
    while (rest.p) {
        bx_str value = bx_str_cut(&rest, ',');
        if (bx_str_eq_fold(bx_str_cut(&value, '='), bx_str_of(key)))
            return true;
    }
    return false;
}

static int check_key(const bx_points *p, size_t i, bx_error *e)
{
    const bx_vary *v = &p->vary[i];
    for (size_t k = 0; k < i; k++)
        if (bx_str_eq_fold(bx_str_of(p->vary[k].name), bx_str_of(v->name))) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "the key '%s' is varied twice", v->name);
            bx_hint(e, "all its values after one key");
            return BX_BAD_INPUT;
        }
    if (v->workload && (!p->workload || strchr(p->workload, '+'))) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is a workload's key, and there is no workload%s",
                v->name, p->workload ? " that alone takes it" : "");
        bx_hint(e, p->workload ? "vary a workload without '+'"
                               : "a workload such as stream, or a key of the machine");
        return BX_BAD_INPUT;
    }
    const char *given = v->workload ? p->workload : p->machine;
    if (v->machine || !names_key(given, v->key))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the key '%s' is varied, and stands in '%.100s'", v->name,
            given);
    bx_hint(e, "leave it out there");
    return BX_BAD_INPUT;
}

int bx_points_count(bx_points *p, bx_error *e)
{
    p->n = 1;
    for (size_t i = 0; i < p->keys; i++) {
        int code = check_key(p, i, e);
        if (code)
            return code;
        p->n *= p->vary[i].n;
        if (p->n > BX_SWEEP_POINTS) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "these keys make more than %d points", BX_SWEEP_POINTS);
            bx_hint(e, "fewer values, or a sweep for each value of one key");
            return BX_BAD_INPUT;
        }
    }
    return BX_OK;
}

const char *bx_points_value(const bx_points *p, size_t point, size_t key)
{
    for (size_t i = p->keys - 1; i > key; i--)
        point /= p->vary[i].n;
    return p->vary[key].values[point % p->vary[key].n];
}

static void add_keys(const bx_points *p, size_t point, bool workload, bx_buf *to)
{
    for (size_t i = 0; i < p->keys; i++) {
        const bx_vary *v = &p->vary[i];
        if (!v->machine && v->workload == workload)
            bx_buf_f(to, ",%s=%s", v->key, bx_points_value(p, point, i));
    }
}

void bx_points_machine(const bx_points *p, size_t point, bx_buf *to)
{
    const char *base = p->machine;
    for (size_t i = 0; i < p->keys; i++)
        if (p->vary[i].machine)
            base = bx_points_value(p, point, i);
    bx_buf_z(to, base);
    add_keys(p, point, false, to);
}

void bx_points_workload(const bx_points *p, size_t point, bx_buf *to)
{
    bx_buf_z(to, p->workload);
    add_keys(p, point, true, to);
}
