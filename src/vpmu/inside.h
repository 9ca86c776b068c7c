/* What the files of this folder share: the registers and counters of one machine.
 *
 *   build.c     from the catalogue's facts to registers, counters and the look-up by address
 *   bus.c       accesses: MSRs, PCI configuration space, memory-mapped registers
 *   registers.c what reads and writes do to the bits of one register
 *   counter.c   what a counter counts: selection, enables, threshold, invert, edge
 *   filter.c    which signals the filters of its unit let through
 *   rdpmc.c     the instruction that reads a core's counters
 *   happen.c    what happens at a time of its own: overflow, freeze, interrupts, ends of signals
 *   inject.c    signals that the caller raises besides the model's
 */
#ifndef BX_VPMU_INSIDE_H
#define BX_VPMU_INSIDE_H

#include "base/arena.h"
#include "base/bits.h"
#include "base/error.h"
#include "vpmu/vpmu.h"

/* What reads and writes do to the bits of a register; derived from its fields. */
typedef struct bx_vrules {
    uint64_t known;  /* some field has them; writing 1 to any other bit faults */
    uint64_t stored; /* take what is written */
    uint64_t clears; /* a 1 clears them */
    uint64_t hidden; /* read as 0 */
    uint64_t fixed;  /* read as fixed_value; writing anything else faults */
    uint64_t fixed_value;
    uint64_t acts;   /* a 1 resets something; they hold nothing */
    uint8_t extends; /* a write takes the bits up to this one and copies it upwards; 0: all */
    bool locked;     /* nothing but read-only fields: every write faults */
} bx_vrules;

/* One register of one unit. */
typedef struct bx_vreg {
    uint64_t value; /* without the bits of the counter that it shows */
    const bx_vrules *rules;
    uint16_t counter;    /* the counter whose count it shows, index; BX_NONE */
    uint16_t first, end; /* the counters that it steers are among these */
} bx_vreg;

/* How a counter is set. */
typedef struct bx_vmode {
    bool counting; /* every enable is on */
    bool edge, invert;
    bool notify; /* an overflow sets its status bit and asks for an interrupt */
    uint16_t code;
    uint32_t umask, threshold;
    uint64_t filter[BX_FILTERS], applies[BX_FILTERS]; /* see bx_selection */
    uint8_t levels;                                   /* BX_LEVEL_* */
} bx_vmode;

/* One counter of one unit. Its count at `since` was `base`, modulo its width; what came after is
 * either a difference of two tallies (a plain counter), or told level by level (a watched one). */
typedef struct bx_vcounter {
    const bx_cat_counter *facts;
    bx_selection sees;
    bx_vmode mode;
    bool watched;  /* threshold, edge or overflow need the level of every cycle */
    bool filtered; /* its unit has filter registers */
    bool high;     /* watched: the condition held in the cycle before `since` */
    uint16_t cpu;  /* a CPU through which its registers are reached */
    uint16_t unit; /* within the package or the CPU: which of the equal registers are its own */
    uint64_t mask; /* of its width */
    uint64_t base, since;
    uint64_t tally;              /* plain: the model's tally at `since` */
    uint64_t injected;           /* level that callers raise at present */
    uint64_t fell;               /* when such a level last ended */
    uint64_t level, from, until; /* watched: the model's level, and the cycles in which it holds */
    uint64_t overflow;           /* when it will overflow if no level changes; BX_NEVER */
} bx_vcounter;

/* Registers of one scope lie bank after bank, one for each package or CPU. */
typedef struct bx_vbank {
    uint32_t first, size; /* of the first bank; of each */
    uint32_t used;        /* registers laid out so far */
} bx_vbank;

/* Where a catalogue register's instances lie within a bank: unit after unit. */
typedef struct bx_vslot {
    uint32_t slot;
    bool of_cpu; /* one bank for each CPU, not for each package */
} bx_vslot;

/* An address and the register there. PCI and MMIO registers have a place for each 32-bit word. */
typedef struct bx_vplace {
    uint64_t key; /* see bx_vpmu_key; 0: free */
    bx_vslot at;
    uint8_t shift; /* of the word within the register */
} bx_vplace;

typedef struct bx_vinjection {
    bx_selection what;
    uint32_t level;
    uint64_t end;
} bx_vinjection;

enum { BX_VINJECTIONS = 16 }; /* most signals at once */

struct bx_vpmu {
    struct bx_bus bus;
    bx_watcher watcher;
    bx_arena arena;
    bx_topology topology;
    const bx_cat_cpu *cpu;
    bx_signals *signals;
    unsigned cpus;

