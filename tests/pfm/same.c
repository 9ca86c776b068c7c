/* Makes all possible calls of libpfm4's functions about the C-Box and the memory channels of Ivy
 * Bridge-EP, and prints the answers. It omits the differences listed in docs/reference/libpfm.md:
 * descriptions, error texts, the number of code words, hardware sampling, `nc` under perf, and the
 * size written into attributes. */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const values[] = {"", "=1", "=0", "=300", "=x"};

static void encode(const char *text, int plm)
{
    char *fstr = NULL;
    pfm_pmu_encode_arg_t raw;
    memset(&raw, 0, sizeof raw);
    raw.fstr = &fstr;
    int find = pfm_find_event(text);
    int code = pfm_get_os_event_encoding(text, plm, PFM_OS_NONE, &raw);
    printf("%s find %d raw %d idx %d", text, find, code, raw.idx);
    for (int i = 0; i < raw.count; i++)
        printf(" %llx", (unsigned long long)raw.codes[i]);
    printf(" %s\n", fstr ? fstr : "-");
    free(raw.codes);
    free(fstr);
}

/* Strings of one and two attributes, with values. */
static void encode_all(const char *pmu, const pfm_event_info_t *event)
{
    char text[256];
    snprintf(text, sizeof text, "%s::%s", pmu, event->name);
    encode(text, PFM_PLM0 | PFM_PLM3);
    for (int a = 0; a < event->nattrs; a++) {
        pfm_event_attr_info_t one;
        memset(&one, 0, sizeof one);
        pfm_get_event_attr_info(event->idx, a, PFM_OS_NONE, &one);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            snprintf(text, sizeof text, "%s::%s:%s%s", pmu, event->name, one.name, values[v]);
            encode(text, PFM_PLM3);
        }
        for (int b = 0; b < event->nattrs; b++) {
            pfm_event_attr_info_t two;
            memset(&two, 0, sizeof two);
            pfm_get_event_attr_info(event->idx, b, PFM_OS_NONE, &two);
            snprintf(text, sizeof text, "%s::%s.%s%s:%s%s", pmu, event->name, one.name,
                     one.type == PFM_ATTR_UMASK ? "" : "=1", two.name,
                     two.type == PFM_ATTR_UMASK ? "" : "=1");
            encode(text, PFM_PLM0 | PFM_PLM3);
        }
    }
}

static void show_attributes(int idx, int os)
{
    pfm_event_info_t event;
    memset(&event, 0, sizeof event);
    int code = pfm_get_event_info(idx, os, &event);
    printf("%d os %d: %d %s %s %llx %d %d %d\n", idx, os, code, event.name,
           event.equiv ? event.equiv : "-", (unsigned long long)event.code, event.pmu, event.dtype,
           event.idx);
    for (int a = 0; a < event.nattrs; a++) {
        pfm_event_attr_info_t attr;
        memset(&attr, 0, sizeof attr);
        code = pfm_get_event_attr_info(idx, a, os, &attr);
        if (os != PFM_OS_NONE && strcmp(attr.name, "nc") == 0)
            continue;
        printf("  %d %s %s %llx %d %d %d %d %llx\n", code, attr.name, attr.equiv ? attr.equiv : "-",
               (unsigned long long)attr.code, attr.type, attr.ctrl, attr.is_dfl, attr.is_precise,
               (unsigned long long)attr.dfl_val64);
    }
    pfm_event_attr_info_t attr;
    memset(&attr, 0, sizeof attr);
    printf("  beyond: %d\n", pfm_get_event_attr_info(idx, event.nattrs, os, &attr));
}

static void show_pmu(int id)
{
    pfm_pmu_info_t pmu;
    memset(&pmu, 0, sizeof pmu);
    int code = pfm_get_pmu_info(id, &pmu);
    printf("%d: %d %s %d %d %d %d %d %d %d\n", id, code, pmu.name, pmu.type, pmu.nevents,
           pmu.first_event, pmu.num_cntrs, pmu.num_fixed_cntrs, pmu.is_present, pmu.is_dfl);
    for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
        for (int os = PFM_OS_NONE; os < PFM_OS_MAX; os++)
            show_attributes(i, os);
}

/* Wrong calls. */
static void show_errors(void)
{
    static const char *const texts[] = {"UNC_C_CLOCKTICKS",
                                        "ivbep_unc_cbo0",
                                        "ivbep_unc_cbo0::",
                                        "::UNC_C_CLOCKTICKS",
                                        "",
                                        "ivbep_unc_cbo15::UNC_C_CLOCKTICKS",
                                        "ivbep_unc_cbo0::NOPE",
                                        "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_M,x",
                                        "ivbep_unc_cbo0::UNC_C_LLC_VICTIMS: STATE_M",
                                        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:",
                                        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:e=1:e=0",
                                        "ivbep_unc_cbo0::unc_c_llc_lookup.any",
                                        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:0x3",
                                        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:0x300",
                                        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:period=100"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        encode(texts[i], PFM_PLM3);
    for (int plm = -1; plm < 40; plm++)
        encode("ivbep_unc_cbo0::UNC_C_CLOCKTICKS", plm);

    char bytes[256];
    pfm_event_attr_info_t attr;
    memset(&attr, 0, sizeof attr);
    for (size_t size = 0; size < 140; size += 4) {
        memset(bytes, 0, sizeof bytes);
        ((pfm_pmu_info_t *)bytes)->size = size;
        printf("size %zu: %d", size, pfm_get_pmu_info(115, (pfm_pmu_info_t *)bytes));
        memset(bytes, 0, sizeof bytes);
        ((pfm_event_info_t *)bytes)->size = size;
        printf(" %d", pfm_get_event_info(115 << 21, 0, (pfm_event_info_t *)bytes));
        memset(bytes, 0, sizeof bytes);
        ((pfm_event_attr_info_t *)bytes)->size = size;
        printf(" %d\n",
               pfm_get_event_attr_info(115 << 21 | 1, 0, 0, (pfm_event_attr_info_t *)bytes));
    }
    static const int idx[] = {-1, 0, 1 << 21, 115 << 21 | 21, 0x7fffffff};
    for (size_t i = 0; i < sizeof idx / sizeof *idx; i++)
        printf("%d: %d %d\n", idx[i], pfm_get_event_next(idx[i]),
               pfm_get_event_attr_info(idx[i], 0, 0, &attr));
}

static void encode_pmu(int id, const char *pmu)
{
    pfm_event_info_t event;
    memset(&event, 0, sizeof event);
    for (int i = id << 21; i != -1; i = pfm_get_event_next(i)) {
        event.size = 0;
        if (pfm_get_event_info(i, PFM_OS_NONE, &event) == 0)
            encode_all(pmu, &event);
    }
}

int main(void)
{
    printf("%d\n", pfm_get_pmu_info(115, NULL));
    printf("%d %x\n", pfm_initialize(), pfm_get_version());
    for (int id = PFM_PMU_INTEL_IVBEP_UNC_CB0; id <= PFM_PMU_INTEL_IVBEP_UNC_CB14; id++)
        show_pmu(id);
    for (int id = PFM_PMU_INTEL_IVBEP_UNC_IMC0; id <= PFM_PMU_INTEL_IVBEP_UNC_IMC7; id++)
        show_pmu(id);
    show_errors();
    encode_pmu(PFM_PMU_INTEL_IVBEP_UNC_CB0, "ivbep_unc_cbo0");
    encode_pmu(PFM_PMU_INTEL_IVBEP_UNC_IMC0, "ivbep_unc_imc0");
    pfm_terminate();
    return 0;
}
