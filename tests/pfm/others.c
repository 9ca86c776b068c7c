/* Asks libpfm4 for all PMUs that boxscore's library does not have, for their events and attributes,
 * and for some encodings, and prints the answers: with boxscore's library, an installed libpfm4
 * answers. Texts of errors are not printed. */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void encode(const char *text)
{
    char *fstr = NULL, *perf = NULL;
    struct perf_event_attr attr;
    pfm_pmu_encode_arg_t raw;
    memset(&raw, 0, sizeof raw);
    memset(&attr, 0, sizeof attr);
    raw.fstr = &fstr;
    int find = pfm_find_event(text);
    int code = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &raw);
    printf("%s find %d raw %d idx %d", text, find, code, raw.idx);
    for (int i = 0; i < raw.count; i++)
        printf(" %llx", (unsigned long long)raw.codes[i]);
    code = pfm_get_perf_event_encoding(text, PFM_PLM3, &attr, &perf, NULL);
    printf(" %s perf %d type %u config %llx %s\n", fstr ? fstr : "-", code, attr.type,
           (unsigned long long)attr.config, perf ? perf : "-");
    free(raw.codes);
    free(fstr);
    free(perf);
}

static void show(const pfm_pmu_info_t *pmu)
{
    char text[256];
    printf("%d %s %s: %d events from %d, %d counters, present %d\n", pmu->pmu, pmu->name, pmu->desc,
           pmu->nevents, pmu->first_event, pmu->num_cntrs, pmu->is_present);
    for (int idx = pmu->first_event; idx >= 0; idx = pfm_get_event_next(idx)) {
        pfm_event_info_t event;
        memset(&event, 0, sizeof event);
        if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
            return;
        printf("%d %s %s %llx\n", idx, event.name, event.desc, (unsigned long long)event.code);
        for (int a = 0; a < event.nattrs; a++) {
            pfm_event_attr_info_t one;
            memset(&one, 0, sizeof one);
            pfm_get_event_attr_info(idx, a, PFM_OS_PERF_EVENT, &one);
            printf("  %s %s %d %d\n", one.name, one.desc, one.type, one.is_dfl);
        }
        snprintf(text, sizeof text, "%s::%s", pmu->name, event.name);
        encode(text);
    }
}

int main(void)
{
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    for (int id = 0; id < PFM_PMU_MAX; id++) {
        pfm_pmu_info_t pmu;
        memset(&pmu, 0, sizeof pmu);
        if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS)
            continue;
        if (strncmp(pmu.name, "perf", 4) == 0 || strncmp(pmu.name, "skl", 3) == 0 ||
            strcmp(pmu.name, "ivb_ep") == 0 || strcmp(pmu.name, "nhm_ex") == 0 ||
            strncmp(pmu.name, "wsm", 3) == 0)
            show(&pmu);
    }
    encode("perf::cycles:u");
    encode("cycles");
    encode("PERF_COUNT_SW_PAGE_FAULTS");
    encode("perf::none");
    encode("skl::INST_RETIRED:ANY_P:u");
    encode("none::INST_RETIRED");
    pfm_terminate();
    printf("%d\n", pfm_find_event("cycles"));
    return pfm_initialize() != PFM_SUCCESS || pfm_find_event("perf::cycles") < 0;
}
