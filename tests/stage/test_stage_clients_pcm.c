/* Intel PCM 202302 on stage, unmodified, on every machine that it supports. Its metrics of modelled
 * PMUs follow from their counts. Other metrics are not checked. A run takes two seconds, so the
 * least useful ones are in the long suite only. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need_pcm(void)
{
    need_mount_namespace();
    need_program("pcm");
}

static ran client(const char *machine, const char *pace, const char *command)
{
    char script[1024];
    snprintf(script, sizeof script,
             "timeout 100 $B stage --machine %s --pace %s -- sh -c '%s' 2>&1", machine, pace,
             command);
    return play(script);
}

/* ---- pcm-msr ---- */

static void any_msr(void **state)
{
    (void)state;
    need_pcm();
    static const char *const machines[] = {"virtual:skl,part=plain", "virtual:ivbep,part=plain",
                                           "virtual:nhmex,part=plain", "virtual:p6,part=plain"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        ran r = client(machines[i], "0", "pcm-msr -w 0x1234 0x186; pcm-msr 0x186; rdmsr 0x186");
        assert_has(r.out, "Writing 0x1234 to MSR 0x186 on core 0");
        assert_has(r.out, "Read value 0x1234 from MSR 0x186 on core 0");
        assert_has(r.out, "\n1234\n");
        assert_int_equal(r.status, 0);
        ran_free(&r);
    }
}

/* ---- pcm ---- */

/* A field of pcm's CSV, found by the group and the name in its two header lines. */
static void field(const char *csv, const char *group, const char *name, char *to, size_t room)
{
    const char *line[3] = {strstr(csv, "System,System"), NULL, NULL};
    for (size_t i = 1; i < 3 && line[i - 1]; i++)
        line[i] = strchr(line[i - 1], '\n') ? strchr(line[i - 1], '\n') + 1 : NULL;
    if (!line[0] || !line[2])
        fail_msg("no CSV\n%s", csv);
    for (;;) {
        size_t n[3];
        for (size_t i = 0; i < 3; i++)
            n[i] = strcspn(line[i], ",\n");
        if (n[0] == strlen(group) && memcmp(line[0], group, n[0]) == 0 && n[1] == strlen(name) &&
            memcmp(line[1], name, n[1]) == 0) {
            snprintf(to, room, "%.*s", (int)n[2], line[2]);
            return;
        }
        for (size_t i = 0; i < 3; i++) {
            if (line[i][n[i]] != ',')
                fail_msg("no field %s, %s\n%s", group, name, csv);
            line[i] += n[i] + 1;
        }
    }
}

static void assert_field(const char *csv, const char *group, const char *name, double expected)
{
    char has[64], text[64];
    field(csv, group, name, has, sizeof has);
    snprintf(text, sizeof text, "%.2f", expected);
    if (strcmp(has, text) != 0)
        fail_msg("%s, %s: %s is not %s\n%s", group, name, has, text, csv);
}

/* pcm's CSV of that work. The machine's time does not advance otherwise. */
static ran measured_with(const char *environment, const char *options, const char *machine,
                         const char *work)
{
    char script[1024];
    snprintf(script, sizeof script,
             "%s\n"
             "printf '#!/bin/sh\\necho run %s >/dev/boxscore/dialogue\\n' >$D.sh; chmod +x $D.sh\n"
             "timeout 100 $B stage --machine %s --pace 0 -- pcm -csv %s -- $D.sh 2>/dev/null\n"
             "rm -f $D.sh",
             environment, work, machine, options);
    return play(script);
}

/* Without the lines of cores, which are many. */
static ran measured(const char *machine, const char *work)
{
    return measured_with("unset PCM_NO_PERF", "-nc", machine, work);
}

/* The counts of these events in their order, one for each unit of each package. */
static void counted(const char *machine, const char *work, const char *events, double *counts,
                    size_t n)
{
    char script[512];
    snprintf(script, sizeof script, "$B stat --machine %s -w %s --per-unit -x, -e %s | grep ^S",
             machine, work, events);
    ran r = play(script);
    const char *line = r.out;
    for (size_t i = 0; i < n; i++) {
        const char *comma = strchr(line, ',');
        comma = comma ? strchr(comma + 1, ',') : NULL;
        if (!comma)
            fail_msg("%zu counts are expected\n%s", n, r.out);
        counts[i] = strtod(comma + 1, NULL);
        line = strchr(line, '\n') + 1;
    }
    ran_free(&r);
}

