/* Conservation: counts of the Xeon 7500 machine's boxes agree with each other. */
#include "../cmocked.h"

#include "nhmex_rig.h"

enum { C = BX_NHMEX_C, S = BX_NHMEX_S, R = BX_NHMEX_R, M = BX_NHMEX_M };
enum { LLC_MISSES = 0x14, LLC_HITS = 0x15, LLC_S_FILLS = 0x16, LLC_VICTIMS = 0x17 };
enum { SNPS = 0x27, SNP_HITS = 0x28 };
enum { HOM = 0x60, SNP_SENT = 0x62, DRS_SENT = 0x64, REQUESTS = 0x6c, SNP_RCVD = 0x71 };
enum { IPERF = 1, QLX = 2 };
static const uint32_t FLITS_SENT = UINT32_C(1) << 31;
enum {
    BBOX_CMDS_ALL = 0x1a,
    PAGE_MISS = 0x13,
    PAGE_HIT = 0x14,
    PAGE_EMPTY = 0x15,
    DRAM_CMD = 0x0a
};
enum { RAS = 2, CAS_RD = 3, CAS_WR = 4, PRE = 0x11 };

static const struct {
    unsigned packages, cores;
    uint64_t llc;
    const char *work;
} cases[] = {
    {1, 2, 2 * 24 * 64 * 64, "random,size=1M,cores=2,seed=3,iterations=30000"},
    {2, 8, 8 * 24 * 64 * 32, "random,size=2M,cores=16,seed=1,iterations=4000"},
    {4, 4, 4 * 24 * 64 * 32, "random,size=1M,cores=16,seed=7,iterations=4000"},
    {8, 8, 8 * 24 * 64 * 16, "random,size=2M,cores=64,seed=5,iterations=600"},
    {6, 3, 3 * 24 * 64 * 16, "stream,size=1M,cores=18,seed=5"},
};

enum { CASES = sizeof cases / sizeof *cases };

/* The misses of a side's C-Boxes are the requests of its S-Box. */
static void misses_are_requests(struct rig *r)
{
    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned side = 0; side < 2; side++) {
            uint64_t misses = 0;
            for (unsigned c = 4 * side; c < 4 * side + 4 && c < r->cores; c++)
                misses += rig_unit(r, C, p, c, LLC_MISSES, 7);
            assert_int_equal(misses, rig_unit(r, S, p, side, REQUESTS, 3));
        }
    assert_true(rig_all(r, C, LLC_MISSES, 7) > 1000);
}

/* Every request snoops each other package once, and every snoop is looked up. Of the snoops of a
 * request, only the first counts as sent (323535-001 page 74). */
static void snoops_arrive(struct rig *r)
{
    uint64_t requests = rig_all(r, S, REQUESTS, 3);
    uint64_t snoops = requests * (r->packages - 1);

    assert_int_equal(rig_all(r, S, SNP_SENT, 0), r->packages > 1 ? requests : 0);
    assert_int_equal(rig_all(r, S, SNP_RCVD, 0), snoops);
    assert_int_equal(rig_all(r, C, SNPS, 3), snoops);
    assert_true(rig_all(r, C, SNP_HITS, 0xff) <= snoops);
}

/* Flits that leave through a link are those of the packets that arrive at its other end. */
static void links_lose_nothing(struct rig *r)
{
    /* NEW_PC bits and flits of a packet: DRS, NDR, SNP, HOM; NEW_PVN 10. */
    static const unsigned flits[] = {[2] = 9, [3] = 1, [4] = 1, [5] = 1};
    static const unsigned link_ports[] = {0, 1, 4, 5};

    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned link = 0; link < 4; link++) {
            static const unsigned differs[] = {1, 2, 4, 7};
            unsigned other = r->packages <= 5 ? (p + link + 1) % r->packages : p ^ differs[link];
            unsigned back = r->packages <= 5 ? r->packages - 2 - link : link;
            uint64_t received = 0;
            if (other >= r->packages || (r->packages <= 5 && link + 1 >= r->packages))
                continue;
            for (unsigned class = 2; class < 6; class ++)
                received += flits[class] *
                            rig_unit(r, R, other, link_ports[back], IPERF, 1u << class | 0x80);
            assert_int_equal(rig_unit(r, R, p, link_ports[link], IPERF, FLITS_SENT), received);
        }
}

