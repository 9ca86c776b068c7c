/* Passes calls to the functions of the machine model's kind. */
#include "model/model.h"

#include "base/error.h"
#include "base/nearest.h"
#include "catalog/machine_models.h"
#include "model/core/tlb.h"
#include "model/machine/client/machine.h"
#include "model/engine/attribution_course.h"
#include "model/engine/limits.h"
#include "model/engine/signal_table.h"
#include "model/engine/turns.h"
#include "model/machine/ivbep/machine.h"
#include "model/machine/nhmex/machine.h"
#include "model/machine/p6/machine.h"

#include <stdlib.h>
#include <string.h>

static const struct bx_model_kind *const kinds[] = {
    &bx_client_model,
    &bx_ivbep_model,
    &bx_nhmex_model,
    &bx_p6_model,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct bx_model_kind *kind_of(const char *name)
{
    for (unsigned i = 0; name && i < KINDS; i++)
        if (strcmp(name, kinds[i]->name) == 0)
            return kinds[i];
    return NULL;
}

static bx_model *power_on(const struct bx_model_kind *kind, const bx_model_shape *shape,
                          bx_error *e)
{
    bx_model_shape whole = *shape;

    bx_model_times_complete(&whole.times, &kind->times);
    whole.line_bytes = whole.dram.line_bytes = bx_line_bytes_of(kind->caches, shape);
    if (bx_limits_check(kind, shape, e) != BX_OK || (kind->check && kind->check(shape, e) != BX_OK))
        return NULL;
    bx_model *m = calloc(1, kind->size);
    if (m) {
        m->kind = kind;
        if (bx_core_caches_make(&m->caches, kind->caches, shape, e) != BX_OK) {
            bx_model_free(m);
            return NULL;
        }
        kind->power_on(m, &whole);
    }
    if (!m || m->memory.failed) {
        bx_model_free(m);
        bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a machine of %u cores",
                (unsigned)(shape->packages * shape->cores));
        return NULL;
    }
    bx_model_power_on(m);
    return m;
}

bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e)
{
    const struct bx_model_kind *kind = kind_of(name);

    if (kind) {
        if (shape->tlb && shape->tlbs && bx_tlb_check(shape->tlbs, e) != BX_OK)
            return NULL;
        bx_model *m = power_on(kind, shape, e);
        if (m && shape->tlb)
            m->tlb = shape->tlbs ? shape->tlbs : kind->tlb;
        return m;
    }
    if (name && strcmp(name, BX_NO_MACHINE_MODEL) == 0) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "no machine model imitates this CPU: it is not virtual");
        bx_hint(e,
                "its events can be encoded, decoded, and counted on a host; boxscore help machines "
                "lists those that are");
        return NULL;
    }
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no machine model '%s'", name ? name : "");
    bx_nearest nearest = bx_nearest_to(bx_str_of(name ? name : ""));
    for (unsigned i = 0; i < KINDS; i++)
        bx_nearest_offer(&nearest, kinds[i]->name);
    bx_nearest_hint(e, &nearest);
    return NULL;
}

unsigned bx_model_caches_of(const char *name, const bx_model_shape *shape,
                            bx_model_cache_fact to[BX_MODEL_CACHES])
{
    const struct bx_model_kind *kind = kind_of(name);
    struct bx_core_caches own;
    unsigned n = 0, level = 1;

    if (!kind || bx_core_caches_make(&own, kind->caches, shape, NULL) != BX_OK)
        return 0;
    for (enum bx_core_cache which = 0; which < BX_CORE_CACHES; which++) {
        unsigned ways = own.replacement[which].ways;
        if (!own.sets[which])
            continue;
        level += which >= BX_CORE_L2;
        to[n++] = (bx_model_cache_fact){
            .of = which == BX_CORE_L1D   ? BX_CACHE_OF_DATA
                  : which == BX_CORE_L1I ? BX_CACHE_OF_INSTRUCTIONS
                                         : BX_CACHE_OF_BOTH,
            .level = level,
            .ways = ways,
            .bytes = ((uint64_t)own.sets[which] * ways) << own.line_shift,
            .inclusive = which >= BX_CORE_L2 && own.inclusion[which] == BX_INCLUSION_ALL,
        };
    }
    bx_model_llc llc = bx_limits_llc(kind, shape);
    if (llc.ways)
        to[n++] = (bx_model_cache_fact){.of = BX_CACHE_OF_BOTH,
                                        .level = level + 1,
                                        .ways = llc.ways,
                                        .bytes = llc.bytes,
                                        .shared = true,
                                        .inclusive = true};
    return n;
}

