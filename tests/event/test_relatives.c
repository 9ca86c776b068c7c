/* CPUs that are like one of the four families: addresses and words typed from Linux's drivers, and
 * the words of the installed libpfm4. */
#include "event_case.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

static uint16_t pmu_named(const char *name)
{
    uint16_t pmu = bx_cat_find_pmu(built_in(), bx_str_of(name));
    if (pmu == BX_NONE)
        fail_msg("no PMU '%s'", name);
    return pmu;
}

/* ---- addresses ---- */

typedef struct place {
    const char *pmu, *reg;
    unsigned unit;
    uint32_t address;
} place;

static const place places[] = {
    /* 334060-001, table 1-1 */
    {"snb_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0x391},
    {"snb_unc_package", "MSR_UNC_PERF_GLOBAL_STATUS", 0, 0x392},
    {"ivb_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0x391},
    {"hsw_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0x391},
    {"bdw_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0x391},
    {"bdw_unc_package", "MSR_UNC_PERF_GLOBAL_STATUS", 0, 0x392},
    {"skl_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0xe01},
    {"kbl_unc_package", "MSR_UNC_PERF_GLOBAL_CTRL", 0, 0xe01},
    {"kbl_unc_package", "MSR_UNC_PERF_GLOBAL_STATUS", 0, 0xe02},
    /* Linux, uncore_snb.c: SNB_UNC_*; uncore.h: CFL_UNC_CBO_7_* */
    {"snb_unc_cbo", "MSR_UNC_CBO_{unit}_PERFEVTSEL0", 0, 0x700},
    {"snb_unc_cbo", "MSR_UNC_CBO_{unit}_PERFCTR1", 3, 0x737},
    {"snb_unc_arb", "MSR_UNC_ARB_PERFEVTSEL0", 0, 0x3b2},
    {"bdw_unc_arb", "MSR_UNC_ARB_PERFCTR0", 0, 0x3b0},
    {"hsw_unc_clock", "MSR_UNC_PERF_FIXED_CTRL", 0, 0x394},
    {"hsw_unc_clock", "MSR_UNC_PERF_FIXED_CTR", 0, 0x395},
    {"ivb_unc_imc", "DRAM_DATA_READS", 0, 0x5050},
    {"kbl_unc_cbo", "MSR_UNC_CBO_{unit}_PERFEVTSEL1", 6, 0x761},
    {"kbl_unc_cbo", "MSR_UNC_CBO_{unit}_PERFEVTSEL0", 7, 0xf70},
    {"kbl_unc_cbo", "MSR_UNC_CBO_{unit}_PERFCTR0", 7, 0xf76},
    /* Linux, uncore_snbep.c: SNBEP_C0_*, HSWEP_C0_* */
    {"jkt_unc_cbo", "C{unit}_MSR_PMON_CTL0", 0, 0xd10},
    {"jkt_unc_cbo", "C{unit}_MSR_PMON_BOX_FILTER", 7, 0xdf4},
    {"jkt_unc_cbo", "C{unit}_MSR_PMON_BOX_CTL", 1, 0xd24},
    {"hsx_unc_cbo", "C{unit}_MSR_PMON_BOX_CTL", 0, 0xe00},
    {"hsx_unc_cbo", "C{unit}_MSR_PMON_CTL0", 17, 0xf11},
    {"hsx_unc_cbo", "C{unit}_MSR_PMON_BOX_FILTER0", 1, 0xe15},
    {"hsx_unc_cbo", "C{unit}_MSR_PMON_BOX_FILTER1", 1, 0xe16},
    {"bdx_unc_cbo", "C{unit}_MSR_PMON_CTR0", 23, 0xf78},
    /* LIKWID, registers.h: MSR_UNC_V3_U_PMON_GLOBAL_CTL */
    {"bdx_unc_ubo", "U_MSR_PMON_GLOBAL_CTL", 0, 0x700},
    /* Linux, uncore_nhmex.c: nhmex_cbox_msr_offsets has 240H and 2C0H for the two that are added */
    {"wsmex_unc_cbox", "CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", 7, 0xdf0},
    {"wsmex_unc_cbox", "CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", 8, 0xf50},
    {"wsmex_unc_cbox", "CB{unit}_CR_C_MSR_PMON_CTR_5", 9, 0xfdb},
    {"wsmex_unc_mbox", "MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", 1, 0xceb},
};

static void addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const place *p = &places[i];
        uint16_t reg = bx_cat_find_reg(built_in(), pmu_named(p->pmu), bx_str_of(p->reg));
        if (reg == BX_NONE)
            fail_msg("%s has no %s", p->pmu, p->reg);
        if (address(reg, p->unit) != p->address)
            fail_msg("%s, unit %u: 0x%x", p->reg, p->unit, (unsigned)address(reg, p->unit));
    }
}

/* The processors of mapfile.csv, and no others. */
static void processors(void **state)
{
    (void)state;
    static const struct {
        const char *cpu;
        unsigned model;
    } of[] = {{"snb", 0x2a}, {"ivb", 0x3a},  {"hsw", 0x3c}, {"hsw", 0x45}, {"hsw", 0x46},
              {"bdw", 0x3d}, {"bdw", 0x47},  {"skl", 0x4e}, {"skl", 0x5e}, {"kbl", 0x8e},
              {"kbl", 0x9e}, {"kbl", 0xa5},  {"kbl", 0xa6}, {"jkt", 0x2d}, {"hsx", 0x3f},
              {"bdx", 0x4f}, {"wsmex", 0x2f}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint16_t cpu = bx_cat_find_cpu_by_id(built_in(), 6, of[i].model);
        assert_int_not_equal(cpu, BX_NONE);
        assert_string_equal(bx_cat_z(built_in(), bx_cat_cpus(built_in())[cpu].name), of[i].cpu);
    }
}

/* ---- words ---- */

/* What Linux writes to control and filters, without the enable of bit 22, which it adds last. */
static bool words_of(const char *text, uint64_t to[3])
{
    bx_evsel event;
    bx_regvalue regs[1 + BX_EXTRAS];
    bx_error e = {0};
    if (bx_event_parse(built_in(), -1, text, strlen(text), &event, &e) != BX_OK)
        return false;
    size_t n = bx_event_registers(built_in(), &event, BX_LOWEST, regs);
    to[0] = n ? regs[0].value & ~(UINT64_C(1) << 22) : 0;
    to[1] = to[2] = 0;
    for (size_t i = 1; i < n; i++) {
        const char *name = bx_cat_z(built_in(), bx_cat_regs(built_in())[regs[i].reg].name);
        to[strstr(name, "FILTER1") ? 2 : 1] |= regs[i].value;
    }
    return true;
}

static void typed_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t words[3];
    } of[] = {
        /* perfmon: SNB, HSW */
        {"snb_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_M", {0x1134}},
        {"hsw_unc_cbo::UNC_CBO_XSNP_RESPONSE:MISS_EVICTION", {0x8122}},
        {"snb_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_OVER_HALF_FULL", {0xa000180}},
        {"ivb_unc_arb::UNC_ARB_TRK_REQUESTS:EVICTIONS", {0x8081}},
        {"bdw_unc_arb::UNC_ARB_TRK_OCCUPANCY:DRD_DIRECT", {0x280}},
        {"kbl_unc_arb::UNC_ARB_TRK_REQUESTS:DRD_DIRECT", {0x281}},
        /* SNBEP_CB0_MSR_PMON_BOX_FILTER_OPC: 31:23; NID: 17:10; STATE: 22:18; TID: 4:0 */
        {"jkt_unc_cbo::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD", {0x335, 0xc1000000}},
        {"jkt_unc_cbo::UNC_C_LLC_VICTIMS:M_STATE:NID:nf=1", {0x4137, 0x400}},
        {"jkt_unc_cbo::UNC_C_LLC_LOOKUP:WRITE:STATE_M", {0x534, 0x200000}},
        {"jkt_unc_cbo::UNC_C_MISC:STARTED:cf=3:tf=1", {0x80439, 0x7}},
        {"jkt_unc_cbo::UNC_C_MISC:STARTED:t=2:i", {0x2800439}},
        /* HSWEP_CB0_MSR_PMON_BOX_FILTER_*: the opcode is at bit 52, 20 of the second register */
        {"hsx_unc_cbo::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_WIL", {0x335, 0, 0x18f00000}},
        {"hsx_unc_cbo::UNC_C_LLC_LOOKUP:DATA_READ:STATE_M", {0x334, 0x100000}},
        {"hsx_unc_cbo::UNC_C_RXR_IRQ_RETRY2:TARGET:nf=3", {0x4029, 0, 0x3}},
        {"bdx_unc_cbo::UNC_C_MISC:STARTED:cf=17:tf=1", {0x80439, 0x23}},
        {"bdx_unc_cbo::UNC_C_SBO_CREDIT_OCCUPANCY:BL", {0x23e}},
        /* 323535-001, p30 */
        {"wsmex_unc_cbox::LLC_MISSES:ALL", {0x714}},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint64_t is[3];
        if (!words_of(of[i].text, is))
            fail_msg("'%s' is not known", of[i].text);
        for (unsigned w = 0; w < 3; w++)
            if (is[w] != of[i].words[w])
                fail_msg("'%s': word %u is 0x%llx", of[i].text, w, (unsigned long long)is[w]);
    }
}

/* ZDP_CTL_FVC of both processors for the same event, in each of the four choices: Linux,
 * NHMEX_M_PMON_ZDP_CTL_FVC_* and WSMEX_M_PMON_ZDP_CTL_FVC_*. */
static void one_bit_higher(void **state)
{
    (void)state;
    for (unsigned choice = 0; choice < 4; choice++) {
        char text[TEXT];
        uint64_t old[3], new[3];
        snprintf(text, sizeof text, "nhmex_unc_mbox::FVC_EV%u:BBOX_CMDS.WRITES", choice);
        assert_true(words_of(text, old));
        snprintf(text, sizeof text, "wsmex_unc_mbox::FVC_EV%u:BBOX_CMDS.WRITES", choice);
        assert_true(words_of(text, new));
        assert_int_equal(old[0], new[0]);
        assert_int_not_equal(old[1] >> (11 + 3 * choice) & 7, 0);
        assert_int_equal(old[1] >> (11 + 3 * choice) & 7, new[1] >> (12 + 3 * choice) & 7);
        assert_int_equal(old[1] >> 5 & 7, 1); /* BCMD: 1 is a write */
        assert_int_equal(new[1] >> 6 & 7, 1);
    }
}

/* Bare names are those of CPUs that run here; a CPU that has no model is named by its PMU. */
static void bare_names(void **state)
{
    (void)state;
    bx_evsel event;
    assert_int_equal(bx_event_parse(built_in(), -1, "UNC_C_CLOCKTICKS", 16, &event, NULL), BX_OK);
    assert_int_equal(event.pmu, pmu_named("ivbep_unc_cbo"));
    int bdx = bx_cat_find_cpu(built_in(), BX_STR("bdx"));
    assert_int_equal(bx_event_parse(built_in(), bdx, "UNC_C_CLOCKTICKS", 16, &event, NULL), BX_OK);
    assert_int_equal(event.pmu, pmu_named("bdx_unc_cbo"));
    assert_int_equal(
        bx_event_parse(built_in(), -1, "UNC_C_FAST_ASSERTED", 19, &event, &(bx_error){0}),
        BX_BAD_INPUT); /* of two that have none */
}

/* ---- libpfm4 ---- */

/* As in perfmon/pfmlib.h. */
typedef struct encode_arg {
    uint64_t *codes;
    char **fstr;
    size_t size;
    int count, idx;
} encode_arg;
typedef int encode_call(const char *text, int plm, int os, void *arg);

/* Where the catalogue holds another reading, each with a note there. */
static const char *const differences[] = {
    "hsx_unc_cbo::UNC_C_RING_AD_USED:UP",        "hsx_unc_cbo::UNC_C_RING_AD_USED:DOWN",
    "hsx_unc_cbo::UNC_C_RING_AD_USED:ALL",       "hsx_unc_cbo::UNC_C_RING_AK_USED:UP",
    "hsx_unc_cbo::UNC_C_RING_AK_USED:DOWN",      "hsx_unc_cbo::UNC_C_RING_AK_USED:ALL",
    "hsx_unc_cbo::UNC_C_RING_BL_USED:UP",        "hsx_unc_cbo::UNC_C_RING_BL_USED:DOWN",
    "hsx_unc_cbo::UNC_C_RING_BL_USED:ALL",       "hsx_unc_cbo::UNC_C_RING_BOUNCES:AK",
    "hsx_unc_cbo::UNC_C_RING_BOUNCES:BL",        "hsx_unc_cbo::UNC_C_RXR_IPQ_RETRY2:TARGET:nf=1",
    "hsx_unc_cbo::UNC_C_RXR_IRQ_RETRY2:BL_SBO",  "hsx_unc_cbo::UNC_C_RXR_IRQ_RETRY2:TARGET:nf=1",
    "hsx_unc_cbo::UNC_C_RXR_ISMQ_RETRY2:BL_SBO", "hsx_unc_cbo::UNC_C_RXR_ISMQ_RETRY2:TARGET:nf=1",
};
enum { DIFFERENCES = sizeof differences / sizeof *differences };

typedef struct comparison {
    encode_call *encode;
    const char *own, *theirs; /* names of the PMU */
    unsigned equal, unknown, different;
} comparison;

static bool is_difference(const char *text)
{
    for (size_t i = 0; i < DIFFERENCES; i++)
        if (strcmp(text, differences[i]) == 0)
            return true;
    return false;
}

/* rest: "EVENT:UMASK…" in both spellings. */
static void compare(comparison *k, const char *rest)
{
    char own[TEXT], theirs[TEXT];
    uint64_t is[3];
    encode_arg arg = {.size = sizeof arg};
    snprintf(own, sizeof own, "%s::%s", k->own, rest);
    snprintf(theirs, sizeof theirs, "%s::%s", k->theirs, rest);
    if (k->encode(theirs, 9, 0, &arg)) {
        k->unknown++;
        return;
    }
    if (!words_of(own, is))
        fail_msg("'%s' is not known", own);
    bool equal = true;
    const uint64_t enables = UINT64_C(5) << 20; /* libpfm4 sets EN and OVF_EN for clients */
    for (int w = 0; w < arg.count && w < 3; w++)
        equal = equal && (arg.codes[w] & ~(w ? 0 : enables)) == is[w];
    free(arg.codes);
    if (equal == is_difference(own))
        fail_msg("'%s' is %s libpfm4's", own, equal ? "now the same as" : "not");
    k->equal += equal;
    k->different += !equal;
}

/* A count in a client's C-Box needs a bit of each of two kinds: the filters are one. */
static void with_other_kind(char *text, size_t room, const char *umask, bool snoops)
{
    size_t n = strlen(text);
    const char *other = strstr(umask, "_FILTER") ? snoops ? "HITM" : "STATE_M"
                        : snoops                 ? "EVICTION_FILTER"
                                                 : "WRITE_FILTER";
    if (strchr(umask, '_') == NULL || strstr(umask, "_FILTER") || strstr(umask, "STATE_") ||
        strcmp(umask, "INVAL_M") == 0)
        snprintf(text + n, room - n, ":%s", other);
}

/* Each event with each of its unit masks, and with the others that this one needs. */
static void compare_all(comparison *k)
{
    const struct bx_catalog *c = built_in();
    bx_span events = bx_cat_pmus(c)[pmu_named(k->own)].events;
    for (unsigned i = events.first; i < (unsigned)events.first + events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        const char *name = bx_cat_z(c, event->name);
        char text[TEXT];
        if (!event->umasks.n)
            compare(k, name);
        for (unsigned u = 0; u < event->umasks.n; u++) {
            const char *umask = bx_cat_z(c, bx_cat_umasks(c)[event->umasks.first + u].name);
            bool of_opcode = strncmp(umask, "OPC_", 4) == 0;
            bool wants_opcode = !of_opcode && strstr(umask, "OPCODE");
            bool nodes = strncmp(umask, "NID", 3) == 0 || strcmp(umask, "TARGET") == 0;
            snprintf(text, sizeof text, "%s:%s%s%s%s%s", name, of_opcode ? "OPCODE:" : "",
                     nodes && strstr(name, "LLC_VICTIMS") ? "MISS:" : "", umask,
                     wants_opcode ? ":OPC_RFO" : "", nodes ? ":nf=1" : "");
            if (strstr(name, "UNC_CBO_"))
                with_other_kind(text, sizeof text, umask, strstr(name, "XSNP"));
            compare(k, text);
        }
    }
}

static void libpfm(void **state)
{
    (void)state;
    static comparison pmus[] = {
        {.own = "snb_unc_cbo", .theirs = "snb_unc_cbo0"},
        {.own = "ivb_unc_cbo", .theirs = "ivb_unc_cbo0"},
        {.own = "jkt_unc_cbo", .theirs = "snbep_unc_cbo0"},
        {.own = "hsx_unc_cbo", .theirs = "hswep_unc_cbo0"},
        {.own = "bdx_unc_cbo", .theirs = "bdx_unc_cbo0"},
    };
    char path[PATH_MAX] = "";
    Dl_info info;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    int (*initialize)(void) = NULL;
    encode_call *encode = NULL;
    if (handle) {
        *(void **)&initialize = dlsym(handle, "pfm_initialize");
        *(void **)&encode = dlsym(handle, "pfm_get_os_event_encoding");
        if (initialize && dladdr(*(void **)&initialize, &info) && !realpath(info.dli_fname, path))
            path[0] = '\0';
    }
    if (!strstr(path, "libpfm.so.4.13") || !encode || initialize()) {
        print_message("skipped: libpfm4 4.13 is not installed\n");
        skip();
        return;
    }
    unsigned different = 0;
    for (size_t i = 0; i < sizeof pmus / sizeof *pmus; i++) {
        pmus[i].encode = encode;
        compare_all(&pmus[i]);
        print_message("%s: %u words are libpfm4's, %u are not, %u names are not libpfm4's\n",
                      pmus[i].own, pmus[i].equal, pmus[i].different, pmus[i].unknown);
        different += pmus[i].different;
        assert_true(pmus[i].equal >= (i < 2 ? 15 : 100));
    }
    assert_int_equal(different, DIFFERENCES);
    dlclose(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),   cmocka_unit_test(processors),
        cmocka_unit_test(typed_words), cmocka_unit_test(one_bit_higher),
        cmocka_unit_test(bare_names),  cmocka_unit_test(libpfm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
