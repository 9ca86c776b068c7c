/* The processor: when it executes accesses, when it waits, and when it is halted. */
#include "model/machine/p6/machine.h"

#include "model/engine/attribution.h"

/* ---- phases ---- */

static void level(struct bx_p6 *m, unsigned cell, int by)
{
    bx_p6_step(&m->cells, cell, m->model.time.now, by);
}

/* Starts (1) or stops (-1) retirement: one instruction per cycle, of one micro-operation. */
static void retire(struct bx_p6 *m, int by)
{
    level(m, BX_P6_INSTRUCTIONS, by);
    level(m, BX_P6_UOPS, by);
}

static __attribute__((noinline)) void leave_phase(struct bx_p6 *m)
{
    if (m->cpu.phase == BX_P6_RUNNING)
        retire(m, -1);
    else if (m->cpu.phase == BX_P6_STALLED)
        level(m, m->cpu.reason, -1);
}

static void run_until(struct bx_p6 *m, uint64_t due)
{
    if (m->cpu.phase != BX_P6_RUNNING) {
        leave_phase(m);
        retire(m, 1);
    }
    m->cpu.phase = BX_P6_RUNNING;
    m->cpu.due = due;
}

static void stall_until(struct bx_p6 *m, unsigned reason, uint64_t due)
{
    leave_phase(m);
    level(m, reason, 1);
    m->cpu.phase = BX_P6_STALLED;
    m->cpu.reason = reason;
    m->cpu.due = due;
}

/* The operating system halts a processor without work, at CPL 0. */
static void halt(struct bx_p6 *m)
{
    leave_phase(m);
    if (m->cells.mode == BX_P6_USER || m->cpu.handles)
        level(m, BX_P6_CLOCK, -1);
    m->cpu.handles = false;
    bx_p6_enter_mode(&m->cells, BX_P6_OS, m->model.time.now);
    m->cpu.phase = BX_P6_HALTED;
}

/* The timer's interrupts come at multiples of their period. */
static uint64_t next_interrupt(const struct bx_p6 *m)
{
    uint64_t every = m->times.interrupt;

    return every ? (m->model.time.now / every + 1) * every : BX_NEVER;
}

/* It has work, and is at CPL 0. */
static __attribute__((noinline)) void wake(struct bx_p6 *m)
{
    bx_p6_enter_mode(&m->cells, BX_P6_USER, m->model.time.now);
    level(m, BX_P6_CLOCK, 1);
    m->cpu.interrupt = next_interrupt(m); /* a halted processor has no ticks */
}

/* ---- interrupts ---- */

/* The cycle of a store is not interrupted: the store's second micro-operation belongs to that
 * cycle, and is counted at CPL 3. */
static bool is_interrupted(const struct bx_p6 *m)
{
    uint64_t now = m->model.time.now;

    return m->cpu.interrupt <= now && m->cells.mode == BX_P6_USER && m->cpu.stored < now;
}

/* A kernel handles an interrupt at CPL 0. It takes no other one meanwhile: one waits. */
static __attribute__((noinline)) void take_interrupt(struct bx_p6 *m)
{
    uint64_t now = m->model.time.now, end = now + m->times.interrupt_cycles;

    bx_p6_count(&m->cells, BX_P6_INTERRUPTS, 1);
    m->cpu.interrupt = next_interrupt(m);
    if (m->cpu.interrupt < end)
        bx_p6_schedule_span(m, BX_P6_PENDING, m->cpu.interrupt, end);
    bx_p6_enter_mode(&m->cells, BX_P6_OS, now);
    m->cpu.handles = true;
    stall_until(m, BX_P6_MASKED, end);
}

static __attribute__((noinline)) void end_interrupt(struct bx_p6 *m)
{
    bx_p6_enter_mode(&m->cells, BX_P6_USER, m->model.time.now);
    m->cpu.handles = false;
}

/* ---- from one access to the next ---- */

static __attribute__((noinline)) bool refill(struct bx_p6_cpu *cpu)
{
    if (cpu->ended)
        return false;
    enum bx_feed_state state = cpu->feed->refill(cpu->feed);
    cpu->ended = state != BX_FEED_MORE;
    cpu->parked = state == BX_FEED_WAITS;
    return !cpu->ended;
}