/* Acknowledged conflicts, from the first call on (MSG_OPCODE_IN_MATCH of HOM0, AckCnflt and
 * AckCnfltWbI). */
static uint64_t acknowledged(struct rig *r)
{
    static const uint64_t opcodes[] = {15, 9};
    uint64_t sum = 0;

    for (unsigned i = 0; i < 4 * r->packages; i++) {
        bx_selection sel = {.box = BX_NHMEX_B,
                            .package = (uint16_t)(i / 4),
                            .unit = (uint16_t)(i % 2),
                            .counter = 1,
                            .code = 5,
                            .filter = {opcodes[i / 2 % 2] << 52, UINT64_C(0xf0f) << 44}};
        sum += rig_tally(r, &sel);
    }
    return sum;
}

/* Home agents and memory: reads and writes, pages, commands. */
static void memory_agrees(struct rig *r)
{
    uint64_t commands = rig_all(r, M, BBOX_CMDS_ALL, 0);
    uint64_t rd = rig_all_b(r, 1, 0x1d), wr = rig_all_b(r, 1, 0x0c);
    uint64_t inv = rig_all_b(r, 1, 0x0f), implicit = rig_all_b(r, 3, 0x12);
    assert_int_equal(commands, rd + wr + implicit);
    assert_int_equal(rig_all_b(r, 1, 0x07), rd + wr + inv + acknowledged(r));
    /* Requests that find room in the in-flight memory table (COHQ_BYPASS), and reads that do not
     * (DEMAND_FETCH). */
    assert_true(rig_all_b(r, 3, 0x0e) + rig_all_b(r, 3, 0x0f) <= rd + wr + inv);
    assert_true(rig_all_b(r, 3, 0x0f) <= rd);
    assert_int_equal(rd + inv, rig_all(r, S, REQUESTS, 3));
    assert_int_equal(commands, rig_all(r, M, PAGE_HIT, 0) + rig_all(r, M, PAGE_MISS, 0) +
                                   rig_all(r, M, PAGE_EMPTY, 0));
    assert_int_equal(commands, rig_all(r, M, DRAM_CMD, CAS_RD) + rig_all(r, M, DRAM_CMD, CAS_WR));
    assert_int_equal(rig_all(r, M, DRAM_CMD, RAS),
                     rig_all(r, M, PAGE_MISS, 0) + rig_all(r, M, PAGE_EMPTY, 0));
    assert_int_equal(rig_all(r, M, DRAM_CMD, PRE), rig_all(r, M, PAGE_MISS, 0));
    assert_true(wr > 100);
    /* CYCLES_MFULL: badly starved; the retry queue's state of that name; its starved state. */
    assert_int_equal(rig_all(r, M, 0x01, 0), rig_all(r, M, 0x23, 0));
    assert_true(rig_all(r, M, 0x01, 0) <= rig_all(r, M, 0x24, 0));
    assert_true(rig_all_b(r, 3, 0x19) <= rd); /* ACK_BEFORE_LAST_SNP */
}

static uint64_t ras_in_mode(struct rig *r, unsigned mode)
{
    uint64_t sum = 0;

    for (unsigned unit = 0; unit < 2 * r->packages; unit++) {
        bx_selection sel = {.box = M,
                            .package = (uint16_t)(unit / 2),
                            .unit = (uint16_t)(unit % 2),
                            .code = DRAM_CMD,
                            .umask = RAS,
                            .filter = {[1] = mode << 7, [5] = 1},
                            .applies = {[1] = 7 << 7, [5] = 1}};
        sum += rig_tally(r, &sel);
    }
    return sum;
}

