/* The tracer's end of the socket to boxscore, and its leash (trace_format.h). */
#ifndef BX_TRACER_SOCKET_H
#define BX_TRACER_SOCKET_H

#include "pub_tool_basics.h"

void bx_socket_open(Int fd); /* out of the program's reach; -1: there is none */
Bool bx_socket_is_open(void);

/* Introduces this process, with its ring, or -1. False: the ring was not taken, and nobody reads
 * it. */
Bool bx_socket_hello(Int ring, UInt parent, ULong time);

void bx_socket_bell(void);

/* Before an exec: lets the next program have the leash, or the socket, whose number this returns.
 * Afterwards, if it failed: neither. */
Int bx_socket_pass_on(Bool traced);
void bx_socket_keep(void);

void bx_socket_die(void); /* ends this process as if its reader were gone */

#endif
