/* What each event of the P6 machine counts: docs/explanation/model-p6.md, "Signals". */
#include "model/machine/p6/machine.h"

#include "model/engine/signal_words.h"
#include "model/engine/tally_walk.h"

#define CELL(c) SET(BX_P6_##c)
#define SPAN(c) SET(BX_P6_##c - BX_P6_SPANS)

_Static_assert(BX_LINE_I == 0 && BX_LINE_S == 1 && BX_LINE_E == 2 && BX_LINE_M == 3,
               "the states are in the order of their bits in the unit mask");
_Static_assert(BX_P6_SPANS <= 64 && BX_P6_CELLS - BX_P6_SPANS <= 64,
               "a set of pulses, or of spans, is a word");

/* ---- cells as tallies ---- */

static uint64_t read_sum(void *tally, unsigned what, uint64_t now)
{
    (void)what;
    return bx_p6_sum(tally, now);
}

static uint64_t read_level(void *tally, unsigned what, uint64_t now)
{
    (void)what;
    (void)now;
    return ((const struct bx_p6_cell *)tally)->level;
}

BX_READ_TALLIES(sum_of_cells, read_sum)
BX_READ_TALLIES(level_of_cells, read_level)

/* No next_change: levels do not change by time alone. */
static const struct bx_reader read_pulses = {.sum = sum_of_cells};
static const struct bx_reader read_spans = {.sum = sum_of_cells, .level = level_of_cells};

