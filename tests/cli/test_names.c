/* Words of the documents lead somewhere: register names of their tables' titles, fields, terms and
 * event codes, in info, decode, list and the dialogue. */
#include "../cmocked.h"

#include "catalog/catalog.h"
#include "cli/run.h"
#include "cli/show/glossary.h"
#include "event/decode/recognize.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The titles of 323535-001's tables, and other spellings in its text. */
static const char *const registers[] = {
    "U_MSR_PMON_GLOBAL_CTL",
    "U_MSR_PMON_GLOBAL_STATUS",
    "U_MSR_PMON_GLOBAL_OVF_CTL",
    "U_MSR_PMON_EVT_SEL",
    "U_MSR_PMON_CTR",
    "C_MSR_PMON_GLOBAL_CTL",
    "C_MSR_PMON_GLOBAL_STATUS",
    "C_MSR_PMON_GLOBAL_OVF_CTL",
    "C_MSR_PMON_EVT_SEL{5-0}",
    "C_MSR_PMON_CTR{5-0}",
    "B_MSR_PMON_GLOBAL_CTL",
    "B_MSR_PMON_GLOBAL_STATUS",
    "B_MSR_PMON_GLOBAL_OVF_CTL",
    "BBx_CR_B_MSR_PERF_CTL{3-0}_REG",
    "B_MSR_PERF_CNT{3-0}_REG",
    "B_MSR_MATCH_REG",
    "B_MSR_MASK_REG",
    "B_MSR_MATCH",
    "S_MSR_PMON_SUMMARY",
    "S_CSR_PMON_GLOBAL_CTL",
    "S_MSR_PMON_GLOBAL_STATUS",
    "S_MSR_PMON_OVF_CTRL",
    "S_CSR_PMON_CTL{3-0}",
    "S_CSR_PMON_CTR{3-0}",
    "S_MSR_MM_CFG",
    "S_MSR_MATCH",
    "S_MSR_MASK",
    "R_MSR_PMON_GLOBAL_CTL_{15_8,7_0}",
    "R_MSR_PMON_GLOBAL_STATUS_{15_8,7_0}",
    "R_MSR_PMON_OVF_CTL_{15_8,7_0}",
    "R_MSR_PMON_GLOBAL_OVF_CTL",
    "R_MSR_PMON_CTL{15-0}",
    "R_MSR_PMON_CTR{15-0}",
    "RP_CR_R_CSR_PMON_CTL9",
    "R_MSR_PORT{7-0}_IPERF_CFG{1-0}",
    "R_MSR_PORT{7-0}_QLX_CFG",
    "R_MSR_PORT{7-0}_XBR_SET{2-1}_MM_CFG",
    "R_MSR_PORT{7-0}_XBR_SET{2-1}_MATCH",
    "R_MSR_PORT{7-0}_XBR_SET{2-1}_MASK",
    "R_CSR_PORT5_QLX_EVENT_CFG",
    "R_CSR_PORT6_IPERF0",
    "PORT5_XBAR_MM1",
    "M_MSR_PERF_GLOBAL_CTL",
    "M_MSR_PERF_GLOBAL_STATUS",
    "M_MSR_PERF_GLOBAL_OVF_CTL",
    "M_MSR_PMU_CNT_CTL{5-0}",
    "M_MSR_PMU_CNT_{5-0}",
    "M_MSR_PMU_MM_CFG",
    "M_MSR_PMU_ADDR_MATCH",
    "M_MSR_PMU_ADDR_MASK",
    "M_MSR_PMU_DSP",
    "M_CSR_PMU_ISS",
    "M_MSR_PMU_MAP",
    "M_MSR_PMU_MSC_THR",
    "M_MSR_PMU_PGT",
    "M_MSR_PMU_PLD",
    "M_MSR_PMU_ZDP_CTL_FVC",
    "W_MSR_PMON_GLOBAL_CTL",
    "W_MSR_PMON_GLOBAL_STATUS",
    "W_MSR_PMON_GLOBAL_OVF_CTL",
    "W_MSR_PMON_EVT_SEL_{3-0}",
    "W_MSR_PMON_CTR_{3-0}",
    "W_MSR_PMON_FIXED_CTR",
    "W_MSR_PMON_FIXED_CTR_CTL",
};

