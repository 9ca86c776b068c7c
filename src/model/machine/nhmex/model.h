/* The machine model of the Xeon 7500. model.c selects it by name. */
#ifndef BX_MODEL_MACHINE_NHMEX_MODEL_H
#define BX_MODEL_MACHINE_NHMEX_MODEL_H

#include "model/engine/kind.h"

extern const struct bx_model_kind bx_nhmex_model;

#endif
