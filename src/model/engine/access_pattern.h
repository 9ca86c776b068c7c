/* The access patterns that built-in workloads consist of. */
#ifndef BX_MODEL_ENGINE_ACCESS_PATTERN_H
#define BX_MODEL_ENGINE_ACCESS_PATTERN_H

#include "model/part/branch_predictor.h"
#include "model/part/prefetchers.h"
#include "model/engine/workload.h"

enum bx_workload_key {
    BX_KEY_SIZE,
    BX_KEY_STRIDE,
    BX_KEY_CORES,
    BX_KEY_PASSES,
    BX_KEY_ITERATIONS,
    BX_KEY_WRITE,
    BX_KEY_STEP,
    BX_KEY_READ,
    BX_KEY_PERIOD,
    BX_KEY_HOLD,
    BX_KEY_PAUSE,
    BX_KEY_SPLIT,
    BX_KEY_STATE,
    BX_KEY_ORDER,
    BX_KEY_PATTERN,
    BX_KEY_AT,
    BX_KEY_SEED,
    BX_KEYS,
};

/* The range of a key. hi is 0 if the pattern has no such key. */
struct bx_workload_key_range {
    uint64_t default_value, lo, hi;
    bool by_line; /* the default value, and for `step` the highest one, is a line of the machine */
};

/* Values of the key `state`: the state in which the other cores hold the lines of `transfer`. */
enum bx_pattern_state { BX_PATTERN_M, BX_PATTERN_E, BX_PATTERN_S, BX_PATTERN_STATES };

/* Values of the key `order`: the order of the elements of `chase`. */
enum bx_pattern_order {
    BX_PATTERN_RANDOM_ORDER,
    BX_PATTERN_UP,
    BX_PATTERN_DOWN,
    BX_PATTERN_IN_PAGES, /* pages one after the other, in each of them at random */
    BX_PATTERN_ORDERS
};

/* Values of the key `pattern`: the outcomes, or targets, of `branches`. */
enum bx_pattern_outcomes {
    BX_PATTERN_ALTERNATING,
    BX_PATTERN_SEVEN,  /* a period of seven: taken, taken, not, taken, not, not, not */
    BX_PATTERN_ROUNDS, /* a loop of seven rounds */
    BX_PATTERN_COIN,
    BX_PATTERN_JUMPS, /* indirect, three targets in turn */
    BX_PATTERN_CALLS, /* the same of calls, with their returns */
    BX_PATTERN_RECURSION,
    BX_PATTERN_CHANGED, /* code that is changed between a jump and no branch */
    BX_PATTERN_OUTCOMES
};

enum bx_pattern_agent { BX_PATTERN_CORES, BX_PATTERN_GT, BX_PATTERN_IO };

enum {
    BX_GENERATOR_ROOM = 1024,
    BX_PATTERN_BURST = 12 * (1 + BX_WALK_LOADS), /* twelve accesses, with their page walks */
    BX_GENERATOR_PAGE = 1 << BX_PAGE_SHIFT,
};

enum bx_pattern_kind {
    BX_PATTERN_STREAM,
    BX_PATTERN_COPY,
    BX_PATTERN_CHASE,
    BX_PATTERN_RANDOM,
    BX_PATTERN_PINGPONG,
    BX_PATTERN_SHARING,
    BX_PATTERN_LOCK,
    BX_PATTERN_PRODUCER,
    BX_PATTERN_TRANSFER,
    BX_PATTERN_CODE,
    BX_PATTERN_NON_TEMPORAL,
    BX_PATTERN_INSTRUCTIONS,
    BX_PATTERN_BRANCHES,
    BX_PATTERN_MMIO,
    BX_PATTERN_PORTS,
    BX_PATTERN_DMA,
    BX_PATTERN_GFX,
    BX_PATTERNS,
};

/* The prefetchers of the core that executes a pattern. They tell instructions apart by their
 * number: the n-th load and the n-th store of a step are one instruction each. */
struct bx_generator_prefetch {
    struct bx_prefetchers of;
    unsigned instruction;                     /* number of the next access in this step */
    uint64_t last_line[2 * BX_PATTERN_BURST]; /* by instruction; all ones: none */
};

/* Of a pattern with instructions that are no accesses. They retire with the next access. */
struct bx_generator_instructions {
    bool remarks;                   /* the machine asks for them */
    uint32_t locked;                /* uncore cycles of a locked operation; 0: a load and a store */
    uint32_t refill;                /* uncore cycles of a mispredicted branch */
    bx_retired_table *rows;         /* the workload's */
    bx_retired retired;             /* since the access before */
    unsigned cost;                  /* cycles since the access before, or its remark */
    bx_branch_predictor *predictor; /* NULL: the core has none */
};

