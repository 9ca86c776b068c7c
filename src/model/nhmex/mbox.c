/* The memory controller: banks with open rows, the queues before them, refresh. */
#include "model/nhmex/machine.h"

enum {
    ROW_LINES = 128, /* 8 KiB of a bank */
    DECODE = 4,
    ACTIVATE = 12, /* RAS to CAS */
    PRECHARGE = 12,
    CAS_READ = 14,
    CAS_WRITE = 8,
    TRANSFER = 4, /* of a line on the memory's bus */
    ANSWER = 10,
    REFRESH_CYCLES = 256,
};

/* dram_cmd of M_MSR_PMU_PLD 12:8. */
enum { PREALL = 0x01, RAS = 0x02, CAS_RD_OPN = 0x03, CAS_WR_OPN = 0x04, RFR = 0x09, PRE = 0x11 };
enum { TRADE_OFF, READ_PRIORITY, WRITE_PRIORITY, ADAPTIVE };

static unsigned mode_of(struct bx_nhmex_mbox *mbox, uint64_t now)
{
    return bx_gauge_level(&mbox->write_queue.in, BX_GAUGE_MARKED, now) ? WRITE_PRIORITY : TRADE_OFF;
}

/* The bank of a line: 32 banks, row by row. Only lines of this home and side come here. */
static struct bx_nhmex_bank *bank_of(struct bx_nhmex_mbox *mbox, uint64_t line, uint64_t *row)
{
    *row = line / ROW_LINES / BX_NHMEX_BANKS;
    return &mbox->bank[line / ROW_LINES % BX_NHMEX_BANKS];
}

/* A refresh closes every bank. */
static void apply_refreshes(struct bx_nhmex_bank *bank, uint64_t t)
{
    if (bank->refreshes != t / BX_NHMEX_REFRESH_EVERY)
        bank->open = false;
    bank->refreshes = t / BX_NHMEX_REFRESH_EVERY;
}

/* When a command may begin: not while all banks are refreshed, at the beginning of each period. */
static uint64_t after_refresh(struct bx_nhmex_mbox *mbox, uint64_t t)
{
    uint64_t into = t % BX_NHMEX_REFRESH_EVERY;

    if (t < BX_NHMEX_REFRESH_EVERY || into >= REFRESH_CYCLES)
        return t;
    mbox->refresh_conflicts++;
    return t + REFRESH_CYCLES - into;
}

/* Opens the row: nothing to do (a hit), RAS (empty), or PRE and RAS (a miss). Returns when CAS may
 * be given. */
static uint64_t open_row(struct bx_nhmex_mbox *mbox, struct bx_nhmex_bank *bank, uint64_t row,
                         unsigned mode, uint64_t t)
{
    if (bank->open && bank->row == row) {
        mbox->page_hits++;
        return t;
    }
    if (bank->open) {
        mbox->page_misses++;
        mbox->command[PRE][mode]++;
        t += PRECHARGE;
    } else {
        mbox->page_empties++;
    }
    mbox->command[RAS][mode]++;
    bank->open = true;
    bank->row = row;
    return t + ACTIVATE;
}

uint64_t bx_nhmex_memory(struct bx_nhmex *m, unsigned package, unsigned side, uint64_t line,
                         bool write, uint64_t t)
{
    struct bx_nhmex_mbox *mbox = &m->package[package].m[side];
    struct bx_resource *queue = write ? &mbox->write_queue : &mbox->read_queue;
    uint64_t now = m->model.time.now, arrives = t, row;
    unsigned mode = mode_of(mbox, now);
    uint64_t begin = bx_resource_begin(queue, now, t, BX_RESOURCE_UNKNOWN);
    struct bx_nhmex_bank *bank = bank_of(mbox, line, &row);

    t = begin + DECODE;
    t = after_refresh(mbox, bank->free_at > t ? bank->free_at : t);
    apply_refreshes(bank, t);
    t = open_row(mbox, bank, row, mode, t);
    mbox->command[write ? CAS_WR_OPN : CAS_RD_OPN][mode]++;
    *(write ? &mbox->writes : &mbox->reads) += 1;
    uint64_t done = bx_nhmex_occupy(m, &mbox->bus, t + (write ? CAS_WRITE : CAS_READ), TRANSFER);
    bank->free_at = done;
    bx_resource_put(queue, &m->model, arrives, begin, done);
    bx_gauge_put(&mbox->scheduled[write], &m->model, begin, done - TRANSFER);
    bx_gauge_put(&mbox->scheduled[BX_NHMEX_ANY_COMMAND], &m->model, begin, done - TRANSFER);
    if (done + ANSWER > m->last_end)
        m->last_end = done + ANSWER;
    return done + ANSWER;
}

/* ---- signals ---- */

/* A bit of DSP 10:7: read queue full, write queue full, read queue empty, write queue empty. */
static bool queue_state(struct bx_nhmex_mbox *mbox, struct bx_signal *signal,
                        enum bx_gauge_sum full, enum bx_gauge_sum empty)
{
    switch (signal->selection.umask) {
    case 1:
        return bx_nhmex_level(signal, &mbox->read_queue.in, full);
    case 2:
        return bx_nhmex_level(signal, &mbox->write_queue.in, full);
    case 4:
        return bx_nhmex_level(signal, &mbox->read_queue.in, empty);
    case 8:
        return bx_nhmex_level(signal, &mbox->write_queue.in, empty);
    default:
        return false;
    }
}

/* PLD 0: only commands in one scheduling mode, ISS 9:7. Bits 7 and 13: only those of one
 * fill/victim index, of one address; not modelled. */
