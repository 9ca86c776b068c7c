/* Relations between counts that must hold on the Ivy Bridge-EP machine for any work, and what it
 * produces of libpfm4's list of unit masks (intel_ivbep_unc_cbo_events.h). */
#include "../cmocked.h"

#include "ear.h"
#include "ivbep_rig.h"

enum {
    OPCODE = 0x01,
    MISS_OPCODE = 0x03,
    EVICTION = 0x04,
    ALL = 0x08,
    MISS_ALL = 0x0a,
    WB = 0x10,
    LOOKUP = 0x34,
    INSERTS = 0x35,
    OCCUPANCY = 0x36,
    VICTIMS = 0x37,
    ANY_STATE = 0x7e0000,
};

static const struct rig_filter none = {0};
static const struct rig_filter any_state = {.filter0 = ANY_STATE};

/* Opcodes of this machine's transactions: libpfm4, and 193H of Intel 329468-002. */
static const uint16_t opcodes[] = {0x180, 0x181, 0x182, 0x18c, 0x18d, 0x190, 0x191, 0x192,
                                   0x193, 0x194, 0x195, 0x19c, 0x19e, 0x1c4, 0x1c5, 0x1c8};
enum { OPCODES = sizeof opcodes / sizeof *opcodes };

static const char *const work[] = {
    "stream,size=1M,cores=4",
    "copy,size=512K,cores=3",
    "random,size=2M,iterations=20000,cores=6,write=40",
    "sharing,cores=6,iterations=5000,write=30",
    "pingpong,cores=4,iterations=5000",
    "dma,iterations=20000",
    "dma,iterations=20000,step=32",
    "random,size=1M,iterations=10000,cores=2+stream,size=256K,cores=4+dma,size=1M,iterations=9000",
};
enum { WORKS = sizeof work / sizeof *work };

static const struct {
    unsigned packages, cores, llc_sets;
} machines[] = {{1, 6, 64}, {2, 3, 64}, {2, 5, 16}};
enum { MACHINES = sizeof machines / sizeof *machines };

static struct rig machine(unsigned i)
{
    return rig_new(machines[i].packages, machines[i].cores,
                   (uint64_t)machines[i].llc_sets * machines[i].cores * 20 * 64);
}

static uint64_t of_all_opcodes(struct rig *r, unsigned code, unsigned umask)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < OPCODES; i++)
        sum += rig_all(r, code, umask, (struct rig_filter){.filter1 = (uint32_t)opcodes[i] << 20});
    return sum;
}

static uint64_t snoops(struct rig *r)
{
    return rig_all(r, LOOKUP, 0x09, any_state);
}

/* Each lookup is a transaction, and each transaction except evictions is a lookup. */
static void lookups_are_inserts(struct rig *r)
{
    uint64_t any = rig_all(r, LOOKUP, 0x11, any_state);

    assert_int_equal(any, rig_all(r, LOOKUP, 0x03, any_state) +
                              rig_all(r, LOOKUP, 0x05, any_state) + snoops(r));
    assert_int_equal(rig_all(r, INSERTS, ALL, none), any + rig_all(r, INSERTS, EVICTION, none));
    for (unsigned state = 0; state < 6; state++)
        any -= rig_all(r, LOOKUP, 0x11, (struct rig_filter){.filter0 = 1u << (17 + state)});
    assert_int_equal(any, 0);
    assert_int_equal(rig_all(r, LOOKUP, 0x11, none), 0);
}

/* Everything except evictions and snoops has an opcode. A request that finds nothing is a miss. */
static void opcodes_add_up(struct rig *r)
{
    for (unsigned code = INSERTS; code <= OCCUPANCY; code++) {
        uint64_t evictions = rig_all(r, code, EVICTION, none);
        uint64_t with = of_all_opcodes(r, code, OPCODE), all = rig_all(r, code, ALL, none);
        assert_true(with + evictions <= all);
        if (code == INSERTS)
            assert_int_equal(with + evictions + snoops(r), all);
        assert_int_equal(of_all_opcodes(r, code, MISS_OPCODE), rig_all(r, code, MISS_ALL, none));
        assert_int_equal(rig_all(r, code, WB, none),
                         rig_all(r, code, OPCODE, (struct rig_filter){.filter1 = 0x1c400000}) +
                             rig_all(r, code, OPCODE, (struct rig_filter){.filter1 = 0x1c500000}));
    }
    const struct rig_filter invalid = {.filter0 = 1 << 17};
    assert_int_equal(rig_all(r, INSERTS, MISS_ALL, none),
                     rig_all(r, LOOKUP, 0x03, invalid) + rig_all(r, LOOKUP, 0x05, invalid));
}

