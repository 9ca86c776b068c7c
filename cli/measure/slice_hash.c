/* Solves linear equations over GF(2) by Gaussian elimination. */
#include "cli/measure/slice_hash.h"

/* An equation over GF(2): the XOR of the unknowns in `of` is, for each bit of a slice, that bit of
 * `is`. The unknowns are whether an address bit is in the mask; unknown 63 is the constant. */
typedef struct equation {
    uint64_t of;
    unsigned is;
} equation;

#define CONSTANT (UINT64_C(1) << 63)

static unsigned highest(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}

/* basis[k]: an equation whose highest unknown is k, or none. Adds an equation. false: it
 * contradicts the others. */
static bool add_equation(equation *basis, equation e, size_t *checks)
{
    while (e.of) {
        equation *at = &basis[highest(e.of)];
        if (!at->of) {
            *at = e;
            return true;
        }
        e.of ^= at->of;
        e.is ^= at->is;
    }
    ++*checks;
    return e.is == 0;
}

/* Solves the equations from the lowest unknown on: each one then has a single unknown value.
 * Unknowns that no sample determines are 0. */
static void substitute(const equation *basis, bx_slice_hash *to)
{
    unsigned value[64] = {0};
    for (unsigned k = 0; k < 64; k++) {
        value[k] = basis[k].is;
        for (unsigned lower = 0; lower < k; lower++)
            if (basis[k].of >> lower & 1)
                value[k] ^= value[lower];
    }
    for (unsigned bit = 0; bit < to->bits; bit++)
        for (unsigned k = 0; k < 63; k++)
            to->mask[bit] |= (uint64_t)(value[k] >> bit & 1) << k;
    to->constant = value[63];
}

bool bx_slice_hash_solve(const bx_slice_sample *samples, size_t n, unsigned slices, unsigned top,
                         bx_slice_hash *to)
{
    equation basis[64] = {{0}};
    bool linear = slices && (slices & (slices - 1)) == 0 && slices <= 1u << BX_SLICE_BITS;
    *to = (bx_slice_hash){.bits = linear ? highest(slices) : 0};
    for (size_t i = 0; i < n && linear; i++)
        linear = add_equation(basis, (equation){CONSTANT | samples[i].address, samples[i].slice},
                              &to->checks);
    if (!linear)
        return false;
    for (unsigned k = BX_LINE_SHIFT; k <= top; k++)
        to->unseen |= (uint64_t)(basis[k].of == 0) << k;
    substitute(basis, to);
    return true;
}

unsigned bx_slice_hash_of(const bx_slice_hash *h, uint64_t address)
{
    unsigned slice = h->constant;
    for (unsigned bit = 0; bit < h->bits; bit++)
        slice ^= (unsigned)__builtin_parityll(address & h->mask[bit]) << bit;
    return slice;
}
