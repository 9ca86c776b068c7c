/* Implements faults.h. */
#include "../cmocked.h"

#include "faults.h"

#include "guard/write_filter.h"
#include "host/bus/reroute.h"
#include "register/register.h"

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

static bool is_same(const bx_address *a, const bx_address *b)
{
    return a->offset == b->offset && a->cpu == b->cpu && a->space == b->space;
}

static bool goes_wrong(struct faulty *f, const bx_address *at, bool write)
{
    size_t i = f->n++;
    bool wrong = i >= f->from && i <= f->to;
    if (f->writes && i < FAULT_ACCESSES)
        f->writes[i] = write;
    wrong |= f->hit && f->sticks && is_same(at, &f->first);
    if (wrong && !f->hit)
        f->first = *at;
    f->hit |= wrong;
    if (wrong && f->kind == FAULT_SLOW)
        bx_machine_idle(f->machine, 3000000);
    return wrong && f->kind != FAULT_SLOW;
}

/* Returns the last value read there and stores `value`. */
static uint64_t exchange_old(struct faulty *f, const bx_address *at, uint64_t value)
{
    size_t i = 0;
    while (i < f->old_n && !is_same(&f->old[i].at, at))
        i++;
    if (i == f->old_n && i < FAULT_OLD_ONES) {
        f->old_n++;
        f->old[i].at = *at;
        f->old[i].value = 0;
    }
    if (i == f->old_n)
        return 0;
    uint64_t old = f->old[i].value;
    f->old[i].value = value;
    return old;
}

static uint64_t spoilt(struct faulty *f, uint64_t value, uint64_t old, uint64_t mask)
{
    uint64_t bit = UINT64_C(1) << (random_of(f) % 64);
    while (!(bit & mask))
        bit = UINT64_C(1) << (random_of(f) % 64);
    switch (f->kind) {
    case FAULT_ONES:
        return mask;
    case FAULT_ZERO:
        return 0;
    case FAULT_RANDOM:
        return random_of(f) & mask;
    case FAULT_FLIP:
        return value ^ bit;
    case FAULT_WIDE: /* in 32 bits all may be fields */
        return value | (mask == UINT32_MAX ? mask + 1 : mask ^ mask >> 1);
    case FAULT_OLD:
        return old;
    case FAULT_BACK:
        return (value - 1 - random_of(f) % 1000) & mask;
    case FAULT_JUMP:
        return (value + 1 + (random_of(f) & 0xfffff)) & mask;
    default:
        return value;
    }
}

static int faulty_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    struct faulty *f = (struct faulty *)bus;
    bool wrong = goes_wrong(f, at, false);
    bool gone = f->mute && at->offset == f->dead;
    if (gone || (wrong && f->kind == FAULT_ERROR))
        return f->err;
    int err = f->inner->read(f->inner, at, value);
    if (err)
        return err;
    uint64_t mask =
        at->space == BX_SPACE_MSR || at->width == 64 ? UINT64_MAX : (UINT64_C(1) << at->width) - 1;
    uint64_t old = exchange_old(f, at, *value);
    if (wrong)
        *value = spoilt(f, *value, old, mask);
    return 0;
}

/* A missing device does not receive the write. */
static int faulty_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    struct faulty *f = (struct faulty *)bus;
    bool wrong = goes_wrong(f, at, true);
    if (f->dead && at->offset == f->dead && (!f->good || !f->good--))
        return f->err;
    if (wrong && f->kind == FAULT_ERROR)
        return f->err;
    return wrong && f->kind == FAULT_LOST ? 0 : f->inner->write(f->inner, at, value);
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
    f->bus = (struct bx_bus){.read = faulty_read, .write = faulty_write, .close = keep_open};
    if (f->many)
        f->bus.read_many = faulty_read_many;
    size_t from = f->from;
    bool *writes = f->writes;
    f->from = SIZE_MAX; /* while the links are made */
    f->writes = NULL;
    m->bus = bx_write_filter_open(bx_reroute_open(&f->bus, &m->topology, NULL, NULL), &m->topology);
    assert_non_null(m->bus);
    f->from = from;
    f->writes = writes;
    f->n = 0;
}

void faults_unwrap(struct faulty *f)
{
    f->machine->bus->close(f->machine->bus);
    f->machine->bus = f->inner;
}

