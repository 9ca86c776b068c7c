/* Names that programs choose are the same in each output as their printable form: no escape reaches
 * a terminal, no line break forges a line, no separator a column. */
#include "../cmocked.h"

#include "cli/run.h"

#include "base/printable.h"
#include "tracefile/writer.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOSTILE                                                                                    \
    "x\033]0;t\007\033[31m'\n   999,999 lines "                                                    \
    "FAKE\r|`*_<b>&\",@\u202eon\u200b\u2028\xff\xc2\x9b]]>"

enum { NAME_WORDS = 16 };
static const uint64_t block[] = {BX_TRACE_CONTROL | (uint64_t)BX_TRACE_BLOCK << 56 | 3, 5,
                                 UINT64_C(0x1004) << 48 | 0x1000, UINT64_C(0x2008) << 48,
                                 UINT64_C(0x4000) << 48};
static const uint64_t execution[] = {640, 0x1234};

static int write_to(void *context, const void *bytes, size_t n)
{
    const int *fd = context;
    return write(*fd, bytes, n) == (ssize_t)n ? 0 : EIO;
}

static void write_name(bx_tracefile_writer *w, unsigned kind, uint32_t value, const char *name)
{
    uint64_t words[2 + NAME_WORDS] = {bx_trace_control_word(kind, value), NAME_WORDS};
    assert_true(strlen(name) < NAME_WORDS * sizeof *words);
    strcpy((char *)(words + 2), name);
    bx_tracefile_write_words(w, 0, words, 2 + NAME_WORDS);
}

/* A program of that name executes a block in a region of that name, and others of that name are not
 * traced. */
static void write_trace(const char *path, char *name)
{
    char *argument[] = {name, name};
    const bx_tracefile_head head = {argument, 2, name, 1, BX_TRACE_PAGE};
    bx_error e = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    bx_tracefile_writer *w =
        bx_tracefile_writer_new(&head, (bx_tracefile_sink){write_to, &fd, path});
    assert_non_null(w);
    bx_tracefile_write_hello(w, 1, 0, 1);
    bx_tracefile_write_words(w, 0, block, 5);
    write_name(w, BX_TRACE_REGION, BX_TRACE_REGION_BEGINS, name);
    bx_tracefile_write_words(w, 0, execution, 2);
    write_name(w, BX_TRACE_REGION, BX_TRACE_REGION_ENDS, name);
    write_name(w, BX_TRACE_UNTRACED, 0, name);
    write_name(w, BX_TRACE_NOTE, BX_TRACE_NOTE_CALL, name);
    bx_tracefile_write_fact(w, BX_PART_UNREAD, 2, name);
    assert_int_equal(bx_tracefile_write_end(w, 0, 0, &e), BX_OK);
    bx_tracefile_writer_free(w);
    close(fd);
}

static char folder[32];

static int set_up(void **state)
{
    char path[64], name[] = HOSTILE;
    (void)state;
    strcpy(folder, "/tmp/boxscore-names-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/hostile", folder);
    write_trace(path, name);
    bx_printable(name, strlen(name));
    snprintf(path, sizeof path, "%s/plain", folder);
    write_trace(path, name);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void assert_printable(const char *text)
{
    for (bx_str rest = bx_str_of(text); rest.n;) {
        size_t n = bx_character_length(rest);
        if (*rest.p != '\n' && (!n || !bx_is_printable(rest, n)))
            fail_msg("byte %#x in: %s", (unsigned char)*rest.p, text);
        rest = bx_str_sub(rest, n, rest.n);
    }
}

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Runs a script in the folder, where t is one of the traces. */
static ran run_with(const char *trace, const char *script)
{
    char whole[2048];
    snprintf(whole, sizeof whole,
             "cd %s && cp %s t && B=\"$BOXSCORE stat --machine virtual:skl,part=plain --trace t -e "
             "INSTR_RETIRED_ANY,DRAM_DATA_READS\"\n%s",
             folder, trace, script);
    return run_shell(whole);
}

/* The two traces differ in their size and checksum, too. */
static void every_output_is_that_of_the_printable_name(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "$B --regions 2>&1 | sed 's/[0-9]* bytes, cksum [0-9]*//'",
        "$B --regions -x , --header 2>&1 | sed 's/[0-9]* bytes, cksum [0-9]*//'",
        "$B -x '|' -I 1us 2>&1 | sed 's/[0-9]* bytes, cksum [0-9]*//'",
        "$B -I 1us 2>&1 | sed 's/[0-9]* bytes, cksum [0-9]*//'",
        "\"$BOXSCORE\" trace info t | grep -v -e bytes -e cksum",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ran hostile = run_with("hostile", scripts[i]), plain = run_with("plain", scripts[i]);
        assert_string_equal(hostile.out, plain.out);
        assert_string_equal(hostile.err, plain.err);
        assert_printable(hostile.out);
        assert_printable(hostile.err);
        assert_has(hostile.out, "?]0;t?");
        ran_free(&hostile);
        ran_free(&plain);
    }
}

