/* The memory of the nodes: the channels, with or without DRAM. */
#include "model/machine/ivbep/machine.h"

#include "model/part/plain_memory.h"

static void count_request(struct bx_ivbep_channel *channel, bool write)
{
    channel->reads += !write;
    channel->writes += write;
    channel->changes++;
}

static uint64_t read_line(struct bx_ivbep *m, struct bx_dram *dram,
                          struct bx_ivbep_channel *channel, uint64_t number, uint64_t t)
{
    uint64_t done = bx_dram_read(dram, number, t);
    bx_dram_time now = m->model.time.now << BX_DRAM_TIME_BITS;

    for (unsigned i = 0; i < 2; i++)
        bx_gauge_put(&channel->waiting[i], &m->model.memory, bx_ivbep_before(dram, i, now),
                     bx_ivbep_before(dram, i, dram->waits),
                     bx_ivbep_before(dram, i, dram->commanded));
    return done;
}

/* Executes a request that is at the node's controller at t. Returns the time when it is done
 * there. */
static uint64_t use_channel(struct bx_ivbep *m, unsigned node, uint64_t line, bool write,
                            uint64_t t)
{
    struct bx_ivbep_channel *channel = &m->channel[node][line % m->channels];

    count_request(channel, write);
    if (m->has_dram) {
        uint64_t number = bx_ivbep_line_at_node(m, line);
        return write ? bx_dram_write(&m->dram[node], number, t)
                     : read_line(m, &m->dram[node], channel, number, t);
    }
    return bx_plain_memory(&m->times, &channel->free_at, write, t);
}

uint64_t bx_ivbep_memory(struct bx_ivbep *m, unsigned package, uint64_t line, bool write,
                         uint64_t t)
{
    unsigned node = bx_ivbep_node(m, line);

    if (node == package)
        return use_channel(m, node, line, write, t);
    if (write)
        return use_channel(m, node, line, true, bx_link_send(&m->link, package, false, t)) +
               m->link.latency;
    return bx_link_send(&m->link, node, false,
                        use_channel(m, node, line, false, t + m->link.latency));
}
