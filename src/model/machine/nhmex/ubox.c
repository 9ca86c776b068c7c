/* The U-Box: interrupts that the virtual PMU requests, on their way to cores. */
#include "model/machine/nhmex/machine.h"

enum { BUFFERED = 1 /* cycles that a packet waits; no other packets are broadcast */ };

void bx_nhmex_interrupt(bx_model *model, unsigned package, unsigned cores)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    struct bx_nhmex_ubox *u = &m->package[package].u;
    uint64_t now = m->model.time.now;

    u->interrupts++;
    u->sent += cores;
    bx_nhmex_gauge_put(m, &u->local_buffer, now, now + BUFFERED);
}
