/* The environment of a program that our tracer traces. It is the same on each host
 * (docs/explanation/model-repeatable.md, "The same each time"). */
#ifndef BX_MACHINE_PROGRAM_PROCESS_SURROUNDINGS_H
#define BX_MACHINE_PROGRAM_PROCESS_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum { BX_CPUID_TEXT = 1024, BX_CPUS_SHOWN = 64 };

typedef struct bx_surroundings {
    /* highest CPU features: "sse2", "sse4.2", "avx", "avx2"; NULL: the host's */
    const char *features;
    char cpuid[BX_CPUID_TEXT]; /* leaves for the tracer's option --cpuid=; empty: Valgrind's */
    unsigned cpus;             /* 0: as many as the host has */
    unsigned nodes;            /* memory nodes; 0: those of the host */
    char cpu_nodes[BX_CPUS_SHOWN + 1]; /* the node of each CPU, as a digit; empty: 0 of all */
    unsigned turn;                     /* blocks that a thread executes in one turn; 0: 1,000 */
    unsigned long files;               /* its soft limit of open files; 0: ours */
    /* the tracer's options for the allocators that it follows; NULL: none */
    const char *const *allocators;
    /* [functions_n] names of regions: those of functions, "func:solve", are the tracer's */
    const char *const *functions;
    size_t functions_n;
} bx_surroundings;

/* The function whose calls are a region of this name: "solve" of "func:solve". NULL: the program
 * marks the region. */
const char *bx_region_function(const char *region);

/* Whether this host's CPU also has those features. */
bool bx_host_has_features(const bx_surroundings *shown);

/* The environment variable that moves the program's stack to its place (tracer/environment.h). The
 * caller frees it. NULL: no memory. */
char *bx_stack_padding(char *const argv[], char *const environment[]);

#endif
