/* From the options of a command to its measurement. */
#ifndef BX_LIVE_PREPARE_H
#define BX_LIVE_PREPARE_H

#include "cli/common/cli.h"
#include "cli/common/live_options.h"
#include "live/measuring.h"

/* Sets what is set before it starts, except for `most`, `keeps`, `signals` and `hottest`, and the
 * name of the CPU. cli->arena.failed: out of memory. */
void bx_measuring_prepare(bx_measuring *m, bx_cli *cli, const bx_live_options *o,
                          const bx_texts *program);

#endif
