/* Event strings of the Xeon 7500's boxes: ports, places, names of values, patterns and masks, and
 * the spellings of other tools. Values: guide 323535-001 (ev_sel p92/93, IPERF p94, QLX p96, packet
 * matches p97 to p99, M-Box p113 to p127, S-Box match p61 to p63, B-Box p44/45), formats of Linux
 * arch/x86/events/intel/uncore_nhmex.c, names of LIKWID perfmon_nehalemEX_events.txt. */
#include "refusal.h"
#include "event/decode/decode.h"
#include "event/event.h"

#include "base/nearest.h"

static bx_evsel read_one(const char *text)
{
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), -1, text, strlen(text), &event, &e))
        fail_msg("'%s': %s (%s)", text, e.message, e.hint);
    return event;
}

/* ---- registers ---- */

typedef struct row {
    const char *text, *canonical;
    struct {
        uint32_t address;
        uint64_t value;
    } registers[6]; /* control first */
} row;

static const row rows[] = {
    /* IPERF: two equal registers on each port. */
    {"nhmex_unc_rbox::FLITS_SENT",
     "nhmex_unc_rbox::FLITS_SENT",
     {{0xe10, 0x1}, {0xe04, 0x80000000}}},
    {"nhmex_unc_rbox::EOT_INSERTS:HOM_VN0:port=3",
     "nhmex_unc_rbox::EOT_INSERTS:HOM_VN0:port=3",
     {{0xe10, 0x25}, {0xe07, 0x220000}}},
    {"nhmex_unc_rbox0::eot_inserts.hom_vn0.place=1.port=3",
     "nhmex_unc_rbox::EOT_INSERTS:HOM_VN0:port=3:place=1",
     {{0xe10, 0x27}, {0xe27, 0x220000}}},
    {"nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=7",
     "nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=7",
     {{0xe30, 0x25}, {0xe0b, 0xc4}}},
    {"nhmex_unc_rbox1::FLITS_SENT",
     "nhmex_unc_rbox1::FLITS_SENT",
     {{0xe30, 0x1}, {0xe08, 0x80000000}}},
    /* QLX: two halves of one register. */
    {"nhmex_unc_rbox::QUE_ARB_BID_FAIL:DRS:port=5",
     "nhmex_unc_rbox::QUE_ARB_BID_FAIL:DRS:port=5",
     {{0xe30, 0x11}, {0xe2d, 0x43}}},
    {"nhmex_unc_rbox::QUE_ARB_BID_FAIL:DRS:port=5:place=1",
     "nhmex_unc_rbox::QUE_ARB_BID_FAIL:DRS:port=5:place=1",
     {{0xe30, 0x13}, {0xe2d, 0x4300}}},
    /* XBR: a pattern; without a pattern every packet. */
    {"nhmex_unc_rbox::XBAR_MATCH:port=2:DRS.WbIData",
     "nhmex_unc_rbox::XBAR_MATCH:DRS.WbIData:port=2",
     {{0xe10, 0x21}, {0xe68, 0x210000}, {0xe69, 0x1c80}, {0xe6a, 0x1fe0}}},
    {"nhmex_unc_rbox::XBAR_MATCH:port=2:mc=DRS:opc=WbIData",
     "nhmex_unc_rbox::XBAR_MATCH:DRS.WbIData:port=2",
     {{0xe10, 0x21}, {0xe68, 0x210000}, {0xe69, 0x1c80}, {0xe6a, 0x1fe0}}},
    {"nhmex_unc_rbox::XBAR_MATCH:port=6:place=1:opc=WBIDATA",
     "nhmex_unc_rbox::XBAR_MATCH:DRS.WbIData:port=6:place=1",
     {{0xe30, 0x23}, {0xe98, 0x210000}, {0xe99, 0x1c80}, {0xe9a, 0x1fe0}}},
    {"nhmex_unc_rbox::XBAR_MATCH:port=0",
     "nhmex_unc_rbox::XBAR_MATCH:port=0",
     {{0xe10, 0x9}, {0xe60, 0x210000}, {0xe61, 0}, {0xe62, 0}}},
    /* ZDP_CTL_FVC: four equal fields, and common ones. */
    {"nhmex_unc_mbox::FVC:BBOX_CMDS.READS",
     "nhmex_unc_mbox::FVC:BBOX_CMDS.READS",
     {{0xcb0, 0x1a41}, {0xcab, 0x2800}}},
    {"nhmex_unc_mbox1::FVC:BBOX_CMDS:WRITES:place=2",
     "nhmex_unc_mbox1::FVC_EV2:BBOX_CMDS.WRITES",
     {{0xcf0, 0x1e41}, {0xceb, 0xa0020}}},
    {"nhmex_unc_mbox::FVC_EV3:bbox_rsp:spec_ack:wrap=0",
     "nhmex_unc_mbox::FVC_EV3:BBOX_RSP.SPEC_ACK:wrap=0",
     {{0xcb0, 0x2001}, {0xcab, 0x600400}}},
    /* Flag mode, and events of two registers. */
    {"nhmex_unc_mbox::BCMD_SCHEDQ_OCCUPANCY:ALL",
     "nhmex_unc_mbox::BCMD_SCHEDQ_OCCUPANCY:ALL",
     {{0xcb0, 0x3000c1}, {0xca7, 0x100}}},
    {"nhmex_unc_mbox::CYCLES_RETRYQ_STARVED",
     "nhmex_unc_mbox::CYCLES_RETRYQ_STARVED",
     {{0xcb0, 0x2000c1}}},
    {"nhmex_unc_mbox::DRAM_CMD:RAS.RDPRIO",
     "nhmex_unc_mbox::DRAM_CMD:RAS.RDPRIO",
     {{0xcb0, 0x1441}, {0xca6, 0x80}, {0xcaa, 0x201}, {0xe54, 0}}},
    /* S-Box: a 1 in the mask excludes a bit from the comparison. */
    {"nhmex_unc_sbox0::TO_R_PROG_EV",
     "nhmex_unc_sbox0::TO_R_PROG_EV",
     {{0xc50, 0x400000}, {0xe48, UINT64_C(1) << 63}, {0xe49, 0}, {0xe4a, 0x7fffffffff}}},
    {"nhmex_unc_sbox1::TO_R_PROG_EV:mc=NCB:addr=0x1234",
     "nhmex_unc_sbox1::TO_R_PROG_EV:mc=NCB:addr=0x1234",
     {{0xcd0, 0x400000}, {0xe58, UINT64_C(1) << 63}, {0xe59, 0x800000024680}, {0xe5a, 0x1}}},
    /* B-Box: each counter has its own codes; a 1 in the mask compares a bit. */
    {"nhmex_unc_bbox::IMT_VALID_OCCUPANCY", "nhmex_unc_bbox::IMT_VALID_OCCUPANCY", {{0xc30, 0xf}}},
    {"nhmex_unc_bbox::IMT_INSERTS_ALL", "nhmex_unc_bbox::IMT_INSERTS_ALL", {{0xc32, 0xf}}},
    {"nhmex_unc_bbox::IMT_NE_CYCLES", "nhmex_unc_bbox::IMT_NE_CYCLES", {{0xc34, 0xf}}},
    {"nhmex_unc_bbox::RAW:code=7:counter=1", "nhmex_unc_bbox::IMT_INSERTS_ALL", {{0xc32, 0xf}}},
    {"nhmex_unc_bbox::RAW:code=0xa:counter=0",
     "nhmex_unc_bbox::RAW:code=0xa:counter=0",
     {{0xc30, 0x15}}},
    {"nhmex_unc_bbox::MSG_OUT_MATCH:mc=DRS",
     "nhmex_unc_bbox::MSG_OUT_MATCH:mc_out=DRS",
     {{0xc32, 0x5}, {0xe45, 0xe000000000000}, {0xe46, 0xf000000000000}}},
    {"nhmex_unc_bbox1::MSG_OPCODE_ADDR_IN_MATCH:opc=WbIData:addr=0x77",
     "nhmex_unc_bbox1::MSG_OPCODE_ADDR_IN_MATCH:addr=0x77:mc=DRS:opc=WbIData",
     {{0xc70, 0x7}, {0xe4d, 0x40e00000000077}, {0xe4e, 0xf0ffffffffffff}}},
    {"nhmex_unc_bbox::MSG_IN_MATCH:mc=DRS:mc_mask=12",
     "nhmex_unc_bbox::MSG_IN_MATCH:mc=DRS:mc_mask=12",
     {{0xc32, 0x3}, {0xe45, 0xe00000000000}, {0xe46, 0xc00000000000}}},
    /* Boxes without slots. */
    {"nhmex_unc_cbox1::LLC_MISSES:S:t=3",
     "nhmex_unc_cbox1::LLC_MISSES:S:t=3",
     {{0xd90, 0x3400114}}},
    {"nhmex_unc_wbox::FIXED_UNCORE_CLOCK", "nhmex_unc_wbox::FIXED_UNCORE_CLOCK", {{0x395, 0x1}}},
    /* Codes without an event. */
    {"nhmex_unc_rbox::RAW:code=1:umask=0x80000000:port=1",
     "nhmex_unc_rbox::FLITS_SENT:port=1",
     {{0xe10, 0xd}, {0xe05, 0x80000000}}},
    {"nhmex_unc_rbox::RAW:code=1:umask=0xc0000000:port=1:place=1",
     "nhmex_unc_rbox::RAW:code=0x1:umask=0xc0000000:port=1:place=1",
     {{0xe10, 0xf}, {0xe25, 0xc0000000}}},
    /* Linux. */
    {"uncore_rbox_1/event=0x7,iperf_cfg=0x80000000/",
     "nhmex_unc_rbox::FLITS_SENT:port=5:place=1",
     {{0xe30, 0xf}, {0xe29, 0x80000000}}},
    {"uncore_mbox_0/inc_sel=0xd,fvc=0x2820/",
     "nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.WRITES",
     {{0xcb0, 0x1a41}, {0xcab, 0x2820}}},
    {"uncore_mbox_1/flag_mode=1,set_flag_sel=6,map=0x100/",
     "nhmex_unc_mbox1::BCMD_SCHEDQ_OCCUPANCY:ALL",
     {{0xcf0, 0x3000c1}, {0xce7, 0x100}}},
    {"uncore_bbox_1/event=0x1,counter=1,match=0xe00000000000,mask=0xf00000000000/",
     "nhmex_unc_bbox1::MSG_IN_MATCH:mc=DRS",
     {{0xc72, 0x3}, {0xe4d, 0xe00000000000}, {0xe4e, 0xf00000000000}}},
    {"uncore_rbox_0/event=0x10,xbr_mm_cfg=0x210000,xbr_match=0x1c80,xbr_mask=0x1fe0/",
     "nhmex_unc_rbox::XBAR_MATCH:DRS.WbIData:port=2",
     {{0xe10, 0x21}, {0xe68, 0x210000}, {0xe69, 0x1c80}, {0xe6a, 0x1fe0}}},
    {"uncore_mbox_1/bbox_cmds_read/",
     "nhmex_unc_mbox1::FVC_EV0:BBOX_CMDS.READS",
     {{0xcf0, 0x1a41}, {0xceb, 0x2800}}},
    {"uncore_mbox_0/wrap_mode=0,BBOX_CMDS_WRITE/",
     "nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.WRITES:wrap=0",
     {{0xcb0, 0x1a01}, {0xcab, 0x2820}}},
    {"uncore_rbox_1/qpi1_idle_filt/",
     "nhmex_unc_rbox::NULL_IDLE:port=5",
     {{0xe30, 0xd}, {0xe09, 0x40000000}}},
    {"uncore_rbox_0/qpi0_date_response/",
     "nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=0",
     {{0xe10, 0x1}, {0xe04, 0xc4}}},
    {"uncore_wbox/clockticks/", "nhmex_unc_wbox::FIXED_UNCORE_CLOCK", {{0x395, 0x1}}},
    /* LIKWID: the event is counted on the counter that is named. */
    {"NEW_PACKETS_RECV_PORT5_IPERF1_ANY_DRS:RBOX1C3",
     "nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=5:place=1",
     {{0xe36, 0xf}, {0xe29, 0xc4}}},
    /* LIKWID's name has port 8, but its ev_sel 12H is port 7's. */
    {"NEW_PACKETS_RECV_PORT8_IPERF0_VNA_DRS:RBOX1C0",
     "nhmex_unc_rbox::NEW_PACKETS_RECV:VNA_DRS:port=7:place=0",
     {{0xe30, 0x25}, {0xe0b, 0x84}}},
    {"DRAM_CMD_CAS_WR_OPN:MBOX1C2",
     "nhmex_unc_mbox1::DRAM_CMD:CAS_WR_OPN",
     {{0xcf4, 0x1441}, {0xcea, 0x400}, {0xe5c, 0}}},
    {"MSG_IN_MATCH:BBOX0C1:MATCH0=0xe00000000000:MASK0=0xf00000000000",
     "nhmex_unc_bbox0::MSG_IN_MATCH:mc=DRS",
     {{0xc32, 0x3}, {0xe45, 0xe00000000000}, {0xe46, 0xf00000000000}}},
};

