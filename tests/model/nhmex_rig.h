/* The Xeon 7500 model for tests, and its signals. */
#ifndef BX_TESTS_MODEL_NHMEX_RIG_H
#define BX_TESTS_MODEL_NHMEX_RIG_H

#include "rig.h"

#include "model/machine/nhmex/boxes.h"

static inline struct rig rig_new(unsigned packages, unsigned cores, uint64_t llc_bytes)
{
    return rig_of("nhmex",
                  (bx_model_shape){.packages = packages, .cores = cores, .llc_bytes = llc_bytes});
}

/* A signal of one unit. For an R-Box, `unit` is the port of the package. */
static inline uint64_t rig_unit(struct rig *r, unsigned box, unsigned package, unsigned unit,
                                unsigned code, uint32_t umask)
{
    bx_selection sel = {.box = (uint16_t)box,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .code = (uint16_t)code,
                        .umask = umask};

    if (box == BX_NHMEX_R) {
        sel.unit = (uint16_t)(unit / 4);
        sel.port = (uint16_t)(unit % 4);
    }
    return rig_tally(r, &sel);
}

/* A signal of a B-Box's counter. */
static inline uint64_t rig_b(struct rig *r, unsigned package, unsigned unit, unsigned counter,
                             unsigned code)
{
    bx_selection sel = {.box = BX_NHMEX_B,
                        .package = (uint16_t)package,
                        .unit = (uint16_t)unit,
                        .counter = (uint16_t)counter,
                        .code = (uint16_t)code};
    return rig_tally(r, &sel);
}

static inline unsigned rig_units(const struct rig *r, unsigned box)
{
    return box == BX_NHMEX_C ? r->cores : box == BX_NHMEX_R ? 8 : 2;
}

static inline uint64_t rig_package(struct rig *r, unsigned box, unsigned package, unsigned code,
                                   uint32_t umask)
{
    uint64_t sum = 0;
    for (unsigned unit = 0; unit < rig_units(r, box); unit++)
        sum += rig_unit(r, box, package, unit, code, umask);
    return sum;
}

static inline uint64_t rig_all(struct rig *r, unsigned box, unsigned code, uint32_t umask)
{
    uint64_t sum = 0;
    for (unsigned package = 0; package < r->packages; package++)
        sum += rig_package(r, box, package, code, umask);
    return sum;
}

static inline uint64_t rig_all_b(struct rig *r, unsigned counter, unsigned code)
{
    uint64_t sum = 0;
    for (unsigned package = 0; package < r->packages; package++)
        for (unsigned unit = 0; unit < 2; unit++)
            sum += rig_b(r, package, unit, counter, code);
    return sum;
}

#endif
