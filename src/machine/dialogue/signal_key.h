/* The words `key=value` of a signal: what the filters of a unit can tell it by. */
#ifndef BX_MACHINE_DIALOGUE_SIGNAL_KEY_H
#define BX_MACHINE_DIALOGUE_SIGNAL_KEY_H

#include "machine/dialogue/words.h"
#include "seam/signal.h"
#include "topology/topology.h"

/* Adds one to a signal of the PMU what->box. A key is a modifier that has its field in a filter
 * register (`nf`), the name of that field (`nid`), its name without what the fields of one filter
 * have in common (`core` of TID_CORE), or that alone for the first of them (`tid`); a value that is
 * too large for the first continues in the next. `cpl` is the privilege level, where counters tell
 * those apart; `port` one of the unit's, numbered throughout the package; `ctr` the counter whose
 * meaning the code has. Where patterns are compared or places borrowed a key is a modifier's name
 * alone. word is a part of s. BX_BAD_INPUT with the keys that there are. */
int bx_key_read(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                bx_error *e);

#endif
