/* PAPI and libpfm4 on stage, unmodified, in small programs compiled here. Uncore events by
 * libpfm4's names count what their registers count. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void need_library(const char *header)
{
    char script[160];
    need_mount_namespace();
    need_program("cc");
    snprintf(script, sizeof script, "echo '#include <%s>' | cc -E - >/dev/null 2>&1", header);
    ran r = play(script);
    bool there = r.status == 0;
    ran_free(&r);
    if (there)
        return;
    print_message("skipped: no <%s>\n", header);
    skip();
}

#define IVBEP "virtual:ivbep,part=plain,packages=1,cores=2"

/* The counts of C-Box 0 and 1 in a dialogue that programs the same registers. */
static const char truth[] =
    "printf 'wrmsr 0 0xd14 0x7e0000\\nwrmsr 0 0xd10 0x401134\\nwrmsr 0 0xd30 0x400000\\n"
    "run stream,size=1M\\nrdmsr 0 0xd16\\nrdmsr 0 0xd36\\n' >$D.d\n"
    "for n in $($B vpmu --machine " IVBEP " $D.d); do printf '%d\\n' $n; done; rm -f $D.*";

static void agrees(const char *source, const char *libraries)
{
    char script[4096];
    snprintf(script, sizeof script,
             "cat >$D.c <<'END'\n%sEND\ncc -o $D.x $D.c %s || exit 1\n"
             "timeout 100 $B stage --machine " IVBEP " --pace 0 -- $D.x\n%s",
             source, libraries, truth);
    ran r = play(script);
    size_t half = strlen(r.out) / 2;
    if (!half || memcmp(r.out, r.out + half, half) != 0 || r.out[0] == '0' || r.status)
        fail_msg("%s%s", r.out, r.err);
    ran_free(&r);
}

#define WORK "    if (system(\"echo run stream,size=1M >/dev/boxscore/dialogue\")) return 1;\n"

static void papi(void **state)
{
    (void)state;
    need_library("papi.h");
    agrees(
        "#include <papi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(void) {\n"
        "    int set = PAPI_NULL;\n    long long counts[2];\n"
        "    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;\n"
        "    if (PAPI_create_eventset(&set)) return 1;\n"
        "    if (PAPI_add_named_event(set, "
        "\"ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF:cpu=0\")) return 1;\n"
        "    if (PAPI_add_named_event(set, \"ivbep_unc_cbo1::UNC_C_CLOCKTICKS:cpu=0\")) return 1;\n"
        "    if (PAPI_start(set)) return 1;\n" WORK "    if (PAPI_stop(set, counts)) return 1;\n"
        "    printf(\"%lld\\n%lld\\n\", counts[0], counts[1]);\n    return 0;\n}\n",
        "-lpapi");
}

/* PAPI's presets, for a CPU of the machine. */
static void presets(void **state)
{
    (void)state;
    need_library("papi.h");
    expect(
        "cat >$D.c <<'END'\n"
        "#include <papi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "int main(void) {\n"
        "    int set = PAPI_NULL;\n    long long n[3];\n    PAPI_option_t o;\n"
        "    static const char *const names[] = {\"PAPI_TOT_INS\", \"PAPI_TOT_CYC\", "
        "\"PAPI_BR_INS\"};\n"
        "    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;\n"
        "    if (PAPI_create_eventset(&set) || PAPI_assign_eventset_component(set, 0)) return 2;\n"
        "    memset(&o, 0, sizeof o);\n    o.cpu.eventset = set;\n"
        "    if (PAPI_set_opt(PAPI_CPU_ATTACH, &o)) return 3;\n"
        "    for (int i = 0; i < 3; i++)\n"
        "        if (PAPI_add_named_event(set, names[i])) return 4;\n"
        "    if (PAPI_start(set)) return 5;\n" WORK "    if (PAPI_stop(set, n)) return 6;\n"
        "    printf(\"%lld\\n%lld\\n%lld\\n\", n[0], n[1], n[2]);\n    return 0;\n}\n"
        "END\ncc -o $D.x $D.c -lpapi || exit 1\n"
        "for m in skl ivbep nhmex; do\n"
        "  timeout 100 $B stage --machine virtual:$m --pace 0 -- $D.x >$D.got || echo $?\n"
        "  $B stat --machine virtual:$m -w stream,size=1M -x, -e INST_RETIRED:ANY_P,"
        "CPU_CLK_UNHALTED:THREAD_P,BR_INST_RETIRED:ALL_BRANCHES | cut -d, -f1 >$D.want\n"
        "  diff $D.got $D.want && head -1 $D.got\n"
        "done; rm -f $D.*",
        "393216\n393216\n393216\n");
}

static void libpfm(void **state)
{
    (void)state;
    need_library("perfmon/pfmlib_perf_event.h");
    agrees("#define _GNU_SOURCE\n#include <perfmon/pfmlib_perf_event.h>\n#include <stdio.h>\n"
           "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
           "int main(void) {\n"
           "    static const char *const names[] = "
           "{\"ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF\",\n"
           "                                        \"ivbep_unc_cbo1::UNC_C_CLOCKTICKS\"};\n"
           "    int fd[2];\n    if (pfm_initialize() != PFM_SUCCESS) return 1;\n"
           "    for (int i = 0; i < 2; i++) {\n"
           "        struct perf_event_attr attr;\n        pfm_perf_encode_arg_t a;\n"
           "        memset(&attr, 0, sizeof attr);\n        memset(&a, 0, sizeof a);\n"
           "        a.attr = &attr;\n        a.size = sizeof a;\n        attr.size = sizeof attr;\n"
           "        if (pfm_get_os_event_encoding(names[i], PFM_PLM0 | PFM_PLM3, "
           "PFM_OS_PERF_EVENT, &a)) return 1;\n"
           "        fd[i] = perf_event_open(&attr, -1, 0, -1, 0);\n        if (fd[i] < 0) return "
           "1;\n    }\n" WORK "    for (int i = 0; i < 2; i++) {\n        long long n;\n"
           "        if (read(fd[i], &n, sizeof n) != sizeof n) return 1;\n        "
           "printf(\"%lld\\n\", n);\n"
           "    }\n    return 0;\n}\n",
           "-lpfm");
}

static void papi_s_own_programs(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("papi_native_avail");
    ran r = play("timeout 100 $B stage --machine " IVBEP " --pace 0 -- papi_component_avail 2>&1\n"
                 "timeout 100 $B stage --machine " IVBEP " --pace 0 -- papi_native_avail 2>&1\n"
                 "timeout 100 $B stage --machine " IVBEP " --pace 0 -- \\\n"
                 "  papi_command_line ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:cpu=0 2>&1");
    assert_has(r.out, "PMUs supported: ivbep_unc_cbo0, ivbep_unc_cbo1");
    assert_has(r.out, "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP");
    assert_has(r.out, "Successfully added: ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:cpu=0");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papi),
        cmocka_unit_test(presets),
        cmocka_unit_test(libpfm),
        cmocka_unit_test(papi_s_own_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
