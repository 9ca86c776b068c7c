/* The sub-registers of R- and M-Boxes of the Xeon 7500, and the modes of an M-Box counter.
 * 323535-001 sections 2.6 and 2.7. */
#include "../cmocked.h"

#include "nhmex_boxes.h"

#define WRAPS BIT(48)

static struct bench b;

static int set_up(void **state)
{
    bench_open_silent(&b, "virtual:nhmex,part=plain");
    set(&b, U_CTL, EN_ALL);
    *state = &b;
    return 0;
}

static void start(const struct nhmex_counter *c, uint64_t control)
{
    set(&b, c->enable, get(&b, c->enable) | BIT(c->bit));
    set(&b, c->control, control | c->on);
}

/* ---- R-Box ---- */

static const unsigned iperf[2] = {0xe04, 0xe24}, qlx[2] = {0xe0c, 0xe2c};

static void raise_r(unsigned port, unsigned code, uint32_t umask, uint32_t level, uint64_t cycles)
{
    const bx_selection what = {.box = R_BOX,
                               .unit = (uint16_t)(port / 4),
                               .port = (uint16_t)(port % 4),
                               .code = (uint16_t)code,
                               .umask = umask};
    raise_what(&b, &what, level, cycles);
}

/* EV_SEL 6p + 0 and 1: the port's IPERF registers; 2 and 3: the halves of QLX (p92, p93). */
static void test_each_sub_register_of_each_port(void **state)
{
    (void)state;
    for (unsigned port = 0; port < 8; port++)
        for (unsigned which = 0; which < 4; which++) {
            struct nhmex_counter c = nhmex_counter_of(R_BOX, port / 4, (port + which) % 8);
            uint32_t wanted = which < 2 ? 0x4000000 : 0xa5;
            if (which < 2)
                set(&b, iperf[which] + port, wanted);
            else
                set(&b, qlx[port / 4] + port % 4, wanted << (which == 3 ? 8 : 0));
            set(&b, c.value, 0);
            start(&c, (6 * (port % 4) + which) << 1);
            raise_r(port, which < 2 ? 1 : 2, wanted, 1, 5);
            assert_int_equal(get(&b, c.value), 5);
            raise_r(port ^ 1, which < 2 ? 1 : 2, wanted, 1, 5);
            raise_r(port ^ 4, which < 2 ? 1 : 2, wanted, 1, 5);
            raise_r(port, which < 2 ? 2 : 1, wanted, 1, 5);
            raise_r(port, which < 2 ? 1 : 2, wanted ^ 1, 1, 5);
            assert_int_equal(get(&b, c.value), 5);
            set(&b, c.control, 0);
        }
}

/* When a sub-register changes, the counts of its counters change. */
static void test_a_sub_register_is_written_meanwhile(void **state)
{
    (void)state;
    struct nhmex_counter c[2] = {nhmex_counter_of(R_BOX, 0, 0), nhmex_counter_of(R_BOX, 0, 7)};
    start(&c[0], 0x06 << 1);
    start(&c[1], 0x06 << 1);
    raise_r(1, 1, 0x100, 1, 5);
    set(&b, 0xe05, 0x100);
    raise_r(1, 1, 0x100, 1, 5);
    set(&b, 0xe05, 0);
    raise_r(1, 1, 0x100, 1, 5);
    assert_int_equal(get(&b, c[0].value), 5);
    assert_int_equal(get(&b, c[1].value), 5);
}

static void test_selections_that_no_one_has_assigned(void **state)
{
    (void)state;
    struct nhmex_counter r = nhmex_counter_of(R_BOX, 0, 0), m = nhmex_counter_of(M_BOX, 0, 0);
    set(&b, 0xe04, 0x100);
    for (unsigned ev_sel = 0x18; ev_sel < 0x20; ev_sel++) {
        start(&r, ev_sel << 1);
        raise_r(0, 1, 0x100, 1, 5);
    }
    assert_int_equal(get(&b, r.value), 0);
    for (unsigned flag = 2; flag < 8; flag += 5) {
        start(&m, 0x1b << 9 | flag << 19 | BIT(7));
        raise_signal(&b, M_BOX, 0, 0x1b, 0, 1, 5);
        raise_signal(&b, M_BOX, 0, 0x20 + flag, 0, 1, 5);
    }
    assert_int_equal(get(&b, m.value), 0);
}

