/* Runs a program under our tracer, and collects everything that it and its processes write. */
#ifndef RECORDS_H
#define RECORDS_H

#include "machine/program/decode/decoder.h"
#include "tracer/trace_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { RECORDED_MOST = 128 };

/* A control record, other than THREAD, SKIP and BLOCK. */
typedef struct record {
    unsigned kind;
    uint32_t value, thread;
    uint64_t word[8];  /* as many as the record has; a text is … */
    char text[256];    /* … here, cut to this */
    size_t blocks;     /* blocks executed before it in this process */
    size_t since_turn; /* blocks since the thread began to run */
} record;

/* From a hello to the end of the ring. */
typedef struct recorded {
    pid_t pid;
    bx_trace_message hello;
    record *record; /* [n] */
    size_t n;
    size_t *turn; /* [turns]: blocks between THREAD records */
    size_t turns;
    bx_trace_counts counts;
} recorded;

typedef struct recording {
    recorded process[RECORDED_MOST]; /* in the order of their hellos */
    size_t n;
    int status; /* as in a shell */
} recording;

/* Runs the program until all its processes have ended. */
recording *record_program(char *const argv[]);

/* The same; this thread of each process must have no turns. */
recording *record_program_but(char *const argv[], uint32_t pass_over);
void recording_free(recording *r);

/* The next record of this kind from *i on, or NULL. *i is moved after it. */
const record *next_record(const recorded *p, unsigned kind, size_t *i);

/* The first record of this kind with this value; fails the test if there is none. */
const record *find_record(const recorded *p, unsigned kind, uint32_t value);

/* Starts a program, accepts `hellos` of its processes, and then ends like a killed reader. Gets
 * their process numbers. */
void abandon_program(char *const argv[], size_t hellos, pid_t pid[]);

/* Runs the program, but stops tracing it at its start. Returns its status. */
int let_program_go(char *const argv[]);

#endif
