/* The accesses of the P6 processor, its L1 and its L2. */
#include "machine.h"

enum { LINES_OF_PAGE = 128 };

/* The transfers of one access: from `carry` on, the bus between processor and L2 is free for it. */
struct moves {
    uint64_t t;     /* the access takes effect */
    uint64_t carry; /* the next line of this access can be carried */
};

/* ---- lines between processor and L2 ---- */

static void carry(struct p6_oracle *o, struct moves *m, bool to_processor)
{
    p6_count(o, 0x22, 0, m->carry, m->carry + o->times.l2_line);
    if (to_processor)
        p6_count(o, 0x23, 0, m->carry, m->carry + o->times.l2_line);
    m->carry += o->times.l2_line;
    o->processor.all_done = p6_later(o->processor.all_done, m->carry);
}

/* A victim in M is transferred to the processor and written back from there. */
static void fill_l2(struct p6_oracle *o, struct moves *m, uint64_t line, enum p6_state state)
{
    struct p6_copy victim = p6_fill(&o->processor.l2, line, state);

    p6_pulse_of_code(o, 0x21, 0, m->t);
    p6_pulse_of_code(o, 0x24, 0, m->t);
    if (state == P6_M)
        p6_pulse_of_code(o, 0x25, 0, m->t);
    if (victim.state == P6_I)
        return;
    p6_pulse_of_code(o, 0x26, 0, m->t);
    if (victim.state != P6_M)
        return;
    p6_pulse_of_code(o, 0x27, 0, m->t);
    carry(o, m, true);
    p6_transact(o, P6_WB, m->carry);
}

/* The DCU evicts a line in M. */
static void take_back(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    struct p6_copy *copy = p6_find(&o->processor.l2, line);

    p6_pulse_of_code(o, 0x47, 0, m->t);
    if (copy) {
        copy->state = P6_M;
        p6_pulse_of_code(o, 0x21, 0, m->t);
    }
    carry(o, m, false);
    if (!copy)
        fill_l2(o, m, line, P6_M);
}

static void fill_dcu(struct p6_oracle *o, struct moves *m, uint64_t line, enum p6_state state)
{
    struct p6_copy victim = p6_fill(&o->processor.dcu, line, state);

    p6_pulse_of_code(o, 0x45, 0, m->t);
    if (state == P6_M)
        p6_pulse_of_code(o, 0x46, 0, m->t);
    if (victim.state == P6_M)
        take_back(o, m, victim.line);
}

/* Returns the state of the line in L2. */
static enum p6_state request_l2(struct p6_oracle *o, struct moves *m, unsigned code, uint64_t line)
{
    enum p6_state state = p6_state_of(&o->processor.l2, line);

    if (state != P6_I)
        p6_touch(&o->processor.l2, line);
    p6_pulse_of_code(o, code, state, m->t);
    p6_pulse_of_code(o, 0x2e, state, m->t);
    p6_pulse_of_code(o, 0x21, 0, m->t);
    return state;
}

/* The line has arrived from memory. */
static void carry_from_memory(struct p6_oracle *o, struct moves *m, uint64_t come)
{
    m->carry = p6_later(m->carry, come);
    carry(o, m, false);
}

/* L2 has the line, but perhaps only since a prefetch: then it is waited for. */
static void carry_from_l2(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    uint64_t from = m->carry;

    for (unsigned i = 0; i < o->times.super_queue; i++) {
        const struct p6_prefetched *on = &o->processor.prefetched[i];
        if (on->line == line && on->until > from)
            m->carry = p6_later(m->carry, on->until);
    }
    carry(o, m, true);
}

/* ---- "Prefetchers" ---- */

static const unsigned requests[] = {[BX_LOAD] = 0x29, [BX_STORE] = 0x2a, [BX_FETCH] = 0x28};

static void prefetch_from_memory(struct p6_oracle *o, struct moves *m, uint64_t line, unsigned kind)
{
    static const enum p6_transaction reads[] = {
        [BX_LOAD] = P6_BRD, [BX_STORE] = P6_RFO, [BX_FETCH] = P6_IFETCH};
    struct p6_prefetched *entry = o->processor.prefetched;
    const struct p6_prefetched *end = entry + o->times.super_queue;

    while (entry < end && entry->until > m->t)
        entry++;
    if (entry == end)
        return;
    uint64_t come = p6_transact(o, reads[kind], m->carry);
    request_l2(o, m, requests[kind], line);
    fill_l2(o, m, line, P6_E);
    *entry = (struct p6_prefetched){line, come};
    carry_from_memory(o, m, come);
}

