/* The P6 oracle: the order of accesses, and power-on. */
#include "machine.h"

#include <stdlib.h>

enum { LINE = 32, KIB = 1024 };

static void set(uint32_t *time, uint32_t page)
{
    if (*time == 0)
        *time = page;
}

struct p6_oracle *p6_oracle_new(bx_model_times times)
{
    struct p6_oracle *o = calloc(1, sizeof *o);

    if (o == NULL)
        abort();
    set(&times.fill_buffers, 4);
    set(&times.store_buffer, 12);
    set(&times.super_queue, 4);
    set(&times.l1_hit, 1);
    set(&times.l2_lookup, 6);
    set(&times.l2_line, 8);
    set(&times.itlb_walk, 20);
    set(&times.bus_clock, 7);
    set(&times.bus_request, 3);
    set(&times.bus_lock, 100);
    set(&times.divide, 37);
    set(&times.interrupt_cycles, 2000);
    set(&times.bus_snoop, 4);
    set(&times.bus_stall, 2);
    set(&times.bus_read, 10);
    set(&times.bus_defer, 17);
    set(&times.bus_write, 4);
    set(&times.bus_invalidate, 6);
    o->times = times;
    o->processor.dcu.sets = 16 * KIB / LINE / P6_WAYS;
    o->processor.l1i.sets = 16 * KIB / LINE / P6_WAYS;
    o->processor.itlb.sets = 32 / P6_WAYS;
    o->processor.l2.sets = 512 * KIB / LINE / P6_WAYS;
    p6_cache_empty(&o->processor.dcu);
    p6_cache_empty(&o->processor.l1i);
    p6_cache_empty(&o->processor.itlb);
    p6_cache_empty(&o->processor.l2);
    return o;
}

void p6_oracle_free(struct p6_oracle *o)
{
    free(o->item);
    free(o);
}

/* Executes in the order of time. At equal times the processor is first. */
void p6_oracle_run(struct p6_oracle *o, struct p6_trace processor, struct p6_trace io)
{
    p6_processor_begin(o, processor);
    p6_io_begin(o, io);
    while (o->processor.working || o->io.working)
        if (o->processor.working && (!o->io.working || o->processor.time <= o->io.time))
            p6_processor_step(o);
        else
            p6_io_step(o);
    o->now = p6_later(o->now, p6_later(o->processor.clock, o->io.done));
}

void p6_oracle_idle(struct p6_oracle *o, uint64_t cycles)
{
    o->now += cycles;
}

uint64_t p6_oracle_now(const struct p6_oracle *o)
{
    return o->now;
}
