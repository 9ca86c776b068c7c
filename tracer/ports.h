/* What instructions need of a core's execution ports. README.md, "Ports". */
#ifndef BX_TRACER_PORTS_H
#define BX_TRACER_PORTS_H

#include "trace_format.h"

/* What RDX has for a division: the upper half of its dividend. */
enum bx_upper_half { BX_UPPER_HALF_ANY, BX_UPPER_HALF_ZERO, BX_UPPER_HALF_SIGN };

/* Adds what an instruction needs. *upper is of the instructions before it, and then includes it.
 * Returns which division of integers it is; BX_DIVISIONS: none. */
enum bx_division bx_ports_add(bx_trace_ports *to, enum bx_upper_half *upper, const uint8_t *bytes,
                              size_t size);

#endif
