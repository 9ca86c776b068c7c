#include "cmocked.h"

#include "faults.h"

#include "access/guard.h"
#include "access/reroute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- accesses that go wrong ---- */

static uint64_t random_of(struct faulty *f)
{
    f->seed = f->seed * 6364136223846793005 + 1442695040888963407;
    uint64_t high = f->seed >> 32;
    f->seed = f->seed * 6364136223846793005 + 1442695040888963407;
    return high << 32 | f->seed >> 32;
}

static bool goes_wrong(struct faulty *f)
{
    size_t i = f->n++;
    bool wrong = i >= f->from && i <= f->to;
    f->hit |= wrong;
    if (wrong && f->kind == FAULT_SLOW)
        bx_machine_idle(f->machine, 3000000);
    return wrong && f->kind != FAULT_SLOW;
}

static int faulty_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    struct faulty *f = (struct faulty *)bus;
    if (!goes_wrong(f))
        return f->inner->read(f->inner, at, value);
    uint64_t mask =
        at->space == BX_SPACE_MSR || at->width == 64 ? UINT64_MAX : (UINT64_C(1) << at->width) - 1;
    if (f->kind == FAULT_ERROR)
        return f->why;
    *value = (f->kind == FAULT_ONES ? UINT64_MAX : random_of(f)) & mask;
    return 0;
}

/* What a device that is gone is told, it does not hear. */
static int faulty_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    struct faulty *f = (struct faulty *)bus;
    bool wrong = goes_wrong(f) && f->kind == FAULT_ERROR;
    bool dead = f->dead && at->offset == f->dead;
    return wrong || dead ? (f->why ? f->why : EIO) : f->inner->write(f->inner, at, value);
}

static size_t faulty_read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                               int *err)
{
    size_t i = 0;
    while (i < n && (*err = faulty_read(bus, &at[i], &values[i])) == 0)
        i++;
    return i;
}

/* The links end with the machine's own bus, which its machine frees. */
static void keep_open(struct bx_bus *bus)
{
    (void)bus;
}

void faults_wrap(struct faulty *f, bx_machine *m)
{
    f->machine = m;
    f->inner = m->bus;
    f->n = 0;
    f->bus = (struct bx_bus){.read = faulty_read, .write = faulty_write, .close = keep_open};
    if (f->seed % 2)
        f->bus.read_many = faulty_read_many;
    size_t from = f->from;
    f->from = SIZE_MAX; /* while the links are made */
    m->bus = bx_guard_open(bx_reroute_open(&f->bus, &m->topology), &m->topology);
    assert_non_null(m->bus);
    f->from = from;
    f->n = 0;
}

void faults_unwrap(struct faulty *f)
{
    f->machine->bus->close(f->machine->bus);
    f->machine->bus = f->inner;
}

/* ---- a whole measurement ---- */

void faults_measure(bx_machine *m, const bx_evsel *events, size_t n, struct run *r)
{
    bx_session *s;
    bool done = false;
    size_t readings;
    *r = (struct run){0};
    assert_int_equal(bx_machine_load_workload(m, "stream,size=16K", NULL), BX_OK);
    bx_session_options o = {.size = sizeof o, .rotate = 4000};
    assert_int_equal(bx_session_open(m, events, n, &o, &s, &r->error), BX_OK);
    r->code = bx_session_start(s, &r->error);
    while (r->code == BX_OK && !done)
        r->code = bx_session_run(s, UINT64_MAX, &done, &r->error);
    if (r->code == BX_OK)
        r->code = bx_session_stop(s, &r->error);
    const bx_reading *all = bx_session_readings(s, &readings);
    assert_true(readings <= FAULT_READINGS);
    memcpy(r->readings, all, readings * sizeof *all);
    r->n = readings;
    if (bx_session_trouble(s))
        r->trouble = *bx_session_trouble(s);
    for (const char *left; (left = bx_session_left(s, r->left_n)); r->left_n++) {
        assert_true(r->left_n < FAULT_LEFT);
        snprintf(r->left[r->left_n], sizeof r->left[0], "%.127s", left);
    }
    bx_session_close(s);
}

/* ---- all monitoring registers ---- */

static bx_address address_of(const struct contents *c, unsigned package, size_t i)
{
    const bx_allowed *r = &c->allow.list[i];
    return (bx_address){.space = r->space,
                        .width = r->width,
                        .cpu = (uint16_t)(package * c->cores),
                        .offset = r->offset};
}

void contents_read(struct contents *c, bx_machine *m)
{
    *c = (struct contents){.packages = m->topology.packages, .cores = m->topology.cores};
    assert_true(bx_allow_new(&c->allow, &m->topology, m->bus));
    c->values = calloc(c->allow.n * c->packages + 1, sizeof *c->values);
    assert_non_null(c->values);
    for (unsigned package = 0; package < c->packages; package++) {
        for (size_t i = 0; i < c->allow.n; i++) {
            bx_address at = address_of(c, package, i);
            if (c->allow.list[i].write)
                m->bus->read(m->bus, &at, &c->values[package * c->allow.n + i]);
        }
    }
}

void contents_free(struct contents *c)
{
    bx_allow_free(&c->allow);
    free(c->values);
}

static bool is_counter(const bx_topology *t, uint16_t reg)
{
    const struct bx_catalog *c = t->catalog;
    for (unsigned i = 0; i < c->counters.n; i++)
        if (bx_cat_counters(c)[i].value == reg && !(bx_cat_counters(c)[i].flags & BX_COUNTER_FREE))
            return true;
    return false;
}

void contents_set(bx_machine *m)
{
    struct contents c;
    contents_read(&c, m);
    for (unsigned package = 0; package < c.packages; package++) {
        for (size_t i = 0; i < c.allow.n; i++) {
            bx_address at = address_of(&c, package, i);
            if (c.allow.list[i].write && is_counter(&m->topology, c.allow.list[i].reg))
                assert_int_equal(m->bus->write(m->bus, &at, 0x7100000 + 17 * i + package), 0);
        }
    }
    contents_free(&c);
}

static bool is_named(const struct bx_catalog *c, const bx_allowed *reg, unsigned package,
                     unsigned packages, const struct run *r)
{
    char name[64], of[32];
    bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[reg->reg].name), reg->unit, 0);
    snprintf(of, sizeof of, " of package %u", package);
    for (size_t i = 0; i < r->left_n; i++)
        if (strncmp(r->left[i], name, strlen(name)) == 0 && r->left[i][strlen(name)] == ' ' &&
            (packages == 1 || strstr(r->left[i], of)))
            return true;
    return false;
}

size_t contents_compare(const struct contents *before, const struct contents *after,
                        const struct bx_catalog *c, const struct run *r)
{
    size_t differ = 0;
    for (unsigned package = 0; package < before->packages; package++) {
        for (size_t i = 0; i < before->allow.n; i++) {
            const bx_allowed *reg = &before->allow.list[i];
            size_t at = package * before->allow.n + i;
            uint64_t keeps = reg->write & ~reg->acts;
            if (!((before->values[at] ^ after->values[at]) & keeps))
                continue;
            differ++;
            if (!is_named(c, reg, package, before->packages, r))
                fail_msg("%s unit %u of package %u: 0x%llx was 0x%llx",
                         bx_cat_z(c, bx_cat_regs(c)[reg->reg].name), reg->unit, package,
                         (unsigned long long)after->values[at],
                         (unsigned long long)before->values[at]);
        }
    }
    return differ;
}
