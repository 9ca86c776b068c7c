/* A link between two packages: it takes time, and each of its directions carries one line after
 * another. Messages without a line need no room on it. docs/explanation/model-dram.md, "Links". */
#ifndef BX_MODEL_PART_LINK_H
#define BX_MODEL_PART_LINK_H

#include "model/engine/shape.h"
#include "model/part/use.h"

struct bx_link {
    uint64_t latency, latency_modified; /* cycles; of a line that a cache had modified */
    bx_fine_time line;                  /* of a line's data; 0: it has room for all lines */
    struct bx_use direction[2];         /* by the package that sends */
};

/* hz: of the uncore. */
void bx_link_power_on(struct bx_link *l, const bx_model_times *times, uint32_t line_bytes,
                      uint64_t hz);

/* `from` sends a line that is ready at t. Returns the time when it arrives. */
uint64_t bx_link_send(struct bx_link *l, unsigned from, bool modified, uint64_t t);

#endif