static void prefetch(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    struct moves m = {.t = p->time, .carry = p->time + o->times.l2_lookup};
    uint64_t line = bx_access_line(p->access);
    unsigned by = p->access >> 57 & 3, kind = p->access >> 59 & 3;
    bool for_dcu = by == BX_PREFETCHER_NEXT || by == BX_PREFETCHER_STRIDE;
    enum p6_state state = p6_state_of(&p->l2, line);

    p->clock = p->time;
    if (p6_find(&p->dcu, line) || (!for_dcu && (p6_find(&p->l1i, line) || state != P6_I)))
        return;
    if (state == P6_I) {
        prefetch_from_memory(o, &m, line, kind);
        return;
    }
    for (unsigned i = 0; i < o->times.super_queue; i++)
        if (p->prefetched[i].line == line && p->prefetched[i].until > m.t)
            return;
    request_l2(o, &m, requests[kind], line);
    carry(o, &m, true);
    fill_dcu(o, &m, line, state == P6_S ? P6_S : P6_E);
}

/* ---- accesses: each returns its completion ---- */

static uint64_t load_miss(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    enum p6_state state = request_l2(o, m, 0x29, line);
    uint64_t completion;

    if (state != P6_I) {
        carry_from_l2(o, m, line);
        completion = m->carry;
        fill_dcu(o, m, line, state == P6_S ? P6_S : P6_E);
    } else {
        completion = p6_transact(o, P6_BRD, m->t + o->times.l2_lookup);
        fill_l2(o, m, line, P6_E);
        fill_dcu(o, m, line, P6_E);
        carry_from_memory(o, m, completion);
    }
    p6_count(o, 0x48, 0, m->t, state == P6_I ? completion - 2 : completion);
    return completion;
}

/* An access, without the order of stores. */
static uint64_t store_miss_alone(struct p6_oracle *o, struct moves *m, uint64_t line,
                                 enum p6_state state)
{
    struct p6_copy *own = p6_find(&o->processor.dcu, line);
    uint64_t completion = m->t;

    if (own || state == P6_S)
        completion = p6_transact(o, P6_INVAL, m->t + o->times.l2_lookup);
    if (state == P6_S)
        p6_find(&o->processor.l2, line)->state = P6_E;
    if (own) {
        own->state = P6_M;
        p6_touch(&o->processor.dcu, line);
    } else if (state != P6_I) {
        carry_from_l2(o, m, line);
        completion = p6_later(completion, m->carry);
        fill_dcu(o, m, line, P6_M);
    } else {
        completion = p6_transact(o, P6_RFO, m->t + o->times.l2_lookup);
        fill_l2(o, m, line, P6_E);
        fill_dcu(o, m, line, P6_M);
        carry_from_memory(o, m, completion);
    }
    return completion;
}

static uint64_t in_order(struct p6_oracle *o, uint64_t completion)
{
    struct p6_processor *p = &o->processor;
    return p->stores_done = p6_later(p->stores_done, completion);
}

static uint64_t store_miss(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    enum p6_state state = request_l2(o, m, 0x2a, line);
    uint64_t completion = in_order(o, store_miss_alone(o, m, line, state));

    p6_count(o, 0x48, 0, m->t, state == P6_I ? completion - 2 : completion);
    return completion;
}

static uint64_t store_hit(struct p6_oracle *o, uint64_t line, uint64_t t)
{
    p6_touch(&o->processor.dcu, line);
    p6_find(&o->processor.dcu, line)->state = P6_M;
    return in_order(o, t + 1);
}

static uint64_t walk(struct p6_oracle *o, uint64_t line, uint64_t t)
{
    struct p6_cache *itlb = &o->processor.itlb;
    uint64_t page = line / LINES_OF_PAGE;

    if (p6_find(itlb, page)) {
        p6_touch(itlb, page);
        return t;
    }
    p6_pulse_of_code(o, 0x85, 0, t);
    p6_fill(itlb, page, P6_E);
    return t + o->times.itlb_walk;
}

