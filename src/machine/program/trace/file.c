/* A trace file on disk, or in a pipe. */
#include "machine/program/trace/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bx_trace_file {
    int fd;
    char *path;
    bx_tracefile_reader *reader;
};

static size_t read_some(void *context, void *to, size_t n, int *err)
{
    const bx_trace_file *f = context;
    ssize_t got;
    do
        got = read(f->fd, to, n);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        *err = errno;
    return got < 0 ? 0 : (size_t)got;
}

/* Copies the reader's error, with the file's name in front. */
static int named(const bx_trace_file *f, const bx_error *own, bx_error *e)
{
    if (own->code == BX_NO_MEMORY) {
        *e = *own;
        return own->code;
    }
    bx_fail(e, own->code, 0, 0, "'%s': %s", f->path, own->message);
    if (*own->hint)
        bx_hint(e, "%s", own->hint);
    return own->code;
}

static int begin_file(bx_trace_file *f, const char *path, bx_error *e)
{
    char reason[128];
    bx_error own = {0};
    f->path = strdup(path);
    if (!f->path)
        return bx_out_of_memory(e);
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return bx_fail(e, bx_code_of(errno), 0, 0, "'%s': %s", path,
                       strerror_r(errno, reason, sizeof reason));
    int code = bx_tracefile_reader_new((bx_tracefile_source){read_some, f}, &f->reader, &own);
    return code == BX_OK ? BX_OK : named(f, &own, e);
}

int bx_trace_file_open(const char *path, bx_trace_file **f, bx_error *e)
{
    bx_trace_file *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->fd = -1;
    int code = begin_file(made, path, e);
    if (code == BX_OK)
        *f = made;
    else
        bx_trace_file_close(made);
    return code;
}

void bx_trace_file_close(bx_trace_file *f)
{
    if (!f)
        return;
    bx_tracefile_reader_free(f->reader);
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    free(f);
}

int bx_trace_file_next(bx_trace_file *f, bx_tracefile_part *part, bx_error *e)
{
    bx_error own = {0};
    int code = bx_tracefile_next(f->reader, part, &own);
    return code == BX_OK ? BX_OK : named(f, &own, e);
}

void bx_trace_file_watch(bx_trace_file *f, bx_tracefile_note *note, void *context)
{
    bx_tracefile_watch(f->reader, note, context);
}

void *bx_trace_file_take_words(bx_trace_file *f)
{
    return bx_tracefile_take_words(f->reader);
}

const bx_tracefile_reader *bx_trace_file_reader(const bx_trace_file *f)
{
    return f->reader;
}