static inline bool has_next(struct bx_p6_cpu *cpu)
{
    return (!cpu->ended && cpu->feed->next != cpu->feed->end) || refill(cpu);
}

/* At the end of its work the processor waits for the store buffer, then for everything else that it
 * has caused. */
static void finish(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (m->cells.mode == BX_P6_OS)
        halt(m);
    else if (cpu->stores_done > m->model.time.now)
        stall_until(m, BX_P6_DRAIN_STALL, cpu->stores_done);
    else if (cpu->end > m->model.time.now)
        stall_until(m, BX_P6_DATA_STALL, cpu->end);
    else
        halt(m);
}

/* A store past the caches is a store. */
static bx_access as_executed(bx_access a)
{
    if ((a & 3) == BX_NON_TEMPORAL && !bx_access_is_lock(a) && !bx_access_locks_bus(a) &&
        !bx_access_is_uncacheable(a) && !(a & BX_ACCESS_PREFETCH))
        a ^= BX_NON_TEMPORAL ^ BX_STORE;
    return a;
}

static void next_access(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;
    bool handled = cpu->handles;

    if (handled)
        end_interrupt(m);
    if (!has_next(cpu)) {
        finish(m);
        return;
    }
    if (!handled && is_interrupted(m)) {
        take_interrupt(m);
        return;
    }
    if (m->model.attribution)
        bx_attribution_take(&m->model, cpu->feed, cpu->feed->next);
    bx_access a = as_executed(*cpu->feed->next++);
    cpu->access = a;
    cpu->pending = true;
    cpu->unblocked = false;
    if (m->cells.mode != BX_P6_USER)
        wake(m);
    run_until(m, m->model.time.now + bx_access_cost(a));
}

/* ---- an access ---- */

/* When the last store that waits for the line is done. `now`: no store waits for it. */
static uint64_t blocked_until(const struct bx_p6 *m, uint64_t line, uint64_t now)
{
    const struct bx_p6_cpu *cpu = &m->cpu;
    uint64_t until = now;

    if (cpu->missed_done <= now)
        return now;
    for (unsigned i = 0; i < m->times.store_buffer; i++)
        if (cpu->store[i].missed && cpu->store[i].line == line)
            until = bx_later(until, cpu->store[i].done);
    return until;
}

/* Whether the access has to wait. If so, the processor stalls until it can continue. */
static bool waits(struct bx_p6 *m, unsigned kind, uint64_t line, bool misses)
{
    struct bx_p6_cpu *cpu = &m->cpu;
    uint64_t now = m->model.time.now, until = now;
    unsigned reason = BX_P6_RESOURCE_STALL;

    if (kind == BX_LOAD && !cpu->unblocked && (until = blocked_until(m, line, now)) > now) {
        bx_p6_count(&m->cells, BX_P6_LOAD_BLOCKS, 1);
        cpu->unblocked = true;
        reason = BX_P6_DRAIN_STALL;
    } else {
        if (misses)
            until = bx_later(until, cpu->fill[cpu->next_fill]);
        if (kind == BX_STORE)
            until = bx_later(until, cpu->store[cpu->next_store].done);
    }
    if (until > now)
        stall_until(m, reason, until);
    return until > now;
}

/* A store has two micro-operations: address and data. The second one is in the same cycle as the
 * first. Usually nobody looks into a cycle: then only the sum after it must be right. */
static void count_second_uop(struct bx_p6 *m)
{
    if (!m->model.attribution && !bx_time_is_watched(&m->model.time)) {
        bx_p6_count(&m->cells, BX_P6_UOPS, 1);
        return;
    }
    level(m, BX_P6_UOPS, 1);
    bx_p6_schedule_change(m, BX_P6_UOPS, m->model.time.now + 1, -1);
}

/* Puts a store into the store buffer, where it waits for its line and for earlier stores. */
static void buffer_store(struct bx_p6 *m, uint64_t line, bool missed, uint64_t done)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    cpu->stored = m->model.time.now;
    cpu->stores_done = done;
    if (missed)
        cpu->missed_done = done;
    cpu->store[cpu->next_store] = (struct bx_p6_store){line, done, missed};
    cpu->next_store = (cpu->next_store + 1) % m->times.store_buffer;
    count_second_uop(m);
}

