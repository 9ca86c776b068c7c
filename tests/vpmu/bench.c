/* Implements bench.h. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

#include <errno.h>

static void pmi(void *context, unsigned cpu)
{
    struct bench *b = context;
    assert_true(b->pmis < BENCH_PMIS);
    b->pmi[b->pmis].time = b->script.now;
    b->pmi[b->pmis++].cpu = cpu;
}

void bench_open_on(struct bench *b, const struct bx_catalog *c, const char *spec)
{
    bx_error e = {0};
    assert_int_equal(bx_topology_parse(c, bx_str_of(spec), &b->topology, &e), BX_OK);
    b->v = bx_vpmu_new(&b->topology, &b->script.signals, &e);
    assert_non_null(b->v);
    b->bus = bx_vpmu_bus(b->v);
    b->pmis = 0;
    bx_vpmu_on_pmi(b->v, pmi, b);
}

void bench_open(struct bench *b, const char *spec)
{
    bench_open_on(b, bx_catalog_builtin(), spec);
}

void bench_open_silent(struct bench *b, const char *spec)
{
    script_init(&b->script);
    bench_open(b, spec);
}

void bench_close(struct bench *b)
{
    bx_vpmu_free(b->v);
}

int bench_tear_down(void **state)
{
    bench_close(*state);
    return 0;
}

int rd(struct bench *b, unsigned cpu, uint64_t msr, uint64_t *value)
{
    bx_address at = {.space = 0, .width = 64, .cpu = (uint16_t)cpu, .offset = msr};
    return b->bus->read(b->bus, &at, value);
}

int wr(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value)
{
    bx_address at = {.space = 0, .width = 64, .cpu = (uint16_t)cpu, .offset = msr};
    return b->bus->write(b->bus, &at, value);
}

uint64_t get_on(struct bench *b, unsigned cpu, uint64_t msr)
{
    uint64_t value = 0;
    assert_int_equal(rd(b, cpu, msr, &value), 0);
    return value;
}

void set_on(struct bench *b, unsigned cpu, uint64_t msr, uint64_t value)
{
    assert_int_equal(wr(b, cpu, msr, value), 0);
}

uint64_t get(struct bench *b, uint64_t msr)
{
    return get_on(b, 0, msr);
}

void set(struct bench *b, uint64_t msr, uint64_t value)
{
    set_on(b, 0, msr, value);
}

static uint64_t get_wide(struct bench *b, uint8_t space, uint64_t address, unsigned bits)
{
    bx_address at = {.space = space, .width = (uint8_t)bits, .offset = address};
    uint64_t value = 0;
    assert_int_equal(b->bus->read(b->bus, &at, &value), 0);
    return value;
}

uint64_t get_pci(struct bench *b, uint64_t address, unsigned bits)
{
    return get_wide(b, 1, address, bits);
}

uint64_t get_mem(struct bench *b, uint64_t address, unsigned bits)
{
    return get_wide(b, 2, address, bits);
}

void check_bits(struct bench *b, uint64_t msr, uint64_t taken, uint64_t held, uint64_t always)
{
    assert_int_equal(get(b, msr), always);
    for (unsigned bit = 0; bit < 64; bit++) {
        bool ok = taken & BIT(bit);
        assert_int_equal(wr(b, 0, msr, BIT(bit)), ok ? 0 : EIO);
        assert_int_equal(get(b, msr), (ok ? BIT(bit) & held : 0) | always);
        if (ok)
            set(b, msr, 0);
    }
}

void raise_what(struct bench *b, const bx_selection *what, uint32_t level, uint64_t cycles)
{
    bx_error e = {0};
    assert_int_equal(bx_vpmu_inject(b->v, what, level, cycles, &e), BX_OK);
    script_pass(&b->script, cycles);
}

void raise_signal(struct bench *b, unsigned box, unsigned unit, unsigned code, unsigned umask,
                  uint32_t level, uint64_t cycles)
{
    bx_selection what = {
        .box = (uint16_t)box, .unit = (uint16_t)unit, .code = (uint16_t)code, .umask = umask};
    raise_what(b, &what, level, cycles);
}
