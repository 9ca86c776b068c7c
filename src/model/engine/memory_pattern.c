/* What built-in workloads of cores do with memory: a function makes the accesses of one step. */
#include "model/engine/pattern_steps.h"

#include "model/engine/permute.h"

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
void bx_step_stream(struct bx_generator *g)
{
    uint64_t offset = sweep_offset(g);

    bx_generator_emit(g, 1, offset, BX_LOAD, 0, 1);
    bx_generator_emit(g, 2, offset, BX_LOAD, 0, 0);
    bx_generator_emit(g, 0, offset, BX_STORE, 0, 1);
}

void bx_step_copy(struct bx_generator *g)
{
    uint64_t offset = sweep_offset(g);

    bx_generator_emit(g, 1, offset, BX_LOAD, 0, 1);
    bx_generator_emit(g, 0, offset, BX_STORE, 0, 1);
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

/* The first element after the page of element `first`, or after the array. */
static uint64_t end_of_page(const struct bx_generator *g, uint64_t first)
{
    uint64_t stride = g->key[BX_KEY_STRIDE];
    uint64_t end =
        ((first * stride / BX_GENERATOR_PAGE + 1) * BX_GENERATOR_PAGE + stride - 1) / stride;
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

void bx_step_chase(struct bx_generator *g)
{
    bx_generator_emit(g, 0, next_element(g) * g->key[BX_KEY_STRIDE], BX_LOAD, BX_ACCESS_DEPENDENT,
                      dependent(g, 1));
}

void bx_step_random(struct bx_generator *g)
{
    bool write = is_write(g);
    bx_generator_emit(g, 0, any_element(g), write ? BX_STORE : BX_LOAD, 0, 4);
}

/* ---- cores that share lines ---- */

/* All cores go round through the same elements at the same speed, evenly spaced. So another core
 * has always stored to the next element before. */
void bx_step_pingpong(struct bx_generator *g)
{
    uint64_t at = (share(g, g->rank) + g->done) % g->elements;
    bx_generator_emit(g, 0, at * g->key[BX_KEY_STRIDE], BX_STORE, 0,
                      (unsigned)g->key[BX_KEY_PERIOD]);
}

void bx_step_sharing(struct bx_generator *g)
{
    bool write = g->rank == 0 && is_write(g);
    bx_generator_emit(g, 0, any_element(g), write ? BX_STORE : BX_LOAD, BX_ACCESS_DEPENDENT,
                      dependent(g, 10));
}

/* Accesses of the lock, which is in one line or, with `split`, in two. */
static void access_lock(struct bx_generator *g, unsigned kind, unsigned cost)
{
    bx_generator_emit(g, 0, 0, kind, 0, cost);
    if (!g->key[BX_KEY_SPLIT])
        return;
    bx_generator_emit(g, 0, bx_generator_line_bytes(g), kind, 0, 0);
    if (g->remarks)
        g->buffer[g->n++] = bx_access_remark(BX_REMARK_MISALIGNED, BX_CLASS_OTHER);
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
void bx_step_lock(struct bx_generator *g)
{
    uint64_t hold = g->key[BX_KEY_HOLD], pause = g->key[BX_KEY_PAUSE];
    uint64_t first = (hold + pause) * g->rank / g->key[BX_KEY_CORES];
    uint64_t data = bx_generator_line_bytes(g) *
                    (1 + g->done % (g->key[BX_KEY_SIZE] / bx_generator_line_bytes(g) - 1));

    take_lock(g, (unsigned)(g->done ? pause : first));
    bx_generator_emit(g, 0, data, BX_STORE, 0, (unsigned)(hold / 2));
    access_lock(g, BX_STORE, (unsigned)(hold - hold / 2));
}

/* Evenly spaced, as in pingpong; only the first core stores. */
void bx_step_producer(struct bx_generator *g)
{
    uint64_t at = (share(g, g->rank) + g->done) % g->elements;
    bx_generator_emit(g, 0, at * g->key[BX_KEY_STRIDE], g->rank ? BX_LOAD : BX_STORE, 0,
                      (unsigned)g->key[BX_KEY_PERIOD]);
}

/* The other cores are faster than the first core, and well ahead when it begins. */
enum { TRANSFER_LEAD = 4000, TRANSFER_PERIOD = 30 };

void bx_step_transfer(struct bx_generator *g)
{
    uint64_t offset = g->done * g->key[BX_KEY_STRIDE];

    if (g->rank == 0)
        bx_generator_emit(g, 0, offset, BX_LOAD, BX_ACCESS_DEPENDENT,
                          dependent(g, g->done ? 0 : TRANSFER_LEAD));
    else
        bx_generator_emit(g, 0, offset, g->key[BX_KEY_STATE] == BX_PATTERN_M ? BX_STORE : BX_LOAD,
                          0, TRANSFER_PERIOD);
}

/* ---- instructions; stores that bypass the caches ---- */

/* Code from one end to the other, as a program without loops has it. */
void bx_step_code(struct bx_generator *g)
{
    bx_generator_emit(g, 0, g->done % g->elements * g->key[BX_KEY_STRIDE], BX_FETCH, 0, 4);
}

void bx_step_non_temporal(struct bx_generator *g)
{
    uint64_t step = g->key[BX_KEY_STEP];
    bx_generator_emit(g, 0, bx_generator_advance(g, 0, step), BX_NON_TEMPORAL,
                      step < bx_generator_line_bytes(g) ? BX_ACCESS_PARTIAL : 0,
                      (unsigned)g->key[BX_KEY_PERIOD]);
}

/* ---- how many steps ---- */

uint64_t bx_steps_over_own(const struct bx_generator *g)
{
    return own_elements(g) * g->key[BX_KEY_PASSES];
}

uint64_t bx_steps_over_all(const struct bx_generator *g)
{
    return g->elements * g->key[BX_KEY_PASSES];
}

/* The number of loads or stores in `transfer`. For the states M and E two cores are enough. */
uint64_t bx_steps_of_transfer(const struct bx_generator *g)
{
    return g->rank < 2 || g->key[BX_KEY_STATE] == BX_PATTERN_S ? g->elements : 0;
}
