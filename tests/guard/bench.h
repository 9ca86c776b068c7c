/* Virtual PMUs whose registers a client writes, and what puts them back. */
#ifndef BX_TESTS_GUARD_BENCH_H
#define BX_TESTS_GUARD_BENCH_H

#include "../cmocked.h"

#include "guard/journal_undo.h"
#include "guard/write_filter.h"
#include "machine/machine.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    bx_machine *m;
    bx_allow allow;
    bx_register_policy policy;
    bx_undo_log log;
    bx_undo_op *ops;
    int *errnos;
    struct bx_bus *bus;
    uint64_t seed;
} bench;

static inline void opened(bench *b, const char *spec)
{
    bx_error e = {0};
    *b = (bench){.seed = 1};
    if (bx_machine_open(bx_catalog_builtin(), spec, &b->m, &e) != BX_OK)
        fail_msg("%s", e.message);
    b->bus = bx_vpmu_bus(bx_machine_vpmu(b->m));
    assert_true(bx_allow_new(&b->allow, &b->m->topology, b->bus));
    assert_true(bx_policy_new(&b->policy, &b->m->topology, &b->allow, b->bus));
    b->log.room = bx_undo_log_room(&b->policy);
    b->log.list = calloc(b->log.room, sizeof *b->log.list);
    b->ops = calloc(bx_undo_ops_room(b->log.room), sizeof *b->ops);
    b->errnos = calloc(bx_undo_ops_room(b->log.room), sizeof *b->errnos);
    assert_true(b->log.list && b->ops && b->errnos);
}

static inline void closed(bench *b)
{
    free(b->log.list);
    free(b->ops);
    free(b->errnos);
    bx_policy_free(&b->policy);
    bx_allow_free(&b->allow);
    bx_machine_close(b->m);
}

static inline uint64_t rnd(bench *b) /* xorshift */
{
    b->seed ^= b->seed << 13;
    b->seed ^= b->seed >> 7;
    b->seed ^= b->seed << 17;
    return b->seed;
}

static inline bx_address address(const bx_allowed *r)
{
    return (bx_address){r->space, r->width, 0, r->offset};
}

static inline uint64_t *contents(const bench *b)
{
    uint64_t *all = calloc(b->allow.n, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < b->allow.n; i++) {
        bx_address at = address(&b->allow.list[i]);
        assert_int_equal(b->bus->read(b->bus, &at, &all[i]), 0);
    }
    return all;
}

static inline int written(bench *b, const bx_address *at, uint64_t value)
{
    int err = bx_undo_prepare_write(&b->policy, &b->log, at, value);
    return err ? err : b->bus->write(b->bus, at, value);
}

static inline int msr(bench *b, uint32_t number, uint64_t value)
{
    const bx_address at = {BX_SPACE_MSR, 64, 0, number};
    return written(b, &at, value);
}

static inline uint64_t held(const bench *b, uint32_t number)
{
    const bx_address at = {BX_SPACE_MSR, 64, 0, number};
    uint64_t value = 0;
    assert_int_equal(b->bus->read(b->bus, &at, &value), 0);
    return value;
}

static inline void had(const bench *b, uint32_t number, uint64_t value)
{
    const bx_address at = {BX_SPACE_MSR, 64, 0, number};
    assert_int_equal(b->bus->write(b->bus, &at, value), 0);
}

static inline void put_back(bench *b)
{
    bx_undo_restore(&b->policy, &b->log, b->ops, b->errnos);
    for (size_t i = 0; i < b->log.n; i++)
        if (b->log.list[i].err)
            fail_msg("0x%llx was not put back", (unsigned long long)b->log.list[i].at.offset);
    assert_int_equal(b->log.n, 0);
}

/* Passes a limited number of accesses to the test's bus, as of a process that is killed after them.
 * Closing it does not close the test's bus. */
typedef struct lent {
    struct bx_bus bus;
    struct bx_bus *next;
    unsigned long most;
} lent;

static inline int lent_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    lent *l = (lent *)(void *)bus;
    return l->most && l->most-- ? l->next->read(l->next, at, value) : EIO;
}

static inline int lent_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    lent *l = (lent *)(void *)bus;
    return l->most && l->most-- ? l->next->write(l->next, at, value) : EIO;
}

static inline void lent_close(struct bx_bus *bus)
{
    (void)bus;
}

/* The work of boxscore restore after the helper was killed: it executes the journal's text through
 * the write filter. */
static inline size_t undo_part(bench *b, unsigned long most)
{
    uint16_t logical[64];
    bx_buf text = {0};
    bx_arena arena = {0};
    bx_error e = {0};
    const bx_cpus cpus = {
        .packages = 1, .cores = b->m->topology.cores, .logical = logical, .package = logical};
    bx_journal j = {.machine = "/", .boot = "-", .cpu = "x", .counts = "x"}, read;
    for (uint16_t i = 0; i < 64; i++)
        logical[i] = i;
    j.ops = bx_arena_get(&arena, (bx_undo_ops_room(b->log.n) + 1) * sizeof *j.ops);
    assert_non_null(j.ops);
    size_t n = bx_undo_ops(&b->policy, &b->log, b->ops);
    bx_undo_to_journal(&b->policy, b->ops, n, logical, 0, &arena, &j);
    bx_journal_format(&j, &text);
    assert_int_equal(bx_journal_parse((bx_str){text.p, text.n}, &arena, &read, &e), BX_OK);
    bx_putback *done = bx_arena_get(&arena, (read.n + 1) * sizeof *done);
    assert_non_null(done);
    lent bus = {{.read = lent_read, .write = lent_write, .close = lent_close}, b->bus, ULONG_MAX};
    struct bx_bus *filter = bx_write_filter_open(&bus.bus, &b->m->topology);
    assert_non_null(filter);
    bus.most = most;
    size_t not_restored;
    assert_true(bx_put_back(&read, filter, "/none", &cpus, done, &not_restored));
    filter->close(filter);
    bx_buf_free(&text);
    bx_arena_free(&arena);
    return not_restored;
}

static inline void undo(bench *b)
{
    assert_int_equal(undo_part(b, ULONG_MAX), 0);
    b->log.n = 0;
}

/* Restoring is killed at some access, and repeated. */
static inline void undo_twice(bench *b)
{
    undo_part(b, rnd(b) % 300);
    undo_part(b, rnd(b) % 300);
    undo(b);
}

#endif
