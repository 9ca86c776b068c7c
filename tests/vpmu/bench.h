/* A scripted machine under test: virtual PMUs that see a script. */
#ifndef BX_TESTS_VPMU_BENCH_H
#define BX_TESTS_VPMU_BENCH_H

#include "script.h"
#include "vpmu/vpmu.h"

enum { BENCH_PMIS = 4096 };

struct bench {
    struct script script;
    bx_topology topology;
    bx_vpmu *v;
    struct bx_bus *bus;
    struct {
        uint64_t time;
        unsigned cpu;
    } pmi[BENCH_PMIS];
    unsigned pmis;
};

/* A script without sources. */
void bench_open_silent(struct bench *b, const char *spec);
/* script_init has been done, and sources added. */
void bench_open(struct bench *b, const char *spec);
void bench_open_on(struct bench *b, const struct bx_catalog *c, const char *spec);
void bench_close(struct bench *b);
int bench_tear_down(void **state); /* of a test whose state is a bench */

/* 0, or the errno. */
int rd(struct bench *b, unsigned cpu, uint64_t msr, uint64_t *value);
int wr(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value);

/* These must succeed; CPU 0. */
uint64_t get(struct bench *b, uint64_t msr);
void set(struct bench *b, uint64_t msr, uint64_t value);

uint64_t get_pci(struct bench *b, uint64_t address, unsigned bits);
uint64_t get_mem(struct bench *b, uint64_t address, unsigned bits);

/* The same on a CPU. */
uint64_t get_on(struct bench *b, unsigned cpu, uint64_t msr);
void set_on(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value);

/* A register of CPU 0, each bit alone: those that can be written as 1 (others fault), which of them
 * read back, and what reads as 1 whatever is written. It is left at 0. */
void check_bits(struct bench *b, uint64_t msr, uint64_t taken, uint64_t held, uint64_t always);

/* A signal with all that distinguishes it. */
void raise_what(struct bench *b, const bx_selection *what, uint32_t level, uint64_t cycles);

/* A signal raised for `cycles`, which then have passed. */
void raise_signal(struct bench *b, unsigned box, unsigned unit, unsigned code, unsigned umask,
                  uint32_t level, uint64_t cycles);

#endif
