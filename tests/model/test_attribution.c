/* Who causes what: cases worked out by hand from docs/explanation/attribution.md, and sums. Memory
 * takes 150 cycles. */
#include "../cmocked.h"

#include "rig.h"

#include "model/engine/attribution_course.h"
#include "model/machine/client/boxes.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 150, LOOKUPS = 0, EVENTS = 1, FIRST = BX_CODE_FIRST };

/* UNC_CBO_CACHE_LOOKUP:ANY_MESI of a slice. */
static bx_selection lookups_of(unsigned slice)
{
    return (bx_selection){
        .box = BX_CLIENT_CBO, .unit = (uint16_t)slice, .code = 0x34, .umask = 0x8f};
}

static void attribute(struct rig *r, unsigned slices)
{
    bx_attributed *of = calloc(slices, sizeof *of);
    assert_non_null(of);
    for (unsigned i = 0; i < slices; i++) {
        bx_selection sel = lookups_of(i);
        assert_true(bx_model_signal_of(r->m, &sel, &of[i].signal));
        assert_true(bx_attribution_can(r->m, &of[i].signal));
        of[i].event = LOOKUPS;
    }
    assert_true(bx_attribution_begin(r->m, of, slices, EVENTS));
}

static void attribute_one(struct rig *r, bx_selection sel)
{
    bx_attributed *of = calloc(1, sizeof *of);
    assert_non_null(of);
    assert_true(bx_model_signal_of(r->m, &sel, &of->signal));
    assert_true(bx_attribution_can(r->m, &of->signal));
    assert_true(bx_attribution_begin(r->m, of, 1, EVENTS));
}

/* The sum of rows. code, core 0xffff: any. */
static uint64_t sum_of(const bx_costs *c, unsigned event, unsigned code, unsigned core,
                       uint64_t *by_prefetch)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        const bx_cost *row = &c->row[i];
        if (row->key.event != event || (code != 0xffff && row->key.code != code) ||
            (core != 0xffff && row->key.core != core))
            continue;
        sum += row->count;
        if (by_prefetch)
            *by_prefetch += row->by_prefetch;
    }
    return sum;
}

static uint64_t cycles_of(const bx_costs *c, enum bx_cause cause, unsigned code)
{
    return sum_of(c, EVENTS + (unsigned)cause, code, 0xffff, NULL);
}

