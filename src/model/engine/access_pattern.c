/* What the built-in workloads do: each pattern makes its accesses step by step. */
#include "model/engine/access_pattern.h"

#include "model/engine/instruction_pattern.h"
#include "model/engine/permute.h"
#include "model/engine/shape.h"

#include <string.h>

enum {
    LINE_MOST = BX_LINE_BYTES_MOST,
    PAGE = 1 << BX_PAGE_SHIFT,
    ACCESSES = BX_PATTERN_BURST / (1 + BX_WALK_LOADS)
};

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* ---- common to all patterns ---- */

/* The prefetches that an access triggers. The access is of the next instruction of the step. */
static bx_access *prefetch(struct bx_generator_prefetch *p, bx_access access, bx_access *to)
{
    unsigned instruction = 2 * p->instruction++ + ((access & 3) == BX_STORE);
    uint64_t line = bx_access_line(access), *last = &p->last_line[instruction];

    if (line != *last)
        to = bx_prefetchers_see(&p->of, instruction, access, to);
    *last = line;
    return to;
}

/* Writes the loads of the page walk of an access. What the TLB counts retires before the access. */
static bx_access *translate(struct bx_generator *g, uint64_t page, bx_access *access, bx_access *to)
{
    size_t loads = bx_tlb_translate(g->tlb, g->tables, page, g->page_size, access, to);
    uint32_t what = bx_tlb_retires(g->tlb, g->retired, g->page_size, *access);

    g->retirement[g->retirements++] = (bx_retirement){(uint32_t)(to - g->buffer), what};
    return to + loads;
}

static enum bx_tlb_side side_of(unsigned kind)
{
    return kind == BX_FETCH ? BX_TLB_INSTRUCTIONS : BX_TLB_DATA;
}

/* Writes an access between its page walk and the prefetches that it triggers. */
static __attribute__((noinline)) void emit_among(struct bx_generator *g, uint64_t page,
                                                 bx_access access)
{
    bx_access *to = g->buffer + g->n;

    if (g->tlb && !bx_tlb_hits(g->tlb, side_of(bx_access_kind_of(access)), page))
        to = translate(g, page, &access, to);
    *to++ = access;
    if (g->prefetch && bx_access_kind_of(access) != BX_NON_TEMPORAL)
        to = prefetch(g->prefetch, access, to);
    g->n = (size_t)(to - g->buffer);
}

static uint64_t line_of(const struct bx_generator *g)
{
    return UINT64_C(1) << g->line_shift;
}

/* Writes an access at an offset into array `a`. */
static void emit(struct bx_generator *g, unsigned a, uint64_t offset, unsigned kind,
                 bx_access flags, unsigned cost)
{
    uint64_t array = (g->key[BX_KEY_SIZE] + PAGE - 1) / PAGE * PAGE;
    uint64_t at = g->key[BX_KEY_AT] + a * array + offset;
    uint64_t line = (uint64_t)g->frame[at / PAGE] << bx_page_lines_shift(g->line_shift) |
                    at % PAGE >> g->line_shift;
    bx_access access = bx_access_make(line, kind, 0, cost) | flags;

    if (g->prefetch ||
        (g->tlb && !bx_tlb_repeats(g->tlb, side_of(kind), g->first_page + at / PAGE)))
        emit_among(g, g->first_page + at / PAGE, access);
    else
        g->buffer[g->n++] = access;
}

uint64_t bx_pattern_extent(const struct bx_pattern *p, const uint64_t key[BX_KEYS])
{
    uint64_t array = (key[BX_KEY_SIZE] + PAGE - 1) / PAGE * PAGE;
    return p->arrays ? key[BX_KEY_AT] + p->arrays * array : 0;
}

static void step_prefetching(struct bx_generator *g)
{
    g->prefetch->instruction = 0;
    g->step(g);
}

static enum bx_feed_state refill(bx_feed *feed)
{
    struct bx_generator *g = (struct bx_generator *)(void *)feed;

    const size_t burst = (size_t)(g->tlb ? BX_PATTERN_BURST : ACCESSES) +
                         (size_t)(g->prefetch ? ACCESSES * BX_PREFETCH_MOST : 0);

    void (*const step)(struct bx_generator * g) = g->prefetch ? step_prefetching : g->step;

