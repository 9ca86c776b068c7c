/* The machine model of Ivy Bridge-EP. model.c selects it by name. */
#ifndef BX_MODEL_MACHINE_IVBEP_MODEL_H
#define BX_MODEL_MACHINE_IVBEP_MODEL_H

#include "model/engine/kind.h"

extern const struct bx_model_kind bx_ivbep_model;

#endif