static const char *const pulse_names[] = {
    [BX_P6_REFERENCES] = "accesses of loads and stores",
    [BX_P6_DCU_IN] = "fills of the DCU",
    [BX_P6_DCU_M_IN] = "fills of the DCU in M",
    [BX_P6_DCU_M_OUT] = "lines that leave the DCU in M",
    [BX_P6_FETCHES] = "fetches",
    [BX_P6_FETCH_MISSES] = "fetches that miss L1I",
    [BX_P6_ITLB_MISSES] = "misses of the ITLB",
    [BX_P6_L2_IN] = "fills of L2",
    [BX_P6_L2_M_IN] = "fills of L2 in M",
    [BX_P6_L2_OUT] = "lines that leave L2",
    [BX_P6_L2_M_OUT] = "lines that leave L2 in M",
    [BX_P6_L2_STROBES] = "address strobes",
    [BX_P6_BUS_READ] = "BRD",
    [BX_P6_BUS_FETCH] = "IFETCH",
    [BX_P6_BUS_RFO] = "RFO",
    [BX_P6_BUS_INVALIDATE] = "INVAL",
    [BX_P6_BUS_WRITE_BACK] = "WB",
    [BX_P6_IO_READ] = "reads of IO",
    [BX_P6_IO_WRITE] = "writes of IO",
    [BX_P6_IO_PARTIAL] = "partial writes of IO",
    [BX_P6_DEVICE_READ] = "reads of parts of a device's registers",
    [BX_P6_DEVICE_WRITE] = "writes of parts of a device's registers",
    [BX_P6_DEVICE_LINE_READ] = "reads of lines of a device's registers",
    [BX_P6_DEVICE_LINE_WRITE] = "writes of lines of a device's registers",
    [BX_P6_PORT] = "IN and OUT",
    [BX_P6_DEFERRED] = "deferred reads",
    [BX_P6_DRDY_OWN] = "bus clocks in which the processor drives data",
    [BX_P6_RECEIVED] = "bus clocks in which the processor gets data",
    [BX_P6_HIT] = "bus clocks with HIT#",
    [BX_P6_HITM] = "bus clocks with HITM#",
    [BX_P6_LOAD_BLOCKS] = "loads that waited for a store",
    [BX_P6_TAKEN] = "taken branches",
    [BX_P6_MISALIGNED] = "misaligned loads and stores",
    [BX_P6_TO_X87] = "x87 instructions after one on MMX registers",
    [BX_P6_TO_MMX] = "instructions on MMX registers after one of the x87",
    [BX_P6_BTB_MISSES] = "branches that the branch target buffer does not have",
    [BX_P6_RESTEERS] = "branches that only the decoder finds and takes",
    [BX_P6_INTERRUPTS] = "interrupts of the timer",
    [BX_P6_BOGUS] = "branches of the branch target buffer that are not there",
};
static const char *const request_names[] = {"fetches", "loads", "stores"};
static const char *const state_names[] = {"I", "S", "E", "M"};
static const char *const span_names[] = {
    [BX_P6_CLOCK - BX_P6_SPANS] = "unhalted cycles",
    [BX_P6_INSTRUCTIONS - BX_P6_SPANS] = "instructions",
    [BX_P6_UOPS - BX_P6_SPANS] = "micro-operations",
    [BX_P6_MISSES - BX_P6_SPANS] = "outstanding loads and stores in every cycle",
    [BX_P6_FETCH_STALL - BX_P6_SPANS] = "cycles of waiting for a fetch",
    [BX_P6_RESOURCE_STALL - BX_P6_SPANS] = "cycles of waiting for a buffer",
    [BX_P6_DRAIN_STALL - BX_P6_SPANS] = "cycles of waiting for the store buffer",
    [BX_P6_DATA_STALL - BX_P6_SPANS] = "cycles of waiting for data",
    [BX_P6_L2_BUSY - BX_P6_SPANS] = "cycles with a transfer between processor and L2",
    [BX_P6_L2_BUSY_READ - BX_P6_SPANS] = "cycles with a transfer from L2",
    [BX_P6_DRDY - BX_P6_SPANS] = "cycles in which anybody drives data",
    [BX_P6_SNOOP_STALL - BX_P6_SPANS] = "cycles of stalled snoops",
    [BX_P6_BRANCH_STALL - BX_P6_SPANS] = "cycles of waiting after a branch",
    [BX_P6_LOCKED - BX_P6_SPANS] = "cycles with LOCK#",
    [BX_P6_DIVIDES - BX_P6_SPANS] = "cycles in which the divider is busy",
    [BX_P6_DIVIDE_STALL - BX_P6_SPANS] = "cycles of waiting for the divider",
    [BX_P6_MASKED - BX_P6_SPANS] = "cycles in which a kernel handles an interrupt",
    [BX_P6_PENDING - BX_P6_SPANS] = "cycles of them in which another one waits",
    [BX_P6_REQUESTS - BX_P6_SPANS] = "outstanding reads on the bus in every cycle",
};
static const char *const class_names[BX_CLASSES] = {
    [BX_CLASS_OTHER] = "other instructions",
    [BX_CLASS_CONDITIONAL_BRANCH] = "conditional branches",
    [BX_CLASS_JUMP] = "jumps",
    [BX_CLASS_INDIRECT_JUMP] = "indirect jumps",
    [BX_CLASS_CALL] = "calls",
    [BX_CLASS_INDIRECT_CALL] = "indirect calls",
    [BX_CLASS_RETURN] = "returns",
    [BX_CLASS_MULTIPLY] = "multiplications of integers",
    [BX_CLASS_DIVIDE] = "divisions of integers",
    [BX_CLASS_SEGMENT_LOAD] = "loads of segment registers",
    [BX_CLASS_X87] = "x87 without computation",
    [BX_CLASS_X87_COMPUTE] = "other x87 computations",
    [BX_CLASS_X87_MULTIPLY] = "x87 multiplications",
    [BX_CLASS_X87_DIVIDE] = "x87 divisions",
    [BX_CLASS_MMX] = "other MMX",
    [BX_CLASS_MMX_STORE] = "MMX stores",
    [BX_CLASS_MMX_MULTIPLY] = "MMX multiplications",
    [BX_CLASS_MMX_SHIFT] = "MMX shifts",
    [BX_CLASS_MMX_PACK] = "PACK",
    [BX_CLASS_MMX_UNPACK] = "PUNPCK",
    [BX_CLASS_MMX_LOGICAL] = "MMX logic",
    [BX_CLASS_MMX_ARITHMETIC] = "MMX arithmetic",
    [BX_CLASS_MMX_SATURATING] = "MMX arithmetic with saturation",
    [BX_CLASS_MMX_WEAK_STORE] = "weakly ordered MMX stores",
    [BX_CLASS_EMMS] = "EMMS",
    [BX_CLASS_PS] = "packed single",
    [BX_CLASS_PD] = "packed double",
    [BX_CLASS_SS] = "scalar single",
    [BX_CLASS_SD] = "scalar double",
    [BX_CLASS_PS_COMPUTE] = "packed single computations",
    [BX_CLASS_PD_COMPUTE] = "packed double computations",
    [BX_CLASS_SS_COMPUTE] = "scalar single computations",
    [BX_CLASS_SD_COMPUTE] = "scalar double computations",
    [BX_CLASS_PS_WEAK_STORE] = "MOVNTPS",
    [BX_CLASS_PD_WEAK_STORE] = "MOVNTPD",
    [BX_CLASS_WEAK_STORE] = "other weakly ordered stores",
    [BX_CLASS_PREFETCH_NTA] = "PREFETCHNTA",
    [BX_CLASS_PREFETCH_T1] = "PREFETCHT1",
    [BX_CLASS_PREFETCH_T2] = "PREFETCHT2",
    [BX_CLASS_PS_CONVERT] = "packed single conversions and comparisons",
    [BX_CLASS_PD_CONVERT] = "packed double conversions and comparisons",
    [BX_CLASS_SS_CONVERT] = "scalar single conversions and comparisons",
    [BX_CLASS_SD_CONVERT] = "scalar double conversions and comparisons",
};
static const char *const mode_names[] = {"level 0", "levels 1 to 3"};