static struct rig one_core(void)
{
    return rig_of("client",
                  (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
}

/* A load that waits for memory, one that hits L1, a prefetch, and a store that nobody waits for. */
static void by_hand(void **state)
{
    (void)state;
    enum { X = 0x1000, Y = 0x2000, Z = 0x3000 };
    const bx_access a[] = {
        bx_access_make(X, BX_LOAD, BX_ACCESS_DEPENDENT, 20),
        bx_access_make(X, BX_LOAD, BX_ACCESS_DEPENDENT, 5),
        bx_access_make(Y, BX_STORE, 0, 7),
    };
    const bx_who who[] = {{.address = 0x7000, .code = FIRST},
                          {.address = 0x7008, .code = FIRST + 1},
                          {.address = 0x8010, .code = FIRST + 2}};
    struct rig r = one_core();
    rig_feed(&r, 0, a, 3);
    r.of[0].feed.who = who;
    r.of[0].feed.origin = a;
    r.of[0].feed.thread = 4;
    attribute(&r, 1);
    assert_int_equal(rig_run(&r), 20 + MEMORY + 5 + 7 + MEMORY);
    bx_attribution_settle(r.m);
    const bx_costs *c = &r.m->attribution->costs;
    assert_false(c->failed);
    assert_int_equal(cycles_of(c, BX_ISSUE, FIRST), 20);
    assert_int_equal(cycles_of(c, BX_ISSUE, FIRST + 1), 5);
    assert_int_equal(cycles_of(c, BX_ISSUE, FIRST + 2), 7);
    assert_int_equal(cycles_of(c, BX_WAIT_MEMORY, FIRST), MEMORY);
    assert_int_equal(cycles_of(c, BX_WAIT_END, FIRST + 2), MEMORY);
    uint64_t all = 0;
    for (unsigned i = 0; i < BX_CAUSES; i++)
        all += cycles_of(c, (enum bx_cause)i, 0xffff);
    assert_int_equal(all, rig_now(&r));
    assert_int_equal(sum_of(c, LOOKUPS, FIRST, 0, NULL), 1);
    assert_int_equal(sum_of(c, LOOKUPS, FIRST + 1, 0, NULL), 0);
    assert_int_equal(sum_of(c, LOOKUPS, FIRST + 2, 0, NULL), 1);
    for (size_t i = 0; i < c->n; i++)
        assert_int_equal(c->row[i].key.thread, 4);
    const bx_costs *lines = &r.m->attribution->lines;
    assert_int_equal(lines->n, 2);
    assert_int_equal(lines->row[0].key.address, 0x7000);
    assert_int_equal(lines->row[1].key.address, 0x8010);
    rig_free(&r);
}

/* A late load keeps the core that is past its window: the load is charged, not the access that the
 * core cannot make. */
static void a_late_load(void **state)
{
    (void)state;
    enum { WINDOW = 30, X = 0x1000, Y = 0x2000 };
    const bx_access a[] = {
        bx_access_make(X, BX_LOAD, 0, 10),
        bx_access_make(X, BX_LOAD, 0, 100), /* would be past the window by 70 cycles */
    };
    const bx_who who[] = {{.code = FIRST}, {.code = FIRST + 1}};
    struct rig r = rig_of("client", (bx_model_shape){.packages = 1,
                                                     .cores = 1,
                                                     .slices = 1,
                                                     .llc_bytes = 1 << 20,
                                                     .times = {.window = WINDOW}});
    rig_feed(&r, 0, a, 2);
    r.of[0].feed.who = who;
    r.of[0].feed.origin = a;
    attribute(&r, 1);
    uint64_t cycles = rig_run(&r);
    bx_attribution_settle(r.m);
    const bx_costs *c = &r.m->attribution->costs;
    assert_int_equal(cycles_of(c, BX_ISSUE, 0xffff), 110);
    assert_int_equal(cycles_of(c, BX_WAIT_MEMORY, FIRST), cycles - 110);
    assert_int_equal(cycles_of(c, BX_WAIT_MEMORY, FIRST + 1), 0);
    assert_true(cycles > 110);
    rig_free(&r);
}

/* The rows of a line: FIRST requests, and the last store of the core that had the line. */
static const bx_cost *row_of(const bx_costs *lines, unsigned role, unsigned code)
{
    for (size_t i = 0; i < lines->n; i++)
        if (lines->row[i].key.role == role && lines->row[i].key.code == code)
            return &lines->row[i];
    return NULL;
}

/* Core 0 stores to X, twice, and to Y; then core 1 loads X, stores to Y and loads Z, which core 0
 * has only read; then core 0 loads Y. Each request of X and Y has both sides. */
static void owners(void **state)
{
    (void)state;
    enum { X = 0x1000, Y = 0x2001, Z = 0x3002, LATER = 4000 };
    const bx_access first[] = {
        bx_access_make(Z, BX_LOAD, BX_ACCESS_DEPENDENT, 1),
        bx_access_make(X, BX_STORE, BX_ACCESS_DEPENDENT, 1),
        bx_access_make(Y, BX_STORE, BX_ACCESS_DEPENDENT, 1),
        bx_access_make(X, BX_STORE, 0, 1),
        bx_access_make(Z, BX_LOAD, 0, LATER),
        bx_access_make(Z, BX_LOAD, 0, LATER),
        bx_access_make(Y, BX_LOAD, BX_ACCESS_DEPENDENT, 1), /* core 1 has it */
    };
    const bx_access second[] = {
        bx_access_make(Z + 64, BX_LOAD, BX_ACCESS_DEPENDENT, LATER),
        bx_access_make(X, BX_LOAD, BX_ACCESS_DEPENDENT, 1),
        bx_access_make(Y, BX_STORE, BX_ACCESS_DEPENDENT, 1),
        bx_access_make(Z, BX_LOAD, BX_ACCESS_DEPENDENT, 1),
    };
    const bx_who who_first[] = {{0x30080, FIRST, 0, 0},     {0x10008, FIRST + 1, 0, 0},
                                {0x20048, FIRST + 2, 0, 0}, {0x10010, FIRST + 3, 0, 7},
                                {0x30080, FIRST, 0, 0},     {0x30080, FIRST, 0, 0},
                                {0x20058, FIRST + 4, 0, 0}};
    const bx_who who_second[] = {{0x40000, FIRST + 10, 0, 0},
                                 {0x10020, FIRST + 11, 0, 0},
                                 {0x20050, FIRST + 12, 0, 0},
                                 {0x30080, FIRST + 13, 0, 0}};
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 2, .slices = 2, .llc_bytes = 1 << 20});
    rig_feed(&r, 0, first, sizeof first / sizeof *first);
    rig_feed(&r, 1, second, sizeof second / sizeof *second);
    for (unsigned core = 0; core < 2; core++) {
        r.of[core].feed.who = core ? who_second : who_first;
        r.of[core].feed.origin = core ? second : first;
        r.of[core].feed.thread = 1 + core;
    }
    attribute(&r, 2);
    rig_run(&r);
    bx_attribution_settle(r.m);
    const bx_costs *lines = &r.m->attribution->lines;
    static const struct {
        unsigned code, core, object;
        uint64_t address;
    } wanted[] = {
        {FIRST + 3, 0, 7, 0x10010}, {FIRST + 2, 0, 0, 0x20048}, {FIRST + 12, 1, 0, 0x20050}};
    for (unsigned i = 0; i < 3; i++) {
        const bx_cost *row = row_of(lines, BX_ROLE_OWNER, wanted[i].code);
        assert_non_null(row);
        assert_int_equal(row->count, 1);
        assert_int_equal(row->key.address, wanted[i].address);
        assert_int_equal(row->key.core, wanted[i].core);
        assert_int_equal(row->key.thread, 1 + wanted[i].core);
        assert_int_equal(row->key.object, wanted[i].object);
    }
    unsigned owners = 0;
    uint64_t requested = 0;
    for (size_t i = 0; i < lines->n; i++) {
        owners += lines->row[i].key.role == BX_ROLE_OWNER;
        requested += lines->row[i].key.role == BX_ROLE_REQUESTER ? lines->row[i].count : 0;
    }
    assert_int_equal(owners, 3);
    assert_int_equal(requested, sum_of(&r.m->attribution->costs, LOOKUPS, 0xffff, 0xffff, NULL));
    /* By core and slice: lookups of each slice are the cores', and those of each core the slices'.
     */
    const struct bx_attribution *a = r.m->attribution;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(a->by_core[2 * i] + a->by_core[2 * i + 1], a->of[i].last);
        assert_int_equal(a->by_core[i] + a->by_core[2 + i],
                         sum_of(&a->costs, LOOKUPS, 0xffff, i, NULL));
    }
    rig_free(&r);
}

