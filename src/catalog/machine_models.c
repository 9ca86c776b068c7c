/* The machine models that a CPU's `model` may name. */
#include "catalog/machine_models.h"

/* The boxes are those of src/model/NAME/boxes.h. */
const bx_machine_model bx_machine_models[] = {
    {"client", {"package", "cbo", "arb", "clock", "imc", "core"}},
    {"ivbep", {"ubo", "cbo", "imc", "core"}},
    {"nhmex", {"ubox", "cbox", "bbox", "sbox", "rbox", "mbox", "wbox", "core"}},
    {"p6", {""}},
};
const size_t bx_machine_models_n = sizeof bx_machine_models / sizeof *bx_machine_models;

const bx_machine_model *bx_machine_model_find(bx_str name)
{
    for (size_t i = 0; i < bx_machine_models_n; i++)
        if (bx_str_eq(name, bx_str_of(bx_machine_models[i].name)))
            return &bx_machine_models[i];
    return NULL;
}
