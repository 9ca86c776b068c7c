/* Writes a report under a temporary name, and renames it at the end. */
#include "cli/common/sink.h"

#include "cli/common/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bx_sink bx_sink_standard(bx_cli *cli, bool error)
{
    return (bx_sink){.cli = cli, .fd = error ? STDERR_FILENO : -1, .name = "standard error"};
}

bool bx_sink_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

int bx_sink_take_standard(bx_sink *sink, bx_error *e)
{
    enum { FIRST_FD = 200 }; /* far from the program's descriptors */
    sink->name = "standard output";
    sink->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FD);
    return sink->fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
               ? BX_OK
               : bx_fail(e, bx_code_of(errno), 0, 0, "standard output: %s", strerror(errno));
}

static int cannot(const char *name, int reason, bx_error *e)
{
    bx_fail(e, BX_SYSTEM, 0, 0, "cannot write '%s': %s", name, strerror(reason));
    if (reason == ENOSPC)
        bx_hint(e, "make room there, or give another file");
    else if (reason == EACCES || reason == EPERM || reason == EROFS || reason == ENOENT)
        bx_hint(e, "give a file in a folder that exists and can be written to");
    return BX_SYSTEM;
}

/* The command ends without a message if the reader of a pipe has closed it. */
static int cannot_write(const bx_sink *sink, int reason, bx_error *e)
{
    if (reason != EPIPE)
        return cannot(sink->name, reason, e);
    sink->cli->unread = true;
    return bx_fail(e, BX_SYSTEM, 0, 0, "%s", "");
}

/* Whether the path means an open descriptor, such as our standard output. Such a file cannot be
 * replaced by a new one. */