static void every_title_of_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        char word[128];
        ran r = RUN("info", "--cpu", "nhmex", registers[i]);
        assert_int_equal(r.status, 0);
        assert_int_equal(strncmp(r.out, "register ", 9), 0);
        assert_has(r.out, "fields\n");
        ran_free(&r);
        snprintf(word, sizeof word, "%s=0", registers[i]);
        r = RUN("decode", "--cpu", "nhmex", word);
        assert_int_equal(r.status, 0);
        assert_has(r.out, "(msr 0x");
        ran_free(&r);
    }
}

/* A name that is not unambiguous says which register is read, and how many it could be. */
static void names_of_several(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu", "nhmex", "S_MSR_MATCH=1");
    assert_string_equal(
        r.err, "boxscore: S_MSR_MATCH names 2 registers; it is read as SR0_CR_S_MSR_MATCH\n");
    assert_has(r.out, "SR0_CR_S_MSR_MATCH (msr 0xe49) = 0x1\n");
    ran_free(&r);
    r = RUN("decode", "--cpu", "nhmex", "C_MSR_PMON_CTR_5=1");
    assert_has(r.err, "names 8 registers; it is read as CB0_CR_C_MSR_PMON_CTR_5");
    ran_free(&r);
    /* Number 1 is not part of 10 to 15. */
    r = RUN("decode", "--cpu", "nhmex", "RP_CR_R_CSR_PMON_CTL1=0");
    assert_string_equal(r.err, "");
    assert_has(r.out, "R_MSR_PMON_CTL1 (msr 0xe12)");
    ran_free(&r);
    /* Table 2-1 of 334060-001 prints a zero. */
    r = RUN("decode", "--cpu", "skl", "MSR_UNC_CB0_3_PERFCTR0=7");
    assert_string_equal(r.err, "");
    assert_has(r.out, "MSR_UNC_CBO_3_PERFCTR0 (msr 0x736) = 0x7\n");
    ran_free(&r);
    r = RUN("info", "--cpu", "nhmex", "S_CSR_PMON_CTL");
    assert_has(r.out, "same fields SR{unit}_CR_S_MSR_PMON_CTL1, SR{unit}_CR_S_MSR_PMON_CTL2");
    ran_free(&r);
}

/* 334060-001 table 1-1. */
static void former_addresses(void **state)
{
    (void)state;
    ran r = RUN("info", "--cpu", "skl", "0x391");
    assert_has(r.out, "register MSR_UNC_PERF_GLOBAL_CTRL");
    assert_has(r.out, "in earlier generations 0x391\n");
    ran_free(&r);
    r = RUN("info", "--cpu", "skl", "392H");
    assert_has(r.out, "register MSR_UNC_PERF_GLOBAL_STATUS");
    ran_free(&r);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All fields of the catalogue, by their names. */
static void every_field(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    const char **names = calloc(c->fields.n, sizeof *names);
    assert_non_null(names);
    for (unsigned i = 0; i < c->fields.n; i++)
        names[i] = bx_cat_z(c, bx_cat_fields(c)[i].name);
    qsort(names, c->fields.n, sizeof *names, by_text);
    for (unsigned i = 0; i < c->fields.n; i++) {
        char row[128];
        if (i && !strcmp(names[i], names[i - 1]))
            continue;
        ran r = RUN("info", names[i]);
        assert_int_equal(r.status, 0);
        snprintf(row, sizeof row, "field %s:", names[i]);
        assert_has(r.out, row);
        ran_free(&r);
    }
    free(names);
    ran r = RUN("info", "--cpu", "skl", "FRZ_ON_PMI");
    assert_has(r.out, "registers MSR_UNC_PERF_GLOBAL_CTRL\nbits 31\nkind rw\n");
    ran_free(&r);
    r = RUN("info", "--cpu", "skl", "THR");
    assert_has(r.out, "bits 28:24\n");
    assert_has(r.out, "set by modifier t\n");
    ran_free(&r);
    r = RUN("info", "--cpu", "nhmex", "HNID");
    assert_has(r.out, "field HNID:");
    assert_has(r.out, "modifier of nhmex_unc_sbox");
    ran_free(&r);
    r = RUN("info", "MSR_UNC_PERF_FIXED_CTRL.OVF_EN");
    assert_has(r.out, "field OVF_EN:");
    assert_has(r.out, "bits 20\n");
    ran_free(&r);
}

/* Table 4-1 of 334060-001, and all other terms of the glossary. */
static void every_term(void **state)
{
    (void)state;
    bx_str term;
    unsigned n = 0;
    for (size_t at = 0; bx_glossary_next(&at, &term); n++) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)term.n, term.p);
        ran r = RUN("info", name);
        assert_int_equal(r.status, 0);
        assert_has(r.out, "means ");
        ran_free(&r);
    }
    assert_true(n > 150);
    ran r = RUN("info", "PMI");
    assert_has(r.out, "means performance monitoring interrupt\n");
    ran_free(&r);
    r = RUN("info", "--cpu", "skl", "最后一级缓存");
    assert_has(r.out, "term LLC\n");
    ran_free(&r);
    r = RUN("info", "梅西");
    assert_has(r.out, "means MESI\n");
    ran_free(&r);
}

