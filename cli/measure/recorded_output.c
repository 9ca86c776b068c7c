#include "cli/measure/recorded_output.h"

#include "base/error.h"
#include "cli/common/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int temporary_failed(const char *folder, bx_error *e)
{
    bx_fail(e, bx_code_of(errno), 0, 0, "the temporary folder '%s': %s", folder, strerror(errno));
    bx_hint(e, "set TMPDIR to a folder that can be written to, or give a file");
    return e->code;
}

static const char *joined(bx_cli *cli, const char *folder, const char *name)
{
    bx_buf text = {0};
    bx_buf_f(&text, "%s%s", folder, name);
    cli->arena.failed |= text.failed;
    const char *path = bx_arena_copy(&cli->arena, bx_str_of(bx_buf_text(&text)));
    bx_buf_free(&text);
    return path;
}

static int make_folder(bx_cli *cli, bx_recorded_output *to, bx_error *e)
{
    const char *outer = getenv("TMPDIR");
    const char *pattern = joined(cli, outer && *outer ? outer : "/tmp", "/boxscore-XXXXXX");
    char *folder = pattern ? bx_arena_get(&cli->arena, strlen(pattern) + 1) : NULL;
    if (!folder || cli->arena.failed)
        return bx_out_of_memory(e);
    strcpy(folder, pattern);
    if (!mkdtemp(folder))
        return temporary_failed(outer && *outer ? outer : "/tmp", e);
    to->folder = folder;
    to->path = joined(cli, folder, "/recording");
    to->journal = joined(cli, folder, "/recording-journal");
    if (!to->path || !to->journal)
        return bx_out_of_memory(e);
    bx_signals_unfinished(to->journal);
    bx_signals_unfinished(to->path);
    bx_signals_unfinished(to->folder);
    return BX_OK;
}

int bx_recorded_output_begin(bx_cli *cli, const char *output, bx_recorded_output *to, bx_error *e)
{
    *to = (bx_recorded_output){.path = output, .sink = {.fd = -1}};
    if (!bx_sink_is_standard(output))
        return BX_OK;
    int code = bx_sink_take_standard(&to->sink, e);
    to->sink.cli = cli;
    return code ? code : make_folder(cli, to, e);
}

static int copy_recording(bx_recorded_output *to, bx_error *e)
{
    enum { BYTES = 1 << 16 };
    char *bytes = malloc(BYTES);
    int fd = open(to->path, O_RDONLY | O_CLOEXEC), code = BX_OK;
    ssize_t n = 1;
    if (!bytes)
        code = bx_out_of_memory(e);
    else if (fd < 0)
        code = temporary_failed(to->folder, e);
    while (!code && (n = read(fd, bytes, BYTES)) > 0) {
        const bx_buf part = {.p = bytes, .n = (size_t)n};
        code = bx_sink_write(&to->sink, &part, e);
    }
    if (!code && n < 0)
        code = temporary_failed(to->folder, e);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return code;
}

int bx_recorded_output_end(bx_recorded_output *to, bool copies, bx_error *e)
{
    int code = to->folder && copies ? copy_recording(to, e) : BX_OK;
    if (to->folder && to->path && to->journal) {
        unlink(to->path);
        rmdir(to->folder);
        bx_signals_finished(to->journal);
        bx_signals_finished(to->path);
        bx_signals_finished(to->folder);
    }
    if (to->folder && !code && copies)
        code = bx_sink_keep(&to->sink, e);
    bx_sink_discard(&to->sink);
    return code;
}
