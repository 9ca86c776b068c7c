/* Declarations for src/explain: state of the registers, wording, rules. */
#ifndef BX_EXPLAIN_INTERNAL_H
#define BX_EXPLAIN_INTERNAL_H

#include "event/event.h"
#include "explain/explain.h"
#include "register/register.h"

/* A register of one unit of one package or CPU. */
typedef struct bx_register_instance {
    uint16_t reg, unit; /* reg BX_NONE: not in the catalogue */
    unsigned scope;     /* index of the package or, for a PMU of the CPU, of the CPU */
} bx_register_instance;

/* A counter of one unit of one package or CPU. */
typedef struct bx_unit_counter {
    const bx_cat_counter *facts;
    bx_register_instance at; /* its control register; reg is BX_NONE if it has none */
} bx_unit_counter;

/* The contents of a register, as far as accesses have shown them. */
typedef struct bx_shadow {
    uint64_t value; /* its reset value until it is known */
    bool seen;
    bool fresh; /* it is a control register that was written, and its count has not been read since
                 */
} bx_shadow;

enum { BX_MISSES_LEVEL = UINT16_MAX };

/* The known state of a counter. */
typedef struct bx_counter_state {
    bool runs;        /* it counted at the last check */
    bool ran;         /* it has counted */
    uint16_t missing; /* bx_cat_cond, plus 1, that did not hold at the first read after it was set;
                         BX_MISSES_LEVEL: it had no privilege level; 0: none */
    uint32_t event;   /* hash of the event that it was last reported to count */
} bx_counter_state;

struct bx_explain {
    bx_topology topology;
    const struct bx_catalog *c;
    const bx_cat_cpu *cpu;
    bx_shadow *shadow;          /* by [register][unit][scope] */
    bx_counter_state *state;    /* by [counter][unit][scope] */
    unsigned reg, regs;         /* first register of the CPU model, and their number */
    unsigned counter, counters; /* the same for counters */
    unsigned units, scopes;     /* most units of a PMU; number of logical CPUs */
    bool all;
    unsigned long accesses, own, warnings; /* own: accesses to registers of PMUs */
};

/* ---- register_state.c: contents of the registers ---- */

int bx_shadow_make(bx_explain *x, bx_error *e);
bx_shadow *bx_shadow_at(const bx_explain *x, bx_register_instance at);
bx_counter_state *bx_state_of(const bx_explain *x, const bx_unit_counter *n);

/* The register of an access. */
bx_register_instance bx_instance_of(const bx_explain *x, const bx_address *at);

/* Notes that a unit exists, because an access to it succeeded. The machine's description may say
 * otherwise. */
void bx_take_unit(bx_explain *x, bx_register_instance at);

/* Another register, of the same unit if it belongs to the same PMU. */
bx_register_instance bx_instance_beside(const bx_explain *x, bx_register_instance at, uint16_t pmu,
                                        uint16_t reg);
bx_register_instance bx_instance_of_counter(const bx_explain *x, const bx_unit_counter *n,
                                            uint16_t reg);

/* A field of a register. */
uint64_t bx_shadow_field(const bx_explain *x, bx_register_instance at, uint16_t field);

/* Applies a successful write, with what it clears and resets, or the result of a read. */
void bx_shadow_write(bx_explain *x, bx_register_instance at, uint64_t value);
void bx_shadow_read(bx_explain *x, bx_register_instance at, uint64_t value);

/* The privilege levels (BX_LEVEL_*) that the counter counts; all if it distinguishes none. */
unsigned bx_shadow_levels(const bx_explain *x, const bx_unit_counter *n);

/* The shared register that says what the counter's control register selects, such as
 * MSR_OFFCORE_RSP_0; BX_NONE: there is none. */
uint16_t bx_shadow_choice(const bx_explain *x, const bx_unit_counter *n);

/* Whether all bits that the counter needs to count are set. */
bool bx_shadow_counts(const bx_explain *x, const bx_unit_counter *n);

/* The first of these conditions that does not hold; NULL: all hold. */
const bx_cat_cond *bx_shadow_missing(const bx_explain *x, const bx_unit_counter *n);

/* The counter that the register controls, or whose count it has; facts NULL: none. */
bx_unit_counter bx_controlled_by(const bx_explain *x, bx_register_instance at);
bx_unit_counter bx_value_of(const bx_explain *x, bx_register_instance at);

/* ---- wording.c: names and descriptions; each appends to `to` ---- */

void bx_say_unit(const bx_explain *x, bx_register_instance at, uint16_t pmu,
                 bx_buf *to); /* "C-Box 0" */
void bx_say_counter(const bx_explain *x, const bx_unit_counter *n, bx_buf *to);
void bx_say_address(const bx_address *at, bx_buf *to); /* "MSR D10H" */
void bx_say_name(const bx_explain *x, bx_register_instance at, bx_buf *to);
void bx_say_field(const bx_explain *x, bx_register_instance at, uint16_t field, bx_buf *to);

/* The fields that are not 0: "EN_ALL, PMI_CORE_SEL 3"; "0". */
void bx_say_fields(const bx_explain *x, uint16_t reg, uint64_t value, bx_buf *to);

/* The selection after `value` was written to a counter's control register: "LLC_HITS, umask ALL,
 * threshold 3, edge". Its fields if it selects nothing. */
void bx_say_selection(const bx_explain *x, const bx_unit_counter *n, uint64_t value, bx_buf *to);

/* Whether the control register itself enables the counter. */
bool bx_is_enabled(const bx_explain *x, const bx_unit_counter *n);

/* The selection in the registers now; false: they select nothing. */
bool bx_selection_of(const bx_explain *x, const bx_unit_counter *n, bx_evsel *event, bx_buf *to);
void bx_say_event(const bx_explain *x, const bx_evsel *event, bx_buf *to); /* canonical */

/* ---- rules.c: appends a line for each broken rule ---- */

/* Returns whether the write faults by the documents: then it changes nothing. */
bool bx_check_write(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to);
void bx_check_written(bx_explain *x, bx_register_instance at, bx_buf *to); /* in the new state */
void bx_check_wiped(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to);
void bx_check_read(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to);
void bx_check_start(bx_explain *x, const bx_unit_counter *n, bx_buf *to);
void bx_check_end(bx_explain *x, bx_buf *to);
void bx_warn(bx_explain *x, bx_buf *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