/* Local and remote add up to the whole, and so do the nodes. */
static void nodes_add_up(struct rig *r)
{
    static const struct rig_filter node[] = {{.filter0 = ANY_STATE, .filter1 = 1},
                                             {.filter0 = ANY_STATE, .filter1 = 2}};
    for (unsigned code = INSERTS; code <= OCCUPANCY; code++) {
        assert_int_equal(rig_all(r, code, ALL, none),
                         rig_all(r, code, 0x28, none) + rig_all(r, code, 0x88, none));
        assert_int_equal(rig_all(r, code, MISS_ALL, none),
                         rig_all(r, code, 0x2a, none) + rig_all(r, code, 0x8a, none));
        for (unsigned kind = EVICTION; kind <= WB; kind *= 2)
            assert_int_equal(rig_all(r, code, kind, none),
                             rig_all(r, code, 0x40 | kind, node[0]) +
                                 rig_all(r, code, 0x40 | kind, node[1]));
    }
    assert_int_equal(rig_all(r, LOOKUP, 0x11, any_state),
                     rig_all(r, LOOKUP, 0x51, node[0]) + rig_all(r, LOOKUP, 0x51, node[1]));
    assert_int_equal(rig_all(r, VICTIMS, 0x0f, none),
                     rig_all(r, VICTIMS, 0x4f, node[0]) + rig_all(r, VICTIMS, 0x4f, node[1]));
}

/* The cores of the three bits and "no thread" add up to the whole. */
static void threads_add_up(struct rig *r)
{
    static const struct {
        uint8_t code, umask;
    } what[] = {{LOOKUP, 0x11}, {INSERTS, ALL}, {OCCUPANCY, ALL}, {VICTIMS, 0x0f}, {INSERTS, 0x2a}};

    for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
        uint64_t sum = 0;
        for (unsigned tid = 0; tid <= 16; tid++)
            sum += rig_all(r, what[i].code, what[i].umask,
                           (struct rig_filter){true, ANY_STATE | tid, 0});
        assert_int_equal(rig_all(r, what[i].code, what[i].umask, any_state), sum);
    }
}

/* Every line that leaves was a victim. A fill uses its way or an empty one. Fills are the misses,
 * except those of devices, which allocate nothing. */
static void victims_are_fills(struct rig *r)
{
    static const uint16_t not_filled[] = {0x193, 0x194, 0x195, 0x19e};
    uint64_t fills = rig_all(r, INSERTS, MISS_ALL, none);

    for (unsigned i = 0; i < 4; i++)
        fills -= rig_all(r, INSERTS, MISS_OPCODE,
                         (struct rig_filter){.filter1 = (uint32_t)not_filled[i] << 20});
    assert_int_equal(rig_all(r, VICTIMS, 0x0f, none), fills);
    assert_int_equal(rig_all(r, VICTIMS, 0x07, none), rig_all(r, INSERTS, EVICTION, none));
}

/* Queues: core and device requests come through IRQ, snoops through IPQ. Each is started once, and
 * again after each retry. A request that never waits is in IRQ for two cycles. */
