/* The metrics of the catalogue: how they are looked up, and that no part is larger than its
 * whole. */
#include "../cmocked.h"

#include "cli/parsed.h"
#include "cli/run.h"

#include "base/buf.h"
#include "catalog/catalog.h"
#include "report/report.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/* ---- looking up ---- */

static void page(void **unused)
{
    (void)unused;
    ran r = RUN("info", "imt_latency");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "metric        imt_latency\n"
                      "              how long an entry stays in the in-flight memory table\n");
    assert_has(r.out, "formula       {IMT_VALID_OCCUPANCY} / {IMT_INSERTS_ALL}\n");
    assert_has(r.out, "more than 5 %"); /* 323535-001 p50 */
    ran_free(&r);
}

/* `info` of an event names the metrics whose operand it is. */
static void of_event(void **unused)
{
    (void)unused;
    ran r = RUN("info", "TF_ALL");
    assert_has(r.out, "metrics\n  tracker_occupancy ");
    assert_has(r.out, "\n  tracker_latency ");
    assert_has_not(r.out, "imt_latency");
    ran_free(&r);
    r = RUN("info", "REFRESH");
    assert_has_not(r.out, "metrics");
    ran_free(&r);
}

/* ---- questions ---- */

/* Each question has the metric that LIKWID's groups or the documents answer it with. */
static void answers_questions(void **unused)
{
    static const struct {
        const char *cpu, *words[2], *metric, *event;
    } of[] = {
        {"skl", {"bandwidth"}, "    dram_bandwidth ", "skl_unc_imc::DRAM_DATA_READS "},
        {"skl", {"latency"}, "    arb_latency ", "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL "},
        {"skl", {"miss", "ratio"}, "    llc_miss_ratio ", "UNC_CBO_CACHE_LOOKUP:ANY_I "},
        {"skl", {"device"}, "    dram_device_share ", "skl_unc_imc::DRAM_IO_REQUESTS "},
        {"ivbep", {"bandwidth"}, "    dram_bandwidth ", "ivbep_unc_imc::UNC_M_CAS_COUNT:RD "},
        {"ivbep", {"latency"}, "    drd_miss_latency ", "ivbep_unc_cbo::UNC_C_TOR_OCCUPANCY:OPC"},
        {"ivbep", {"miss", "ratio"}, "    llc_miss_ratio ", "ivbep_unc_cbo::UNC_C_LLC_LOOKUP:"},
        {"ivbep", {"numa"}, "    remote_share ", "UNC_C_TOR_INSERTS:MISS_REMOTE "},
        {"ivbep", {"snoop"}, "    llc_snoop_miss_ratio ", "UNC_C_LLC_LOOKUP:REMOTE_SNOOP "},
        {"ivbep", {"pcie", "write"}, "    pcie_write_bandwidth ", "UNC_C_TOR_INSERTS:OPC_PCIITOM "},
        {"nhmex", {"bandwidth"}, "    dram_bandwidth ", "nhmex_unc_mbox::FVC:BBOX_CMDS.READS "},
        {"nhmex", {"latency"}, "    imt_latency ", "nhmex_unc_bbox::IMT_VALID_OCCUPANCY "},
        {"nhmex", {"miss", "ratio"}, "    llc_miss_ratio ", "nhmex_unc_cbox::LLC_MISSES:ALL "},
        {"nhmex", {"link"}, "    flits_per_packet ", "nhmex_unc_rbox::FLITS_SENT "},
        {"nhmex", {"numa"}, "    remote_share ", "nhmex_unc_sbox::TO_R_B_REQUESTS:REMOTE "},
        {"p6", {"bandwidth"}, "    bus_bandwidth ", "p6::BUS_TRAN_BURST:ANY "},
        {"p6", {"latency"}, "    dcu_miss_latency ", "p6::DCU_MISS_OUTSTANDING "},
        {"p6", {"miss", "ratio"}, "    l2_miss_ratio ", "p6::L2_RQSTS:I "},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ran r = RUN("list", "--cpu", of[i].cpu, of[i].words[0], of[i].words[1]);
        assert_has(r.out, of[i].metric);
        assert_has(r.out, of[i].event);
        assert_silent(&r);
    }
}

