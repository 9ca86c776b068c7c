/* The list of all commands, and the search for one by name. */
#include "cli/commands/commands.h"

#include "event/hint.h"

#include <string.h>

#define ROW(name) &bx_command_##name,
const bx_command *const bx_commands[] = {BX_COMMANDS(ROW) NULL};

const bx_command *bx_command_find(const char *name, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(bx_str_of(name));
    for (size_t i = 0; bx_commands[i]; i++) {
        if (strcmp(bx_commands[i]->name, name) == 0)
            return bx_commands[i];
        bx_nearest_offer(&nearest, bx_commands[i]->name);
    }
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no command '%s'", bx_quote(bx_str_of(name)).text);
    bx_cli_hint(e, &nearest, strcmp(name, "version") ? "boxscore --help" : "boxscore --version");
    return NULL;
}