static void queues_add_up(struct rig *r)
{
    uint64_t irq = rig_all(r, 0x13, 0x01, none), ipq = rig_all(r, 0x13, 0x04, none);
    uint64_t retries = rig_all(r, 0x31, 0x01, none) + rig_all(r, 0x32, 0x01, none);

    assert_int_equal(ipq, snoops(r));
    assert_int_equal(irq + ipq, rig_all(r, LOOKUP, 0x11, any_state));
    assert_int_equal(rig_all(r, 0x39, 0x04, none), irq + ipq + retries);
    assert_int_equal(rig_all(r, 0x11, 0x01, none), 2 * irq + rig_all(r, 0x11, 0x02, none));
    assert_int_equal(rig_all(r, 0x31, 0x01, none),
                     rig_all(r, 0x31, 0x02, none) + rig_all(r, 0x31, 0x04, none));
    assert_int_equal(rig_all(r, 0x32, 0x01, none),
                     rig_all(r, 0x32, 0x02, none) + rig_all(r, 0x32, 0x04, none) +
                         rig_all(r, 0x32, 0x08, none) + rig_all(r, 0x32, 0x10, none));
    assert_int_equal(rig_all(r, 0x33, 0x01, none), rig_all(r, 0x33, 0x80, none));
    for (unsigned ring = 0x1b; ring <= 0x1d; ring++)
        assert_int_equal(rig_all(r, ring, 0xff, none),
                         rig_all(r, ring, 0x33, none) + rig_all(r, ring, 0xcc, none));
    /* A core answers a snoop on BL or AK; its other BL messages are write-backs. */
    assert_int_equal(rig_all(r, 0x02, 0x08, none), rig_all(r, 0x02, 0x20, none) +
                                                       rig_all(r, 0x02, 0x40, none) -
                                                       rig_all(r, INSERTS, WB, none));
}

static void test_laws(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++)
        for (unsigned w = 0; w < WORKS; w++) {
            struct rig r = machine(i);
            rig_work(&r, work[w]);
            bx_model_idle(r.m, 100000); /* evictions that have not ended */
            lookups_are_inserts(&r);
            opcodes_add_up(&r);
            nodes_add_up(&r);
            threads_add_up(&r);
            victims_are_fills(&r);
            queues_add_up(&r);
            rig_free(&r);
        }
}

/* ---- what is reported to a watcher ---- */

enum { WATCHED = 4 };

/* The sum of all reports up to now is the tally. */
static void check_told(const struct rig *r, struct ear *ear, const bx_selection sel[WATCHED])
{
    for (unsigned i = 0; i < WATCHED; i++) {
        ear_close(ear, i, rig_now(r));
        assert_int_equal(ear->sum[i], rig_tally(r, &sel[i]));
    }
}

/* The reported levels add up to the tallies, for a run in one piece or in many. */
static void test_levels(void **state)
{
    (void)state;
    for (uint64_t piece = 777; piece; piece = piece == 777 ? BX_NEVER : 0) {
        struct rig r = rig_new(2, 2, 2 * 64 * 20 * 64);
        struct ear ear;
        bx_selection sel[WATCHED] = {
            rig_selection(0, 0, OCCUPANCY, ALL, none),
            rig_selection(0, 1, OCCUPANCY, 0x01, (struct rig_filter){.filter1 = 0x18200000}),
            rig_selection(1, 0, 0x11, 0x03, none),
            rig_selection(1, 1, INSERTS, ALL, none),
        };
        ear_open(&ear, &r);
        for (unsigned i = 0; i < WATCHED; i++)
            assert_true(r.s->watch(r.s, i, &sel[i]));
        rig_begin(&r, "random,size=512K,cores=4,iterations=2000,write=30");
        for (uint64_t until = piece; !bx_model_run(r.m, until); until += piece) {
            assert_int_equal(r.s->now(r.s), until);
            check_told(&r, &ear, sel);
        }
        bx_model_idle(r.m, 10000);
        check_told(&r, &ear, sel);
        for (unsigned i = 0; i < WATCHED; i++) {
            assert_true(ear.sum[i] > 0);
            r.s->unwatch(r.s, i);
        }
        rig_free(&r);
    }
}

/* A run in pieces has the counts of a single run. */
static void test_pieces(void **state)
{
    (void)state;
    uint64_t end[2], inserts[2], occupancy[2];

    for (unsigned i = 0; i < 2; i++) {
        struct rig r = rig_new(2, 2, 2 * 64 * 20 * 64);
        uint64_t piece = i ? 101 : BX_NEVER;

        rig_begin(&r, "sharing,cores=4,iterations=3000,write=30,size=64K");
        for (uint64_t until = piece; !bx_model_run(r.m, until); until += piece)
            continue;
        end[i] = r.s->now(r.s);
        inserts[i] = rig_all(&r, INSERTS, ALL, none);
        occupancy[i] = rig_all(&r, OCCUPANCY, ALL, none);
        assert_int_equal(bx_model_accesses(r.m), 4 * 3000);
        rig_free(&r);
    }
    assert_int_equal(end[0], end[1]);
    assert_int_equal(inserts[0], inserts[1]);
    assert_int_equal(occupancy[0], occupancy[1]);
}

