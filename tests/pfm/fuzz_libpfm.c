/* Calls libpfm4's functions with any string. The result is code words and a string that means the
 * same event, or one of libpfm4's errors with nothing allocated. */
#include "fuzz/fuzz.h"
#include "pfm/calls.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static void begin(void)
{
    static bool begun;
    if (begun)
        return;
    setenv("BOXSCORE_LIBPFM", "", 1);
    unsetenv("LIBPFM_FORCE_PMU");
    unsetenv("LIBPFM_DISABLED_PMUS");
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    FUZZ_MUST(pfm_initialize() == 0);
    begun = true;
}

static void check_code(int code)
{
    FUZZ_MUST(code <= 0 && code >= BX_PFMLIB_TOOSMALL);
    FUZZ_MUST(strcmp(pfm_strerror(code), pfm_strerror(1)) != 0);
}

static void check_attributes(int idx, int os)
{
    bx_pfmlib_event_info event = {.size = sizeof event};
    FUZZ_MUST(pfm_get_event_info(idx, os, &event) == 0 && event.idx == idx && event.name);
    for (int i = 0; i < event.nattrs; i++) {
        bx_pfmlib_attr_info attr = {.size = sizeof attr};
        FUZZ_MUST(pfm_get_event_attr_info(idx, i, os, &attr) == 0 && attr.name && attr.desc);
    }
}

static void find(const char *text)
{
    int idx = pfm_find_event(text);
    if (idx < 0)
        check_code(idx);
    for (int os = 0; idx >= 0 && os < BX_PFMLIB_OS_MAX; os++)
        check_attributes(idx, os);
}

/* Gets the code words and the string that libpfm4 would return; both must be freed. Returns false
 * for an error. */
static bool encoded(const char *text, int plm, bx_pfmlib_raw_arg *arg, char **fstr)
{
    *fstr = NULL;
    *arg = (bx_pfmlib_raw_arg){.fstr = fstr, .size = sizeof *arg};
    int code = pfm_get_os_event_encoding(text, plm, BX_PFMLIB_OS_NONE, arg);
    check_code(code);
    FUZZ_MUST(!code == (arg->codes && *fstr && arg->count > 0 && arg->count <= BX_PFM_WORDS));
    FUZZ_MUST(!code || (!arg->codes && !*fstr));
    return !code;
}

/* The string that is returned for a returned string is a fixed point. The first one need not be:
 * libpfm4 lists each filter as 0, and an explicit 0 counts as a filter. */
static void encode(const char *text, int plm)
{
    char *fstr[3];
    bx_pfmlib_raw_arg arg[3];
    if (!encoded(text, plm, &arg[0], &fstr[0]))
        return;
    for (int i = 1; i < 3; i++)
        FUZZ_MUST(encoded(fstr[i - 1], plm, &arg[i], &fstr[i]) && arg[i].idx == arg[0].idx);
    FUZZ_MUST(strcmp(fstr[1], fstr[2]) == 0 && arg[1].count == arg[2].count);
    FUZZ_MUST(pfm_find_event(text) == arg[0].idx);
    for (int i = 0; i < 3; i++) {
        free(arg[i].codes);
        free(fstr[i]);
    }
}

static void encode_for_perf(const char *text, int plm, int os)
{
    char *fstr = NULL;
    struct perf_event_attr attr = {.size = sizeof attr};
    bx_pfmlib_perf_arg arg = {.attr = &attr, .fstr = &fstr, .size = sizeof arg};
    int code = pfm_get_os_event_encoding(text, plm, os, &arg);
    check_code(code);
    FUZZ_MUST(!code == (fstr != NULL));
    free(fstr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int levels[] = {0, BX_PFM_PLM0, BX_PFM_PLM3, BX_PFM_PLM0 | BX_PFM_PLM3};
    begin();
    char *text = fuzz_text(data, size);
    find(text);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        encode(text, levels[i]);
        encode_for_perf(text, levels[i], BX_PFMLIB_OS_PERF);
        encode_for_perf(text, levels[i], BX_PFMLIB_OS_PERF_EXT);
    }
    free(text);
    return 0;
}
