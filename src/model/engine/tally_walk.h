/* Adds up the tallies of a signal, one by one. */
#ifndef BX_MODEL_ENGINE_TALLY_WALK_H
#define BX_MODEL_ENGINE_TALLY_WALK_H

#include "model/engine/resolved_signal.h"

/* What a tally adds. what: bx_term.what. */
typedef uint64_t bx_tally_read(void *tally, unsigned what, uint64_t now);

/* The same for those of one term, axis by axis from `axis` on. */
static inline uint64_t bx_add_term(const struct bx_term *t, char *at, unsigned axis,
                                   bx_tally_read *read, uint64_t now)
{
    uint64_t sum = 0, set = axis < BX_AXES ? t->set[axis] : 0;
    uint32_t stride = axis < BX_AXES ? t->of->axis[axis].stride : 0;

    if (axis == BX_AXES)
        return read(at, t->what, now);
    if (!stride) /* the tally is for the whole set */
        return set ? bx_add_term(t, at, axis + 1, read, now) : 0;
    for (; set; set &= set - 1)
        sum += bx_add_term(t, at + (size_t)__builtin_ctzll(set) * stride, axis + 1, read, now);
    return sum;
}

static inline __attribute__((always_inline)) uint64_t
bx_add_tallies(const struct bx_signal *signal, bx_tally_read *read, uint64_t now)
{
    uint64_t sum = 0;

    if (signal->runs > BX_RUNS) {
        for (unsigned i = 0; i < signal->terms; i++)
            sum += bx_add_term(&signal->term[i], signal->term[i].at, 0, read, now);
        return sum;
    }
    for (const struct bx_run *run = signal->run; run < signal->run + signal->runs; run++)
        for (unsigned i = 0; i < run->n; i++)
            sum += read(run->at + (size_t)i * run->step, signal->term[0].what, now);
    return sum;
}

/* A function of struct bx_reader that adds what `read` gives. */
#define BX_READ_TALLIES(name, read)                                                                \
    static uint64_t name(bx_model *m, const struct bx_signal *signal, uint64_t now)                \
    {                                                                                              \
        (void)m;                                                                                   \
        return bx_add_tallies(signal, read, now);                                                  \
    }

#endif
