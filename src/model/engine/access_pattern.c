/* The access patterns of built-in workloads: their keys and defaults. */
#include "model/engine/access_pattern.h"

#include "model/engine/instruction_pattern.h"
#include "model/engine/pattern_steps.h"
#include "model/engine/shape.h"

enum { LINE_MOST = BX_LINE_BYTES_MOST };

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

uint64_t bx_pattern_extent(const struct bx_pattern *p, const uint64_t key[BX_KEYS])
{
    uint64_t array =
        (key[BX_KEY_SIZE] + BX_GENERATOR_PAGE - 1) / BX_GENERATOR_PAGE * BX_GENERATOR_PAGE;
    return p->arrays ? key[BX_KEY_AT] + p->arrays * array : 0;
}

static uint64_t iterations(const struct bx_generator *g)
{
    return g->key[BX_KEY_ITERATIONS];
}

#define SIZE(default_value, lo)       [BX_KEY_SIZE] = {default_value, lo, 4 * GIB}
#define A_PAGE                        [BX_KEY_SIZE] = {BX_GENERATOR_PAGE, 0, 0}
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
                           bx_step_stream,
                           bx_steps_over_own,
                           {SIZE(16 * MIB, 4 * KIB), STRIDE(8), CORES(1), PASSES(1), AT, SEED}},
    [BX_PATTERN_COPY] = {"copy",
                         "a[i] = b[i], likewise",
                         BX_PATTERN_CORES,
                         true,
                         2,
                         bx_step_copy,
                         bx_steps_over_own,
                         {SIZE(16 * MIB, 4 * KIB), STRIDE(8), CORES(1), PASSES(1), AT, SEED}},
    [BX_PATTERN_CHASE] = {"chase",
                          "loads that each wait for the one before, all over `size`",
                          BX_PATTERN_CORES,
                          false,
                          1,
                          bx_step_chase,
                          bx_steps_over_all,
                          {SIZE(16 * MIB, LINE_MOST), STRIDE_LINE, CORES(1), PASSES(2), ORDER, AT,
                           SEED}},
    [BX_PATTERN_RANDOM] = {"random",
                           "loads and stores anywhere in `size`, `write` percent are stores",
                           BX_PATTERN_CORES,
                           false,
                           1,
                           bx_step_random,
                           iterations,
                           {SIZE(64 * MIB, 4 * KIB), STRIDE(8), CORES(1), ITERATIONS(1000000),
                            WRITE(25), AT, SEED}},
    [BX_PATTERN_PINGPONG] = {"pingpong",
                             "cores store to the same lines in turn",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             bx_step_pingpong,
                             iterations,
                             {SIZE(4 * KIB, 8 * LINE_MOST), STRIDE_LINE, CORES(2),
                              ITERATIONS(100000), PERIOD(100, 20), AT, SEED}},
    [BX_PATTERN_SHARING] = {"sharing",
                            "cores load from one region; the first stores `write` percent",
                            BX_PATTERN_CORES,
                            false,
                            1,
                            bx_step_sharing,
                            iterations,
                            {SIZE(1 * MIB, LINE_MOST), STRIDE_LINE, CORES(2), ITERATIONS(200000),
                             WRITE(5), AT, SEED}},
    [BX_PATTERN_LOCK] = {"lock",
                         "cores take a lock in turns, for `hold` cycles, then pause",
                         BX_PATTERN_CORES,
                         false,
                         1,
                         bx_step_lock,
                         iterations,
                         {SIZE(128, 2 * LINE_MOST), CORES_FROM(2, 1), ITERATIONS(20000), HOLD,
                          PAUSE, SPLIT, AT, SEED}},
    [BX_PATTERN_PRODUCER] = {"producer",
                             "the first core stores to lines that the others load",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             bx_step_producer,
                             iterations,
                             {SIZE(4 * KIB, 8 * LINE_MOST), STRIDE_LINE, CORES(2),
                              ITERATIONS(100000), PERIOD(100, 20), AT, SEED}},
    [BX_PATTERN_TRANSFER] = {"transfer",
                             "loads, one after the other, of lines that other cores hold",
                             BX_PATTERN_CORES,
                             false,
                             1,
                             bx_step_transfer,
                             bx_steps_of_transfer,
                             {SIZE(64 * KIB, LINE_MOST), STRIDE_LINE, CORES(2), STATE, AT, SEED}},
    [BX_PATTERN_CODE] = {"code",
                         "instructions from one end of `size` to the other",
                         BX_PATTERN_CORES,
                         false,
                         1,
                         bx_step_code,
                         bx_steps_over_all,
                         {SIZE(1 * MIB, LINE_MOST), STRIDE_LINE, CORES(1), PASSES(2), AT, SEED}},
    [BX_PATTERN_NON_TEMPORAL] = {"nontemporal",
                                 "stores past the caches, `step` bytes each `period` cycles",
                                 BX_PATTERN_CORES,
                                 false,
                                 1,
                                 bx_step_non_temporal,
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
                         bx_step_mmio,
                         iterations,
                         {SIZE(4 * KIB, LINE_MOST), CORES(1), ITERATIONS(20000), WRITE(50),
                          STEP_REGISTER, PERIOD(20, 1), AT, SEED}},
    [BX_PATTERN_PORTS] = {"ports",
                          "cores execute IN and OUT, `write` percent are OUT",
                          BX_PATTERN_CORES,
                          false,
                          0,
                          bx_step_ports,
                          iterations,
                          {CORES(1), ITERATIONS(20000), WRITE(50), PERIOD(20, 1), SEED}},
    [BX_PATTERN_DMA] = {"dma",
                        "a device reads and writes a buffer, a request each `period` cycles",
                        BX_PATTERN_IO,
                        false,
                        1,
                        bx_step_dma,
                        iterations,
                        {SIZE(4 * MIB, LINE_MOST), ITERATIONS(200000), WRITE(50), STEP_LINE,
                         READ_LINE, PERIOD(20, 1), AT, SEED}},
    [BX_PATTERN_GFX] = {"gfx",
                        "graphics reads textures and writes a frame buffer",
                        BX_PATTERN_GT,
                        false,
                        2,
                        bx_step_gfx,
                        iterations,
                        {SIZE(8 * MIB, 4 * KIB), ITERATIONS(400000), WRITE(25), PERIOD(10, 1), AT,
                         SEED}},
};
