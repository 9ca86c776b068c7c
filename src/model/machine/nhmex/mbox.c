/* The M-Box, a memory controller: banks with open rows, the queues in front of them, refresh. */
#include "model/machine/nhmex/machine.h"

#include "model/part/later.h"

enum { PLAIN_ROW_LINES = 128, PLAIN_BANKS = 32, SIDES = BX_NHMEX_SIDES, SCORE_MOST = 15 };

static const struct bx_nhmex_memory plain = {
    .activate = 12, /* from RAS to CAS */
    .precharge = 12,
    .cas = {14, 8},
    .transfer = 4,
    .refresh_every = 16384,
    .refresh_takes = 256,
};

enum { UP, DOWN };

static bool many_writes(struct bx_nhmex_mbox *mbox, uint64_t now)
{
    return bx_gauge_level(&mbox->write_queue.in, BX_GAUGE_MARKED, now);
}

static enum bx_nhmex_mode mode_of(const struct bx_nhmex_memory *memory, struct bx_nhmex_mbox *mbox,
                                  uint64_t now)
{
    if (memory->mode != BX_NHMEX_TRADE_OFF)
        return memory->mode;
    return many_writes(mbox, now) ? BX_NHMEX_WRITE_FIRST : BX_NHMEX_TRADE_OFF;
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
        .answer = ns(shape, dram->transit),
        .refresh_every = ns(shape, dram->refi),
        .refresh_takes = ns(shape, dram->rfc),
        .open = clocks(shape, dram->ras),
        .read_to_close = clocks(shape, dram->rtp),
        .write_to_close = clocks(shape, dram->wr),
        .is_dram = true,
        .map = bx_dram_map_of(dram, true),
    };
}

/* Of a period: when a module crosses a mark. The modules follow each other. */
static uint32_t crossing(uint32_t period, unsigned way, unsigned mark, unsigned module)
{
    enum { TENTHS = 10, STEPS = 40, FALLS = 9 };
    uint64_t tenths = way == UP ? mark + 1 : FALLS - mark;

    return (uint32_t)(period * tenths / TENTHS + (uint64_t)(period / STEPS) * module);
}

static void heat_power_on(struct bx_nhmex_mbox *mbox, uint32_t period)
{
    for (unsigned way = UP; way <= DOWN; way++)
        for (unsigned mark = 0; mark < BX_NHMEX_MARKS; mark++)
            for (unsigned module = 0; module < BX_NHMEX_MODULES; module++) {
                struct bx_gauge *gauge = &mbox->crossed[way][mark][module];
                gauge->every = period;
                gauge->phase = crossing(period, way, mark, module);
            }
}

void bx_nhmex_memory_power_on(struct bx_nhmex *m, const bx_model_shape *shape)
{
    m->memory = shape->dram.rate ? dram_of(shape) : plain;
    m->memory.answer += m->times.m_answer;
    m->memory.closes = m->times.m_close;
    m->memory.adapts_paging = m->times.m_adaptive_pages;
    m->memory.mode = m->times.m_read_first ? BX_NHMEX_READ_FIRST
                     : m->times.m_adaptive ? BX_NHMEX_ADAPTIVE
                                           : BX_NHMEX_TRADE_OFF;
    m->memory.patrol_every = m->times.m_patrol;
    m->memory.heat_every = m->times.m_heat;
    m->memory.hot_from = crossing(m->times.m_heat, UP, BX_NHMEX_MARKS - 1, 0);
    m->memory.hot_until = crossing(m->times.m_heat, DOWN, BX_NHMEX_MARKS - 1, BX_NHMEX_MODULES - 1);
    for (unsigned i = 0; i < m->packages * SIDES; i++) {
        struct bx_nhmex_mbox *mbox = &m->package[i / SIDES].m[i % SIDES];
        mbox->refresh.every = (uint32_t)m->memory.refresh_every;
        mbox->patrol.every = m->times.m_patrol;
        mbox->paging.closes = m->memory.closes;
        mbox->paging.score = m->memory.closes ? 0 : SCORE_MOST;
        if (m->times.m_heat)
            heat_power_on(mbox, m->times.m_heat);
    }
}

/* ---- accesses ---- */

/* The bank and row of a line. The line belongs to this home and side. */
static struct bx_dram_place dram_place(const struct bx_nhmex *m, uint64_t line)
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

/* The same after a patrol scrub, which reads a line. */
static uint64_t after_patrol(const struct bx_nhmex_memory *memory, uint64_t t)
{
    uint64_t takes = memory->cas[0] + memory->transfer;

    if (!memory->patrol_every || t < memory->patrol_every)
        return t;
    uint64_t into = t % memory->patrol_every;
    return into < takes ? t + takes - into : t;
}

