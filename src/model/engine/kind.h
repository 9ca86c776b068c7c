/* The common part of all machine models: the first member of their state, and the functions behind
 * model.h. signal_seam.c implements the signal seam for all of them. */
#ifndef BX_MODEL_ENGINE_KIND_H
#define BX_MODEL_ENGINE_KIND_H

#include "base/arena.h"
#include "model/engine/access.h"
#include "model/engine/frames.h"
#include "model/engine/shape.h"
#include "model/engine/watch.h"
#include "model/part/core_caches.h"

#include <boxscore/boxscore.h>

struct bx_box_signals;
struct bx_turns;
struct bx_tlb_geometry;
struct bx_attribution;

struct bx_unit {
    unsigned index; /* over all packages */
    unsigned has;   /* of what the rows of its box may need: bits of the model's own */
};

/* The shapes that there are of a kind of machine: the most packages and cores, and its LLC,
 * whose ways the caches have. */
struct bx_model_limits {
    const char *name; /* for messages: "a client machine" */
    unsigned packages, cores;
    unsigned sets, least_sets; /* of a slice of the LLC; sets: the default; 0: none */
    uint32_t slices;           /* a set of numbers; 0: as many as cores */
};

/* A kind of machine model. The functions are those of model.h without their prefix, except check,
 * power_on, find_unit, interrupt and set_prefetchers. */
struct bx_model_kind {
    const char *name;                  /* as in the catalogue: "client" */
    bool remarks;                      /* the feeds of programs must have remarks */
    unsigned devices;                  /* what cores can access of them: enum bx_device_access */
    const struct bx_tlb_geometry *tlb; /* of its cores; NULL: no TLBs */
    struct bx_model_limits limits;
    bx_model_times times;                     /* where the shape gives none */
    const struct bx_core_caches_kind *caches; /* of its cores, and the LLC's policy */
    size_t size;                              /* of its state, whose first member is a bx_model */
    /* BX_OK, or BX_BAD_INPUT and *e: there is no such shape. NULL: the limits say all. */
    int (*check)(const bx_model_shape *shape, bx_error *e);
    /* The state has its caches, and is 0 otherwise; the shape has all times. Out of memory:
     * m->memory.failed. */
    void (*power_on)(bx_model *m, const bx_model_shape *shape);
    void (*feed)(bx_model *m, unsigned agent, bx_feed *feed);
    bool (*run)(bx_model *m, uint64_t until);
    void (*idle)(bx_model *m, uint64_t cycles);
    void (*wake)(bx_model *m, unsigned agent);
    /* NULL: the model has only one core. */
    void (*wait_for)(bx_model *m, unsigned agent, unsigned other, const bx_access *position);
    uint64_t (*clock)(const bx_model *m, unsigned agent);
    /* The signals of each box, as in bx_selection.box. NULL: it has none. */
    const struct bx_box_signals *const *box;
    unsigned boxes;
    /* Finds the unit of a selection. false: there is no such package, unit or port. */
    bool (*find_unit)(bx_model *m, const bx_selection *sel, struct bx_unit *unit);
    /* bx_signals.interrupt; NULL: the model ignores interrupts. */
    void (*interrupt)(bx_model *m, unsigned package, unsigned cores);
    /* See bx_model_send_interrupt(). NULL: the model ignores it. */
    void (*send_interrupt)(bx_model *m, unsigned from, unsigned to, bool wakes);
    /* bx_signals.set_prefetchers; NULL: the cores have no prefetchers. */
    void (*set_prefetchers)(bx_model *m, unsigned core, unsigned off);
};

/* The first member of each model's own state. */
struct bx_model {
    const struct bx_model_kind *kind;
    bx_signals signals;
    struct bx_time time;
    struct bx_turns *turns;            /* for models that use engine/turns.c */
    const struct bx_tlb_geometry *tlb; /* of its cores; NULL: no TLBs */
    uint64_t node_lines; /* memory is divided among packages, so many lines each; 0: interleaved */
    uint64_t accesses;   /* executed since power-on */
    struct bx_attribution *attribution; /* NULL: nobody asks who caused the counts */
    struct bx_core_caches caches;       /* sizes and policies */
    bx_arena memory;                    /* of caches, gauges and tables, until power-off */
    /* Memory ran out, here or in `memory`: times and counts are wrong from then on. */
    bool out_of_memory;
};

/* A page has 2^this lines. */
static inline unsigned bx_model_page_shift(const struct bx_model *m)
{
    return bx_page_lines_shift(m->caches.line_shift);
}

/* Sets up the common state of a model. */
void bx_model_power_on(bx_model *m);

/* Resolves a selection. false: the model does not produce it. */
bool bx_model_signal_of(bx_model *m, const bx_selection *sel, struct bx_signal *signal);

#endif
