/* The boxes of an Ivy Bridge-EP machine, as bx_selection.box: the order of the catalogue's `boxes`.
 */
#ifndef BX_MODEL_IVBEP_BOXES_H
#define BX_MODEL_IVBEP_BOXES_H

enum bx_ivbep_box {
    BX_IVBEP_UBO, /* global control: nothing to count */
    BX_IVBEP_CBO,
    BX_IVBEP_IMC, /* its units are the channels */
    BX_IVBEP_CORE,
};

#endif
