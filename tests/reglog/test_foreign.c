/* Register accesses in other tools' words: kernel traces, LIKWID's debug lines, strace, scripts.
 * Formats: Linux arch/x86/include/asm/msr-trace.h; LIKWID src/includes/error.h; strace(1);
 * wrmsr(1); setpci(8). */
#include "../cmocked.h"

#include "reglog/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reads a text and writes its accesses as a register log. */
static void expect(enum bx_log_kind kind, const char *text, const char *reglog)
{
    bx_buf is = {0};
    bx_str rest = bx_str_of(text);
    bx_log_reader r = {.kind = bx_log_kind_of(rest)};
    if (r.kind != kind)
        fail_msg("read as %s: %s", bx_log_kind_name(r.kind), text);
    while (rest.p) {
        bx_error e = {0};
        bx_str line = bx_str_cut(&rest, '\n');
        if (bx_log_line(&r, line, &e))
            fail_msg("%.*s: %s", (int)line.n, line.p, e.message);
        for (size_t i = 0; i < r.n; i++) {
            if (r.access[i].every_cpu)
                bx_buf_z(&is, "all: ");
            bx_reglog_line(&is, &r.access[i].access);
        }
    }
    bx_buf_f(&is, "%lu %lu %lu", r.others, r.untold, r.kernel_calls);
    assert_string_equal(bx_buf_text(&is), reglog);
    bx_buf_free(&is);
}

/* Asserts the span of the error, its message and its hint. */
static void expect_error(enum bx_log_kind kind, const char *text, const char *part,
                         const char *message)
{
    bx_str rest = bx_str_of(text);
    bx_log_reader r = {.kind = kind};
    while (rest.p) {
        bx_error e = {0};
        bx_str line = bx_str_cut(&rest, '\n');
        if (!bx_log_line(&r, line, &e))
            continue;
        assert_string_equal(e.message, message);
        assert_true(e.hint[0]);
        assert_int_equal(e.len, strlen(part));
        assert_memory_equal(line.p + e.at, part, strlen(part));
        assert_null(rest.p);
        return;
    }
    fail_msg("%s", text);
}

static void kernel_traces(void **state)
{
    (void)state;
    expect(BX_LOG_KERNEL_TRACE,
           "# tracer: nop\n"
           "   perf-99 [000] d... 100.000002: write_msr: 38f, value 70000000f\n"
           "   perf-99    [011] d..2.   100.000003: write_msr: 186, value 4300c0 #GP\n"
           "perf  1234 [002] 10.5: msr:read_msr: c1, value 1f\n"
           "perf  1234 [002] 10.6: msr:rdpmc: 0, value 20\n",
           "cpu0 W 0x38f 0x70000000f\ncpu11 W 0x186 0x4300c0 fault\ncpu2 R 0x0c1 0x1f\n2 0 0");
    expect_error(BX_LOG_KERNEL_TRACE, "a [000] 1.0: write_msr: 38f, value zz", "zz",
                 "this is no value of a register");
    expect_error(BX_LOG_KERNEL_TRACE, "a 1.0: write_msr: 38f, value 0", "a",
                 "the line names no CPU");
    expect_error(BX_LOG_KERNEL_TRACE, "a [000] 1.0: read_msr: 100000000, value 0", "100000000",
                 "this is no MSR's number");
}

/* Events that are lost are told; so is a transfer of a part of a register. */
static void what_is_missing(void **state)
{
    static const char *const lost[] = {
        "CPU:0 [LOST 345 EVENTS]",
        "CPU:1 [12 EVENTS DROPPED]",
        "swapper 0 [000] 1.5: PERF_RECORD_LOST lost 3",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        bx_log_reader r = {.kind = BX_LOG_KERNEL_TRACE};
        bx_error e = {0};
        assert_int_equal(bx_log_line(&r, bx_str_of(lost[i]), &e), BX_OK);
        assert_int_equal(r.lost, 1);
    }
    expect(BX_LOG_STRACE,
           "openat(AT_FDCWD, \"/dev/cpu/2/msr\", O_RDWR) = 3\n"
           "pwrite64(3, \"4\\210@\\0\\0\\0\\0\\0\", 8, 1792) = 4\n",
           "0 1 0");
}

