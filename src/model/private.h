/* A core's private caches: L1D, L1I and L2, and what it can do without the uncore.
 *
 * Laid out for the hot path: 32-bit tags that are compared a set at a time, states as bytes, a mask
 * of invalid ways that only invalidations write. `key` is a filter in front of L1: the tag of each
 * set's most recently used line, by kind of access. An access that finds its tag there changes
 * nothing (a second touch of a way is idempotent), so most accesses cost one comparison. */
#ifndef BX_MODEL_PRIVATE_H
#define BX_MODEL_PRIVATE_H

#include "model/counts.h"
#include "model/match.h"

enum {
    BX_L1_SET_BITS = 6,
    BX_L1_SETS = 1 << BX_L1_SET_BITS,
    BX_L2_SET_BITS = 10,
    BX_L2_SETS = 1 << BX_L2_SET_BITS,
    BX_LLC_WAY_UNKNOWN = 0xff,
};

#define BX_LINE_MASK ((UINT64_C(1) << 37) - 1) /* line numbers: docs/model.md */

struct bx_l1_set {
    _Alignas(64) uint32_t tag[8]; /* line >> BX_L1_SET_BITS */
    uint8_t state[8];             /* enum bx_line_state */
    uint8_t plru, invalid;
};

struct bx_l2_set {
    _Alignas(32) uint32_t tag[4]; /* line >> BX_L2_SET_BITS */
    uint8_t state[4];
    uint8_t llc_way[4]; /* where the LLC has it (inclusion keeps it there), or unknown */
    uint8_t plru, invalid;
};

struct bx_core {
    /* [kind][set]: the tag of the set's most recently used line. For stores only if it is in M. */
    _Alignas(64) uint32_t key[4 * BX_L1_SETS];
    struct bx_l1_set l1d[BX_L1_SETS], l1i[BX_L1_SETS];
    struct bx_l2_set l2[BX_L2_SETS];
    bool has_code; /* something was filled into L1I */
    bool snooped;  /* a snoop has changed a copy since this was last cleared */
};

/* Dirty lines that fills have driven out of L2 and that are now to be written back to the LLC. */
struct bx_spills {
    unsigned n;
    struct bx_spill {
        uint64_t line;
        uint8_t llc_way;
    } of[2]; /* L2's own victim, and that of an L1D victim which goes to L2 */
};

/* What the core can do about an access on its own. Not negative: it is done, and takes that many
 * cycles. */
enum bx_step {
    BX_STEP_MISS = -1,  /* needs the uncore: absent, or a store to a line in S */
    BX_STEP_SPILL = -2, /* an L2 hit whose L1D victim is dirty and not in L2: it may write back */
};

static inline uint64_t bx_access_line(bx_access a)
{
    return a >> 16 & BX_LINE_MASK;
}

static inline unsigned bx_access_kind(bx_access a)
{
    return (unsigned)a & 3;
}

void bx_core_power_on(struct bx_core *c);

/* Executes private accesses from *next on. Stops at `end`, or before the first access that is not
 * private; its cost has been added to *clock then, and *why tells what it needs. Returns where it
 * stopped. */
const bx_access *bx_core_run(struct bx_core *c, const bx_access *next, const bx_access *end,
                             uint64_t *clock, enum bx_step *why);

/* One access, if it is private. */
int bx_core_step(struct bx_core *c, bx_access a);

/* An L2 hit: docs/model.md, "A core's accesses" 2. Returns the cycles that it takes. */
unsigned bx_core_l2_hit(struct bx_core *c, bx_access a, struct bx_spills *spills);

/* Fills the line that the uncore granted in `state` (rule 4 of an uncore access). */
void bx_core_fill(struct bx_core *c, bx_access a, enum bx_line_state state, unsigned llc_way,
                  struct bx_spills *spills);

/* Snoops: by a reader, after which copies are shared; and by one who wants the line alone. */
enum bx_response bx_core_share(struct bx_core *c, uint64_t line);
enum bx_response bx_core_lose(struct bx_core *c, uint64_t line);

#endif
