/* The state of a line in a cache. */
#ifndef BX_MODEL_ENGINE_MESI_H
#define BX_MODEL_ENGINE_MESI_H

enum bx_line_state { BX_LINE_I, BX_LINE_S, BX_LINE_E, BX_LINE_M, BX_LINE_STATES };

#endif