/* A saved run has U+FFFD for each byte that is not UTF-8. */
static void comparisons_are_printable(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "$B --regions -j -o new 2>/dev/null; \"$BOXSCORE\" diff new new",
        "$B --regions -j -o new 2>/dev/null; \"$BOXSCORE\" diff new new --fail-if "
        "'INSTR_RETIRED_ANY > +1%' "
        "--markdown md --junit xml -o out; cat md xml | sed 's/[0-9]* bytes, cksum [0-9]*//'",
        "$B --regions -j -o new 2>/dev/null; \"$BOXSCORE\" diff -j new new",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ran hostile = run_with("hostile", scripts[i]), plain = run_with("plain", scripts[i]);
        assert_printable(hostile.out);
        assert_printable(hostile.err);
        assert_has(hostile.out, "?]0;t?");
        assert_int_equal(lines_of(hostile.out), lines_of(plain.out));
        ran_free(&hostile);
        ran_free(&plain);
    }
}

/* JSON keeps the name, with escapes; bytes that are not UTF-8 become U+FFFD. */
static void json_keeps_the_name(void **state)
{
    (void)state;
    static const char *const scripts[] = {"$B --regions -j 2>/dev/null",
                                          "\"$BOXSCORE\" trace info --json t"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        ran r = run_with("hostile", scripts[i]);
        assert_has(r.out,
                   "x\\u001b]0;t\\u0007\\u001b[31m'\\n   999,999 lines FAKE\\u000d|`*_<b>&\\\",@"
                   "\\u202eon\\u200b\\u2028\\ufffd\\u009b]]>");
        assert_printable(r.out);
        ran_free(&r);
    }
}

/* Names of files and events are in messages, with carets under them. */
static void messages_are_printable(void **state)
{
    (void)state;
    static const char *const commands[][5] = {
        {"trace", "info", HOSTILE},
        {"encode", HOSTILE},
        {"info", HOSTILE},
        {"list", HOSTILE},
        {"diff", HOSTILE, HOSTILE},
        {"help", HOSTILE},
        {"stat", "-e", HOSTILE},
        {"stat", "--machine", HOSTILE, "-w", "stream"},
        {"stat", "-w", HOSTILE},
        {"machine", "show", HOSTILE},
        {"explain", HOSTILE},
        {"decode", HOSTILE},
        {HOSTILE},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *argv[6] = {NULL};
        memcpy(argv, commands[i], sizeof commands[i]);
        ran r = run("", argv);
        assert_int_not_equal(r.status, 0);
        assert_printable(r.out);
        assert_printable(r.err);
        assert_null(strstr(r.err, "\n   999"));
        ran_free(&r);
    }
}

/* A gathered machine is a folder that others have made, with any names and contents. */
static void machines_of_others_are_printable(void **state)
{
    (void)state;
    ran r = run_shell(
        "D=$(mktemp -d) && trap 'rm -rf \"$D\"' EXIT && cd \"$D\" && mkdir -p r/proc "
        "r/sys/devices/system/cpu && n=$(printf 'pm\\n\\033[31m  FAKE\\342\\200\\256') && "
        "p=\"r/sys/bus/event_source/devices/$n\" && mkdir -p \"$p/events\" \"$p/format\" && echo 7 "
        ">\"$p/type\" && echo config:0-7 >\"$p/format/event\" && printf 'event=0x1\\n  "
        "FAKE\\033[31m\\n' >\"$p/events/ev\" && printf 'u\\n  FAKE' >\"$p/events/ev.unit\" && echo "
        "0 "
        ">r/sys/devices/system/cpu/online && echo 0 >r/sys/devices/system/cpu/possible && printf "
        "'processor : 0\\nvendor_id : G\\033[31m\\nmodel name : X\\342\\200\\256Y\\ncpu family : "
        "6\\n"
        "model : 94\\nstepping : 3\\nflags : fpu\\n\\n' >r/proc/cpuinfo\n"
        "for c in list doctor regs; do o='--machine host'; [ $c = doctor ] && o=; \"$BOXSCORE\" $c "
        "$o "
        "--root r 2>&1; done; \"$BOXSCORE\" list --machine host --root r --json");
    assert_printable(r.out);
    assert_has(r.out, "\n    pm??[31m  FAKE??"
                      "?/ev/ ");
    assert_has(r.out, "event=0x1?  FAKE?[31m, in u?  FAKE\n");
    assert_has(r.out, "\"event\":\"pm\\n\\u001b[31m  FAKE\\u202e/ev/\"");
    assert_has(r.out, "G?[31m family 6");
    assert_null(strstr(r.out, "\n  FAKE"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_is_that_of_the_printable_name),
        cmocka_unit_test(comparisons_are_printable),
        cmocka_unit_test(json_keeps_the_name),
        cmocka_unit_test(messages_are_printable),
        cmocka_unit_test(machines_of_others_are_printable),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
