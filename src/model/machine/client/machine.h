/* The state of the client machine, shared by the files of this folder. core.c and device.c execute
 * the agents' accesses that need the uncore. */
#ifndef BX_MODEL_MACHINE_CLIENT_MACHINE_H
#define BX_MODEL_MACHINE_CLIENT_MACHINE_H

#include "model/machine/client/llc.h"
#include "model/engine/turns.h"
#include "model/part/dram.h"
#include "model/part/gauge.h"
#include "model/part/plain_memory.h"

enum bx_client_device { BX_CLIENT_GT, BX_CLIENT_IO, BX_CLIENT_DEVICES };

#define BX_NO_LINE UINT64_MAX

/* The memory controller with two channels, plain or with DRAM. */
enum { BX_IMC_CHANNELS = 2 };

struct bx_imc {
    uint64_t free[BX_IMC_CHANNELS]; /* when the channel can begin the next line */
    const bx_model_times *times;
    bool has_dram;
    struct bx_dram dram;
};

/* Counts an access. Returns the time when it is done. */
static inline uint64_t bx_imc_access(struct bx_imc *imc, struct bx_client_counts *counts,
                                     enum bx_imc_agent by, uint64_t line, bool write, uint64_t now)
{
    counts->imc[by]++;
    counts->data_reads += !write;
    counts->data_writes += write;
    if (!imc->has_dram)
        return bx_plain_memory(imc->times, &imc->free[line % BX_IMC_CHANNELS], write, now);
    return write ? bx_dram_write(&imc->dram, line, now) : bx_dram_read(&imc->dram, line, now);
}

struct bx_client {
    struct bx_model model;
    unsigned cores;
    struct bx_turns turns;                /* cores, then GT, IO */
    uint64_t partial_line[BX_IMC_AGENTS]; /* of the last memory write, if it was partial */
    bx_model_times times;
    struct bx_client_llc llc;
    struct bx_gauge arb[BX_ARB_KINDS]; /* entries of the ARB */
    uint64_t arb_entered;              /* since power-on */
    struct bx_imc imc;
    struct bx_client_counts counts;
};

/* The client machine whose first member is this model. */
static inline struct bx_client *bx_client_of(bx_model *model)
{
    return (struct bx_client *)(void *)model;
}

/* The functions of struct bx_uncore: core.c, device.c. */
uint64_t bx_client_request(bx_model *model, unsigned core, bx_access a, uint64_t t,
                           struct bx_grant *grant);
uint64_t bx_client_non_temporal_store(bx_model *model, unsigned core, bx_access a, uint64_t t);
uint64_t bx_client_prefetch_llc(bx_model *model, unsigned core, bx_access a, uint64_t t,
                                enum bx_core_count *from);
void bx_client_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                          uint64_t t);
uint64_t bx_client_device_access(bx_model *model, unsigned agent, bx_access a, uint64_t t);

/* What each box's events count: signals.c. */
extern const struct bx_box_signals *const bx_client_signals[];

extern const struct bx_model_kind bx_client_model;

#endif
