/* What a recording has to know of the programs that a machine traces: their binaries, the
 * instructions that make accesses, their threads. One thread adds, another one reads. */
#ifndef BX_MACHINE_PROGRAM_DECODE_WITNESS_H
#define BX_MACHINE_PROGRAM_DECODE_WITNESS_H

#include "attribute/who.h"
#include "base/slots.h"
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
    struct bx_elf_file *elf;         /* its variables, if they were asked for; NULL: none */
} bx_witness_binary;

/* An instruction. */
typedef struct bx_witness_code {
    uint32_t binary;
    uint64_t offset; /* in the file; without a file: its address */
} bx_witness_code;

typedef struct bx_witness_thread {
    uint32_t number; /* bx_task.number */
    uint32_t process, thread;
    uint32_t program; /* the binary that its process executes; 0: not told */
} bx_witness_thread;

/* A calling context: a call in another context. */
typedef struct bx_witness_context_of {
    uint32_t parent, code; /* parent 0: the root */
} bx_witness_context_of;

enum bx_object_kind {
    BX_OBJECT_IS_NONE,
    BX_OBJECT_IS_CODE,
    BX_OBJECT_IS_ANONYMOUS,
    BX_OBJECT_IS_STACK,
    BX_OBJECT_IS_FILE,
    BX_OBJECT_IS_GLOBAL,
    BX_OBJECT_IS_HEAP,
};

/* Numbers of objects. Those of programs have numbers from BX_OBJECT_FIRST on. */
enum bx_object_number {
    BX_OBJECT_NONE = 1, /* what is no data */
    BX_OBJECT_CODE,
    BX_OBJECT_ANONYMOUS,
    BX_OBJECT_STACK,
    BX_OBJECT_FIRST,
};

/* A variable, a mapped file, or what one context has allocated. */
typedef struct bx_witness_object {
    enum bx_object_kind kind;
    uint32_t of;      /* a binary, or the context */
    uint64_t address; /* of a variable, as in the ELF file */
    const char *name; /* of a variable; it stays */
    uint64_t bytes;   /* of a variable; of allocations, the most that were alive at once */
    uint64_t alive, allocations;
    uint64_t used; /* loads and stores when it was written */
    bool changed;  /* since it was written */
} bx_witness_object;

typedef struct bx_witness {
    pthread_mutex_t lock;
    bx_witness_binary *binary; /* [binaries], in room for binaries_room */
    size_t binaries, binaries_room;
    bx_witness_code *code; /* [codes]: those with numbers from BX_CODE_FIRST on */
    size_t codes, codes_room;
    bx_slots code_slots;
    bx_witness_thread *thread; /* [threads] */
    size_t threads, threads_room;
    bx_witness_context_of *context; /* [contexts], numbered from 1 */
    size_t contexts, contexts_room;
    bx_slots context_slots;
    bx_witness_object *object; /* [objects]: those from BX_OBJECT_FIRST on */
    size_t objects, objects_room;
    bx_slots object_slots;
    bool any_allocation;
    const char *const *allocators; /* set before the first word: options of the tracer for those
                                      that it follows; NULL: objects are not wanted */
    uint64_t unmatched;            /* returns without a call */
    uint64_t merged;      /* calls that have the context of their caller, as there were too many */
    bool follows_calls;   /* set before the first word: contexts are wanted, … */
    bool contexts_wanted; /* … not only of allocations */
    bool failed;          /* memory ran out */
} bx_witness;

void bx_witness_begin(bx_witness *w);
void bx_witness_end(bx_witness *w);

/* The number of an instruction of a file; or in memory without one, of a process: its number, its
 * pid, and the address. */
uint32_t bx_witness_code_at(bx_witness *w, uint64_t device, uint64_t inode, uint64_t offset);
uint32_t bx_witness_memory_code_at(bx_witness *w, uint32_t process, uint32_t pid, uint64_t address);
/* The number of a context, from 1. */
uint32_t bx_witness_context(bx_witness *w, uint32_t parent, uint32_t code);
/* ---- witness_objects.c ---- */

/* An allocation in a context; returns its object. Then: that it is given back. */
uint32_t bx_witness_allocate(bx_witness *w, uint32_t context, uint64_t bytes);
void bx_witness_release(bx_witness *w, uint32_t object, uint64_t bytes);
/* A mapped file. */
uint32_t bx_witness_file(bx_witness *w, uint64_t device, uint64_t inode);
bool bx_witness_is_file(bx_witness *w, uint32_t binary, uint64_t device, uint64_t inode);
/* The number of the binary whose first byte is at that address; its variables are at those of the
 * ELF file plus *bias, *bytes from there. 0: it cannot be read. */
uint32_t bx_witness_image(bx_witness *w, uint64_t device, uint64_t inode, uint64_t address,
                          uint64_t *bias, uint64_t *bytes);
/* The variable of a binary at an address as in the ELF file; 0: none. So it is from `from` up to
 * `to`. */
uint32_t bx_witness_variable(bx_witness *w, uint32_t binary, uint64_t address, uint64_t *from,
                             uint64_t *to);

/* The number of a file, from 1; the witness is locked. 0: out of memory. */
uint32_t bx_witness_binary_of(bx_witness *w, bool memory, uint64_t device, uint64_t inode);

/* Names a file: "BUILD-ID PATH", as a trace has it (BX_TRACE_NAME). Its number; 0: it has none. */
uint32_t bx_witness_name(bx_witness *w, uint64_t device, uint64_t inode, const char *text);
void bx_witness_add_thread(bx_witness *w, bx_witness_thread t);
/* The threads of a process whose program is not known yet execute this one. */
void bx_witness_set_program(bx_witness *w, uint32_t process, uint32_t program);

#endif
