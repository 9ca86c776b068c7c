/* Machines whose register accesses go wrong, and what must hold of a measurement on them. */
#ifndef BX_TESTS_FAULTS_H
#define BX_TESTS_FAULTS_H

#include "access/allow.h"
#include "trial.h"

enum fault { FAULT_ERROR, FAULT_SLOW, FAULT_ONES, FAULT_RANDOM };

/* A bus in front of a virtual machine's. Accesses are numbered from 0; those from `from` to `to` go
 * wrong, and so do writes to `dead`. */
struct faulty {
    struct bx_bus bus, *inner;
    bx_machine *machine;
    enum fault kind;
    int why; /* the errno of FAULT_ERROR */
    size_t n, from, to;
    uint64_t dead, seed;
    bool hit; /* one went wrong */
};

/* The machine is reached by way of f, guard and reroute, as a host is. */
void faults_wrap(struct faulty *f, bx_machine *m);
void faults_unwrap(struct faulty *f);

/* ---- a whole measurement ---- */

enum { FAULT_READINGS = 1024, FAULT_LEFT = 512 };

struct run {
    int code; /* of the session's start, run or stop */
    bx_error error, trouble;
    bx_reading readings[FAULT_READINGS];
    size_t n;
    char left[FAULT_LEFT][128]; /* names of registers that could not be put back */
    size_t left_n;
};

void faults_measure(bx_machine *m, const bx_evsel *events, size_t n, struct run *r);

/* ---- all monitoring registers ---- */

struct contents {
    bx_allow allow;
    uint64_t *values; /* of [package x allow.n + register] */
    unsigned packages, cores;
};

void contents_read(struct contents *c, bx_machine *m);
void contents_free(struct contents *c);

/* Fills the counters with numbers that nobody else would write. */
void contents_set(bx_machine *m);

/* Every register is as it was, but for those that the run names; returns how many are not. */
size_t contents_compare(const struct contents *before, const struct contents *after,
                        const struct bx_catalog *c, const struct run *r);

#endif
