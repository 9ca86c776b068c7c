/* Asks libpfm4 for its PMU `perf`: events, attributes, and encodings of each event and of many
 * strings. Without an installed libpfm4, boxscore's library must print the same. Descriptions are
 * not printed, nor what libpfm4 spells of a sampling period: it spells a frequency, too. A unit
 * mask that is given three times is not tried: libpfm4 overlooks the third. */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const attributes[] = {
    "",
    ":u",
    ":k",
    ":h",
    ":u:k",
    ":u=0",
    ":u=1:k=0",
    ":u:u",
    ":u=1:u=0",
    ":u=2",
    ":u=y:k=F",
    ".u",
    ":mg",
    ":mh",
    ":mg:mh",
    ":mg=0",
    ":excl",
    ":pinned",
    ":precise",
    ":precise=2",
    ":precise=4",
    ":cpu=3",
    ":cpu=-1",
    ":pinned=1:excl=1",
    ":period",
    ":period=x",
    ":period=1000",
    ":freq=100",
    ":nope",
    ":freq=100:period=3",
    ":c=1",
    ":0x1",
    ":READ",
    ":WRITE",
    ":PREFETCH",
    ":MISS",
    ":ACCESS",
    ":READ:MISS",
    ":MISS:READ",
    ":WRITE:ACCESS",
    ":PREFETCH:MISS:u",
    ":READ:WRITE",
    ":READ:ACCESS:MISS",
    ":READ=1",
    ":",
    "::u",
};

static void encode(const char *text)
{
    static const int levels[] = {PFM_PLM0 | PFM_PLM3, PFM_PLM3, PFM_PLM0, PFM_PLMH, 0};
    printf("%s find %d\n", text, pfm_find_event(text));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        for (int os = PFM_OS_NONE; os <= PFM_OS_PERF_EVENT_EXT; os++) {
            char *string = NULL;
            struct perf_event_attr a;
            pfm_pmu_encode_arg_t raw;
            pfm_perf_encode_arg_t perf;
            memset(&a, 0, sizeof a);
            memset(&raw, 0, sizeof raw);
            memset(&perf, 0, sizeof perf);
            raw.fstr = perf.fstr = &string;
            perf.attr = &a;
            int code =
                pfm_get_os_event_encoding(text, levels[i], os, os ? (void *)&perf : (void *)&raw);
            printf(" %d %d: %d %d %d", os, levels[i], code, os ? perf.idx : raw.idx, perf.cpu);
            for (int w = 0; w < raw.count; w++)
                printf(" %llx", (unsigned long long)raw.codes[w]);
            printf(" %u %llx %llx %d%d%d%d%d %llu %d%d%d%d %s\n", a.type,
                   (unsigned long long)a.config, (unsigned long long)a.config1, a.exclude_user,
                   a.exclude_kernel, a.exclude_hv, a.exclude_guest, a.exclude_host,
                   (unsigned long long)a.sample_period, a.freq, a.precise_ip, a.exclusive, a.pinned,
                   string && !a.sample_period ? string : "-");
            free(raw.codes);
            free(string);
        }
}

static void show(const pfm_event_info_t *event, int os)
{
    printf("%d %s %s %llx %d %d\n", event->idx, event->name, event->equiv ? event->equiv : "-",
           (unsigned long long)event->code, event->nattrs, event->dtype);
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t one;
        memset(&one, 0, sizeof one);
        int code = pfm_get_event_attr_info(event->idx, i, os, &one);
        printf("  %d %s %llx %d %d %d %d\n", code, one.name, (unsigned long long)one.code, one.type,
               one.ctrl, one.is_dfl, one.idx);
    }
}

int main(void)
{
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    pfm_pmu_info_t pmu;
    memset(&pmu, 0, sizeof pmu);
    if (pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &pmu) != PFM_SUCCESS)
        return 1;
    printf("%s %d %d %d %d %d %d\n", pmu.name, pmu.type, pmu.nevents, pmu.first_event,
           pmu.max_encoding, pmu.num_cntrs, pmu.is_present);
    for (int idx = pmu.first_event; idx >= 0; idx = pfm_get_event_next(idx))
        for (int os = PFM_OS_NONE; os <= PFM_OS_PERF_EVENT_EXT; os++) {
            char text[256];
            pfm_event_info_t event;
            memset(&event, 0, sizeof event);
            if (pfm_get_event_info(idx, os, &event) != PFM_SUCCESS)
                return 1;
            if (strchr(event.name, ':')) /* a tracepoint of this host */
                continue;
            show(&event, os);
            for (size_t i = 0; !os && i < sizeof attributes / sizeof *attributes; i++) {
                snprintf(text, sizeof text, "perf::%s%s", event.name, attributes[i]);
                encode(text);
                encode(text + strlen("perf::"));
            }
        }
    encode("perf::cycles,instructions");
    encode("PERF::Cycles");
    encode("perf::none");
    encode("perf::");
    pfm_terminate();
    return 0;
}
