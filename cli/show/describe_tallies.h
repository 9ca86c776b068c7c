/* Pages: which tallies of a virtual machine an event adds up. */
#ifndef BX_CLI_SHOW_DESCRIBE_TALLIES_H
#define BX_CLI_SHOW_DESCRIBE_TALLIES_H

#include "cli/common/page.h"

#include <boxscore/boxscore.h>

/* The list of an event's unit masks, and what the machine's model adds up for each. */
void bx_describe_tallies(bx_page *to, const bx_machine *m, unsigned event);
/* The same for a selection. */
void bx_describe_tallies_of(bx_page *to, const bx_machine *m, const bx_evsel *selection);

#endif
