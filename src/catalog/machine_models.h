/* The machine models of src/model that a CPU's `model` may name, and what each needs. The list is
 * here so that an error points into the catalogue's file, before any machine is made. */
#ifndef BX_CATALOG_MACHINE_MODELS_H
#define BX_CATALOG_MACHINE_MODELS_H

#include "base/str.h"

#include <stddef.h>

enum { BX_MACHINE_MODEL_BOXES = 10 };

typedef struct bx_machine_model {
    const char *name;
    /* The boxes that the model counts, in the order of their numbers (bx_selection.box). The names
     * of the PMUs end with these words. "": any name is allowed. */
    const char *boxes[BX_MACHINE_MODEL_BOXES];
    /* Shape keys, with one blank between two: necessary ones, optional ones, and those of its
     * memory, which a CPU has all or none of. */
    const char *needs, *reads, *memory;
} bx_machine_model;

/* `model none`: no machine model imitates the CPU. */
#define BX_NO_MACHINE_MODEL "none"

extern const bx_machine_model bx_machine_models[];
extern const size_t bx_machine_models_n;

/* Keys that are read for each model, and without one. */
extern const char bx_shape_keys_of_all[];

/* Whether one of these lists has the key. */
bool bx_shape_key_listed(const char *keys, bx_str key);

/* NULL: there is no such model. */
const bx_machine_model *bx_machine_model_find(bx_str name);

#endif
