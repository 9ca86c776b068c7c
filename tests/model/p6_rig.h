/* The P6 model for tests, and its event codes. */
#ifndef BX_TESTS_MODEL_P6_RIG_H
#define BX_TESTS_MODEL_P6_RIG_H

#include "rig.h"

static inline struct rig p6_new(void)
{
    return rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1});
}

/* Executes one access until everything that it caused has ended. */
static inline void p6_one(struct rig *r, unsigned agent, unsigned kind, uint64_t line,
                          unsigned flags)
{
    const bx_access a = bx_access_make(line, kind, flags | BX_ACCESS_DEPENDENT, 1);
    rig_play(r, agent, &a, 1);
}

static inline uint64_t p6_at(const struct rig *r, unsigned code, unsigned umask, unsigned levels)
{
    const bx_selection sel = {.code = (uint16_t)code, .umask = umask, .levels = (uint8_t)levels};
    return rig_tally(r, &sel);
}

static inline uint64_t p6_count(const struct rig *r, unsigned code, unsigned umask)
{
    return p6_at(r, code, umask, BX_LEVELS);
}

/* Codes of document 002 table 6-2, and of events that the table lacks (SDM volume 3, P6 events). */
enum {
    LD_BLOCKS = 0x03,
    SB_DRAINS = 0x04,
    L2_ADS = 0x21,
    L2_DBUS_BUSY = 0x22,
    L2_DBUS_BUSY_RD = 0x23,
    L2_LINES_IN = 0x24,
    L2_M_LINES_INM = 0x25,
    L2_LINES_OUT = 0x26,
    L2_M_LINES_OUTM = 0x27,
    L2_IFETCH = 0x28,
    L2_LD = 0x29,
    L2_ST = 0x2a,
    L2_RQSTS = 0x2e,
    DATA_MEM_REFS = 0x43,
    DCU_LINES_IN = 0x45,
    DCU_M_LINES_IN = 0x46,
    DCU_M_LINES_OUT = 0x47,
    DCU_MISS_OUTSTANDING = 0x48,
    BUS_REQ_OUTSTANDING = 0x60,
    BUS_DRDY_CLOCKS = 0x62,
    BUS_DATA_RCV = 0x64,
    BUS_TRAN_BRD = 0x65,
    BUS_TRAN_RFO = 0x66,
    BUS_TRANS_WB = 0x67,
    BUS_TRAN_IFETCH = 0x68,
    BUS_TRAN_INVAL = 0x69,
    BUS_TRAN_PWR = 0x6a,
    BUS_TRAN_P = 0x6b,
    BUS_TRAN_DEF = 0x6d,
    BUS_TRAN_BURST = 0x6e,
    BUS_TRAN_MEM = 0x6f,
    BUS_TRAN_ANY = 0x70,
    CPU_CLK_UNHALTED = 0x79,
    BUS_HIT_DRV = 0x7a,
    BUS_HITM_DRV = 0x7b,
    BUS_SNOOP_STALL = 0x7e,
    IFU_IFETCH = 0x80,
    IFU_IFETCH_MISS = 0x81,
    ITLB_MISS = 0x85,
    IFU_MEM_STALL = 0x86,
    RESOURCE_STALLS = 0xa2,
    INST_RETIRED = 0xc0,
    UOPS_RETIRED = 0xc2,
    INST_DECODER = 0xd0,
    /* Unit masks. */
    I = 0x01,
    S = 0x02,
    E = 0x04,
    M = 0x08,
    MESI = 0x0f,
    ANY = 0x20,
};

#endif
