/* Checks of a CPU's machine model: its name, the order of the PMUs, and the keys that the model
 * needs. */
#include "compile/check/check.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "catalog/machine_models.h"

#include <stdio.h>

static bool is_none(const bx_check *k, const bx_cat_cpu *cpu)
{
    return bx_str_eq(bx_cat_str(k->c, cpu->model), BX_STR(BX_NO_MACHINE_MODEL));
}

static void refuse_model(const bx_check *k, const bx_syntax_node *node, bx_str name)
{
    bx_nearest nearest = bx_nearest_to(name);
    bx_buf all = {0};
    for (size_t i = 0; i < bx_machine_models_n; i++) {
        bx_nearest_offer(&nearest, bx_machine_models[i].name);
        bx_buf_f(&all, "%s, ", bx_machine_models[i].name);
    }
    bx_check_fail(k, node, "model", 0, "there is no machine model '%.*s'", BX_QUOTED(name));
    if (*nearest.name)
        bx_nearest_hint(k->b->e, &nearest);
    else
        bx_hint(k->b->e,
                "there are %sand " BX_NO_MACHINE_MODEL ", for a CPU that no model imitates",
                bx_buf_text(&all));
    bx_buf_free(&all);
}

void bx_check_model(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->cpus.n && !k->b->failed; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[i];
        bx_str name = bx_cat_str(k->c, cpu->model);
        if (!is_none(k, cpu) && !bx_machine_model_find(name))
            refuse_model(k, bx_check_from(k, BX_T_CPUS, i), name);
    }
}

/* "skl_unc_cbo" is the model's "cbo". */
static bool is_box(bx_str pmu, const char *box)
{
    size_t n = bx_str_of(box).n;
    return n == 0 || (pmu.n > n && pmu.p[pmu.n - n - 1] == '_' &&
                      bx_str_eq(bx_str_sub(pmu, pmu.n - n, n), bx_str_of(box)));
}

/* Checks the place of a PMU. A model knows the PMUs by their numbers: with another order, it would
 * count something else without an error. The last ones may be missing, and more may follow. */
void bx_check_box(bx_build *b, const bx_syntax_node *cpu, unsigned index, bx_str pmu)
{
    const bx_machine_model *model = bx_machine_model_find(bx_syntax_arg(cpu, "model", 0));
    if (!model || index >= BX_MACHINE_MODEL_BOXES || !model->boxes[index] ||
        is_box(pmu, model->boxes[index]))
        return;
    bx_buf order = {0};
    for (unsigned i = 0; i < BX_MACHINE_MODEL_BOXES && model->boxes[i]; i++)
        bx_buf_f(&order, " %s", model->boxes[i]);
    const bx_clause *boxes = bx_clause_find(cpu->clauses, "boxes");
    bx_str at = boxes && index < boxes->n ? boxes->args[index] : boxes ? boxes->key : cpu->head.key;
    bx_build_fail(b, cpu, at, "boxes", "'%.*s' stands where the model '%s' has its '%s'",
                  BX_QUOTED(pmu), model->name, model->boxes[index]);
    bx_hint(b->e,
            "`boxes` lists PMUs whose names end with these words, in this order:%s. If the CPU "
            "lacks one, its file has only the `pmu` item",
            bx_buf_text(&order));
    bx_buf_free(&order);
}

static const bx_cat_shape *shapes_of(const bx_check *k, const bx_cat_cpu *cpu)
{
    return &bx_cat_shapes(k->c)[cpu->shapes.first];
}

/* The index of a shape among those of its CPU; shapes.n if it has none of that name. */
static unsigned find_shape(const bx_check *k, const bx_cat_cpu *cpu, bx_str name)
{
    unsigned i = 0;
    while (i < cpu->shapes.n && !bx_str_eq_fold(bx_cat_str(k->c, shapes_of(k, cpu)[i].name), name))
        i++;
    return i;
}

/* Checks that the clock has a frequency: times are printed in seconds. */
static void check_clock_of(const bx_check *k, uint16_t i)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[i];
    unsigned hz = find_shape(k, cpu, BX_STR("hz"));
    if (is_none(k, cpu) || (hz < cpu->shapes.n && shapes_of(k, cpu)[hz].lo > 0))
        return;
    if (hz < cpu->shapes.n)
        bx_check_fail(k, bx_check_from(k, BX_T_SHAPES, cpu->shapes.first + hz), "range", 0,
                      "the model's clock needs a shape 'hz', above 0");
    else
        bx_check_fail(k, bx_check_from(k, BX_T_CPUS, i), NULL, 0,
                      "the model's clock needs a shape 'hz', above 0");
    bx_hint(k->b->e, "shape hz preset 4000000000 range 1..100000000000 \"cycles per second\"");
}

void bx_check_clock(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->cpus.n && !k->b->failed; i++)
        check_clock_of(k, i);
}