static bool is_descriptor(const char *path)
{
    static const char *const begins[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/",
                                         "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(path, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* The file that a path means. Links are followed, so that the file is replaced and not the link.
 * *named: the file has a path. A removed file behind /dev/stdout has none. */
static const char *target_of(bx_arena *a, const char *path, bool *named)
{
    char real[PATH_MAX];
    *named = realpath(path, real);
    return bx_arena_copy(a, bx_str_of(*named ? real : path));
}

/* The permissions that open() would give: those of the old file, or those that the umask allows. */
static mode_t mode_for(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Signals are blocked between the file's creation and the note that signals remove it. */
static bool create_temporary(bx_sink *sink, char *name)
{
    sigset_t before;
    bx_signals_block(&before);
    sink->fd = mkostemp(name, O_CLOEXEC);
    int err = errno;
    if (sink->fd >= 0) {
        sink->temporary = name;
        bx_signals_unfinished(name);
    }
    bx_signals_unblock(&before);
    errno = err;
    return sink->fd >= 0;
}

static void forget_temporary(bx_sink *sink)
{
    if (sink->temporary)
        bx_signals_finished(sink->temporary);
    sink->temporary = NULL;
}

static int open_temporary(bx_sink *sink, const struct stat *old, bx_error *e)
{
    size_t room = strlen(sink->path) + sizeof ".XXXXXX";
    char *name = bx_arena_get(&sink->cli->arena, room);
    if (!name)
        return bx_out_of_memory(e);
    snprintf(name, room, "%s.XXXXXX", sink->path);
    if (!create_temporary(sink, name))
        return cannot(sink->name, errno, e);
    /* This fails on a file system without permissions, which does no harm. */
    (void)!fchmod(sink->fd, mode_for(old));
    return BX_OK;
}

int bx_sink_open(bx_cli *cli, const char *path, bx_sink *sink, bx_error *e)
{
    struct stat old;
    bool named;
    if (bx_sink_is_standard(path)) {
        *sink = bx_sink_standard(cli, false);
        return BX_OK;
    }
    *sink =
        (bx_sink){.cli = cli, .fd = -1, .name = path, .path = target_of(&cli->arena, path, &named)};
    if (!sink->path)
        return bx_out_of_memory(e);
    bool exists = stat(sink->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return cannot(path, EISDIR, e);
    if (!is_descriptor(path) && (!exists || (named && S_ISREG(old.st_mode))))
        return open_temporary(sink, exists ? &old : NULL, e);
    sink->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return sink->fd < 0 ? cannot(path, errno, e) : BX_OK;
}

/* Gives the file its name. */
static int show_sink(bx_sink *sink)
{
    int reason = rename(sink->temporary, sink->path) ? errno : 0;
    if (!reason)
        forget_temporary(sink);
    return reason;
}

int bx_sink_append(bx_cli *cli, const char *path, bx_sink *sink, bx_error *e)
{
    if (bx_sink_is_standard(path))
        return bx_sink_open(cli, path, sink, e);
    *sink = (bx_sink){.cli = cli, .fd = -1, .name = path, .path = path, .appends = true};
    sink->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return sink->fd < 0 ? cannot(path, errno, e) : BX_OK;
}

static int write_out(bx_sink *sink, const bx_buf *text, bx_error *e)
{
    if (text->failed)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for the report");
    if (sink->fd < 0) {
        bx_buf_add(&sink->cli->out, text->p, text->n);
        if (bx_cli_lacks_memory(sink->cli))
            return bx_out_of_memory(e);
        return bx_cli_flush(sink->cli)
                   ? BX_OK
                   : bx_fail(e, BX_SYSTEM, 0, 0, "%s", ""); /* it was reported */
    }
    int reason = sink->grows && sink->temporary && text->n ? show_sink(sink) : 0;
    if (!reason)
        reason = bx_cli_write(sink->fd, text->p, text->n);
    return reason ? cannot_write(sink, reason, e) : BX_OK;
}

/* The lines, each an object, as elements of the array: a comma goes in front of all but the first,
 * so that the array can end after any of them. */
static int write_elements(bx_sink *sink, const bx_buf *lines, bx_error *e)
{
    bx_buf text = {.failed = lines->failed};
    for (size_t from = 0; from < lines->n;) {
        const char *end = memchr(lines->p + from, '\n', lines->n - from);
        size_t to = end ? (size_t)(end - lines->p) : lines->n;
        bx_buf_z(&text, sink->elements ? ",\n" : "[\n");
        bx_buf_add(&text, lines->p + from, to - from);
        sink->elements = true;
        from = to + 1;
    }
    int code = write_out(sink, &text, e);
    bx_buf_free(&text);
    return code;
}

int bx_sink_write(bx_sink *sink, const bx_buf *text, bx_error *e)
{
    return sink->array ? write_elements(sink, text, e) : write_out(sink, text, e);
}

static int end_array(bx_sink *sink, bx_error *e)
{
    bx_buf text = {0};
    bx_buf_z(&text, sink->elements ? "\n]\n" : "[]\n");
    sink->array = false;
    int code = write_out(sink, &text, e);
    bx_buf_free(&text);
    return code;
}

int bx_sink_keep(bx_sink *sink, bx_error *e)
{
    int code = sink->array ? end_array(sink, e) : BX_OK;
    if (code)
        return code;
    if (!sink->path || sink->fd < 0)
        return BX_OK;
    /* Some file systems report a full disk only now. */
    int reason = sink->temporary && fsync(sink->fd) ? errno : 0;
    if (close(sink->fd) && !reason)
        reason = errno;
    sink->fd = -1;
    if (!reason && sink->temporary)
        reason = show_sink(sink);
    if (reason && sink->temporary)
        unlink(sink->temporary);
    forget_temporary(sink);
    return reason ? cannot(sink->name, reason, e) : BX_OK;
}

void bx_sink_discard(bx_sink *sink)
{
    struct stat is;
    if (!sink->path)
        return;
    bool empty = sink->appends && sink->fd >= 0 && fstat(sink->fd, &is) == 0 &&
                 S_ISREG(is.st_mode) && is.st_size == 0;
    if (sink->fd >= 0)
        close(sink->fd);
    if (empty)
        unlink(sink->path);
    if (sink->temporary)
        unlink(sink->temporary);
    sink->fd = -1;
    forget_temporary(sink);
}

int bx_sink_put(bx_cli *cli, const char *path, bool array, const bx_buf *text, bx_error *e)
{
    bx_sink sink = bx_sink_standard(cli, false);
    int code = path ? bx_sink_open(cli, path, &sink, e) : BX_OK;
    sink.array = array;
    if (!code)
        code = bx_sink_write(&sink, text, e);
    if (!code)
        code = bx_sink_keep(&sink, e);
    bx_sink_discard(&sink);
    return code;
}