    g->retirements = 0;
    for (g->n = 0; g->done < g->steps && g->n + burst <= BX_GENERATOR_ROOM; g->done++)
        step(g);
    g->feed.next = g->buffer;
    g->feed.end = g->buffer + g->n;
    g->feed.origin = g->buffer;
    g->feed.retirement = g->retirement;
    g->feed.retirement_end = g->retirement + g->retirements;
    g->feed.retired_n = g->feed.retired ? bx_retired_table_n(g->feed.retired) : 0;
    return g->n ? BX_FEED_MORE : BX_FEED_END;
}

/* The cost of an access that waits for the one before. */
static unsigned dependent(struct bx_generator *g, unsigned cost)
{
    unsigned l1 = bx_ratio_take(g->l1, &g->part);
    return cost > l1 ? cost : l1;
}

/* The offset of a random element. */
static uint64_t any_element(struct bx_generator *g)
{
    return bx_random(&g->random) % g->elements * g->key[BX_KEY_STRIDE];
}

/* Whether the next access is a write; `write` percent are, at random. */
static bool is_write(struct bx_generator *g)
{
    return bx_random(&g->random) % 100 < g->key[BX_KEY_WRITE];
}

/* ---- arrays, of which each core has a share ---- */

/* The first element of core `rank`. Its share ends before the first element of the next core. */
static uint64_t share(const struct bx_generator *g, unsigned rank)
{
    return g->elements * rank / g->key[BX_KEY_CORES];
}

static uint64_t own_elements(const struct bx_generator *g)
{
    return share(g, g->rank + 1) - share(g, g->rank);
}

static uint64_t sweep_offset(const struct bx_generator *g)
{
    return (share(g, g->rank) + g->done % own_elements(g)) * g->key[BX_KEY_STRIDE];
}

/* a[i] = b[i] + s * c[i] */
static void stream(struct bx_generator *g)
{
    uint64_t offset = sweep_offset(g);

    emit(g, 1, offset, BX_LOAD, 0, 1);
    emit(g, 2, offset, BX_LOAD, 0, 0);
    emit(g, 0, offset, BX_STORE, 0, 1);
}

static void copy(struct bx_generator *g)
{
    uint64_t offset = sweep_offset(g);

    emit(g, 1, offset, BX_LOAD, 0, 1);
    emit(g, 0, offset, BX_STORE, 0, 1);
}

/* ---- pointers ---- */

/* A permutation of 0, 1, 2 … below n, a number at each call; `next` is what it has come to. It has
 * up to four times as many numbers; those from n on are skipped. */
static uint64_t next_of_permutation(uint64_t seed, uint64_t n, uint64_t *next)
{
    unsigned half_bits = 1;
    uint64_t at;

    while (half_bits < 31 && UINT64_C(1) << 2 * half_bits < n)
        half_bits++;
    do {
        at = bx_permute(seed, half_bits, (*next)++);
    } while (at >= n);
    return at;
}

/* The first element behind the page of element `first`, or behind the array. */
static uint64_t end_of_page(const struct bx_generator *g, uint64_t first)
{
    uint64_t stride = g->key[BX_KEY_STRIDE];
    uint64_t end = ((first * stride / PAGE + 1) * PAGE + stride - 1) / stride;
    return end < g->elements ? end : g->elements;
}

/* position[1] is the first element of the page in which the chase is. */
static uint64_t next_in_pages(struct bx_generator *g)
{
    uint64_t in_pass = g->done % g->elements;

    if (in_pass == 0 || in_pass == end_of_page(g, g->position[1])) {
        g->position[1] = in_pass;
        g->position[0] = 0;
    }
    uint64_t first = g->position[1];
    return first + next_of_permutation(g->key[BX_KEY_SEED] + g->rank + first,
                                       end_of_page(g, first) - first, &g->position[0]);
}

static uint64_t next_element(struct bx_generator *g)
{
    switch ((enum bx_pattern_order)g->key[BX_KEY_ORDER]) {
    case BX_PATTERN_UP:
        return g->done % g->elements;
    case BX_PATTERN_DOWN:
        return g->elements - 1 - g->done % g->elements;
    case BX_PATTERN_IN_PAGES:
        return next_in_pages(g);
    case BX_PATTERN_RANDOM_ORDER:
    case BX_PATTERN_ORDERS:
        break;
    }
    return next_of_permutation(g->key[BX_KEY_SEED] + g->rank, g->elements, &g->position[0]);
}

static void chase(struct bx_generator *g)
{
    emit(g, 0, next_element(g) * g->key[BX_KEY_STRIDE], BX_LOAD, BX_ACCESS_DEPENDENT,
         dependent(g, 1));
}

