#include "stage/work/clock.h"

#include "machine/machine.h"
#include "machine/program/host_program.h"
#include "machine/program/tracer.h"
#include "stage/work/follow.h"

enum {
    SECOND = 1000000000,
    TICK_MS = 1,         /* how often work continues while nobody asks for anything */
    MAX_LAG = 10000000,  /* ns: more than that the machine does not try to make up for */
    ASLEEP = 20000000,   /* ns without any access: perhaps the program sleeps */
    MIN_STEP_NS = 50000, /* ns that a step should take, at least and at most */
    MAX_STEP_NS = 150000,
    SMALLEST_STEP = 1 << 8,
    LARGEST_STEP = 1 << 26,
};

static bool has_work(const bx_stage_clock *p)
{
    return p->workload || p->program;
}

static int load(bx_stage_clock *p, bx_error *e)
{
    p->loaded = p->accesses = bx_machine_accesses(p->machine);
    return p->program    ? bx_machine_load_program(p->machine, p->program, e)
           : p->workload ? bx_machine_load_workload(p->machine, p->workload, e)
                         : BX_OK;
}

int bx_stage_clock_begin(bx_stage_clock *p, bx_error *e)
{
    int rc = load(p, e);
    if (rc == BX_OK && p->program) {
        bx_tracer_await(p->machine->tracer);
        rc = bx_tracer_check(p->machine->tracer, e);
    }
    p->since = bx_process_clock();
    p->start = bx_machine_now(p->machine);
    p->step = SMALLEST_STEP;
    return rc;
}

static uint64_t cycles_in(const bx_stage_clock *p, uint64_t ns)
{
    return ns / SECOND * p->hz + ns % SECOND * p->hz / SECOND;
}

/* Where nothing is left to do, the work begins again. */
static void work(bx_stage_clock *p, uint64_t until)
{
    bool done = false;
    int rc = bx_machine_run(p->machine, until, &done, &p->trouble);
    if (rc == BX_OK && done)
        rc = load(p, &p->trouble);
    if (rc != BX_OK) {
        bx_machine_unload(p->machine);
        p->workload = NULL;
        p->program = NULL;
    }
}

/* Whether the machine's time has to wait for the program: while that is being started, and between
 * two accesses unless it sleeps. */
static bool waits(bx_stage_clock *p, uint64_t clock)
{
    uint64_t accesses = bx_machine_accesses(p->machine);
    if (accesses != p->accesses) {
        p->accesses = accesses;
        p->active = clock;
    }
    return bx_machine_waits(p->machine) && (accesses == p->loaded || clock - p->active < ASLEEP ||
                                            !bx_follow_sleeps(bx_machine_pid(p->machine)));
}

/* false: nothing can be done at present. */
static bool step(bx_stage_clock *p, uint64_t until, uint64_t clock)
{
    uint64_t now = bx_machine_now(p->machine);
    if (has_work(p))
        work(p, until - now < p->step ? until : now + p->step);
    if (waits(p, clock))
        return false;
    now = bx_machine_now(p->machine);
    if (now < until && (!has_work(p) || bx_machine_waits(p->machine)))
        bx_machine_idle(p->machine, until - now);
    return true;
}

void bx_stage_clock_catch_up(bx_stage_clock *p, uint64_t budget)
{
    uint64_t began = bx_process_clock(), clock = began;
    uint64_t due = p->start + cycles_in(p, began - p->since);
    while (bx_machine_now(p->machine) < due && clock - began < budget) {
        if (!step(p, due, clock))
            break;
        uint64_t now = bx_process_clock();
        if (now - clock < MIN_STEP_NS && p->step < LARGEST_STEP)
            p->step *= 2;
        else if (now - clock > MAX_STEP_NS && p->step > SMALLEST_STEP)
            p->step /= 2;
        clock = now;
    }
    uint64_t reached = bx_machine_now(p->machine);
    if (reached < due && due - reached > cycles_in(p, MAX_LAG)) {
        p->since = began;
        p->start = reached;
    }
    bx_vpmu_catch_up(p->machine->vpmu);
    bx_stage_clock_notify(p);
}

void bx_stage_clock_notify(const bx_stage_clock *p)
{
    if (p->advanced)
        p->advanced(p->context);
}

int bx_stage_clock_timeout(const bx_stage_clock *p)
{
    if (p->hz == 0 || !(has_work(p) || p->needs_ticks))
        return -1;
    if (bx_machine_waits(p->machine))
        return TICK_MS;
    uint64_t due = p->start + cycles_in(p, bx_process_clock() - p->since);
    return bx_machine_now(p->machine) < due && due - bx_machine_now(p->machine) > p->step ? 0
                                                                                          : TICK_MS;
}
