/* Parses and prints machine strings. */
#include "topology/topology.h"
#include "topology/machine_names.h"
#include "topology/presets.h"
#include "topology/shape_keys.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdio.h>

static const bx_cat_cpu *cpu_of(const bx_topology *t)
{
    return &bx_cat_cpus(t->catalog)[t->cpu];
}

static void count_units(bx_topology *t)
{
    const bx_cat_cpu *cpu = cpu_of(t);
    for (unsigned i = 0; i < cpu->pmus.n && i < BX_PMUS; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(t->catalog)[cpu->pmus.first + i];
        const char *key = bx_cat_z(t->catalog, pmu->unit_key);
        uint64_t units = *key ? bx_topology_shape(t, key) : pmu->unit_max;
        if (pmu->only_virtual && t->is_this_machine)
            units = 0;
        t->units[i] = (uint8_t)(units < pmu->unit_max ? units : pmu->unit_max);
    }
}

/* Not "virtual:", but perhaps a name that can follow it. */
static int no_machine(const struct bx_catalog *c, bx_str spec, bx_error *e)
{
    bx_topology t = {.catalog = c};
    bx_str name = spec;
    bx_fail(e, BX_BAD_INPUT, 0, spec.n, "'%.*s' is no machine", (int)spec.n, spec.p);
    if (bx_machine_name_find(&t, bx_str_cut(&name, ',')))
        bx_hint(e, BX_DID_YOU_MEAN_NAME("virtual:%.*s"), (int)spec.n, spec.p);
    else
        bx_hint(e, "try 'virtual:%s' or 'host'", bx_catalog_cpu_name(c, 0));
    return BX_BAD_INPUT;
}

int bx_topology_parse(const struct bx_catalog *c, bx_str spec, bx_topology *t, bx_error *e)
{
    static const char prefix[] = "virtual:";
    if (!bx_str_starts_fold(spec, bx_str_of(prefix)))
        return no_machine(c, spec, e);
    bx_str rest = bx_str_sub(spec, sizeof prefix - 1, spec.n);
    bx_str name = bx_str_cut(&rest, ',');
    bx_topology made = {.catalog = c, .part = BX_NONE, .memory = BX_NONE};
    if (!bx_machine_name_find(&made, name))
        return bx_machine_name_unknown(c, (size_t)(name.p - spec.p), name, e);
    int code = bx_shape_read(&made, spec, rest, e);
    if (code != BX_OK)
        return code;
    made.packages = (unsigned)bx_topology_shape(&made, "packages");
    made.cores = (unsigned)bx_topology_shape(&made, "cores");
    if (made.packages == 0)
        made.packages = 1;
    if (made.cores == 0)
        made.cores = 1;
    count_units(&made);
    *t = made;
    return BX_OK;
}

void bx_topology_real(const struct bx_catalog *c, uint16_t cpu, unsigned packages, unsigned cores,
                      bx_topology *t)
{
    *t = (bx_topology){
        .catalog = c, .cpu = cpu, .is_this_machine = true, .packages = packages, .cores = cores};
    bx_preset_defaults(t);
    bx_shape_defaults(t);
    unsigned key = bx_shape_find(t, BX_STR("cores"));
    if (key < BX_SHAPES)
        t->shape[key] = cores;
    bx_shape_derive(t);
    count_units(t);
}

unsigned bx_topology_units(const bx_topology *t, uint16_t pmu)
{
    unsigned i = (unsigned)pmu - cpu_of(t)->pmus.first;
    return i < cpu_of(t)->pmus.n && i < BX_PMUS ? t->units[i] : 0;
}

static size_t print(char *to, size_t room, size_t length, const char *before, const char *text)
{
    int n = snprintf(length < room ? to + length : NULL, length < room ? room - length : 0, "%s%s",
                     before, text);
    return length + (n > 0 ? (size_t)n : 0);
}

static const char *preset_name(const bx_topology *t, uint16_t preset)
{
    return bx_cat_z(t->catalog, bx_cat_presets(t->catalog)[preset].name);
}

size_t bx_topology_name(const bx_topology *t, char *to, size_t room)
{
    bx_topology printed = {.catalog = t->catalog, .cpu = t->cpu};
    const bx_cat_cpu *cpu = cpu_of(t);
    size_t length = print(to, room, 0, "virtual:", bx_cat_z(t->catalog, cpu->name));
    bx_preset_defaults(&printed);
    if (t->part != BX_NONE) /* always named: the figures depend on it */
        length = print(to, room, length, ",part=", preset_name(t, t->part));
    printed.part = t->part;
    if (t->memory != bx_preset_fits(t))
        length = print(to, room, length, ",memory=", preset_name(t, t->memory));
    printed.memory = t->memory;
    bx_shape_defaults(&printed);
    for (unsigned i = 0; i < bx_shape_count(t); i++) {
        bx_topology derived = printed; /* keys that the printed ones imply are left out */
        bx_shape_derive(&derived);
        if (t->shape[i] == derived.shape[i])
            continue;
        printed.shape[i] = t->shape[i];
        const bx_cat_shape *key = &bx_cat_shapes(t->catalog)[cpu->shapes.first + i];
        char value[24];
        bx_shape_format(t, i, value, sizeof value);
        length = print(to, room, length, ",", bx_cat_z(t->catalog, key->name));
        length = print(to, room, length, "=", value);
    }
    return length;
}

/* A part with values of its own: "plain" has none. */
static bool is_real(const bx_topology *t, uint16_t part)
{
    return part != BX_NONE && bx_cat_presets(t->catalog)[part].values.n > 0;
}

/* Whether a part has an LLC of these ways and of that size, or of slices of that size. */
static bool has_llc(const bx_topology *t, uint16_t part, unsigned llc, unsigned ways)
{
    bx_topology own = {.catalog = t->catalog, .cpu = t->cpu, .part = part, .memory = BX_NONE};
    bx_shape_defaults(&own);
    bx_shape_derive(&own);
    return is_real(t, part) && own.shape[ways] == t->shape[ways] &&
           (own.shape[llc] == t->shape[llc] ||
            own.shape[llc] * bx_shape_slices(t) == t->shape[llc] * bx_shape_slices(&own));
}

size_t bx_topology_undocumented(const bx_topology *t, char *to, size_t room)
{
    unsigned llc = bx_shape_find(t, BX_STR("llc")), ways = bx_shape_find(t, BX_STR("llc_ways"));
    bx_span parts = cpu_of(t)->parts;
    if (llc == BX_SHAPES || ways == BX_SHAPES || !is_real(t, t->part) || t->shape[llc] == 0)
        return print(to, room, 0, "", "");
    for (unsigned i = 0; i < parts.n; i++)
        if (has_llc(t, (uint16_t)(parts.first + i), llc, ways))
            return print(to, room, 0, "", "");
    char size[24], rest[64];
    bx_shape_format(t, llc, size, sizeof size);
    snprintf(rest, sizeof rest, " in %u slices of %u ways", (unsigned)bx_shape_slices(t),
             (unsigned)t->shape[ways]);
    return print(to, room, print(to, room, 0, "no documented part has an LLC of ", size), rest, "");
}