static void take_fill_buffer(struct bx_p6 *m, unsigned kind, uint64_t line, uint64_t done)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    cpu->fill[cpu->next_fill] = done;
    cpu->loaded[cpu->next_fill] = kind == BX_LOAD ? line : UINT64_MAX;
    cpu->next_fill = (cpu->next_fill + 1) % m->times.fill_buffers;
}

/* What an access finds in its L1. */
struct found {
    bool repeats;            /* a hit that changes nothing: the filter has the line */
    bool misses;             /* a load or store that the DCU alone cannot serve */
    struct bx_cache_way l1d; /* of another load or store: where the DCU has its line */
};

static struct found find(const struct bx_p6 *m, unsigned kind, uint64_t line)
{
    const struct bx_cache *l1d = &m->privates->l1d;
    struct found found = {
        .repeats = bx_last_lines_repeats(&m->privates->last, m->cpu.access),
        .l1d.way = BX_CACHE_ABSENT,
    };

    if (found.repeats || kind == BX_FETCH)
        return found;
    found.l1d = bx_cache_find(l1d, line);
    enum bx_line_state state = bx_cache_state(l1d, found.l1d);
    found.misses = kind == BX_STORE ? state < BX_LINE_E : state == BX_LINE_I;
    return found;
}

/* When a line is there that loads have requested. */
static uint64_t arrives(const struct bx_p6 *m, uint64_t line)
{
    const struct bx_p6_cpu *cpu = &m->cpu;
    uint64_t at = 0;

    for (unsigned i = 0; i < m->times.fill_buffers; i++)
        if (cpu->loaded[i] == line)
            at = bx_later(at, cpu->fill[i]);
    return at;
}

static uint64_t load_data(struct bx_p6 *m, uint64_t line, struct found found)
{
    uint64_t now = m->model.time.now;
    uint64_t done = found.repeats ? now + m->times.l1_hit - 1 : bx_p6_load(m, found.l1d, line, now);

    return m->cpu.access & BX_ACCESS_DEPENDENT && !found.misses ? bx_later(done, arrives(m, line))
                                                                : done;
}

static uint64_t load_or_store(struct bx_p6 *m, unsigned kind, uint64_t line, struct found found)
{
    uint64_t now = m->model.time.now, done;

    bx_p6_count(&m->cells, BX_P6_REFERENCES, 1);
    if (kind == BX_LOAD)
        return load_data(m, line, found);
    done = found.repeats ? bx_p6_after_stores(m, now + 1) : bx_p6_store(m, found.l1d, line, now);
    buffer_store(m, line, found.misses, done);
    return done;
}

static uint64_t perform(struct bx_p6 *m, unsigned kind, uint64_t line, struct found found)
{
    uint64_t done = kind == BX_FETCH ? bx_p6_fetch(m, line, found.repeats, m->model.time.now)
                                     : load_or_store(m, kind, line, found);

    if (found.misses)
        take_fill_buffer(m, kind, line, done);
    m->cpu.end = bx_later(m->cpu.end, done);
    m->model.accesses++;
    return done;
}

/* An instruction uses the registers that x87 and MMX share. Counts a change between the two. */
static void follow_registers(struct bx_p6 *m, enum bx_p6_registers to)
{
    if (m->cpu.registers != BX_P6_HOLD_NONE && to != m->cpu.registers)
        bx_p6_count(&m->cells, to == BX_P6_HOLD_X87 ? BX_P6_TO_X87 : BX_P6_TO_MMX, 1);
    m->cpu.registers = to;
}

