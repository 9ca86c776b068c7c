/* The plain reference model: docs/explanation/model-client.md in plain code, which the tests
 * compare src/model with. Arrays of structs and loops over ways; nothing here is shared with
 * src/model but the record format of an access. It never stops half-way: traces are executed to
 * their end. */
#ifndef BX_TESTS_ORACLE_ORACLE_H
#define BX_TESTS_ORACLE_ORACLE_H

#include "model/model.h"

#include "core_counts.h"

enum { ORACLE_CORES = 4, ORACLE_SLICES = 4 };

enum oracle_state { ORACLE_I, ORACLE_S, ORACLE_E, ORACLE_M, ORACLE_STATES };
enum oracle_request { ORACLE_READ, ORACLE_WRITE, ORACLE_EXTSNP, ORACLE_REQUESTS };
enum oracle_response { ORACLE_MISS, ORACLE_HIT, ORACLE_HITM, ORACLE_RESPONSES };
enum oracle_from { ORACLE_EXTERNAL, ORACLE_XCORE, ORACLE_EVICTION, ORACLE_FROMS };
enum oracle_requester { ORACLE_GT, ORACLE_IA, ORACLE_IO, ORACLE_REQUESTERS };

/* Totals since power-on. Everything is counted in full, including the part of an ARB entry or a
 * memory write after `end`. */
struct oracle_counts {
    uint64_t accesses;
    uint64_t lookup[ORACLE_SLICES][ORACLE_REQUESTS][ORACLE_STATES];
    uint64_t xsnp[ORACLE_SLICES][ORACLE_FROMS][ORACLE_RESPONSES];
    uint64_t arb_all, arb_data_read, arb_writes; /* requests */
    uint64_t occupancy_all, occupancy_data_read; /* entries x cycles */
    uint64_t coh;
    uint64_t imc_requests[ORACLE_REQUESTERS], data_reads, data_writes;
    uint64_t end; /* the time at which all work has ended */
};

/* The events, one by one, in the order of time; logged only if `record` was set. */
enum oracle_what {
    ORACLE_LOOKUP,
    ORACLE_XSNP,
    ORACLE_COH,
    ORACLE_IMC_REQUEST,
    ORACLE_IMC_TRANSFER
};

struct oracle_event {
    uint64_t time;
    enum oracle_what what;
    unsigned slice;  /* of LOOKUP and XSNP */
    unsigned first;  /* request; from; requester; of a TRANSFER: 0 read, 1 write */
    unsigned second; /* state of LOOKUP, response of XSNP */
};

/* One ARB entry: it lives in the cycles begin … end - 1. */
struct oracle_entry {
    uint64_t begin, end;
    bool data_read, write;
};

struct oracle_log {
    struct oracle_event *event;
    size_t events, event_room;
    struct oracle_entry *entry;
    size_t entries, entry_room;
};

/* An agent's accesses; {NULL, 0}: none. */
struct oracle_trace {
    const bx_access *access;
    size_t n;
};

struct oracle;

/* A machine at power-on, to be freed by the caller. The shape must be a possible one (one package).
 * record: write the log. Running out of memory aborts. */
struct oracle *oracle_new(const bx_model_shape *shape, bool record);
void oracle_free(struct oracle *o);

/* Disables prefetchers of a core, a bit for each enum bx_prefetcher, and enables the others. Cores
 * are numbered as agents. */
void oracle_set_prefetchers(struct oracle *o, unsigned core, unsigned off);

/* Executes trace[agent] of each agent (numbers as in enum bx_agent) to the end, from the present
 * time. */
void oracle_run(struct oracle *o, const struct oracle_trace trace[BX_AGENTS]);

/* Time passes without work. */
void oracle_idle(struct oracle *o, uint64_t cycles);

const struct oracle_counts *oracle_counts(const struct oracle *o);
const struct oracle_core_counts *oracle_core_counts(const struct oracle *o, unsigned core);
const struct oracle_log *oracle_log(const struct oracle *o);
uint64_t oracle_clock(const struct oracle *o, unsigned agent);

/* Writes the first count in which the two differ to `to` ("lookup[0][READ][I]: 1, not 2", where a
 * has 1) and returns true; false: they are equal. */
bool oracle_difference(const struct oracle_counts *a, const struct oracle_counts *b, char *to,
                       size_t room);

/* The selection of a counter, in the terms of the table "Signals". */
enum oracle_box {
    ORACLE_BOX_CBOX,
    ORACLE_BOX_ARB,
    ORACLE_BOX_CLOCK,
    ORACLE_BOX_IMC,
    ORACLE_BOX_CORE
};

struct oracle_signal {
    enum oracle_box box;
    unsigned unit, code, umask;
    unsigned threshold; /* of ORACLE_BOX_CORE, whose levels are in oracle_core_counts() */
};

/* Writes to level[0 … cycles - 1] the level of the signal in each cycle since power-on, summed up
 * event by event from the log. The signal must be one that is modelled. */
void oracle_levels(const struct oracle_log *log, const struct oracle_signal *s, uint32_t *level,
                   size_t cycles);

#endif
