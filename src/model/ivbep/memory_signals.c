/* What a selection of a memory channel counts: docs/explanation/model-ivbep.md, "Signals of the
 * memory channels". */
#include "model/ivbep/machine.h"

enum {
    DCLOCKTICKS = 0x00,
    ACT_COUNT = 0x01,
    PRE_COUNT = 0x02,
    CAS_COUNT = 0x04,
    RPQ_INSERTS = 0x10,
    RPQ_CYCLES_NE = 0x11,
    WPQ_INSERTS = 0x20,
    RD_CAS_RANK0 = 0xb0,
    WR_CAS_RANK0 = 0xb8,
    WR_CAS_RANK7 = 0xbf,
    CLOCKTICKS = 0xff, /* of the fixed counter */
};

enum { READS = 1, WRITES = 2 };

/* Bits of a unit mask that select reads, that select writes, and that select nothing. kinds_of()
 * returns false for any other bit. */
struct kinds {
    unsigned of_reads, of_writes, of_none;
};

static bool kinds_of(uint32_t umask, struct kinds k, unsigned *kinds)
{
    *kinds = (umask & k.of_reads ? READS : 0) | (umask & k.of_writes ? WRITES : 0);
    return !(umask & ~(k.of_reads | k.of_writes | k.of_none));
}

static uint64_t sum_by_kind(const uint64_t count[BX_DRAM_PURPOSES], unsigned kinds)
{
    return (kinds & READS ? count[BX_DRAM_FOR_READ] : 0) +
           (kinds & WRITES ? count[BX_DRAM_FOR_WRITE] : 0);
}

static bool is_clock(unsigned code)
{
    return code == DCLOCKTICKS || code == CLOCKTICKS;
}

static bool is_by_bank(unsigned code)
{
    return code >= RD_CAS_RANK0 && code <= WR_CAS_RANK7;
}

/* RD_REG 01H, RD_UNDERFILL 02H, WR_WMM 04H, WR_RMM 08H. The model has no underfills. All writes to
 * DRAM are in batches, during which writes have priority (WMM). Without DRAM the mode is
 * unknown. */
static bool lines(const struct bx_ivbep *m, uint32_t umask, unsigned *kinds)
{
    const unsigned wmm = 0x04, rmm = 0x08;

    if (!m->has_dram && (umask & (wmm | rmm)) != (wmm | rmm) && umask & (wmm | rmm))
        return false;
    return kinds_of(umask, (struct kinds){0x01, wmm, 0x02 | rmm}, kinds);
}

/* RD 01H, WR 02H. */
static bool activates(const struct bx_ivbep *m, uint32_t umask, unsigned *kinds)
{
    return m->has_dram && kinds_of(umask, (struct kinds){0x01, 0x02, 0}, kinds);
}

/* PAGE_MISS 01H: for reads and writes; PAGE_CLOSE 02H: the model has none; RD 04H, WR 08H. */
static bool precharges(const struct bx_ivbep *m, uint32_t umask, unsigned *kinds)
{
    return m->has_dram && kinds_of(umask, (struct kinds){0x05, 0x09, 0x02}, kinds);
}

/* RPQ_CYCLES_NE counts clocks of the memory. It needs at most one clock per uncore cycle. */
static bool is_waiting_known(const struct bx_ivbep *m)
{
    return m->has_dram && m->dram[0].clock_hz <= m->dram[0].uncore_hz;
}

static bool is_produced(const struct bx_ivbep *m, const bx_selection *sel)
{
    unsigned kinds;

    switch (sel->code) {
    case ACT_COUNT:
        return activates(m, sel->umask, &kinds);
    case PRE_COUNT:
        return precharges(m, sel->umask, &kinds);
    case CAS_COUNT:
        return lines(m, sel->umask, &kinds);
    case RPQ_INSERTS:
    case WPQ_INSERTS:
        return sel->umask == 0;
    case RPQ_CYCLES_NE:
        return sel->umask == 0 && is_waiting_known(m);
    default:
        return m->has_dram && ((is_by_bank(sel->code) && sel->umask <= 0xff) ||
                               (is_clock(sel->code) && sel->umask == 0));
    }
}

