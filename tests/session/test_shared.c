/* Sessions on counters that share registers, on a fake host: a Xeon 7500 whose registers keep what
 * is written. Addresses and bits: 323535-001 as catalog/nhmex/ cites it. */
#include "../cmocked.h"

#include "guard/allow_list.h"
#include "machine/backend/backend.h"
#include "machine/program/process/host_program.h"
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 0x1000, GLOBAL = 0xc00, C0_CTR0 = 0xd11, QLX1 = 0xe0d, S_MM_CFG = 0xe48 };

#define EN_ALL  (UINT64_C(1) << 28)
#define RST_ALL (UINT64_C(1) << 29)
#define TOP     (UINT64_C(1) << 63)

struct cells {
    struct bx_bus bus;
    uint64_t value[CELLS];
    bool is_counter[CELLS];
    bool misreads; /* wrong as in the erratum */
    unsigned writes;
};

static int cells_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    struct cells *c = (struct cells *)bus;
    assert_true(at->offset < CELLS);
    *value = c->value[at->offset];
    if (c->misreads && c->is_counter[at->offset] && (*value & 0xffffff) <= 1 && *value > 0xffffff)
        *value += 0x1000000;
    return 0;
}

static size_t cells_read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                              int *err)
{
    (void)err;
    for (size_t i = 0; i < n; i++)
        cells_read(bus, &at[i], &values[i]);
    return n;
}

/* A pattern is written while its match is off, a control while nothing counts. */
static void assert_order(const struct cells *c, uint64_t at)
{
    if (at == S_MM_CFG + 1 || at == S_MM_CFG + 2)
        assert_int_equal(c->value[S_MM_CFG] & TOP, 0);
    for (uint64_t mm_cfg = 0xe60; mm_cfg < 0xea0; mm_cfg += 4)
        if (at == mm_cfg + 1 || at == mm_cfg + 2)
            assert_int_equal(c->value[mm_cfg] & TOP, TOP);
    if (at != GLOBAL)
        assert_int_equal(c->value[GLOBAL] & EN_ALL, 0);
}

static int cells_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    struct cells *c = (struct cells *)bus;
    assert_true(at->offset < CELLS);
    assert_order(c, at->offset);
    c->value[at->offset] = value;
    c->writes++;
    for (size_t i = 0; at->offset == GLOBAL && value & RST_ALL && i < CELLS; i++)
        c->value[i] = c->is_counter[i] ? 0 : c->value[i];
    return 0;
}

struct host {
    bx_machine machine;
    bx_backend backend;
    struct cells cells;
    bx_evsel events[8];
    size_t n;
    bx_session *session;
};

static void find_counters(struct host *h)
{
    const bx_catalog *c = h->machine.topology.catalog;
    bx_span pmus = bx_cat_cpus(c)[h->machine.topology.cpu].pmus;
    for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
        bx_span counters = bx_cat_pmus(c)[p].counters;
        for (unsigned i = counters.first; i < counters.first + counters.n; i++)
            for (unsigned u = 0; u < bx_topology_units(&h->machine.topology, (uint16_t)p); u++)
                h->cells.is_counter[bx_plan_address(&h->machine.topology, 0, u,
                                                    bx_cat_counters(c)[i].value)
                                        .offset] = true;
    }
}

/* No processor has PMUs that only virtual machines have. */
static void become_real(bx_topology *t)
{
    bx_span pmus = bx_cat_cpus(t->catalog)[t->cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++)
        if (bx_cat_pmus(t->catalog)[pmus.first + i].only_virtual)
            t->units[i] = 0;
}

static uint64_t now(const bx_backend *b)
{
    (void)b;
    return bx_process_clock();
}

static struct host *host_new(void)
{
    struct host *h = calloc(1, sizeof *h);
    assert_non_null(h);
    assert_int_equal(bx_topology_parse(bx_catalog_builtin(),
                                       BX_STR("virtual:nhmex,part=plain,packages=1"),
                                       &h->machine.topology, NULL),
                     BX_OK);
    h->cells.bus =
        (struct bx_bus){.read = cells_read, .write = cells_write, .read_many = cells_read_many};
    h->machine.bus = &h->cells.bus;
    h->backend = (bx_backend){.calls.now = now,
                              .can = {.has_errata = true, .has_drivers = true},
                              .hz = 1e9,
                              .host = &bx_backend_no_facts};
    h->machine.backend = &h->backend;
    become_real(&h->machine.topology);
    find_counters(h);
    return h;
}

static void start(struct host *h, const char *events, uint64_t interval)
{
    bx_error e = {0};
    const bx_session_options o = {.size = sizeof o, .interval = interval};
    if (bx_events_parse(bx_catalog_builtin(), h->machine.topology.cpu, events, h->events, 8, &h->n,
                        &e) != BX_OK ||
        bx_session_open(&h->machine, h->events, h->n, &o, &h->session, &e) != BX_OK ||
        bx_session_start(h->session, &e) != BX_OK)
        fail_msg("%s: %s", events, e.message);
}

static uint64_t count(struct host *h)
{
    size_t n;
    assert_int_equal(bx_session_sample(h->session, NULL), BX_OK);
    return bx_session_readings(h->session, &n)->count;
}

static void stop(struct host *h)
{
    assert_int_equal(bx_session_stop(h->session, NULL), BX_OK);
    assert_null(bx_session_trouble(h->session));
    bx_session_close(h->session);
}

