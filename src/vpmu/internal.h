/* What the files of this folder share: the registers and counters of one machine.
 *
 * Each file uses only files above it:
 *
 *   map.c              where things are: PMUs, units, registers by address
 *   select.c           what a counter selects: code, unit mask, port, filters
 *   filter.c           which signals pass the filters of a counter's unit
 *   injected.c         the levels of injected signals that counters see
 *   counter.c          counting: threshold, invert, edge, direction, accumulator, queue tally
 *   registers.c        the bits of registers, and what reads of them see
 *   reconfigure.c      a counter's configuration: enables, source, whether it is watched
 *   writes.c           what a write does to its register, a count, and other registers
 *   overflow.c         what an overflow does: status bits, freeze, interrupts
 *   timeline.c         actions at times of their own: overflows, ends of injected signals
 *   inject.c           signals that the caller raises besides the model's
 *   rdpmc.c            the instruction that reads a core's counters
 *   bus.c              accesses: MSRs, PCI configuration space, memory-mapped registers
 *   build_registers.c  registers, from the catalogue's facts
 *   build_counters.c   counters, and which registers affect them
 *   vpmu.c             the life of virtual PMUs: made, joined, freed
 */
#ifndef BX_VPMU_INTERNAL_H
#define BX_VPMU_INTERNAL_H

#include "base/arena.h"
#include "base/bits.h"
#include "base/error.h"
#include "register/register.h"
#include "vpmu/vpmu.h"

/* One register of one unit, or one word that no PMU describes. */
typedef struct bx_vreg {
    uint64_t value; /* its contents, without the bits of a counter that it shows; running bits
                       as of time 0 */
    const bx_cat_bits *bits; /* what accesses do to them */
    uint16_t reg;            /* catalogue index; BX_NONE: a word without described fields */
    uint16_t counter;        /* index of the counter whose count it shows; BX_NONE */
    uint16_t first, end;     /* range of counters that contains all that it affects */
} bx_vreg;

/* The configuration of a counter. Only `counting` is set if it does not count. */
typedef struct bx_vconfig {
    bool counting; /* every enable is on */
    bool edge, invert;
    bool reports;    /* an overflow has an effect: it sets a status bit, requests an interrupt, or
                        stops the counter */
    bool interrupts; /* an overflow requests an interrupt */
    bool stops;      /* an overflow ends its counting */
    bool down;       /* it counts downwards */
    bool under_flag; /* it counts only in cycles in which `flag` is not 0 */
    uint8_t tally;   /* width of the queue tally that is added; 0: the source's level is added */
    uint8_t shift;   /* its accumulator carries one count at 2 to the power of this */
    uint32_t threshold;
    bx_selection source, flag; /* both have the counter's own package, box and unit */
} bx_vconfig;

/* A level: the model reports one for the cycles `from` … `until` - 1, and callers inject one. */
typedef struct bx_vlevel {
    uint64_t level, from, until;
    uint64_t injected;
} bx_vlevel;

/* One counter of one unit. Its sum at `since` was `base`, modulo its width. A plain counter counts
 * the difference of two tallies since then. A watched counter gets its levels reported. */
typedef struct bx_vcounter {
    const bx_cat_counter *facts;
    bx_selection selected; /* what it counts, or counted last */
    bx_vconfig config;
    bool has_counted; /* it has counted `selected`, or still counts it */
    bool driven;      /* the model is known to produce `selected` */
    bool watched;     /* threshold, edge or a near overflow need the level of every cycle */
    bool high;        /* watched: the condition held in the cycle before `since` */
    bool stopped;     /* it has overflowed with config.stops, and its count was not written since */
    uint8_t shift; /* number of lowest bits of the sum that are an accumulator; its carries are the
                      count */
    uint16_t cpu;  /* a CPU that can access its registers */
    uint16_t unit; /* unit within the package or the CPU, which selects its registers */
    uint64_t base, since;
    uint64_t tally; /* plain: the model's tally at `since` */
    uint64_t fell;  /* time when an injected level last ended */
    /* Levels reported to a watched counter. `injected` is set for plain counters, too. */
    bx_vlevel source_level, flag_level;
    /* number of the flag's watch; BX_NONE: its counting does not depend on a flag */
    uint16_t flag_watch;
    uint64_t tally_offset; /* level when the queue tally was set to 0; the tally is lower by this */
    uint64_t overflow;     /* time when it will overflow if no level changes; BX_NEVER */
    uint64_t recheck;      /* it cannot overflow before this time, at which it is checked again */
    uint64_t arrives;      /* time at which its interrupt request reaches the global control */
} bx_vcounter;

static inline uint64_t bx_vpmu_mask(const bx_vcounter *c)
{
    return bx_mask_width(c->facts->width + (unsigned)c->shift);
}

/* Registers of one scope are stored block after block, one block for each package or CPU. */
typedef struct bx_vblock {
    uint32_t first, size; /* first register of the first block; size of each block */
    uint32_t used;        /* number of registers laid out so far */
} bx_vblock;

