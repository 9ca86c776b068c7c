/* The boxes of an Ivy Bridge-EP machine, as in bx_selection.box. The order is that of the
 * catalogue's `boxes`. */
#ifndef BX_MODEL_MACHINE_IVBEP_BOXES_H
#define BX_MODEL_MACHINE_IVBEP_BOXES_H

enum bx_ivbep_box {
    BX_IVBEP_UBO, /* global control, which has no counters */
    BX_IVBEP_CBO,
    BX_IVBEP_IMC, /* its units are the memory channels */
    BX_IVBEP_CORE,
    BX_IVBEP_STALLS,
    BX_IVBEP_BOXES,
};

#endif