/* ---- every unit mask of libpfm4 ---- */

struct unit_mask {
    uint8_t code, umask;
    uint32_t filter0, filter1;
    uint8_t produced;
};

/* Opcodes of TOR_INSERTS and TOR_OCCUPANCY, with OPCODE. */
#define OPC(code, opcode, produced)                                                                \
    {                                                                                              \
        code, OPCODE, 0, (uint32_t)(opcode) << 20, produced                                        \
    }
#define OPCODES_OF(code)                                                                           \
    OPC(code, 0x180, 1), OPC(code, 0x181, 1), OPC(code, 0x182, 1), OPC(code, 0x187, 0),            \
        OPC(code, 0x18c, 1), OPC(code, 0x18d, 1), OPC(code, 0x190, 1), OPC(code, 0x191, 1),        \
        OPC(code, 0x192, 1), OPC(code, 0x194, 1), OPC(code, 0x195, 1), OPC(code, 0x19c, 1),        \
        OPC(code, 0x19e, 1), OPC(code, 0x1c4, 1), OPC(code, 0x1c5, 1), OPC(code, 0x1c8, 1),        \
        OPC(code, 0x1e4, 0), OPC(code, 0x1e5, 0), OPC(code, 0x1e6, 0)
#define RFO_OF_NODES 0x18000003
#define TOR_OF(code)                                                                               \
    {code, 0x01, 0, RFO_OF_NODES, 1}, {code, 0x03, 0, RFO_OF_NODES, 1}, {code, 0x04, 0, 0, 1},     \
        {code, 0x08, 0, 0, 1}, {code, 0x10, 0, 0, 1}, {code, 0x21, 0, RFO_OF_NODES, 1},            \
        {code, 0x23, 0, RFO_OF_NODES, 1}, {code, 0x28, 0, 0, 1}, {code, 0x2a, 0, 0, 1},            \
        {code, 0x41, 0, RFO_OF_NODES, 1}, {code, 0x43, 0, RFO_OF_NODES, 1}, {code, 0x44, 0, 1, 1}, \
        {code, 0x48, 0, 1, 1}, {code, 0x4a, 0, 2, 1}, {code, 0x50, 0, 1, 1},                       \
        {code, 0x81, 0, RFO_OF_NODES, 1}, {code, 0x83, 0, RFO_OF_NODES, 1}, {code, 0x88, 0, 0, 1}, \
    {                                                                                              \
        code, 0x8a, 0, 0, 1                                                                        \
    }
#define RING_OF(code)                                                                              \
    {code, 0x01, 0, 0, 1}, {code, 0x02, 0, 0, 1}, {code, 0x04, 0, 0, 1}, {code, 0x08, 0, 0, 1},    \
        {code, 0x10, 0, 0, 1}, {code, 0x20, 0, 0, 1}, {code, 0x40, 0, 0, 1},                       \
        {code, 0x80, 0, 0, 1}, {code, 0x33, 0, 0, 1},                                              \
    {                                                                                              \
        code, 0xcc, 0, 0, 1                                                                        \
    }

