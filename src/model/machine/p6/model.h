/* The machine model of a P6 processor. model.c selects it by name. */
#ifndef BX_MODEL_MACHINE_P6_MODEL_H
#define BX_MODEL_MACHINE_P6_MODEL_H

#include "model/engine/kind.h"

extern const struct bx_model_kind bx_p6_model;

#endif
