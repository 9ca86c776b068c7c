/* Where a host's counts are made: on which die or NUMA node. */
#ifndef BX_MEASURE_PLACES_H
#define BX_MEASURE_PLACES_H

#include "base/arena.h"

#include <boxscore/boxscore.h>

/* By reading of an open session: the number of its die in the package, or of its node, as Linux
 * numbers them; BX_NO_PLACE: it follows a program. nodes: nodes, not dies. In the arena; NULL: out
 * of memory. A virtual machine has a die and a node per package. */
const uint16_t *bx_measured_places(const bx_machine *m, const bx_session *s, bool nodes,
                                   bx_arena *arena);

#endif
