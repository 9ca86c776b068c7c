/* The Ivy Bridge-EP model for tests, and its signals. */
#ifndef BX_TESTS_MODEL_IVBEP_RIG_H
#define BX_TESTS_MODEL_IVBEP_RIG_H

#include "rig.h"

#include "model/machine/ivbep/boxes.h"
#include "model/machine/ivbep/counts.h"

static inline struct rig rig_new(unsigned packages, unsigned cores, uint64_t llc_bytes)
{
    return rig_of("ivbep",
                  (bx_model_shape){.packages = packages, .cores = cores, .llc_bytes = llc_bytes});
}

/* Filters of a selection: the control's TID_EN, FILTER0 and FILTER1. */
struct rig_filter {
    bool tid_en;
    uint32_t filter0, filter1;
};

/* Filters apply to lookups, victims and the TOR: docs/explanation/model-ivbep.md. */
static inline void rig_apply_filters(bx_selection *sel, bool tid_en)
{
    enum { LOOKUP = 0x34, TOR_INSERTS, TOR_OCCUPANCY, VICTIMS, STATES = 0x3f << 17, TID = 0x1f };
    bool tor = sel->code == TOR_INSERTS || sel->code == TOR_OCCUPANCY;

    sel->applies[0] = sel->code == LOOKUP ? STATES : 0;
    if (tid_en && sel->code >= LOOKUP && sel->code <= VICTIMS)
        sel->applies[0] |= TID;
    sel->applies[1] = tor ? 0xffffffff : sel->code == LOOKUP || sel->code == VICTIMS ? 0xffff : 0;
}

static inline bx_selection rig_selection(unsigned package, unsigned unit, unsigned code,
                                         unsigned umask, struct rig_filter f)
{
    bx_selection sel = {
        .box = BX_IVBEP_CBO,
        .unit = (uint16_t)unit,
        .package = (uint16_t)package,
        .code = (uint16_t)code,
        .umask = umask,
        .filter = {f.filter0, f.filter1},
    };

    rig_apply_filters(&sel, f.tid_en);
    return sel;
}

/* The sum of a signal over one package's C-Boxes. */
static inline uint64_t rig_package(struct rig *r, unsigned package, unsigned code, unsigned umask,
                                   struct rig_filter f)
{
    uint64_t all = 0;

    for (unsigned unit = 0; unit < r->cores; unit++) {
        bx_selection sel = rig_selection(package, unit, code, umask, f);
        all += rig_tally(r, &sel);
    }
    return all;
}

/* The sum over the whole machine. */
static inline uint64_t rig_all(struct rig *r, unsigned code, unsigned umask, struct rig_filter f)
{
    uint64_t all = 0;
    for (unsigned package = 0; package < r->packages; package++)
        all += rig_package(r, package, code, umask, f);
    return all;
}

#endif
