/* The boxes of a client machine, as in bx_selection.box. The order is that of the catalogue's
 * `boxes`. */
#ifndef BX_MODEL_MACHINE_CLIENT_BOXES_H
#define BX_MODEL_MACHINE_CLIENT_BOXES_H

enum bx_client_box {
    BX_CLIENT_PACKAGE, /* global control, which has no counters */
    BX_CLIENT_CBO,
    BX_CLIENT_ARB,
    BX_CLIENT_CLOCK,
    BX_CLIENT_IMC,
    BX_CLIENT_CORE,
    BX_CLIENT_STALLS,
    BX_CLIENT_BOXES,
};

#endif
