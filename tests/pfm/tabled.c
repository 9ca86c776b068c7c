/* Asks libpfm4 for the PMUs that boxscore's library has as tables: events, attributes, and
 * encodings of each event with each unit mask, pair of unit masks, and many modifiers. Without an
 * installed libpfm4, boxscore's library must print the same. Descriptions are not printed, nor the
 * string that libpfm4 returns for a sampling period (it spells a frequency, too), for perf_raw (it
 * omits the event) and for a unit mask of more than 32 bits (it spells 32). */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
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
    ":e",
    ":e:c=1",
    ":e=0",
    ":i:c=2",
    ":i:i=0",
    ":c=255",
    ":c=256",
    ":c",
    ":c=16:c=16",
    ":E=Y:C=0x10",
    ":t",
    ":T=0",
    ":intx",
    ":intxcp=1",
    ":ldlat=30",
    ":ldlat=3",
    ":ldlat=0",
    ":fe_thres=5",
    ":fe_thres=4096",
    ":0x3",
    ":0x1ff",
    ":0x3fffffffff",
    ":",
    "::u",
};

static void encode(const char *text, int os, int levels)
{
    char *string = NULL;
    struct perf_event_attr a;
    pfm_pmu_encode_arg_t raw;
    pfm_perf_encode_arg_t perf;
    memset(&a, 0, sizeof a);
    memset(&raw, 0, sizeof raw);
    memset(&perf, 0, sizeof perf);
    raw.fstr = perf.fstr = &string;
    perf.attr = &a;
    int code = pfm_get_os_event_encoding(text, levels, os, os ? (void *)&perf : (void *)&raw);
    bool spelled = string && !a.sample_period && strncmp(string, "perf_raw", 8) != 0 &&
                   !strstr(text, "0x3fffffffff");
    printf("%s %d %d: %d %d %d", text, os, levels, code, os ? perf.idx : raw.idx, perf.cpu);
    for (int w = 0; w < raw.count; w++)
        printf(" %llx", (unsigned long long)raw.codes[w]);
    printf(" %u %llx %llx %d%d%d%d%d %llu %d%d%d%d %s\n", a.type, (unsigned long long)a.config,
           (unsigned long long)a.config1, a.exclude_user, a.exclude_kernel, a.exclude_hv,
           a.exclude_guest, a.exclude_host, (unsigned long long)a.sample_period, a.freq,
           a.precise_ip, a.exclusive, a.pinned, spelled ? string : "-");
    free(raw.codes);
    free(string);
}

/* With all modifiers, in each OS layer; at other privilege levels where the string has none. */
static void encode_all(const char *text)
{
    char whole[256];
    printf("%s find %d\n", text, pfm_find_event(text));
    for (int os = PFM_OS_NONE; os <= PFM_OS_PERF_EVENT_EXT; os++) {
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
            snprintf(whole, sizeof whole, "%s%s", text, attributes[i]);
            encode(whole, os, PFM_PLM0 | PFM_PLM3);
        }
        encode(text, os, PFM_PLM0);
        encode(text, os, PFM_PLM3);
        encode(text, os, PFM_PLMH);
        encode(text, os, 0);
    }
}

static void show_attributes(const pfm_event_info_t *event, int os)
{
    printf("%d %s %s %llx %d %d %d%d\n", event->idx, event->name, event->equiv ? event->equiv : "-",
           (unsigned long long)event->code, event->nattrs, event->dtype, event->is_precise,
           event->support_hw_smpl);
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t one;
        memset(&one, 0, sizeof one);
        int code = pfm_get_event_attr_info(event->idx, i, os, &one);
        printf("  %d %s %s %llx %d %d %d%d%d %d\n", code, one.name, one.equiv ? one.equiv : "-",
               (unsigned long long)one.code, one.type, one.ctrl, one.is_dfl, one.is_precise,
               one.support_hw_smpl, one.idx);
    }
}

static bool read_mask(const pfm_event_info_t *event, int i, pfm_event_attr_info_t *mask)
{
    memset(mask, 0, sizeof *mask);
    return pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, mask) == PFM_SUCCESS &&
           mask->type == PFM_ATTR_UMASK;
}

static void encode_event(const char *pmu, const pfm_event_info_t *event)
{
    char text[256];
    pfm_event_attr_info_t one, two;
    snprintf(text, sizeof text, "%s::%s", pmu, event->name);
    encode_all(text);
    encode(event->name, PFM_OS_NONE, PFM_PLM3);
    for (int i = 0; i < event->nattrs && read_mask(event, i, &one); i++) {
        snprintf(text, sizeof text, "%s::%s:%s", pmu, event->name, one.name);
        encode_all(text);
        for (int j = 0; j < event->nattrs && read_mask(event, j, &two); j++) {
            snprintf(text, sizeof text, "%s::%s:%s.%s", pmu, event->name, one.name, two.name);
            encode(text, PFM_OS_NONE, PFM_PLM3);
        }
    }
}

static int show(int id)
{
    pfm_pmu_info_t pmu;
    memset(&pmu, 0, sizeof pmu);
    if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS)
        return 1;
    printf("%s %d %d %d %d %d\n", pmu.name, pmu.type, pmu.first_event, pmu.max_encoding,
           pmu.num_cntrs, pmu.num_fixed_cntrs);
    for (int idx = pmu.first_event; idx >= 0; idx = pfm_get_event_next(idx)) {
        pfm_event_info_t event;
        for (int os = PFM_OS_NONE; os <= PFM_OS_PERF_EVENT_EXT; os++) {
            memset(&event, 0, sizeof event);
            if (pfm_get_event_info(idx, os, &event) != PFM_SUCCESS)
                return 1;
            if (!strchr(event.name, ':')) /* a tracepoint of this host */
                show_attributes(&event, os);
        }
        memset(&event, 0, sizeof event);
        pfm_get_event_info(idx, PFM_OS_NONE, &event);
        if (!strchr(event.name, ':'))
            encode_event(pmu.name, &event);
    }
    return 0;
}

/* The argument: only so many of the PMUs. */
int main(int argc, char **argv)
{
    static const int pmus[] = {PFM_PMU_PERF_EVENT, PFM_PMU_PERF_EVENT_RAW, PFM_PMU_INTEL_NHM_EX,
                               PFM_PMU_INTEL_IVB_EP, PFM_PMU_INTEL_SKL};
    static const char *const others[] = {"perf::cycles,instructions",
                                         "PERF::Cycles",
                                         "perf::none",
                                         "perf::",
                                         "perf_raw::r1c0",
                                         "perf_raw::r1C0",
                                         "r5300c0",
                                         "rx",
                                         "r",
                                         "perf_raw::R1c0",
                                         "skl::none",
                                         "cycles"};
    int failed = pfm_initialize();
    size_t n = argc > 1 ? (size_t)atoi(argv[1]) : sizeof pmus / sizeof *pmus;
    for (size_t i = 0; !failed && i < n; i++)
        failed = show(pmus[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        encode_all(others[i]);
    pfm_terminate();
    return failed;
}
