/* The plain reference model of the P6 machine, written only from docs/explanation/model-p6.md. The
 * tests compare src/model with it. It shares with src/model only the format of an access. Work is
 * executed to its end. All counted events are in one log, from which the level of a signal in each
 * cycle is added up. */
#ifndef BX_TESTS_ORACLE_P6_ORACLE_H
#define BX_TESTS_ORACLE_P6_ORACLE_H

#include "model/engine/access.h"
#include "model/engine/shape.h"

#include <stddef.h>

struct p6_trace {
    bx_access *access; /* of the caller */
    size_t n;
};

struct p6_oracle;

/* A machine at power-on, to be freed by the caller. Times that are 0 are those of the page. Running
 * out of memory aborts. */
struct p6_oracle *p6_oracle_new(bx_model_times times);
void p6_oracle_free(struct p6_oracle *o);

/* Executes the work of both agents, from the present time to its end. n = 0: no work. */
void p6_oracle_run(struct p6_oracle *o, struct p6_trace processor, struct p6_trace io);

/* Time passes without work. */
void p6_oracle_idle(struct p6_oracle *o, uint64_t cycles);

uint64_t p6_oracle_now(const struct p6_oracle *o); /* cycles since power-on */

/* A signal in the terms of the table "Signals". levels: BX_LEVEL_* of seam/signal.h. */
struct p6_signal {
    unsigned code, umask, levels;
};

/* Whether the table has the code with this mask. */
bool p6_oracle_produces(unsigned code, unsigned umask);

/* Writes to level[0 … cycles - 1] the signal's level in each cycle since power-on. It must be
 * produced. */
void p6_oracle_levels(const struct p6_oracle *o, struct p6_signal s, uint32_t *level,
                      size_t cycles);

#endif
