/* What system calls release and acquire: pipes, sockets, futexes, processes (trace_format.h). */
#ifndef BX_TRACER_OBJECTS_H
#define BX_TRACER_OBJECTS_H

#include "trace_format.h"

#include "pub_tool_basics.h"

typedef struct object {
    UInt kind; /* enum bx_trace_object */
    ULong id;
} object;

object bx_object_of_fd(Int fd);

/* The listening socket at an address, as connect() names it; `bytes` of the address. */
object bx_object_of_address(const void *address, UInt bytes);

/* The same, of a socket that listens. */
object bx_object_of_listener(Int fd);

/* Calls `of` with each open descriptor of the program's from `first` to `last`, or only with those
 * of them that an exec closes. */
void bx_objects_of_process(UInt first, UInt last, Bool closed_on_exec, void (*of)(object));

#endif