/* ---- tests ---- */

static const char patterns[] = "nhmex_unc_sbox0::TO_R_PROG_EV:mc=1,"
                               "nhmex_unc_rbox::XBAR_MATCH:port=5:mc=14,"
                               "nhmex_unc_rbox::XBAR_MATCH:port=5:mc=2,"
                               "nhmex_unc_rbox::QUE_ARB_BID:SNP:port=1";

/* The contents of a register, without its reserved bits, which do not change. */
static uint64_t fields_of(const struct host *h, uint64_t address)
{
    bx_allow allow;
    assert_true(bx_allow_new(&allow, &h->machine.topology, NULL));
    const bx_allowed *r = bx_allow_find(&allow, &(bx_address){.width = 64, .offset = address});
    assert_non_null(r);
    uint64_t value = h->cells.value[address] & ~r->reserved;
    bx_allow_free(&allow);
    return value;
}

/* Other software has set up everything and counts, with matches enabled. Afterwards everything is
 * as before, including counters of boxes that were not used. */
static void all_is_put_back(void **state)
{
    (void)state;
    struct host *h = host_new();
    for (unsigned i = 0xc10; i < CELLS; i++)
        h->cells.value[i] = 0x1234567 * i;
    static const unsigned own[] = {0xc40, 0xc50, 0xe20, 0xe30, 0xe32, 0xe00, 0xe10};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        h->cells.value[own[i]] = 0xff;
    h->cells.value[S_MM_CFG] = TOP;
    h->cells.value[GLOBAL] = EN_ALL | 0x1fe;
    struct cells before = h->cells;
    start(h, patterns, 0);
    assert_int_equal(h->cells.value[GLOBAL], EN_ALL);
    assert_int_equal(h->cells.value[C0_CTR0], 0);
    assert_int_equal(h->cells.value[S_MM_CFG], TOP);
    assert_int_equal(fields_of(h, 0xe85), 0x1c00);
    assert_int_equal(fields_of(h, 0xe95), 0x0400);
    stop(h);
    before.value[0xc42] = h->cells.value[0xc42]; /* writing these clears overflow bits */
    before.value[0xe22] = h->cells.value[0xe22];
    before.value[0xe02] = h->cells.value[0xe02];
    for (unsigned i = 0; i < CELLS; i++)
        if (h->cells.value[i] != before.value[i])
            fail_msg("0x%x was 0x%llx, is 0x%llx", i, (unsigned long long)before.value[i],
                     (unsigned long long)h->cells.value[i]);
    free(h);
}

static void the_other_half_stays(void **state)
{
    (void)state;
    struct host *h = host_new();
    h->cells.value[QLX1] = 0xa377;
    start(h, "nhmex_unc_rbox::QUE_ARB_BID:SNP:port=1", 0);
    assert_int_equal(h->cells.value[QLX1], 0xa310);
    stop(h);
    assert_int_equal(h->cells.value[QLX1], 0xa377);
    free(h);
}

static void ports_and_scale(void **state)
{
    (void)state;
    struct host *h = host_new();
    size_t n;
    start(h, "nhmex_unc_rbox::FLITS_SENT,nhmex_unc_bbox1::TF_ALL", 0);
    const bx_reading *r = bx_session_readings(h->session, &n);
    assert_int_equal(n, 9);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(r[i].port, i);
        assert_int_equal(r[i].unit, i / 4);
        assert_int_equal(r[i].scale, 1);
    }
    assert_int_equal(r[8].port, BX_ANY);
    h->cells.value[0xc71] = 3; /* counter 0 of B-Box 1 */
    count(h);
    assert_int_equal(r[8].count, 3);
    assert_true(bx_reading_value(&r[8]) == 3 * 256);
    stop(h);
    free(h);
}

/* p140: a value that ends in 000000 or 000001 is 0x1000000 too high. */
static void the_erratum(void **state)
{
    (void)state;
    static const uint64_t values[] = {
        0,         1,         0x10,      0xffffff,       0x1000000,
        0x1000001, 0x1000002, 0x5000000, 0x7ffff1000001, 0xffffffffffff};
    for (int many = 0; many <= 1; many++) {
        struct host *h = host_new();
        h->cells.misreads = true;
        if (!many)
            h->cells.bus.read_many = NULL;
        start(h, "nhmex_unc_cbox0::LLC_MISSES:ALL", 0);
        h->session->samples.states[0].rate =
            UINT64_MAX; /* it increases by more than it can count */
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            h->cells.value[C0_CTR0] = values[i];
            assert_int_equal(count(h), values[i]);
            assert_int_equal(count(h), values[i]);
        }
        stop(h);
        free(h);
    }
}

static void an_interval(void **state)
{
    (void)state;
    struct host *h = host_new();
    start(h, "nhmex_unc_cbox0::LLC_MISSES:ALL", 1000);
    assert_int_equal(h->cells.value[C0_CTR0], (UINT64_C(1) << 48) - 1000);
    assert_int_equal(count(h), 0);
    h->cells.value[C0_CTR0] = 5;
    assert_int_equal(count(h), 1005);
    stop(h);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_put_back), cmocka_unit_test(the_other_half_stays),
        cmocka_unit_test(ports_and_scale), cmocka_unit_test(the_erratum),
        cmocka_unit_test(an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
