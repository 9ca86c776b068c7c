/* Parts and memories of a machine string. */
#include "topology/presets.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdio.h>

static const bx_cat_cpu *cpu_of(const bx_topology *t)
{
    return &bx_cat_cpus(t->catalog)[t->cpu];
}

static const bx_cat_preset *preset_at(const bx_topology *t, uint16_t i)
{
    return &bx_cat_presets(t->catalog)[i];
}

/* ---- names ---- */

/* The presets of a key; NULL: the key is neither `part` nor `memory`. */
static const bx_span *choices(const bx_topology *t, bx_str key)
{
    const bx_cat_cpu *cpu = cpu_of(t);
    const bx_span *all = bx_str_eq_fold(key, BX_STR("part"))     ? &cpu->parts
                         : bx_str_eq_fold(key, BX_STR("memory")) ? &cpu->memories
                                                                 : NULL;
    return all && all->n ? all : NULL;
}

bool bx_preset_is_key(const bx_topology *t, bx_str key)
{
    return choices(t, key) != NULL;
}

static uint16_t find_preset(const bx_topology *t, bx_span all, bx_str name)
{
    for (uint16_t i = all.first; i < all.first + all.n; i++)
        if (bx_str_eq_fold(name, bx_cat_str(t->catalog, preset_at(t, i)->name)))
            return i;
    return BX_NONE;
}

static int unknown(const bx_topology *t, bx_span all, size_t at, bx_str key, bx_str name,
                   bx_error *e)
{
    char list[160] = "";
    size_t n = 0;
    bx_nearest nearest = bx_nearest_to(name);
    bx_fail(e, BX_NOT_FOUND, at, name.n ? name.n : key.n, "no %.*s '%.*s'", (int)key.n, key.p,
            (int)name.n, name.p ? name.p : "");
    for (uint16_t i = all.first; i < all.first + all.n && n < sizeof list; i++) {
        const char *other = bx_cat_z(t->catalog, preset_at(t, i)->name);
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", other);
        bx_nearest_offer(&nearest, other);
    }
    bx_hint(e, "there are %s", list);
    bx_nearest_hint(e, &nearest);
    return BX_NOT_FOUND;
}

/* ---- reading ---- */

/* The part is named by the machine's name, too: "virtual:i7-6700,part=plain". */
static int twice(const bx_topology *t, size_t at, bx_str part, bx_str key, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, at, part.n, "'%.*s' is given twice", (int)key.n, key.p);
    if (t->part != BX_NONE)
        bx_hint(e, "the machine's name is a part; virtual:%s leaves it open",
                bx_cat_z(t->catalog, cpu_of(t)->name));
    return BX_BAD_INPUT;
}

static int read_one(const bx_topology *t, bx_str spec, bx_str part, uint16_t *to, bx_error *e)
{
    bx_str name = part, key = bx_str_cut(&name, '=');
    const bx_span *all = choices(t, key);
    size_t at = (size_t)(part.p - spec.p);
    if (!all)
        return BX_OK;
    if (*to != BX_NONE)
        return twice(t, at, part, key, e);
    *to = find_preset(t, *all, name);
    return *to == BX_NONE ? unknown(t, *all, name.n ? at + key.n + 1 : at, key, name, e) : BX_OK;
}

int bx_preset_read(bx_topology *t, bx_str spec, bx_str keys, bx_error *e)
{
    uint16_t part = t->part, memory = BX_NONE;
    for (bx_str rest = keys; rest.p;) {
        bx_str one = bx_str_trim(bx_str_cut(&rest, ','));
        bool is_memory = one.n > 0 && (one.p[0] | 0x20) == 'm';
        int code = read_one(t, spec, one, is_memory ? &memory : &part, e);
        if (code != BX_OK)
            return code;
    }
    bx_preset_defaults(t);
    if (part != BX_NONE) {
        t->part = part;
        t->memory = bx_preset_fits(t);
    }
    if (memory != BX_NONE)
        t->memory = memory;
    return BX_OK;
}

/* ---- their values ---- */

uint16_t bx_preset_fits(const bx_topology *t)
{
    return t->part == BX_NONE ? BX_NONE : preset_at(t, t->part)->fits;
}

void bx_preset_defaults(bx_topology *t)
{
    t->part = cpu_of(t)->parts.n ? cpu_of(t)->parts.first : BX_NONE;
    t->memory = bx_preset_fits(t);
}

static void apply(bx_topology *t, uint16_t preset)
{
    bx_span values = preset == BX_NONE ? (bx_span){0, 0} : preset_at(t, preset)->values;
    for (uint16_t i = values.first; i < values.first + values.n; i++) {
        const bx_cat_preset_value *v = &bx_cat_preset_values(t->catalog)[i];
        t->shape[v->shape - cpu_of(t)->shapes.first] = v->value;
    }
}

void bx_preset_apply(bx_topology *t)
{
    apply(t, t->part);
    apply(t, t->memory);
}