/* XBR: set s of port n at E60 + 10 (s - 1) + 4 n, from port 4 on 10 more; 1 in the mask compares
 * (p97). DRS.WbIData: 1C80 under 1FE0 (p99). */
static void test_r_box_pattern(void **state)
{
    (void)state;
    for (unsigned port = 0; port < 8; port++)
        for (unsigned s = 0; s < 2; s++) {
            unsigned config = 0xe60 + 0x10 * s + 4 * port + (port >= 4 ? 0x10 : 0);
            struct nhmex_counter c = nhmex_counter_of(R_BOX, port / 4, port);
            bx_selection what = {.box = R_BOX,
                                 .unit = (uint16_t)(port / 4),
                                 .port = (uint16_t)(port % 4),
                                 .code = 3};
            set(&b, config, BIT(63));
            set(&b, config + 1, 0x1c80);
            set(&b, config + 2, 0x1fe0);
            set(&b, config, 0x210000);
            set(&b, c.value, 0);
            start(&c, (6 * (port % 4) + 4 + s) << 1);
            what.applies[1] = 0x1fe0;
            what.filter[1] = 0x1c80;
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 5);
            what.filter[1] = 0x1ca0;
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 5);
            set(&b, config + 2, 0x1e00);
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 10);
            set(&b, config, BIT(63) | 0x210000); /* dis: the set is not in use (p97) */
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 10);
            set(&b, config, 0x210000);
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 15);
            set(&b, config, 0x010000); /* mm_trig_en 0: no match is reported (p97) */
            raise_what(&b, &what, 1, 5);
            assert_int_equal(get(&b, c.value), 15);
            set(&b, c.control, 0);
        }
}

/* ---- M-Box ---- */

static void raise_m(unsigned code, unsigned umask, uint32_t level, uint64_t cycles)
{
    raise_signal(&b, M_BOX, 0, code, umask, level, cycles);
}

enum { BBOX_CMDS_ALL = 0x1a, FLAG = 0x20 };
#define M_ON     BIT(0)
#define M_WRAPS  BIT(6)
#define M_FLAGS  BIT(7)
#define M_DOWN   BIT(2)
#define M_COUNTS ((uint64_t)BBOX_CMDS_ALL << 9 | M_ON)

static struct nhmex_counter m_counter(unsigned i)
{
    struct nhmex_counter c = nhmex_counter_of(M_BOX, 0, i);
    set(&b, c.enable, 0x3f);
    return c;
}

static void test_wrap_mode(void **state)
{
    (void)state;
    struct nhmex_counter stops = m_counter(0), wraps = m_counter(1);
    set(&b, stops.value, WRAPS - 4);
    set(&b, wraps.value, WRAPS - 4);
    set(&b, stops.control, M_COUNTS);
    set(&b, wraps.control, M_COUNTS | M_WRAPS);
    raise_m(BBOX_CMDS_ALL, 0, 3, 10);
    assert_int_equal(get(&b, wraps.value), 26);
    assert_int_equal(get(&b, stops.value), 2); /* the cycle that overflows counts in full */
    assert_int_equal(get(&b, stops.status), 3);
    set(&b, stops.clear, 3); /* that alone does not restart it */
    raise_m(BBOX_CMDS_ALL, 0, 3, 10);
    assert_int_equal(get(&b, stops.value), 2);
    set(&b, stops.value, 10);
    raise_m(BBOX_CMDS_ALL, 0, 3, 10);
    assert_int_equal(get(&b, stops.value), 40);
    assert_int_equal(get(&b, stops.status), 0);
}

