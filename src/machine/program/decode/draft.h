/* A block while its description is read: entries of a trace become items. The rules of their costs:
 * docs/explanation/model-core-time.md, "The time of a core". */
#ifndef BX_MACHINE_PROGRAM_DECODE_DRAFT_H
#define BX_MACHINE_PROGRAM_DECODE_DRAFT_H

#include "machine/program/decode/block.h"
#include "model/engine/core_time.h"

/* A stretch: the instructions from the begin of a block, or an exit, to the next exit. A slot is
 * the time of an instruction that nothing delays: docs/explanation/model-core-time.md, "The time of
 * a core".
 */
typedef struct bx_draft_stretch {
    uint64_t before, slots;          /* before: slots of the earlier stretches; slots: its own */
    uint32_t instructions, executed; /* executed: instructions before the present entry */
    uint32_t cycles;                 /* whole cycles before the present entry */
} bx_draft_stretch;

/* What the core's ports have to do for the instructions from the begin of the block to the next
 * exit. */
typedef struct bx_draft_ports {
    uint32_t loads, stores; /* parts of loads and stores, as large as a port takes them at once */
    bx_trace_ports rest;
    bx_trace_recurrence chain; /* of the next exit: its divisions alone */
} bx_draft_ports;

/* A block while its description is read. */
typedef struct bx_draft {
    uint32_t exits, burst;
    uint16_t needed;
    bool remarks, prefetch;
    unsigned line_shift;
    bool walks;                 /* page walks may come before accesses */
    bool predicts;              /* branches go through a predictor */
    uint64_t address;           /* of the present instruction */
    unsigned class;             /* the same */
    uint64_t first_line, first; /* first: the address of the first instruction */
    bx_block_exit now;          /* the values of an exit at this place */
    bx_block_counts counts;
    bx_retired retired;
    bool fetches;
    bool overwrites; /* the present instruction is a string instruction that overwrites lines */
    bool in_lock;    /* the entry before was the first load of a locked operation, which has two */
    bx_core_time core;
    bx_ratio slot;  /* duration of a slot in uncore cycles */
    uint32_t lock;  /* uncore cycles of a locked operation */
    uint32_t locks; /* cycles of all locked operations so far */
    bx_draft_stretch stretch;
    bx_draft_ports ports;
    bx_block_item item[2 * BX_TRACE_ENTRIES]; /* an instruction makes two fetches at most */
    uint16_t kept[2 * BX_TRACE_ENTRIES];
    bx_block_instruction by[2 * BX_TRACE_ENTRIES];
    bx_block_exit exit[BX_TRACE_EXITS];
    bx_block_counts exit_counts[BX_TRACE_EXITS];
    bx_retired exit_retired[BX_TRACE_EXITS];
    uint8_t turn[2 * BX_TRACE_ENTRIES]; /* of each item, enum bx_block_turn */
    uint64_t at[2 * BX_TRACE_ENTRIES];  /* of each item, the address of its instruction */
    uint64_t exit_at[BX_TRACE_EXITS];   /* of each exit, that of the instruction before */
    uint32_t branches;
    uint64_t last; /* the last byte of the present instruction */
    bx_branch branch[BX_BLOCK_BRANCHES];
} bx_draft;

/* Reads the entries of a description. Returns NULL, or the error. */
const char *bx_draft_draw_up(bx_draft *b, const uint64_t *entries, size_t n);

/* Copies the decoded block; the caller frees the copy. NULL: out of memory. */
bx_block *bx_draft_block(const bx_draft *from);

#endif