/* Every metric is in a group, and has a meaning and a source. A group has the name of LIKWID's
 * group if the CPU counts the same. */
static void is_complete(void **unused)
{
    static const char *const groups[][2] = {
        {"skl", "MEM"},   {"skl", "L3"},     {"skl", "CLOCK"},     {"skl", "TLB_DATA"},
        {"ivbep", "MEM"}, {"ivbep", "NUMA"}, {"ivbep", "L3CACHE"}, {"ivbep", "CBOX"},
        {"nhmex", "MEM"}, {"nhmex", "L3"},   {"nhmex", "L2CACHE"}, {"nhmex", "BRANCH"},
        {"p6", "BRANCH"}, {"pm", "BRANCH"},  {"ppro", "MEM"},      {"pii", "DEVICES"},
    };
    const bx_catalog *c = bx_catalog_builtin();
    (void)unused;
    for (uint16_t i = 0; i < c->cpus.n; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[i];
        /* CPUs without a model may leave all metrics to an import. */
        bool left_out = !bx_cat_is_virtual(c, cpu) && !cpu->metrics.n;
        assert_true(left_out || (cpu->metrics.n > 10 && cpu->metric_groups.n > 5));
        for (uint16_t m = cpu->metrics.first; m < cpu->metrics.first + cpu->metrics.n; m++) {
            const bx_cat_metric *metric = &bx_cat_metrics(c)[m];
            bool grouped = false;
            for (unsigned g = 0; g < cpu->metric_groups.n; g++)
                grouped |= bx_cat_metric_is_in(
                    c, m, &bx_cat_metric_groups(c)[cpu->metric_groups.first + g]);
            if (!grouped || !metric->means || !metric->source)
                fail_msg("%s of %s", bx_cat_z(c, metric->name), bx_cat_z(c, cpu->name));
        }
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        uint16_t cpu = bx_cat_find_cpu(c, bx_str_of(groups[i][0]));
        if (bx_cat_find_metric_group(c, cpu, bx_str_of(groups[i][1])) == BX_NONE)
            fail_msg("%s of %s", groups[i][1], groups[i][0]);
    }
}

static void metrics_alone(void **unused)
{
    (void)unused;
    ran r = RUN("list", "--metrics", "--cpu", "skl");
    assert_has(r.out, "metrics of skl\n  MEM: ");
    assert_has(r.out, "\n    dram_bytes_read             MB   ");
    assert_has_not(r.out, "::");
    assert_silent(&r);
    r = RUN("list", "--metrics", "--json", "--cpu", "skl", "dram_device_share");
    json_object *all = parse(r.out), *one = json_object_array_get_idx(all, 0);
    assert_int_equal(json_object_array_length(all), 1);
    assert_member(one, "metric", "dram_device_share");
    assert_member(one, "cpu", "skl");
    assert_member(one, "unit", "%");
    assert_int_equal(json_object_array_length(member(one, "events")), 4); /* as in the formula */
    assert_string_equal(json_object_get_string(json_object_array_get_idx(member(one, "groups"), 0)),
                        "DEVICES");
    json_object_put(all);
    assert_silent(&r);
    r = RUN("list", "--metrics", "--cpu", "skl", "dram_bandwith");
    assert_failed(&r, 1,
                  "boxscore: no metric has 'dram_bandwith' in its name or description\n"
                  "  hint: " BX_DID_YOU_MEAN_NAME("dram_bandwidth") "\n");
    r = RUN("list", "--metrics", "--modelled", "--cpu", "skl");
    assert_has(r.out, " branch_mispredict_ratio ");
    assert_has(r.out, " cycles_lock ");
    assert_silent(&r);
    r = RUN("list", "--metrics", "--modelled", "--machine", "virtual:skl,part=plain");
    assert_has(r.out, " branch_mispredict_ratio ");
    assert_has_not(r.out, "cycles_lock"); /* without a part locked operations take no time */
    assert_silent(&r);
}