static void test_a_stopped_counter_that_may_wrap_goes_on(void **state)
{
    (void)state;
    struct nhmex_counter c = m_counter(4);
    set(&b, c.value, WRAPS - 1);
    set(&b, c.control, M_COUNTS);
    raise_m(BBOX_CMDS_ALL, 0, 1, 10);
    assert_int_equal(get(&b, c.value), 0);
    set(&b, c.control, M_COUNTS | M_WRAPS);
    raise_m(BBOX_CMDS_ALL, 0, 1, 10);
    assert_int_equal(get(&b, c.value), 10);
}

static void test_count_mode(void **state)
{
    (void)state;
    struct nhmex_counter c = m_counter(3);
    set(&b, c.value, 100);
    set(&b, c.control, M_COUNTS | M_WRAPS | M_DOWN);
    raise_m(BBOX_CMDS_ALL, 0, 3, 33);
    assert_int_equal(get(&b, c.value), 1);
    assert_int_equal(get(&b, c.status), 0);
    raise_m(BBOX_CMDS_ALL, 0, 3, 1);
    assert_int_equal(get(&b, c.value), WRAPS - 2);
    assert_int_equal(get(&b, c.status), BIT(3)); /* an underflow is reported like an overflow */
    set(&b, c.control, M_COUNTS | M_DOWN);
    set(&b, c.value, 1);
    raise_m(BBOX_CMDS_ALL, 0, 1, 10);
    assert_int_equal(get(&b, c.value), WRAPS - 1);
}

/* FLAG_MODE: SET_FLAG_SEL selects; sub-fields are those of p116 to p120. */
static const struct flag {
    unsigned set_flag_sel, msr;
    uint32_t contents;
    unsigned umask;
} flags[] = {
    {0, 0xca5, 0x4 << 7, 4}, /* CYCLES_DSP_FILL */
    {1, 0xca6, 0x2 << 4, 2}, /* CYCLES_SCHED_MODE */
    {3, 0, 0, 0},            /* CYCLES_RETRYQ_MFULL */
    {4, 0, 0, 0},            /* CYCLES_RETRYQ_STARVED */
    {5, 0xca9, 1 << 6, 1},   /* CYCLES_PGT_STATE */
    {6, 0xca7, 8 << 5, 8},   /* BCMD_SCHEDQ_OCCUPANCY */
};

static void test_flag_mode(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        const struct flag *f = &flags[i];
        struct nhmex_counter c = m_counter((unsigned)i);
        if (f->msr)
            set(&b, f->msr, f->contents);
        set(&b, c.control, (uint64_t)f->set_flag_sel << 19 | M_FLAGS | M_WRAPS | M_ON);
        raise_m(FLAG + f->set_flag_sel, f->umask, 1, 5);
        assert_int_equal(get(&b, c.value), 5);
        raise_m(FLAG + f->set_flag_sel, f->umask ^ 1, 1, 5);
        raise_m(f->set_flag_sel, f->umask, 1, 5);
        assert_int_equal(get(&b, c.value), 5);
        set(&b, c.control, (uint64_t)f->set_flag_sel << 19 | M_WRAPS | M_ON); /* DSP_FILL */
        raise_m(FLAG + f->set_flag_sel, f->umask, 1, 5);
        assert_int_equal(get(&b, c.value), 5);
    }
}

/* STORAGE_MODE: counts only in cycles in which the flag is set that SET_FLAG_SEL selects. */
static void test_storage_mode(void **state)
{
    (void)state;
    struct nhmex_counter c = m_counter(2);
    const bx_selection flag = {.box = M_BOX, .code = FLAG + 1, .umask = 2};
    bx_error e = {0};
    set(&b, 0xca6, 2 << 4); /* ISS: the mode is writes first */
    set(&b, c.control, M_COUNTS | M_WRAPS | BIT(4) | 1 << 19);
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    assert_int_equal(get(&b, c.value), 0);
    assert_int_equal(bx_vpmu_inject(b.v, &flag, 1, 8, &e), BX_OK);
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    raise_m(BBOX_CMDS_ALL, 0, 2, 5);
    assert_int_equal(get(&b, c.value), 15 + 6);
    set(&b, 0xca6, 1 << 4);
    assert_int_equal(bx_vpmu_inject(b.v, &flag, 1, 8, &e), BX_OK);
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    assert_int_equal(get(&b, c.value), 15 + 6);
    set(&b, 0xca6, 2 << 4); /* the flag is still set */
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    assert_int_equal(get(&b, c.value), 15 + 6 + 9);
    set(&b, c.control, M_COUNTS | M_WRAPS | BIT(4) | 2 << 19); /* no flag: never */
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    assert_int_equal(get(&b, c.value), 15 + 6 + 9);
    set(&b, c.control, M_COUNTS | M_WRAPS | 2 << 19);
    raise_m(BBOX_CMDS_ALL, 0, 3, 5);
    assert_int_equal(get(&b, c.value), 15 + 6 + 9 + 15);
}

