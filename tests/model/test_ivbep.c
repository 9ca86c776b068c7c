/* Scenarios of the Ivy Bridge-EP machine worked out by hand from docs/explanation/model-ivbep.md.
 */
#include "../cmocked.h"

#include "ivbep_rig.h"

enum {
    OPCODE = 0x01,
    MISS_OPCODE = 0x03,
    ALL = 0x08,
    MISS_ALL = 0x0a,
    EVICTION = 0x04,
    WB = 0x10,
    LOCAL = 0x28,
    REMOTE = 0x88,
    MISS_LOCAL = 0x2a,
    MISS_REMOTE = 0x8a,
    LOOKUP = 0x34,
    INSERTS = 0x35,
    OCCUPANCY = 0x36,
    VICTIMS = 0x37,
    MISC = 0x39,
};

static const struct rig_filter none = {0};
static const struct rig_filter any_state = {.filter0 = 0x7e0000};

static struct rig_filter opcode(unsigned opc)
{
    return (struct rig_filter){.filter1 = opc << 20};
}

static struct rig_filter in_state(unsigned bit)
{
    return (struct rig_filter){.filter0 = 1u << (17 + bit)};
}

/* Line 0 of page 0 is at home in node 0, line 64 in node 1. One core's lines are all in slice 0,
 * and core 0 is beside slice 0: no hop. The queue takes 2 cycles, the way to the controller 20, and
 * the read 130. */
static void test_a_miss(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    assert_int_equal(rig_do(&r, 0, BX_LOAD, 0, 0), 2 + 20 + 130);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x182)), 1);
    assert_int_equal(rig_all(&r, INSERTS, MISS_OPCODE, opcode(0x182)), 1);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x180)), 0);
    assert_int_equal(rig_all(&r, OCCUPANCY, ALL, none), 150);
    assert_int_equal(rig_all(&r, 0x13, 1, none), 1); /* IRQ */
    assert_int_equal(rig_all(&r, 0x11, 1, none), 2);
    assert_int_equal(rig_all(&r, LOOKUP, 0x03, in_state(0)), 1); /* I */
    assert_int_equal(rig_all(&r, LOOKUP, 0x11, any_state), 1);
    assert_int_equal(rig_all(&r, VICTIMS, 8, none), 1); /* an empty way */
    assert_int_equal(rig_all(&r, MISC, 4, none), 1);    /* STARTED */
    /* AD from core 0 to slice 0 and from there to the home agent's stop; the answer AK and BL. */
    assert_int_equal(rig_all(&r, 0x02, 0x10, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x01, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x02, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x04, none), 1);
    assert_int_equal(bx_ivbep_counts(r.m, 0, 0)->tor[BX_IVBEP_DRD][1][0][0], 1);
    assert_int_equal(rig_do(&r, 0, BX_LOAD, 0, 0), 0); /* L1D */
    assert_int_equal(rig_all(&r, INSERTS, ALL, none), 1);
    rig_free(&r);
}

/* Two packages: the other one is snooped: 40 cycles each way, 2 in its queue, 20 for the snoop,
 * which is quicker than memory. To the other node's memory the way also takes 40 twice. */