/* The position of a catalogue register's instances in a block: unit after unit. */
typedef struct bx_vlocation {
    uint32_t index;
    bool of_cpu;     /* there is one block for each CPU, not for each package */
    bool of_machine; /* it counts nothing: the machine has one for all banks */
    bool of_unit;    /* it affects all counters of its unit */
} bx_vlocation;

/* The register at an address. */
typedef struct bx_vmapping {
    const bx_cat_map_row *row; /* NULL: there is none */
    bx_vlocation at;
    uint16_t cpu;  /* the CPU of the access, or one of the package whose PCI bus it is on */
    uint8_t shift; /* PCI, MMIO: position of the addressed word in the register */
} bx_vmapping;

typedef struct bx_vinjection {
    bx_selection what;
    uint32_t level;
    uint64_t end;
} bx_vinjection;

enum { BX_VINJECTIONS = 16 }; /* most injected signals at the same time */

enum { BX_VUNDRIVEN = 32 }; /* most events that are listed separately */

struct bx_vpmu {
    struct bx_bus bus;
    bx_watcher watcher;
    bx_arena arena;
    bx_vpmu *machine;   /* the first bank: it has the registers that exist only once */
    bx_vpmu *frozen_by; /* linked ring of the banks that a freeze stops together; itself: the bank
                           is alone */
    bx_topology topology;
    const bx_cat_cpu *cpu;
    bx_signals *signals;
    unsigned cpus;

    bx_vlocation *locations; /* location of every catalogue register */
    bx_vlocation *words;     /* location of the first word of every other row of the CPU's map */
    bx_vreg *regs;
    bx_vblock package_block, cpu_block;

    bx_vcounter *counters; /* a counter's index is the number of its watch */
    unsigned counter_count;
    /* Counters that can count under a flag. The flags' watches follow those of the counters. */
    uint16_t *flag_counters;
    unsigned flag_counter_count;
    bx_vinjection injections[BX_VINJECTIONS];
    unsigned injection_count;
    uint64_t due;     /* time of the next action: the alarm that is set */
    bool rescheduled; /* since then a time of a counter or an injection has changed */
    uint64_t delay;   /* cycles from an interrupt request to its arrival */

    bool *asleep;            /* by CPU */
    bool *package_requested; /* by package: an interrupt must be sent */
    bool *core_requested;    /* by CPU: one of its own counters requests an interrupt */
    bx_pmi_fn *pmi;
    void *pmi_context;
    bx_vundriven undriven[BX_VUNDRIVEN];
    unsigned undriven_n;
};

static inline bx_vpmu *bx_vpmu_of_watcher(struct bx_watcher *w)
{
    return (bx_vpmu *)(void *)((char *)w - offsetof(bx_vpmu, watcher));
}

/* ---- map.c ---- */

/* The register that an access reaches. Accesses to a word without one: in PCI space and memory it
 * reads 0, or all ones if *absent: no function or window has the address. */
bx_vmapping bx_vpmu_find(const bx_vpmu *v, const bx_address *at, bool *absent);

/* The location of a row of the map that is not a PMU's register. */
bx_vlocation *bx_vpmu_words_at(const bx_vpmu *v, const bx_cat_map_row *row);

/* A PMU by its index among the CPU's PMUs. */
const bx_cat_pmu *bx_vpmu_pmu(const bx_vpmu *v, unsigned i);

/* The number of units of a PMU (index among the CPU's PMUs) in one scope: a package or a CPU. */
unsigned bx_vpmu_units(const bx_vpmu *v, unsigned pmu);

/* The register that an access through a CPU reaches. */
static inline bx_vreg *bx_vpmu_at(const bx_vpmu *v, bx_vlocation at, unsigned cpu)
{
    const bx_vblock *block = at.of_cpu ? &v->cpu_block : &v->package_block;
    unsigned domain = at.of_cpu ? cpu : cpu / v->topology.cores;
    return &v->regs[block->first + domain * block->size + at.index];
}

/* ---- build_registers.c, build_counters.c ---- */

/* BX_OK, or BX_NO_FIT or BX_NO_MEMORY and *e. */
int bx_vpmu_build_registers(bx_vpmu *v, bx_error *e);

/* Builds the counters after the registers. v->counter_count and v->flag_counter_count are the sizes
 * of the arrays. */
void bx_vpmu_build_counters(bx_vpmu *v);

/* ---- bus.c ---- */

void bx_vpmu_init_bus(bx_vpmu *v);

/* ---- registers.c ---- */

uint64_t bx_vpmu_read_reg(bx_vpmu *v, const bx_vreg *r);

/* The present value of all bits, also of hidden ones and of a counter's count. */
uint64_t bx_vpmu_content(bx_vpmu *v, const bx_vreg *r);

/* A value after a number of cycles, which may be negative: adds them to its running bits. */
uint64_t bx_vpmu_after(const bx_cat_bits *bits, uint64_t value, uint64_t cycles);

/* The register's facts in the catalogue; NULL: it is a passive register. */
const bx_cat_reg *bx_vpmu_facts_of(const bx_vpmu *v, const bx_vreg *r);