static void strings_and_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        bx_evsel event = read_one(r->text);
        bx_regvalue to[1 + BX_EXTRAS];
        char string[TEXT];
        unsigned unit = event.unit == BX_ANY ? 0 : (unsigned)event.unit;
        assert_string_equal(canonical(&event, string), r->canonical);
        size_t n = bx_event_registers(built_in(), &event, BX_LOWEST, to);
        for (size_t j = 0; j < n; j++)
            if (address(to[j].reg, unit) != r->registers[j].address ||
                to[j].value != r->registers[j].value)
                fail_msg("'%s': 0x%x = 0x%llx", r->text, address(to[j].reg, unit),
                         (unsigned long long)to[j].value);
        assert_true(n <= 5 && r->registers[n].address == 0);
    }
}

/* An event sets only its own place; the rest of the register is unchanged. */
static void other_halves_are_kept(void **state)
{
    (void)state;
    bx_regvalue to[1 + BX_EXTRAS];
    bx_evsel event = read_one("nhmex_unc_rbox::QUE_ARB_BID:DRS:port=0:place=1");
    assert_int_equal(bx_event_registers(built_in(), &event, BX_LOWEST, to), 2);
    assert_int_equal(to[1].mask, 0xff00);
    event = read_one("nhmex_unc_mbox::FVC_EV1:MEM_ECC_ERR");
    assert_int_equal(bx_event_registers(built_in(), &event, BX_LOWEST, to), 2);
    assert_int_equal(to[1].mask & 0x7ff800, 0x1c000);
}

