/* Register-exact virtual PMUs of a whole machine. They are built from the catalogue's register
 * facts and count signals (seam/signal.h). They use no event names and no encoder, so they cannot
 * agree with a wrong encoding. */
#ifndef BX_VPMU_VPMU_H
#define BX_VPMU_VPMU_H

#include "seam/bus.h"
#include "seam/signal.h"
#include "topology/topology.h"

typedef struct bx_vpmu bx_vpmu;

/* To be freed by the caller; signals must outlive it. NULL and *e: BX_NO_MEMORY, or BX_NO_FIT with
 * more counters than can be numbered. */
bx_vpmu *bx_vpmu_new(const bx_topology *t, bx_signals *signals, bx_error *e);
void bx_vpmu_free(bx_vpmu *v);

/* A further bank of the registers of the machine whose first bank is given, which must outlive it:
 * as at power-on, but at the machine's present time, with signals of its own (signal_share.h).
 * Registers that count nothing (base addresses, and passive ones), and which cores sleep, are the
 * first bank's. Errors as above. */
bx_vpmu *bx_vpmu_new_bank(bx_vpmu *first, bx_signals *signals, bx_error *e);

/* From now on a freeze in one of these banks, and of those that v or `with` is frozen with, stops
 * all of them in that cycle. v is frozen with none yet. */
void bx_vpmu_freeze_together(bx_vpmu *v, bx_vpmu *with);

bx_signals *bx_vpmu_signals(bx_vpmu *v); /* as given */

/* The bus that reaches its registers; belongs to v. Errors: EIO where the hardware faults, ENXIO
 * for a CPU that does not exist, EINVAL for a width that is not 8, 16, 32 or 64 bits. As on the
 * hardware, PCI functions and physical memory that do not exist read as all ones and drop what is
 * written. */
struct bx_bus *bx_vpmu_bus(bx_vpmu *v);

/* Called for each core that gets an interrupt, at that time. */
typedef void bx_pmi_fn(void *context, unsigned cpu);
void bx_vpmu_on_pmi(bx_vpmu *v, bx_pmi_fn *fn, void *context);

/* Cores are awake at first. A sleeping one gets no PMI unless wake-on-PMI is set, which wakes it.
 */
void bx_vpmu_sleep(bx_vpmu *v, unsigned cpu, bool asleep);
bool bx_vpmu_asleep(const bx_vpmu *v, unsigned cpu);

/* Raises a signal: from now on, for `cycles`, its level is added to the model's in the counters of
 * that unit that select exactly this code, unit mask and port and whose filters it passes. The
 * caller then lets the time pass. Of what->filter the bits in what->applies are compared, each
 * field of a filter register as a whole; other fields do not matter. what->levels is the privilege
 * level of the signal, BX_LEVEL_OS or BX_LEVEL_USER; 0: it is counted at any. Where a code means
 * several events, what->counter says which: the one that it means there. A fixed counter selects
 * nothing; in a unit where no other counter does either, it counts every signal. The same signal
 * again right afterwards continues without a fall. BX_BAD_INPUT if time would overflow, BX_NO_FIT
 * with too many signals at once. */
int bx_vpmu_inject(bx_vpmu *v, const bx_selection *what, uint32_t level, uint64_t cycles,
                   bx_error *e);

/* Signals that end at this very time do not continue: the same signal again is a new rise. */
void bx_vpmu_fall(bx_vpmu *v);

/* Ends all injected signals before their time. */
void bx_vpmu_withdraw(bx_vpmu *v);

/* The index in bx_selection.filter of a register of the catalogue; BX_FILTERS: none, it holds no
 * modifier. */
unsigned bx_vpmu_filter_index(const struct bx_catalog *c, uint16_t reg);

/* Reads the registers of a unit; reg: catalogue index. */
typedef struct bx_vreg_reader {
    uint64_t (*get)(const void *of, uint16_t reg);
    const void *of;
} bx_vreg_reader;

/* What a counter selects with these register values: sets code, umask, port, counter, filter and
 * applies of *to. For a fixed or free-running counter code and unit mask stay as they are. Returns
 * the event (catalogue index) that is counted, or BX_NONE. */
uint16_t bx_vpmu_select(const struct bx_catalog *c, const bx_cat_counter *counter,
                        const bx_vreg_reader *registers, bx_selection *to);

enum bx_cpu_mode { BX_MODE_REAL, BX_MODE_PROTECTED, BX_MODE_V86 };

/* The RDPMC instruction on a CPU, with ECX, at privilege level cpl (0 to 3; used in protected mode
 * only), pce being bit 8 of CR4. 0 and EDX:EAX in *value; EIO: it faults (#GP); ENXIO: no such CPU.
 * Document 002 section 6.3.2. */
int bx_vpmu_rdpmc(bx_vpmu *v, unsigned cpu, uint32_t ecx, unsigned cpl, bool pce,
                  enum bx_cpu_mode mode, uint64_t *value);

/* Reads of counters that count, but nothing that the source of signals produces: they find 0. */
typedef struct bx_vundriven {
    uint16_t pmu; /* catalogue index */
    uint16_t code;
    uint32_t umask;
    uint64_t reads;
} bx_vundriven;

/* Those so far, in the order in which they were first read; *n: how many, 32 at most: others are
 * not told. */
const bx_vundriven *bx_vpmu_undriven(const bx_vpmu *v, unsigned *n);

/* Executes whatever is due by now, interrupts included. Register accesses do this themselves. */
void bx_vpmu_catch_up(bx_vpmu *v);

#endif