/* Every event is found by each of its codes. */
static void every_code(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    for (unsigned cpu = 0; cpu < c->cpus.n; cpu++) {
        const char *name = bx_catalog_cpu_name(c, cpu);
        bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
        char *shown[0x200] = {0};
        for (unsigned p = pmus.first; p < (unsigned)pmus.first + pmus.n; p++)
            for (unsigned i = 0; i < bx_cat_pmus(c)[p].events.n; i++) {
                const bx_cat_event *event = &bx_cat_events(c)[bx_cat_pmus(c)[p].events.first + i];
                char code[16];
                if (event->slot != BX_NONE || event->code >= 0x200)
                    continue;
                snprintf(code, sizeof code, "0x%x", event->code);
                if (!shown[event->code]) {
                    ran r = RUN("list", "--cpu", name, code);
                    assert_int_equal(r.status, 0);
                    shown[event->code] = strdup(r.out);
                    ran_free(&r);
                }
                assert_non_null(strstr(shown[event->code], bx_cat_z(c, event->name)));
            }
        for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
            free(shown[i]);
    }
    ran r = RUN("list", "--cpu", "skl", "34H");
    assert_has(r.out, "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I");
    assert_has_not(r.out, "UNC_CBO_XSNP_RESPONSE");
    ran_free(&r);
}

