/* Faulty device files on a client processor, and how the command reports them. */
#include "../cmocked.h"

#include "stage/play.h"
#include "stage/fault_injection.h"

/* One unit of two returns nonsense at its first sample. Before that its register is read for saving
 * (2 reads), checking (1), set-up (2) and start (3). The unit's line is marked, and so is every sum
 * that contains it, in all formats and in a replay. */
static void marked_wherever_it_is_shown(void **state)
{
    (void)state;
    need_fuse();
    ran r = play(
        "$B stage --at $D --pace 1000000 --machine virtual:skl,part=plain,cores=2 >/dev/null 2>&1 "
        "& p=$!\n"
        "trap 'kill $p; wait $p 2>/dev/null; at_end; rm -f $D.*' EXIT\n"
        "for i in $(seq 200); do [ -e $D/dev/mem ] && break; sleep 0.05; done\n"
        "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"
        "faulty() { at=$1; shift; LD_PRELOAD=$BUILD_ROOT/tests/stage/libfault_injector.so "
        "FAULT_UNDER=$D "
        "\\\n"
        "  FAULT_AT=$at FAULT=ONES:$from $B stat --machine host --root $D --journal $D.j -o $D.o "
        "\\\n"
        "  \"$@\" || echo status $?; grep -o '.*<implausible>[^,(]*' $D.o | sed 's/^ *//; s/  */ "
        "/g'; }\n"
        "E='-e UNC_CBO_CACHE_LOOKUP:ANY_I'; from=8:9\n"
        "faulty 0x716 $E true; faulty 0x716 --per-unit $E true; faulty 0x716 -x, $E true\n"
        "faulty 0x716 -x, --per-unit $E true; faulty 0x716 -j $E true\n"
        "faulty 0x716 -I 100 $E sleep 0.15 | sed 's/^[0-9.]* /TIME /' | uniq\n"
        "faulty 0x716 --log-registers $D.r $E true\n"
        "$B stat --replay $D.r 2>&1 | grep -o '<implausible> [a-z]*'\n"
        "from=3:5; faulty 0xfed15050 -e DRAM_DATA_READS,DRAM_DATA_WRITES true\n"
        "grep -c bandwidth $D.o; ls $D.j 2>/dev/null");
    assert_string_equal(r.out,
                        "<implausible> lookups skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I \n"
                        "S0 C-Box 1 <implausible> lookups skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
                        "<implausible>\n"
                        "S0,C-Box 1,<implausible>\n"
                        "{\"counter-value\" : \"<implausible>\"\n"
                        "TIME <implausible> lookups skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I \n"
                        "<implausible> lookups skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I \n"
                        "<implausible> lookups\n"
                        "<implausible> 64 B transfers skl_unc_imc::DRAM_DATA_READS\n"
                        "1\n"); /* bandwidth of writes, but none of reads */
    assert_has(r.err, "boxscore: MSR_UNC_CBO_1_PERFCTR0 (0x716) reads more than the counter's "
                      "bits\n");
    assert_has(r.err, "boxscore: DRAM_DATA_READS (BAR+0x5050) reads as all ones, ");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_wherever_it_is_shown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + inject_faults("virtual:skl,part=plain");
}