/* ---- a whole measurement ---- */

size_t course_events(const struct course *c, bx_machine *m, bx_evsel *events)
{
    const bx_catalog *catalog = bx_catalog_builtin();
    char list[4096] = "";
    bx_span picks = bx_cat_cpus(catalog)[bx_machine_cpu(m)].defaults;
    bx_error e = {0};
    size_t n;
    for (unsigned k = 0; !c->events && k < picks.n; k++) {
        strcat(list, k ? "," : "");
        strcat(list, bx_cat_z(catalog, bx_cat_picks(catalog)[picks.first + k].event));
    }
    const char *text = c->events ? c->events : list;
    if (bx_events_parse(catalog, bx_machine_cpu(m), text, events, TRIAL_EVENTS, &n, &e) != BX_OK)
        fail_msg("%s: %s", text, e.message);
    return n;
}

static void keep_left(const bx_session *s, struct run *r)
{
    const char *not_restored;
    for (size_t i = 0; (not_restored = bx_session_left(s, i)); i++) {
        assert_true(r->not_restored_n < FAULT_NOT_RESTORED);
        snprintf(r->not_restored[r->not_restored_n++], sizeof r->not_restored[0], "%.127s",
                 not_restored);
    }
}

static void measure_once(bx_machine *m, const struct course *c, const bx_evsel *events, size_t n,
                         struct run *r)
{
    bx_session *s;
    bx_error e = {0};
    bool done = false;
    size_t readings;
    assert_int_equal(bx_machine_load_workload(m, "stream,size=8K", NULL), BX_OK);
    bx_session_options o = {.size = sizeof o, .rotate = c->rotate, .interval = c->interval};
    if (bx_session_open(m, events, n, &o, &s, &e) != BX_OK)
        fail_msg("%s", e.message);
    int code = bx_session_start(s, &e);
    while (code == BX_OK && !done) {
        uint64_t until = c->every ? bx_machine_now(m) + c->every : UINT64_MAX;
        code = bx_session_run(s, until, &done, &e);
        if (code == BX_OK && c->every)
            code = bx_session_sample(s, &e);
    }
    if (code == BX_OK)
        code = bx_session_stop(s, &e);
    while (!done) /* the next session finds the caches as this one would leave them */
        assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    const bx_reading *all = bx_session_readings(s, &readings);
    assert_true(r->n + readings <= FAULT_READINGS);
    memcpy(&r->readings[r->n], all, readings * sizeof *all);
    r->n += readings;
    if (bx_session_trouble(s) && r->trouble.code == BX_OK)
        r->trouble = *bx_session_trouble(s);
    keep_left(s, r);
    if (r->code == BX_OK) {
        r->code = code;
        r->error = e;
    }
    bx_session_close(s);
}