static void test_home(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    assert_int_equal(rig_do(&r, 0, BX_LOAD, 0, 0), 152);
    assert_int_equal(rig_do(&r, 0, BX_LOAD, 64, 0), 232);
    assert_int_equal(rig_package(&r, 0, INSERTS, MISS_LOCAL, none), 1);
    assert_int_equal(rig_package(&r, 0, INSERTS, MISS_REMOTE, none), 1);
    assert_int_equal(rig_package(&r, 0, INSERTS, 0x4a, (struct rig_filter){.filter1 = 1}), 1);
    assert_int_equal(rig_package(&r, 0, INSERTS, 0x4a, (struct rig_filter){.filter1 = 2}), 1);
    assert_int_equal(rig_package(&r, 0, INSERTS, 0x4a, (struct rig_filter){.filter1 = 3}), 2);
    assert_int_equal(rig_package(&r, 0, INSERTS, 0x4a, (struct rig_filter){.filter1 = 4}), 0);
    /* In package 1: a snoop each, of lines it does not have; one of them is at home there. */
    assert_int_equal(rig_package(&r, 1, LOOKUP, 0x09, in_state(0)), 2);
    assert_int_equal(rig_package(&r, 1, 0x13, 4, none), 2);
    assert_int_equal(rig_package(&r, 1, INSERTS, ALL, none), 2);
    assert_int_equal(rig_package(&r, 1, INSERTS, MISS_ALL, none), 0);
    assert_int_equal(rig_package(&r, 1, INSERTS, LOCAL, none), 1);
    assert_int_equal(rig_package(&r, 1, INSERTS, REMOTE, none), 1);
    assert_int_equal(rig_package(&r, 1, OCCUPANCY, ALL, none), 40);
    rig_free(&r);
}

/* A line that both packages read: F in the package that read it last, S in the other. An RFO then
 * finds it in F, and invalidates it in the other package, which had it in S. */
static void test_forward(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    /* For the core of package 1: 2, there 40 + 2 + 20 + 25 for the core that has it alone, and 40
     * back. */
    assert_int_equal(rig_do(&r, 1, BX_LOAD, 0, 0), 2 + 40 + 2 + 20 + 25 + 40);
    assert_int_equal(rig_package(&r, 0, LOOKUP, 0x09, in_state(2)), 1); /* E */
    rig_do(&r, 1, BX_STORE, 0, 0);
    assert_int_equal(rig_package(&r, 1, LOOKUP, 0x03, in_state(4)), 1); /* F */
    assert_int_equal(rig_package(&r, 1, MISC, 8, none), 1);             /* RFO_HIT_S */
    assert_int_equal(rig_package(&r, 0, LOOKUP, 0x09, in_state(1)), 1); /* S */
    assert_int_equal(rig_package(&r, 0, MISC, 1, none), 1);             /* RSPI_WAS_FSE */
    /* The line is modified there. It is sent, and written to memory, when package 0 reads it. */
    assert_int_equal(rig_do(&r, 0, BX_LOAD, 0, 0), 2 + 40 + 2 + 20 + 35 + 40);
    assert_int_equal(rig_package(&r, 1, LOOKUP, 0x09, in_state(2)), 1); /* E: the core had M */
    assert_int_equal(rig_package(&r, 1, MISC, 1, none), 0);
    rig_free(&r);
}

/* If another core of the package reads a core's modified line, the line is M' then. */
static void test_m_prime(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 2, 0);

    rig_do(&r, 0, BX_STORE, 0, 0);
    /* Slice 0, core 1: a hop, and the snoop of core 0. */
    assert_int_equal(rig_do(&r, 1, BX_LOAD, 0, 0), 2 + 34 + 35 + 1);
    assert_int_equal(rig_all(&r, LOOKUP, 0x03, in_state(2)), 1); /* E */
    rig_do(&r, 0, BX_STORE, 0, 0);
    assert_int_equal(rig_all(&r, LOOKUP, 0x03, in_state(5)), 1); /* M' */
    assert_int_equal(rig_all(&r, MISC, 8, none), 0);             /* not shared with other cores */
    rig_do(&r, 1, BX_LOAD, 0, 0);
    assert_int_equal(rig_all(&r, LOOKUP, 0x03, in_state(3)), 1); /* M */
    assert_int_equal(rig_all(&r, LOOKUP, 0x03, any_state), 4);
    assert_int_equal(rig_all(&r, 0x02, 0x08, none), 3); /* IV: three snoops */
    assert_int_equal(rig_all(&r, 0x02, 0x40, none), 2); /* BL sent by cores: two were modified */
    rig_free(&r);
}

