/* Parses the code and the unit mask of a signal: numbers, or names of the catalogue. */
#ifndef BX_MACHINE_DIALOGUE_SIGNAL_CODE_H
#define BX_MACHINE_DIALOGUE_SIGNAL_CODE_H

#include "machine/dialogue/words.h"
#include "topology/topology.h"

/* Words 2 and 3: an event of the PMU (box: its index among those of the CPU model) and one of its
 * unit masks, or their numbers. */
int bx_signal_code(const bx_topology *t, const bx_words *s, unsigned box, uint64_t *code,
                   uint64_t *umask, bx_error *e);

#endif