/* ---- perf, and what it cannot say ---- */

static void linux_spellings(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"nhmex_unc_rbox::FLITS_SENT:port=1", "uncore_rbox_0/event=0x6,iperf_cfg=0x80000000/"},
        {"nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.READS",
         "uncore_mbox_0/inc_sel=0xd,fvc=0x2800,wrap_mode=1/"},
        {"nhmex_unc_bbox1::ADDR_IN_MATCH:addr=0x10",
         "uncore_bbox_1/event=0x4,counter=0x2,match=16,mask=0xfffffffffff/"},
        {"nhmex_unc_sbox0::TO_R_PROG_EV", "uncore_sbox_0/event=0x0,umask=0x0,mask=0x7fffffffff/"},
        {"nhmex_unc_wbox::FIXED_UNCORE_CLOCK", "uncore_wbox/event=0xff/"},
        {"nhmex_unc_cbox2::LLC_MISSES:S:e=1:t=1",
         "uncore_cbox_2/event=0x14,umask=0x1,edge=1,thresh=1/"},
        {"nhmex_unc_sbox::RAW:code=0:mm_en=0", ""}, /* Linux sets it by itself */
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char perf[TEXT] = "";
        bx_evsel event = read_one(pairs[i][0]);
        if (!bx_event_format_perf(built_in(), &event, perf, sizeof perf))
            *perf = '\0';
        assert_string_equal(perf, pairs[i][1]);
    }
}