/* Another register of the same unit (catalogue index), or one that the package has only once. */
bx_vreg *bx_vpmu_reg_of_unit(const bx_vpmu *v, const bx_vreg *r, uint16_t reg);

/* A field of a register of which each package has only one. cpu: the CPU of the access. */
uint64_t bx_vpmu_get(const bx_vpmu *v, uint16_t field, unsigned cpu);
void bx_vpmu_set(const bx_vpmu *v, uint16_t field, unsigned cpu);

/* ---- writes.c ---- */

/* Writes the bits of `which`. false: the write faults, and the register keeps its value. */
bool bx_vpmu_write_reg(bx_vpmu *v, bx_vreg *r, uint64_t value, uint64_t which);

/* ---- select.c ---- */

/* bx_vpmu_select() for the flag that a counter's counting depends on. The counter's own selection
 * does not matter. */
void bx_vpmu_select_flag(const struct bx_catalog *c, const bx_cat_counter *counter,
                         const bx_vreg_reader *registers, bx_selection *to);

/* ---- filter.c ---- */

/* The registers that contain modifiers, in the order of bx_selection.filter. */
typedef struct bx_vfilters {
    uint16_t reg[BX_FILTERS];
    unsigned n;
} bx_vfilters;
bx_vfilters bx_vpmu_filters_of(const struct bx_catalog *c, uint16_t pmu);

/* Sets the bits of bx_selection.applies for a counter with this event (BX_NONE: none), control
 * register, unit mask and filter values. */
void bx_vpmu_applies(const struct bx_catalog *c, uint16_t pmu, uint16_t event, uint64_t control,
                     uint32_t umask, const uint64_t *value, uint64_t applies[BX_FILTERS]);

/* Whether a signal passes the filters of a counter with that selection. */
bool bx_vpmu_lets_through(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *selected,
                          const bx_selection *signal);

/* ---- reconfigure.c ---- */

/* A register of the counter's unit (catalogue index), or the only one of the package or CPU. */
bx_vreg *bx_vpmu_reg_of(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg);

/* Reads a counter's registers again after one of them has changed. */
void bx_vpmu_reconfigure(bx_vpmu *v, bx_vcounter *c, uint64_t now);

/* The same for all counters that a register may affect. */
void bx_vpmu_reconfigure_by(bx_vpmu *v, const bx_vreg *r, uint64_t now);

/* Sets the injected levels that counters count, after an injection has begun or ended. */
void bx_vpmu_set_injected(bx_vpmu *v, uint64_t now);

/* Brings the count up to date. Then decides again whether the counter is watched and when it is
 * next checked. */
void bx_vpmu_update_watch(bx_vpmu *v, bx_vcounter *c, uint64_t now);

/* Sets the counter's queue tally to 0. */
void bx_vpmu_reset_tally(bx_vpmu *v, bx_vcounter *c);

/* ---- counter.c ---- */

uint64_t bx_vpmu_count(bx_vpmu *v, bx_vcounter *c);

/* The sum of the counter's signal; 0 if the model does not produce it. */
uint64_t bx_vpmu_tally(const bx_vpmu *v, bx_vcounter *c);

/* The number that the counter can still count. One more is a carry out of its width, or a borrow.
 */
uint64_t bx_vpmu_headroom(const bx_vcounter *c);

/* The time at which a watched counter will have overflowed if no level changes: the end of the
 * cycle that carries out of its width. BX_NEVER: it will not overflow. */
uint64_t bx_vpmu_predict(const bx_vcounter *c);

/* Brings the count up to the given time. */
void bx_vpmu_advance(bx_vpmu *v, bx_vcounter *c, uint64_t now);

/* The injected level that ended at this time does not continue. If it returns, that is a rise. */
void bx_vpmu_rearm(bx_vpmu *v, bx_vcounter *c, uint64_t now);
void bx_vpmu_on_level(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                      uint32_t level);

/* ---- timeline.c ---- */

/* Sets the alarm for the next action. */
void bx_vpmu_set_alarm(bx_vpmu *v);
uint64_t bx_vpmu_alarm(struct bx_watcher *w, uint64_t now);

/* ---- overflow.c ---- */

/* Processes the overflows up to `now`: sets status bits, requests interrupts, stops counters. Then
 * checks the counters that are due. */
void bx_vpmu_process_overflows(bx_vpmu *v, uint64_t now);

/* Handles interrupt requests that have arrived: sets their status field, freezes the counters, then
 * sends interrupts to cores. */
void bx_vpmu_deliver_requests(bx_vpmu *v, uint64_t now);
void bx_vpmu_send_interrupts(bx_vpmu *v);

/* ---- injected.c ---- */

/* The injected level that a counter with that selection counts now. */
uint64_t bx_vpmu_injected(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *selected);
uint64_t bx_vpmu_injection_due(const bx_vpmu *v);

/* Removes the injections that have ended. Returns whether there were any. */
bool bx_vpmu_remove_injections(bx_vpmu *v, uint64_t now);

/* Records that a counter was read: undriven.c. */
void bx_vpmu_note_read(bx_vpmu *v, bx_vcounter *c);

#endif
