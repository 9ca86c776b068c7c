/* Machines whose register accesses fail or return wrong data, and checks of a measurement on
 * them. */
#ifndef BX_TESTS_SESSION_FAULTS_H
#define BX_TESTS_SESSION_FAULTS_H

#include "guard/allow_list.h"
#include "trial.h"

enum fault {
    FAULT_ERROR,  /* the access fails with an errno and has no effect */
    FAULT_LOST,   /* write: it succeeds, but has no effect */
    FAULT_SLOW,   /* the access takes three million cycles */
    FAULT_ONES,   /* read: all ones … */
    FAULT_ZERO,   /* … 0 … */
    FAULT_RANDOM, /* … anything … */
    FAULT_FLIP,   /* … one bit is wrong … */
    FAULT_WIDE,   /* … a bit above the counters' width is set … */
    FAULT_OLD,    /* … the value of the last read … */
    FAULT_BACK,   /* … a little less than the value, or … */
    FAULT_JUMP,   /* … more than the value */
};

enum { FAULT_ACCESSES = 1 << 14, FAULT_OLD_ONES = 1024 };

/* A bus in front of a virtual machine's. Accesses are numbered from 0, and those from `from` to
 * `to` fail. Writes to `dead` fail after `good` successes, and reads of it fail if `mute`. If
 * `sticks`, all further accesses to the address of the first failure fail as well. */
struct faulty {
    struct bx_bus bus, *inner;
    bx_machine *machine;
    enum fault kind;
    int err; /* the errno of FAULT_ERROR */
    size_t n, from, to;
    uint64_t dead, seed;
    unsigned good;           /* writes to `dead` that succeed */
    bool sticks, mute, many; /* many: reads of many at once are possible */
    bool hit;                /* whether an access failed */
    bx_address first;        /* of the first that failed */
    bool *writes;            /* NULL, or of [FAULT_ACCESSES]: records which accesses are writes */
    struct {
        bx_address at;
        uint64_t value;
    } old[FAULT_OLD_ONES]; /* the last values read */
    size_t old_n;
};

/* The machine is accessed through f, write filter and reroute, as a host is. */
void faults_wrap(struct faulty *f, bx_machine *m);
void faults_unwrap(struct faulty *f);

/* ---- a whole measurement ---- */

enum { FAULT_READINGS = 2048, FAULT_NOT_RESTORED = 1024 };

/* A measurement's settings. */
struct course {
    const char *machine, *events; /* NULL: those that the CPU's file names */
    uint64_t rotate, every;       /* every: cycles between samples; 0: no samples */
    uint64_t interval;            /* counts to an overflow */
    unsigned runs;                /* number of sessions, one after the other */
    bool foreign;                 /* registers have other software's set-up, with enables clear */
};

size_t course_events(const struct course *c, bx_machine *m, bx_evsel *events);

struct run {
    int code; /* of the session's start, run or stop */
    bx_error error, trouble;
    bx_reading readings[FAULT_READINGS];
    size_t n;
    char not_restored[FAULT_NOT_RESTORED][128]; /* names of registers that were not restored */
    size_t not_restored_n;
    size_t ended; /* accesses when the first session was closed */
};

void faults_measure(struct faulty *f, const struct course *c, const bx_evsel *events, size_t n,
                    struct run *r);

/* ---- all monitoring registers ---- */

struct contents {
    bx_allow allow;
    bx_topology topology;
    uint64_t *values; /* of [package x allow.n + register] */
    unsigned packages, cores;
};

void contents_read(struct contents *c, bx_machine *m);
void contents_free(struct contents *c);

/* Fills the counters with numbers that no other test writes. foreign: other software has set up
 * everything, and stopped it by an enable of several counters. */
void contents_set(bx_machine *m, bool foreign);

/* The register at an address, if any, is treated as equal in both. */
void contents_exempt(struct contents *to, const struct contents *from, const bx_address *at);

/* Checks that every register is unchanged, except those that the run names; returns the number of
 * those. */
size_t contents_compare(const struct contents *before, const struct contents *after,
                        const struct bx_catalog *c, const struct run *r, const char *during);

#endif