uint32_t bx_model_line_bytes(const char *name, const bx_model_shape *shape)
{
    const struct bx_model_kind *kind = kind_of(name);

    return kind ? bx_line_bytes_of(kind->caches, shape) : 0;
}

void bx_model_free(bx_model *m)
{
    if (!m)
        return;
    bx_attribution_free(m->attribution);
    bx_arena_free(&m->memory);
    free(m);
}

bx_signals *bx_model_signals(bx_model *m)
{
    return &m->signals;
}

unsigned bx_model_line_shift(const bx_model *m)
{
    return m->caches.line_shift;
}

void bx_model_divide_memory(bx_model *m, unsigned packages)
{
    m->node_lines = packages > 1 ? bx_node_frames(packages) << bx_model_page_shift(m) : 0;
}

void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed)
{
    m->kind->feed(m, agent, feed);
}

bool bx_model_run(bx_model *m, uint64_t until)
{
    return m->kind->run(m, until);
}

bool bx_model_out_of_memory(const bx_model *m)
{
    return m->out_of_memory || m->memory.failed;
}

void bx_model_idle(bx_model *m, uint64_t cycles)
{
    m->kind->idle(m, cycles);
}

void bx_model_send_interrupt(bx_model *m, unsigned from, unsigned to, bool wakes)
{
    if (m->kind->send_interrupt)
        m->kind->send_interrupt(m, from, to, wakes);
}

void bx_model_interrupt_idle(bx_model *m, uint64_t instructions)
{
    if (m->turns) /* other models have one core */
        bx_turns_interrupt_idle(m, instructions);
}

void bx_model_wake(bx_model *m, unsigned agent)
{
    m->kind->wake(m, agent);
}

void bx_model_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position)
{
    m->kind->wait_for(m, agent, other, position);
}

uint64_t bx_model_clock(const bx_model *m, unsigned agent)
{
    return m->kind->clock(m, agent);
}

void bx_model_catch_up(bx_model *m)
{
    if (m->turns) /* other models have one core, whose time is the model's */
        bx_turns_catch_up(m);
}

bool bx_model_wants_remarks(const bx_model *m)
{
    return m->kind->remarks;
}

const struct bx_tlb_geometry *bx_model_tlb(const bx_model *m)
{
    return m->tlb;
}

unsigned bx_model_device_accesses(const bx_model *m)
{
    return m->kind->devices;
}

uint64_t bx_model_accesses(const bx_model *m)
{
    return m->accesses;
}

/* Resolves a selection for package 0 and unit 0. false: the model does not produce it anywhere. */
static bool resolve_anywhere(const bx_model *m, const bx_selection *sel, struct bx_signal *signal)
{
    bx_selection anywhere = *sel;

    anywhere.package = 0;
    anywhere.unit = 0;
    /* a signal points into the model, whose tallies change when they are read; nothing reads them
     * here */
    return bx_model_signal_of((bx_model *)(uintptr_t)m, &anywhere, signal);
}

bool bx_model_produces(const bx_model *m, const bx_selection *sel)
{
    struct bx_signal signal;

    return resolve_anywhere(m, sel, &signal);
}

bool bx_model_describe(const bx_model *m, const bx_selection *sel, bx_buf *to)
{
    struct bx_signal signal;

    if (!resolve_anywhere(m, sel, &signal))
        return false;
    bx_signal_describe(&signal, to);
    return true;
}

bool bx_model_reports(const bx_model *m, const bx_selection *sel)
{
    struct bx_signal signal = {0};

    return resolve_anywhere(m, sel, &signal) && !signal.no_levels;
}

bool bx_model_needs_remarks(const bx_model *m, const bx_selection *sel)
{
    struct bx_signal signal = {0};

    return resolve_anywhere(m, sel, &signal) && signal.of_remarks;
}