/* The same of hot modules: they get commands in half of the time. */
static uint64_t after_heat(const struct bx_nhmex_memory *memory, struct bx_nhmex_mbox *mbox,
                           uint64_t t)
{
    enum { TURN = 32 };

    if (!memory->heat_every || t % memory->heat_every < memory->hot_from ||
        t % memory->heat_every >= memory->hot_until || t % TURN < TURN / 2)
        return t;
    mbox->heat_conflicts++;
    return t + TURN - t % TURN;
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
        mbox->command[BX_NHMEX_PRE][mode]++;
        t = bx_later(t, bank->closes_at) + memory->precharge;
    } else {
        mbox->page_empties++;
        if (bank->closes)
            t = bx_later(t, bank->closes_at);
    }
    mbox->command[BX_NHMEX_RAS][mode]++;
    bank->open = true;
    bank->row = row;
    bank->closes_at = t + memory->open;
    return t + memory->activate;
}

/* Updates the bank after CAS; its data have passed at `done`. DRAM takes the next CAS a transfer
 * after this one. */
static void use_bank(const struct bx_nhmex_memory *memory, struct bx_nhmex_bank *bank, bool write,
                     bool closing, uint64_t done)
{
    uint64_t next = done - memory->cas[write];
    uint64_t closes =
        write ? done + memory->write_to_close : next - memory->transfer + memory->read_to_close;

    bank->free_at = memory->is_dram ? next : done;
    bank->closes_at = bx_later(bank->closes_at, closes);
    bank->closes = closing;
    if (!closing)
        return;
    bank->open = false;
    bank->closes_at += memory->precharge;
}

static unsigned column_command(bool closes, bool write)
{
    if (closes)
        return write ? BX_NHMEX_CAS_WR_CLS : BX_NHMEX_CAS_RD_CLS;
    return write ? BX_NHMEX_CAS_WR_OPN : BX_NHMEX_CAS_RD_OPN;
}

/* ---- reads first, and paging that adapts ---- */

/* The time when all accesses that are in the queue have left it. */
static uint64_t leaves(const struct bx_queue *queue)
{
    return queue->in.first == queue->in.end ? 0 : queue->in.at[queue->in.end - 1];
}

/* When an access may go on that others go before. */
static uint64_t after_others(const struct bx_nhmex_memory *memory, struct bx_nhmex_mbox *mbox,
                             bool write, bool writes_first, uint64_t t)
{
    if (memory->mode == BX_NHMEX_TRADE_OFF || write == writes_first)
        return t;
    return bx_later(t, leaves(write ? &mbox->read_queue : &mbox->write_queue));
}

/* An access to a row, compared with the last one of its bank. */
static void adapt_paging(struct bx_nhmex_paging *p, const struct bx_nhmex_bank *bank, uint64_t row,
                         uint64_t now)
{
    if (!bank->used)
        return;
    if (bank->row == row)
        p->score += p->score < SCORE_MOST;
    else
        p->score -= p->score > 0;
    if (p->score != (p->closes ? SCORE_MOST : 0))
        return;
    p->closed += p->closes ? now - p->since : 0;
    p->since = now;
    p->change[p->closes]++;
    p->closes = !p->closes;
}

uint64_t bx_nhmex_memory(struct bx_nhmex *m, uint64_t line, bool write, uint64_t t)
{
    const struct bx_nhmex_memory *memory = &m->memory;
    struct bx_nhmex_mbox *mbox = &m->package[bx_nhmex_home(m, line)].m[bx_nhmex_home_side(line)];
    struct bx_queue *queue = write ? &mbox->write_queue : &mbox->read_queue;
    uint64_t arrives = t;
    uint64_t now = m->model.time.now;
    enum bx_nhmex_mode mode = mode_of(memory, mbox, now);
    bool writes_first = memory->mode == BX_NHMEX_ADAPTIVE && many_writes(mbox, now);
    bool closes = mbox->paging.closes;
    uint64_t begin = bx_nhmex_queue_begin(m, queue, t);
    struct bx_dram_place place = dram_place(m, line);
    struct bx_nhmex_bank *bank = &mbox->bank[place.bank];

    t = after_others(memory, mbox, write, writes_first, begin + m->times.m_decode);
    t = after_refresh(memory, mbox, bx_later(t, bank->free_at));
    t = after_heat(memory, mbox, after_patrol(memory, t));
    apply_refreshes(memory, bank, t);
    if (memory->adapts_paging)
        adapt_paging(&mbox->paging, bank, place.row, now);
    bank->used = true;
    t = open_row(memory, mbox, bank, place.row, mode, t);
    mbox->command[column_command(closes, write)][mode]++;
    *(write ? &mbox->writes : &mbox->reads) += 1;
    uint64_t done = bx_nhmex_occupy(m, &mbox->bus, t + memory->cas[write], memory->transfer);
    use_bank(memory, bank, write, closes, done);
    bx_nhmex_queue_put(m, queue, arrives, begin, done);
    bx_nhmex_gauge_put(m, &mbox->scheduled[write], begin, done - memory->transfer);
    bx_nhmex_gauge_put(m, &mbox->scheduled[BX_NHMEX_ANY_COMMAND], begin, done - memory->transfer);
    m->last_end = bx_later(m->last_end, done + memory->answer);
    return done + memory->answer;
}
