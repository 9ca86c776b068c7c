/* Reads lackey's text from a pipe. */
#include "machine/program/trace/source.h"

#include "machine/program/decode/lackey.h"
#include "machine/program/process/traced_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT = 64 << 10,
    PIPE_BYTES = 1 << 20,
    SHORTEST_NAP = 1, /* ms */
    LONGEST_NAP = 16,
};

typedef struct lackey_source {
    bx_trace_source base;
    bx_lackey lackey;
    int pipe; /* read end; -1: closed */
    unsigned nap;
    bool ended;
    size_t from, have; /* the text that is not parsed yet */
    char text[TEXT];
    char malformed[160];
} lackey_source;

/* Moves the unparsed text to the front and reads more after it. false: there is none. */
static bool read_more(lackey_source *s)
{
    s->have -= s->from;
    memmove(s->text, s->text + s->from, s->have);
    s->from = 0;
    if (s->have == TEXT) { /* and it has no newline */
        bx_lackey_reject(&s->lackey, (bx_str){s->text, TEXT});
        s->have = 0;
    }
    ssize_t n = read(s->pipe, s->text + s->have, TEXT - s->have);
    s->have += n > 0 ? (size_t)n : 0;
    return n > 0;
}

static size_t read_text(bx_trace_source *source, bx_access *to, size_t room)
{
    lackey_source *s = (lackey_source *)source;
    size_t n = 0;
    do
        s->from += bx_lackey_read(&s->lackey, s->text + s->from, s->have - s->from, to, room, &n);
    while (n == 0 && read_more(s));
    if (n)
        s->nap = SHORTEST_NAP;
    return n;
}

/* Sleeps instead of waiting for the pipe: lackey then need not wake us at each line. */
static void sleep_a_little(bx_trace_source *source)
{
    lackey_source *s = (lackey_source *)source;
    nanosleep(&(struct timespec){.tv_nsec = s->nap * 1000000L}, NULL);
    s->nap = s->nap < LONGEST_NAP ? s->nap * 2 : s->nap;
}

/* Does not wait for the pipe's end: a daemon that the program started may keep it open for ever. */
static size_t read_rest(bx_trace_source *source, bx_access *to, size_t room)
{
    lackey_source *s = (lackey_source *)source;
    size_t n = s->ended ? 0 : read_text(source, to, room);
    if (n == 0 && !s->ended) {
        s->ended = true;
        n = bx_lackey_end(&s->lackey, to);
    }
    return n;
}

static const char *malformed(bx_trace_source *source)
{
    lackey_source *s = (lackey_source *)source;
    if (s->lackey.malformed == 0)
        return NULL;
    snprintf(s->malformed, sizeof s->malformed, "%" PRIu64 " lines, the first '%s'",
             s->lackey.malformed, s->lackey.malformed_line);
    return s->malformed;
}

static bool has_end(const bx_trace_source *source)
{
    return ((const lackey_source *)source)->lackey.ended;
}

static void free_lackey(bx_trace_source *source)
{
    lackey_source *s = (lackey_source *)source;
    if (s->pipe >= 0)
        close(s->pipe);
    if (s->base.fd >= 0)
        close(s->base.fd);
    free(s);
}

/* Opens a pipe with high descriptor numbers, away from the program's own. */
static bool open_pipe(lackey_source *s)
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    s->pipe = fcntl(low[0], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    s->base.fd = fcntl(low[1], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    bool opened = s->pipe >= 0 && s->base.fd >= 0 && fcntl(s->pipe, F_SETFL, O_NONBLOCK) == 0;
    int err = errno;
    close(low[0]);
    close(low[1]);
    errno = err;
    /* Lackey writes line by line, so it waits less with a larger pipe. A smaller one works, too. */
    fcntl(s->pipe, F_SETPIPE_SZ, PIPE_BYTES);
    return opened;
}

bx_trace_source *bx_lackey_source(struct bx_frames *frames, bx_ratio slot,
                                  bx_retired_table *retired)
{
    lackey_source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base = (bx_trace_source){.fd = -1,
                                .read = read_text,
                                .wait = sleep_a_little,
                                .rest = read_rest,
                                .malformed = malformed,
                                .has_end = has_end,
                                .free = free_lackey};
    s->lackey.frames = frames;
    s->lackey.slot = slot;
    s->pipe = -1;
    s->nap = SHORTEST_NAP;
    bool counts = bx_lackey_count(&s->lackey, retired, &s->base.retires);
    errno = ENOMEM;
    if (!counts || !open_pipe(s)) {
        int err = errno;
        free_lackey(&s->base);
        errno = err;
        return NULL;
    }
    return &s->base;
}
