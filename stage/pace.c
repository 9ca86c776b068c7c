#include "stage/pace.h"

#include "machine/machine.h"
#include "machine/process.h"

enum {
    SECOND = 1000000000,
    TICK_MS = 1,         /* how often work goes on while nobody asks for anything */
    FORGIVEN = 10000000, /* ns: more than that the machine does not try to make up for */
    SHORT = 50000,       /* ns that a step should take */
    LONG = 150000,
    SMALLEST_STEP = 1 << 8,
    LARGEST_STEP = 1 << 26,
};

int bx_pace_begin(bx_pace *p, bx_error *e)
{
    int rc = p->workload ? bx_machine_load_workload(p->machine, p->workload, e) : BX_OK;
    p->since = bx_process_clock();
    p->start = bx_machine_now(p->machine);
    p->step = SMALLEST_STEP;
    return rc;
}

static uint64_t cycles_in(const bx_pace *p, uint64_t ns)
{
    return ns / SECOND * p->hz + ns % SECOND * p->hz / SECOND;
}

/* Nothing is left to do: the work begins again, or, where that is impossible, ends. */
static void begin_again(bx_pace *p)
{
    bx_error ignored = {0};
    if (bx_machine_load_workload(p->machine, p->workload, &ignored) != BX_OK)
        p->workload = NULL;
}

static void step(bx_pace *p, uint64_t until)
{
    uint64_t now = bx_machine_now(p->machine);
    bx_error ignored = {0};
    bool done = false;
    if (!p->workload)
        bx_machine_idle(p->machine, until - now);
    else if (bx_machine_run(p->machine, until - now < p->step ? until : now + p->step, &done,
                            &ignored) == BX_OK &&
             done)
        begin_again(p);
}

void bx_pace_catch_up(bx_pace *p, uint64_t budget)
{
    uint64_t began = bx_process_clock(), clock = began;
    uint64_t due = p->start + cycles_in(p, began - p->since);
    while (bx_machine_now(p->machine) < due && clock - began < budget) {
        step(p, due);
        uint64_t now = bx_process_clock();
        if (now - clock < SHORT && p->step < LARGEST_STEP)
            p->step *= 2;
        else if (now - clock > LONG && p->step > SMALLEST_STEP)
            p->step /= 2;
        clock = now;
    }
    uint64_t reached = bx_machine_now(p->machine);
    if (reached < due && due - reached > cycles_in(p, FORGIVEN)) {
        p->since = began;
        p->start = reached;
    }
    bx_vpmu_catch_up(p->machine->vpmu);
    bx_pace_tell(p);
}

void bx_pace_tell(const bx_pace *p)
{
    if (p->passed)
        p->passed(p->context);
}

int bx_pace_patience(const bx_pace *p)
{
    if (p->hz == 0 || !p->workload)
        return -1;
    uint64_t due = p->start + cycles_in(p, bx_process_clock() - p->since);
    return bx_machine_now(p->machine) < due && due - bx_machine_now(p->machine) > p->step ? 0
                                                                                          : TICK_MS;
}
