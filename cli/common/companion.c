/* Starts the program in place of this one. */
#include "cli/common/companion.h"
#include "host/system/file.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

/* Beside us, as in a build; else in PATH. */
static void become_program(const char *name, char *const argv[])
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        bx_buf beside = {0};
        self[n] = 0;
        bx_buf_f(&beside, "%s/%s", dirname(self), name);
        if (!beside.failed)
            execv(beside.p, argv);
        bx_buf_free(&beside);
    }
    execvp(name, argv);
}

/* The arguments as they were given: the program reads them with the same table. */
static char **given_arguments(bx_cli *cli, bx_buf *line)
{
    enum { LINE_MOST = 1 << 22 };
    size_t n = 0, k = 0;
    *line = bx_file_read_all("", "/proc/self/cmdline", LINE_MOST);
    for (size_t i = 0; i < line->n; i++)
        n += line->p[i] == 0;
    char **argv = line->failed ? NULL : bx_arena_get(&cli->arena, (n + 1) * sizeof *argv);
    for (char *word = line->p; argv && k < n; word += strlen(word) + 1)
        if (k++ > 0) /* "boxscore" goes, the command is the program's name */
            argv[k - 2] = word;
    return argv;
}

int bx_companion_become(bx_cli *cli, const char *name, const char *what, const char *hint)
{
    bx_buf line = {0};
    bx_error e = {0};
    char **argv = given_arguments(cli, &line);
    if (argv) {
        become_program(name, argv);
        bx_fail(&e, BX_NOT_FOUND, 0, 0, "%s cannot be started: %s", what, strerror(errno));
        bx_hint(&e, "%s", hint);
    }
    bx_buf_free(&line);
    return argv ? bx_cli_error(&e, NULL) : bx_cli_fail("out of memory");
}
