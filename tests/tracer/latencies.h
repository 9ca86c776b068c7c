/* The latencies that the tracer gives operations of Valgrind's IR. */
#ifndef BX_TESTS_TRACER_LATENCIES_H
#define BX_TESTS_TRACER_LATENCIES_H

typedef struct latencies_row {
    const char *operation;
    unsigned is;     /* the tracer's */
    unsigned cycles; /* the source's */
} latencies_row;

/* Row i of the table. 0: there is none. */
int latencies_of(unsigned i, latencies_row *row);

#endif