static void likwid(void **state)
{
    (void)state;
    expect(
        BX_LOG_LIKWID,
        "CPU name:\tIntel(R) Core(TM)\n"
        "DEBUG - [perfmon_setupCountersThread_skylake:1100] SETUP_CBOX [0] Register 0x700 , "
        "Flags: 0x408F34 \n"
        "DEBUG - [perfmon_readCountersThread_skylake:1400] READ_CBOX [3] Register 0x706 , Flags: "
        "0xA \n"
        "DEBUG - [ivb_mboxfix_setup:9] SETUP_MBOXFIX [0] Device 7 Register 0xF0 , Flags: "
        "0x400000 \n"
        "DEBUG - [hpm_init:1] something else\n",
        "cpu0 W 0x700 0x408f34\ncpu3 R 0x706 0xa\n2 1 0");
    expect_error(BX_LOG_LIKWID, "DEBUG - [f:1] SETUP_CBOX [x] Register 0x700 , Flags: 0x1", "[x]",
                 "this is no number of a CPU");
}

static void strace(void **state)
{
    (void)state;
    /* 1792 is 700H; the bytes of 408834H in octal and in hexadecimal. */
    expect(BX_LOG_STRACE,
           "execve(\"/usr/sbin/wrmsr\", [\"wrmsr\"], 0x7ffe /* 20 vars */) = 0\n"
           "openat(AT_FDCWD, \"/dev/cpu/2/msr\", O_WRONLY) = 3\n"
           "pwrite64(3, \"4\\210@\\0\\0\\0\\0\\0\", 8, 1792) = 8\n"
           "[pid  77] 12:00:01.5 pwrite64(3, \"\\x34\\x88\\x40\\x00\\x00\\x00\\x00\\x00\", 8, "
           "0x701) = "
           "-1 EIO (Input/output error)\n"
           "pread64(3, \"\\n\\t\\\"\\\\\\0\\0\\0\\377\", 8, 1798) = 8\n"
           "close(3) = 0\n"
           "pwrite64(3, \"4\\210@\\0\\0\\0\\0\\0\", 8, 1792) = 8\n"
           "write(1, \"hello\", 5) = 5\n",
           "cpu2 W 0x700 0x408834\ncpu2 W 0x701 0x408834 fault\ncpu2 R 0x706 0xff0000005c22090a\n"
           "2 1 0");
    expect(BX_LOG_STRACE,
           "open(\"/proc/bus/pci/7f/10.5\", O_RDWR) = 4\n"
           "openat(AT_FDCWD, \"/sys/bus/pci/devices/0000:00:00.0/config\", O_RDONLY) = 5\n"
           "pwrite64(4, \"\\0\\0@\\0\", 4, 240) = 4\n"
           "lseek(5, 72, SEEK_SET) = 72\n"
           "read(5, \"\\1\\0\\321\\376\", 4) = 4\n"
           "pread64(5, 0x7ffd, 4, 72) = -1 EPERM (Operation not permitted)\n"
           "perf_event_open({type=PERF_TYPE_RAW, size=128, config=0x4300c0}, 0, -1, -1, 0) = 6\n"
           "pwrite64(4, \"\\0\\0@\\0\", 4, 240 <unfinished ...>\n",
           "pci 7f:10.5 W32 0x0f0 0x400000\npci 00:00.0 R32 0x048 0xfed10001\n"
           "pci 00:00.0 R32 0x048 0x0 EPERM\n0 1 1");
    expect(BX_LOG_STRACE, /* -y names the file */
           "pwrite64(9</dev/cpu/1/msr>, \"\\1\\0\\0\\0\\0\\0\\0\\0\", 8, 911) = 8\n",
           "cpu1 W 0x38f 0x1\n0 0 0");
    expect_error(BX_LOG_STRACE, "pwrite64(9</dev/cpu/1/msr>, \"\\1\\0\"..., 8, 911) = 8",
                 "\"\\1\\0\"...", "these are not the bytes of a register");
    expect_error(BX_LOG_STRACE, "pwrite64(9</dev/cpu/1/msr>, \"\\1\\0\\0\", 3, 911) = 3", "3",
                 "a register has 1, 2, 4 or 8 bytes");
}