static uint64_t fetch_miss(struct p6_oracle *o, struct moves *m, uint64_t line, uint64_t walked)
{
    struct p6_processor *p = &o->processor;
    uint64_t completion;

    p6_pulse_of_code(o, 0x81, 0, m->t);
    m->carry = walked + o->times.l2_lookup;
    if (p6_state_of(&p->dcu, line) == P6_M) {
        p6_drop(&p->dcu, line);
        take_back(o, m, line);
    }
    if (request_l2(o, m, 0x28, line) != P6_I) {
        carry_from_l2(o, m, line);
        completion = m->carry;
    } else {
        completion = p6_transact(o, P6_IFETCH, walked + o->times.l2_lookup);
        fill_l2(o, m, line, P6_E);
        carry_from_memory(o, m, completion);
    }
    p6_fill(&p->l1i, line, P6_E);
    return completion;
}

static uint64_t fetch(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    struct p6_processor *p = &o->processor;
    uint64_t walked = walk(o, line, m->t), completion = walked;

    p6_pulse_of_code(o, 0x80, 0, m->t);
    if (p6_find(&p->l1i, line))
        p6_touch(&p->l1i, line);
    else
        completion = fetch_miss(o, m, line, walked);
    p6_count(o, 0x86, 0, m->t, completion);
    return completion;
}

/* ---- waiting ---- */

static bool misses_dcu(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    enum p6_state state = p6_state_of(&p->dcu, bx_access_line(p->access));

    switch (p->access & 3) {
    case BX_LOAD:
        return state == P6_I;
    case BX_STORE:
        return state != P6_M && state != P6_E;
    default:
        return false;
    }
}

/* When the stores that a load waits for are done. */
static uint64_t store_of_line_done(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t done = 0;

    for (unsigned i = 0; i < o->times.store_buffer; i++)
        if (p->store[i].missed && p->store[i].line == bx_access_line(p->access))
            done = p6_later(done, p->store[i].done);
    return done;
}

static uint64_t buffers_free(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t free = misses_dcu(o) ? p->fill_buffer[p->next_fill_buffer] : 0;

    return (p->access & 3) == BX_STORE ? p6_later(free, p->store[p->next_store].done) : free;
}

/* Returns whether the access has to wait; then it waits until p->time. */
static bool waits(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t t = p->time;

    if (!p->unblocked && (p->access & 3) == BX_LOAD && store_of_line_done(o) > t) {
        p->time = store_of_line_done(o);
        p->unblocked = true;
        p6_pulse_of_code(o, 0x03, 0, t);
        p6_count(o, 0x04, 0, t, p->time);
        return true;
    }
    if (buffers_free(o) > t) {
        p->time = buffers_free(o);
        p6_count(o, 0xa2, 0, t, p->time);
        return true;
    }
    return false;
}

/* ---- work ---- */

static void take_fill_buffer(struct p6_oracle *o, uint64_t completion)
{
    struct p6_processor *p = &o->processor;
    bool loads = (p->access & 3) == BX_LOAD;

    p->loading[p->next_fill_buffer] = loads ? bx_access_line(p->access) : UINT64_MAX;
    p->fill_buffer[p->next_fill_buffer] = completion;
    p->next_fill_buffer = (p->next_fill_buffer + 1) % o->times.fill_buffers;
}

/* A dependent load that hits the DCU waits for the line, if a load has requested it. */
static uint64_t load_hit(const struct p6_oracle *o, uint64_t line, uint64_t t)
{
    const struct p6_processor *p = &o->processor;
    uint64_t completion = t + o->times.l1_hit - 1;

    for (unsigned i = 0; p->access & BX_ACCESS_DEPENDENT && i < o->times.fill_buffers; i++)
        if (p->loading[i] == line)
            completion = p6_later(completion, p->fill_buffer[i]);
    return completion;
}

static uint64_t load(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    p6_pulse_of_code(o, 0x43, 0, m->t);
    if (!misses_dcu(o)) {
        p6_touch(&o->processor.dcu, line);
        return load_hit(o, line, m->t);
    }
    uint64_t completion = load_miss(o, m, line);
    take_fill_buffer(o, completion);
    return completion;
}

