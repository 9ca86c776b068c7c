/* Memory: M-Boxes, their banks and their queues. */
#include "nhmex/machine.h"

/* Codes of the M-Box's events that happen in one cycle. For DRAM_CMD the bit is the command. */
enum {
    M_RETRY_MFULL = 0x02,
    M_REFRESH_CONFLICT = 0x07,
    M_DRAM_CMD = 0x0a,
    M_PAGE_MISS = 0x13,
    M_PAGE_HIT = 0x14,
    M_PAGE_EMPTY = 0x15,
    M_HEAT_CONFLICT = 0x19,
    M_BBOX_CMDS = 0x1a, /* bit: 1 read, 2 write */
    RAS = 0x02,
    PRE = 0x11,
    CAS_RD_OPN = 0x03,
    CAS_WR_OPN = 0x04,
};

static unsigned writes_queued(const struct mbox *m, uint64_t t)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->writes.n; i++)
        n += m->writes.entry[i].begin <= t && t < m->writes.entry[i].end;
    return n;
}

static void command(struct nhmex_oracle *o, struct mbox *m, unsigned which, enum m_mode mode)
{
    nhmex_count(o, &m->counts, M_DRAM_CMD, which, 1);
    nhmex_count(o, &m->by_mode[mode], M_DRAM_CMD, which, 1);
}

/* "Reads first", "Adaptive": an access at t waits until all that are in the other queue have left
 * it. */
static uint64_t priority(const struct nhmex_oracle *o, const struct mbox *m, bool write,
                         bool many_writes, uint64_t t)
{
    const struct resource *others = write ? &m->reads : &m->writes;
    bool waits = o->times.m_read_first ? write : o->times.m_adaptive ? write != many_writes : false;

    for (size_t i = 0; waits && i < others->n; i++)
        t = later(t, others->entry[i].end);
    return t;
}

/* "Adaptive paging": the next access follows what this one has changed. */
static void adapt(struct nhmex_oracle *o, struct mbox *m, bool same)
{
    m->score = same ? m->score + 1 : m->score - 1;
    m->score = m->score > 15 ? 15 : m->score < 0 ? 0 : m->score;
    if (m->score != (m->closes ? 15 : 0))
        return;
    m->closes = !m->closes;
    nhmex_log(&m->policy,
              (struct instant){.time = o->now, .code = 0x16, .bit = 1u << !m->closes, .amount = 1});
}

/* Converts memory clocks and ns to whole cycles; gives the plain rule's times without DRAM. */
static uint64_t clocks(const struct nhmex_oracle *o, uint64_t n, uint64_t instead)
{
    return o->dram.rate ? oracle_dram_cycles_of_clocks(&o->dram, o->hz, n) : instead;
}

static uint64_t ns(const struct nhmex_oracle *o, uint64_t n, uint64_t instead)
{
    return o->dram.rate ? oracle_dram_cycles_of_ns(o->hz, n) : instead;
}

uint64_t nhmex_refresh_every(const struct nhmex_oracle *o)
{
    return ns(o, o->dram.refi, 16384);
}

static unsigned bank_and_row(const struct nhmex_oracle *o, uint64_t line, uint64_t *row)
{
    uint64_t page = line / 64 / o->packages; /* of those of its home */
    if (o->divided)
        page = (line - nhmex_home_package(o, line) * nhmex_node_lines(o)) / 64;
    uint64_t number = page * 32 + line % 64 / 4 * 2 + line % 2;
    uint64_t lines = o->dram.row_bytes / 64 * o->dram.channels, banks = o->dram.banks;

    if (!o->dram.rate) {
        *row = line / 4096;
        return (unsigned)(line / 128 % 32);
    }
    *row = number / lines / banks / o->dram.ranks;
    return (unsigned)(number / lines / banks % o->dram.ranks * banks +
                      (number / lines ^ *row) % banks);
}

/* Whether a module is above the highest mark, or was the last to be so. */
static bool hot(const struct nhmex_oracle *o, uint64_t t)
{
    uint64_t period = o->times.m_heat, into = period > 0 ? t % period : 0;

    return period > 0 && into >= period * 4 / 10 && into < period * 6 / 10 + 3 * (period / 40);
}