enum { LINE = 64 };

/* The memory controller of a client processor, through /dev/mem. */
static void memory_of_a_client(void **state)
{
    (void)state;
    need_pcm();
    static const char machine[] = "virtual:skl,part=plain,llc=1M", work[] = "stream,size=8M";
    double n[2];
    counted(machine, work, "DRAM_DATA_READS,DRAM_DATA_WRITES", n, 2);
    ran r = measured(machine, work);
    assert_true(n[0] > 300000 && n[1] > 100000);
    assert_field(r.out, "System", "READ", n[0] * LINE / 1e9);
    assert_field(r.out, "System", "WRITE", n[1] * LINE / 1e9);
    ran_free(&r);
}

/* Cores, by registers and by perf_event_open(). PCM counts loads of instructions by their source.
 */
static void cores_of_a_client(void **state)
{
    (void)state;
    need_pcm();
    static const char machine[] = "virtual:skl,part=plain,cores=2", work[] = "random,size=32M";
    static const char *const environments[] = {"unset PCM_NO_PERF", "export PCM_NO_PERF=0"};
    enum { CYCLES, INSTRUCTIONS, L3_MISSES, L2_MISSES, L2_HITS, L3_HITS, EVENTS };
    double n[2 * EVENTS];
    counted(machine, work,
            "CPU_CLK_UNHALTED_CORE,INSTR_RETIRED_ANY,MEM_LOAD_RETIRED:L3_MISS,"
            "MEM_LOAD_RETIRED:L2_MISS,MEM_LOAD_RETIRED:L2_HIT,MEM_LOAD_RETIRED:L3_HIT",
            n, 2 * EVENTS);
    for (unsigned e = 0; e < EVENTS; e++)
        n[e] = n[2 * e]; /* of core 0 */
    assert_true(n[L3_MISSES] > 500000 && n[L3_HITS] > 50000);
    for (unsigned i = 0; i < 2; i++) {
        ran r = measured_with(environments[i], "", machine, work);
        static const char core[] = "Core0 (Socket 0)";
        assert_field(r.out, core, "IPC", n[INSTRUCTIONS] / n[CYCLES]);
        assert_field(r.out, core, "INST", n[INSTRUCTIONS] / 1e6);
        assert_field(r.out, core, "ACYC", n[CYCLES] / 1e6);
        assert_field(r.out, core, "L3MISS", n[L3_MISSES] / 1e6);
        assert_field(r.out, core, "L2MISS", n[L2_MISSES] / 1e6);
        assert_field(r.out, core, "L3HIT", n[L3_HITS] / n[L2_MISSES]);
        assert_field(r.out, core, "L2HIT", n[L2_HITS] / (n[L2_HITS] + n[L2_MISSES]));
        ran_free(&r);
    }
}

/* B-Boxes, M-Boxes, and the R-Box's ports in PCM's order. */
static void memory_and_links_of_a_xeon_7500(void **state)
{
    (void)state;
    need_pcm();
    static const char machine[] = "virtual:nhmex,part=plain,packages=2,cores=2,llc=1536K";
    static const char work[] = "stream,size=4M", *const links[] = {"QPI0", "QPI1", "QPI2", "QPI3"};
    double reads[4], writes[4], drs[8], data = 0;
    counted(machine, work, "FVC_EV0:BBOX_CMDS.READS", reads, 4);
    counted(machine, work, "IMT_INSERTS_WR", writes, 4);
    counted(machine, work,
            "NEW_PACKETS_RECV:ANY_DRS:port=1,NEW_PACKETS_RECV:ANY_DRS:port=0,"
            "NEW_PACKETS_RECV:ANY_DRS:port=4,NEW_PACKETS_RECV:ANY_DRS:port=5",
            drs, 8);
    ran r = measured(machine, work);
    for (unsigned package = 0; package < 2; package++) {
        char socket[16], in[16];
        const double *read = reads + 2 * package, *written = writes + 2 * package;
        snprintf(socket, sizeof socket, "Socket %u", package);
        snprintf(in, sizeof in, "SKT%udataIn", package);
        assert_field(r.out, socket, "READ", (read[0] + read[1]) * LINE / 1e9);
        assert_field(r.out, socket, "WRITE", (written[0] + written[1]) * LINE / 1e9);
        for (unsigned link = 0; link < 4; link++) {
            assert_field(r.out, in, links[link], drs[2 * link + package] * LINE / 1e6);
            data += drs[2 * link + package];
        }
    }
    assert_true(reads[0] > 10000 && writes[0] > 1000 && data > 50000);
    assert_field(r.out, "System", "TotalQPIin", data * LINE / 1e6);
    ran_free(&r);
}