#define CELLS(first)                                                                               \
    {                                                                                              \
        .at = offsetof(struct bx_p6, cells.cell[0][first])                                         \
    }
#define ONE sizeof(struct bx_p6_cell)
#define BY_MODE                                                                                    \
    {                                                                                              \
        mode_names, BX_P6_MODES, BX_P6_ALL_CELLS *ONE                                              \
    }
enum { MODE = 1 };

#define IO_MEMORY (CELL(IO_READ) | CELL(IO_WRITE) | CELL(IO_PARTIAL))

/* What a device changes, also while the processor is halted. */
#define PULSES_OF_DEVICES                                                                          \
    (IO_MEMORY | CELL(L2_STROBES) | CELL(L2_OUT) | CELL(L2_M_OUT) | CELL(DCU_M_OUT) | CELL(HIT) |  \
     CELL(HITM) | CELL(DRDY_OWN))

/* Remarks report instructions by class, and some pulses. */
static const struct bx_tallies pulses = {
    .reader = &read_pulses,
    .place = CELLS(0),
    .axis = {{pulse_names, BX_P6_SPANS, ONE}, BY_MODE},
    .by_level = MODE,
    .at_level_0 = PULSES_OF_DEVICES,
    .of_remarks = CELL(TAKEN) | CELL(MISALIGNED) | CELL(TO_X87) | CELL(TO_MMX) | CELL(BTB_MISSES) |
                  CELL(RESTEERS) | CELL(BOGUS)};
static const struct bx_tallies l2_requests = {
    "requests to L2", &read_pulses, CELLS(BX_P6_L2_FETCH),
    .axis = {{request_names, 3, BX_MESI_STATES *ONE}, BY_MODE, {state_names, BX_MESI_STATES, ONE}},
    .by_level = MODE};
static const struct bx_tallies spans = {
    .reader = &read_spans,
    .place = CELLS(BX_P6_SPANS),
    .axis = {{span_names, BX_P6_CELLS - BX_P6_SPANS, ONE}, BY_MODE},
    .by_level = MODE,
    .at_level_0 = SPAN(SNOOP_STALL) | SPAN(DRDY) | SPAN(MASKED) | SPAN(PENDING),
    .of_remarks = SPAN(LOCKED) | SPAN(DIVIDES)};