static void scripts(void **state)
{
    (void)state;
    expect(BX_LOG_SCRIPT,
           "#!/bin/sh\n"
           "modprobe msr\n"
           "SEL=0x186   # the register\n"
           "EVENT='0x4300c0'\n"
           "wrmsr -p 3 $SEL ${EVENT}; wrmsr -a 0x38f 0x7 && sudo /usr/sbin/wrmsr -p1 \"$SEL\" 0\n"
           "wrmsr $((SEL + 1)) $((1 << 22 )) > /dev/null\n"
           "setpci -s 00:00.0 48.l=fed10001 0x4c.B=0xff\n"
           "if [ $(id -u) -ne 0 ]; then\n  echo root; exit\nfi\n"
           "rdmsr -p 0 0xc1\n"
           "wrmsr 390 1\n",
           "cpu3 W 0x186 0x4300c0\nall: cpu0 W 0x38f 0x7\ncpu1 W 0x186 0x0\n"
           "cpu0 W 0x187 0x400000\npci 00:00.0 W32 0x048 0xfed10001\n"
           "pci 00:00.0 W8 0x04c 0xff\ncpu0 W 0x186 0x1\n5 1 0");
    expect(BX_LOG_SCRIPT, /* what a shell does not execute, and variables of one command */
           "A=1 B=2\nA=3 wrmsr 0x186 $A || exit 1\n"
           "cat <<EOF >f\nwrmsr 0x187 1\nEOF\n"
           "cat << 'END'; wrmsr 0x188 $B\nwrmsr 0x187 1\nEND\n"
           "modprobe msr && wrmsr 0x189 $((A << 4))\n"
           "exit\nwrmsr 0x187 1\n",
           "cpu0 W 0x186 0x1\ncpu0 W 0x188 0x2\ncpu0 W 0x189 0x10\n10 0 0");
    static const struct {
        const char *text, *part, *message;
    } bad[] = {
        {"wrmsr 0x186 $1", "$1", "this has no value that is known here"},
        {"wrmsr 0x186 $(cat f)", "$(cat f)", "this has no value that is known here"},
        {"X=$(cat f)\nwrmsr 0x186 $X", "$X", "this has no value that is known here"},
        {"wrmsr 0x186 $((1 + 2 * 3))", "$((1 + 2 * 3))", "this has no value that is known here"},
        {"for i in 0 1; do wrmsr -p $i 0x186 0", "wrmsr",
         "this is in a loop or a condition, which is not executed"},
        {"[ -e f ] && wrmsr 0x186 0", "wrmsr",
         "this is in a loop or a condition, which is not executed"},
        {"! true && true && wrmsr 0x186 0", "wrmsr",
         "this is in a loop or a condition, which is not executed"},
        {"wrmsr 0x186 0 || wrmsr 0x187 0", "wrmsr",
         "this is in a loop or a condition, which is not executed"},
        {"A=1; [ -e f ] && A=2\nwrmsr 0x186 $A", "$A", "this has no value that is known here"},
        {"A=1\nA+=0\nwrmsr 0x186 $A", "$A", "this has no value that is known here"},
        {"A=1\nunset A\nwrmsr 0x186 $A", "$A", "this has no value that is known here"},
        {"A=1\nread -r \"A\"\nwrmsr 0x186 $A", "$A", "this has no value that is known here"},
        {"A=1\n. ./settings\nwrmsr 0x186 $A", "$A", "this has no value that is known here"},
        {"wrmsr 0x186", "wrmsr", "a value is missing"},
        {"wrmsr 0x186 0x4300zz", "0x4300zz", "this is no value of a register"},
        {"wrmsr -p x 0x186 0", "x", "this is no number of a CPU"},
        {"setpci 48.l=1", "48.l=1", "the device is missing"},
        {"setpci -s 00:00.0 48=1", "48=1", "this is no register with a width and a value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_error(BX_LOG_SCRIPT, bad[i].text, bad[i].part, bad[i].message);
}

/* The first line with an access says whose log it is. A register log stays one. */
static void kinds(void **state)
{
    (void)state;
    expect(BX_LOG_OWN, "# wrmsr 0x186 0\ncpu0 W 0x700 0x1\n", "cpu0 W 0x700 0x1\n0 0 0");
    assert_int_equal(bx_log_kind_of(BX_STR("nothing\nknown")), BX_LOG_OWN);
    assert_int_equal(bx_log_kind_of(BX_STR("")), BX_LOG_OWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_traces), cmocka_unit_test(likwid),
        cmocka_unit_test(strace),        cmocka_unit_test(scripts),
        cmocka_unit_test(kinds),         cmocka_unit_test(what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