/* PCM programs that processor correctly, but leaves all counters running. */
static void explained(void **state)
{
    (void)state;
    need_pcm();
    expect("timeout 100 $B explain -o $D.text --machine "
           "virtual:nhmex,part=plain,packages=1,cores=2 --pace 0 "
           "-- pcm 0.1 -i=1 >/dev/null 2>&1\n"
           "grep ' counts ' $D.text | sort -u | grep '[BM]-Box 0\\|half 1\\|W-Box'\n"
           "grep -c 'is left running' $D.text; sed -n 's/.*; //p' $D.text; rm -f $D.text",
           "  B-Box 0 counter 1 counts nhmex_unc_bbox0::IMT_INSERTS_WR\n"
           "  M-Box 0 counter 0 counts nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.READS\n"
           "  M-Box 0 counter 1 counts nhmex_unc_mbox0::FVC_EV1:BBOX_RSP.ACK\n"
           "  R-Box half 1 counter 0 counts nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=4\n"
           "  R-Box half 1 counter 1 counts nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_DRS:port=5\n"
           "  R-Box half 1 counter 2 counts nhmex_unc_rbox::NULL_IDLE:port=4:place=1\n"
           "  R-Box half 1 counter 3 counts nhmex_unc_rbox::NULL_IDLE:port=5:place=1\n"
           "  W-Box counter 4 counts nhmex_unc_wbox::FIXED_UNCORE_CLOCK\n"
           "21\n21 warnings\n"); /* six are for the cores' fixed counters */
    if (!getenv("BX_LONG"))
        return;
    expect("for machine in skl ivbep,cores=2; do\n"
           "  timeout 100 $B explain -o $D.text --machine virtual:$machine --pace 0 -- \\\n"
           "    pcm 0.1 -i=1 >/dev/null 2>&1\n"
           "  grep -c fault $D.text; sed -n 's/.*; //p' $D.text\n"
           "done; rm -f $D.text",
           "0\n12 warnings\n0\n12 warnings\n"); /* the cores' fixed counters are left running */
}

/* ---- pcm-raw, pcm-memory ---- */

static void raw_events(void **state)
{
    (void)state;
    need_pcm();
    static const struct {
        const char *machine, *name, *columns;
    } machines[] = {
        {"virtual:skl,part=plain,cores=2", "codename Skylake\"", "\nDate,Time,ms,X,X,\n"},
        {"virtual:ivbep,part=plain,cores=2", "Ivy Bridge-EP/EN/EX/Ivytown\"",
         "\nDate,Time,ms,X,X,X,X,\n"},
        {"virtual:nhmex,part=plain,packages=1,cores=3", "codename Nehalem-EX\"",
         "\nDate,Time,ms,X,X,X,\n"},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        ran r = client(machines[i].machine, "100000000",
                       "pcm-raw 0.1 -i=1 -e core/config=0x30203,name=X/");
        assert_has(r.out, machines[i].name);
        assert_has(r.out, machines[i].columns);
        assert_int_equal(r.status, 0);
        ran_free(&r);
    }
}

static void server_counts(const char *machine, const char *work, double counts[16])
{
    counted(machine, work, "UNC_M_CAS_COUNT:RD,UNC_M_CAS_COUNT:WR", counts, 16);
}

static double package_of(const double *counts, unsigned write, unsigned package)
{
    const double *channel = counts + 8 * write + 4 * package;
    return channel[0] + channel[1] + channel[2] + channel[3];
}

