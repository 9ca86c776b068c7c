/* What the machine model of a virtual machine produces, by names of the catalogue. */
#ifndef BX_CLI_SHOW_MODELLED_H
#define BX_CLI_SHOW_MODELLED_H

#include "base/buf.h"

#include <boxscore/boxscore.h>

/* Whether the model produces an event, with a unit mask if it has any: BX_NONE for none. *to gets
 * the event string: the names, and what the unit mask needs beside it, such as another unit mask,
 * or modifiers set to 1. */
bool bx_modelled(const bx_machine *m, unsigned event, unsigned umask, bx_buf *to);

#endif
