/* Turns the words of one process's trace (tracer/trace_format.h) into accesses. The rules are in
 * docs/explanation/model-programs.md, "Traces of programs". */
#ifndef BX_MACHINE_PROGRAM_DECODE_DECODER_H
#define BX_MACHINE_PROGRAM_DECODE_DECODER_H

#include "machine/program/decode/address_space.h"
#include "machine/program/decode/word_writers.h"
#include "machine/program/decode/write_combining.h"
#include "model/core/tlb.h"
#include "model/engine/core_time.h"
#include "model/part/branch_predictor.h"
#include "model/model.h"
#include "tracefile/counts.h"

#include <stddef.h>

/* Enough room for the accesses of any execution of a block. */
enum { BX_DECODER_BURST = 8192 };

typedef struct bx_decoder bx_decoder;

/* space must outlive the decoder. kernel: also make the accesses of a kernel that creates a page.
 * NULL: out of memory. */
bx_decoder *bx_decoder_new(bx_address_space *space, bool kernel);

/* Makes remarks (model/engine/access.h) among the accesses. Call it before the first word. */
void bx_decoder_make_remarks(bx_decoder *d);

/* Notes who makes each access, beside it (bx_retire_to.who). Call it before the first word. w NULL:
 * it does not. process: its number; live: it runs here. */
struct bx_witness;
void bx_decoder_note_who(bx_decoder *d, struct bx_witness *w, uint32_t process, bool live);

/* For a child that the running thread forks: copies of its calls and of the process's objects. The
 * child's decoder takes them, or somebody frees them; NULL: nobody asks. */
typedef struct bx_decoder_noted {
    struct bx_call_stacks *calls;
    struct bx_object_map *objects;
} bx_decoder_noted;
bx_decoder_noted bx_decoder_copy_noted(const bx_decoder *d, bx_address_space *space);
void bx_decoder_take_noted(bx_decoder *d, bx_decoder_noted noted);
void bx_decoder_free_noted(bx_decoder_noted noted);

/* What object_map.h wants to know of the running thread's allocators, and of mappings. */
void bx_decoder_allocate(bx_decoder *d, uint64_t address, uint64_t bytes);
void bx_decoder_release(bx_decoder *d, uint64_t address);
void bx_decoder_map_changes(bx_decoder *d, uint64_t address, uint64_t bytes);
void bx_decoder_image(bx_decoder *d, uint64_t address, uint64_t device, uint64_t inode);

/* Gives each thread TLBs of that geometry, and makes their page walks among the accesses. Call it
 * before the first word. false: no memory. */
bool bx_decoder_translate(bx_decoder *d, const bx_tlb_geometry *g);
/* Makes the accesses of a core's prefetchers, too. Call it before the first word. false: no memory.
 */
bool bx_decoder_prefetch(bx_decoder *d);

/* Sets the cost of instructions. Without it each costs one uncore cycle. Call it before the first
 * word. */
void bx_decoder_time(bx_decoder *d, const bx_core_time *core);

/* Gives each thread a branch predictor of these sizes. Call it after bx_decoder_time(). */
void bx_decoder_predict(bx_decoder *d, const bx_predictor_sizes *sizes);

/* Reports what retires, as indices in `table`. The table must outlive all readers of the indices.
 * Call it before the first word. false: no memory. */
bool bx_decoder_count(bx_decoder *d, bx_retired_table *table);

void bx_decoder_free(bx_decoder *d); /* NULL is fine */

/* Enough room for the retirements of any execution of a block. */
enum { BX_DECODER_RETIREMENTS = 4096 };

/* Sets where retirements are written, if they are reported. Call it before each read and before the
 * end of a thread. */
void bx_decoder_retire_to(bx_decoder *d, bx_retire_to to);
const bx_retirement *bx_decoder_retired_end(const bx_decoder *d);
bool bx_decoder_retired_is_full(const bx_decoder *d); /* it has stopped for lack of room */

/* Decodes executions and descriptions while `to` has room for a burst. Returns the number of words
 * decoded; *made: accesses written. Stops at any other control record, at a record that is not
 * complete within `n` words, and at a malformed one. */
