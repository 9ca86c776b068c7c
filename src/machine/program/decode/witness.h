/* What a recording has to know of the programs that a machine traces: their binaries, the
 * instructions that make accesses, their threads. One thread adds, another one reads. */
#ifndef BX_MACHINE_PROGRAM_DECODE_WITNESS_H
#define BX_MACHINE_PROGRAM_DECODE_WITNESS_H

#include "attribute/who.h"
#include "tracer/build_id.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A file that was executed, or a process's memory without a file. Numbered from 1. */
typedef struct bx_witness_binary {
    uint64_t device, inode;          /* of the file; or 0 and the number of the process */
    bool memory;                     /* without a file */
    uint32_t pid;                    /* of memory: that of the process; 0: it does not run here */
    char *path;                      /* NULL: not told */
    char build_id[BX_BUILD_ID_TEXT]; /* hexadecimal; "": none */
} bx_witness_binary;

/* An instruction. */
typedef struct bx_witness_code {
    uint32_t binary;
    uint64_t offset; /* in the file; without a file: its address */
} bx_witness_code;

typedef struct bx_witness_thread {
    uint32_t number; /* bx_task.number */
    uint32_t process, thread;
} bx_witness_thread;

/* A calling context: a call in another context. */
typedef struct bx_witness_context_of {
    uint32_t parent, code; /* parent 0: the root */
} bx_witness_context_of;

typedef struct bx_witness {
    pthread_mutex_t lock;
    bx_witness_binary *binary; /* [binaries], in room for binaries_room */
    size_t binaries, binaries_room;
    bx_witness_code *code; /* [codes]: those with numbers from BX_CODE_FIRST on */
    size_t codes, codes_room;
    uint32_t *slot; /* [slots]: a hash table, 1 + index of the code */
    size_t slots;
    bx_witness_thread *thread; /* [threads] */
    size_t threads, threads_room;
    bx_witness_context_of *context; /* [contexts], numbered from 1 */
    size_t contexts, contexts_room;
    uint32_t *context_slot; /* [context_slots], as slot */
    size_t context_slots;
    uint64_t unmatched; /* returns without a call */
    uint64_t merged;    /* calls that have the context of their caller, as there were too many */
    bool follows_calls; /* set before the first word: contexts are wanted */
    bool failed;        /* memory ran out */
} bx_witness;

void bx_witness_begin(bx_witness *w);
void bx_witness_end(bx_witness *w);

/* The number of an instruction of a file; or in memory without one, of a process: its number, its
 * pid, and the address. */
uint32_t bx_witness_code_at(bx_witness *w, uint64_t device, uint64_t inode, uint64_t offset);
uint32_t bx_witness_memory_code_at(bx_witness *w, uint32_t process, uint32_t pid, uint64_t address);
/* The number of a context, from 1. */
uint32_t bx_witness_context(bx_witness *w, uint32_t parent, uint32_t code);
/* Names a file: "BUILD-ID PATH", as a trace has it (BX_TRACE_NAME). */
void bx_witness_name(bx_witness *w, uint64_t device, uint64_t inode, const char *text);
void bx_witness_add_thread(bx_witness *w, bx_witness_thread t);

#endif