/* Four sub-events of FVC at once, with one common bcmd and resp (p127). */
static void test_fvc(void **state)
{
    (void)state;
    struct nhmex_counter c[4];
    bx_selection reads = {.box = M_BOX, .umask = 5};
    reads.applies[6] = 7 << 5;
    set(&b, 0xcab, 5 << 11 | 5 << 14 | 6 << 17 | 1 << 20);
    for (unsigned i = 0; i < 4; i++) {
        c[i] = m_counter(i);
        set(&b, c[i].control, (uint64_t)(0x0d + i) << 9 | M_WRAPS | M_ON);
    }
    for (unsigned i = 0; i < 4; i++) {
        reads.code = (uint16_t)(0x0d + i);
        raise_what(&b, &reads, 1, 5);
    }
    raise_m(0x0f, 6, 1, 7);
    raise_m(0x10, 1, 1, 9);
    assert_int_equal(get(&b, c[0].value), 5);
    assert_int_equal(get(&b, c[1].value), 5);
    assert_int_equal(get(&b, c[2].value), 7);
    assert_int_equal(get(&b, c[3].value), 9);
    reads.code = 0x0d;
    reads.filter[6] = 1 << 5; /* WRITES; 0 means READS, not "any" */
    raise_what(&b, &reads, 1, 5);
    assert_int_equal(get(&b, c[0].value), 5);
    set(&b, 0xcab, 5 << 11 | 1 << 5);
    raise_what(&b, &reads, 1, 5);
    assert_int_equal(get(&b, c[0].value), 10);
}

/* The address of DRAM_CMD is compared while MM_EN is 1; of its mask bit 0 is bit 7. */
static void test_m_box_address(void **state)
{
    (void)state;
    struct nhmex_counter c = m_counter(0);
    bx_selection what = {.box = M_BOX, .code = 0x0a, .umask = 2};
    what.applies[8] = WIDTH(34);
    what.filter[8] = 0x3000;
    set(&b, 0xcaa, 2 << 8);
    set(&b, 0xe55, 0x2080);
    set(&b, 0xe56, WIDTH(27));
    set(&b, c.control, 0x0a << 9 | M_WRAPS | M_ON);
    raise_what(&b, &what, 1, 5);
    assert_int_equal(get(&b, c.value), 5);
    set(&b, 0xe54, BIT(63));
    raise_what(&b, &what, 1, 5);
    assert_int_equal(get(&b, c.value), 5);
    what.filter[8] = 0x20ff;
    raise_what(&b, &what, 1, 5);
    assert_int_equal(get(&b, c.value), 10);
    set(&b, 0xe56, 1 << 6); /* bit 13 */
    what.filter[8] = 0x3ffffdfff;
    raise_what(&b, &what, 1, 5);
    assert_int_equal(get(&b, c.value), 10);
    what.filter[8] = 0x2000;
    raise_what(&b, &what, 1, 5);
    assert_int_equal(get(&b, c.value), 15);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_sub_register_of_each_port),
        TEST(test_a_sub_register_is_written_meanwhile),
        TEST(test_selections_that_no_one_has_assigned),
        TEST(test_r_box_pattern),
        TEST(test_wrap_mode),
        TEST(test_a_stopped_counter_that_may_wrap_goes_on),
        TEST(test_count_mode),
        TEST(test_flag_mode),
        TEST(test_storage_mode),
        TEST(test_fvc),
        TEST(test_m_box_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