/* A core that silently dropped a clean line is snooped for it in vain, once. Core 1 then has the
 * line alone, and stores to it silently. */
static void test_silent_drop(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 2, 0);

    for (uint64_t i = 0; i <= 8; i++)
        rig_do(&r, 0, BX_LOAD, 512 * i, 0);
    assert_int_equal(rig_do(&r, 1, BX_LOAD, 0, 0), 2 + 34 + 25 + 1);
    assert_int_equal(rig_do(&r, 1, BX_STORE, 0, 0), 0);
    assert_int_equal(rig_all(&r, 0x02, 0x08, none), 1); /* AK sent by a core */
    assert_int_equal(rig_all(&r, 0x02, 0x20, none), 1); /* AK by a core */
    rig_free(&r);
}

/* Nine lines of one set of L2 (512 apart), which has 8 ways like L1D, the first one stored to. */
static void test_write_back(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_STORE, 0, 0);
    for (uint64_t i = 1; i <= 8; i++)
        rig_do(&r, 0, BX_LOAD, 512 * i, 0);
    /* L2 is filled before L1D. L1D has the line when L2 evicts it, and keeps it, clean. */
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x1c5)), 1);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x1c4)), 0);
    assert_int_equal(rig_all(&r, INSERTS, WB, none), 1);
    assert_int_equal(rig_all(&r, LOOKUP, 0x05, in_state(2)), 1); /* E before that */
    /* Evicted from L1D first, by lines of its set there (64 apart): the core keeps no copy. */
    rig_do(&r, 0, BX_STORE, 1, 0);
    for (uint64_t i = 1; i <= 8; i++)
        rig_do(&r, 0, BX_LOAD, 1 + 64 * i, 0);
    for (uint64_t i = 1; i <= 8; i++)
        rig_do(&r, 0, BX_LOAD, 1 + 512 * i, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x1c4)), 1);
    assert_int_equal(rig_all(&r, INSERTS, WB, none), 2);
    rig_free(&r);
}

/* An LLC of one set of 20 ways: the 21st line evicts the first, which is modified in the core. The
 * eviction takes 20 to the controller, 12 for the new line's read on the same channel, which goes
 * first, and 12 for its own transfer. */
static void test_eviction(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 20 * 64);

    rig_do(&r, 0, BX_STORE, 0, 0);
    for (uint64_t i = 1; i <= 20; i++)
        rig_do(&r, 0, BX_LOAD, 128 * i, 0);
    assert_int_equal(rig_all(&r, VICTIMS, 8, none), 20);
    assert_int_equal(rig_all(&r, VICTIMS, 1, none), 1);
    assert_int_equal(rig_all(&r, INSERTS, EVICTION, none), 1);
    assert_int_equal(rig_all(&r, OCCUPANCY, EVICTION, none), 44);
    /* The next one is clean: 12 cycles, and 25 for the core that may have it. */
    rig_do(&r, 0, BX_LOAD, 128 * 21, 0);
    assert_int_equal(rig_all(&r, VICTIMS, 2, none), 1);
    assert_int_equal(rig_all(&r, OCCUPANCY, EVICTION, none), 44 + 37);
    rig_free(&r);
}

/* Consecutive lines: with the second miss in a row, the next line is fetched into the LLC. */
static void test_prefetch(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x192)), 0);
    rig_do(&r, 0, BX_LOAD, 1, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x192)), 1);
    rig_do(&r, 0, BX_FETCH, 200, 0);
    rig_do(&r, 0, BX_FETCH, 201, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x191)), 1);
    rig_do(&r, 0, BX_STORE, 300, 0);
    rig_do(&r, 0, BX_STORE, 301, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x190)), 1);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x181)), 2);
    assert_int_equal(rig_do(&r, 0, BX_LOAD, 2, 0), 2 + 34);
    /* Not past the page's end. */
    rig_do(&r, 0, BX_LOAD, 1022, 0);
    rig_do(&r, 0, BX_LOAD, 1023, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x192)), 2);
    rig_free(&r);
}

