/* What stands between a session and the registers of a machine. It is put together in bus_chain.c
 * and nowhere else:
 *
 *   session → write filter → recorder → reroute → the machine's registers, or what stands for them
 *
 * Write filter and reroute are there for a host, the recorder if a recording was asked for. It
 * keeps what was asked for and not the CPU that it was done on, so that a replay asks the same. A
 * replayed host has its write filter, and nothing to reroute.
 *
 * Each link is a bus in front of another one: it answers itself or asks the next, and closing it
 * closes the next. */
#ifndef BX_MACHINE_BUS_CHAIN_H
#define BX_MACHINE_BUS_CHAIN_H

#include "machine/machine.h"

/* Puts the links that the options ask for in front of m->bus, which is then the first of them. On
 * an error m->bus is the first of those that were made, and is the machine's to close. */
int bx_chain_open(bx_machine *m, const bx_machine_options *o, bx_error *e);

/* Puts a recorder in front of m->bus: recorded_time.c. */
int bx_machine_record(bx_machine *m, const bx_machine_options *o, bx_error *e);

/* Closes all of it. */
void bx_chain_close(bx_machine *m);

#endif