/* UNC_IMC: transfers to memory. */
static bx_selection writes_to_memory(void)
{
    return (bx_selection){.box = BX_CLIENT_IMC, .code = 0x5054, .umask = 1};
}

/* Core 0 stores to X; then core 1 loads lines of X's set, until the LLC evicts X: the load's code
 * is charged, and X's own data, not those that were loaded. Beside it, who has stored to X. */
static void a_write_back(void **state)
{
    (void)state;
    enum { SETS = 64, LLC = 64 << 10, WAYS = 16, X = 0x100000, LOADS = 2 * WAYS, LATER = 2000 };
    const bx_access store[] = {bx_access_make(X, BX_STORE, BX_ACCESS_DEPENDENT, 1)};
    const bx_who stored[] = {{0x10008, FIRST, 3, 7}};
    bx_access load[LOADS];
    bx_who loaded[LOADS];
    for (unsigned i = 0; i < LOADS; i++) {
        load[i] = bx_access_make(X + (1 + i) * SETS, BX_LOAD, BX_ACCESS_DEPENDENT, LATER);
        loaded[i] = (bx_who){0x20000 + 64 * i, FIRST + 1 + i, 4, 8};
    }
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 2, .slices = 1, .llc_bytes = LLC});
    rig_feed(&r, 0, store, 1);
    rig_feed(&r, 1, load, LOADS);
    for (unsigned core = 0; core < 2; core++) {
        r.of[core].feed.who = core ? loaded : stored;
        r.of[core].feed.origin = core ? load : store;
        r.of[core].feed.thread = 1 + core;
    }
    attribute_one(&r, writes_to_memory());
    rig_run(&r);
    bx_attribution_settle(r.m);
    const struct bx_attribution *a = r.m->attribution;
    assert_int_equal(sum_of(&a->costs, LOOKUPS, 0xffff, 0xffff, NULL), 1);
    for (size_t i = 0; i < a->costs.n; i++) {
        const bx_cost_key *key = &a->costs.row[i].key;
        if (key->event != LOOKUPS)
            continue;
        assert_in_range(key->code, FIRST + WAYS, FIRST + LOADS); /* the set had room before */
        assert_int_equal(key->core, 1);
        assert_int_equal(key->thread, 2);
        assert_int_equal(key->context, 4);
        assert_int_equal(key->object, 7);
    }
    assert_int_equal(a->by_core[0], 0); /* core 1 has caused it */
    assert_int_equal(a->by_core[1], 1);
    assert_int_equal(a->lines.n, 2);
    assert_int_equal(a->lines.row[0].key.role, BX_ROLE_EVICTOR);
    assert_int_equal(a->lines.row[0].key.address, 0x10008);
    assert_int_equal(a->lines.row[0].key.context, 1);
    assert_int_equal(a->lines.row[0].key.thread, 2);
    assert_int_equal(a->lines.row[0].key.object, 7);
    const bx_cost_key *writer = &a->lines.row[1].key;
    assert_int_equal(writer->role, BX_ROLE_WRITER);
    assert_int_equal(writer->address, 0x10008);
    assert_int_equal(writer->code, FIRST);
    assert_int_equal(writer->core, 0);
    assert_int_equal(writer->thread, 1);
    assert_int_equal(writer->object, 7);
    assert_int_equal(a->lines.row[1].count, 1);
    rig_free(&r);
}