uint64_t nhmex_memory(struct nhmex_oracle *o, uint64_t line, bool write, uint64_t t)
{
    struct mbox *m = &o->package[nhmex_home_package(o, line)].mbox[nhmex_home_side(line)];
    struct resource *queue = write ? &m->writes : &m->reads;
    uint64_t row, every = nhmex_refresh_every(o), refresh = ns(o, o->dram.rfc, 256);
    struct bank *bank = &m->bank[bank_and_row(o, line, &row)];
    bool many_writes = writes_queued(m, o->now) >= o->times.m_write_mark;
    enum m_mode mode = o->times.m_read_first ? M_READS
                       : o->times.m_adaptive ? M_ADAPTIVE
                       : many_writes         ? M_WRITES
                                             : M_TRADE_OFF;
    size_t entry = nhmex_put_open(o, queue, t);
    uint64_t arrived = queue->entry[entry].begin;

    if (!write && arrived > t)
        nhmex_count(o, &m->counts, M_RETRY_MFULL, 1, 1);
    nhmex_count(o, &m->counts, M_BBOX_CMDS, write ? 2 : 1, 1);
    t = priority(o, m, write, many_writes, arrived + o->times.m_decode);
    t = later(t, bank->free);
    if (every > 0 && t >= every && t % every < refresh) {
        nhmex_count(o, &m->counts, M_REFRESH_CONFLICT, 1, 1);
        t += refresh - t % every;
    }
    uint64_t scrub = o->times.m_patrol,
             scrubs = clocks(o, o->dram.cl, 14) +
                      (o->dram.rate ? clocks(o, 4 / o->dram.channels, 0) : 4);
    if (scrub > 0 && t >= scrub && t % scrub < scrubs)
        t += scrubs - t % scrub;
    if (hot(o, t) && t % 32 >= 16) {
        nhmex_count(o, &m->counts, M_HEAT_CONFLICT, 1, 1);
        t += 32 - t % 32;
    }
    bool closes = m->closes, closed = bank->closed;
    bool open = !closed && bank->used && (every == 0 || bank->refreshes == t / every);
    bool same = open && bank->row == row;
    nhmex_count(o, &m->counts, same ? M_PAGE_HIT : open ? M_PAGE_MISS : M_PAGE_EMPTY, 1, 1);
    if (o->times.m_adaptive_pages && bank->used)
        adapt(o, m, bank->row == row);
    bank->closed = closes;
    bank->used = true;
    bank->row = row;
    bank->refreshes = every > 0 ? t / every : 0;
    if (open && !same) {
        command(o, m, PRE, mode);
        t = later(t, bank->may_close) + clocks(o, o->dram.rp, 12);
    }
    if (closed)
        t = later(t, bank->may_open);
    if (!same) {
        command(o, m, RAS, mode);
        bank->may_close = t + clocks(o, o->dram.ras, 0);
        t += clocks(o, o->dram.rcd, 12);
    }
    command(o, m, (write ? CAS_WR_OPN : CAS_RD_OPN) + (closes ? 2 : 0), mode);
    uint64_t cas = clocks(o, o->dram.cl, write ? 8 : 14);
    uint64_t burst = o->dram.rate ? clocks(o, 4 / o->dram.channels, 0) : 4;
    const struct entry *bus = nhmex_put(o, &m->bus, t + cas, (int)burst);
    struct entry *inflight = nhmex_put(o, &m->inflight, arrived, (int)(bus->begin - arrived));
    inflight->kind = write;
    queue->entry[entry].end = bus->end;
    bank->free = o->dram.rate ? bus->begin - cas + burst : bus->end;
    bank->may_close = later(bank->may_close, write ? bus->end + clocks(o, o->dram.wr, 0)
                                                   : bus->begin - cas + clocks(o, o->dram.rtp, 0));
    bank->may_open = bank->may_close + clocks(o, o->dram.rp, 12);
    uint64_t answered = bus->end + o->times.m_answer + ns(o, o->dram.transit, 0);
    o->end = later(o->end, answered);
    return answered;
}
