/* What each selection of a client machine adds up: the table "Signals" of
 * docs/explanation/model-client.md. */
#include "model/machine/client/machine.h"

#include "model/machine/client/boxes.h"
#include "model/core/core_events.h"
#include "model/engine/signal_words.h"

enum { REQUEST, STATE };
enum { SOURCE, RESPONSE };

#define IN(member)                                                                                 \
    {                                                                                              \
        .at = offsetof(struct bx_client, member)                                                   \
    }
#define IN_SLICE(member)                                                                           \
    {                                                                                              \
        .at = offsetof(struct bx_client, member),                                                  \
        .unit = sizeof(((struct bx_client *)0)->member[0])                                         \
    }

static const char *const request_names[] = {"reads", "writes", "snoops from outside"};
static const char *const state_names[] = {
    [BX_LINE_I] = "I", [BX_LINE_S] = "S", [BX_LINE_E] = "E", [BX_LINE_M] = "M"};
static const char *const response_names[] = {"MISS", "HIT", "HITM"};
static const char *const source_names[] = {"EXTERNAL", "XCORE", "EVICTION"};
static const char *const entry_names[] = {"data reads", "other reads", "writes"};
static const char *const agent_names[] = {"GT", "IA", "IO"};
static const char *const transfer_names[] = {"data_reads", "data_writes"};

static const struct bx_tallies lookups = {
    "lookups", &bx_read_counts, IN_SLICE(counts.lookup),
    .axis = {{request_names, BX_CLIENT_LOOKUPS, BX_MESI_STATES * sizeof(uint64_t)},
             {state_names, BX_MESI_STATES, sizeof(uint64_t)}}};
static const struct bx_tallies snoops = {
    "responses of cores", &bx_read_counts, IN_SLICE(counts.xsnp),
    .axis = {{source_names, BX_SNOOP_SOURCES, BX_SNOOP_RESPONSES * sizeof(uint64_t)},
             {response_names, BX_SNOOP_RESPONSES, sizeof(uint64_t)}}};
static const struct bx_tallies requests = {"requests to the ARB", &bx_read_counts, IN(counts.arb),
                                           .axis = {{entry_names, BX_ARB_KINDS, sizeof(uint64_t)}}};
static const struct bx_tallies coherent = {"coherent requests", &bx_read_counts, IN(counts.coh)};
static const struct bx_tallies agents = {"requests to memory", &bx_read_counts, IN(counts.imc),
                                         .axis = {{agent_names, BX_IMC_AGENTS, sizeof(uint64_t)}}};
static const struct bx_tallies transfers = {"transfers", &bx_read_counts, IN(counts.data_reads),
                                            .axis = {{transfer_names, 2, sizeof(uint64_t)}}};

static const struct bx_tallies occupancy = {
    "the ARB", &bx_read_gauges, IN(arb), .changes = IN(arb_entered),
    .axis = {{entry_names, BX_ARB_KINDS, sizeof(struct bx_gauge)}}};

/* ---- rows: 334060-001 tables 3-1 to 3-3 ---- */

static const struct bx_choice of_lookups[] = {
    {REQUEST, {HAS(0x10)}, SET(BX_CLIENT_READ)},   {REQUEST, {HAS(0x20)}, SET(BX_CLIENT_WRITE)},
    {REQUEST, {HAS(0x40)}, SET(BX_CLIENT_EXTSNP)}, {REQUEST, {HAS(0x80)}},
    {STATE, {HAS(0x01)}, SET(BX_LINE_M)},          {STATE, {HAS(0x02)}, SET(BX_LINE_E)},
    {STATE, {HAS(0x04)}, SET(BX_LINE_S)},          {STATE, {HAS(0x08)}, SET(BX_LINE_I)},
};

static const struct bx_choice of_snoops[] = {
    {RESPONSE, {HAS(0x01)}, SET(BX_SNOOP_MISS)},
    {RESPONSE, {HAS(0x04)}, SET(BX_SNOOP_HIT)},
    {RESPONSE, {HAS(0x08)}, SET(BX_SNOOP_HITM)},
    {SOURCE, {EACH(0xe0)}},
};

static const struct bx_row cbo[] = {
    {0x22, BY_CHOICE, &snoops, CHOICES(of_snoops)},
    {0x34, BY_CHOICE, &lookups, CHOICES(of_lookups)},
};

static const struct bx_row arb[] = {
    {0x80, HAS(0x01), &occupancy, .what = BX_GAUGE_ENTRIES},
    {0x80, HAS(0x02), &occupancy, SET(BX_ARB_DATA_READ), .what = BX_GAUGE_ENTRIES},
    {0x81, HAS(0x01), &requests},
    {0x81, HAS(0x02), &requests, SET(BX_ARB_DATA_READ)},
    {0x81, HAS(0x20), &requests, SET(BX_ARB_WRITE)},
    {0x84, IS(0x01), &coherent},
};

/* The code is the counter's offset from the BAR. */
static const struct bx_row imc[] = {
    {0x5040, ANY, &agents, SET(BX_IMC_GT)}, {0x5044, ANY, &agents, SET(BX_IMC_IA)},
    {0x5048, ANY, &agents, SET(BX_IMC_IO)}, {0x5050, ANY, &transfers, SET(0)},
    {0x5054, ANY, &transfers, SET(1)},
};

static const struct bx_row the_clock[] = {{BX_ANY_CODE, ANY, &bx_every_cycle}};

static const struct bx_box_signals cbo_signals = {{BX_ROWS(cbo)}}, arb_signals = {{BX_ROWS(arb)}},
                                   clock_signals = {{BX_ROWS(the_clock)}},
                                   imc_signals = {{BX_ROWS(imc)}};

const struct bx_box_signals *const bx_client_signals[BX_CLIENT_BOXES] = {
    [BX_CLIENT_CBO] = &cbo_signals,      [BX_CLIENT_ARB] = &arb_signals,
    [BX_CLIENT_CLOCK] = &clock_signals,  [BX_CLIENT_IMC] = &imc_signals,
    [BX_CLIENT_CORE] = &bx_core_skylake, [BX_CLIENT_STALLS] = &bx_core_stalls,
};
