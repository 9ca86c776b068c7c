/* The tracer's side of the socket to boxscore, and its leash (trace_format.h). */
#ifndef BX_TRACER_SOCKET_H
#define BX_TRACER_SOCKET_H

#include "pub_tool_basics.h"

void bx_socket_open(Int fd); /* moves it out of the program's reach; -1: there is no socket */
Bool bx_socket_is_open(void);

/* Introduces this process, with its ring, or -1. False: the reader did not get the ring, and will
 * not read it. */
Bool bx_socket_hello(Int ring, UInt parent, ULong time);

void bx_socket_bell(void);

/* Before an exec: lets the next program inherit the socket if it is traced, else the leash. Returns
 * the socket's number. bx_socket_keep() undoes this if the exec failed. */
Int bx_socket_pass_on(Bool traced);
void bx_socket_keep(void);

void bx_socket_die(void); /* ends this process as if its reader were gone */

#endif
