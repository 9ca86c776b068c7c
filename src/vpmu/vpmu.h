/* Register-exact virtual PMUs of a whole machine. They are built from the catalogue's register
 * facts and count signals (seam/signal.h). They use no event names and no encoder, so they cannot
 * agree with a wrong encoding. */
#ifndef BX_VPMU_VPMU_H
#define BX_VPMU_VPMU_H

#include "seam/bus.h"
#include "seam/signal.h"
#include "topology/topology.h"

typedef struct bx_vpmu bx_vpmu;

/* Makes virtual PMUs, which the caller frees; signals must outlive them. On failure NULL, and *e
 * has BX_NO_MEMORY, or BX_NO_FIT if there are more counters than can be numbered. */
bx_vpmu *bx_vpmu_new(const bx_topology *t, bx_signals *signals, bx_error *e);
void bx_vpmu_free(bx_vpmu *v);

/* Makes a further bank of a machine's registers. The first bank is given and must outlive the new
 * one. The new bank has the state of power-on at the machine's present time, and its own signals
 * (signal_share.h). It shares with the first bank the registers that count nothing (base addresses
 * and passive registers) and the list of sleeping cores. Errors as above. */
bx_vpmu *bx_vpmu_new_bank(bx_vpmu *first, bx_signals *signals, bx_error *e);

/* Joins v to the banks that are frozen together with `with`. From now on a freeze in one of them
 * stops all of them in that cycle. v must not be joined to any bank yet. */
void bx_vpmu_freeze_together(bx_vpmu *v, bx_vpmu *with);

bx_signals *bx_vpmu_signals(bx_vpmu *v); /* the signals that it was made with */

/* The bus that reaches the registers of v; it belongs to v. Errors: EIO where the hardware faults,
 * ENXIO for a CPU that does not exist, EINVAL for a width that is not 8, 16, 32 or 64 bits. As on
 * the hardware, PCI functions and physical memory that do not exist read as all ones and drop what
 * is written. */
struct bx_bus *bx_vpmu_bus(bx_vpmu *v);

/* Sets a function that is called for each core that gets an interrupt, at the time of the
 * interrupt. */
typedef void bx_pmi_fn(void *context, unsigned cpu);
void bx_vpmu_on_pmi(bx_vpmu *v, bx_pmi_fn *fn, void *context);

/* Sets whether a core sleeps. Cores are awake at first. A sleeping core gets no PMI unless
 * wake-on-PMI is set; then the PMI wakes it. */
void bx_vpmu_sleep(bx_vpmu *v, unsigned cpu, bool asleep);
bool bx_vpmu_asleep(const bx_vpmu *v, unsigned cpu);

/* Raises a signal. For `cycles` from now on, some counters of that unit add its level to the
 * model's: those that select exactly this code, unit mask and port, and whose filters pass it. The
 * caller then lets the time pass. The bits of what->filter that are set in what->applies are
 * compared, each field of a filter register as a whole. Other fields do not matter. what->levels is
 * the privilege level of the signal, BX_LEVEL_OS or BX_LEVEL_USER; 0: it is counted at any level.
 * If a code means several events, what->counter selects the event that the code means on that
 * counter. A fixed counter selects nothing. If no other counter of its unit selects anything
 * either, it counts every signal. If the same signal is raised again right after its end, it
 * continues without a fall. BX_BAD_INPUT if time would overflow, BX_NO_FIT with too many signals at
 * the same time. */
int bx_vpmu_inject(bx_vpmu *v, const bx_selection *what, uint32_t level, uint64_t cycles,
                   bx_error *e);

/* Signals that end at this time do not continue: if the same signal is raised again, that is a new
 * rise. */
void bx_vpmu_fall(bx_vpmu *v);

/* Ends all injected signals now. */
void bx_vpmu_withdraw(bx_vpmu *v);

/* The index in bx_selection.filter of a register of the catalogue; BX_FILTERS: the register has no
 * modifier. */
unsigned bx_vpmu_filter_index(const struct bx_catalog *c, uint16_t reg);

/* Reads the registers of a unit; reg: catalogue index. */
typedef struct bx_vreg_reader {
    uint64_t (*get)(const void *of, uint16_t reg);
    const void *of;
} bx_vreg_reader;

/* Determines what a counter selects with these register values. Sets code, umask, port, counter,
 * filter and applies of *to. For a fixed or free-running counter, code and unit mask stay as they
 * are. Returns the event (catalogue index) that is counted, or BX_NONE. */
uint16_t bx_vpmu_select(const struct bx_catalog *c, const bx_cat_counter *counter,
                        const bx_vreg_reader *registers, bx_selection *to);

enum bx_cpu_mode { BX_MODE_REAL, BX_MODE_PROTECTED, BX_MODE_V86 };

/* Executes the RDPMC instruction on a CPU. cpl: privilege level, 0 to 3; used in protected mode
 * only. pce: bit 8 of CR4. Returns 0 and EDX:EAX in *value; EIO: it faults (#GP); ENXIO: no such
 * CPU. Document 002 section 6.3.2. */
int bx_vpmu_rdpmc(bx_vpmu *v, unsigned cpu, uint32_t ecx, unsigned cpl, bool pce,
                  enum bx_cpu_mode mode, uint64_t *value);

/* Counters that were read although the model does not produce their events: they contain 0. */
typedef struct bx_vundriven {
    uint16_t pmu; /* catalogue index */
    uint16_t code;
    uint32_t umask;
    uint64_t reads;
} bx_vundriven;

/* The list so far, in the order in which the counters were first read; *n: their number. The list
 * is limited to 32. */
const bx_vundriven *bx_vpmu_undriven(const bx_vpmu *v, unsigned *n);

/* Executes all actions that are due by now, also interrupts. Register accesses call it themselves.
 */
void bx_vpmu_catch_up(bx_vpmu *v);

#endif
