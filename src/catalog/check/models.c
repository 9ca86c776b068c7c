/* Checks of a CPU's clauses about its machine model. */
#include "catalog/check/check.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "catalog/machine_models.h"

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

/* Whether the PMU is the model's box: "skl_unc_cbo" is "cbo". */
static bool is_box(bx_str pmu, const char *box)
{
    size_t n = bx_str_of(box).n;
    return n == 0 || (pmu.n > n && pmu.p[pmu.n - n - 1] == '_' &&
                      bx_str_eq(bx_str_sub(pmu, pmu.n - n, n), bx_str_of(box)));
}

static void refuse_boxes(const bx_check *k, const bx_syntax_node *node, unsigned index, bx_str pmu,
                         const bx_machine_model *model)
{
    bx_buf order = {0};
    for (unsigned i = 0; i < BX_MACHINE_MODEL_BOXES && model->boxes[i]; i++)
        bx_buf_f(&order, " %s", model->boxes[i]);
    bx_check_fail(k, node, "boxes", index, "'%.*s' stands where the model '%s' has its '%s'",
                  BX_QUOTED(pmu), model->name, model->boxes[index]);
    bx_hint(k->b->e, "`boxes` lists PMUs whose names end with these words, in this order:%s",
            bx_buf_text(&order));
    bx_buf_free(&order);
}

/* Checks the order of the PMUs. A model knows them by their numbers: with another order, it would
 * count something else without an error. The last ones may be missing, and more may follow. */
void bx_check_boxes(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->cpus.n && !k->b->failed; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[i];
        const bx_machine_model *model = bx_machine_model_find(bx_cat_str(k->c, cpu->model));
        for (unsigned box = 0; model && box < cpu->pmus.n && !k->b->failed; box++) {
            bx_str pmu = bx_cat_str(k->c, bx_cat_pmus(k->c)[cpu->pmus.first + box].name);
            if (box == BX_MACHINE_MODEL_BOXES || !model->boxes[box])
                break;
            if (!is_box(pmu, model->boxes[box]))
                refuse_boxes(k, bx_check_from(k, BX_T_CPUS, i), box, pmu, model);
        }
    }
}

/* Checks that the clock has a frequency: times are printed in seconds. */
void bx_check_clock(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->cpus.n && !k->b->failed; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[i];
        const bx_cat_shape *shapes = &bx_cat_shapes(k->c)[cpu->shapes.first];
        bool found = is_none(k, cpu);
        for (unsigned s = 0; s < cpu->shapes.n && !found; s++)
            found = bx_str_eq(bx_cat_str(k->c, shapes[s].name), BX_STR("hz")) && shapes[s].lo > 0;
        if (found)
            continue;
        bx_check_fail(k, bx_check_from(k, BX_T_CPUS, i), NULL, 0,
                      "the model's clock needs a shape 'hz', above 0");
        bx_hint(k->b->e, "shape hz preset 4000000000 range 1..100000000000 \"cycles per second\"");
    }
}
