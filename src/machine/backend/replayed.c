/* The backend of a replay: a register log replaces a machine's registers, work and clock. */
#include "host/register_log/replay.h"
#include "seam/bus.h"
#include "machine/backend/backend.h"

static int run_replayed(bx_backend *b, uint64_t until, bool *done, bx_error *e)
{
    int code = bx_replay_run(b->replay, until, done, e);
    b->ended.status = bx_replay_status(b->replay);
    return code;
}

static uint64_t now(const bx_backend *b)
{
    return bx_replay_time(b->replay);
}

static void read_clock(bx_backend *b)
{
    bx_replay_read_clock(b->replay);
}

static bx_str note(const bx_backend *b, const char *key)
{
    return bx_replay_note(b->replay, key);
}

static int finish_replayed(bx_backend *b, bool whole, bx_error *e)
{
    return bx_replay_end(b->replay, whole, e);
}

/* A recorded virtual machine keeps its model, which knows the events that it produces. */
bx_backend *bx_backend_replayed(const struct bx_catalog *c, const bx_machine_options *o,
                                unsigned part, bx_error *e)
{
    bx_replay *replay;
    if (bx_replay_new(c, o->replay, part, &replay, e) != BX_OK)
        return NULL;
    const bx_topology *t = bx_replay_topology(replay);
    struct bx_bus *bus = bx_replay_bus(replay);
    bx_backend *b = t->is_this_machine ? bx_backend_no_host(t, e) : bx_backend_virtual(t, o, e);
    if (!b) {
        bus->close(bus);
        return NULL;
    }
    b->replay = replay;
    b->bus = bus;
    b->can.is_recorded = true;
    b->calls.run = run_replayed;
    b->calls.now = now;
    b->calls.read_clock = read_clock;
    b->calls.note = note;
    b->calls.finish = finish_replayed;
    return b;
}