/* Counts what the predictor tells of a branch, and waits for instructions. */
static void follow_branch(struct bx_p6 *m, unsigned what)
{
    const unsigned resteers = 1u << BX_BTB_RESTEERS | 1u << BX_BTB_BOGUS;
    uint64_t cycles = what & BX_BRANCH_MISS_SET ? m->times.mispredict
                      : what & resteers         ? m->times.resteer
                                                : 0;

    for (unsigned i = 0; i < BX_BRANCH_MISSES; i++)
        bx_p6_count(&m->cells, BX_P6_MISSES_OF + i, what >> i & 1);
    bx_p6_count(&m->cells, BX_P6_BTB_MISSES, what >> BX_BTB_MISSES & 1);
    bx_p6_count(&m->cells, BX_P6_RESTEERS, what >> BX_BTB_RESTEERS & 1);
    bx_p6_count(&m->cells, BX_P6_BOGUS, what >> BX_BTB_BOGUS & 1);
    if (cycles)
        stall_until(m, BX_P6_BRANCH_STALL, m->model.time.now + cycles);
}

/* Whether a division waits for the divider, which is not pipelined. */
static __attribute__((noinline)) bool divider_waits(struct bx_p6 *m)
{
    uint64_t now = m->model.time.now;

    if (m->cpu.divider > now) {
        stall_until(m, BX_P6_DIVIDE_STALL, m->cpu.divider);
        return true;
    }
    m->cpu.divider = now + m->times.divide;
    m->cpu.end = bx_later(m->cpu.end, m->cpu.divider);
    bx_p6_schedule_span(m, BX_P6_DIVIDES, now, m->cpu.divider);
    return false;
}

/* The processor may wait after it. */
static __attribute__((noinline)) void take_remarks(struct bx_p6 *m, unsigned remarks)
{
    bx_p6_count(&m->cells, BX_P6_TAKEN, remarks & BX_REMARK_TAKEN ? 1 : 0);
    bx_p6_count(&m->cells, BX_P6_MISALIGNED, remarks & BX_REMARK_MISALIGNED ? 1 : 0);
    if (remarks >> BX_REMARK_BRANCH)
        follow_branch(m, remarks >> BX_REMARK_BRANCH);
}

/* A remark: usually one instruction of a class that needs nothing of its own. */
static void use_remark(struct bx_p6 *m, bx_access remark)
{
    unsigned remarks = bx_access_remarks(remark), class = bx_access_class(remark);
    const uint64_t of = UINT64_C(1) << class;

    if (of & BX_P6_DIVISIONS && divider_waits(m))
        return;
    m->cpu.pending = false;
    bx_p6_count(&m->cells, BX_P6_CLASSES + class, 1);
    if (of & (BX_P6_X87_CLASSES | BX_P6_MMX_CLASSES))
        follow_registers(m, of & BX_P6_X87_CLASSES ? BX_P6_HOLD_X87 : BX_P6_HOLD_MMX);
    if (remarks)
        take_remarks(m, remarks);
    if (m->cpu.phase != BX_P6_STALLED || m->cpu.due <= m->model.time.now)
        next_access(m);
}

/* Whether the processor waits for all stores and misses before the access, and then for so many
 * cycles of its own. */
static bool drains(struct bx_p6 *m, uint64_t own)
{
    struct bx_p6_cpu *cpu = &m->cpu;
    uint64_t now = m->model.time.now, until = cpu->stores_done;
    unsigned reason = BX_P6_DRAIN_STALL;

    if (until <= now) {
        reason = BX_P6_DATA_STALL;
        for (unsigned i = 0; i < m->times.fill_buffers; i++)
            until = bx_later(until, cpu->fill[i]);
    }
    if (until <= now && !cpu->unblocked) {
        cpu->unblocked = true;
        until = now + own;
    }
    if (until > now)
        stall_until(m, reason, until);
    return until > now;
}

/* A device's register, or an I/O port. A store to a register only needs an entry of the store
 * buffer. */
static void use_device(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;
    const bx_access a = cpu->access;
    bool port = a & BX_ACCESS_PORT, posted = !port && bx_access_instruction(a) == BX_STORE;

    if (posted ? waits(m, BX_STORE, bx_access_line(a), false) : drains(m, 0))
        return;
    cpu->pending = false;
    m->model.accesses++;
    if (!port)
        bx_p6_count(&m->cells, BX_P6_REFERENCES, 1);
    uint64_t done = bx_p6_bus_device(m, a, m->model.time.now);
    if (posted)
        buffer_store(m, bx_access_line(a), false, bx_p6_after_stores(m, done));
    else
        stall_until(m, BX_P6_DATA_STALL, done);
    if (posted)
        next_access(m);
}