/* ---- decoding ---- */

static void assert_decodes(const bx_raw *raw, size_t n, const char *string)
{
    bx_decoded decoded;
    size_t found;
    char is[TEXT];
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("nhmex"));
    assert_int_equal(bx_decode(built_in(), cpu, raw, n, &decoded, 1, &found, NULL), BX_OK);
    assert_int_equal(found, 1);
    assert_string_equal(canonical(&decoded.event, is), string);
}

static void decoding(void **state)
{
    (void)state;
    /* The event of a B-Box code depends on the counter. */
    assert_decodes(&(bx_raw){.address = 0xc30, .value = 0xf}, 1,
                   "nhmex_unc_bbox0::IMT_VALID_OCCUPANCY");
    assert_decodes(&(bx_raw){.address = 0xc72, .value = 0xf}, 1,
                   "nhmex_unc_bbox1::IMT_INSERTS_ALL");
    assert_decodes(&(bx_raw){.address = 0xc30, .value = 0x15}, 1,
                   "nhmex_unc_bbox0::RAW:code=0xa:counter=0");
    /* The control register selects the place, and the place's register the event. */
    assert_decodes((bx_raw[]){{.address = 0xe34, .value = 0x23},
                              {.address = 0xe98, .value = 0x210000},
                              {.address = 0xe99, .value = 0x1c80},
                              {.address = 0xe9a, .value = 0x1fe0}},
                   4, "nhmex_unc_rbox::XBAR_MATCH:DRS.WbIData:port=6:place=1");
    assert_decodes(
        (bx_raw[]){{.address = 0xe30, .value = 0x13}, {.address = 0xe2d, .value = 0x4351}}, 2,
        "nhmex_unc_rbox::QUE_ARB_BID_FAIL:DRS:port=5:place=1");
    /* The event of checksum errors does not use the command in the common field, which is another
     * event's. */
    assert_decodes(
        (bx_raw[]){{.address = 0xcb2, .value = 0x1e41}, {.address = 0xcab, .value = 0x2820}}, 2,
        "nhmex_unc_mbox0::FVC_EV2:SMI_CRC_ERR");
    assert_decodes((bx_raw[]){{.address = 0xe10, .value = 0x1}, {.address = 0xe04, .value = 0x101}},
                   2, "nhmex_unc_rbox::RAW:code=0x1:umask=0x101:port=0");
}

