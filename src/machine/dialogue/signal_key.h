/* The words `key=value` of a signal command: the properties of a signal that filters compare. */
#ifndef BX_MACHINE_DIALOGUE_SIGNAL_KEY_H
#define BX_MACHINE_DIALOGUE_SIGNAL_KEY_H

#include "machine/dialogue/words.h"
#include "seam/signal.h"
#include "topology/topology.h"

/* Adds a key and its value to *what, a signal of the PMU what->box. A key is one of: a modifier
 * with a field in a filter register (`nf`); the name of that field (`nid`); that name without its
 * common prefix (`core` of TID_CORE); or the prefix alone, which sets the first field (`tid`). If
 * the value is too large for that field, the next field gets the rest. Other keys: `cpl` is the
 * privilege level, if counters select levels; `port` is a port of the unit, numbered over the
 * package; `ctr` is the counter whose list of events has the code. PMUs with masks or slots have
 * only modifiers' names as keys. word is a part of s. BX_BAD_INPUT with a hint of the possible
 * keys. */
int bx_key_read(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                bx_error *e);

#endif
