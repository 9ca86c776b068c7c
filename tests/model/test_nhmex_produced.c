/* Which part of the catalogue the Xeon 7500 machine produces, compared with
 * docs/explanation/model-nhmex.md. */
#include "../cmocked.h"

#include "catalog/catalog.h"
#include "catalog/lookup.h"

#include <boxscore/boxscore.h>

#include <stdio.h>
#include <string.h>

struct count {
    unsigned all, produced;
};

static bool produces(const bx_catalog *c, const bx_machine *m, const bx_cat_pmu *pmu,
                     const bx_cat_event *event, const bx_cat_umask *umask)
{
    char text[128];
    bx_evsel sel;
    int n =
        snprintf(text, sizeof text, "%s::%s%s%s", bx_cat_z(c, pmu->name), bx_cat_z(c, event->name),
                 umask ? ":" : "", umask ? bx_cat_z(c, umask->name) : "");

    assert_int_equal(bx_event_parse(c, pmu->cpu, text, (size_t)n, &sel, NULL), BX_OK);
    return bx_machine_produces(m, &sel);
}

/* Counts events without unit masks, and each unit mask of the others, but no second names. */
static struct count count(const bx_catalog *c, const bx_machine *m, const bx_cat_pmu *pmu)
{
    struct count n = {0};

    for (unsigned i = 0; i < pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[pmu->events.first + i];
        if (event->umasks.n == 0) {
            n.all++;
            n.produced += produces(c, m, pmu, event, NULL);
        }
        for (unsigned u = 0; u < event->umasks.n; u++) {
            const bx_cat_umask *umask = &bx_cat_umasks(c)[event->umasks.first + u];
            if (umask->flags & BX_UMASK_ALIAS)
                continue;
            n.all++;
            n.produced += produces(c, m, pmu, event, umask);
        }
    }
    return n;
}

static void test_produced(void **state)
{
    (void)state;
    static const struct {
        const char *pmu;
        struct count n;
    } stated[] = {
        {"nhmex_unc_ubox", {13, 7}},    {"nhmex_unc_cbox", {132, 114}},
        {"nhmex_unc_bbox", {50, 45}},   {"nhmex_unc_sbox", {176, 163}},
        {"nhmex_unc_rbox", {180, 145}}, {"nhmex_unc_mbox", {217, 115}},
        {"nhmex_unc_wbox", {40, 39}},
    };
    const bx_catalog *c = bx_catalog_builtin();
    bx_machine *m = NULL;

    assert_int_equal(bx_machine_open(c, "virtual:nhmex,part=plain,packages=1", &m, NULL), BX_OK);
    for (unsigned i = 0; i < sizeof stated / sizeof *stated; i++) {
        const bx_cat_pmu *pmu = bx_cat_pmus(c);
        while (strcmp(bx_cat_z(c, pmu->name), stated[i].pmu) != 0)
            pmu++;
        struct count n = count(c, m, pmu);
        assert_int_equal(n.all, stated[i].n.all);
        assert_int_equal(n.produced, stated[i].n.produced);
    }
    bx_machine_close(m);
}

/* No filter is ignored: the model has no fill/victim indices and no addresses of commands. */
static void test_filters(void **state)
{
    (void)state;
    static const struct {
        const char *event;
        bool produced;
    } stated[] = {
        {"FVC:BBOX_RSP.ACK", true},
        {"FVC:BBOX_RSP.ACK:fvid=0", true},
        {"FVC:BBOX_RSP.ACK:fvid=3", false},
        {"FVC:BBOX_CMDS.READS:fvid=3", false},
        {"BCMD_SCHEDQ_OCCUPANCY:READS", true},
        {"BCMD_SCHEDQ_OCCUPANCY:READS:map_fvid=3", false},
        {"DSP_FILL:WRQ_EMPTY", true},
        {"DSP_FILL:WRQ_EMPTY:latency:dsp_fvid=3", false},
        {"DSP_FILL:WRQ_EMPTY:dsp_fvid=3", false},
        {"DRAM_CMD:RAS", true},
        {"DRAM_CMD:RAS.WRPRIO", true},
        {"DRAM_CMD:RAS:addr=0x1", false},
        {"DRAM_CMD:RAS:addr=0", false},
        {"DRAM_CMD:RAS:pld_fvid=1", false},
        {"DRAM_CMD:RAS:inj", false},
        {"PAGE_EMPTY:empty", true},
    };
    const bx_catalog *c = bx_catalog_builtin();
    bx_machine *m = NULL;

    assert_int_equal(bx_machine_open(c, "virtual:nhmex,part=plain,packages=1", &m, NULL), BX_OK);
    for (unsigned i = 0; i < sizeof stated / sizeof *stated; i++) {
        char text[128];
        bx_evsel sel;
        int n = snprintf(text, sizeof text, "nhmex_unc_mbox::%s", stated[i].event);
        assert_int_equal(bx_event_parse(c, -1, text, (size_t)n, &sel, NULL), BX_OK);
        assert_int_equal(bx_machine_produces(m, &sel), stated[i].produced);
    }
    bx_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_produced),
                                       cmocka_unit_test(test_filters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