/* While it asserts LOCK#, the processor does nothing else, and nobody begins a transaction. */
static void lock_bus(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (!cpu->unblocked) {
        cpu->unblocked = true;
        stall_until(m, BX_P6_DATA_STALL, bx_p6_bus_lock(m, m->model.time.now));
        return;
    }
    cpu->pending = false;
    next_access(m);
}

/* A load, store or fetch. */
static void use_line(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;
    unsigned kind = bx_access_kind_of(cpu->access);
    uint64_t line = bx_access_line(cpu->access);
    struct found found = find(m, kind, line);

    if (waits(m, kind, line, found.misses))
        return;
    cpu->pending = false;
    uint64_t done = perform(m, kind, line, found);
    if (kind == BX_FETCH && done > m->model.time.now)
        stall_until(m, BX_P6_FETCH_STALL, done);
    else if (cpu->access & BX_ACCESS_DEPENDENT && done > m->model.time.now)
        stall_until(m, BX_P6_DATA_STALL, done);
    else
        next_access(m);
}

/* What is neither a remark nor a load, store or fetch of a line. */
static __attribute__((noinline)) void use_other(struct bx_p6 *m, bx_access a)
{
    if (bx_access_locks_bus(a)) {
        lock_bus(m);
    } else if (bx_access_is_uncacheable(a)) {
        use_device(m);
    } else if (a & BX_ACCESS_PREFETCH) {
        m->cpu.pending = false;
        bx_p6_prefetch(m, a, m->model.time.now);
        next_access(m);
    } else if (!bx_access_is_lock(a)) {
        use_line(m);
    } else if (!drains(m, m->times.locked)) {
        m->cpu.pending = false;
        next_access(m);
    }
}

static void access(struct bx_p6 *m)
{
    const bx_access others = BX_ACCESS_LOCK | BX_ACCESS_STEER | BX_ACCESS_PREFETCH |
                             BX_ACCESS_UNCACHEABLE,
                    a = m->cpu.access;

    if (a & BX_ACCESS_REMARK)
        use_remark(m, a);
    else if (a & others & ~(bx_access)3)
        use_other(m, a);
    else
        use_line(m);
}

/* Continues after a pause. */
static __attribute__((noinline)) void resume(struct bx_p6 *m)
{
    if (m->cells.mode != BX_P6_USER)
        wake(m);
    run_until(m, m->model.time.now + m->cpu.remaining);
}

void bx_p6_cpu_step(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (!cpu->pending)
        next_access(m);
    else if (cpu->phase == BX_P6_READY)
        resume(m);
    else
        access(m);
}

/* ---- feeds and pauses ---- */

void bx_p6_cpu_feed(struct bx_p6 *m, bx_feed *feed)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (cpu->phase != BX_P6_HALTED) {
        bx_p6_advance_to_event(m, m->model.time.now);
        halt(m);
    }
    cpu->feed = feed;
    cpu->ended = cpu->parked = false;
    cpu->pending = false;
    if (feed) {
        cpu->phase = BX_P6_READY;
        cpu->due = m->model.time.now;
    }
}

/* If the processor still waits for what it has caused, it continues after that. */
void bx_p6_cpu_wake(struct bx_p6 *m)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (!cpu->parked)
        return;
    cpu->ended = cpu->parked = false;
    if (cpu->phase == BX_P6_HALTED) {
        cpu->phase = BX_P6_READY;
        cpu->due = m->model.time.now;
    }
}

void bx_p6_cpu_pause(struct bx_p6 *m, uint64_t until)
{
    struct bx_p6_cpu *cpu = &m->cpu;

    if (cpu->phase == BX_P6_HALTED)
        return;
    if (cpu->phase == BX_P6_RUNNING) {
        cpu->remaining = cpu->due - m->model.time.now;
        cpu->due = until;
    } else if (cpu->phase == BX_P6_STALLED) {
        cpu->remaining = 0;
    }
    if (cpu->phase != BX_P6_READY) {
        bx_p6_advance_to_event(m, m->model.time.now);
        halt(m);
    }
    cpu->phase = BX_P6_READY;
    cpu->due = bx_later(cpu->due, until);
}