/* Whether a PMU of the CPU has as many units as the key says. */
static bool is_of_units(const bx_check *k, const bx_cat_cpu *cpu, bx_str key)
{
    for (unsigned i = cpu->pmus.first; i < (unsigned)cpu->pmus.first + cpu->pmus.n; i++)
        if (bx_str_eq_fold(bx_cat_str(k->c, bx_cat_pmus(k->c)[i].unit_key), key))
            return true;
    return false;
}

static void offer_keys(bx_nearest *nearest, const char *keys)
{
    char key[32];
    for (bx_str rest = bx_str_of(keys); rest.p;) {
        bx_str one = bx_str_cut(&rest, ' ');
        snprintf(key, sizeof key, "%.*s", BX_QUOTED(one));
        bx_nearest_offer(nearest, key);
    }
}

/* Another CPU that the model imitates; NULL if there is none. */
static const bx_cat_cpu *other_of(const bx_check *k, const bx_cat_cpu *cpu)
{
    for (uint16_t i = 0; i < k->c->cpus.n; i++)
        if (&bx_cat_cpus(k->c)[i] != cpu && bx_cat_cpus(k->c)[i].model == cpu->model)
            return &bx_cat_cpus(k->c)[i];
    return NULL;
}

static void refuse_key(const bx_check *k, const bx_cat_cpu *cpu, unsigned shape, bx_str key,
                       const bx_machine_model *model)
{
    const bx_syntax_node *node = bx_check_from(k, BX_T_SHAPES, cpu->shapes.first + shape);
    const bx_cat_cpu *other = other_of(k, cpu);
    bx_nearest nearest = bx_nearest_to(key);
    offer_keys(&nearest, bx_shape_keys_of_all);
    if (model) {
        offer_keys(&nearest, model->needs);
        offer_keys(&nearest, model->reads);
        offer_keys(&nearest, model->memory);
        bx_check_fail(k, node, NULL, 0, "the machine model '%s' has no key '%.*s'", model->name,
                      BX_QUOTED(key));
    } else {
        bx_check_fail(k, node, NULL, 0, "without a machine model no code reads the key '%.*s'",
                      BX_QUOTED(key));
    }
    if (model && other)
        bx_hint(k->b->e, "take the key out; those of the model are in the file of '%s'",
                bx_cat_z(k->c, other->name));
    else
        bx_hint(k->b->e, "take the key out");
    bx_nearest_hint(k->b->e, &nearest);
}

/* Checks that some code reads each key: a misspelt key would have no effect. */
static void check_read(const bx_check *k, const bx_cat_cpu *cpu, const bx_machine_model *model)
{
    for (unsigned i = 0; i < cpu->shapes.n && !k->b->failed; i++) {
        bx_str key = bx_cat_str(k->c, shapes_of(k, cpu)[i].name);
        if (!bx_shape_key_listed(bx_shape_keys_of_all, key) && !is_of_units(k, cpu, key) &&
            !(model &&
              (bx_shape_key_listed(model->needs, key) || bx_shape_key_listed(model->reads, key) ||
               bx_shape_key_listed(model->memory, key))))
            refuse_key(k, cpu, i, key, model);
    }
}

/* Checks that the CPU has every key of a list: the keys that the model needs, or those of its
 * memory. */
static void check_given(const bx_check *k, uint16_t cpu, const char *keys, bool memory)
{
    const bx_cat_cpu *row = &bx_cat_cpus(k->c)[cpu];
    const bx_syntax_node *node = bx_check_from(k, BX_T_CPUS, cpu);
    const bx_cat_cpu *other = other_of(k, row);
    for (bx_str rest = bx_str_of(keys); rest.p && !k->b->failed;) {
        bx_str key = bx_str_cut(&rest, ' ');
        if (find_shape(k, row, key) < row->shapes.n)
            continue;
        if (memory)
            bx_check_fail(k, node, NULL, 0, "a shape 'dram_rate' needs one called '%.*s'",
                          BX_QUOTED(key));
        else
            bx_check_fail(k, node, NULL, 0, "the machine model needs a shape '%.*s'",
                          BX_QUOTED(key));
        if (other)
            bx_hint(k->b->e, "copy the line `shape %.*s` from the file of '%s', and adapt it",
                    BX_QUOTED(key), bx_cat_z(k->c, other->name));
        else
            bx_hint(k->b->e, "add a line `shape %.*s preset NUMBER range FROM..TO \"what it is\"`",
                    BX_QUOTED(key));
    }
}

void bx_check_keys(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->cpus.n && !k->b->failed; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[i];
        const bx_machine_model *model = bx_machine_model_find(bx_cat_str(k->c, cpu->model));
        check_read(k, cpu, model);
        if (!model)
            continue;
        check_given(k, i, model->needs, false);
        if (find_shape(k, cpu, BX_STR("dram_rate")) < cpu->shapes.n)
            check_given(k, i, model->memory, true);
    }
}