static const struct unit_mask unit_masks[] = {
    /* LLC_LOOKUP: requests, then states */
    {0x34, 0x03, ANY_STATE, 0, 1},
    {0x34, 0x05, ANY_STATE, 0, 1},
    {0x34, 0x09, ANY_STATE, 0, 1},
    {0x34, 0x11, ANY_STATE, 0, 1},
    {0x34, 0x41, ANY_STATE, 1, 1},
    {0x34, 0x11, 0x20000, 0, 1},
    {0x34, 0x11, 0x40000, 0, 1},
    {0x34, 0x11, 0x80000, 0, 1},
    {0x34, 0x11, 0x100000, 0, 1},
    {0x34, 0x11, 0x200000, 0, 1},
    {0x34, 0x11, ANY_STATE, 0, 1},
    /* LLC_VICTIMS: M, E, S, MISS; NID with M */
    {0x37, 0x01, 0, 0, 1},
    {0x37, 0x02, 0, 0, 1},
    {0x37, 0x04, 0, 0, 1},
    {0x37, 0x08, 0, 0, 1},
    {0x37, 0x41, 0, 1, 1},
    /* MISC: RSPI_WAS_FSE, WC_ALIASING, STARTED, RFO_HIT_S */
    {0x39, 0x01, 0, 0, 1},
    {0x39, 0x02, 0, 0, 1},
    {0x39, 0x04, 0, 0, 1},
    {0x39, 0x08, 0, 0, 1},
    /* rings: AD, AK, BL, IV */
    RING_OF(0x1b),
    RING_OF(0x1c),
    RING_OF(0x1d),
    {0x1e, 0x0f, 0, 0, 1},
    {0x1e, 0x33, 0, 0, 1},
    {0x1e, 0xcc, 0, 0, 1},
    /* RING_BOUNCES */
    {0x05, 0x02, 0, 0, 0},
    {0x05, 0x04, 0, 0, 0},
    {0x05, 0x08, 0, 0, 0},
    {0x05, 0x10, 0, 0, 0},
    /* RXR_EXT_STARVED */
    {0x12, 0x01, 0, 0, 0},
    {0x12, 0x02, 0, 0, 0},
    {0x12, 0x04, 0, 0, 0},
    {0x12, 0x08, 0, 0, 0},
    /* RXR_INSERTS */
    {0x13, 0x01, 0, 0, 1},
    {0x13, 0x02, 0, 0, 1},
    {0x13, 0x04, 0, 0, 1},
    {0x13, 0x10, 0, 0, 1},
    /* RXR_IPQ_RETRY: ANY, FULL, ADDR_CONFLICT, QPI_CREDITS */
    {0x31, 0x01, 0, 0, 1},
    {0x31, 0x02, 0, 0, 1},
    {0x31, 0x04, 0, 0, 1},
    {0x31, 0x10, 0, 0, 0},
    /* RXR_IRQ_RETRY: and RTID, IIO_CREDITS */
    {0x32, 0x01, 0, 0, 1},
    {0x32, 0x02, 0, 0, 1},
    {0x32, 0x04, 0, 0, 1},
    {0x32, 0x08, 0, 0, 1},
    {0x32, 0x10, 0, 0, 1},
    {0x32, 0x20, 0, 0, 0},
    /* RXR_ISMQ_RETRY: ANY, FULL, RTID, QPI_CREDITS, IIO_CREDITS, WB_CREDITS */
    {0x33, 0x01, 0, 0, 1},
    {0x33, 0x02, 0, 0, 0},
    {0x33, 0x08, 0, 0, 0},
    {0x33, 0x10, 0, 0, 0},
    {0x33, 0x20, 0, 0, 0},
    {0x33, 0x80, 0, 0, 1},
    /* RXR_OCCUPANCY */
    {0x11, 0x01, 0, 0, 1},
    {0x11, 0x02, 0, 0, 1},
    {0x11, 0x04, 0, 0, 1},
    {0x11, 0x10, 0, 0, 1},
    /* TOR_INSERTS, TOR_OCCUPANCY and its MISS_ALL */
    TOR_OF(0x35),
    OPCODES_OF(0x35),
    TOR_OF(0x36),
    {0x36, 0x0a, 0, 0, 1},
    OPCODES_OF(0x36),
    /* TXR_ADS_USED, TXR_INSERTS */
    {0x04, 0x01, 0, 0, 0},
    {0x04, 0x02, 0, 0, 0},
    {0x04, 0x04, 0, 0, 0},
    {0x02, 0x01, 0, 0, 1},
    {0x02, 0x02, 0, 0, 1},
    {0x02, 0x04, 0, 0, 1},
    {0x02, 0x08, 0, 0, 1},
    {0x02, 0x10, 0, 0, 1},
    {0x02, 0x20, 0, 0, 1},
    {0x02, 0x40, 0, 0, 1},
};
enum { UNIT_MASKS = sizeof unit_masks / sizeof *unit_masks };

