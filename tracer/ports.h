/* What instructions need of a core's execution ports. README.md, "Ports". */
#ifndef BX_TRACER_PORTS_H
#define BX_TRACER_PORTS_H

#include "trace_format.h"

/* Adds what an instruction needs. */
void bx_ports_add(bx_trace_ports *to, const uint8_t *bytes, size_t size);

#endif