/* Codes of the M-Box are in INC_SEL and SET_FLAG_SEL: 323535-001 p122/123. */
static void codes_of_mbox(void **state)
{
    (void)state;
    static const struct {
        const char *event, *row, *code;
    } rows[] = {
        {"DSP_FILL", "code 0x00 in INC_SEL", "0x0"},
        {"THERM_TRP_UP", "code 0x04 in INC_SEL", "0x4"},
        {"THERM_TRP_DN", "code 0x05 in INC_SEL", "0x5"},
        {"FRM_TYPE", "code 0x09 in INC_SEL", "0x9"},
        {"DRAM_CMD", "code 0x0a in INC_SEL", "0xa"},
        {"FVC_EV0", "code 0x0d in INC_SEL", "0xd"},
        {"FVC_EV1", "code 0x0e in INC_SEL", "0xe"},
        {"FVC_EV2", "code 0x0f in INC_SEL", "0xf"},
        {"FVC_EV3", "code 0x10 in INC_SEL", "0x10"},
        {"PGT_PAGE_EV", "code 0x16 in INC_SEL", "0x16"},
        {"FVC", "code 0x0d, 0x0e, 0x0f, 0x10 in INC_SEL, one for each place", "0xd"},
        {"CYCLES_DSP_FILL", "code 0x00 in SET_FLAG_SEL\nsignal CODE 0x20 in", "0x0"},
        {"CYCLES_SCHED_MODE", "code 0x01 in SET_FLAG_SEL\nsignal CODE 0x21 in", "0x1"},
        {"CYCLES_PGT_STATE", "code 0x05 in SET_FLAG_SEL\nsignal CODE 0x25 in", "0x5"},
        {"BCMD_SCHEDQ_OCCUPANCY", "code 0x06 in SET_FLAG_SEL\nsignal CODE 0x26 in", "0x6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[64], glob[64];
        ran r = RUN("info", "--cpu", "nhmex", rows[i].event);
        assert_has(r.out, rows[i].row);
        ran_free(&r);
        snprintf(glob, sizeof glob, "nhmex_unc_mbox::%s*", rows[i].event);
        r = RUN("list", "--json", "--cpu", "nhmex", glob);
        snprintf(json, sizeof json, "\"code\":\"%s\",\"code-field\":", rows[i].code);
        assert_non_null(strstr(r.out, json));
        assert_true(strcmp(rows[i].event, "FVC") ||
                    strstr(r.out, "\"codes\":[\"0xd\",\"0xe\",\"0xf\",\"0x10\"]"));
        ran_free(&r);
    }
    ran r = RUN("list", "--cpu", "nhmex", "0x0a");
    assert_has(r.out, "nhmex_unc_mbox::DRAM_CMD:RAS");
    ran_free(&r);
    r = RUN("info", "--cpu", "skl", "OFFCORE_RESPONSE");
    assert_has(r.out, "code 0xb7, 0xbb in EVENT, one for each place");
    ran_free(&r);
}

/* Registers, events and unit masks by name in the dialogue. */
static void in_the_dialogue(void **state)
{
    (void)state;
    static const char skl[] = "wrmsr 0 MSR_UNC_PERF_GLOBAL_CTRL 0x20000000\n"
                              "wrmsr 0 MSR_UNC_CBO_1_PERFEVTSEL0 0x408834\n"
                              "signal skl_unc_cbo1 UNC_CBO_CACHE_LOOKUP ANY_I 3 2\n"
                              "rdmsr 0 MSR_UNC_CBO_1_PERFCTR0\n"
                              "rdmem DRAM_DATA_READS\n"
                              "rdpci MCHBAR\n";
    ran r =
        run(skl, (const char *const[]){"vpmu", "--machine", "virtual:skl,part=plain", "-", NULL});
    assert_string_equal(r.err, "");
    assert_int_equal(strncmp(r.out, "0x6\n0x0\n0x", 10), 0);
    ran_free(&r);
    /* The M-Box: INC_SEL 0AH, RAS is PLD 12:8. */
    static const char nhmex[] = "wrmsr 0 U_MSR_PMON_GLOBAL_CTL 0x10000000\n"
                                "wrmsr 0 MB0_CR_M_MSR_PERF_GLOBAL_CTL 1\n"
                                "wrmsr 0 MB0_CR_M_MSR_PMU_PLD 0x200\n"
                                "wrmsr 0 MB0_CR_M_MSR_PMU_CNT_CTL_0 0x1441\n"
                                "signal nhmex_unc_mbox0 DRAM_CMD RAS 1 9\n"
                                "rdmsr 0 MB0_CR_M_MSR_PMU_CNT_0\n";
    r = run(nhmex,
            (const char *const[]){"vpmu", "--machine", "virtual:nhmex,part=plain", "-", NULL});
    assert_string_equal(r.err, "");
    assert_string_equal(r.out, "0x9\n");
    ran_free(&r);
    static const struct {
        const char *line, *error;
    } refused[] = {
        {"rdmsr 0 MSR_UNC_CBO_PERFCTR0", "4 registers are called 'MSR_UNC_CBO_PERFCTR0'"},
        {"rdmsr 0 MSR_UNC_PERF_GLOBAL_CTRK", BX_DID_YOU_MEAN_NAME("MSR_UNC_PERF_GLOBAL_CTRL")},
        {"rdmsr 0 DRAM_DATA_READS", "rdmem and wrmem access it"},
        {"rdmem MSR_UNC_PERF_GLOBAL_CTRL", "rdmsr and wrmsr access it"},
        {"rdmem DRAM_DATA_READS 4", "'rdmem' takes fewer words"},
        {"signal skl_unc_cbo0 UNC_CBO_CACHE_LOOKUQ ANY_I 3 2", BX_DID_YOU_MEAN},
        {"signal skl_unc_cbo0 UNC_CBO_CACHE_LOOKUP ANY_Q 3 2", "UMASK 'ANY_Q' is neither"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        r = run(refused[i].line,
                (const char *const[]){"vpmu", "--machine", "virtual:skl,part=plain", "-", NULL});
        assert_int_equal(r.status, 1);
        assert_has(r.err, refused[i].error);
        ran_free(&r);
    }
}

/* At privilege level 3 monitoring registers are not accessible: document 002, 6.3. */
static void privilege_in_the_dialogue(void **state)
{
    (void)state;
    static const char lines[] = "wrmsr 0 PerfCtr0 7\n"
                                "rdmsr 0 PerfCtr0\n"
                                "rdmsr 0 PerfCtr0 cpl=3\n"
                                "rdmsr 0 PerfCtr0 cpl=1 mode=real\n"
                                "rdmsr 0 PerfCtr0 mode=v86\n"
                                "wrmsr 0 PerfCtr0 9 cpl=1\n"
                                "rdmsr 0 PerfCtr0 cpl=0\n";
    ran r =
        run(lines, (const char *const[]){"vpmu", "--machine", "virtual:p6,part=plain", "-", NULL});
    assert_string_equal(r.err, "");
    assert_string_equal(r.out, "0x7\n#GP\n0x7\n#GP\n#GP\n0x7\n");
    ran_free(&r);
}

/* Selections of which the documents say that nothing is counted: unit mask 0 of an L2 event
 * (document 002, note 1), of sub-events (334060-001 table 2-7; 323535-001 p32 to p40, p101). */
static void what_counts_nothing(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    unsigned n = 0;
    for (unsigned i = 0; i < c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        char text[128];
        bx_evsel selection;
        if (!event->each[0])
            continue;
        snprintf(text, sizeof text, "%s::%s:umask=0", bx_cat_z(c, bx_cat_pmus(c)[event->pmu].name),
                 bx_cat_z(c, event->name));
        assert_int_equal(bx_event_parse(c, -1, text, strlen(text), &selection, NULL), BX_OK);
        assert_string_equal(bx_event_nothing(c, &selection), bx_cat_z(c, event->each_name[0]));
        n++;
    }
    assert_true(n >= 70);
    static const struct {
        const char *cpu, *event, *lacks, *reg, *source;
    } rows[] = {
        {"p6", "L2_LD:umask=0x0", "state", "0x186=430029", "document 002 table 6-2"},
        {"skl", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:umask=0x10", "state", "0x700=401034", "334060"},
        {"skl", "skl_unc_arb::UNC_ARB_TRK_REQUESTS:umask=0x0", "subevent", "0x3b2=400081",
         "334060"},
        {"nhmex", "nhmex_unc_cbox0::LLC_MISSES:umask=0x0", "subevent", "0xd10=400014", "323535"},
        {"nhmex", "nhmex_unc_sbox0::PKTS_SENT_DRS:umask=0x0", "subevent", "0xc50=400064", "323535"},
        {"ivbep", "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:umask=0x0", "subevent", "0xd10=400037", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char machine[32], says[64], refused[64];
        snprintf(machine, sizeof machine, "virtual:%s", rows[i].cpu);
        snprintf(says, sizeof says, "makes no choice of '%s'\n", rows[i].lacks);
        snprintf(refused, sizeof refused, "it lacks a choice of '%s'\n", rows[i].lacks);
        ran r = RUN("encode", "--cpu", rows[i].cpu, rows[i].event);
        assert_has(r.out, says);
        assert_silent(&r);
        r = RUN("decode", "--cpu", rows[i].cpu, rows[i].reg);
        assert_has(r.out, rows[i].event);
        assert_has(r.out, says);
        assert_silent(&r);
        r = RUN("stat", "--machine", machine, "-w", "random,iterations=10", "-e", rows[i].event);
        assert_int_equal(r.status, 1);
        assert_has(r.err, refused);
        assert_has(r.err, rows[i].source);
        ran_free(&r);
    }
    ran r = RUN("encode", "-j", "--cpu", "p6", "L2_LD:umask=0");
    assert_non_null(strstr(r.out, "\"counts-nothing-without\":\"state\""));
    assert_silent(&r);
    r = RUN("encode", "-j", "--cpu", "p6", "L2_LD:M");
    assert_null(strstr(r.out, "counts-nothing"));
    assert_silent(&r);
    r = RUN("info", "--cpu", "nhmex", "LLC_MISSES");
    assert_has(r.out, "needs unit mask bits of 'subevent' (0xff): without one of them it counts "
                      "nothing\n");
    assert_silent(&r);
    r = run("cpu0 W 0x187 0x430029\ncpu0 W 0x186 0x430029\n",
            (const char *const[]){"explain", "--machine", "virtual:p6,part=plain", "-", NULL});
    assert_has(r.out, "chooses no state, which lets nothing through: it counts nothing");
    ran_free(&r);
    /* Half a unit mask is refused, with what is missing. */
    r = RUN("encode", "UNC_CBO_CACHE_LOOKUP:READ_FILTER");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "add one of STATE_M, STATE_E, STATE_S, STATE_I");
    ran_free(&r);
    r = RUN("encode", "UNC_CBO_CACHE_LOOKUP:STATE_M");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "add one of READ_FILTER, WRITE_FILTER, EXTSNP_FILTER, ANY_FILTER");
    ran_free(&r);
}

/* Ranges of units as the page of libpfm4 writes them, on one package. */
static void ranges_of_units(void **state)
{
    (void)state;
    ran r = RUN("encode", "ivbep_unc_cbo[1-3]::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO");
    assert_has(r.out, "ivbep_unc_cbo1::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO\n");
    assert_has(r.out, "C3_MSR_PMON_BOX_FILTER1 (msr 0xd7a) = 0x18000000\n");
    assert_has_not(r.out, "ivbep_unc_cbo0::");
    assert_silent(&r);
    r = RUN("stat", "-x,", "--machine", "virtual:ivbep,part=plain,cores=4,packages=2", "-w",
            "random,iterations=100", "-e",
            "ivbep_unc_cbo[0-2]@1::UNC_C_CLOCKTICKS,UNC_C_CLOCKTICKS");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "ivbep_unc_cbo0@1::UNC_C_CLOCKTICKS");
    assert_has(r.out, "ivbep_unc_cbo2@1::UNC_C_CLOCKTICKS");
    assert_has_not(r.out, "ivbep_unc_cbo3@1");
    ran_free(&r);
    r = RUN("encode", "ivbep_unc_cbo[3-1]::UNC_C_CLOCKTICKS");
    assert_failed(&r, 1,
                  "boxscore: this is no range of units\n"
                  "  ivbep_unc_cbo[3-1]::UNC_C_CLOCKTICKS\n"
                  "                ^^^\n"
                  "  hint: the first unit and the last one: [0-7]\n");
    /* No virtual machine has two threads a core. */
    r = RUN("stat", "--machine", "virtual:ivbep,part=plain", "-w", "random,iterations=10", "-e",
            "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO:tf=1");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "tf=1 counts nothing: a core of this machine has one thread, number 0");
    ran_free(&r);
}

