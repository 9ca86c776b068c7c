/* Compares each access with the next recorded one, and moves the recorded time. */
#include "host/register_log/replay.h"

#include "host/register_log/log_reader.h"
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct bx_replay {
    struct bx_bus bus; /* must be first: the bus is cast to its replay */
    bx_register_log from;
    bx_topology topology;
    uint64_t time; /* of the last line taken, or how far the machine has run since */
    int status;
};

static void take_record(bx_replay *r)
{
    bx_register_log_take(&r->from);
    if (r->from.at > r->time)
        r->time = r->from.at;
}

/* ---- accesses ---- */

static bool same(const bx_reglog_access *a, const bx_reglog_access *b)
{
    return a->at.space == b->at.space && a->at.offset == b->at.offset && a->write == b->write &&
           a->at.width == b->at.width && (a->at.space != BX_SPACE_MSR || a->at.cpu == b->at.cpu) &&
           (!a->write || a->value == b->value);
}

static const char another[] =
    "the file was changed, or recorded by a version that counts differently";

static void append_address(bx_buf *to, const bx_reglog_access *a)
{
    bx_reglog_address(to, a);
    if (a->write)
        bx_buf_f(to, " 0x%" PRIx64, a->value);
}

static int differs(bx_replay *r, const bx_reglog_access *requested)
{
    bx_buf text = {0};
    bx_buf_z(&text, "asked for '");
    append_address(&text, requested);
    bx_buf_z(&text, "', but recorded was ");
    if (r->from.kind == BX_RECORDED_ACCESS) {
        bx_buf_z(&text, "'");
        append_address(&text, &r->from.access);
        bx_buf_z(&text, "'");
    } else {
        bx_buf_z(&text, r->from.kind == BX_RECORDED_END ? "nothing more" : "that the work goes on");
    }
    bx_register_log_fail(&r->from, text.p ? text.p : "out of memory");
    bx_hint(&r->from.error, "%s", another);
    bx_buf_free(&text);
    return ECANCELED;
}

static int answer(bx_replay *r, const bx_reglog_access *requested, uint64_t *value)
{
    if (r->from.error.code)
        return ECANCELED;
    enum bx_recorded kind = bx_register_log_peek(&r->from);
    if (r->from.error.code)
        return ECANCELED;
    if (kind != BX_RECORDED_ACCESS || !same(requested, &r->from.access))
        return differs(r, requested);
    take_record(r);
    if (!r->from.access.faulted && value)
        *value = r->from.access.value;
    return r->from.access.err;
}

static bx_address reglog_address(const bx_address *at)
{
    bx_address a = *at;
    if (a.space == BX_SPACE_MSR)
        a.width = 64;
    return a;
}

static int read_replayed(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    return answer((bx_replay *)(void *)bus, &(bx_reglog_access){.at = reglog_address(at)}, value);
}

static int write_replayed(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    const bx_reglog_access requested = {.at = reglog_address(at), .write = true, .value = value};
    return answer((bx_replay *)(void *)bus, &requested, NULL);
}

/* ---- time ---- */

int bx_replay_run(bx_replay *r, uint64_t until, bool *done, bx_error *e)
{
    enum bx_recorded kind = r->from.error.code ? BX_RECORDED_END : bx_register_log_peek(&r->from);
    if (r->from.error.code) {
        if (e && e->code == BX_OK)
            *e = r->from.error;
        return r->from.error.code;
    }
    /* No further run was recorded: a signal ended the measurement. */
    *done = kind != BX_RECORDED_RUN;
    if (kind != BX_RECORDED_RUN)
        return BX_OK;
    /* A measurement runs in steps that depend on the speed of the computer, and only the last step
     * before an access has a line. So steps that end before the recorded limit only move the time;
     * a step that reaches it takes the line. */
    bool there = until >= r->from.until || until >= r->from.at || r->from.until <= r->time;
    if (!there) {
        if (until > r->time)
            r->time = until;
        return BX_OK;
    }
    *done = r->from.done;
    if (r->from.done)
        r->status = r->from.status;
    take_record(r);
    return BX_OK;
}

void bx_replay_read_clock(bx_replay *r)
{
    if (!r->from.error.code && bx_register_log_peek(&r->from) == BX_RECORDED_CLOCK)
        take_record(r);
}

uint64_t bx_replay_time(const bx_replay *r)
{
    return r->time;
}

int bx_replay_status(const bx_replay *r)
{
    return r->status;
}

int bx_replay_end(bx_replay *r, bool whole, bx_error *e)
{
    if (whole && !r->from.error.code && bx_register_log_peek(&r->from) != BX_RECORDED_END) {
        bx_register_log_fail(&r->from, "this was recorded, but the measurement is over");
        bx_hint(&r->from.error, "%s", another);
    }
    if (r->from.error.code && e)
        *e = r->from.error;
    return r->from.error.code;
}

/* ---- beginning ---- */

const bx_topology *bx_replay_topology(const bx_replay *r)
{
    return &r->topology;
}

bx_str bx_replay_note(const bx_replay *r, const char *key)
{
    for (bx_str rest = {r->from.head.p, r->from.head.n}; rest.p && rest.n;) {
        bx_str line = bx_str_cut(&rest, '\n');
        size_t n = strlen(key);
        if (line.n >= n + 4 && memcmp(line.p, "# ", 2) == 0 && memcmp(line.p + 2, key, n) == 0 &&
            memcmp(line.p + 2 + n, ": ", 2) == 0)
            return bx_str_sub(line, n + 4, line.n);
    }
    return (bx_str){0};
}

static void close_replay(struct bx_bus *bus)
{
    bx_replay *r = (bx_replay *)(void *)bus;
    bx_register_log_close(&r->from);
    free(r);
}

int bx_replay_new(const struct bx_catalog *c, const char *path, unsigned part, bx_replay **replay,
                  bx_error *e)
{
    bx_error own = {0};
    bx_replay *r = calloc(1, sizeof *r);
    if (!r)
        return bx_out_of_memory(e);
    r->bus = (struct bx_bus){.read = read_replayed, .write = write_replayed, .close = close_replay};
    int code = bx_register_log_open(&r->from, path, part, &own);
    if (code == BX_OK)
        code = bx_reglog_machine(c, (bx_str){r->from.head.p ? r->from.head.p : "", r->from.head.n},
                                 &r->topology, &own);
    if (code == BX_OK) {
        *replay = r;
        return BX_OK;
    }
    own.at = own.len = 0; /* the caller does not have the register log's lines */
    close_replay(&r->bus);
    bx_fail_as(e, &own);
    return code;
}

struct bx_bus *bx_replay_bus(bx_replay *r)
{
    return &r->bus;
}