static bool commands(struct bx_nhmex_mbox *mbox, struct bx_signal *signal)
{
    const bx_selection *sel = &signal->selection;
    uint64_t pld = sel->filter[5], mode = sel->filter[1] >> 7 & 7;
    bool by_mode = pld & 1;

    if (pld >> 7 & 1 || pld >> 13 & 1 || sel->umask >= BX_NHMEX_COMMANDS)
        return false;
    if (sel->umask == RFR || sel->umask == PREALL)
        return !by_mode && bx_nhmex_level(signal, &mbox->refresh, BX_GAUGE_ENTRIES);
    for (unsigned i = 0; i < BX_NHMEX_MODES; i++)
        if (!by_mode || mode == i)
            bx_nhmex_add(signal, &mbox->command[sel->umask][i]);
    return true;
}

/* Of ZDP_CTL_FVC: the command of the B-Box 7:5, the answer to it 10:8. Every command is
 * acknowledged; the model has no other answers and no errors. */
static bool fill_victim(struct bx_nhmex_mbox *mbox, struct bx_signal *signal)
{
    enum { BBOX_COMMAND = 5, BBOX_RESPONSE = 6, READ = 0, WRITE = 1, ACK = 0 };
    const bx_selection *sel = &signal->selection;
    unsigned command = (unsigned)(sel->filter[6] >> 5 & 7);

    if (sel->umask == BBOX_COMMAND)
        return command == READ    ? bx_nhmex_add(signal, &mbox->reads)
               : command == WRITE ? bx_nhmex_add(signal, &mbox->writes)
                                  : true;
    if (sel->umask != BBOX_RESPONSE)
        return false;
    if ((sel->filter[6] >> 8 & 7) == ACK) {
        bx_nhmex_add(signal, &mbox->reads);
        bx_nhmex_add(signal, &mbox->writes);
    }
    return true;
}

static bool scheduling_mode(struct bx_nhmex_mbox *mbox, struct bx_signal *signal)
{
    switch (signal->selection.umask) {
    case TRADE_OFF:
        return bx_nhmex_level(signal, &mbox->write_queue.in, BX_GAUGE_UNMARKED);
    case WRITE_PRIORITY:
        return bx_nhmex_level(signal, &mbox->write_queue.in, BX_GAUGE_MARKED);
    default: /* 0: this machine is never in the others */
        return signal->selection.umask <= ADAPTIVE;
    }
}

/* MAP 8:5: a command, or 8 for any. Only reads and writes occur. */
static bool scheduled(struct bx_nhmex_mbox *mbox, struct bx_signal *signal)
{
    const uint32_t any = 8;
    uint32_t command = signal->selection.umask;

    if (command == any)
        command = BX_NHMEX_ANY_COMMAND;
    else if (command >= BX_NHMEX_ANY_COMMAND)
        return command < any;
    return bx_nhmex_level(signal, &mbox->scheduled[command], BX_GAUGE_NOT_EMPTY);
}

static bool page_policy(struct bx_signal *signal, uint32_t open)
{
    if (signal->selection.umask == open)
        signal->kind = BX_SIGNAL_CLOCK;
    return true;
}

bool bx_nhmex_m_signal(struct bx_nhmex_mbox *mbox, struct bx_signal *signal)
{
    enum { FLAG = 0x20 }; /* + set_flag_sel */

    switch (signal->selection.code) {
    case 0x00:
        return queue_state(mbox, signal, BX_GAUGE_FILLED, BX_GAUGE_EMPTIED);
    case FLAG + 0:
        return queue_state(mbox, signal, BX_GAUGE_FULL, BX_GAUGE_EMPTY);
    case 0x06:
        return bx_nhmex_level(signal, &mbox->refresh, BX_GAUGE_ENTRIES);
    case 0x07:
        return bx_nhmex_add(signal, &mbox->refresh_conflicts);
    case 0x0a:
        return commands(mbox, signal);
    case 0x0d:
    case 0x0e:
    case 0x0f:
    case 0x10:
        return fill_victim(mbox, signal);
    case 0x12: /* each command becomes one of columns */
    case 0x1a:
    case 0x1d:
        return bx_nhmex_add(signal, &mbox->reads) && bx_nhmex_add(signal, &mbox->writes);
    case 0x13:
        return bx_nhmex_add(signal, &mbox->page_misses);
    case 0x14:
        return bx_nhmex_add(signal, &mbox->page_hits);
    case 0x15:
        return bx_nhmex_add(signal, &mbox->page_empties);
    case 0x08:
        return bx_nhmex_level(signal, &mbox->write_queue.in, BX_GAUGE_MARK_CROSSED);
    case 0x16: /* 0: the policy is always open pages */
    case 0x17: /* 0: a line is one column */
    case 0x18: /* 0: no entry of the in-flight memory table is recycled too early */
        return true;
    case 0x1b:
        signal->kind = BX_SIGNAL_CLOCK;
        return true;
    case 0x1c:
        return bx_nhmex_level(signal, &mbox->scheduled[BX_NHMEX_ANY_COMMAND], BX_GAUGE_ENTRIES);
    case 0x01: /* mfull: badly starved */
        return bx_nhmex_level(signal, &mbox->read_queue.starving, BX_GAUGE_NOT_EMPTY);
    case 0x02:
        return bx_nhmex_add(signal, &mbox->read_queue.waits);
    case FLAG + 1:
        return scheduling_mode(mbox, signal);
    case FLAG + 3: /* mfull */
    case FLAG + 4: /* starved: the model has one degree of it */
        return bx_nhmex_level(signal, &mbox->read_queue.starving, BX_GAUGE_NOT_EMPTY);
    case FLAG + 5:
        return page_policy(signal, 1);
    case FLAG + 6:
        return scheduled(mbox, signal);
    default:
        return false;
    }
}