bool bx_ivbep_memory_signal_of(const struct bx_ivbep *m, const bx_selection *sel,
                               struct bx_signal *signal)
{
    if (sel->unit >= m->channels || !is_produced(m, sel))
        return false;
    *signal = (struct bx_signal){.selection = *sel};
    if (is_clock(sel->code)) {
        signal->kind = sel->rises ? BX_SIGNAL_CLOCK : BX_SIGNAL_OCCUPANCY;
    } else {
        signal->kind = sel->code == RPQ_CYCLES_NE ? BX_SIGNAL_OCCUPANCY : BX_SIGNAL_PULSES;
        signal->changes = &m->channel[sel->package][sel->unit].changes;
    }
    return true;
}

/* The lines of the banks in the unit mask, for one rank. */
static uint64_t lines_by_bank(const struct bx_ivbep *m, const struct bx_dram_commands *commands,
                              const bx_selection *sel)
{
    bool write = sel->code >= WR_CAS_RANK0;
    unsigned rank = sel->code - (write ? WR_CAS_RANK0 : RD_CAS_RANK0);
    const struct bx_dram_map *map = &m->dram[sel->package].map;
    uint64_t sum = 0;

    for (unsigned bank = 0; bank < 8 && !(rank >> map->rank) && !(bank >> map->bank); bank++)
        if (sel->umask >> bank & 1)
            sum +=
                commands
                    ->lines[write ? BX_DRAM_FOR_WRITE : BX_DRAM_FOR_READ][rank << map->bank | bank];
    return sum;
}

static uint64_t all_banks(const uint64_t of[BX_DRAM_BANKS])
{
    uint64_t sum = 0;

    for (unsigned bank = 0; bank < BX_DRAM_BANKS; bank++)
        sum += of[bank];
    return sum;
}

static uint64_t lines_of(const struct bx_ivbep *m, const bx_selection *sel, unsigned kinds)
{
    const struct bx_ivbep_channel *channel = &m->channel[sel->package][sel->unit];
    uint64_t count[BX_DRAM_PURPOSES] = {channel->reads, channel->writes};

    if (m->has_dram)
        count[BX_DRAM_FOR_WRITE] =
            all_banks(m->dram[sel->package].channel[sel->unit].commands.lines[BX_DRAM_FOR_WRITE]);
    return sum_by_kind(count, kinds);
}

uint64_t bx_ivbep_memory_tally(const struct bx_ivbep *m, const bx_selection *sel, uint64_t now)
{
    const struct bx_ivbep_channel *channel = &m->channel[sel->package][sel->unit];
    const struct bx_dram *dram = &m->dram[sel->package];
    const struct bx_dram_commands *commands = &dram->channel[sel->unit].commands;
    unsigned kinds;

    switch (sel->code) {
    case ACT_COUNT:
        return activates(m, sel->umask, &kinds) ? sum_by_kind(commands->activates, kinds) : 0;
    case PRE_COUNT:
        return precharges(m, sel->umask, &kinds) ? sum_by_kind(commands->precharges, kinds) : 0;
    case CAS_COUNT:
        return lines(m, sel->umask, &kinds) ? lines_of(m, sel, kinds) : 0;
    case RPQ_INSERTS:
        return channel->reads;
    case RPQ_CYCLES_NE:
        return bx_ivbep_waited(&channel->waiting, dram, sel->rises, now);
    case WPQ_INSERTS:
        return channel->writes;
    default:
        return is_clock(sel->code) ? bx_dram_clocks_before(dram, now << BX_DRAM_TIME_BITS)
                                   : lines_by_bank(m, commands, sel);
    }
}

uint64_t bx_ivbep_memory_level(const struct bx_ivbep *m, const bx_selection *sel, uint64_t now)
{
    if (sel->code == RPQ_CYCLES_NE)
        return bx_ivbep_waits(&m->channel[sel->package][sel->unit].waiting, &m->dram[sel->package],
                              sel->rises, now);
    return bx_ivbep_memory_tally(m, sel, now + 1) - bx_ivbep_memory_tally(m, sel, now);
}