static void group_page(void **unused)
{
    (void)unused;
    ran r = RUN("info", "--cpu", "skl", "devices");
    assert_has(r.out, "metric group  DEVICES\n");
    assert_has(r.out, "\n  dram_device_share ");
    assert_has(r.out, "stat --machine virtual:skl -M DEVICES -- PROGRAM\n");
    assert_silent(&r);
}

/* ---- stat -M ---- */

#define STREAM "stat", "--machine", "virtual:skl,part=plain", "-w", "stream,size=64K"

/* Three arrays of 64 KiB are 3,072 lines of 64 bytes: 0.196608 MB, each of which is read once. */
static void counts_alone(void **unused)
{
    (void)unused;
    ran r = RUN(STREAM, "-M", "dram_bytes_read", "-x,");
    assert_has(r.out, "3072,64 B transfers,skl_unc_imc::DRAM_DATA_READS,");
    assert_has(r.out, ",0.196608,MB dram_bytes_read\n");
    assert_null(strchr(strchr(r.out, '\n') + 1, '\n'));
    assert_silent(&r);
    r = RUN(STREAM, "--metrics=dram_bytes_read", "-e", "DRAM_DATA_READS", "-j");
    char *first = strndup(r.out, strcspn(r.out, "\n"));
    json_object *line = parse(first), *list = member(line, "metrics");
    assert_member(line, "event", "skl_unc_imc::DRAM_DATA_READS"); /* not counted twice */
    assert_has(strchr(r.out, '\n'), "\n{\"run\" : ");
    assert_int_equal(json_object_array_length(list), 1);
    assert_member(json_object_array_get_idx(list, 0), "name", "dram_bytes_read");
    json_object_put(line);
    free(first);
    assert_silent(&r);
    r = RUN(STREAM, "-M", "llc_miss_ratio,DEVICES", "-M", "arb_latency");
    assert_has(r.out, " % llc_miss_ratio\n");
    assert_has(r.out, "#    100.00 % dram_core_share\n"); /* graphics and devices are idle */
    assert_has(r.out, "#      0.00 % dram_device_share\n");
    assert_has(r.out, "::DRAM_GT_REQUESTS ");
    assert_has(r.out, " cycles per request arb_latency\n");
    assert_has_not(r.out, "llc_read_miss_ratio");
    assert_silent(&r);
}

/* An unknown value is never shown as 0. */
static void without_a_value(void **unused)
{
    (void)unused;
    ran r = RUN(STREAM, "-M", "snoop_hitm_ratio"); /* one core: no snoops */
    assert_has(r.out, "#         – % snoop_hitm_ratio\n");
    assert_silent(&r);
    r = RUN(STREAM, "-M", "cycles_lock");
    assert_has_state(r.out, "# ", BX_NOT_MODELLED, " % cycles_lock\n");
    assert_silent(&r);
    r = RUN(STREAM, "-M", "cycles_lock", "-j");
    const char *word = bx_state_text(BX_NOT_MODELLED); /* in JSON without its brackets */
    char line[200];
    snprintf(line, sizeof line,
             "{\"name\" : \"cycles_lock\", \"value\" : null, "
             "\"state\" : \"%.*s\", \"unit\" : \"%%\"}",
             (int)strlen(word) - 2, word + 1);
    assert_has(r.out, line);
    assert_silent(&r);
}

