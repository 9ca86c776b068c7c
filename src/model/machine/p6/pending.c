/* Future changes of cells, applied in order of time. */
#include "model/machine/p6/machine.h"

#include "model/engine/attribution.h"

/* ---- a heap, the earliest change first ---- */

static void put_in(struct bx_p6_schedule *schedule, struct bx_p6_change change)
{
    unsigned at = schedule->n++;

    for (; at && schedule->heap[(at - 1) / 2].time > change.time; at = (at - 1) / 2)
        schedule->heap[at] = schedule->heap[(at - 1) / 2];
    schedule->heap[at] = change;
}

static struct bx_p6_change take_out(struct bx_p6_schedule *schedule)
{
    struct bx_p6_change first = schedule->heap[0], last = schedule->heap[--schedule->n];
    unsigned at = 0;

    for (unsigned child; (child = 2 * at + 1) < schedule->n; at = child) {
        if (child + 1 < schedule->n && schedule->heap[child + 1].time < schedule->heap[child].time)
            child++;
        if (schedule->heap[child].time >= last.time)
            break;
        schedule->heap[at] = schedule->heap[child];
    }
    schedule->heap[at] = last;
    return first;
}

/* ---- changes ---- */

/* Transfers may overlap, so the cells count the cycles with at least one of them. */
static void step_transfers(struct bx_p6 *m, const struct bx_p6_change *change)
{
    unsigned *transfers = &m->schedule.transfers[change->cell == BX_P6_L2_BUSY_READ];
    bool before = *transfers;

    *transfers += (unsigned)change->by;
    if (before != (*transfers != 0))
        bx_p6_step(&m->cells, change->cell, change->time, change->by);
}

/* A pulse is charged to who has caused it, not to the access that is executed now. */
static void count_pulse(struct bx_p6 *m, const struct bx_p6_change *change)
{
    bx_model *model = &m->model;

    if (model->attribution && bx_p6_at_work(m))
        bx_attribution_own(model);
    else if (model->attribution)
        bx_attribution_rest(model);
    bx_p6_count(&m->cells, change->cell, (uint64_t)change->by);
    if (model->attribution)
        bx_attribution_caused(model, change->cause);
}

static void apply_next(struct bx_p6 *m)
{
    struct bx_p6_change change = take_out(&m->schedule);

    bx_time_advance_to_event(&m->model.time, change.time);
    if (change.cell < BX_P6_SPANS)
        count_pulse(m, &change);
    else if (change.cell == BX_P6_L2_BUSY || change.cell == BX_P6_L2_BUSY_READ)
        step_transfers(m, &change);
    else
        bx_p6_step(&m->cells, change.cell, change.time, change.by);
}

/* The heap has room: the fill buffers limit what is in flight, and the I/O agent has one access at
 * a time. A fetched line, with everything that it displaces, makes about 40 changes. */
void bx_p6_schedule_change(struct bx_p6 *m, unsigned cell, uint64_t t, int by)
{
    if (m->schedule.n == BX_P6_SCHEDULE_SIZE)
        apply_next(m);
    uint32_t cause = m->model.attribution ? bx_attribution_cause(&m->model) : 0;
    put_in(&m->schedule, (struct bx_p6_change){t, (uint16_t)cell, (int16_t)by, cause});
}

void bx_p6_schedule_span(struct bx_p6 *m, unsigned cell, uint64_t begin, uint64_t end)
{
    bx_p6_schedule_change(m, cell, begin, 1);
    bx_p6_schedule_change(m, cell, end, -1);
}

uint64_t bx_p6_l2_transfer(struct bx_p6 *m, bool from_l2, uint64_t t)
{
    uint64_t end = t + m->times.l2_line;

    bx_p6_schedule_span(m, BX_P6_L2_BUSY, t, end);
    if (from_l2)
        bx_p6_schedule_span(m, BX_P6_L2_BUSY_READ, t, end);
    return end;
}

/* ---- time ---- */

void bx_p6_apply_changes(struct bx_p6 *m, uint64_t t)
{
    do
        apply_next(m);
    while (bx_p6_changes_before(m, t));
}

void bx_p6_enter_mode(struct bx_p6_cells *cells, enum bx_p6_mode mode, uint64_t t)
{
    const enum bx_p6_mode from = cells->mode;

    if (mode == from)
        return;
    for (unsigned i = BX_P6_SPANS; i < BX_P6_CELLS; i++) {
        int level = (int)cells->cell[from][i].level;
        bx_p6_step(cells, i, t, -level);
        cells->present = cells->cell[mode];
        bx_p6_step(cells, i, t, level);
        cells->present = cells->cell[from];
    }
    cells->mode = mode;
    cells->present = cells->cell[mode];
}