static const struct bx_tallies classes = {.reader = &read_pulses,
                                          .place = CELLS(BX_P6_CLASSES),
                                          .axis = {{class_names, BX_CLASSES, ONE}, BY_MODE},
                                          .by_level = MODE,
                                          .of_remarks = UINT64_MAX};

enum {
    HAS_PREDICTOR = 1,
    HAS_BRANCHES = 2,   /* mispredicted branches take time */
    HAS_INTERRUPTS = 4, /* a kernel handles some */
};

static const struct bx_tallies misses = {
    .reader = &read_pulses,
    .place = CELLS(BX_P6_MISSES_OF),
    .axis = {{bx_branch_miss_names, BX_BRANCH_MISSES, ONE}, BY_MODE},
    .by_level = MODE,
    .of_remarks = UINT64_MAX,
    .needs = HAS_PREDICTOR};

/* UMSK 3:0: M 8, E 4, S 2, I 1: note 1 of table 6-2 of document 002. */
enum { STATE = 2 };
static const struct bx_choice by_state[] = {{STATE, {EACH(0x0f)}}};

/* ---- rows ---- */

/* UMSK 5: 0 the processor's own, 1 those of all agents: note 2. */
#define SELF IS(0x00)
#define ALL  IS(0x20)

#define PROCESSOR_DATA                                                                             \
    (CELL(BUS_READ) | CELL(BUS_FETCH) | CELL(BUS_RFO) | CELL(BUS_WRITE_BACK) |                     \
     CELL(DEVICE_LINE_READ) | CELL(DEVICE_LINE_WRITE))
#define PROCESSOR_PARTIAL (CELL(DEVICE_READ) | CELL(DEVICE_WRITE))
#define PROCESSOR_MEMORY  (PROCESSOR_DATA | PROCESSOR_PARTIAL | CELL(BUS_INVALIDATE))

#define BRANCHES                                                                                   \
    (BX_P6_SET(CONDITIONAL_BRANCH) | BX_P6_SET(JUMP) | BX_P6_SET(INDIRECT_JUMP) |                  \
     BX_P6_SET(CALL) | BX_P6_SET(INDIRECT_CALL) | BX_P6_SET(RETURN))
#define MISS(of)     SET(BX_MISS_##of)
#define X87_COMPUTES (BX_P6_SET(X87_COMPUTE) | BX_P6_SET(X87_MULTIPLY) | BX_P6_SET(X87_DIVIDE))
#define WEAK_STORES                                                                                \
    (BX_P6_SET(MMX_WEAK_STORE) | BX_P6_SET(PS_WEAK_STORE) | BX_P6_SET(PD_WEAK_STORE) |             \
     BX_P6_SET(WEAK_STORE))
#define PS_COMPUTES   (BX_P6_SET(PS_COMPUTE) | BX_P6_SET(PS_CONVERT))
#define PD_COMPUTES   (BX_P6_SET(PD_COMPUTE) | BX_P6_SET(PD_CONVERT))
#define SS_COMPUTES   (BX_P6_SET(SS_COMPUTE) | BX_P6_SET(SS_CONVERT))
#define SD_COMPUTES   (BX_P6_SET(SD_COMPUTE) | BX_P6_SET(SD_CONVERT))
#define SCALAR_SINGLE (BX_P6_SET(SS) | SS_COMPUTES)
#define SINGLE        (SCALAR_SINGLE | BX_P6_SET(PS) | PS_COMPUTES | BX_P6_SET(PS_WEAK_STORE))
#define PACKED_DOUBLE (BX_P6_SET(PD) | PD_COMPUTES | BX_P6_SET(PD_WEAK_STORE))

/* In the order of codes. docs/explanation/model-p6.md, "The instruction mix", says what we take the
 * events of the mix to count. */
