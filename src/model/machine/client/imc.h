/* The memory controller with two channels. Each channel serves one line at a time, or has DRAM. */
#ifndef BX_MODEL_MACHINE_CLIENT_IMC_H
#define BX_MODEL_MACHINE_CLIENT_IMC_H

#include "model/machine/client/arb.h"
#include "model/part/dram.h"

enum { BX_IMC_TRANSIT = 20, BX_IMC_BUSY = 12, BX_IMC_READ = 130, BX_IMC_WRITE = 12 };

struct bx_imc {
    uint64_t free[BX_IMC_CHANNELS]; /* when the channel can begin the next line */
    bool has_dram;
    struct bx_dram dram;
};

static inline unsigned bx_imc_channel(uint64_t line)
{
    return (unsigned)line & (BX_IMC_CHANNELS - 1);
}

/* Queues a line on its channel. Returns the time when the service starts. */
static inline uint64_t bx_imc_start(struct bx_imc *imc, uint64_t line, uint64_t now)
{
    uint64_t *free = &imc->free[bx_imc_channel(line)];
    uint64_t start = now + BX_IMC_TRANSIT > *free ? now + BX_IMC_TRANSIT : *free;

    *free = start + BX_IMC_BUSY;
    return start;
}

/* Both functions count the access and return the time when it is done. */
static inline uint64_t bx_imc_read(struct bx_imc *imc, struct bx_client_counts *counts,
                                   enum bx_imc_agent by, uint64_t line, uint64_t now)
{
    counts->imc[by]++;
    counts->data_reads++;
    if (imc->has_dram)
        return bx_dram_read(&imc->dram, line, now);
    return bx_imc_start(imc, line, now) + BX_IMC_READ;
}

static inline uint64_t bx_imc_write(struct bx_imc *imc, struct bx_client_counts *counts,
                                    enum bx_imc_agent by, uint64_t line, uint64_t now)
{
    counts->imc[by]++;
    counts->data_writes++;
    if (imc->has_dram)
        return bx_dram_write(&imc->dram, line, now);
    return bx_imc_start(imc, line, now) + BX_IMC_WRITE;
}

#endif