/* The P6 family executes one access after the other. None of these waits, so each is done in the
 * step in which the next one begins: DATA_MEM_REFS (43H) of each is its own. */
static void one_after_the_other(void **state)
{
    (void)state;
    enum { X = 0x1000, N = 6 };
    bx_access a[N];
    bx_who who[N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = bx_access_make(X + i, i % 2 ? BX_STORE : BX_LOAD, 0, 1 + i);
        who[i] = (bx_who){0x7000 + 32 * i, FIRST + i, 0, 0};
    }
    struct rig r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1});
    rig_feed(&r, 0, a, N);
    r.of[0].feed.who = who;
    r.of[0].feed.origin = a;
    attribute_one(&r, (bx_selection){.code = 0x43, .levels = BX_LEVELS});
    rig_run(&r);
    bx_attribution_settle(r.m);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(sum_of(&r.m->attribution->costs, LOOKUPS, FIRST + i, 0, NULL), 1);
        assert_int_equal(sum_of(&r.m->attribution->lines, LOOKUPS, FIRST + i, 0, NULL), 1);
    }
    assert_int_equal(sum_of(&r.m->attribution->costs, LOOKUPS, 0xffff, 0xffff, NULL), N);
    rig_free(&r);
}

/* BUS_TRAN_BRD (65H): the bus reads a line later, when other accesses are executed. It is charged
 * to the load that has asked for the line. */