/* Devices: full lines at home are written into the LLC, others to memory. */
static void test_devices(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, BX_AGENT_IO, BX_STORE, 0, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x19c)), 1);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 64, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x194)), 1);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 1, BX_ACCESS_PARTIAL);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x193)), 1);
    rig_do(&r, BX_AGENT_IO, BX_LOAD, 0, 0);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x19e)), 1);
    rig_do(&r, BX_AGENT_IO, BX_LOAD, 2, BX_ACCESS_PARTIAL);
    assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x195)), 1);
    assert_int_equal(rig_package(&r, 0, LOOKUP, 0x05, in_state(0)), 3);
    assert_int_equal(rig_package(&r, 0, LOOKUP, 0x03, in_state(3)), 1); /* M: written before */
    /* All belong to no thread, and are in VFIFO. */
    assert_int_equal(rig_package(&r, 0, INSERTS, ALL, (struct rig_filter){true, 0x10, 0}), 5);
    assert_int_equal(rig_package(&r, 0, INSERTS, ALL, (struct rig_filter){true, 0, 0}), 0);
    assert_int_equal(rig_package(&r, 0, 0x13, 0x10, none), 5);
    /* A device's read of a remote line that package 1 has modified. */
    rig_do(&r, 1, BX_STORE, 5, 0);
    rig_do(&r, BX_AGENT_IO, BX_LOAD, 5, 0);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 5, BX_ACCESS_PARTIAL);
    assert_int_equal(rig_package(&r, 1, LOOKUP, 0x09, in_state(3)), 1);
    rig_free(&r);
}

/* Two requests for one line at once: the second waits until the first is done. Core 1 of two is one
 * hop from slice 0. */
static void test_conflict(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 2, 0);
    const bx_access load = bx_access_make(0, BX_LOAD, 0, 0);

    for (unsigned core = 0; core < 2; core++)
        rig_feed(&r, core, &load, 1);
    assert_int_equal(rig_run(&r), 152 + 34 + 25 + 1);
    assert_int_equal(rig_all(&r, 0x32, 0x01, none), 1); /* ANY */
    assert_int_equal(rig_all(&r, 0x32, 0x04, none), 1); /* ADDR_CONFLICT */
    assert_int_equal(rig_all(&r, 0x13, 0x02, none), 1); /* IRQ_REJECTED */
    assert_int_equal(rig_all(&r, 0x11, 0x02, none), 150);
    assert_int_equal(rig_all(&r, 0x11, 0x01, none), 2 + 152);
    assert_int_equal(rig_all(&r, MISC, 4, none), 3);
    rig_free(&r);
}

/* Five stops: four cores, and the agents' one. Line 3 is in slice 3 of four. From core 0 to slice 3
 * it is two hops down, over the agents' stop. That stop has no C-Box, so AD is counted at stop 3
 * only. Line 3 is odd, and of virtual ring 1. */
static void test_ring(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 4, 0);

    rig_do(&r, 0, BX_LOAD, 3, 0);
    bx_selection sel = rig_selection(0, 3, 0x1b, 0x80, none); /* DOWN_VR1_ODD */
    assert_int_equal(rig_tally(&r, &sel), 1);
    assert_int_equal(rig_all(&r, 0x1b, 0xff, none), 1); /* 3 to the agents' stop: no C-Box there */
    assert_int_equal(rig_all(&r, 0x1d, 0x80, none), 1); /* data from memory: down to 3 … */
    assert_int_equal(rig_all(&r, 0x1d, 0x20, none), 1); /* … and up by two to core 0 */
    assert_int_equal(rig_all(&r, 0x1c, 0x20, none), 1);
    rig_free(&r);
}