static void random_access(struct bx_generator *g)
{
    bool write = is_write(g);
    emit(g, 0, any_element(g), write ? BX_STORE : BX_LOAD, 0, 4);
}

/* ---- cores that share lines ---- */

/* All cores go round through the same elements at the same speed, evenly spaced. So another core
 * has always stored to the next element before. */
static void pingpong(struct bx_generator *g)
{
    uint64_t at = (share(g, g->rank) + g->done) % g->elements;
    emit(g, 0, at * g->key[BX_KEY_STRIDE], BX_STORE, 0, (unsigned)g->key[BX_KEY_PERIOD]);
}

static void sharing(struct bx_generator *g)
{
    bool write = g->rank == 0 && is_write(g);
    emit(g, 0, any_element(g), write ? BX_STORE : BX_LOAD, BX_ACCESS_DEPENDENT, dependent(g, 10));
}

/* Accesses of the lock, which is in one line or, with `split`, in two. */
static void access_lock(struct bx_generator *g, unsigned kind, unsigned cost)
{
    emit(g, 0, 0, kind, 0, cost);
    if (g->key[BX_KEY_SPLIT])
        emit(g, 0, line_of(g), kind, 0, 0);
}

/* The core takes the lock, after so many cycles. */
static void take_lock(struct bx_generator *g, unsigned cost)
{
    if (g->key[BX_KEY_SPLIT] && g->locks_bus) {
        g->buffer[g->n++] = BX_ACCESS_LOCK | (bx_access)cost << 4;
        g->buffer[g->n++] = bx_access_steer(0, BX_STEER_LOCK_BUS) | BX_ACCESS_DEPENDENT;
        cost = 0;
    }
    access_lock(g, BX_LOAD, cost);
    access_lock(g, BX_STORE, 0);
}

/* A lock in the first line; the other lines are the data that it protects, one in each turn. The
 * cores start evenly spaced. They stay so, because they wait for nothing. */
static void lock(struct bx_generator *g)
{
    uint64_t hold = g->key[BX_KEY_HOLD], pause = g->key[BX_KEY_PAUSE];
    uint64_t first = (hold + pause) * g->rank / g->key[BX_KEY_CORES];
    uint64_t data = line_of(g) * (1 + g->done % (g->key[BX_KEY_SIZE] / line_of(g) - 1));

    take_lock(g, (unsigned)(g->done ? pause : first));
    emit(g, 0, data, BX_STORE, 0, (unsigned)(hold / 2));
    access_lock(g, BX_STORE, (unsigned)(hold - hold / 2));
}

/* Evenly spaced, as in pingpong; only the first core stores. */
static void producer(struct bx_generator *g)
{
    uint64_t at = (share(g, g->rank) + g->done) % g->elements;
    emit(g, 0, at * g->key[BX_KEY_STRIDE], g->rank ? BX_LOAD : BX_STORE, 0,
         (unsigned)g->key[BX_KEY_PERIOD]);
}

/* The other cores are faster than the first core, and well ahead when it begins. */
enum { TRANSFER_LEAD = 4000, TRANSFER_PERIOD = 30 };

static void transfer(struct bx_generator *g)
{
    uint64_t offset = g->done * g->key[BX_KEY_STRIDE];

    if (g->rank == 0)
        emit(g, 0, offset, BX_LOAD, BX_ACCESS_DEPENDENT, dependent(g, g->done ? 0 : TRANSFER_LEAD));
    else
        emit(g, 0, offset, g->key[BX_KEY_STATE] == BX_PATTERN_M ? BX_STORE : BX_LOAD, 0,
             TRANSFER_PERIOD);
}

/* ---- instructions; stores that bypass the caches ---- */

/* Code from one end to the other, as a program without loops has it. */
static void code(struct bx_generator *g)
{
    emit(g, 0, g->done % g->elements * g->key[BX_KEY_STRIDE], BX_FETCH, 0, 4);
}

/* Advances position[i] by `step` and returns the old position. After `size` bytes it starts again
 * at 0. */
static uint64_t advance(struct bx_generator *g, unsigned i, uint64_t step)
{
    uint64_t at = g->position[i];
    g->position[i] = at + step < g->key[BX_KEY_SIZE] ? at + step : 0;
    return at;
}

static void non_temporal(struct bx_generator *g)
{
    uint64_t step = g->key[BX_KEY_STEP];
    emit(g, 0, advance(g, 0, step), BX_NON_TEMPORAL, step < line_of(g) ? BX_ACCESS_PARTIAL : 0,
         (unsigned)g->key[BX_KEY_PERIOD]);
}

