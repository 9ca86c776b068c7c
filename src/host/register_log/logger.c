/* Writes the lines of a register log, and gives the file its name at the end. */
#include "host/register_log/logger.h"

#include "host/system/file.h"
#include "base/error.h"
#include "reglog/reglog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FULL = 64 * 1024 }; /* most bytes that wait to be written */

struct bx_register_logger {
    struct bx_bus bus; /* must be first: the bus is cast to its logger */
    struct bx_bus *next;
    char *path;
    char *part;   /* temporary file, renamed to path at the end; NULL: path itself is written */
    int fd;       /* -1: ended */
    int err;      /* errno of the first write that failed */
    bool foreign; /* something else has the temporary file's name */
    bx_buf text;
    uint64_t (*clock)(const void *of);
    const void *of;
    uint64_t origin; /* the clock's time when the log began */
    uint64_t time;   /* of the last line, by the clock */
    bool ran; /* a line about a run is pending: of several runs in a row only the last is written */
    char run[128];
};

/* ---- the file ---- */

static int fail(bx_register_logger *r, bx_error *e)
{
    if (r->err == ENOMEM)
        return bx_out_of_memory(e);
    if (r->foreign) {
        bx_fail(e, BX_SYSTEM, 0, 0,
                "the register log '%.120s' cannot be written: '%.120s.part' is not a regular file "
                "of ours",
                r->path, r->path);
        bx_hint(e, "remove that, or record to another file");
        return BX_SYSTEM;
    }
    bx_fail(e, BX_SYSTEM, 0, 0, "the register log '%.120s' cannot be written: %s", r->path,
            strerror(r->err));
    if (r->err == ENOSPC || r->err == EDQUOT)
        bx_hint(e, "make room there, or record to another file");
    return BX_SYSTEM;
}

static void flush(bx_register_logger *r)
{
    if (r->text.failed && !r->err)
        r->err = ENOMEM;
    if (!r->err && r->text.n && r->fd >= 0)
        r->err = bx_file_write(r->fd, r->text.p, r->text.n);
    r->text.n = 0;
}

/* Another user may have put a link there, so that we would write another file. */
static bool is_ours(const struct stat *about)
{
    return S_ISREG(about->st_mode) && about->st_nlink == 1 && about->st_uid == geteuid();
}

/* Fails if another process writes the same file, or has given it its final name since we opened
 * it. */
