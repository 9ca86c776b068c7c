/* The M-Box, a memory controller: banks with open rows, the queues in front of them, refresh. */
#include "model/nhmex/machine.h"

enum { DECODE = 4, ANSWER = 10, PLAIN_ROW_LINES = 128, PLAIN_BANKS = 32, SIDES = BX_NHMEX_SIDES };

static const struct bx_nhmex_memory plain = {
    .activate = 12, /* from RAS to CAS */
    .precharge = 12,
    .cas = {14, 8},
    .transfer = 4,
    .answer = ANSWER,
    .refresh_every = 16384,
    .refresh_takes = 256,
};

/* The commands of dram_cmd, M_MSR_PMU_PLD 12:8. */
enum { PREALL = 0x01, RAS = 0x02, CAS_RD_OPN = 0x03, CAS_WR_OPN = 0x04, RFR = 0x09, PRE = 0x11 };
enum { TRADE_OFF, READ_PRIORITY, WRITE_PRIORITY, ADAPTIVE };

static unsigned mode_of(struct bx_nhmex_mbox *mbox, uint64_t now)
{
    return bx_gauge_level(&mbox->write_queue.in, BX_GAUGE_MARKED, now) ? WRITE_PRIORITY : TRADE_OFF;
}

/* ---- power-on ---- */

static uint64_t clocks(const bx_model_shape *shape, uint64_t n)
{
    return bx_dram_cycles(bx_dram_clocks(&shape->dram, shape->hz, n));
}

static uint64_t ns(const bx_model_shape *shape, uint64_t n)
{
    return bx_dram_cycles(bx_dram_ns(shape->hz, n));
}

static struct bx_nhmex_memory dram_of(const bx_model_shape *shape)
{
    enum { BURST = 4 }; /* clocks of a line on one channel */
    const bx_model_dram *dram = &shape->dram;

    return (struct bx_nhmex_memory){
        .activate = clocks(shape, dram->rcd),
        .precharge = clocks(shape, dram->rp),
        .cas = {clocks(shape, dram->cl), clocks(shape, dram->cl)},
        .transfer = clocks(shape, BURST / dram->channels),
        .answer = ANSWER + ns(shape, dram->transit),
        .refresh_every = ns(shape, dram->refi),
        .refresh_takes = ns(shape, dram->rfc),
        .open = clocks(shape, dram->ras),
        .read_to_close = clocks(shape, dram->rtp),
        .write_to_close = clocks(shape, dram->wr),
        .is_dram = true,
        .map = bx_dram_map_of(dram, true),
    };
}

void bx_nhmex_memory_power_on(struct bx_nhmex *m, const bx_model_shape *shape)
{
    m->memory = shape->dram.rate ? dram_of(shape) : plain;
    for (unsigned i = 0; i < m->packages * SIDES; i++)
        m->package[i / SIDES].m[i % SIDES].refresh.every = (uint32_t)m->memory.refresh_every;
}

/* ---- accesses ---- */

/* The bank and row of a line. The line belongs to this home and side. */
static struct bx_dram_place place_of(const struct bx_nhmex *m, uint64_t line)
{
    if (m->memory.is_dram)
        return bx_dram_place_of(&m->memory.map, bx_nhmex_line_at_home(m, line));
    return (struct bx_dram_place){.bank = line / PLAIN_ROW_LINES % PLAIN_BANKS,
                                  .row = line / PLAIN_ROW_LINES / PLAIN_BANKS};
}

/* Closes the bank's row if there was a refresh since its last command. */
static void apply_refreshes(const struct bx_nhmex_memory *memory, struct bx_nhmex_bank *bank,
                            uint64_t t)
{
    uint64_t refreshes = memory->refresh_every ? t / memory->refresh_every : 0;

    if (bank->refreshes != refreshes)
        bank->open = false;
    bank->refreshes = refreshes;
}

/* The time when a command may begin. A refresh of all banks at the beginning of each period delays
 * it. */
static uint64_t after_refresh(const struct bx_nhmex_memory *memory, struct bx_nhmex_mbox *mbox,
                              uint64_t t)
{
    if (!memory->refresh_every || t < memory->refresh_every)
        return t;
    uint64_t into = t % memory->refresh_every;
    if (into >= memory->refresh_takes)
        return t;
    mbox->refresh_conflicts++;
    return t + memory->refresh_takes - into;
}

/* Opens the row. A hit needs nothing, a bank without an open row RAS, a miss PRE and RAS. Returns
 * the time when CAS may be given. */
