/* The plain reference model of the Xeon 7500, written only from docs/explanation/model-nhmex.md,
 * and compared with src/model/machine/nhmex event by event. It executes one access after the other,
 * and logs everything that it counts. Levels are added up from the log. */
#ifndef BX_TESTS_ORACLE_NHMEX_ORACLE_H
#define BX_TESTS_ORACLE_NHMEX_ORACLE_H

#include "../oracle.h"

struct nhmex_oracle;

/* A machine at power-on, to be freed by the caller. */
struct nhmex_oracle *nhmex_oracle_new(const bx_model_shape *shape);
void nhmex_oracle_free(struct nhmex_oracle *o);

/* Each package has its own part of the memory, in place of every n-th page. */
void nhmex_oracle_divide_memory(struct nhmex_oracle *o);

/* Disables prefetchers of a core, a bit for each enum bx_prefetcher, and enables the others. Cores
 * are numbered as agents. */
void nhmex_oracle_set_prefetchers(struct nhmex_oracle *o, unsigned core, unsigned off);

/* Executes trace[agent] of each agent (numbers as in enum bx_agent) to the end, from the present
 * time. */
void nhmex_oracle_run(struct nhmex_oracle *o, const struct oracle_trace trace[BX_AGENTS]);

/* Time passes without work. */
void nhmex_oracle_idle(struct nhmex_oracle *o, uint64_t cycles);

/* The time at which all work has ended. */
uint64_t nhmex_oracle_end(const struct nhmex_oracle *o);

/* What a core has done since power-on. Cores are numbered as agents. */
const struct oracle_core_counts *nhmex_oracle_core_counts(const struct nhmex_oracle *o,
                                                          unsigned core);

/* An interrupt of the package's counters is sent to so many cores, at the end of all work so
 * far. */
void nhmex_oracle_interrupt(struct nhmex_oracle *o, unsigned package, unsigned cores);

/* At the end of all work so far, the kernel on a core sends another one an interrupt. Cores are
 * numbered over all packages. wakes: it was idle. */
void nhmex_oracle_send_interrupt(struct nhmex_oracle *o, unsigned from, unsigned to, bool wakes);

enum nhmex_box { NHMEX_U, NHMEX_C, NHMEX_S, NHMEX_B, NHMEX_R, NHMEX_M, NHMEX_W };

/* The compared bits of packets: with a mask of 0 every packet matches. */
struct nhmex_field {
    uint64_t value, mask;
};

struct nhmex_pattern {
    struct nhmex_field class, opcode, state, from, to, line, home;
    bool every_flit; /* R-Box: flits are counted, not packets */
};

/* The selection of a counter. unit: for an R-Box, the port of the package. counter: of a B-Box.
 * code and umask: the catalogue's; for an M-Box INC_SEL, or 20H + SET_FLAG_SEL, and the slot's
 * field. */
struct nhmex_signal {
    enum nhmex_box box;
    unsigned package, unit, counter, code, umask;
    struct nhmex_pattern pattern;
    bool by_mode;    /* M-Box, DRAM_CMD: only commands of this scheduling mode */
    unsigned module; /* M-Box, THERM_TRP: the memory module; 8: any of them */
    unsigned mode;
};

/* Writes the level in each cycle since power-on to level[0 … cycles - 1]. Returns false if the page
 * has no such signal. */
bool nhmex_oracle_levels(const struct nhmex_oracle *o, const struct nhmex_signal *s, int32_t *level,
                         size_t cycles);

#endif
