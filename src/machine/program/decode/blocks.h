/* The blocks that a trace has described, by their numbers. */
#ifndef BX_MACHINE_PROGRAM_DECODE_BLOCKS_H
#define BX_MACHINE_PROGRAM_DECODE_BLOCKS_H

#include "machine/program/decode/decoder_state.h"

/* Keeps the block of d->draft, in place of the block with that number. false: out of memory. */
bool bx_decoder_keep_block(bx_decoder *d, uint64_t number);
void bx_decoder_free_blocks(bx_decoder *d);

#endif