/* ---- devices and graphics ---- */

/* Whether this request is a write; `write` percent are, evenly distributed. */
static bool is_write_next(const struct bx_generator *g)
{
    uint64_t percent = g->key[BX_KEY_WRITE];
    return (g->done + 1) * percent / 100 != g->done * percent / 100;
}

/* Registers of a device, behind all memory; a core has its own. Loads are waited for. */
static void mmio(struct bx_generator *g)
{
    const uint64_t registers = UINT64_C(1) << (BX_LINE_BITS - 1);
    uint64_t step = g->key[BX_KEY_STEP], size = g->key[BX_KEY_SIZE];
    bool write = is_write_next(g);
    uint64_t at = g->key[BX_KEY_AT] + size * g->rank + advance(g, 0, step);
    unsigned flags =
        (step < line_of(g) ? BX_ACCESS_PARTIAL : 0) | (write ? 0 : BX_ACCESS_DEPENDENT);

    g->buffer[g->n++] =
        bx_access_uncacheable(registers + (at >> g->line_shift), write ? BX_STORE : BX_LOAD, flags,
                              (unsigned)g->key[BX_KEY_PERIOD]);
}

/* I/O ports: a core has its own. IN and OUT are always waited for. */
static void ports(struct bx_generator *g)
{
    bool write = is_write_next(g);

    g->buffer[g->n++] = bx_access_uncacheable(g->rank, write ? BX_STORE : BX_LOAD,
                                              BX_ACCESS_PARTIAL | BX_ACCESS_DEPENDENT,
                                              (unsigned)g->key[BX_KEY_PERIOD]) |
                        BX_ACCESS_PORT;
}

static void dma(struct bx_generator *g)
{
    unsigned period = (unsigned)g->key[BX_KEY_PERIOD];
    uint64_t step = g->key[BX_KEY_STEP], read = g->key[BX_KEY_READ];

    if (is_write_next(g))
        emit(g, 0, advance(g, 0, step), BX_STORE, step < line_of(g) ? BX_ACCESS_PARTIAL : 0,
             period);
    else
        emit(g, 0, advance(g, 1, read), BX_LOAD, read < line_of(g) ? BX_ACCESS_PARTIAL : 0, period);
}

/* Reads textures in tiles of 4 KiB, and writes the frame buffer from one end to the other. */
static void gfx(struct bx_generator *g)
{
    unsigned period = (unsigned)g->key[BX_KEY_PERIOD];
    const uint64_t tile = PAGE;

    if (is_write_next(g)) {
        emit(g, 1, advance(g, 0, line_of(g)), BX_STORE, 0, period);
        return;
    }
    if (g->position[1] % tile == 0)
        g->position[1] = bx_random(&g->random) % (g->key[BX_KEY_SIZE] / tile) * tile;
    emit(g, 0, g->position[1], BX_LOAD, 0, period);
    g->position[1] += line_of(g);
}

/* ---- the table of patterns ---- */

static uint64_t passes_over_own(const struct bx_generator *g)
{
    return own_elements(g) * g->key[BX_KEY_PASSES];
}

static uint64_t passes_over_all(const struct bx_generator *g)
{
    return g->elements * g->key[BX_KEY_PASSES];
}

/* The number of loads or stores in `transfer`. For the states M and E two cores are enough. */
static uint64_t transfers(const struct bx_generator *g)
{
    return g->rank < 2 || g->key[BX_KEY_STATE] == BX_PATTERN_S ? g->elements : 0;
}

static uint64_t iterations(const struct bx_generator *g)
{
    return g->key[BX_KEY_ITERATIONS];
}

void bx_generator_start(struct bx_generator *g)
{
    g->feed =
        (bx_feed){.next = g->buffer, .end = g->buffer, .refill = refill, .each_retires = true};
    g->l1 = (bx_ratio){0, 1};
    g->part = 0;
    g->done = 0;
    g->elements = g->key[BX_KEY_STRIDE] ? g->key[BX_KEY_SIZE] / g->key[BX_KEY_STRIDE] : 0;
    g->step = bx_patterns[g->pattern].step;
    g->emit = emit;
    g->steps = bx_patterns[g->pattern].steps(g);
    g->random = bx_mix(g->key[BX_KEY_SEED]) + bx_mix(g->rank + UINT64_C(1));
}

