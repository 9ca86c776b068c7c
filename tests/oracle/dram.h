/* The plain reference of docs/explanation/model-dram.md, "DRAM": the memory of a package or node.
 */
#ifndef BX_TESTS_ORACLE_DRAM_H
#define BX_TESTS_ORACLE_DRAM_H

#include "model/engine/shape.h"

#include <stddef.h>

struct oracle_dram;

/* Returns NULL if there is no DRAM: then the plain rule is used. */
struct oracle_dram *oracle_dram_new(const bx_model_dram *shape, uint64_t hz);
void oracle_dram_free(struct oracle_dram *d);

/* Requests a line, numbered within the memory, at t. Returns when it is done. */
uint64_t oracle_dram_request(struct oracle_dram *d, uint64_t line, bool write, uint64_t t);

/* The commands that the last request caused, in order. An activate opens a row, and a precharge
 * closes another one before it. */
struct oracle_dram_command {
    enum oracle_dram_what { ORACLE_DRAM_LINE, ORACLE_DRAM_ACTIVATE, ORACLE_DRAM_PRECHARGE } what;
    bool write; /* a write, or a command for one */
    unsigned rank, bank;
};
const struct oracle_dram_command *oracle_dram_commands(const struct oracle_dram *d, size_t *n);

/* For the last request, a read: when it was at its channel, and when it is read, in 1/256
 * cycles. */
uint64_t oracle_dram_waits_from(const struct oracle_dram *d);
uint64_t oracle_dram_waits_until(const struct oracle_dram *d);

/* Converts memory clocks and ns to whole cycles, rounded up. */
uint64_t oracle_dram_cycles_of_clocks(const bx_model_dram *dram, uint64_t hz, uint64_t n);
uint64_t oracle_dram_cycles_of_ns(uint64_t hz, uint64_t n);

/* A memory for a trial; none for even numbers. */
bx_model_dram oracle_dram_of_trial(uint64_t number);

#endif
