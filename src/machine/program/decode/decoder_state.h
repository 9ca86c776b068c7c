/* The state of a decoder, for the files of this folder: decoder_begin.c, decoder.c (records and
 * executions), items.c, notes.c (what is told besides accesses), blocks.c (what is kept of
 * descriptions), pages.c (where addresses are), non_temporal.c, kernel_pages.c, thread_order.c,
 * branches.c. */
#ifndef BX_MACHINE_PROGRAM_DECODE_DECODER_STATE_H
#define BX_MACHINE_PROGRAM_DECODE_DECODER_STATE_H

#include "machine/program/decode/call_stack.h"
#include "machine/program/decode/decoder.h"
#include "machine/program/decode/draft.h"
#include "machine/program/decode/object_map.h"

enum {
    BX_DECODER_PAGES = 1024, /* pages that are remembered */
    /* pages that are remembered with their translation; a data TLB has at least this many sets */
    BX_DECODER_KNOWN = 16,
};

/* Lines of 2^shift bytes. */
typedef struct bx_decoder_lines {
    uint64_t byte_mask;                      /* of an address: its byte in the line */
    uint64_t in_page_mask;                   /* of an address: its line in the page */
    uint64_t factor;                         /* from there to the place of a line in a bx_access */
    unsigned shift, page_shift, frame_shift; /* page_shift: of the lines of a page */
} bx_decoder_lines;

typedef struct bx_decoder_page {
    uint64_t number; /* number of the page plus 1; 0: none */
    bx_access line;  /* the frame's first line, as in a bx_access */
} bx_decoder_page;

/* A page that a kernel has just made. */
typedef struct bx_decoder_fault {
    uint64_t frame, from;
    bool copied;
    uint64_t page; /* the number of the virtual page */
} bx_decoder_fault;

/* Indices in the bx_retired_table for retirements other than those of blocks; arrays are indexed by
 * the kind of access. */
typedef struct bx_decoder_retired {
    uint32_t unmade[2], split[2];
    uint32_t missed[BX_BRANCH_MISSES];
    bx_tlb_retired translations;
} bx_decoder_retired;

struct bx_decoder {
    bx_address_space *space;
    bx_decoder_lines lines;
    bx_block_exit *last; /* exit of the previous block, or `before` */
    bx_block_exit before;
    uint16_t held;              /* registers whose values may come from loads that nothing awaits */
    uint32_t cost;              /* cycles not yet assigned to an access */
    uint32_t part;              /* fraction of a cycle in addition to cost, in 1/draft.slot.d */
    struct bx_witness *witness; /* NULL: nobody asks who makes accesses */
    uint32_t code;              /* the instruction that was executed last */
    uint32_t process, pid;      /* for the witness; pid 0: it does not run here */
    uint32_t context_mask;      /* 0: contexts are followed for objects only */
    uint32_t context;           /* calls in which the thread runs; 0: or not asked */
    bx_call_stacks *calls;      /* of the running thread; NULL: it has made none so far */
    bx_object_map *objects;     /* NULL: nobody asks */
    bx_call_stacks *all_calls;  /* of all threads */
    bx_write_combining combining;
    bx_block **block; /* [room]; NULL: not described */
    size_t room;
    bx_draft draft;
    const char *malformed;
    bool no_memory;
    bool kernel;
    bool stops;                 /* the trace is malformed, or page faults wait */
    uint64_t page_faults;       /* since bx_decoder_take_page_faults() */
    size_t faults, faults_room; /* of them, and of moved pages: those whose accesses follow */
    bx_decoder_fault *fault;
    struct bx_prefetchers *prefetchers; /* NULL: there are none */
    bx_word_writers *writers;           /* NULL: there is one thread */
    unsigned thread;
    uint64_t made; /* accesses of the thread before those that are decoded now */
    bx_cut *cut;   /* [cuts], in room for cuts_room */
    size_t cuts, cuts_room;
    bx_retire_to retires;
    const bx_retirement *retires_full; /* from here on, there is no room for another execution */
    bx_retired_table *retired;         /* NULL: nobody counts what retires */
    bx_decoder_retired retired_as;     /* retirements that do not belong to a block */
    bx_trace_counts gone;              /* counts of blocks that were replaced */
    uint64_t unmade_loads, unmade_stores;
    const bx_tlb_geometry *geometry; /* NULL: there are no TLBs */
    struct bx_page_tables *tables;
    bx_tlb *tlb;  /* of the thread that runs; NULL: it has none yet */
    bx_tlb **all; /* [tlbs], in room for tlbs_room: of all threads */
    size_t tlbs, tlbs_room;
    bx_predictor_sizes sizes;                 /* of its branch predictors; kind 0: there are none */
    uint32_t refill;                          /* uncore cycles of a misprediction */
    struct bx_thread_branches *branches;      /* of the thread that runs; NULL: there are none */
    struct bx_thread_branches **all_branches; /* [predictors], in predictors_room */
    bool told_late; /* the running thread has something for bx_decoder_arrive() */
    size_t predictors, predictors_room;
    bx_tlb_counts translated; /* of threads that have ended */
    bx_decoder_page fetched;  /* the page of the last fetch, with TLBs */
    /* Indexed by the low bits of the page number. These pages can be written, and another access to
     * them changes no TLB. */
    bx_decoder_page known[BX_DECODER_KNOWN];
    bx_decoder_page page[BX_DECODER_PAGES];      /* pages that can be written */
    bx_decoder_page read_only[BX_DECODER_PAGES]; /* pages that can only be read */
};

/* Whether the running thread has a list of its calls; makes one. */
bool bx_decoder_has_calls(bx_decoder *d);

/* Stops the decoder; bx_decoder_malformed() then returns `what`. */
static inline void bx_decoder_no_memory(bx_decoder *d, const char *what)
{
    d->malformed = what;
    d->no_memory = d->stops = true;
}

/* Reports a retirement: it happens when all accesses before `at` are executed. */
static inline void bx_decoder_retire(bx_decoder *d, uint32_t what, const bx_access *at)
{
    if (d->retired)
        *d->retires.next++ = (bx_retirement){(uint32_t)(at - d->retires.origin), what};
}

/* The object at an address, if somebody asks. */
static inline uint32_t bx_decoder_object(bx_decoder *d, uint64_t address)
{
    return d->objects ? bx_object_map_at(d->objects, address, d->calls) : 0;
}

static inline bx_who *bx_decoder_who(const bx_decoder *d, const bx_access *at)
{
    return d->retires.who + (at - d->retires.origin);
}

/* Notes that an instruction makes the accesses from `from` to `to`, at that address. */
static inline void bx_decoder_note(bx_decoder *d, const bx_access *from, const bx_access *to,
                                   bx_who who)
{
    bx_who *at = bx_decoder_who(d, from);
    who.context = d->context;
    for (size_t n = (size_t)(to - from); n; n--)
        *at++ = who;
}

/* The thread runs in those calls. */
static inline void bx_decoder_enter(bx_decoder *d, uint32_t context)
{
    d->context = context & d->context_mask;
}

/* Most accesses of a kernel that makes a page: it copies every line. */
static inline size_t bx_decoder_page_accesses(const bx_decoder *d)
{
    return (size_t)2 << d->lines.page_shift;
}

/* The first line of a frame, as in a bx_access. */
static inline bx_access bx_decoder_first_line(const bx_decoder *d, uint64_t frame)
{
    return frame << d->lines.frame_shift;
}

#endif
