/* Queues, TOR and memory of Ivy Bridge-EP. */
#include "machine.h"

#include <stdlib.h>

/* ---- "Memory" ---- */

static uint64_t at_controller(struct ivbep_oracle *o, unsigned node, uint64_t line, uint64_t t,
                              bool write)
{
    uint64_t *channel = &o->channel_free[node][line % o->channels];

    if (o->dram[node]) {
        uint64_t page = line / 64 / o->packages; /* of those at the node */
        if (o->divided && o->packages == 2)
            page = (line - node * NODE_LINES) / 64;
        return oracle_dram_request(o->dram[node], page * 64 + line % 64, write, t);
    }
    uint64_t start = later(t + o->times.memory_transit, *channel);

    *channel = start + o->times.memory_transfer;
    return start + (write ? o->times.memory_transfer : o->times.memory_read);
}

uint64_t ivbep_over_link(struct ivbep_oracle *o, unsigned from, bool modified, uint64_t ready)
{
    enum { PARTS = 256, LINE = 64, MILLION = 1000000 };
    uint64_t takes = modified && o->times.link_modified ? o->times.link_modified : o->times.link;
    uint64_t rate = (uint64_t)o->times.link_rate * MILLION;

    if (rate == 0)
        return ready + takes;
    uint64_t length = (LINE * o->hz * PARTS + rate - 1) / rate;
    uint64_t begin = single_gap(&o->way[from], ready * PARTS, length);
    single_use(&o->way[from], begin, begin + length, length);
    return (begin + PARTS - 1) / PARTS + takes;
}

uint64_t ivbep_memory(struct ivbep_oracle *o, const struct request *r, uint64_t t, bool write)
{
    unsigned node = node_of(o, r->line), package = r->slice->package;
    uint64_t done;

    if (node == package)
        done = at_controller(o, node, r->line, t, write);
    else if (write)
        done = at_controller(o, node, r->line, ivbep_over_link(o, package, false, t), true) +
               o->times.link;
    else
        done = ivbep_over_link(o, node, false,
                               at_controller(o, node, r->line, t + o->times.link, false));
    ivbep_count_in_memory(o, node, r->line, write, r->t);
    return done;
}

/* ---- "Ways into the TOR" ---- */

enum which { OF_LINE, ALL, MISS_TO_OTHER_NODE, MISS, THAT_WRITES };

static bool is(const struct entry *entry, enum which which, uint64_t line)
{
    switch (which) {
    case OF_LINE:
        return entry->line == line;
    case MISS_TO_OTHER_NODE:
        return entry->miss && entry->other_node;
    case MISS:
        return entry->miss;
    case THAT_WRITES:
        return entry->writes;
    default:
        return true;
    }
}

/* If at least `most` such entries are active at x: when the first of them ends; else 0. */
static uint64_t blocked_until(const struct slice *slice, enum which which, uint64_t line,
                              unsigned most, uint64_t x)
{
    unsigned n = 0;
    uint64_t until = BX_NEVER;

    for (size_t i = 0; i < slice->entries; i++) {
        const struct entry *entry = &slice->entry[i];
        if (!is(entry, which, line) || x < entry->begin || x >= entry->end)
            continue;
        n++;
        if (entry->end < until)
            until = entry->end;
    }
    return n >= most ? until : 0;
}

static uint64_t blocked(const struct ivbep_oracle *o, const struct request *r, uint64_t x,
                        enum reason *why)
{
    uint64_t until;

    *why = ADDR_CONFLICT;
    if ((until = blocked_until(r->slice, OF_LINE, r->line, 1, x)) != 0)
        return until;
    *why = FULL;
    if ((until = blocked_until(r->slice, ALL, 0, o->times.tor, x)) != 0)
        return until;
    if (!r->miss)
        return 0;
    *why = QPI_CREDITS;
    if (node_of(o, r->line) != r->slice->package &&
        (until = blocked_until(r->slice, MISS_TO_OTHER_NODE, 0, o->times.qpi_credits, x)) != 0)
        return until;
    *why = RTID;
    return blocked_until(r->slice, MISS, 0, o->times.rtids, x);
}

static void count_retry(struct ivbep_oracle *o, const struct request *r, enum queue queue,
                        enum reason why)
{
    ivbep_count(o, r->slice, (struct cell){.what = RETRY, .first = queue, .second = ANY}, r->t);
    ivbep_count(o, r->slice, (struct cell){.what = RETRY, .first = queue, .second = why}, r->t);
}

static void count_queue(struct ivbep_oracle *o, const struct request *r, enum queue queue,
                        uint64_t begin, uint64_t end)
{
    struct cell cell = {.what = QUEUE, .first = queue};

    ivbep_count(o, r->slice, cell, r->t);
    ivbep_live(o, r->slice, cell, begin, end);
}

uint64_t ivbep_enter_tor(struct ivbep_oracle *o, const struct request *r, enum queue queue,
                         uint64_t begin)
{
    bool device = queue == VFIFO;
    uint64_t first = begin + o->times.tor_queue, x = first, until;
    enum reason why;

    if (device)
        queue = IRQ;
    for (;;) {
        ivbep_count(o, r->slice, (struct cell){.what = MISC, .first = STARTED}, r->t);
        until = blocked(o, r, x, &why);
        if (until == 0)
            break;
        count_retry(o, r, queue, why);
        x = until;
    }
    count_queue(o, r, queue, begin, x);
    if (queue == IRQ && x > first)
        count_queue(o, r, IRQ_REJECTED, first, x);
    if (device)
        count_queue(o, r, VFIFO, begin, x);
    return x;
}

uint64_t ivbep_begin_eviction(struct ivbep_oracle *o, const struct request *r, uint64_t a)
{
    uint64_t until;

    while ((until = blocked_until(r->slice, THAT_WRITES, 0, o->times.wb_credits, a)) != 0) {
        count_retry(o, r, ISMQ, WB_CREDITS);
        a = until;
    }
    return a;
}

/* No later call needs entries before the present request's time. */
static void forget(struct slice *slice, uint64_t t)
{
    size_t kept = 0;

    for (size_t i = 0; i < slice->entries; i++)
        if (slice->entry[i].end > t)
            slice->entry[kept++] = slice->entry[i];
    slice->entries = kept;
}

void ivbep_live_in_tor(struct ivbep_oracle *o, const struct request *r, uint64_t begin,
                       uint64_t end)
{
    struct slice *slice = r->slice;
    unsigned node = node_of(o, r->line);
    struct cell cell = {TOR, r->what, r->miss, node, r->who};

    forget(slice, r->t);
    if (slice->entries == slice->entry_room) {
        slice->entry_room = slice->entry_room * 2 + 64;
        slice->entry = ivbep_need(realloc(slice->entry, slice->entry_room * sizeof *slice->entry));
    }
    slice->entry[slice->entries++] =
        (struct entry){begin, end, r->line, r->what, r->miss, node != slice->package, r->writes};
    ivbep_count(o, slice, cell, r->t);
    ivbep_live(o, slice, cell, begin, end);
}
