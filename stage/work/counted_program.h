/* A program that a program on stage starts with events of its own (perf stat -- PROGRAM), counted
 * as `boxscore stat` counts it: under the tracer, on a new machine of the same kind. So its counts
 * do not depend on what the machine on stage has done before. It runs outside the stage's mount
 * namespace (launcher.h). */
#ifndef BX_STAGE_WORK_COUNTED_PROGRAM_H
#define BX_STAGE_WORK_COUNTED_PROGRAM_H

#include "stage/work/launcher.h"

#include <stdbool.h>

/* Numbers of texts that describe a program. */
typedef struct bx_program_words {
    uint32_t events, words, variables; /* words of argv, and variables of the environment */
} bx_program_words;

typedef struct bx_program_count {
    uint64_t value;
    bool counted; /* false: no model counts the event, or the program was not run */
} bx_program_count;

typedef struct bx_program_end {
    int err;     /* of its exec; 0: it ran */
    int status;  /* as a shell reports it */
    int signal;  /* that killed it, or 0 */
    uint64_t ns; /* of the machine's time */
    uint32_t n;  /* events */
} bx_program_end;

enum { BX_PROGRAM_EVENTS = 1024 }; /* most events of a program */

/* ---- outside: program_counter.c ---- */

typedef struct bx_program_machine {
    const bx_catalog *catalog;
    const char *spec;
} bx_program_machine;

/* The start of a launcher whose context is a bx_program_machine. Its descriptors:
 * - standard input, output and error of the program;
 * - a socket, for the number of the process that signals go to. At the end it has a bx_program_end
 *   with the bx_program_count of each event;
 * - a file with bx_program_words and texts, each ended by a 0: all events as for
 *   bx_machine_events_parse(), the working directory, argv, the environment. */
void bx_program_counter(void *context, pid_t stage, const int *fds, size_t n);

/* ---- on stage: counted_program.c ---- */

typedef struct bx_counted_program bx_counted_program;

/* texts: the same without the events, n bytes. streams: its standard input, output and error. 0 or
 * an errno. */
int bx_counted_program_new(const bx_launcher *l, const int streams[3], const char *events,
                           bx_program_words words, const char *texts, size_t n,
                           bx_counted_program **p);
void bx_counted_program_free(bx_counted_program *p); /* kills it if it still runs; NULL is fine */

/* Does not wait. NULL: it still runs. counts: [n] of its end. */
const bx_program_end *bx_counted_program_end(bx_counted_program *p,
                                             const bx_program_count **counts);

void bx_counted_program_signal(const bx_counted_program *p, int number);

#endif
