/* A machine model: cores, caches and the uncore. It executes streams of memory accesses and raises
 * signals through seam/signal.h. It knows no registers and no event names. Rules:
 * docs/explanation/model.md and the pages that it names. */
#ifndef BX_MODEL_MODEL_H
#define BX_MODEL_MODEL_H

#include "base/buf.h"
#include "model/engine/access.h"
#include "model/engine/shape.h"
#include "seam/signal.h"

#include <boxscore/boxscore.h>

typedef struct bx_model bx_model;
struct bx_tlb_geometry;

/* name: the CPU's model in the catalogue, such as "client". The caller frees the result. Returns
 * NULL and *e: BX_NOT_FOUND (no such model), BX_BAD_INPUT (no such shape) or BX_NO_MEMORY. */
bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e);
void bx_model_free(bx_model *m);

enum { BX_MODEL_CACHES = 5 };

/* The caches of a machine, from L1D to the LLC, and the bytes of their lines. bx_model_new() must
 * accept the shape. Returns how many there are. */
unsigned bx_model_caches_of(const char *name, const bx_model_shape *shape,
                            bx_model_cache_fact to[BX_MODEL_CACHES]);
uint32_t bx_model_line_bytes(const char *name, const bx_model_shape *shape);
/* The lines of the machine have 2^this bytes. */
unsigned bx_model_line_shift(const bx_model *m);

/* The model as a source of signals. The model owns the result. */
bx_signals *bx_model_signals(bx_model *m);

/* Divides the memory among the packages as bx_frames_divide() does, or interleaves it page by page,
 * as at power-on. Call it before the first access of a work. */
void bx_model_divide_memory(bx_model *m, unsigned packages);

/* Sets the feed of an agent (NULL: none). It starts at the model's present time. It must exist
 * until it has ended or is replaced. */
void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed);

/* Runs until every agent's feed has ended or its agent is parked, or until the time `until`.
 * Nothing at or after `until` is executed. Returns true if no agent has work and all accesses have
 * completed. The time is then that of the last completion, otherwise `until`. */
bool bx_model_run(bx_model *m, uint64_t until);

/* The next three functions are for agents that are parked: their refill has returned
 * BX_FEED_WAITS. */

/* Asks a parked agent's feed again. The agent continues at the time of the agent whose refill calls
 * this, or, between runs, at the model's present time. What it then does comes after what the
 * caller has done, even at the same time. An agent that is not parked does not change. Call this
 * from another agent's refill, or between runs. */
void bx_model_wake(bx_model *m, unsigned agent);

/* Call this from an agent's refill, which then returns BX_FEED_WAITS. The agent waits until agent
 * `other` is done with the access at `position`, which is in the present batch of `other`, or was.
 *
 * The agent's feed is asked again at the time when `other` could begin its next access, but not
 * before the agent's own time. If `other` is done by then, that is at once. What `other` does after
 * the access comes later, even if `other` has run ahead.
 *
 * bx_model_wake() and a new feed for `other` end the wait early. No agent waits forever: an agent
 * that is parked itself, or whose feed has ended, is done with its whole batch. For models with
 * several cores. */
void bx_model_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position);

/* In an agent's refill: the time when its last access was done. */
uint64_t bx_model_clock(const bx_model *m, unsigned agent);

/* In an agent's refill: from now on, signals are those of the agent's time. Everything before that
 * time has been executed, and nothing after it. Elsewhere, the function does nothing. */
void bx_model_catch_up(bx_model *m);

/* Whether memory ran out in a run of this model. Its counts are wrong from then on. */
bool bx_model_out_of_memory(const bx_model *m);

/* Lets `cycles` pass without work. Requests in flight complete. Feeds are not read. */
void bx_model_idle(bx_model *m, uint64_t cycles);

/* In the refill of the core `to`, at its time: the kernel on the core `from` has sent it an
 * interrupt. wakes: it had no work. Some machines can count that. */
void bx_model_send_interrupt(bx_model *m, unsigned from, unsigned to, bool wakes);

/* Each core without work executes so many instructions from now on, as a kernel's timer interrupt
 * does: one a cycle, without accesses. */
void bx_model_interrupt_idle(bx_model *m, uint64_t instructions);

/* Whether the model counts facts that only remarks report (engine/access.h). */
bool bx_model_wants_remarks(const bx_model *m);

/* Whether the model produces what a selection counts, but only for work with remarks, or for work
 * whose instructions our own tracer describes. Lackey does neither. */
bool bx_model_needs_remarks(const bx_model *m, const bx_selection *sel);

/* The TLBs of its cores (core/tlb.h). The makers of feeds translate addresses with them. NULL: the
 * machine has none. */
const struct bx_tlb_geometry *bx_model_tlb(const bx_model *m);

/* What a core can access of devices: a set of enum bx_device_access. */
unsigned bx_model_device_accesses(const bx_model *m);

uint64_t bx_model_accesses(const bx_model *m); /* accesses executed since power-on */

/* Whether the model produces a signal. The selection's package and unit are ignored. */
bool bx_model_produces(const bx_model *m, const bx_selection *sel);

/* Appends what the model adds up for a signal, in the words of docs/explanation/model.md and its
 * pages: "lookups: reads; M, E". false: it does not produce the signal. */
bool bx_model_describe(const bx_model *m, const bx_selection *sel, bx_buf *to);

/* Whether the model also knows the signal's level in each cycle, not only its sum. */
bool bx_model_reports(const bx_model *m, const bx_selection *sel);

#endif