static uint64_t open_row(const struct bx_nhmex_memory *memory, struct bx_nhmex_mbox *mbox,
                         struct bx_nhmex_bank *bank, uint64_t row, unsigned mode, uint64_t t)
{
    if (bank->open && bank->row == row) {
        mbox->page_hits++;
        return t;
    }
    if (bank->open) {
        mbox->page_misses++;
        mbox->command[PRE][mode]++;
        t = (bank->closes_at > t ? bank->closes_at : t) + memory->precharge;
    } else {
        mbox->page_empties++;
    }
    mbox->command[RAS][mode]++;
    bank->open = true;
    bank->row = row;
    bank->closes_at = t + memory->open;
    return t + memory->activate;
}

/* Updates the bank after CAS; its data have passed at `done`. DRAM takes the next CAS a transfer
 * after this one. */
static void use_bank(const struct bx_nhmex_memory *memory, struct bx_nhmex_bank *bank, bool write,
                     uint64_t done)
{
    uint64_t next = done - memory->cas[write];
    uint64_t closes =
        write ? done + memory->write_to_close : next - memory->transfer + memory->read_to_close;

    bank->free_at = memory->is_dram ? next : done;
    if (closes > bank->closes_at)
        bank->closes_at = closes;
}

uint64_t bx_nhmex_memory(struct bx_nhmex *m, unsigned package, unsigned side, uint64_t line,
                         bool write, uint64_t t)
{
    const struct bx_nhmex_memory *memory = &m->memory;
    struct bx_nhmex_mbox *mbox = &m->package[package].m[side];
    struct bx_resource *queue = write ? &mbox->write_queue : &mbox->read_queue;
    uint64_t now = m->model.time.now, arrives = t;
    unsigned mode = mode_of(mbox, now);
    uint64_t begin = bx_resource_begin(queue, now, t, BX_RESOURCE_UNKNOWN);
    struct bx_dram_place place = place_of(m, line);
    struct bx_nhmex_bank *bank = &mbox->bank[place.bank];

    t = begin + DECODE;
    t = after_refresh(memory, mbox, bank->free_at > t ? bank->free_at : t);
    apply_refreshes(memory, bank, t);
    t = open_row(memory, mbox, bank, place.row, mode, t);
    mbox->command[write ? CAS_WR_OPN : CAS_RD_OPN][mode]++;
    *(write ? &mbox->writes : &mbox->reads) += 1;
    uint64_t done = bx_nhmex_occupy(m, &mbox->bus, t + memory->cas[write], memory->transfer);
    use_bank(memory, bank, write, done);
    bx_resource_put(queue, &m->model, arrives, begin, done);
    bx_gauge_put(&mbox->scheduled[write], &m->model, begin, done - memory->transfer);
    bx_gauge_put(&mbox->scheduled[BX_NHMEX_ANY_COMMAND], &m->model, begin, done - memory->transfer);
    if (done + memory->answer > m->last_end)
        m->last_end = done + memory->answer;
    return done + memory->answer;
}

/* ---- signals ---- */

/* DSP 10:7 selects one state: read queue full, write queue full, read queue empty, write queue
 * empty. */
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

/* PLD 0: only commands in the scheduling mode of ISS 9:7. PLD 7 and 13: only commands of one
 * fill/victim index, or of one address; both are not modelled. */
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

/* ZDP_CTL_FVC 7:5: the command of the B-Box; 10:8: the answer to it. Every command is acknowledged.
 * The model has no other answers and no errors. */
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
    default: /* 0: this machine never uses the other modes */
        return signal->selection.umask <= ADAPTIVE;
    }
}

/* MAP 8:5: a command, or 8 for any command. Only reads and writes occur. */
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
    enum { FLAG = 0x20 }; /* added to set_flag_sel */

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
    case 0x12: /* each command becomes one column command */
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
    case 0x16: /* 0: pages always stay open */
    case 0x17: /* 0: a line is one column */
    case 0x18: /* 0: no entry of the in-flight memory table is recycled too early */
        return true;
    case 0x1b:
        signal->kind = BX_SIGNAL_CLOCK;
        return true;
    case 0x1c:
        return bx_nhmex_level(signal, &mbox->scheduled[BX_NHMEX_ANY_COMMAND], BX_GAUGE_ENTRIES);
    case 0x01: /* mfull, the state of bad starvation */
        return bx_nhmex_level(signal, &mbox->read_queue.starving, BX_GAUGE_NOT_EMPTY);
    case 0x02:
        return bx_nhmex_add(signal, &mbox->read_queue.waits);
    case FLAG + 1:
        return scheduling_mode(mbox, signal);
    case FLAG + 3: /* mfull */
    case FLAG + 4: /* starved: the model does not distinguish it from mfull */
        return bx_nhmex_level(signal, &mbox->read_queue.starving, BX_GAUGE_NOT_EMPTY);
    case FLAG + 5:
        return page_policy(signal, 1);
    case FLAG + 6:
        return scheduled(mbox, signal);
    default:
        return false;
    }
}
