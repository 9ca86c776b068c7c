/* Functions of Valgrind's core that no installed header declares. They are in libcoregrind.a: a
 * version that lacks one does not link, and one that changed its type fails tests/tracer. */
#ifndef BX_TRACER_CORE_CALLS_H
#define BX_TRACER_CORE_CALLS_H

#include "pub_tool_basics.h"

/* A system call for the tracer itself. The result is -errno if it failed. */
Word bx_core_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f);

/* Maps a shared file where the program has nothing; NULL if that fails. */
void *bx_core_map_shared(SizeT bytes, Int fd);

#endif