/* The command that evaluates takes former names, as `stat -M` and `info` do. */
static void of_given_values(void **unused)
{
    (void)unused;
    ran r = RUN("metric", "--cpu", "p6", "bus_utilisation");
    assert_failed(&r, 1,
                  "boxscore: 'bus_utilization' has no value: a value is missing\n"
                  "  hint: --value='NAME=NUMBER' for BUS_DRDY_CLOCKS:ANY\n");
}

static void refuses_names(void **unused)
{
    (void)unused;
    ran r = RUN(STREAM, "-M", "MEM,llc_mis_ratio");
    assert_failed(&r, 1,
                  "boxscore: skl has no metric and no group of metrics 'llc_mis_ratio'\n"
                  "  MEM,llc_mis_ratio\n"
                  "      ^^^^^^^^^^^^^\n"
                  "  hint: " BX_DID_YOU_MEAN_NAME("llc_miss_ratio") "\n");
    r = RUN(STREAM, "-M", "DRAM_DATA_READS");
    assert_failed(&r, 1,
                  "boxscore: skl has no metric and no group of metrics 'DRAM_DATA_READS'\n"
                  "  DRAM_DATA_READS\n"
                  "  ^^^^^^^^^^^^^^^\n"
                  "  hint: it is an event, not a metric\n");
    r = RUN(STREAM, "-M", "LLC_MISS_RATIO,");
    assert_failed(&r, 1,
                  "boxscore: the name of a metric is missing here\n"
                  "  LLC_MISS_RATIO,\n"
                  "                 ^\n");
}

/* Shell completion offers the names of metrics and groups, which it takes from the list. */
static void is_completed(void **unused)
{
    (void)unused;
    ran r = RUN("help", "--generate", "bash");
    assert_has(r.out, "stat:--metrics|stat:-M) _boxscore_metrics; return ;;\n");
    assert_silent(&r);
    r = RUN("help", "--generate", "zsh");
    assert_has(r.out, ":METRICS:_boxscore_metrics'");
    assert_silent(&r);
    r = run_shell("PATH=$(dirname \"$BOXSCORE\"):$PATH; eval \"$(boxscore help --generate bash)\"\n"
                  "cur=dram_band; _boxscore_metrics; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
                  "cur=TLB_I; _boxscore_metrics; printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    assert_has(r.out, "dram_bandwidth\n");
    assert_has(r.out, "TLB_INSTR\n");
    ran_free(&r);
}

/* Events that hardware cannot count at once. A C-Box of Ivy Bridge-EP has one filter of states, and
 * these metrics need two contents of it. Some pairs need counter 1 of a B-Box (323535-001 p47). The
 * P6 has two counters for three events. */
static bool is_apart(const char *cpu, const char *line)
{
    static const char *const apart[][2] = {
        {"ivbep", " llc_miss_ratio "},       {"ivbep", " llc_read_miss_ratio "},
        {"ivbep", " llc_write_miss_ratio "}, {"ivbep", " llc_modified_share "},
        {"ivbep", " llc_exclusive_share "},  {"ivbep", " llc_shared_share "},
        {"ivbep", " llc_forward_share "},    {"ivbep", " llc_snoop_miss_ratio "},
        {"nhmex", " ioh_request_share "},    {"p6", " bus_read_bytes "},
    };
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (!strcmp(cpu, apart[i][0]) && strstr(line, apart[i][1]))
            return true;
    return false;
}

/* Multiplexes all metrics of a group. The parts of each metric are counted at the same times if
 * that is possible. */
static void parts_of_one_time(void **unused)
{
    static const char *const cpus[] = {"skl", "ivbep", "nhmex", "p6"};
    const bx_catalog *c = bx_catalog_builtin();
    unsigned apart = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[bx_cat_find_cpu(c, bx_str_of(cpus[i]))];
        char machine[32];
        snprintf(machine, sizeof machine, "virtual:%s,part=plain", cpus[i]);
        for (unsigned g = 0; g < cpu->metric_groups.n; g++) {
            const bx_cat_metric_group *group =
                &bx_cat_metric_groups(c)[cpu->metric_groups.first + g];
            ran r = RUN("stat", "--passes", "rotate", "--machine", machine, "-w",
                        "random,size=1M,iterations=20000", "-M", bx_cat_z(c, group->name));
            assert_string_equal(r.err, "");
            for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n")) {
                if (!strstr(line, "(of different times"))
                    continue;
                if (!is_apart(cpus[i], line))
                    fail_msg("%s %s: %s", cpus[i], bx_cat_z(c, group->name), line);
                apart++;
            }
            ran_free(&r);
        }
    }
    assert_int_equal(apart, 10);
}