void faults_measure(struct faulty *f, const struct course *c, const bx_evsel *events, size_t n,
                    struct run *r)
{
    r->code = BX_OK;
    r->error = r->trouble = (bx_error){0};
    r->n = r->not_restored_n = 0;
    for (unsigned i = 0; i < (c->runs ? c->runs : 1); i++) {
        measure_once(f->machine, c, events, n, r);
        if (i == 0)
            r->ended = f->n;
    }
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

/* Whether a register is another package's, on its own PCI bus. */
static bool is_elsewhere(const struct contents *c, unsigned package, size_t i)
{
    const bx_allowed *r = &c->allow.list[i];
    return r->package != BX_ANY_PACKAGE && r->package != package;
}

/* Bits that only a write changes while nobody counts, without summary bits. */
static uint64_t kept(const struct contents *c, const bx_allowed *r)
{
    const struct bx_catalog *catalog = c->topology.catalog;
    const bx_cat_bits *bits = &bx_cat_regs(catalog)[r->reg].bits;
    if (r->write)
        return (r->write & ~r->triggers) | r->clears;
    return bx_register_is_count(catalog, r->reg) ? 0 : bits->read_only & ~bits->gathers;
}

void contents_read(struct contents *c, bx_machine *m)
{
    *c = (struct contents){
        .topology = m->topology, .packages = m->topology.packages, .cores = m->topology.cores};
    assert_true(bx_allow_new(&c->allow, &m->topology, m->bus));
    c->values = calloc(c->allow.n * c->packages + 1, sizeof *c->values);
    assert_non_null(c->values);
    for (unsigned package = 0; package < c->packages; package++) {
        for (size_t i = 0; i < c->allow.n; i++) {
            bx_address at = address_of(c, package, i);
            if (kept(c, &c->allow.list[i]) && !is_elsewhere(c, package, i))
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

/* Bits of a register that enable counters, besides the counters' own controls. */
static uint64_t shared_enables(const bx_topology *t, uint16_t reg)
{
    const struct bx_catalog *c = t->catalog;
    uint64_t bits = 0;
    for (unsigned i = 0; i < c->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[i];
        for (unsigned k = 0; counter->control != reg && k < counter->counts.n; k++) {
            const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + k];
            if (cond->reg == reg)
                bits |= bx_cat_field_mask(&bx_cat_fields(c)[cond->field]);
        }
    }
    return bits;
}

/* Other software has set up everything and only stopped it: controls enable their counters, and a
 * bit that resets the package is 1. */
static uint64_t found_in(const bx_topology *t, const bx_allowed *r, uint64_t held)
{
    const struct bx_catalog *c = t->catalog;
    uint64_t pattern = 0x5a5a5a5a5a5a5a5a;
    bx_span fields = bx_cat_regs(c)[r->reg].fields;
    for (unsigned i = fields.first; i < (unsigned)fields.first + fields.n; i++)
        if (bx_cat_fields(c)[i].resets == BX_RESETS_PACKAGE)
            pattern |= bx_cat_field_mask(&bx_cat_fields(c)[i]);
    return held ^ (pattern & r->write & ~r->triggers & ~shared_enables(t, r->reg));
}

void contents_set(bx_machine *m, bool foreign)
{
    struct contents c;
    contents_read(&c, m);
    for (unsigned package = 0; package < c.packages; package++) {
        for (size_t i = 0; i < c.allow.n; i++) {
            const bx_allowed *r = &c.allow.list[i];
            bx_address at = address_of(&c, package, i);
            uint64_t held = c.values[package * c.allow.n + i];
            if (is_elsewhere(&c, package, i))
                continue;
            if (r->write && is_counter(&m->topology, r->reg))
                assert_int_equal(m->bus->write(m->bus, &at, 0x7100000 + 17 * i + package), 0);
            else if (r->write && foreign) /* some writes are refused: registers with a precondition,
                                             or of another mode */
                m->bus->write(m->bus, &at, found_in(&m->topology, r, held));
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
    for (size_t i = 0; i < r->not_restored_n; i++)
        if (strncmp(r->not_restored[i], name, strlen(name)) == 0 &&
            r->not_restored[i][strlen(name)] == ' ' &&
            (packages == 1 || strstr(r->not_restored[i], of)))
            return true;
    return false;
}

void contents_exempt(struct contents *to, const struct contents *from, const bx_address *at)
{
    for (unsigned package = 0; at && package < to->packages; package++) {
        for (size_t i = 0; i < to->allow.n; i++) {
            const bx_allowed *r = &to->allow.list[i];
            if (r->offset == at->offset && r->space == at->space && at->cpu / to->cores == package)
                to->values[package * to->allow.n + i] = from->values[package * to->allow.n + i];
        }
    }
}

size_t contents_compare(const struct contents *before, const struct contents *after,
                        const struct bx_catalog *c, const struct run *r, const char *during)
{
    size_t differ = 0;
    for (unsigned package = 0; package < before->packages; package++) {
        for (size_t i = 0; i < before->allow.n; i++) {
            const bx_allowed *reg = &before->allow.list[i];
            size_t at = package * before->allow.n + i;
            uint64_t keeps = kept(before, reg);
            if (!((before->values[at] ^ after->values[at]) & keeps))
                continue;
            differ++;
            if (!is_named(c, reg, package, before->packages, r))
                fail_msg("%s: %s unit %u of package %u: 0x%llx was 0x%llx; named are %zu: %s",
                         during, bx_cat_z(c, bx_cat_regs(c)[reg->reg].name), reg->unit, package,
                         (unsigned long long)after->values[at],
                         (unsigned long long)before->values[at], r->not_restored_n,
                         r->not_restored_n ? r->not_restored[0] : "");
        }
    }
    return differ;
}
