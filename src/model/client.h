/* The client machine's parts put together, as its own files see them: client.c (whose turn it is),
 * uncore.c (what an uncore access does). */
#ifndef BX_MODEL_CLIENT_H
#define BX_MODEL_CLIENT_H

#include "model/arb.h"
#include "model/imc.h"
#include "model/llc.h"
#include "model/private.h"
#include "model/watch.h"

enum { BX_FILL_BUFFERS = 10, BX_CLIENT_AGENTS = BX_CLIENT_CORES + 2 };

#define BX_NO_LINE UINT64_MAX

enum bx_phase {
    BX_IDLE,    /* no feed, or it has ended */
    BX_READY,   /* to run ahead */
    BX_WAITING, /* its next access waits for its turn at the uncore */
};

struct bx_client_agent {
    bx_feed *feed;
    struct bx_core *core; /* NULL: GT or IO */
    enum bx_phase phase;
    enum bx_step need;  /* of a waiting core: what it found */
    uint64_t clock;     /* in cycles; may be ahead of the machine's time */
    uint64_t turn;      /* when waiting: the time of the access */
    uint64_t completed; /* the latest completion of its accesses */
    uint64_t buffer_free[BX_FILL_BUFFERS];
    unsigned next_buffer;
    uint64_t partial_line; /* GT, IO: the line of the last memory write if that was partial */
};

struct bx_model {
    bx_signals signals; /* first: the seam's functions get a pointer to it */
    unsigned cores;
    struct bx_time time;
    uint64_t accesses;
    struct bx_client_agent agent[BX_CLIENT_AGENTS]; /* cores, GT, IO: in the order of their turns */
    struct bx_core *core;                           /* [cores] */
    struct bx_llc llc;
    struct bx_arb arb;
    struct bx_imc imc;
    struct bx_client_counts counts;
};

/* The access of core c at its turn. Returns its completion. */
uint64_t bx_uncore_core(struct bx_model *m, unsigned c, bx_access a, uint64_t t);

/* An L2 hit at the core's turn, which may write back. Returns the cycles that it takes. */
unsigned bx_uncore_l2_hit(struct bx_model *m, unsigned c, bx_access a);

/* Accesses of the other agents. They return the completion. */
uint64_t bx_uncore_gt(struct bx_model *m, struct bx_client_agent *gt, bx_access a, uint64_t t);
uint64_t bx_uncore_io(struct bx_model *m, struct bx_client_agent *io, bx_access a, uint64_t t);

#endif
