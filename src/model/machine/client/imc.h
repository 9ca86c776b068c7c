/* The memory controller with two channels, plain or with DRAM. */
#ifndef BX_MODEL_MACHINE_CLIENT_IMC_H
#define BX_MODEL_MACHINE_CLIENT_IMC_H

#include "model/machine/client/counts.h"
#include "model/part/dram.h"
#include "model/part/plain_memory.h"

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

#endif