/* The number of times that a text has a part. */
static unsigned times(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

/* A caution stands beside the use of its event, once: 334060-001 table 3-3. */
static void cautions(void **state)
{
    (void)state;
    static const char says[] = "requests x 64 is not the bandwidth";
    ran r = RUN("stat", "--machine", "virtual:skl,part=plain", "-w", "random,iterations=10", "-e",
                "DRAM_IA_REQUESTS,DRAM_IO_REQUESTS");
    assert_int_equal(times(r.out, says), 1);
    ran_free(&r);
    r = RUN("encode", "DRAM_IA_REQUESTS");
    assert_int_equal(times(r.out, says), 1);
    assert_silent(&r);
    r = RUN("plan", "--machine", "virtual:skl,part=plain", "-e",
            "DRAM_IA_REQUESTS,DRAM_IO_REQUESTS");
    assert_int_equal(times(r.out, says), 1);
    assert_silent(&r);
    r = RUN("info", "--cpu", "nhmex", "COHQ_BYPASS");
    assert_has(r.out, "p45 has reads enter the coherence queue");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_title_of_a_table),
        cmocka_unit_test(names_of_several),
        cmocka_unit_test(former_addresses),
        cmocka_unit_test(every_field),
        cmocka_unit_test(every_term),
        cmocka_unit_test(every_code),
        cmocka_unit_test(codes_of_mbox),
        cmocka_unit_test(in_the_dialogue),
        cmocka_unit_test(what_counts_nothing),
        cmocka_unit_test(privilege_in_the_dialogue),
        cmocka_unit_test(ranges_of_units),
        cmocka_unit_test(cautions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