bool bx_generator_prefetch(struct bx_generator *g, bx_arena *memory)
{
    g->prefetch =
        bx_arena_get_aligned(memory, sizeof *g->prefetch, _Alignof(struct bx_generator_prefetch));
    if (!g->prefetch)
        return false;
    bx_prefetchers_power_on(&g->prefetch->of, bx_page_lines_shift(g->line_shift));
    memset(g->prefetch->last_line, 0xff, sizeof g->prefetch->last_line);
    return true;
}

#define SIZE(default_value, lo)       [BX_KEY_SIZE] = {default_value, lo, 4 * GIB}
#define A_PAGE                        [BX_KEY_SIZE] = {PAGE, 0, 0}
#define STRIDE(default_value)         [BX_KEY_STRIDE] = {default_value, 1, 1 * GIB}
#define STRIDE_LINE                   [BX_KEY_STRIDE] = {LINE_MOST, 1, 1 * GIB, true}
#define CORES(default_value)          CORES_FROM(default_value, default_value)
#define CORES_FROM(default_value, lo) [BX_KEY_CORES] = {default_value, lo, 64}
#define PASSES(default_value)         [BX_KEY_PASSES] = {default_value, 1, 1000000}
#define ITERATIONS(default_value)     [BX_KEY_ITERATIONS] = {default_value, 1, UINT64_C(1000000000000)}
#define WRITE(default_value)          [BX_KEY_WRITE] = {default_value, 0, 100}
#define STEP_LINE                     [BX_KEY_STEP] = {LINE_MOST, 1, LINE_MOST, true}
#define READ_LINE                     [BX_KEY_READ] = {LINE_MOST, 1, LINE_MOST, true}
#define STEP_REGISTER                 [BX_KEY_STEP] = {8, 1, LINE_MOST}
#define PERIOD(default_value, lo)     [BX_KEY_PERIOD] = {default_value, lo, BX_ACCESS_COST_MAX}
#define HOLD                          [BX_KEY_HOLD] = {100, 0, BX_ACCESS_COST_MAX / 2}
#define PAUSE                         [BX_KEY_PAUSE] = {1000, 1, BX_ACCESS_COST_MAX / 2}
#define SPLIT                         [BX_KEY_SPLIT] = {0, 0, 1}
#define ORDER                         [BX_KEY_ORDER] = {BX_PATTERN_RANDOM_ORDER, 0, BX_PATTERN_ORDERS - 1}
#define STATE                         [BX_KEY_STATE] = {BX_PATTERN_M, 0, BX_PATTERN_STATES - 1}
#define PATTERN                       [BX_KEY_PATTERN] = {BX_PATTERN_COIN, 0, BX_PATTERN_OUTCOMES - 1}
#define AT                            [BX_KEY_AT] = {0, 0, 8 * GIB}
#define SEED                          [BX_KEY_SEED] = {1, 0, UINT64_MAX}