/* ---- what is refused ---- */

static void refusals(void **state)
{
    (void)state;
    static const refusal refused[] = {
        {"skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I:port=1",
         "                                        ^^^^^^", BX_BAD_INPUT, "skl_unc_cbo has no ports",
         ""},
        {"nhmex_unc_cbox::LLC_MISSES:S:port=1", "                             ^^^^^^", BX_BAD_INPUT,
         "nhmex_unc_cbox has no ports", "'port' is a word of nhmex_unc_rbox"},
        {"nhmex_unc_rbox::FLITS_SENT:port=9", "                           ^^^^^^", BX_NOT_FOUND,
         "nhmex_unc_rbox has no port 9", "ports are 0 to 7; without a number all are counted"},
        {"nhmex_unc_rbox0::FLITS_SENT:port=5", "                            ^^^^^^", BX_BAD_INPUT,
         "port 5 is one of unit 1, not 0", "unit 0 has ports 0 to 3"},
        {"nhmex_unc_rbox0::FLITS_SENT:counter=9", "                            ^^^^^^^^^",
         BX_NOT_FOUND, "nhmex_unc_rbox has no counter 9", "counters are 0 to 7"},
        {"nhmex_unc_rbox::XBAR_MATCH:mc=HOM0:opc=WbIData",
         "                                   ^^^^^^^^^^^", BX_BAD_INPUT,
         "WbIData stands for mc=DRS, not mc=HOM0", "leave out 'mc', or choose another name"},
        {"nhmex_unc_rbox::XBAR_MATCH:opc=WbIData:mc=HOM0",
         "                                       ^^^^^^^", BX_BAD_INPUT,
         "WbIData stands for mc=DRS, not mc=HOM0", "leave out 'mc', or choose another name"},
        {"nhmex_unc_rbox::XBAR_MATCH:mc=HOMO", "                              ^^^^", BX_NOT_FOUND,
         "'HOMO' is no value of 'mc'", BX_DID_YOU_MEAN_NAME("HOM0")},
        {"nhmex_unc_mbox::FVC:BBOX_CMDS.READS:BBOX_CMDS.WRITES",
         "                                    ^^^^^^^^^^^^^^^^", BX_BAD_INPUT,
         "BBOX_CMDS.WRITES does not go with BBOX_CMDS.READS",
         "an event has one of them; name two events to count both"},
        {"nhmex_unc_mbox::FVC_EV2:POISON_TXN:place=1", "                                   ^^^^^^^",
         BX_NOT_FOUND, "FVC_EV2 has no such place", "it has only one, 2: leave the number out"},
        {"nhmex_unc_rbox::FLITS_SENT:place=2", "                           ^^^^^^^", BX_NOT_FOUND,
         "FLITS_SENT has no such place",
         "places are 0 to 1; without a number any that is free is taken"},
        {"nhmex_unc_cbox::LLC_MISSES:S:place=0", "                             ^^^^^^^",
         BX_BAD_INPUT, "LLC_MISSES has no places to choose from", "leave out 'place=0'"},
        {"nhmex_unc_rbox::RAW:code=0x5", "^^^^^^^^^^^^^^^^^^^^^^^^^^^^", BX_BAD_INPUT,
         "nhmex_unc_rbox has no code 0x5",
         "codes are those of its registers: 1 iperf, 2 qlx, 3 xbr"},
        {"nhmex_unc_rbox::RAW:code=2:umask=0x100", "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
         BX_BAD_INPUT, "umask=0x100 is out of range 0..0xff", ""},
        {"uncore_rbox/event=0x6,iperf_cfg=1/", "            ^^^^^^^^^", BX_BAD_INPUT,
         "a port of which unit", "name the PMU with its number, such as the one that ends in '_0'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bx_evsel event;
        bx_error e = {0};
        const refusal *r = &refused[i];
        assert_refusal(r, bx_event_parse(built_in(), -1, r->text, strlen(r->text), &event, &e), &e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_and_registers),
        cmocka_unit_test(other_halves_are_kept),
        cmocka_unit_test(linux_spellings),
        cmocka_unit_test(decoding),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
