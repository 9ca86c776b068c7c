/* The command `boxscore`: finds the command, parses its options and runs it. */
#include "cli/commands/commands.h"
#include "cli/common/unpacked.h"
#include "cli/help/usage.h"
#include "host/gather/archive.h"

#include "event/hint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Refuses a folder that does not exist: it would look like an empty machine. A folder whose stage
 * was killed is reported when the machine is opened. */
static int check_root(const char *path, bx_error *e)
{
    struct stat is;
    bx_quoted name = bx_quote(bx_str_of(path));
    int err = stat(path, &is) == 0 ? 0 : errno;
    if (err == ENOTCONN || (!err && S_ISDIR(is.st_mode)))
        return BX_OK;
    if (!err && access(path, R_OK) != 0)
        err = errno;
    if (err)
        bx_fail(e, BX_BAD_INPUT, 0, 0, "--root '%s': %s", name.text, strerror(err));
    else
        bx_fail(e, BX_BAD_INPUT, 0, 0, "--root '%s' is neither a folder nor a gathered machine",
                name.text);
    bx_hint(e, "a folder with dev, proc and sys, or a file of boxscore machine gather");
    return e->code;
}

/* If --root is a file of `boxscore machine gather`, unpacks it for the command. *root is the
 * folder, to be removed and freed, or stays NULL. */
static int unpack(const bx_command *command, void *values, char **root, bx_error *e)
{
    for (size_t i = 0; i < command->options_n; i++) {
        const bx_option *o = &command->options[i];
        if (strcmp(o->name, "root") != 0)
            continue;
        const char **path = (const char **)(void *)((char *)values + o->offset);
        if (!*path || !**path)
            continue;
        bool gathered = bx_archive_is(*path);
        int code =
            gathered ? bx_unpacked_make(bx_archive_unpack, *path, root, e) : check_root(*path, e);
        if (code)
            return code;
        if (gathered)
            *path = *root;
    }
    return BX_OK;
}

static int usage(const bx_error *e)
{
    bx_cli_error(e, NULL);
    return e->code == BX_NO_MEMORY ? BX_EXIT_ERROR : BX_EXIT_USAGE;
}

static int run_chosen(bx_cli *cli, const bx_command *command, char *const argv[])
{
    bx_error e = {0};
    bx_arguments arguments;
    void *values = bx_arena_get(&cli->arena, command->values_size + 1);
    if (!values)
        return bx_cli_fail("out of memory");
    if (bx_options_parse(command, argv, values, &arguments, &cli->arena, &e))
        return usage(&e);
    if (arguments.help) {
        bx_usage_command(&cli->out, command);
        return BX_EXIT_OK;
    }
    char *root = NULL;
    if (unpack(command, values, &root, &e))
        return bx_cli_error(&e, NULL);
    int status = command->run(cli, values, &arguments.operands);
    bx_unpacked_drop(root);
    return status;
}

/* Handles an option without a command: --help, --version. */
static int alone(bx_cli *cli, const char *argument, const char *next)
{
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        bx_usage_all(&cli->out, bx_commands);
        return BX_EXIT_OK;
    }
    if (strcmp(argument, "--version") == 0) {
        bx_buf_z(&cli->out, "boxscore " BX_VERSION "\n");
        return BX_EXIT_OK;
    }
    bx_error e = {0}, unknown = {0};
    bx_fail(&e, BX_BAD_INPUT, 0, 0, "'%s' is no command", bx_quote(bx_str_of(argument)).text);
    if (next && bx_command_find(next, &unknown))
        bx_hint(&e, "options follow the command: boxscore %s %s", next,
                bx_quote(bx_str_of(argument)).text);
    else
        bx_hint(&e, "boxscore COMMAND [OPTION...], or boxscore --help");
    return usage(&e);
}

static int start_cli(bx_cli *cli, char *const argv[])
{
    bx_error e = {0};
    if (!argv[0] || !argv[1]) {
        bx_fail(&e, BX_BAD_INPUT, 0, 0, "no command was given");
        bx_hint(&e, "boxscore stat -- PROGRAM counts a program, boxscore help lists the commands");
        return usage(&e);
    }
    if (argv[1][0] == '-')
        return alone(cli, argv[1], argv[2]);
    const bx_command *command = bx_command_find(argv[1], &e);
    return command ? run_chosen(cli, command, argv + 2) : usage(&e);
}

/* If a standard descriptor is closed, the next file opened would become it. A descriptor that
 * refuses reads or writes takes that number. */
static void keep_standard_descriptors(void)
{
    static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", useless[fd]);
}

/* Ends as programs do whose output nobody reads, also where SIGPIPE is ignored: as git does. */
static int end_by_sigpipe(void)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &pipe, NULL);
    raise(SIGPIPE);
    return 128 + SIGPIPE;
}

int main(int argc, char *argv[])
{
    (void)argc;
    keep_standard_descriptors();
    bx_cli cli = {.catalog = bx_catalog_builtin(), .commands = bx_commands};
    int status = start_cli(&cli, argv);
    if (status == BX_EXIT_OK || !bx_cli_lacks_memory(&cli)) /* an error was reported */
        if (!bx_cli_flush(&cli) && status == BX_EXIT_OK)
            status = BX_EXIT_ERROR;
    bx_buf_free(&cli.out);
    bx_arena_free(&cli.arena);
    return cli.unread ? end_by_sigpipe() : status;
}
