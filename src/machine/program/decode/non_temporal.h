/* Non-temporal stores, as accesses to the lines into which they are combined. */
#ifndef BX_MACHINE_PROGRAM_DECODE_NON_TEMPORAL_H
#define BX_MACHINE_PROGRAM_DECODE_NON_TEMPORAL_H

#include "machine/program/decode/decoder_state.h"

/* Executes a non-temporal store. It looks up its page when it is executed, not when its line is
 * complete. *cost: cycles that are not yet part of an access, before and after this call. */
bx_access *bx_decoder_take_non_temporal(bx_decoder *d, uint64_t address, uint64_t end,
                                        uint64_t *cost, bx_access *to);

/* Makes the access for all combined stores to a line. */
bx_access bx_decoder_write_combined(bx_decoder *d, bx_combined c, uint64_t cost);

#endif