/* Every cycle and command has one scheduling mode. */
static void modes_agree(struct rig *r)
{
    enum { TRADE_OFF = 0, WRITE_PRIORITY = 2, CYCLES_SCHED_MODE = 0x21 };
    uint64_t writes_first = rig_all(r, M, CYCLES_SCHED_MODE, WRITE_PRIORITY);

    assert_int_equal(ras_in_mode(r, TRADE_OFF) + ras_in_mode(r, WRITE_PRIORITY),
                     rig_all(r, M, DRAM_CMD, RAS));
    assert_int_equal(rig_all(r, M, CYCLES_SCHED_MODE, TRADE_OFF) + writes_first,
                     2 * r->packages * r->s->now(r->s));
    if (r->packages == 2) { /* busy enough */
        assert_true(writes_first > 0 && ras_in_mode(r, WRITE_PRIORITY) > 0);
        assert_true(rig_all(r, M, 0x08, 0) > 0); /* SCHED_MODE_CHANGES */
    }
}

/* Every fill has a victim, even if only an empty way. Modified victims go to their home. */
static void fills_make_victims(struct rig *r)
{
    assert_int_equal(rig_all(r, C, LLC_S_FILLS, 0xf), rig_all(r, C, LLC_VICTIMS, 0x1f));
    assert_int_equal(rig_all(r, C, LLC_S_FILLS, 0xf), rig_all(r, C, LLC_MISSES, 4));
    assert_int_equal(rig_all(r, C, LLC_VICTIMS, 1), rig_all_b(r, 1, 0x0c));
}

/* Data sent by home agents, from the first call on (MSG_OUT_MATCH of class DRS). */
static uint64_t sent_from_homes(struct rig *r)
{
    uint64_t sum = 0;

    for (unsigned unit = 0; unit < 2 * r->packages; unit++) {
        bx_selection sel = {.box = BX_NHMEX_B,
                            .package = (uint16_t)(unit / 2),
                            .unit = (uint16_t)(unit % 2),
                            .counter = 1,
                            .code = 2,
                            .filter = {UINT64_C(14) << 48, UINT64_C(15) << 48}};
        sum += rig_tally(r, &sel);
    }
    return sum;
}

/* Every read gets its data once, from its home or a snooped package. Every request without data
 * from its home, every write-back and every acknowledgement of a conflict gets an answer without
 * data. */
static void answers_come(struct rig *r, uint64_t sent)
{
    uint64_t rd = rig_all_b(r, 1, 0x1d), wr = rig_all_b(r, 1, 0x0c), inv = rig_all_b(r, 1, 0x0f);

    assert_true(rig_all_b(r, 1, 0x09) < sent); /* DRSQ_INSERTS: data that waits for a port */
    assert_int_equal(rig_all(r, S, 0x72, 0) + rig_all(r, S, 0x73, 0), rd);
    assert_int_equal(rig_all(r, S, 0x70, 0), rd - sent + wr + inv + acknowledged(r));
    assert_int_equal(rd, rig_all(r, C, LLC_MISSES, 4));
    assert_int_equal(inv, rig_all(r, C, LLC_MISSES, 3));
}

/* Cycles with something in the queues of several C-Boxes (323535-001 page 78). They are at least
 * those of each C-Box, and at most the sum of all. */
static void queues_of_several(struct rig *r)
{
    enum { DRS_NE = 0x0f };

    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned side = 0; side < 2; side++) {
            uint64_t one[16];
            for (unsigned set = 0; set < 16; set++)
                one[set] = rig_unit(r, S, p, side, DRS_NE, set);
            assert_int_equal(one[0], 0);
            for (unsigned set = 1; set < 16; set++) {
                unsigned lowest = set & -set;
                assert_true(one[set] >= one[lowest] && one[set] >= one[set - lowest]);
                assert_true(one[set] <= one[lowest] + one[set - lowest]);
            }
            assert_true(one[15] <= rig_unit(r, S, p, side, DRS_NE + 1, 15)); /* OCCUPANCY */
        }
}

