/* Counts through the helper as a user without rights, on a staged machine, whose registers behave
 * as the documents say. As root the client runs as nobody; other users run it as themselves. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* $C: folder with the machine's /proc and /sys, but without devices; $S: the helper's socket; U:
 * runs a command as a user with access to the helper only. */
static const char set_up[] =
    "set -e\n"
    "C=$(mktemp -d); S=$C/helper.sock; export C S; chmod 755 $C\n"
    "cat > $C/script <<'END'\n"
    "cp -r $D/proc $D/sys $C 2>/dev/null; chmod -R a+rX $C\n"
    "if [ $(id -u) = 0 ]; then G='--group 65534'\n"
    "U() { setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"; }; "
    "else G=; U() { \"$@\"; }; fi\n"
    "\"$HELPER\" --root $D --socket $S $G & H=$!\n"
    "listens() { until \"$B\" regs --root $C --helper $S >$C/said 2>&1; do "
    "sleep 0.02; done; }\n"
    "listens\n"
    "regs() { \"$B\" regs --root $D --all | grep -v DRAM_ | cksum; }\n"
    "before=$(regs)\n"
    "%s\n"
    "kill $H; wait $H || :\n"
    "END\n"
    "r=0; \"$B\" stage --at $D %s -- sh $C/script || r=$?\n"
    "rm -rf $C; exit $r\n";

static ran on_stage(const char *options, const char *script)
{
    char text[8000];
    snprintf(text, sizeof text, set_up, script, options);
    return play(text);
}

/* The built command must be accessible for nobody. */
static void need_reach(void)
{
    need_fuse();
    ran r = run_shell("[ $(id -u) != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups "
                      "\"$BOXSCORE\" --version");
    bool able = r.status == 0;
    ran_free(&r);
    if (!able) {
        print_message("skipped: nobody cannot run the command from where it was built\n");
        skip();
    }
}

static void nobody_counts(void **state)
{
    (void)state;
    need_reach();
    ran r = on_stage("--pace 1000000",
                     "U \"$B\" stat --machine host --root $C --helper $S -x, "
                     "-e UNC_CLOCK:SOCKET -- sleep 0.2 > $C/csv 2>&1\n"
                     "n=$(grep UNC_CLOCK $C/csv | cut -d, -f1)\n"
                     "[ \"$n\" -ge 1 ] && echo counted || cat $C/csv\n"
                     "[ \"$before\" = \"$(regs)\" ] && echo as before || echo changed\n");
    assert_string_equal(r.out, "counted\nas before\n");
    ran_free(&r);
}

/* The client is killed while it counts: the helper restores its registers. */
static void nobody_is_killed(void **state)
{
    (void)state;
    need_reach();
    ran r = on_stage(
        "--pace 0",
        "U \"$B\" stat --machine host --root $C --helper $S -o /dev/null "
        "-e UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CLOCK -- sleep 60 & P=$!\n"
        "until [ \"$before\" != \"$(regs)\" ]; do sleep 0.02; done\n"
        "echo programmed\n"
        "pkill -9 -P $P boxscore || kill -9 $P\n"
        "for i in $(seq 500); do [ \"$before\" = \"$(regs)\" ] && break; sleep 0.02; done\n"
        "[ \"$before\" = \"$(regs)\" ] && echo as before || echo changed\n");
    assert_has(r.out, "programmed\nas before\n");
    ran_free(&r);
}

/* Both processes of the helper are killed at one instant, at random moments of a measurement.
 * Counters have values from before, and one of them counts for somebody else. */
static void helpers_killed(void **state)
{
    (void)state;
    need_reach();
    char script[2000];
    int times = getenv("BX_LONG") ? 100 : 4;
    snprintf(script, sizeof script,
             "kill $H; wait $H || :; J=$C/helper.journal; left=0\n"
             "L() { grep -aq '^boxscore' $J; }\n"
             "for r in '0x700 0x2345' '0x706 0x71706' '0x394 0x400000' '0xe01 0x20000000'; do\n"
             "echo wrmsr 0 $r >$D/dialogue; done; before=$(regs)\n"
             "for i in $(seq %u); do\n"
             "  rm -f $S; setsid \"$HELPER\" --root $D --socket $S $G & H=$!\n"
             "  listens\n"
             "  U \"$B\" stat --machine host --root $C --helper $S -e "
             "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_ARB_TRK_REQUESTS:ALL --force -- sleep 1 "
             ">$C/client 2>&1 & P=$!\n"
             "  if [ $i = 1 ]; then for k in $(seq 500); do L && break; sleep 0.01; done\n"
             "  else sleep 0.$(shuf -i 100-350 -n 1); fi\n"
             "  kill -9 -$H; wait $H || :; kill -9 $P; wait $P || :\n"
             "  if L; then left=$((left + 1)); fi\n"
             "  for k in $(seq 100); do L || break; \"$B\" restore --root $D $J >$C/said 2>&1 "
             "|| sleep 0.02; done\n" /* the other process may still be ending */
             "  if L; then cat $C/said; fi\n"
             "  [ \"$before\" = \"$(regs)\" ] || echo changed at $i\n"
             "done 2>/dev/null\n"
             "[ $left -gt 0 ] && echo some were put back || cat $C/client; sleep 9 & H=$!",
             times);
    print_message("%d kills\n", times);
    ran r = on_stage("--pace 0", script);
    assert_string_equal(r.out, "some were put back\n");
    ran_free(&r);
}

/* Messages if the helper refuses. A virtual machine never takes the place of the host. */
static void messages(void **state)
{
    (void)state;
    need_reach();
    ran r = on_stage("--pace 0",
                     "U \"$B\" stat --machine host --root $C -e UNC_CLOCK -- true 2>&1 | head -1\n"
                     "U \"$B\" regs --root $C --helper $S | grep -c MSR_UNC_CBO_CONFIG\n"
                     "U \"$B\" regs --root $C --helper $C/none 2>&1 | head -1\n"
                     "mkdir -p $C/run/boxscore; ln -s $S $C/run/boxscore/helper.sock\n"
                     "U \"$B\" regs --root $C | grep -c MSR_UNC_CBO_CONFIG\n"
                     "U \"$B\" doctor --root $C | grep -A1 -E '^(helper|PMUs) '\n");
    assert_has(r.out, "/dev/cpu/0/msr: No such file or directory\n1\n"
                      "boxscore: no helper can be asked at '");
    assert_has(r.out, "/none': No such file or directory\n1\n");
    assert_has(r.out, "helper        it answers at ");
    assert_has(r.out, "PMUs          skl_unc_cbo: 4 of them a package, registers (helper)");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_counts),
        cmocka_unit_test(nobody_is_killed),
        cmocka_unit_test(helpers_killed),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