static uint64_t store(struct p6_oracle *o, struct moves *m, uint64_t line)
{
    struct p6_processor *p = &o->processor;
    bool misses = misses_dcu(o);
    uint64_t completion = misses ? store_miss(o, m, line) : store_hit(o, line, m->t);

    p6_pulse_of_code(o, 0x43, 0, m->t);
    p6_pulse_of_code(o, 0xc2, 0, m->t);
    p->stored = m->t;
    if (misses)
        take_fill_buffer(o, completion);
    p->store[p->next_store] = (struct p6_store){line, completion, misses};
    p->next_store = (p->next_store + 1) % o->times.store_buffer;
    return completion;
}

static void execute(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    struct moves m = {.t = p->time, .carry = p->time + o->times.l2_lookup};
    unsigned kind = p->access & 3;
    uint64_t line = bx_access_line(p->access), completion;

    if (kind == BX_FETCH)
        completion = fetch(o, &m, line);
    else if (kind == BX_STORE)
        completion = store(o, &m, line);
    else
        completion = load(o, &m, line);
    p->all_done = p6_later(p->all_done, completion);
    p->clock = m.t;
    if (kind == BX_FETCH || p->access & BX_ACCESS_DEPENDENT)
        p->clock = completion;
}

/* At the end of its work the processor waits, and then it is halted. */
static void end_work(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t drained = p6_later(p->clock, p->stores_done);

    p6_count(o, 0x04, 0, p->clock, drained);
    p->clock = p6_later(drained, p->all_done);
    p6_count(o, 0x79, 0, p->begun, p->clock);
}

static uint64_t tick_after(const struct p6_oracle *o, uint64_t t)
{
    return o->times.interrupt ? (t / o->times.interrupt + 1) * o->times.interrupt : UINT64_MAX;
}

/* "Interrupts" */
static void interrupt(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t end = p->clock + o->times.interrupt_cycles;

    if (p->clock < p->tick || p->stored == p->clock)
        return;
    p6_pulse_of_code(o, 0xc8, 0, p->clock);
    p6_count(o, 0xc6, 0, p->clock, end);
    p->tick = tick_after(o, p->clock);
    if (p->tick < end)
        p6_count(o, 0xc7, 0, p->tick, end);
    p->clock = end;
}

static void next_access(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;

    p->working = p->next != p->end;
    if (!p->working) {
        end_work(o);
        return;
    }
    interrupt(o);
    p->access = *p->next++;
    if ((p->access & 3) == BX_NON_TEMPORAL && !(p->access & BX_ACCESS_PREFETCH) &&
        !bx_access_is_uncacheable(p->access) && !bx_access_is_lock(p->access) &&
        !bx_access_locks_bus(p->access)) /* a store like others */
        p->access -= BX_NON_TEMPORAL - BX_STORE;
    p->unblocked = false;
    p->time = p->clock + (p->access >> 4 & BX_ACCESS_COST_MAX);
    p6_count(o, 0xc0, 0, p->clock, p->time);
    p6_count(o, 0xd0, 0, p->clock, p->time);
    p6_count(o, 0xc2, 0, p->clock, p->time);
}

/* model-branches.md: what each bit of a remark on a branch counts, mispredictions first. */
static void branch(struct p6_oracle *o, unsigned what)
{
    static const uint8_t counts[8][4] = {{0x89, 0xc5, 0x8c},
                                         {0x89, 0xc5, 0xca, 0x8c},
                                         {0x89, 0xc5, 0xca, 0x8e},
                                         {0x89, 0xc5, 0xca, 0x8e},
                                         {0x89, 0xc5, 0xca, 0x90},
                                         {0xe2},
                                         {0xe6},
                                         {0xe4}};
    enum { MISSES = 0x1f, BY_CALL = 3, FOUND = 0xc0 };
    struct p6_processor *p = &o->processor;

    for (unsigned bit = 0; bit < 8; bit++)
        for (unsigned i = 0; what >> bit & 1 && i < 4 && counts[bit][i]; i++)
            p6_pulse_of_code(o, counts[bit][i], 0, p->time);
    if (what >> BY_CALL & 1)
        p6_pulse_of_code(o, 0x93, 0, p->time);
    p->clock += what & MISSES ? o->times.mispredict : what & FOUND ? o->times.resteer : 0;
}