/* Everything that enters a C-Box leaves it. */
static void slices_agree(struct rig *r)
{
    uint64_t lookups = rig_all(r, C, LLC_HITS, 0xf) + rig_all(r, C, LLC_MISSES, 7);

    assert_int_equal(rig_all(r, C, 0x10, 0), lookups);                /* MAF_ACK */
    assert_int_equal(rig_all(r, C, 0x1b, 0), rig_all(r, C, SNPS, 3)); /* TRANS_IPQ */
    for (unsigned p = 0; p < r->packages; p++) {
        /* RWRF: the cores' requests (IRQ). RSPF: a response to each snoop of a core. */
        assert_int_equal(rig_package(r, C, p, 0x21, 0), rig_package(r, C, p, 0x19, 0));
        assert_int_equal(rig_package(r, C, p, 0x23, 0), rig_package(r, C, p, 0x06, 1));
    }
    assert_int_equal(rig_all(r, C, 0x1d, 0), rig_all(r, C, LLC_VICTIMS, 1)); /* TRANS_VIQ */
    assert_int_equal(rig_all(r, C, 0x08, 0), rig_all(r, C, LLC_MISSES, 4));  /* SINKS_S2P_BL */
}

/* In each cycle a link has a flit or none. A packet that fails a bid waits in the table, and bids
 * again. */
static void wires_agree(struct rig *r)
{
    static const unsigned eot[] = {0x2c0000, 0x2e0000, 0x280000, 0x260000, 0x2a0000, 0x220000};
    static const unsigned qlx[] = {0x50, 0x30, 0x40, 0x20, 0x10, 0x00};

    for (unsigned p = 0; p < r->packages; p++)
        for (unsigned port = 0; port < 8; port++) {
            if (port % 4 < 2)
                assert_int_equal(rig_unit(r, R, p, port, IPERF, FLITS_SENT) +
                                     rig_unit(r, R, p, port, IPERF, 1u << 30),
                                 r->s->now(r->s));
            /* Clocks in which a local bid failed. */
            assert_int_equal(rig_unit(r, R, p, port, QLX, 4),
                             rig_unit(r, R, p, port, IPERF, 0x10000));
            for (unsigned class = 2; class < 6; class ++) {
                uint64_t failed = rig_unit(r, R, p, port, QLX, qlx[class] | 3);
                assert_int_equal(rig_unit(r, R, p, port, IPERF, eot[class]), failed);
                assert_int_equal(rig_unit(r, R, p, port, QLX, qlx[class]),
                                 failed + rig_unit(r, R, p, port, IPERF, 1u << class | 0x80));
            }
        }
}

static void laws_hold(void **state)
{
    unsigned i = *(const unsigned *)*state;
    struct rig r = rig_new(cases[i].packages, cases[i].cores, cases[i].llc);

    assert_int_equal(sent_from_homes(&r) + acknowledged(&r), 0);
    rig_work(&r, cases[i].work);
    misses_are_requests(&r);
    snoops_arrive(&r);
    links_lose_nothing(&r);
    memory_agrees(&r);
    modes_agree(&r);
    fills_make_victims(&r);
    answers_come(&r, sent_from_homes(&r));
    slices_agree(&r);
    queues_of_several(&r);
    wires_agree(&r);
    rig_free(&r);
}

int main(void)
{
    static unsigned number[CASES];
    struct CMUnitTest tests[CASES];

    for (unsigned i = 0; i < CASES; i++) {
        number[i] = i;
        tests[i] = (struct CMUnitTest){
            .name = cases[i].work, .test_func = laws_hold, .initial_state = &number[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