static const struct bx_row rows[] = {
    {0x03, IS(0), &pulses, CELL(LOAD_BLOCKS)},
    {0x04, IS(0), &spans, SPAN(DRAIN_STALL)},
    {0x05, IS(0), &pulses, CELL(MISALIGNED)},
    {0x06, IS(0), &classes, BX_P6_SET(SEGMENT_LOAD)},
    {0x07, IS(0), &classes, BX_P6_SET(PREFETCH_NTA)},
    {0x07, IS(1), &classes, BX_P6_SET(PREFETCH_T1)},
    {0x07, IS(2), &classes, BX_P6_SET(PREFETCH_T2)},
    {0x07, IS(3), &classes, WEAK_STORES},
    {0x10, IS(0), &classes, X87_COMPUTES | BX_P6_SET(MULTIPLY) | BX_P6_SET(DIVIDE)},
    {0x12, IS(0), &classes, BX_P6_SET(MULTIPLY) | BX_P6_SET(X87_MULTIPLY)},
    {0x13, IS(0), &classes, BX_P6_DIVISIONS},
    {0x14, IS(0), &spans, SPAN(DIVIDES)},
    {0x21, IS(0), &pulses, CELL(L2_STROBES)},
    {0x22, IS(0), &spans, SPAN(L2_BUSY)},
    {0x23, IS(0), &spans, SPAN(L2_BUSY_READ)},
    {0x24, IS(0), &pulses, CELL(L2_IN)},
    {0x25, IS(0), &pulses, CELL(L2_M_IN)},
    {0x26, IS(0), &pulses, CELL(L2_OUT)},
    {0x27, IS(0), &pulses, CELL(L2_M_OUT)},
    {0x28, BY_CHOICE, &l2_requests, SET(0), CHOICES(by_state)},
    {0x29, BY_CHOICE, &l2_requests, SET(1), CHOICES(by_state)},
    {0x2a, BY_CHOICE, &l2_requests, SET(2), CHOICES(by_state)},
    {0x2e, BY_CHOICE, &l2_requests, 0, CHOICES(by_state)},
    {0x43, IS(0), &pulses, CELL(REFERENCES)},
    {0x45, IS(0), &pulses, CELL(DCU_IN)},
    {0x46, IS(0), &pulses, CELL(DCU_M_IN)},
    {0x47, IS(0), &pulses, CELL(DCU_M_OUT)},
    {0x48, IS(0), &spans, SPAN(MISSES)},
    {0x60, IS(0), &spans, SPAN(REQUESTS)},
    {0x62, SELF, &pulses, CELL(DRDY_OWN)},
    {0x62, ALL, &spans, SPAN(DRDY)},
    {0x63, SELF, &spans, SPAN(LOCKED)},
    {0x63, ALL, &spans, SPAN(LOCKED)},
    {0x64, IS(0), &pulses, CELL(RECEIVED)},
    {0x65, SELF, &pulses, CELL(BUS_READ)},
    {0x65, ALL, &pulses, CELL(BUS_READ) | CELL(IO_READ)},
    {0x66, SELF, &pulses, CELL(BUS_RFO)},
    {0x66, ALL, &pulses, CELL(BUS_RFO)},
    {0x67, SELF, &pulses, CELL(BUS_WRITE_BACK)},
    {0x67, ALL, &pulses, CELL(BUS_WRITE_BACK)},
    {0x68, SELF, &pulses, CELL(BUS_FETCH)},
    {0x68, ALL, &pulses, CELL(BUS_FETCH)},
    {0x69, SELF, &pulses, CELL(BUS_INVALIDATE)},
    {0x69, ALL, &pulses, CELL(BUS_INVALIDATE)},
    {0x6a, SELF, &pulses, CELL(DEVICE_WRITE)},
    {0x6a, ALL, &pulses, CELL(DEVICE_WRITE) | CELL(IO_PARTIAL)},
    {0x6b, SELF, &pulses, PROCESSOR_PARTIAL},
    {0x6b, ALL, &pulses, PROCESSOR_PARTIAL | CELL(IO_PARTIAL)},
    {0x6c, SELF, &pulses, CELL(PORT)},
    {0x6c, ALL, &pulses, CELL(PORT)},
    {0x6d, SELF, &pulses, CELL(DEFERRED)},
    {0x6d, ALL, &pulses, CELL(DEFERRED)},
    {0x6e, SELF, &pulses, PROCESSOR_DATA},
    {0x6e, ALL, &pulses, PROCESSOR_DATA | CELL(IO_READ) | CELL(IO_WRITE)},
    {0x6f, SELF, &pulses, PROCESSOR_MEMORY},
    {0x6f, ALL, &pulses, PROCESSOR_MEMORY | IO_MEMORY},
    {0x70, SELF, &pulses, PROCESSOR_MEMORY | CELL(PORT)},
    {0x70, ALL, &pulses, PROCESSOR_MEMORY | CELL(PORT) | IO_MEMORY},
    {0x79, IS(0), &spans, SPAN(CLOCK)},
    {0x7a, IS(0), &pulses, CELL(HIT)},
    {0x7b, IS(0), &pulses, CELL(HITM)},
    {0x7e, IS(0), &spans, SPAN(SNOOP_STALL)},
    {0x80, IS(0), &pulses, CELL(FETCHES)},
    {0x81, IS(0), &pulses, CELL(FETCH_MISSES)},
    {0x85, IS(0), &pulses, CELL(ITLB_MISSES)},
    {0x86, IS(0), &spans, SPAN(FETCH_STALL)},
    {0x88, IS(0), &classes, BRANCHES},
    {0x89, IS(0), &misses, BX_BRANCH_MISS_SET},
    {0x8b, IS(0), &classes, BX_P6_SET(CONDITIONAL_BRANCH)},
    {0x8c, IS(0), &misses, MISS(NOT_TAKEN) | MISS(TAKEN)},
    {0x8d, IS(0), &classes, BX_P6_SET(INDIRECT_JUMP) | BX_P6_SET(INDIRECT_CALL)},
    {0x8e, IS(0), &misses, MISS(INDIRECT_JUMP) | MISS(INDIRECT_CALL)},
    {0x8f, IS(0), &classes, BX_P6_SET(RETURN)},
    {0x90, IS(0), &misses, MISS(RETURN)},
    {0x92, IS(0), &classes, BX_P6_SET(CALL) | BX_P6_SET(INDIRECT_CALL)},
    {0x93, IS(0), &misses, MISS(INDIRECT_CALL)},
    {0x94, IS(0), &classes, BX_P6_SET(INDIRECT_CALL)},
    {0xa2, IS(0), &spans, SPAN(RESOURCE_STALL)},
    {0xb0, IS(0), &classes, BX_P6_MMX_CLASSES & ~BX_P6_MMX_STORES},
    {0xb1, IS(0), &classes, BX_P6_SET(MMX_SATURATING) | BX_P6_SET(MMX_PACK)},
    {0xb2, IS(0x0f), &classes, BX_P6_MMX_CLASSES & ~BX_P6_MMX_STORES},
    {0xb3, HAS(0x01), &classes, BX_P6_SET(MMX_MULTIPLY)},
    {0xb3, HAS(0x02), &classes, BX_P6_SET(MMX_SHIFT)},
    {0xb3, HAS(0x04), &classes, BX_P6_SET(MMX_PACK)},
    {0xb3, HAS(0x08), &classes, BX_P6_SET(MMX_UNPACK)},
    {0xb3, HAS(0x10), &classes, BX_P6_SET(MMX_LOGICAL)},
    {0xb3, HAS(0x20), &classes, BX_P6_SET(MMX_ARITHMETIC) | BX_P6_SET(MMX_SATURATING)},
    {0xc0, IS(0), &spans, SPAN(INSTRUCTIONS)},
    {0xc1, IS(0), &classes, X87_COMPUTES},
    {0xc2, IS(0), &spans, SPAN(UOPS)},
    {0xc4, IS(0), &classes, BRANCHES},
    {0xc5, IS(0), &misses, BX_BRANCH_MISS_SET},
    {0xc6, IS(0), &spans, SPAN(MASKED)},
    {0xc7, IS(0), &spans, SPAN(PENDING)},
    {0xc8, IS(0), &pulses, CELL(INTERRUPTS)},
    {0xc9, IS(0), &pulses, CELL(TAKEN)},
    {0xca, IS(0), &misses, BX_BRANCH_MISS_SET & ~MISS(NOT_TAKEN)},
    {0xcc, IS(0), &pulses, CELL(TO_X87)},
    {0xcc, IS(1), &pulses, CELL(TO_MMX)},
    {0xcd, IS(0), &classes, BX_P6_SET(EMMS)},
    {0xce, IS(0), &classes, BX_P6_MMX_CLASSES},
    {0xd0, IS(0), &spans, SPAN(INSTRUCTIONS)},
    {0xd8, IS(0), &classes, SINGLE},
    {0xd8, IS(1), &classes, SCALAR_SINGLE},
    {0xd8, IS(2), &classes, PACKED_DOUBLE},
    {0xd8, IS(3), &classes, BX_P6_SET(SD) | SD_COMPUTES},
    {0xd9, IS(0), &classes, PS_COMPUTES | SS_COMPUTES},
    {0xd9, IS(1), &classes, SS_COMPUTES},
    {0xd9, IS(2), &classes, PD_COMPUTES},
    {0xd9, IS(3), &classes, SD_COMPUTES},
    {0xe0, IS(0), &classes, BRANCHES},
    {0xe2, IS(0), &pulses, CELL(BTB_MISSES), .needs = HAS_PREDICTOR},
    {0xe4, IS(0), &pulses, CELL(BOGUS), .needs = HAS_PREDICTOR},
    {0xe6, IS(0), &pulses, CELL(RESTEERS), .needs = HAS_PREDICTOR},
};

