/* Runs the P6 machine: the turns of its two agents, and power-on. */
#include "model/machine/p6/machine.h"

#include "model/core/tlb.h"
#include "model/engine/attribution.h"

/* ---- runs ---- */

/* The time of the next turn. BX_NEVER: no agent has work. At equal times the processor comes
 * first. */
static uint64_t next_turn(const struct bx_p6 *m, bool *io)
{
    uint64_t cpu = m->cpu.phase == BX_P6_HALTED ? BX_NEVER : m->cpu.due;
    uint64_t other = m->io.waiting ? m->io.due : BX_NEVER;

    *io = other < cpu;
    return *io ? other : cpu;
}

/* ---- who caused it: docs/explanation/attribution.md ---- */

static enum bx_cause cause_of_stall(unsigned reason)
{
    return reason == BX_P6_FETCH_STALL      ? BX_WAIT_FETCH
           : reason == BX_P6_RESOURCE_STALL ? BX_WAIT_BUFFER
           : reason == BX_P6_DRAIN_STALL    ? BX_WAIT_STORES
           : reason == BX_P6_BRANCH_STALL   ? BX_WAIT_BRANCH
           : reason == BX_P6_DIVIDE_STALL   ? BX_ISSUE
           : reason == BX_P6_MASKED         ? BX_WAIT_KERNEL
                                            : BX_WAIT_DATA;
}

/* The time since the last turn was the processor's present access's. */
static void attribute_time(struct bx_p6 *m)
{
    const struct bx_p6_cpu *cpu = &m->cpu;
    bool runs = cpu->phase == BX_P6_RUNNING;

    bx_attribution_pass(&m->model, bx_p6_at_work(m), runs ? BX_ISSUE : cause_of_stall(cpu->reason));
}

/* asked: the device's access. */
static void attribute_step(struct bx_p6 *m, bool io, bx_access asked)
{
    if (io)
        bx_attribution_device(&m->model, asked);
    else
        bx_attribution_own(&m->model);
}

static bool p6_run(bx_model *model, uint64_t until)
{
    struct bx_p6 *m = bx_p6_of(model);
    bool io;

    if (until < m->model.time.now)
        until = m->model.time.now;
    bx_p6_advance(m, m->model.time.now); /* an alarm that is due */
    for (uint64_t turn; (turn = next_turn(m, &io)) < until;) {
        bx_p6_advance_to_event(m, turn);
        bx_access asked = io ? *m->io.feed->next : 0;
        if (model->attribution)
            attribute_time(m);
        if (model->attribution && io)
            bx_attribution_take_device(model);
        if (io)
            bx_p6_io_step(m);
        else
            bx_p6_cpu_step(m);
        if (model->attribution)
            attribute_step(m, io, asked);
    }
    uint64_t end = BX_NEVER;
    if (next_turn(m, &io) == BX_NEVER)
        end = bx_later(m->model.time.now, bx_later(m->cpu.end, m->io.end));
    bx_p6_advance(m, bx_sooner(end, until));
    if (model->attribution)
        attribute_time(m);
    return end <= until;
}

static void p6_idle(bx_model *model, uint64_t cycles)
{
    struct bx_p6 *m = bx_p6_of(model);
    uint64_t until = m->model.time.now + cycles;

    bx_p6_cpu_pause(m, until);
    bx_p6_io_pause(m, until);
    bx_p6_advance(m, until);
}

static void p6_feed(bx_model *model, unsigned agent, bx_feed *feed)
{
    struct bx_p6 *m = bx_p6_of(model);

    if (agent == 0)
        bx_p6_cpu_feed(m, feed);
    else if (agent == BX_AGENT_IO)
        bx_p6_io_feed(m, feed);
}

static void p6_wake(bx_model *model, unsigned agent)
{
    struct bx_p6 *m = bx_p6_of(model);

    if (agent == 0)
        bx_p6_cpu_wake(m);
    else if (agent == BX_AGENT_IO)
        bx_p6_io_wake(m);
}

/* Both agents ask for accesses at the machine's time. */
static uint64_t p6_clock(const bx_model *model, unsigned agent)
{
    (void)agent;
    return model->time.now;
}

/* ---- power-on ---- */

static const struct bx_core_caches_kind own_caches = {
    .line_bytes = 32,
    .own = {{16 << 10, 4, 0}, {16 << 10, 4, 0}, {512 << 10, 4, BX_INCLUSION_NONE}},
    .policy = {&bx_policy_plru, &bx_policy_plru, &bx_policy_plru},
    .share_drops_modified = true,
    .tells_victims = true,
};

static bx_tlb_size itlb_size(const bx_model_shape *shape)
{
    static const bx_tlb_size own = {32, 4, 0};

    return shape->tlbs ? shape->tlbs->l1[BX_TLB_INSTRUCTIONS][BX_PAGE_4K] : own;
}

static int p6_check(const bx_model_shape *shape, bx_error *e)
{
    enum { SETS_MOST = 1024 };

    return bx_tlb_check_size("the ITLB", itlb_size(shape), SETS_MOST, false, e);
}

static void p6_power_on(bx_model *model, const bx_model_shape *shape)
{
    struct bx_p6 *m = bx_p6_of(model);
    bx_tlb_size size = itlb_size(shape);
    struct bx_cache_geometry itlb = {.sets = size.entries / size.ways,
                                     .replacement = &m->itlb_policy};

    bx_replacement_make(&m->itlb_policy, bx_tlb_policy(size), size.ways);
    m->times = shape->times;
    m->cells.present = m->cells.cell[m->cells.mode];
    m->predicts = !shape->no_predictor;
    m->bus.line_clocks = (1u << model->caches.line_shift) / BX_P6_BUS_BYTES;
    m->privates =
        bx_privates_new(&model->caches, &(bx_model_times){.super_queue = m->times.super_queue},
                        &m->core, &model->memory);
    bx_cache_power_on(&m->itlb, &model->memory, &itlb);
    m->itlb_last = BX_P6_NO_PAGE;
}

/* Times: docs/explanation/model-p6.md. */
const struct bx_model_kind bx_p6_model = {
    .remarks = true,
    .devices = BX_DEVICE_REGISTERS | BX_DEVICE_PORTS,
    .name = "p6",
    .caches = &own_caches,
    .limits = {.name = "a P6 machine", .packages = 1, .cores = 1},
    .times = {.fill_buffers = 4,
              .store_buffer = 12,
              .super_queue = 4,
              .l1_hit = 1,
              .l2_lookup = 6,
              .l2_line = 8,
              .itlb_walk = 20,
              .bus_clock = 7,
              .bus_request = 3,
              .bus_lock = 100,
              .divide = 37,
              .interrupt_cycles = 2000,
              .bus_snoop = 4,
              .bus_stall = 2,
              .bus_read = 10,
              .bus_defer = 17,
              .bus_write = 4,
              .bus_invalidate = 6},
    .size = sizeof(struct bx_p6),
    .check = p6_check,
    .power_on = p6_power_on,
    .feed = p6_feed,
    .run = p6_run,
    .idle = p6_idle,
    .wake = p6_wake,
    .clock = p6_clock,
    .box = bx_p6_signals,
    .boxes = BX_P6_BOXES,
    .find_unit = bx_p6_find_unit,
};