size_t bx_decoder_read(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to, size_t room,
                       size_t *made);

/* The state of a thread: its last fetch, and the cycles that are not yet part of an access. */
typedef struct bx_decoder_thread {
    bool fetches;
    uint32_t cost, part; /* part: the fraction of a cycle in addition to cost */
    uint32_t code;       /* the instruction that it executed last, if somebody asks */
    uint64_t fetched;
    bx_write_combining combining;
    bx_tlb *tlb;                  /* NULL: none so far */
    struct bx_call_stacks *calls; /* the same */
    struct bx_thread_branches *branches;
} bx_decoder_thread;

/* Switches to another thread. `to` is all 0 for a new thread. Returns the state of the previous
 * thread. */
bx_decoder_thread bx_decoder_switch(bx_decoder *d, bx_decoder_thread to);
void bx_decoder_thread_end(bx_decoder *d,
                           const bx_decoder_thread *its); /* this thread does not run again */

/* A place among the decoded accesses where the thread must wait for another thread's access. */
typedef struct bx_cut {
    size_t at;     /* before this access, or its page walk */
    size_t access; /* the access */
    bx_written until;
} bx_cut;

/* For a process with several threads: an access to a word that another thread wrote last waits for
 * that write. thread: the running one; made: the number of its accesses so far. writers NULL:
 * switches this off. */
void bx_decoder_order(bx_decoder *d, bx_word_writers *writers, unsigned thread, uint64_t made);

/* The kernel writes a word of a thread that has ended: it counts as that thread's access. */
void bx_decoder_write_word(bx_decoder *d, bx_word_writers *writers, uint64_t address,
                           bx_written by);

/* The cuts that the last bx_decoder_read() made. */
const bx_cut *bx_decoder_cuts(const bx_decoder *d, size_t *n);

/* The kernel reads (BX_LOAD) or writes (BX_STORE) `bytes` at *address. Moves *address past the
 * accesses that had room; call it again for the rest. Returns the number of accesses written. */
size_t bx_decoder_kernel(bx_decoder *d, unsigned kind, uint64_t *address, uint64_t end,
                         bx_access *to, size_t room);

/* The page faults since the last call: first uses of pages, and first writes to pages that could
 * only be read. */
uint64_t bx_decoder_take_page_faults(bx_decoder *d);

/* Forgets the pages that were looked up. */
void bx_decoder_flush(bx_decoder *d);

/* Removes changed translations from the TLBs of all threads. */
void bx_decoder_invalidate(bx_decoder *d, uint64_t address, uint64_t bytes);

/* The kernel moves a page to that node, or the pages of a range to where their policies want them,
 * or all pages of a node to another one, and copies them. */
void bx_decoder_migrate(bx_decoder *d, uint64_t page, unsigned node);
void bx_decoder_migrate_node(bx_decoder *d, unsigned from, unsigned to);
void bx_decoder_migrate_range(bx_decoder *d, uint64_t address, uint64_t bytes);

/* The kernel reads a byte for the thread: its page is in memory then. */
void bx_decoder_touch(bx_decoder *d, uint64_t address);

/* The physical address of a virtual address that the program has used; its page is not the one of
 * zeros afterwards. */
uint64_t bx_decoder_physical(bx_decoder *d, uint64_t address);

/* Writes an access for what the instructions so far cost and retire, if they have something left.
 * Returns the number of accesses, 0 or 1. */
size_t bx_decoder_settle(bx_decoder *d, bx_access *to);

/* Ends a thread: writes accesses for stores in the write-combining buffers, or one for the
 * remaining cost. Returns their number, 0 to BX_WC_BUFFERS_MOST. */
size_t bx_decoder_end(bx_decoder *d, bx_access *to);

/* The error in the trace; NULL: none so far. */
const char *bx_decoder_malformed(const bx_decoder *d);

/* Whether it stopped for lack of memory, not because of the trace. */
bool bx_decoder_out_of_memory(const bx_decoder *d);

bx_trace_counts bx_decoder_counts(const bx_decoder *d);
bx_tlb_counts bx_decoder_translations(const bx_decoder *d); /* of all its threads */

#endif