/* The metric in lines of JSON. */
static json_object *metric_in(const char *lines, const char *name)
{
    json_object *found = NULL;
    for (; *lines && !found; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
        char *line = strndup(lines, strcspn(lines, "\n"));
        json_object *o = parse(line), *list;
        size_t n =
            json_object_object_get_ex(o, "metrics", &list) ? json_object_array_length(list) : 0;
        for (size_t i = 0; i < n; i++) {
            json_object *one = json_object_array_get_idx(list, i);
            if (!strcmp(json_object_get_string(member(one, "name")), name))
                found = json_object_get(one);
        }
        json_object_put(o);
        free(line);
    }
    return found;
}

/* Compares multiplexed counts of states in a C-Box with counts of all states at once. The true
 * value is within the error in 95 of 100 cases; the error of a sum of two parts is the sum of
 * theirs. */
static void errors_of_parts(void **unused)
{
    enum { RUNS = 20 };
    static const char *const names[] = {"llc_modified_share", "llc_exclusive_share"};
    unsigned compared = 0, within = 0;
    (void)unused;
    for (unsigned i = 0; i < RUNS; i++) {
        char work[64];
        snprintf(work, sizeof work, "random,size=1M,iterations=30000,write=%u,seed=%u", 20 + 3 * i,
                 i + 1);
        ran turns = RUN("stat", "--machine", "virtual:ivbep,part=plain", "-w", work, "-j", "-M",
                        "STATES", "--passes", "rotate");
        ran truth =
            RUN("stat", "--machine", "virtual:ivbep,part=plain", "-w", work, "-j", "-M", "STATES");
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            json_object *scaled = metric_in(turns.out, names[k]), *error;
            json_object *exact = metric_in(truth.out, names[k]);
            if (json_object_object_get_ex(scaled, "error", &error)) {
                double off = json_object_get_double(member(scaled, "value")) -
                             json_object_get_double(member(exact, "value"));
                within += (off < 0 ? -off : off) <= json_object_get_double(error);
                compared++;
            }
            json_object_put(scaled);
            json_object_put(exact);
        }
        assert_silent(&turns);
        assert_silent(&truth);
    }
    assert_true(compared > RUNS);
    if (100 * within < 93 * compared)
        fail_msg("%u of %u metrics are within their errors", within, compared);
}

/* ---- units and peak ---- */

/* Eight lines of one page, an even number apart: all are in one of two slices. */
static void hot_spot(void **unused)
{
    (void)unused;
    ran r = RUN("stat", "--machine", "virtual:nhmex,part=plain,packages=1,cores=2", "-w",
                "chase,size=4K,stride=512,passes=1", "-e", "LLC_MISSES:ALL");
    assert_string_equal(r.err, "");
    assert_has(r.out, " 8 lookups ");
    assert_has(r.out, " 4.00 lookups    llc_misses_per_cbox\n");
    assert_has(r.out, " 2.00 x the mean llc_misses_hot_spot\n");
    ran_free(&r);
}

/* ---- parts and wholes ---- */

static bool is_percent(const bx_catalog *c, const bx_cat_metric *metric)
{
    return strcmp(bx_cat_z(c, metric->unit), "%") == 0;
}

