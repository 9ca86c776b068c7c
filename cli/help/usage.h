/* Texts made from the tables of commands and options. `commands` ends in NULL. */
#ifndef BX_CLI_HELP_USAGE_H
#define BX_CLI_HELP_USAGE_H

#include "base/buf.h"
#include "cli/common/options.h"

void bx_usage_all(bx_buf *to, const bx_command *const *commands); /* boxscore --help */
void bx_usage_command(bx_buf *to, const bx_command *c);           /* boxscore COMMAND --help */
void bx_usage_option(bx_buf *to, const bx_option *o);             /* "-e, --event=EVENTS" */

void bx_completion_bash(bx_buf *to, const bx_command *const *commands);
void bx_completion_zsh(bx_buf *to, const bx_command *const *commands);

#endif
