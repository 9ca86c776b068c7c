/* Turns the words of one process's trace (tracer/trace_format.h) into accesses. The rules are in
 * docs/explanation/model.md, "Traces of programs". */
#ifndef BX_MACHINE_PROGRAM_DECODE_DECODER_H
#define BX_MACHINE_PROGRAM_DECODE_DECODER_H

#include "machine/program/decode/address_space.h"
#include "machine/program/decode/word_writers.h"
#include "machine/program/decode/write_combining.h"
#include "model/core/tlb.h"
#include "model/engine/core_time.h"
#include "model/model.h"
#include "tracefile/counts.h"

#include <stddef.h>

/* Room for accesses that is enough for any execution of a block. */
enum { BX_DECODER_BURST = 8192 };

typedef struct bx_decoder bx_decoder;

/* space must outlive the decoder. kernel: what a kernel does to make a page is accesses, too. NULL:
 * out of memory. */
bx_decoder *bx_decoder_new(bx_address_space *space, bool kernel);

/* Before the first word: remarks (model/engine/access.h) are to be among the accesses. */
void bx_decoder_make_remarks(bx_decoder *d);

/* The same: each thread has TLBs of that geometry; their page walks are to be among the accesses.
 * false: no memory. */
bool bx_decoder_translate(bx_decoder *d, const bx_tlb_geometry *g);
/* The same: what the prefetchers of a core ask for is to be among the accesses. false: no memory.
 */
bool bx_decoder_prefetch(bx_decoder *d);

/* Before the first word: what instructions cost; without it each costs an uncore cycle. */
void bx_decoder_time(bx_decoder *d, const bx_core_time *core);

/* The same: what retires is to be told, in numbers of `table`, which must outlive whoever reads
 * them. false: no memory. */
bool bx_decoder_count(bx_decoder *d, bx_retired_table *table);

void bx_decoder_free(bx_decoder *d); /* NULL is fine */

/* Room for what retires with any execution of a block. */
enum { BX_DECODER_RETIREMENTS = 4096 };

/* Before a read, or the end of a thread: where what retires goes, if it is to be told. */
void bx_decoder_retire_to(bx_decoder *d, bx_retire_to to);
const bx_retirement *bx_decoder_retired_end(const bx_decoder *d);
bool bx_decoder_retired_is_full(const bx_decoder *d); /* the reason why it has stopped */

/* Decodes executions and descriptions while `to` has room for a burst. Returns the number of words
 * decoded; *made: accesses written. Stops at any other record of control, at a record that `n`
 * words do not hold whole, and at a malformed one. */
size_t bx_decoder_read(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to, size_t room,
                       size_t *made);

/* What a thread has fetched last, and cycles that none of its accesses has yet. */
typedef struct bx_decoder_thread {
    bool fetches;
    uint32_t cost, part; /* part: of a cycle more */
    uint64_t fetched;
    bx_write_combining combining;
    bx_tlb *tlb; /* NULL: none so far */
} bx_decoder_thread;

/* Another thread runs on; all 0: it begins. Returns where the one before stopped. */
bx_decoder_thread bx_decoder_switch(bx_decoder *d, bx_decoder_thread to);
void bx_decoder_thread_end(bx_decoder *d, const bx_decoder_thread *its); /* it does not run on */

/* A place in what was decoded where the thread must wait for another one's access. */
typedef struct bx_cut {
    size_t at; /* before this access */
    bx_written until;
} bx_cut;

/* Of a process with several threads: an access to a word that another thread wrote last waits for
 * that. thread: the one that runs, `made` its accesses so far. writers NULL: no longer. */
void bx_decoder_order(bx_decoder *d, bx_word_writers *writers, unsigned thread, uint64_t made);

/* Those of the last bx_decoder_read(). */
const bx_cut *bx_decoder_cuts(const bx_decoder *d, size_t *n);

/* The kernel reads (BX_LOAD) or writes (BX_STORE) `bytes` at *address. Moves *address behind what
 * had room; the caller calls again for the others. Returns the accesses written. */
size_t bx_decoder_kernel(bx_decoder *d, unsigned kind, uint64_t *address, uint64_t end,
                         bx_access *to, size_t room);

/* Pages are to be looked up anew. */
void bx_decoder_flush(bx_decoder *d);

/* Their translations have changed, for the TLBs of all threads. */
void bx_decoder_invalidate(bx_decoder *d, uint64_t address, uint64_t bytes);

/* The physical address of a virtual one that the program has used. */
uint64_t bx_decoder_physical(bx_decoder *d, uint64_t address);

/* At the end of a thread: writes accesses for stores that were being combined, or one for the
 * remaining cost. Returns how many, 0 to BX_WC_BUFFERS_MOST. */
size_t bx_decoder_end(bx_decoder *d, bx_access *to);

/* What is wrong with the trace; NULL: nothing so far. */
const char *bx_decoder_malformed(const bx_decoder *d);
bool bx_decoder_out_of_memory(const bx_decoder *d); /* rather than malformed */

bx_trace_counts bx_decoder_counts(const bx_decoder *d);
bx_tlb_counts bx_decoder_translations(const bx_decoder *d); /* of all its threads */

#endif