/* Adds the event strings of a formula to the list, each once. */
static void add_events(bx_buf *list, const char *formula)
{
    const char *at = formula, *end;

    for (; (at = strchr(at, '{')); at = end) {
        char event[80];
        end = strchr(at, '}');
        snprintf(event, sizeof event, ",%.*s,", (int)(end - at - 1), at + 1);
        if (!strstr(list->p, event))
            bx_buf_z(list, event + 1);
    }
}

static bx_buf events_of(const bx_catalog *c, const bx_cat_cpu *cpu)
{
    bx_buf list = {0};

    bx_buf_z(&list, ",");
    for (unsigned i = 0; i < cpu->metrics.n; i++) {
        const bx_cat_metric *metric = &bx_cat_metrics(c)[cpu->metrics.first + i];
        if (is_percent(c, metric))
            add_events(&list, bx_cat_z(c, metric->formula));
    }
    list.p[list.n - 1] = '\0'; /* removes the comma */
    return list;
}

/* Checks that a percentage is between 0 and 100. Returns whether the line is that metric's. */
static bool check_figure(json_object *o, const char *name)
{
    if (!member(o, "value") || strcmp(json_object_get_string(member(o, "unit")), "%") != 0)
        return false;
    double value = json_object_get_double(member(o, "value"));
    if (value < 0 || value > 100)
        fail_msg("%s: %f", json_object_get_string(member(o, "name")), value);
    return strcmp(json_object_get_string(member(o, "name")), name) == 0;
}

/* Returns whether a report in JSON has the metric; checks all of its metrics. */
static bool has_figure(const char *lines, const char *name)
{
    bool has = false;

    while (*lines) {
        size_t n = strcspn(lines, "\n");
        char *line = strndup(lines, n);
        json_object *o = parse(line), *more;
        if (json_object_object_get_ex(o, "metrics", &more))
            for (size_t i = 0; i < json_object_array_length(more); i++)
                has |= check_figure(json_object_array_get_idx(more, i), name);
        json_object_put(o);
        free(line);
        lines += n + (lines[n] == '\n');
    }
    return has;
}

static const struct {
    const char *cpu, *work, *keys; /* keys: of the machine string, with a comma before them */
} measured[] = {
    {"skl", "random,size=2M,cores=4,iterations=4000,write=30", ",part=plain"},
    {"skl", "chase,size=64K+dma,size=64K,iterations=500", ",part=plain"},
    {"skl", "random,size=64K,cores=2,iterations=400", ",part=i7-6700k"},
    {"ivbep", "random,size=2M,cores=20,iterations=2000,write=30", ",part=plain,dram_rate=1600"},
    {"ivbep", "stream,size=256K,cores=2+dma,size=64K,iterations=500", ",part=plain"},
    {"ivbep", "random,size=64K,cores=2,iterations=400", ",part=e5-2680v2"},
    {"nhmex", "random,size=2M,cores=16,iterations=2000,write=30", ",part=plain"},
    {"nhmex", "stream,size=256K,cores=2+dma,size=64K,iterations=500", ",part=plain"},
    {"nhmex", "random,size=64K,cores=2,iterations=400", ",part=x7560"},
    {"p6", "random,size=1M,iterations=4000,write=30", ",part=plain"},
    {"p6", "stream,size=64K+dma,size=64K,iterations=2000", ",part=plain,interrupt=5000"},
    {"ppro", "random,size=1M,iterations=3000", ",interrupt=5000"},
};

/* No built-in workload has branches, fetches or floating-point operations. */
static const char *const not_printed[] = {"branch_mispredict_ratio", "dp_vector_share",
                                          "tor_crd_miss_ratio"};

static bool is_printed(const char *name)
{
    for (size_t i = 0; i < sizeof not_printed / sizeof *not_printed; i++)
        if (strcmp(not_printed[i], name) == 0)
            return false;
    return true;
}