/* Cores 1 and 9 have the same three bits. */
static void test_thread_filter(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 15, 0);

    rig_do(&r, 1, BX_LOAD, 0, 0);
    rig_do(&r, 9, BX_LOAD, 1000, 0);
    rig_do(&r, 2, BX_LOAD, 2000, 0);
    assert_int_equal(rig_all(&r, INSERTS, ALL, (struct rig_filter){true, 1 << 1, 0}), 2);
    assert_int_equal(rig_all(&r, INSERTS, ALL, (struct rig_filter){true, 2 << 1, 0}), 1);
    assert_int_equal(rig_all(&r, INSERTS, ALL, (struct rig_filter){true, 2 << 1 | 1, 0}), 0);
    assert_int_equal(rig_all(&r, INSERTS, ALL, none), 3);
    rig_free(&r);
}

/* Two packages. A miss sends one AD for memory and the other package. The other package answers AK
 * if it has no data, and BL if the line comes from there, also for a store. */
static void test_messages_between_packages(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    assert_int_equal(rig_package(&r, 0, 0x02, 0x01, none), 1); /* AD sent by the slice */
    assert_int_equal(rig_package(&r, 1, 0x02, 0x02, none), 1); /* AK */
    assert_int_equal(rig_package(&r, 1, 0x02, 0x04, none), 0); /* BL */
    rig_do(&r, 1, BX_STORE, 0, 0);
    assert_int_equal(rig_package(&r, 0, 0x02, 0x04, none), 1 + 1); /* to the core, and this one */
    /* Line 10 is then in both packages: the store asks the other one for ownership, not for
     * data. */
    rig_do(&r, 0, BX_LOAD, 10, 0);
    rig_do(&r, 1, BX_LOAD, 10, 0);
    assert_int_equal(rig_package(&r, 1, 0x02, 0x01, none), 2);
    assert_int_equal(rig_package(&r, 0, 0x02, 0x04, none), 4);
    rig_do(&r, 1, BX_STORE, 10, 0);
    assert_int_equal(rig_package(&r, 1, 0x02, 0x01, none), 3);
    assert_int_equal(rig_package(&r, 0, 0x02, 0x04, none), 4);
    rig_free(&r);
}

/* A device's load that misses: AD to memory, the line BL from the last stop to slice 0, and BL
 * back. A partial store: AD and BL to memory, AK back. */
static void test_messages_of_devices(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    rig_do(&r, BX_AGENT_IO, BX_LOAD, 0, 0);
    assert_int_equal(rig_all(&r, 0x02, 0x01, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x04, none), 1);
    assert_int_equal(rig_all(&r, 0x1d, 0xff, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x02, none), 0);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 0, BX_ACCESS_PARTIAL);
    assert_int_equal(rig_all(&r, 0x02, 0x01, none), 2);
    assert_int_equal(rig_all(&r, 0x02, 0x04, none), 2);
    assert_int_equal(rig_all(&r, 0x02, 0x02, none), 1);
    rig_free(&r);
}

/* One set of 20 ways: a device's store to its oldest line does not make the line younger. */
static void test_devices_do_not_touch(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 20 * 64);

    for (uint64_t i = 0; i < 20; i++)
        rig_do(&r, 0, BX_LOAD, 128 * i, 0);
    rig_do(&r, BX_AGENT_IO, BX_STORE, 0, 0);
    rig_do(&r, 0, BX_LOAD, 128 * 20, 0);
    assert_int_equal(rig_all(&r, VICTIMS, 1, none), 1); /* M: line 0 */
    rig_free(&r);
}

/* One set of 20 ways, all modified, and six misses at once: four evictions begin at 2. All use one
 * channel; the writes end at 46, 70, 94 and 118. The fifth eviction waits until 46. The sixth could
 * begin then, too, but four are active, so it waits until 70. */