const struct bx_pattern bx_patterns[BX_PATTERNS] = {
    [BX_PATTERN_STREAM] = {"stream",
                           "a[i] = b[i] + s * c[i] on arrays of `size`, each core its share",
                           BX_PATTERN_CORES,
                           true,
                           3,
                           stream,
                           passes_over_own,
                           {SIZE(16 * MIB, 4 * KIB), STRIDE(8), CORES(1), PASSES(1), AT, SEED}},
    [BX_PATTERN_COPY] = {"copy",
                         "a[i] = b[i], likewise",
                         BX_PATTERN_CORES,
                         true,
                         2,
                         copy,
                         passes_over_own,
                         {SIZE(16 * MIB, 4 * KIB), STRIDE(8), CORES(1), PASSES(1), AT, SEED}},
    [BX_PATTERN_CHASE] = {"chase",
                          "loads that each wait for the one before, all over `size`",
                          BX_PATTERN_CORES,
                          false,
                          1,
                          chase,
                          passes_over_all,
                          {SIZE(16 * MIB, LINE_MOST), STRIDE_LINE, CORES(1), PASSES(2), ORDER, AT,
                           SEED}},
    [BX_PATTERN_RANDOM] = {"random",
                           "loads and stores anywhere in `size`, `write` percent are stores",
                           BX_PATTERN_CORES,
                           false,
                           1,
                           random_access,
                           iterations,
                           {SIZE(64 * MIB, 4 * KIB), STRIDE(8), CORES(1), ITERATIONS(1000000),
                            WRITE(25), AT, SEED}},
    [BX_PATTERN_PINGPONG] = {"pingpong",
                             "cores store to the same lines in turn",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             pingpong,
                             iterations,
                             {SIZE(4 * KIB, 8 * LINE_MOST), STRIDE_LINE, CORES(2),
                              ITERATIONS(100000), PERIOD(100, 20), AT, SEED}},
    [BX_PATTERN_SHARING] = {"sharing",
                            "cores load from one region; the first stores `write` percent",
                            BX_PATTERN_CORES,
                            false,
                            1,
                            sharing,
                            iterations,
                            {SIZE(1 * MIB, LINE_MOST), STRIDE_LINE, CORES(2), ITERATIONS(200000),
                             WRITE(5), AT, SEED}},
    [BX_PATTERN_LOCK] = {"lock",
                         "cores take a lock in turns, for `hold` cycles, then pause",
                         BX_PATTERN_CORES,
                         false,
                         1,
                         lock,
                         iterations,
                         {SIZE(128, 2 * LINE_MOST), CORES_FROM(2, 1), ITERATIONS(20000), HOLD,
                          PAUSE, SPLIT, AT, SEED}},
    [BX_PATTERN_PRODUCER] = {"producer",
                             "the first core stores to lines that the others load",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             producer,
                             iterations,
                             {SIZE(4 * KIB, 8 * LINE_MOST), STRIDE_LINE, CORES(2),
                              ITERATIONS(100000), PERIOD(100, 20), AT, SEED}},
    [BX_PATTERN_TRANSFER] = {"transfer",
                             "loads, one after the other, of lines that other cores hold",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             transfer,
                             transfers,
                             {SIZE(64 * KIB, LINE_MOST), STRIDE_LINE, CORES(2), STATE, AT, SEED}},
    [BX_PATTERN_CODE] = {"code",
                         "instructions from one end of `size` to the other",
                         BX_PATTERN_CORES,
                         false,
                         1,
                         code,
                         passes_over_all,
                         {SIZE(1 * MIB, LINE_MOST), STRIDE_LINE, CORES(1), PASSES(2), AT, SEED}},
    [BX_PATTERN_NON_TEMPORAL] = {"nontemporal",
                                 "stores past the caches, `step` bytes each `period` cycles",
                                 BX_PATTERN_CORES,
                                 false,
                                 1,
                                 non_temporal,
                                 iterations,
                                 {SIZE(4 * MIB, LINE_MOST), CORES(1), ITERATIONS(100000), STEP_LINE,
                                  PERIOD(20, 1), AT, SEED}},
    [BX_PATTERN_INSTRUCTIONS] = {"instructions",
                                 "instructions of each class, one after the other",
                                 BX_PATTERN_CORES,
                                 false,
                                 1,
                                 bx_step_instructions,
                                 bx_instruction_steps,
                                 {A_PAGE, CORES(1), ITERATIONS(10000), AT, SEED}},
    [BX_PATTERN_BRANCHES] = {"branches",
                             "branches in a loop, that go as `pattern` says",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             bx_step_branches,
                             iterations,
                             {A_PAGE, CORES(1), ITERATIONS(100000), PERIOD(8, 1), PATTERN, AT,
                              SEED}},
    [BX_PATTERN_MMIO] = {"mmio",
                         "cores load and store a device's registers, `write` percent are stores",
                         BX_PATTERN_CORES,
                         false,
                         0,
                         mmio,
                         iterations,
                         {SIZE(4 * KIB, LINE_MOST), CORES(1), ITERATIONS(20000), WRITE(50),
                          STEP_REGISTER, PERIOD(20, 1), AT, SEED}},
    [BX_PATTERN_PORTS] = {"ports",
                          "cores execute IN and OUT, `write` percent are OUT",
                          BX_PATTERN_CORES,
                          false,
                          0,
                          ports,
                          iterations,
                          {CORES(1), ITERATIONS(20000), WRITE(50), PERIOD(20, 1), SEED}},
    [BX_PATTERN_DMA] = {"dma",
                        "a device reads and writes a buffer, a request each `period` cycles",
                        BX_PATTERN_IO,
                        false,
                        1,
                        dma,
                        iterations,
                        {SIZE(4 * MIB, LINE_MOST), ITERATIONS(200000), WRITE(50), STEP_LINE,
                         READ_LINE, PERIOD(20, 1), AT, SEED}},
    [BX_PATTERN_GFX] = {"gfx",
                        "graphics reads textures and writes a frame buffer",
                        BX_PATTERN_GT,
                        false,
                        2,
                        gfx,
                        iterations,
                        {SIZE(8 * MIB, 4 * KIB), ITERATIONS(400000), WRITE(25), PERIOD(10, 1), AT,
                         SEED}},
};