/* Memory channels, in PCI configuration space, on a bus of each package. */
static void memory_of_a_xeon_e5(void **state)
{
    (void)state;
    need_pcm();
    static const char machine[] = "virtual:ivbep,part=plain,packages=2,cores=2",
                      work[] = "stream,size=4M";
    double counts[16];
    server_counts(machine, work, counts);
    ran r = measured(machine, work);
    for (unsigned package = 0; package < 2; package++) {
        char socket[16];
        snprintf(socket, sizeof socket, "Socket %u", package);
        assert_true(package_of(counts, 0, package) > 50000);
        assert_true(package_of(counts, 1, package) > 10000);
        assert_field(r.out, socket, "READ", package_of(counts, 0, package) * LINE / 1e9);
        assert_field(r.out, socket, "WRITE", package_of(counts, 1, package) * LINE / 1e9);
    }
    ran_free(&r);
}

/* pcm-memory prints MB per second of real time, but not that time. All figures must fit the counts
 * for one length of time. */
static void memory_bandwidth_of_a_xeon_e5(void **state)
{
    (void)state;
    need_pcm();
    static const char machine[] = "virtual:ivbep,part=plain,packages=2,cores=2",
                      work[] = "stream,size=32M";
    double counts[16], is[8];
    server_counts(machine, work, counts);
    char script[1024];
    snprintf(script, sizeof script,
             "printf '#!/bin/sh\\necho run %s >/dev/boxscore/dialogue\\n' >$D.sh; chmod +x $D.sh\n"
             "timeout 100 $B stage --machine %s --pace 0 -- pcm-memory -csv -nc -- $D.sh "
             "2>/dev/null | sed -n '/^20/p'; rm -f $D.sh",
             work, machine);
    ran r = play(script);
    if (sscanf(r.out, "%*[^,],%*[^,],%lf,%lf,%*f,%lf,%lf,%lf,%*f,%lf,%lf,%lf", &is[0], &is[1],
               &is[2], &is[3], &is[4], &is[5], &is[6], &is[7]) != 8)
        fail_msg("%s", r.out);
    const double read[] = {package_of(counts, 0, 0), package_of(counts, 0, 1)};
    const double written[] = {package_of(counts, 1, 0), package_of(counts, 1, 1)};
    const double of[] = {
        read[0],    written[0],           read[0] + written[0], read[1],
        written[1], read[1] + written[1], read[0] + read[1],    written[0] + written[1]};
    double second = (read[0] + read[1]) / is[6]; /* lines in 64 s of MB */
    assert_true(written[0] > 100000);
    for (unsigned i = 0; i < 8; i++)
        if (of[i] < (is[i] - 0.011) * second * 0.9999 || of[i] > (is[i] + 0.011) * second * 1.0001)
            fail_msg("figure %u is %.2f\n%s", i, is[i], r.out);
    ran_free(&r);
}

/* Without work. */
static void memory_of_a_server(void **state)
{
    (void)state;
    need_pcm();
    ran r = client("virtual:ivbep,part=plain,cores=2", "100000000",
                   "pcm-memory 0.1 -i=1 && pcm 0.1 -i=1");
    assert_has(r.out, "Socket 0: 1 memory controllers detected with total number of 4 channels. "
                      "2 QPI ports detected.");
    assert_has(r.out, "Socket 1: 1 memory controllers detected with total number of 4 channels.");
    assert_has(r.out, "System Memory Throughput(MB/s):          0.00");
    assert_has(r.out, "Max QPI link 1 speed: 16.0 GBytes/second (8.0 GT/second)");
    assert_has_not(r.out, "PCM error");
    assert_has_not(r.out, "Can not access");
    assert_int_equal(r.status, 0);
    ran_free(&r);
    static const char *const others[] = {"virtual:skl,part=plain",
                                         "virtual:nhmex,part=plain,packages=1"};
    for (size_t i = 0; getenv("BX_LONG") && i < sizeof others / sizeof *others; i++) {
        r = client(others[i], "100000000", "pcm-memory 0.1 -i=1");
        assert_has(r.out, "For processor-level memory bandwidth statistics please use 'pcm'");
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_msr),
        cmocka_unit_test(memory_of_a_client),
        cmocka_unit_test(cores_of_a_client),
        cmocka_unit_test(memory_and_links_of_a_xeon_7500),
        cmocka_unit_test(explained),
        cmocka_unit_test(raw_events),
        cmocka_unit_test(memory_of_a_xeon_e5),
        cmocka_unit_test(memory_bandwidth_of_a_xeon_e5),
        cmocka_unit_test(memory_of_a_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