static void test_share(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 10, 0);
    unsigned produced = 0;

    assert_int_equal(UNIT_MASKS, 128 + 38 + 6);
    for (unsigned i = 0; i < UNIT_MASKS; i++) {
        const struct unit_mask *u = &unit_masks[i];
        bx_selection sel = rig_selection(0, 0, u->code, u->umask,
                                         (struct rig_filter){false, u->filter0, u->filter1});
        assert_int_equal(bx_model_produces(r.m, &sel), u->produced);
        produced += u->produced;
    }
    assert_int_equal(produced, 147); /* 85 % */
    assert_true(100 * produced >= 80 * UNIT_MASKS);
    /* Without unit masks: CLOCKTICKS; not COUNTER0_OCCUPANCY, RING_SRC_THRTL. */
    bx_selection sel = rig_selection(0, 0, 0, 0, none);
    assert_true(bx_model_produces(r.m, &sel));
    sel.code = 0x1f;
    assert_false(bx_model_produces(r.m, &sel));
    sel.code = 0x07;
    assert_false(bx_model_produces(r.m, &sel));
    sel = rig_selection(0, 10, 0, 0, none);
    assert_false(r.s->tally(r.s, &sel, &(uint64_t){0}));
    sel = rig_selection(2, 0, 0, 0, none);
    assert_false(r.s->tally(r.s, &sel, &(uint64_t){0}));
    sel.box = BX_IVBEP_UBO;
    assert_false(bx_model_produces(r.m, &sel));
    rig_free(&r);
}

/* Some work changes every signal that is produced. */
static void test_all_move(void **state)
{
    (void)state;
    static const char *const busy[] = {
        "stream,size=4M,cores=10,stride=64",
        "sharing,cores=10,iterations=4000,write=30",
        "pingpong,cores=10,iterations=2000,period=20",
        "random,size=4M,iterations=20000,cores=10,write=50+dma,size=1M,iterations=9000,period=5",
        "dma,size=1M,iterations=4000,step=32",
    };
    struct rig r = rig_new(2, 5, 5 * 64 * 20 * 64);

    for (unsigned i = 0; i < sizeof busy / sizeof *busy; i++)
        rig_work(&r, busy[i]);
    for (uint64_t line = 0; line < 100; line++) { /* code, and a device's partial reads */
        rig_do(&r, 0, BX_FETCH, line, 0);
        rig_do(&r, BX_AGENT_IO, BX_LOAD, line, BX_ACCESS_PARTIAL);
        /* a kernel's store of a whole line: that flag is above the line */
        rig_do(&r, 0, BX_STORE, (line + 5000) | BX_ACCESS_WHOLE >> 16, 0);
    }
    for (unsigned core = 0; core < 10; core++) /* stored past the caches, which have it modified */
        for (uint64_t line = 0; line < 100; line++) {
            rig_do(&r, core, BX_STORE, line, 0);
            rig_do(&r, core, BX_NON_TEMPORAL, line, line % 2 ? BX_ACCESS_PARTIAL : 0);
        }
    for (uint64_t i = 0; i <= 8; i++) /* a line that L2 evicts before L1D does */
        rig_do(&r, 1, i ? BX_LOAD : BX_STORE, 512 * i, 0);
    for (unsigned i = 0; i < UNIT_MASKS; i++) {
        const struct unit_mask *u = &unit_masks[i];
        if (!u->produced)
            continue;
        if (!rig_all(&r, u->code, u->umask, (struct rig_filter){false, u->filter0, u->filter1}))
            print_error("nothing moves %02x/%02x filters %x %x\n", u->code, u->umask, u->filter0,
                        u->filter1);
        assert_true(
            rig_all(&r, u->code, u->umask, (struct rig_filter){false, u->filter0, u->filter1}) > 0);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),     cmocka_unit_test(test_levels),
        cmocka_unit_test(test_pieces),   cmocka_unit_test(test_share),
        cmocka_unit_test(test_all_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
