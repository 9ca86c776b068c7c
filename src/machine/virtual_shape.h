/* The machine model of a virtual machine, from the keys of its machine string. */
#ifndef BX_MACHINE_VIRTUAL_SHAPE_H
#define BX_MACHINE_VIRTUAL_SHAPE_H

#include "model/core/tlb.h"
#include "model/engine/core_time.h"
#include "model/model.h"
#include "topology/topology.h"

/* The name of its model. */
const char *bx_virtual_model(const bx_topology *t);

/* Without its TLBs, which must stay as long as the model. */
bx_model_shape bx_virtual_shape(const bx_topology *t);
bx_tlb_geometry bx_virtual_tlbs(const bx_topology *t);

bx_core_time bx_virtual_core_time(const bx_topology *t);

#endif