static int lock_and_clear(bx_register_logger *r)
{
    struct stat about, named;
    if (fstat(r->fd, &about))
        return errno;
    if (about.st_nlink == 0) /* another process finished it, and it was replaced */
        return EBUSY;
    r->foreign = !is_ours(&about);
    if (r->foreign)
        return EPERM;
    if (flock(r->fd, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK ? EBUSY : errno;
    if (lstat(r->part, &named) || named.st_ino != about.st_ino || named.st_dev != about.st_dev)
        return EBUSY;
    return ftruncate(r->fd, 0) ? errno : 0;
}

static int open_path(bx_register_logger *r, unsigned part)
{
    struct stat old;
    bool plain = stat(r->path, &old) ? errno == ENOENT : S_ISREG(old.st_mode);
    if (!plain || part > 0) {
        r->fd = open(r->path, O_WRONLY | O_APPEND | O_CLOEXEC);
        return r->fd < 0 ? errno : 0;
    }
    size_t room = strlen(r->path) + sizeof ".part";
    r->part = malloc(room);
    if (!r->part)
        return ENOMEM;
    snprintf(r->part, room, "%s.part", r->path);
    r->fd = open(r->part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    int err = r->fd < 0 ? errno : lock_and_clear(r);
    r->foreign |= err == ELOOP || err == ENXIO; /* a link, a pipe */
    if (err) {                                  /* the file is another process's */
        free(r->part);
        r->part = NULL;
    }
    return err;
}

void bx_register_logger_drop(bx_register_logger *r)
{
    if (r->fd < 0)
        return;
    if (r->part)
        unlink(r->part);
    close(r->fd);
    r->fd = -1;
}

int bx_register_logger_end(bx_register_logger *r, bx_error *e)
{
    if (r->fd < 0)
        return BX_OK;
    flush(r);
    if (r->part && !r->err && fsync(r->fd))
        r->err = errno;
    if (r->part && !r->err && rename(r->part, r->path))
        r->err = errno;
    if (r->part && r->err)
        unlink(r->part);
    if (close(r->fd) && !r->err)
        r->err = errno;
    r->fd = -1;
    return r->err ? fail(r, e) : BX_OK;
}

/* ---- lines ---- */

static uint64_t since_start(const bx_register_logger *r, uint64_t time)
{
    return time > r->origin ? time - r->origin : 0;
}

/* Times in a file never decrease, even if the clock does. */
static void take_time(bx_register_logger *r)
{
    uint64_t now = r->clock(r->of);
    if (now > r->time)
        r->time = now;
}

static void write_run(bx_register_logger *r)
{
    if (r->ran)
        bx_buf_z(&r->text, r->run);
    r->ran = false;
}

static void record_access(bx_register_logger *r, const bx_address *at, bool write, uint64_t value,
                          int err)
{
    if (r->fd < 0 || r->err)
        return;
    write_run(r);
    take_time(r);
    const bx_reglog_access a = {.at = *at,
                                .write = write,
                                .faulted = err != 0,
                                .err = err,
                                .value = err && !write ? 0 : value,
                                .timed = true,
                                .time = since_start(r, r->time)};
    bx_reglog_line(&r->text, &a);
    if (r->text.n >= FULL)
        flush(r);
}

static int read_recorded(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    bx_register_logger *r = (bx_register_logger *)(void *)bus;
    int err = r->next->read(r->next, at, value);
    record_access(r, at, false, err ? 0 : *value, err);
    return err;
}

static int write_recorded(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    bx_register_logger *r = (bx_register_logger *)(void *)bus;
    int err = r->next->write(r->next, at, value);
    record_access(r, at, true, value, err);
    return err;
}

static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    bx_register_logger *r = (bx_register_logger *)(void *)bus;
    size_t done = r->next->read_many(r->next, at, values, n, err);
    for (size_t i = 0; i < done; i++)
        record_access(r, &at[i], false, values[i], 0);
    if (done < n)
        record_access(r, &at[done], false, 0, *err);
    return done;
}

void bx_register_logger_note(bx_register_logger *r, const char *note)
{
    if (r->fd < 0)
        return;
    write_run(r);
    bx_buf_f(&r->text, "# %s\n", note);
    flush(r);
}

int bx_register_logger_ran(bx_register_logger *r, uint64_t until, bool done, int status,
                           bx_error *e)
{
    if (r->fd < 0)
        return BX_OK;
    take_time(r);
    uint64_t now = since_start(r, r->time);
    char limit[40] = "", end[24] = "";
    if (until != UINT64_MAX)
        snprintf(limit, sizeof limit, " until %" PRIu64, since_start(r, until));
    if (done)
        snprintf(end, sizeof end, " status %d", status);
    snprintf(r->run, sizeof r->run, "# ran%s @%" PRIu64 "%s%s\n", done ? " to the end" : "", now,
             limit, end);
    r->ran = true;
    flush(r);
    return r->err ? fail(r, e) : BX_OK;
}

void bx_register_logger_read_clock(bx_register_logger *r)
{
    if (r->fd < 0)
        return;
    write_run(r);
    take_time(r);
    bx_buf_f(&r->text, "# looked @%" PRIu64 "\n", since_start(r, r->time));
}

uint64_t bx_register_logger_time(const bx_register_logger *r)
{
    return r->fd < 0 ? r->clock(r->of) : r->time;
}

/* ---- beginning and end ---- */

static void write_head(bx_register_logger *r, const bx_register_logger_options *o)
{
    bx_buf_f(&r->text, "# boxscore recording 1, part %u\n", o->part + 1);
    bx_reglog_header(&r->text, o->topology, "boxscore " BX_VERSION);
    bx_buf_f(&r->text, "# time: after '@', %s since the log began\n",
             o->topology->is_this_machine ? "ns" : "cycles");
    for (bx_str rest = bx_str_of(o->notes); rest.p && rest.n;) {
        bx_buf_z(&r->text, "# ");
        bx_buf_str(&r->text, bx_str_cut(&rest, '\n'));
        bx_buf_z(&r->text, "\n");
    }
}

static void release(bx_register_logger *r)
{
    bx_buf_free(&r->text);
    free(r->part);
    free(r->path);
    free(r);
}

static void close_logger(struct bx_bus *bus)
{
    bx_register_logger *r = (bx_register_logger *)(void *)bus;
    bx_register_logger_end(r, NULL);
    r->next->close(r->next);
    release(r);
}

int bx_register_logger_new(const bx_register_logger_options *o, struct bx_bus *next,
                           bx_register_logger **logger, bx_error *e)
{
    bx_register_logger *r = calloc(1, sizeof *r);
    char *path = strdup(o->path);
    if (!r || !path) {
        free(path);
        free(r);
        return bx_out_of_memory(e);
    }
    *r = (bx_register_logger){
        .bus = {read_recorded, write_recorded, close_logger, next->read_many ? read_many : NULL},
        .next = next,
        .path = path,
        .fd = -1,
        .clock = o->clock,
        .of = o->of,
        .origin = o->clock(o->of),
    };
    r->time = r->origin;
    r->err = open_path(r, o->part);
    if (!r->err) {
        write_head(r, o);
        flush(r);
    }
    if (!r->err) {
        *logger = r;
        return BX_OK;
    }
    int code = fail(r, e);
    bx_register_logger_drop(r);
    release(r);
    return code;
}

struct bx_bus *bx_register_logger_bus(bx_register_logger *r)
{
    return &r->bus;
}
