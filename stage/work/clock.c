/* Runs the machine in steps, and adjusts the length of a step to the speed of the model. */
#include "stage/work/clock.h"

#include "machine/machine.h"
#include "machine/program/process/host_program.h"
#include "model/model.h"
#include "stage/work/follow.h"

enum {
    SECOND = 1000000000,
    BARE_HZ = SECOND,    /* clock rate without a machine: a cycle is 1 ns */
    INTERRUPTS = 1000,   /* of the timer in a second */
    TICK_MS = 1,         /* ms between two catch-ups while no request arrives */
    MAX_LAG = 10000000,  /* ns: a longer lag is not made up for */
    ASLEEP = 20000000,   /* ns without an access after which the program may be sleeping */
    MIN_STEP_NS = 50000, /* ns of the host's time: a step takes at least this, at most the next */
    MAX_STEP_NS = 150000,
    SMALLEST_STEP = 1 << 8,
    LARGEST_STEP = 1 << 26,
};

static bool has_work(const bx_stage_clock *c)
{
    return c->workload || c->program;
}

static int load(bx_stage_clock *c, bx_error *e)
{
    c->loaded = c->accesses = bx_machine_accesses(c->machine);
    return c->program    ? bx_machine_load_program(c->machine, c->program, e)
           : c->workload ? bx_machine_load_workload(c->machine, c->workload, e)
                         : BX_OK;
}

uint64_t bx_stage_clock_now(const bx_stage_clock *c)
{
    return c->machine ? bx_machine_now(c->machine) : c->passed;
}

uint64_t bx_stage_clock_hz(const bx_stage_clock *c)
{
    return c->machine ? (uint64_t)bx_machine_hz(c->machine) : BARE_HZ;
}

int bx_stage_clock_begin(bx_stage_clock *c, bx_error *e)
{
    int code = c->machine ? load(c, e) : BX_OK;
    if (code == BX_OK && c->program)
        code = bx_machine_await(c->machine, e);
    c->wall_base = bx_process_clock();
    c->cycle_base = bx_stage_clock_now(c);
    c->step = SMALLEST_STEP;
    return code;
}

static uint64_t cycles_in(const bx_stage_clock *c, uint64_t ns)
{
    return ns / SECOND * c->hz + ns % SECOND * c->hz / SECOND;
}

/* Runs the work until that cycle, and restarts it when it has ended. */
static void work(bx_stage_clock *c, uint64_t until)
{
    bool done = false;
    int code = bx_machine_run(c->machine, until, &done, &c->trouble);
    if (code == BX_OK && done)
        code = load(c, &c->trouble);
    if (code != BX_OK) {
        bx_machine_unload(c->machine);
        c->workload = NULL;
        c->program = NULL;
    }
}

/* Whether the machine's time has to wait for the program: while it starts, and between two accesses
 * unless it sleeps. */
static bool waits(bx_stage_clock *c, uint64_t wall)
{
    uint64_t accesses = bx_machine_accesses(c->machine);
    if (accesses != c->accesses) {
        c->accesses = accesses;
        c->active = wall;
    }
    return bx_machine_waits(c->machine) && (accesses == c->loaded || wall - c->active < ASLEEP ||
                                            !bx_follow_sleeps(bx_machine_pid(c->machine)));
}

/* The timer of each core without work: a kernel's core is never without instructions for long. */
static void interrupt(bx_stage_clock *c)
{
    uint64_t now = bx_machine_now(c->machine);
    if (now < c->next_interrupt)
        return;
    bx_model_interrupt_idle(bx_machine_model(c->machine),
                            bx_topology_shape(&c->machine->topology, "timer"));
    c->next_interrupt = now + (uint64_t)bx_machine_hz(c->machine) / INTERRUPTS + 1;
}

/* false: the machine has to wait for the program. */
static bool step(bx_stage_clock *c, uint64_t until, uint64_t wall)
{
    uint64_t now = bx_machine_now(c->machine);
    if (has_work(c))
        work(c, until - now < c->step ? until : now + c->step);
    if (waits(c, wall))
        return false;
    now = bx_machine_now(c->machine);
    if (now < until && (!has_work(c) || bx_machine_waits(c->machine)))
        bx_machine_idle(c->machine, (until < c->next_interrupt ? until : c->next_interrupt) - now);
    interrupt(c);
    return true;
}

void bx_stage_clock_catch_up(bx_stage_clock *c, uint64_t budget)
{
    uint64_t began = bx_process_clock(), wall = began;
    uint64_t due = c->cycle_base + cycles_in(c, began - c->wall_base);
    if (!c->machine) {
        c->passed = !c->held && c->passed < due ? due : c->passed;
        bx_stage_clock_notify(c);
        return;
    }
    while (!c->held && bx_machine_now(c->machine) < due && wall - began < budget) {
        if (!step(c, due, wall))
            break;
        uint64_t now = bx_process_clock();
        if (now - wall < MIN_STEP_NS && c->step < LARGEST_STEP)
            c->step *= 2;
        else if (now - wall > MAX_STEP_NS && c->step > SMALLEST_STEP)
            c->step /= 2;
        wall = now;
    }
    uint64_t reached = bx_machine_now(c->machine);
    if (!c->held && reached < due && due - reached > cycles_in(c, MAX_LAG)) {
        c->wall_base = began;
        c->cycle_base = reached;
    }
    bx_vpmu_catch_up(bx_machine_vpmu(c->machine));
    bx_stage_clock_notify(c);
}

void bx_stage_clock_notify(const bx_stage_clock *c)
{
    if (c->advanced)
        c->advanced(c->context);
}

int bx_stage_clock_timeout(const bx_stage_clock *c)
{
    if (c->hz == 0 || !(has_work(c) || c->needs_ticks))
        return -1;
    if (bx_machine_waits(c->machine))
        return TICK_MS;
    uint64_t due = c->cycle_base + cycles_in(c, bx_process_clock() - c->wall_base);
    return bx_machine_now(c->machine) < due && due - bx_machine_now(c->machine) > c->step ? 0
                                                                                          : TICK_MS;
}
