/* boxscore vpmu: the sources of a dialogue, when output is printed, and bad lines. What the
 * commands do is tested with the machine and the virtual PMUs. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAY(input, ...) run(input, (const char *const[]){"vpmu", __VA_ARGS__, NULL})

/* One C-Box event by hand: select (table 2-7), enable (table 2-2), raise a signal, read. */
static const char dialogue[] = "# the registers of C-Box 0\n"
                               "wrmsr 0 0x700 0x408834\n"
                               "wrmsr 0 0xe01 0x20000000\n"
                               "\n"
                               "signal skl_unc_cbo0 0x34 0x88 1 10\n"
                               "rdmsr 0 0x706   # counted\n"
                               "rdmsr 0 0x70f\n"
                               "rdmsr 0 0x700";

static const char answer[] = "0xa\n#GP\n0x408834\n";

static void standard_input(void **state)
{
    (void)state;
    ran r = PLAY(dialogue, "--machine", "virtual:skl,part=plain");
    assert_string_equal(r.out, answer);
    assert_silent(&r);
    r = PLAY(dialogue, "--machine=virtual:skl,part=plain", "-");
    assert_string_equal(r.out, answer);
    assert_silent(&r);
    r = PLAY(dialogue, "-");
    assert_string_equal(r.out, answer);
    assert_silent(&r);
    r = PLAY(NULL, "-");
    assert_string_equal(r.out, "");
    assert_silent(&r);
}

static void from_a_file(void **state)
{
    (void)state;
    ran r = run_shell("F=$(mktemp)\necho 'rdmsr 0 0x396' > $F\n\"$BOXSCORE\" vpmu $F\nS=$?\n"
                      "rm $F\nexit $S");
    assert_string_equal(r.out, "0x5\n"); /* table 2-6: one more than the number of C-Boxes */
    assert_silent(&r);
    r = RUN("vpmu", "/nonexistent/dialogue");
    assert_failed(&r, 1,
                  "boxscore: cannot open '/nonexistent/dialogue': No such file or directory\n");
    r = RUN("vpmu", "/");
    assert_failed(&r, 1, "boxscore: cannot read '/': Is a directory\n");
    r = RUN("vpmu", "/dev/zero");
    assert_failed(&r, 1,
                  "boxscore: /dev/zero:1: a line of more than 65536 bytes: this is no text of "
                  "register accesses\n");
}

/* A program at the other end of two pipes gets each answer before it sends the next line. */
static void answers_at_once(void **state)
{
    (void)state;
    ran r = run_shell("coproc B { \"$BOXSCORE\" vpmu; }\n"
                      "echo 'wrmsr 0 0x700 0x408834' >&${B[1]}\n"
                      "echo 'rdmsr 0 0x700' >&${B[1]}\n"
                      "read -t 20 -u ${B[0]} A && echo \"got $A\"\n"
                      "printf 'rdmsr ' >&${B[1]}; sleep 0.05; echo '0 0x701' >&${B[1]}\n"
                      "read -t 20 -u ${B[0]} A && echo \"got $A\"\n");
    assert_string_equal(r.out, "got 0x408834\ngot 0x0\n");
    assert_silent(&r);
}

/* The output of the lines before a bad line is printed; the bad line and those after it do
 * nothing. */
static void bad_lines(void **state)
{
    (void)state;
    ran r = PLAY("rdmsr 0 0x700\n# fine\nrdmsr 0 0x7zz\nrdmsr 0 0x700\n", "-");
    assert_string_equal(r.out, "0x0\n");
    assert_int_equal(r.status, 1);
    assert_int_equal(strncmp(r.err, "boxscore: standard input:3: ", 28), 0);
    assert_has(r.err, "\n  rdmsr 0 0x7zz\n          ^^^^^\n");
    ran_free(&r);

    r = run_shell("cd $(mktemp -d)\nprintf 'rdmsr 0 0x700\\nreadmsr 0 0x700' > bad\n"
                  "\"$BOXSCORE\" vpmu bad\nS=$?\nrm bad\nrmdir $PWD\nexit $S");
    assert_string_equal(r.out, "0x0\n");
    assert_int_equal(r.status, 1);
    assert_int_equal(strncmp(r.err, "boxscore: bad:2: ", 17), 0);
    assert_has(r.err, "\n  readmsr 0 0x700\n  ^^^^^^^\n");
    ran_free(&r);
}

static void machines(void **state)
{
    (void)state;
    ran r = PLAY("rdmsr 0 0x396\n", "--machine", "virtual:skl,part=plain,cores=2");
    assert_string_equal(r.out, "0x3\n");
    assert_silent(&r);
    r = PLAY("", "--machine", "virtual:skl,part=plain,cores=0");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  virtual:skl,part=plain,cores=0\n");
    ran_free(&r);
    r = PLAY("", "--machine", "host");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    ran_free(&r);
    r = PLAY("", "a", "b");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

/* ---- actions of the Xeon 7500's boxes ---- */

/* 323535-001 p13, p18 to p20: a C-Box counter overflows at the fifth hit and requests an interrupt,
 * which the U-Box sends to cores 1 and 3. That makes one request to the ring, one packet in the
 * buffer of local interrupts for one cycle, and two interrupts. A second overflow is not sent while
 * OV is set. */
static void interrupts_are_counted(void **state)
{
    (void)state;
    static const struct {
        unsigned code;
        const char *count;
    } events[] = {{0x50, "0x1"}, {0x00, "0x1"}, {0xf9, "0x2"}, {0xf8, "0x0"}, {0x01, "0x0"}};

    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char text[512], expected[64];
        snprintf(text, sizeof text,
                 "wrmsr 0 0xd00 1\nwrmsr 0 0xd11 0xfffffffffffb\nwrmsr 0 0xd10 0x500115\n"
                 "wrmsr 0 0xc10 0x%x\nwrmsr 0 0xc00 0x10000015\n"
                 "signal nhmex_unc_cbox0 0x15 1 1 10\ncycles 100\nrdmsr 0 0xc11\n",
                 0x400000 | events[i].code);
        snprintf(expected, sizeof expected, "PMI core=1\nPMI core=3\n%s\n", events[i].count);
        ran r = PLAY(text, "--machine", "virtual:nhmex,part=plain,packages=1", "-");
        assert_string_equal(r.out, expected);
        assert_silent(&r);
    }
}

/* p113: a clock of 16 bits, which continues from the value written. */
static void timestamp_runs(void **state)
{
    (void)state;
    ran r = PLAY("cycles 70000\nrdmsr 0 0xca4\nwrmsr 0 0xca4 0\ncycles 100\nrdmsr 0 0xca4\n"
                 "rdmsr 0 0xce4\nwrmsr 0 0xca4 0xfff0\ncycles 32\nrdmsr 0 0xca4\n",
                 "--machine", "virtual:nhmex,part=plain,packages=1", "-");
    assert_string_equal(r.out, "0x1170\n0x64\n0x11d4\n0x10\n"); /* 70,000 - 65,536 = 1170H */
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_input),  cmocka_unit_test(from_a_file),
        cmocka_unit_test(answers_at_once), cmocka_unit_test(bad_lines),
        cmocka_unit_test(machines),        cmocka_unit_test(interrupts_are_counted),
        cmocka_unit_test(timestamp_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