static void later_on_the_bus(void **state)
{
    (void)state;
    enum { W = 0x1000, X = 0x2000, N = 60 };
    bx_access a[N];
    bx_who who[N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = bx_access_make(i == 1 ? X : W, BX_LOAD, i ? 0 : BX_ACCESS_DEPENDENT, 1);
        who[i] = (bx_who){0x7000 + 32 * i, FIRST + i, 0, 0};
    }
    struct rig r = rig_of("p6", (bx_model_shape){.packages = 1, .cores = 1});
    rig_feed(&r, 0, a, N);
    r.of[0].feed.who = who;
    r.of[0].feed.origin = a;
    attribute_one(&r, (bx_selection){.code = 0x65, .levels = BX_LEVELS});
    rig_run(&r);
    bx_attribution_settle(r.m);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(sum_of(&r.m->attribution->lines, LOOKUPS, FIRST + i, 0, NULL), i < 2);
    assert_int_equal(sum_of(&r.m->attribution->costs, LOOKUPS, 0xffff, 0xffff, NULL), 2);
    rig_free(&r);
}

static bool has_odd(void *context, uint64_t line)
{
    return line % 2 && line > *(const uint64_t *)context;
}

/* The table of last stores keeps what the core has, however many lines are stored to. */
static void last_stores(void **state)
{
    (void)state;
    enum { N = 100000, HAS = 3000 };
    uint64_t gone = 0;
    bx_last_stores s = {.has = has_odd, .context = &gone};
    for (uint64_t line = 0; line < N; line++) {
        gone = line > HAS ? line - HAS : 0;
        bx_last_stores_note(&s, line, 64 * line + 8, 1, 2, 3, 4);
        bx_last_stores_note(&s, line, 64 * line + 16, (uint32_t)line, 2, 3, 5);
    }
    assert_false(s.failed);
    assert_true(s.by_line.places <= 1 << 14);
    for (uint64_t line = gone + 1; line < N; line++) {
        const bx_last_store *at = bx_last_stores_find(&s, line);
        if (line % 2 == 0)
            continue;
        assert_non_null(at);
        assert_int_equal(at->code, line);
        assert_int_equal(at->core, 5);
        assert_int_equal(at->address, 64 * line + 16);
    }
    assert_null(bx_last_stores_find(&s, N + 1));
    bx_last_stores_free(&s);
}

/* Built-in workloads on several cores, which go back often: rows add up to the counters, and those
 * of each core to its unhalted cycles. */
static void sums(void **state)
{
    (void)state;
    static const char *const works[] = {
        "sharing,cores=4,iterations=3000,write=30",
        "pingpong,cores=3,iterations=2000,size=512",
        "lock,cores=4,iterations=300",
        "random,cores=2,size=4M,iterations=5000+dma,iterations=2000+gfx,iterations=2000",
    };
    for (size_t w = 0; w < 2 * sizeof works / sizeof *works; w++) {
        bool bounded = w % 2;
        struct rig r =
            rig_of("client", (bx_model_shape){.packages = 1,
                                              .cores = 4,
                                              .slices = 4,
                                              .llc_bytes = 1 << 20,
                                              .prefetch = bounded,
                                              .hz = 4000000000,
                                              .core_hz = bounded ? 4200000000 : 0,
                                              .times = {.window = bounded ? 60 : 0,
                                                        .store_buffer = bounded ? 12 : 0}});
        rig_begin(&r, works[w / 2]);
        attribute(&r, 4);
        bool done = false;
        for (uint64_t until = 10000; !done; until += 10000) {
            done = bx_model_run(r.m, until);
            bx_attribution_settle(r.m);
        }
        const bx_costs *c = &r.m->attribution->costs;
        uint64_t counted = 0;
        for (unsigned slice = 0; slice < 4; slice++) {
            bx_selection sel = lookups_of(slice);
            counted += rig_tally(&r, &sel);
        }
        assert_int_equal(sum_of(c, LOOKUPS, 0xffff, 0xffff, NULL), counted);
        assert_true(counted > 0);
        for (unsigned core = 0; core < 4; core++) {
            const bx_selection clock = {
                .box = BX_CLIENT_CORE, .unit = (uint16_t)core, .code = 0x3c, .levels = BX_LEVELS};
            uint64_t all = 0;
            for (unsigned i = 0; i < BX_CAUSES; i++)
                all += sum_of(c, EVENTS + i, 0xffff, core, NULL);
            assert_int_equal(all, rig_tally(&r, &clock));
        }
        rig_free(&r);
    }
}

