/* The chain of buses between a session and the registers of a machine. Only bus_chain.c builds it:
 *
 *   session → write filter → logger → reroute → the machine's registers, or what stands for them
 *
 * A host has the write filter and reroute; the logger is there if the options ask for a
 * register log. It records the requested CPU and not the one that reroute chose, so that a replay
 * makes the same requests. A replayed host has a write filter and no reroute.
 *
 * Each link is a bus in front of another one: it answers itself or forwards the access, and closing
 * it closes the next. */
#ifndef BX_MACHINE_BUS_CHAIN_H
#define BX_MACHINE_BUS_CHAIN_H

#include "machine/machine.h"

/* Puts the links that the options need in front of m->bus. m->bus is then the first of them, also
 * after an error. The machine closes it. */
int bx_chain_open(bx_machine *m, const bx_machine_options *o, const bx_log_part *part, bx_error *e);

/* Puts a logger in front of m->bus: recorded_time.c. */
int bx_machine_log(bx_machine *m, const bx_machine_options *o, const bx_log_part *part,
                   bx_error *e);

/* Closes all links. */
void bx_chain_close(bx_machine *m);

#endif