/* Whether the line ends with an event's caution. */
static bool is_caution(const bx_catalog *c, const char *line, size_t n)
{
    for (unsigned i = 0; i < c->events.n; i++) {
        bx_str caution = bx_cat_str(c, bx_cat_events(c)[i].caution);
        if (caution.n && caution.n < n && !memcmp(line + n - caution.n, caution.p, caution.n))
            return true;
    }
    return false;
}

/* Measures once; marks the metrics that were printed. Nothing but cautions is said. */
static void measure(const bx_catalog *c, const bx_cat_cpu *cpu, const char *keys, const char *work,
                    bool printed[])
{
    bx_buf events = events_of(c, cpu);
    char machine[64];
    snprintf(machine, sizeof machine, "virtual:%s%s", bx_cat_z(c, cpu->name), keys ? keys : "");
    ran r = RUN("stat", "--json", "--passes", "repeat", "--machine", machine, "-w", work, "-e",
                events.p + 1);
    for (const char *line = r.err; *line; line += strcspn(line, "\n") + 1)
        assert_true(is_caution(c, line, strcspn(line, "\n")));
    for (unsigned i = 0; i < cpu->metrics.n; i++) {
        unsigned metric = cpu->metrics.first + i;
        printed[metric] |= has_figure(r.out, bx_cat_z(c, bx_cat_metrics(c)[metric].name));
    }
    bx_buf_free(&events);
    ran_free(&r);
}

static void shares_are_at_most_100(void **unused)
{
    (void)unused;
    enum { METRICS = 512 };
    bool printed[METRICS] = {false};
    const bx_catalog *c = bx_catalog_builtin();

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const bx_cat_cpu *cpu = bx_cat_cpus(c);
        while (strcmp(bx_cat_z(c, cpu->name), measured[i].cpu) != 0)
            cpu++;
        assert_true(cpu->metrics.first + cpu->metrics.n <= METRICS);
        measure(c, cpu, measured[i].keys, measured[i].work, printed);
        bool last = i + 1 == sizeof measured / sizeof *measured ||
                    strcmp(measured[i + 1].cpu, measured[i].cpu) != 0;
        for (unsigned m = 0; last && m < cpu->metrics.n; m++) {
            const bx_cat_metric *metric = &bx_cat_metrics(c)[cpu->metrics.first + m];
            const char *name = bx_cat_z(c, metric->name);
            if (is_percent(c, metric) && printed[cpu->metrics.first + m] != is_printed(name))
                fail_msg("%s of %s", name, measured[i].cpu);
        }
    }
}

/* LIKWID's -g is -M for a group, -e for events with counters; -m is --regions. */
static void likwid_options(void **state)
{
    (void)state;
    ran own = RUN(STREAM, "-M", "MEM"), likwids = RUN(STREAM, "-g", "MEM");
    assert_int_equal(likwids.status, 0);
    assert_string_equal(own.out, likwids.out);
    ran_free(&own);
    ran_free(&likwids);
    ran r = RUN(STREAM, "-g", "DRAM_READS:MBOX0C1");
    assert_int_equal(r.status, 0);
    assert_has(r.out, "skl_unc_imc::DRAM_DATA_READS");
    ran_free(&r);
    r = RUN(STREAM, "-m");
    assert_int_equal(r.status, 2);
    assert_has(r.err, "a workload has no regions");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page),
        cmocka_unit_test(of_event),
        cmocka_unit_test(answers_questions),
        cmocka_unit_test(is_complete),
        cmocka_unit_test(metrics_alone),
        cmocka_unit_test(group_page),
        cmocka_unit_test(counts_alone),
        cmocka_unit_test(without_a_value),
        cmocka_unit_test(of_given_values),
        cmocka_unit_test(refuses_names),
        cmocka_unit_test(is_completed),
        cmocka_unit_test(parts_of_one_time),
        cmocka_unit_test(errors_of_parts),
        cmocka_unit_test(hot_spot),
        cmocka_unit_test(shares_are_at_most_100),
        cmocka_unit_test(likwid_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