/* Sums of all rows. */
static void add_up(const bx_costs *c, uint64_t *count, uint64_t *by_prefetch)
{
    *count = *by_prefetch = 0;
    for (size_t i = 0; i < c->n; i++) {
        *count += c->row[i].count;
        *by_prefetch += c->row[i].by_prefetch;
    }
}

/* Two spans become one, and nothing is lost. */
static void rows(void **state)
{
    (void)state;
    enum { N = 5000 };
    bx_costs c = {.most = 10000};
    for (unsigned i = 0; i < N; i++)
        bx_costs_add(&c,
                     (bx_cost_key){.code = BX_CODE_FIRST + i % 1500,
                                   .span = (uint16_t)(i % 7),
                                   .context = 1 + i % 900,
                                   .object = 1 + i % 11,
                                   .core = 1},
                     i, i / 2);
    for (int round = 0; round < 2; round++) {
        uint64_t count, by_prefetch;
        add_up(&c, &count, &by_prefetch);
        for (size_t i = 0; i < c.n; i++)
            assert_in_range(c.row[i].key.span, 0, round ? 3 : 6);
        assert_int_equal(count, N * (N - 1) / 2);
        assert_int_equal(by_prefetch, (N / 2) * (N / 2 - 1));
        bx_costs_halve_spans(&c);
    }
    assert_true(c.rewrite);
    bx_costs_settle(&c);
    assert_int_equal(c.changed_n, 0);
    bx_costs_add(&c, c.row[3].key, 1, 0);
    assert_int_equal(c.changed_n, 1);
    assert_int_equal(c.changed[0], 3);
    bx_costs_free(&c);
}

/* With too many rows, the cheapest of each event become coarser. The dear ones stay as they are,
 * though they come first, or last, or are of an event with small counts. However many keys there
 * are, there are never more rows. */
static void the_cheapest_rows(void **state)
{
    (void)state;
    enum { N = 200000, MOST = 1000, DEAR = 100, COUNTS = 50, CYCLES = 70 };
    bx_costs c = {.most = MOST};
    uint64_t all[2] = {0}, sum[2] = {0}, of_level[1 + BX_COST_LEVELS] = {0};
    for (unsigned i = 0; i < N; i++) {
        bool of_cycles = i % 2, dear = i % (N / DEAR) < 2;
        uint64_t count = (of_cycles ? 1000 : 1) * (dear ? N : 1);
        all[of_cycles] += count;
        bx_costs_add(&c,
                     (bx_cost_key){.code = BX_CODE_FIRST + i % 5000,
                                   .event = of_cycles ? CYCLES : COUNTS,
                                   .span = (uint16_t)(dear ? i / (N / DEAR) : i % 128),
                                   .context = 1 + i % 9000,
                                   .object = 1 + i % 110},
                     count, 0);
        assert_in_range(c.n, 1, MOST);
    }
    unsigned dear = 0;
    for (size_t i = 0; i < c.n; i++) {
        const bx_cost_key *key = &c.row[i].key;
        unsigned level = bx_cost_level(key);
        const bool lost[] = {key->span == BX_COST_NO_SPAN, key->context == BX_COST_MERGED,
                             key->object == BX_COST_MERGED, key->code == BX_CODE_OTHER};
        for (unsigned before = 0; before < level; before++)
            assert_true(lost[before]);
        for (unsigned more = level; more < BX_COST_LEVELS; more++)
            assert_false(lost[more]);
        dear += level == 0 && c.row[i].count >= (key->event == CYCLES ? 1000 : 1) * N;
        of_level[level] += c.row[i].count;
        sum[key->event == CYCLES] += c.row[i].count;
    }
    assert_int_equal(dear, 2 * DEAR);
    assert_int_equal(sum[0], all[0]);
    assert_int_equal(sum[1], all[1]);
    assert_true(of_level[BX_COST_LEVELS] > 0);
    assert_true(c.rewrite);
    bx_costs_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_late_load),
        cmocka_unit_test(owners),
        cmocka_unit_test(a_write_back),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(later_on_the_bus),

        cmocka_unit_test(last_stores),
        cmocka_unit_test(sums),
        cmocka_unit_test(rows),
        cmocka_unit_test(the_cheapest_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