static const struct bx_box_signals signals = {{BX_ROWS(rows)}, .of_user = true};

/* ---- the cycle stack: docs/explanation/cycle-stack.md ---- */

/* The processor runs, or stalls for one reason. Free-running counters have no levels. */
static const struct bx_tallies causes = {
    .reader = &read_spans,
    .place = CELLS(BX_P6_SPANS),
    .axis = {{span_names, BX_P6_CELLS - BX_P6_SPANS, ONE}, BY_MODE}};

/* The codes are those of catalog/p6/ppro_stalls.pmu. */
static const struct bx_row stall_rows[] = {
    {0x00, ANY, &causes, SPAN(CLOCK)},
    {0x01, ANY, &causes, SPAN(INSTRUCTIONS) | SPAN(DIVIDE_STALL)},
    {0x0b, ANY, &causes, SPAN(RESOURCE_STALL)},
    {0x0c, ANY, &causes, SPAN(DRAIN_STALL)},
    {0x0f, ANY, &causes, SPAN(BRANCH_STALL), .needs = HAS_BRANCHES},
    {0x11, ANY, &causes, SPAN(FETCH_STALL)},
    {0x12, ANY, &causes, SPAN(DATA_STALL)},
    {0x13, ANY, &causes, SPAN(MASKED), .needs = HAS_INTERRUPTS},
};

static const struct bx_box_signals stall_signals = {{BX_ROWS(stall_rows)}};

const struct bx_box_signals *const bx_p6_signals[BX_P6_BOXES] = {
    [BX_P6_CORE] = &signals, [BX_P6_STALLS] = &stall_signals};

bool bx_p6_find_unit(bx_model *m, const bx_selection *sel, struct bx_unit *unit)
{
    const struct bx_p6 *p6 = bx_p6_of(m);
    bool takes_time = p6->times.mispredict || p6->times.resteer;
    *unit = (struct bx_unit){0};
    if (p6->predicts)
        unit->has = HAS_PREDICTOR | (takes_time ? HAS_BRANCHES : 0);
    if (p6->times.interrupt)
        unit->has |= HAS_INTERRUPTS;
    return sel->unit == 0 && sel->package == 0;
}
