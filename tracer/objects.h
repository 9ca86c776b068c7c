/* The objects that system calls release and acquire: pipes, sockets, futexes, processes
 * (trace_format.h). */
#ifndef BX_TRACER_OBJECTS_H
#define BX_TRACER_OBJECTS_H

#include "trace_format.h"

#include "pub_tool_basics.h"

typedef struct object {
    UInt kind; /* enum bx_trace_object */
    ULong id;
} object;

object bx_object_of_fd(Int fd);

/* The listening socket at an address, in the format of connect(); `bytes`: length of the address.
 */
object bx_object_of_address(const void *address, UInt bytes);

/* The same, for a descriptor that listens. */
object bx_object_of_listener(Int fd);

/* Calls `of` with each open descriptor of the program from `first` to `last`. closed_on_exec: only
 * with those that an exec closes. */
void bx_objects_of_process(UInt first, UInt last, Bool closed_on_exec, void (*of)(object));

/* The present system call of the running thread also releases this object. */
void bx_object_release(object o);

#endif