    bx_vrules *rules; /* of every catalogue register; one more: of passive MSRs */
    bx_vslot *slots;  /* of every catalogue register */
    bx_vreg *regs;
    bx_vbank package_bank, cpu_bank;
    bx_vplace *places; /* hash table */
    unsigned place_bits;
    /* Ranges of physical memory: fields whose bits, in place, are the address. The alignment that
     * the lowest bit gives is the size as well. */
    uint16_t *windows;
    unsigned window_count;

    bx_vcounter *counters; /* a counter's index is the number of its watch */
    unsigned counter_count;
    bx_vinjection injections[BX_VINJECTIONS];
    unsigned injection_count;
    uint64_t due; /* when something happens next: the alarm that is set */

    bool *asleep;    /* by CPU */
    bool *requested; /* by package: an interrupt is to be sent */
    bool *own;       /* by CPU: a counter of its own asks for an interrupt */
    bx_pmi_fn *pmi;
    void *pmi_context;
};

static inline bx_vpmu *bx_vpmu_of_watcher(struct bx_watcher *w)
{
    return (bx_vpmu *)(void *)((char *)w - offsetof(bx_vpmu, watcher));
}

/* ---- build.c ---- */

/* What the look-up hashes. space: enum bx_space, or BX_VDEVICE; window: of an MMIO register. */
enum { BX_VDEVICE = 7 }; /* a PCI function exists; its address with offset 0 */
static inline uint64_t bx_vpmu_key(unsigned space, unsigned window, uint64_t address)
{
    return (uint64_t)(space + 1) << 56 | (uint64_t)window << 48 | address;
}

/* The place of a key; NULL: nothing there. */
const bx_vplace *bx_vpmu_find(const bx_vpmu *v, uint64_t key);

/* A register as it is reached through a CPU. */
static inline bx_vreg *bx_vpmu_at(const bx_vpmu *v, bx_vslot at, unsigned cpu)
{
    const bx_vbank *bank = at.of_cpu ? &v->cpu_bank : &v->package_bank;
    unsigned domain = at.of_cpu ? cpu : cpu / v->topology.cores;
    return &v->regs[bank->first + domain * bank->size + at.slot];
}

/* ---- bus.c ---- */

void bx_vpmu_init_bus(bx_vpmu *v);

/* ---- registers.c ---- */

bx_vrules bx_vpmu_rules(const struct bx_catalog *c, const bx_cat_reg *reg);
uint64_t bx_vpmu_read_reg(bx_vpmu *v, const bx_vreg *r);

/* Writes the bits of `which`; false if that faults: the register then keeps its value. */
bool bx_vpmu_write_reg(bx_vpmu *v, bx_vreg *r, uint64_t value, uint64_t which);

/* A field of a register that there is once in a package, as reached through a CPU. */
uint64_t bx_vpmu_get(const bx_vpmu *v, uint16_t field, unsigned cpu);
void bx_vpmu_clear(bx_vpmu *v, uint16_t field, unsigned cpu, uint64_t now);

/* ---- counter.c ---- */

bx_vreg *bx_vpmu_reg_of(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg);
uint64_t bx_vpmu_count(bx_vpmu *v, bx_vcounter *c);
void bx_vpmu_set_count(bx_vpmu *v, bx_vcounter *c, uint64_t value);

/* Brings the count up to the given time. */
void bx_vpmu_settle(bx_vpmu *v, bx_vcounter *c, uint64_t now);

/* Brings the count up to the time of an overflow, and looks for the next one. */
void bx_vpmu_pass_overflow(bx_vpmu *v, bx_vcounter *c, uint64_t now);

/* Looks at the registers again after one of them changed. */
void bx_vpmu_retune(bx_vpmu *v, bx_vcounter *c, uint64_t now);
void bx_vpmu_set_injected(bx_vpmu *v, bx_vcounter *c, uint64_t level, uint64_t now);

/* The injected level that ended at this time is not to go on: if it comes back, that is a rise. */
void bx_vpmu_rearm(bx_vpmu *v, bx_vcounter *c, uint64_t now);
void bx_vpmu_see(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                 uint32_t level);

/* ---- filter.c ---- */

/* Fills in the filters that a counter of that mode's code and unit mask has. */
void bx_vpmu_filters(const bx_vpmu *v, const bx_vcounter *c, bx_vmode *mode);
bool bx_vpmu_lets_through(const bx_vpmu *v, const bx_vcounter *c, const bx_selection *signal);

/* ---- happen.c ---- */

/* Sets the alarm for what is due next. */
void bx_vpmu_arm(bx_vpmu *v);
uint64_t bx_vpmu_alarm(struct bx_watcher *w, uint64_t now);

/* ---- inject.c ---- */

uint64_t bx_vpmu_injected(const bx_vpmu *v, const bx_vcounter *c);
uint64_t bx_vpmu_injection_due(const bx_vpmu *v);
void bx_vpmu_end_injections(bx_vpmu *v, uint64_t now);

#endif
