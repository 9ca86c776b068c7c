/* The U-Box: interrupts that the virtual PMU requests, on their way to cores. */
#include "model/nhmex/machine.h"

enum { BUFFERED = 1 /* cycles that a packet waits; no other packets are broadcast */ };

void bx_nhmex_interrupt(bx_model *model, unsigned package, unsigned cores)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    struct bx_nhmex_ubox *u = &m->package[package].u;
    uint64_t now = m->model.time.now;

    u->interrupts++;
    u->sent += cores;
    bx_gauge_put(&u->local_buffer, model, now, now + BUFFERED);
}

bool bx_nhmex_u_signal(struct bx_nhmex_ubox *u, struct bx_signal *signal)
{
    signal->changes = &u->interrupts;
    switch (signal->selection.code) {
    case 0x00:
        return bx_nhmex_level(signal, &u->local_buffer, BX_GAUGE_NOT_EMPTY);
    case 0x50:
        return bx_nhmex_add(signal, &u->interrupts);
    case 0xf9:
        return bx_nhmex_add(signal, &u->sent);
    case 0x01: /* 0: interrupts stay in their package */
    case 0x51: /* 0: the U-Box sends no requests to home agents */
    case 0xf8: /* 0: no core sleeps */
        return true;
    default: /* errors, locks, stops and special cycles: the model has none */
        return false;
    }
}
