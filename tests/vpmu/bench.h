/* A scripted machine under test: virtual PMUs whose signals come from a script. */
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

/* Opens a machine with a script without sources. */
void bench_open_silent(struct bench *b, const char *spec);
/* The caller has called script_init() and added sources. */
void bench_open(struct bench *b, const char *spec);
void bench_open_on(struct bench *b, const struct bx_catalog *c, const char *spec);
void bench_close(struct bench *b);
int bench_tear_down(void **state); /* for a test whose state is a bench */

/* Return 0, or the errno. */
int rd(struct bench *b, unsigned cpu, uint64_t msr, uint64_t *value);
int wr(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value);

/* Access a register on CPU 0; fail the test on an error. */
uint64_t get(struct bench *b, uint64_t msr);
void set(struct bench *b, uint64_t msr, uint64_t value);

uint64_t get_pci(struct bench *b, uint64_t address, unsigned bits);
uint64_t get_mem(struct bench *b, uint64_t address, unsigned bits);

/* The same on a CPU. */
uint64_t get_on(struct bench *b, unsigned cpu, uint64_t msr);
void set_on(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value);

/* Checks each bit of a register of CPU 0 alone. taken: bits that can be written as 1; others fault.
 * held: bits of these that read back. always: bits that read as 1 whatever is written. The register
 * is 0 afterwards. */
void check_bits(struct bench *b, uint64_t msr, uint64_t taken, uint64_t held, uint64_t always);

/* Raises a signal with all its fields. */
void raise_what(struct bench *b, const bx_selection *what, uint32_t level, uint64_t cycles);

/* Raises a signal for `cycles`, and lets them pass. */
void raise_signal(struct bench *b, unsigned box, unsigned unit, unsigned code, unsigned umask,
                  uint32_t level, uint64_t cycles);

#endif