static void test_write_credits(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 20 * 64);
    bx_access load[6];

    for (uint64_t i = 0; i < 20; i++)
        rig_do(&r, 0, BX_STORE, 128 * i, 0);
    for (unsigned i = 0; i < 6; i++)
        load[i] = bx_access_make(128 * (20 + i), BX_LOAD, 0, 0);
    rig_play(&r, 0, load, 6);
    assert_int_equal(rig_all(&r, VICTIMS, 1, none), 6);
    assert_int_equal(rig_all(&r, 0x33, 0x80, none), 1 + 2);
    assert_int_equal(rig_all(&r, 0x33, 0x01, none), 1 + 2);
    rig_free(&r);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        bx_model_shape shape;
        const char *message;
    } bad[] = {
        {{0, 1, 0, 0}, "an Ivy Bridge-EP machine has no 0 packages"},
        {{3, 1, 0, 0}, "an Ivy Bridge-EP machine has no 3 packages"},
        {{1, 0, 0, 0}, "an Ivy Bridge-EP machine has no 0 cores"},
        {{1, 16, 0, 0}, "an Ivy Bridge-EP machine has no 16 cores"},
        {{1, 4, 3, 0}, "an Ivy Bridge-EP machine of 4 cores has no 3 LLC slices"},
        {{1, 1, 1, 1000}, "an LLC of 1000 bytes cannot be built from 1 slices of 20 ways"},
        {{1, 1, 1, 3 * 1280}, "an LLC of 3840 bytes cannot be built from 1 slices of 20 ways"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bx_error e = {0};
        assert_null(bx_model_new("ivbep", &bad[i].shape, &e));
        assert_int_equal(e.code, BX_BAD_INPUT);
        assert_string_equal(e.message, bad[i].message);
        assert_true(*e.hint);
    }
    for (unsigned cores = 1; cores <= 15; cores++) {
        struct rig r = rig_new(2, cores, 0);
        rig_do(&r, cores, BX_STORE, 12345, 0);
        assert_int_equal(rig_package(&r, 1, INSERTS, OPCODE, opcode(0x180)), 1);
        rig_free(&r);
    }
}

/* ---- non-temporal stores ---- */

enum { WCILF = 0x18c, WCIL = 0x18d, ALIASING = 0x02 };

/* 2 through the queue, 20 to the controller, 12 to write. The core sends AD and BL, the slice AD
 * and BL to memory, and AK back. */
static void test_a_non_temporal_store(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 0);

    assert_int_equal(rig_do(&r, 0, BX_NON_TEMPORAL, 0, 0), 2 + 20 + 12);
    assert_int_equal(rig_all(&r, INSERTS, MISS_OPCODE, opcode(WCILF)), 1);
    assert_int_equal(rig_all(&r, INSERTS, ALL, none), 1);
    assert_int_equal(rig_all(&r, OCCUPANCY, OPCODE, opcode(WCILF)), 20 + 12);
    assert_int_equal(rig_all(&r, LOOKUP, 0x05, in_state(0)), 1);
    assert_int_equal(rig_all(&r, LOOKUP, 0x11, any_state), 1);
    assert_int_equal(rig_all(&r, VICTIMS, 0x0f, none), 0);
    assert_int_equal(rig_all(&r, MISC, ALIASING, none), 0);
    assert_int_equal(rig_all(&r, 0x02, 0x10, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x40, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x01, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x04, none), 1);
    assert_int_equal(rig_all(&r, 0x02, 0x02, none), 1);
    rig_do(&r, 0, BX_LOAD, 0, 0); /* not filled */
    assert_int_equal(rig_all(&r, INSERTS, MISS_OPCODE, opcode(0x182)), 1);
    rig_free(&r);
}

/* Core 0 has the line modified. It is written back, and to memory, before the store of core 0 or
 * core 1. */
