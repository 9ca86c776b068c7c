/* Core events that libpfm4 knows by the same name as the catalogue: prints those whose selections
 * differ, and how many are equal, differ, and have no such name in the catalogue. */
#include <boxscore/boxscore.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same, differ, missing;

/* Event, unit mask, edge, any thread, invert and threshold: no levels, enable and interrupt. */
enum { SELECTION = 0xffa4ffff };

/* The same bits from perf's spelling: "cpu/event=0xc2,umask=0x2,inv=1,cmask=1/". */
static unsigned long selection(const char *perf)
{
    static const struct {
        const char *term;
        int shift;
    } terms[] = {{"event=", 0}, {"umask=", 8}, {"edge", 18},
                 {"any", 21},   {"inv", 23},   {"cmask=", 24}};
    unsigned long bits = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        const char *at = strstr(perf, terms[i].term);
        const char *value = at ? at + strcspn(at, "=,/") : "";
        if (at)
            bits |= (*value == '=' ? strtoul(value + 1, NULL, 0) : 1) << terms[i].shift;
    }
    return bits;
}

static void compare(int cpu, const char *pmu, const char *event, const char *umask)
{
    char text[256], perf[256], *end = strchr(text, 0);
    bx_evsel e;
    bx_error error = {0};
    pfm_pmu_encode_arg_t theirs;
    memset(&theirs, 0, sizeof theirs);
    snprintf(text, sizeof text, "%s::%s%s%s", pmu, event, *umask ? ":" : "", umask);
    end = strstr(text, "::") + 2;
    if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &theirs) != PFM_SUCCESS)
        return;
    unsigned long want = theirs.codes[0] & SELECTION;
    free(theirs.codes);
    if (bx_event_parse(bx_catalog_builtin(), cpu, end, strlen(end), &e, &error) != BX_OK) {
        missing++;
        return;
    }
    bx_event_format_perf(bx_catalog_builtin(), &e, perf, sizeof perf);
    same += selection(perf) == want;
    if (selection(perf) != want) {
        differ++;
        printf("%s %#lx %#lx\n", text, want, selection(perf));
    }
}

static void walk(int cpu, const char *pmu, const pfm_pmu_info_t *info)
{
    for (int i = info->first_event; i >= 0; i = pfm_get_event_next(i)) {
        pfm_event_info_t event;
        int umasks = 0;
        memset(&event, 0, sizeof event);
        if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
            continue;
        for (int a = 0; a < event.nattrs; a++) {
            pfm_event_attr_info_t one;
            memset(&one, 0, sizeof one);
            if (pfm_get_event_attr_info(i, a, PFM_OS_NONE, &one) != PFM_SUCCESS ||
                one.type != PFM_ATTR_UMASK)
                continue;
            umasks++;
            compare(cpu, pmu, event.name, one.name);
        }
        if (!umasks)
            compare(cpu, pmu, event.name, "");
    }
}

int main(void)
{
    static const char *const pmus[][2] = {{"skl", "skl"}, {"ivbep", "ivb_ep"}, {"nhmex", "nhm_ex"}};
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    for (size_t i = 0; i < sizeof pmus / sizeof *pmus; i++) {
        int cpu = 0;
        while (strcmp(bx_catalog_cpu_name(bx_catalog_builtin(), (size_t)cpu), pmus[i][0]) != 0)
            cpu++;
        for (int id = 0; id < PFM_PMU_MAX; id++) {
            pfm_pmu_info_t info;
            memset(&info, 0, sizeof info);
            if (pfm_get_pmu_info(id, &info) == PFM_SUCCESS && strcmp(info.name, pmus[i][1]) == 0)
                walk(cpu, pmus[i][1], &info);
        }
    }
    printf("%d equal, %d differ, %d have no such name\n", same, differ, missing);
    return 0;
}
