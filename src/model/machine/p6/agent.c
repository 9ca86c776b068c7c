/* The agent of input and output (I/O) on the front-side bus. */
#include "model/machine/p6/machine.h"

/* Sets the time of the I/O agent's next request: after its cost, and after the last one is done. */
static void wait_for_turn(struct bx_p6 *m, uint64_t from)
{
    struct bx_p6_io *io = &m->io;

    enum bx_feed_state state =
        io->feed->next != io->feed->end ? BX_FEED_MORE : io->feed->refill(io->feed);
    io->waiting = state == BX_FEED_MORE;
    io->parked = state == BX_FEED_WAITS;
    if (io->waiting)
        io->due = bx_later(from + bx_access_cost(*io->feed->next), io->end);
}

void bx_p6_io_feed(struct bx_p6 *m, bx_feed *feed)
{
    m->io.feed = feed;
    m->io.waiting = m->io.parked = false;
    if (feed)
        wait_for_turn(m, m->model.time.now);
}

void bx_p6_io_wake(struct bx_p6 *m)
{
    if (m->io.parked)
        wait_for_turn(m, m->model.time.now);
}

void bx_p6_io_step(struct bx_p6 *m)
{
    bx_access a = *m->io.feed->next++;
    uint64_t line = bx_access_line(a), now = m->model.time.now;

    bool write = bx_access_kind_of(a) == BX_STORE;
    struct bx_p6_snoop_response answer = bx_p6_snoop(m, line, write);
    m->io.end = write ? bx_p6_bus_io_write(m, answer, a & BX_ACCESS_PARTIAL, now)
                      : bx_p6_bus_io_read(m, answer, now);
    m->model.accesses++;
    wait_for_turn(m, now);
}

void bx_p6_io_pause(struct bx_p6 *m, uint64_t until)
{
    m->io.due = bx_later(m->io.due, until);
}