/* One agent's part of a workload. */
struct bx_generator {
    bx_feed feed;
    enum bx_pattern_kind pattern;
    void (*step)(struct bx_generator *g); /* appends up to twelve accesses */
    uint64_t key[BX_KEYS];
    unsigned line_shift;   /* a line has 2^line_shift bytes */
    unsigned rank;         /* among the cores that share the work */
    const uint32_t *frame; /* of each page of the workload's memory, beginning with first_page */
    uint64_t first_page;
    enum bx_page_size page_size;
    bx_tlb *tlb; /* NULL: the agent has none */
    struct bx_page_tables *tables;
    const bx_tlb_retired *retired; /* numbers of what its TLB counts */
    uint64_t done, steps;          /* iterations */
    bx_ratio l1;                   /* uncore cycles of a load that hits L1 */
    uint32_t part;                 /* rest of those cycles, in 1/l1.d */
    bool locks_bus;                /* a locked operation on two lines does so */
    bool remarks;                  /* the machine asks for them */
    uint64_t random;
    uint64_t position[2];                   /* its meaning depends on the pattern */
    uint64_t elements;                      /* of an array */
    size_t n;                               /* in the buffer */
    struct bx_generator_prefetch *prefetch; /* NULL: the core has none */
    bx_access buffer[BX_GENERATOR_ROOM];
    size_t retirements;
    bx_retirement retirement[2 * BX_GENERATOR_ROOM]; /* an access has two at most */
    struct bx_generator_instructions *instructions;  /* NULL: each access is one */
};

struct bx_pattern {
    const char *name, *title; /* its title is one line */
    enum bx_pattern_agent agent;
    bool shares;     /* each core has a share of the arrays */
    unsigned arrays; /* of `size` bytes each, one after the other */
    void (*step)(struct bx_generator *g);
    uint64_t (*steps)(const struct bx_generator *g); /* how many steps there are */
    struct bx_workload_key_range key[BX_KEYS];
};

extern const struct bx_pattern bx_patterns[BX_PATTERNS]; /* by enum bx_pattern_kind */

/* Bytes that the pattern needs, counted from the beginning of the workload's memory. */
uint64_t bx_pattern_extent(const struct bx_pattern *p, const uint64_t key[BX_KEYS]);

/* ---- generators: generator.c ---- */

/* Initialises *g. The caller has set rank, key, pattern and frame. */
void bx_generator_start(struct bx_generator *g, const struct bx_pattern *pattern);
/* Adds prefetchers, which are in `memory`. false: out of memory. */
bool bx_generator_prefetch(struct bx_generator *g, bx_arena *memory);

/* Writes an access between its page walk and the prefetches that it triggers. */
void bx_generator_emit_among(struct bx_generator *g, uint64_t page, bx_access access);

static inline enum bx_tlb_side bx_generator_side(unsigned kind)
{
    return kind == BX_FETCH ? BX_TLB_INSTRUCTIONS : BX_TLB_DATA;
}

/* Writes an access at an offset into array `a`. */
static inline void bx_generator_emit(struct bx_generator *g, unsigned a, uint64_t offset,
                                     unsigned kind, bx_access flags, unsigned cost)
{
    uint64_t array =
        (g->key[BX_KEY_SIZE] + BX_GENERATOR_PAGE - 1) / BX_GENERATOR_PAGE * BX_GENERATOR_PAGE;
    uint64_t at = g->key[BX_KEY_AT] + a * array + offset;
    uint64_t line = (uint64_t)g->frame[at / BX_GENERATOR_PAGE]
                        << bx_page_lines_shift(g->line_shift) |
                    at % BX_GENERATOR_PAGE >> g->line_shift;
    bx_access access = bx_access_make(line, kind, 0, cost) | flags;

    if (g->prefetch || (g->tlb && !bx_tlb_repeats(g->tlb, bx_generator_side(kind),
                                                  g->first_page + at / BX_GENERATOR_PAGE)))
        bx_generator_emit_among(g, g->first_page + at / BX_GENERATOR_PAGE, access);
    else
        g->buffer[g->n++] = access;
}

/* Advances position[i] by `step` and returns the old position. After `size` bytes it starts again
 * at 0. */
uint64_t bx_generator_advance(struct bx_generator *g, unsigned i, uint64_t step);

static inline uint64_t bx_generator_line_bytes(const struct bx_generator *g)
{
    return UINT64_C(1) << g->line_shift;
}

#endif
