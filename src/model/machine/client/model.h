/* The machine model of a client processor (6th generation Core). model.c selects it by name. */
#ifndef BX_MODEL_MACHINE_CLIENT_MODEL_H
#define BX_MODEL_MACHINE_CLIENT_MODEL_H

#include "model/engine/kind.h"

extern const struct bx_model_kind bx_client_model;

#endif