/* "Divisions": one after the other. */
static void divide(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;

    p->time = p6_later(p->time, p->divided);
    p->divided = p->time + o->times.divide;
    p->all_done = p6_later(p->all_done, p->divided);
    p6_count(o, 0x14, 0, p->time, p->divided);
}

/* "Remarks": not an access. */
static void remark(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    unsigned what = p->access >> 16 & 0xffff, class = p->access >> 32 & 0xff;

    if (class == BX_CLASS_DIVIDE || class == BX_CLASS_X87_DIVIDE)
        divide(o);
    p->clock = p->time;
    p6_instruction(o, class, p->time);
    if (what & BX_REMARK_TAKEN)
        p6_pulse_of_code(o, 0xc9, 0, p->time);
    if (what & BX_REMARK_MISALIGNED)
        p6_pulse_of_code(o, 0x05, 0, p->time);
    branch(o, what >> 8);
}

/* "Locked operations": not an access. */
static void begin_locked(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t drained = p6_later(p->time, p->stores_done);

    p6_count(o, 0x04, 0, p->time, drained);
    p->clock = drained;
    for (unsigned i = 0; i < o->times.fill_buffers; i++)
        p->clock = p6_later(p->clock, p->fill_buffer[i]);
    p->clock += o->times.locked;
}

/* Returns whether IN, OUT or a load from a register has to wait. */
static bool waits_for_all(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t before = p->time;

    if (p->stores_done > before) {
        p->time = p->stores_done;
        p6_count(o, 0x04, 0, before, p->time);
        return true;
    }
    for (unsigned i = 0; i < o->times.fill_buffers; i++)
        p->time = p6_later(p->time, p->fill_buffer[i]);
    return p->time > before;
}

/* "Devices". Returns whether it is done; else it waits. */
static bool use_device(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    bool port = p->access >> 55 & 1, store = (p->access >> 59 & 3) == BX_STORE;
    uint64_t t = p->time;

    if (store && !port && p->store[p->next_store].done > t) {
        p->time = p->store[p->next_store].done;
        p6_count(o, 0xa2, 0, t, p->time);
        return false;
    }
    if ((!store || port) && waits_for_all(o))
        return false;
    if (!port)
        p6_pulse_of_code(o, 0x43, 0, t);
    uint64_t done = p6_use_device(o, p->access, t);
    p->clock = done;
    if (store && !port) {
        p->clock = t;
        p6_pulse_of_code(o, 0xc2, 0, t);
        p->stored = t;
        p->store[p->next_store] =
            (struct p6_store){bx_access_line(p->access), in_order(o, done), false};
        p->next_store = (p->next_store + 1) % o->times.store_buffer;
        p->all_done = p6_later(p->all_done, p->stores_done);
    }
    return true;
}

/* "Locks of the bus": not an access. */
static void lock_bus(struct p6_oracle *o)
{
    struct p6_processor *p = &o->processor;
    uint64_t clock = o->times.bus_clock;

    p->clock = p->time + o->times.bus_lock;
    p->all_done = p6_later(p->all_done, p->clock);
    p6_count(o, 0x63, P6_SELF_AND_ANY, p->time, p->clock);
    o->bus.next = p6_later(o->bus.next, (p->clock + clock - 1) / clock);
}

void p6_processor_step(struct p6_oracle *o)
{
    if (bx_access_locks_bus(o->processor.access)) {
        lock_bus(o);
        next_access(o);
        return;
    }
    if (bx_access_is_uncacheable(o->processor.access)) {
        if (use_device(o))
            next_access(o);
        return;
    }
    if (o->processor.access & BX_ACCESS_REMARK) {
        remark(o);
        next_access(o);
        return;
    }
    if (o->processor.access & BX_ACCESS_PREFETCH) {
        prefetch(o);
        next_access(o);
        return;
    }
    if (bx_access_is_lock(o->processor.access)) {
        begin_locked(o);
        next_access(o);
        return;
    }
    if (waits(o))
        return;
    execute(o);
    next_access(o);
}

void p6_processor_begin(struct p6_oracle *o, struct p6_trace trace)
{
    struct p6_processor *p = &o->processor;

    p->next = trace.access;
    p->end = trace.n ? trace.access + trace.n : trace.access;
    p->begun = p->clock = o->now;
    p->tick = tick_after(o, o->now);
    if (trace.n != 0)
        next_access(o);
}