static void test_a_non_temporal_store_to_a_modified_line(void **state)
{
    (void)state;
    for (unsigned by = 0; by < 2; by++) {
        struct rig r = rig_new(1, 2, 0);
        rig_do(&r, 0, BX_STORE, 0, 0);
        rig_do(&r, by, BX_NON_TEMPORAL, 0, BX_ACCESS_PARTIAL);
        assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x1c4)), by == 0); /* WBMTOI */
        assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(WCIL)), 1);
        assert_int_equal(rig_all(&r, INSERTS, MISS_OPCODE, opcode(WCIL)), 0);
        assert_int_equal(rig_all(&r, MISC, ALIASING, none), 1);
        rig_do(&r, 0, BX_LOAD, 0, 0);
        assert_int_equal(rig_all(&r, INSERTS, MISS_OPCODE, opcode(0x182)), 1);
        rig_free(&r);
    }
}

/* The other package has read the line. Its copy is invalidated, and it sends no line. */
static void test_a_non_temporal_store_to_a_shared_line(void **state)
{
    (void)state;
    struct rig r = rig_new(2, 1, 0);

    rig_do(&r, 0, BX_LOAD, 0, 0);
    rig_do(&r, 1, BX_LOAD, 0, 0);
    rig_do(&r, 0, BX_NON_TEMPORAL, 0, 0);
    assert_int_equal(rig_package(&r, 1, MISC, 1, none), 1); /* RSPI_WAS_FSE */
    rig_do(&r, 1, BX_LOAD, 0, 0);
    assert_int_equal(rig_package(&r, 1, INSERTS, MISS_OPCODE, opcode(0x182)), 2);
    rig_free(&r);
}

/* Two loads at once, of lines of two channels. With room for both they take the time of one. With
 * one entry of the TOR, or one RTID, the second is retried when the first is done, at 152. */
static void test_depths(void **state)
{
    static const struct {
        bx_model_times times;
        unsigned full, rtid, end;
    } of[] = {{{0}, 0, 0, 152}, {{.tor = 1}, 1, 0, 302}, {{.rtids = 1}, 0, 1, 302}};
    const bx_access both[] = {bx_access_make(0, BX_LOAD, 0, 0), bx_access_make(3, BX_LOAD, 0, 0)};

    (void)state;
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct rig r =
            rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 1, .times = of[i].times});
        rig_play(&r, 0, both, 2);
        assert_int_equal(rig_now(&r), of[i].end);
        assert_int_equal(rig_all(&r, 0x32, 0x01, none), of[i].full + of[i].rtid); /* ANY */
        assert_int_equal(rig_all(&r, 0x32, 0x02, none), of[i].full);
        assert_int_equal(rig_all(&r, 0x32, 0x08, none), of[i].rtid);
        rig_free(&r);
    }
}

/* The workload dma: each read of 8 bytes is a request with an opcode of its own, PCIPRD. */
static void parts_read_by_a_device(void **state)
{
    (void)state;
    for (unsigned part = 0; part < 2; part++) {
        struct rig r = rig_new(1, 1, 2560 << 10);
        rig_work(&r, part ? "dma,iterations=800,write=0,read=8" : "dma,iterations=800,write=0");
        assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x195)), part ? 800 : 0);
        assert_int_equal(rig_all(&r, INSERTS, OPCODE, opcode(0x19e)), part ? 0 : 800);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_read_by_a_device),
        cmocka_unit_test(test_a_non_temporal_store),
        cmocka_unit_test(test_a_non_temporal_store_to_a_modified_line),
        cmocka_unit_test(test_a_non_temporal_store_to_a_shared_line),
        cmocka_unit_test(test_a_miss),
        cmocka_unit_test(test_home),
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_m_prime),
        cmocka_unit_test(test_silent_drop),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_thread_filter),
        cmocka_unit_test(test_messages_between_packages),
        cmocka_unit_test(test_messages_of_devices),
        cmocka_unit_test(test_devices_do_not_touch),
        cmocka_unit_test(test_write_credits),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
