/* What was announced of processes, and what came: records by hand. */
#include "../cmocked.h"

#include "machine/program/trace/ledger.h"

#include "tracer/trace_format.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum { PARENT = 100, CHILD = 101, ROOM = 100 };

static void record(bx_trace_ledger *l, bx_trace_life *life, enum bx_trace_control_kind kind,
                   uint32_t value, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t words[] = {bx_trace_control_word(kind, value), a, b, c};
    bx_trace_ledger_record(l, life, PARENT, words);
}

static void fork_at(bx_trace_ledger *l, bx_trace_life *life, uint64_t time)
{
    record(l, life, BX_TRACE_FORK, 0, time, 0, 0);
}

static void returns(bx_trace_ledger *l, bx_trace_life *life, uint32_t call, uint64_t child)
{
    record(l, life, BX_TRACE_RETURN, call, 90, child ? BX_TRACE_PROCESS : BX_TRACE_NOTHING, child);
}

static void write_lost(void *context, const bx_trace_missing *what)
{
    char *to = context;
    size_t n = strlen(to);
    snprintf(to + n, ROOM - n, "%s %u %s;", what->forked ? "child" : "rest", what->number,
             what->name);
    n = strlen(to);
    if (!what->forked && what->status >= 0)
        snprintf(to + n, ROOM - n, " %d%s;", what->status, what->no_memory ? " memory" : "");
}

static void expect_lost(bx_trace_ledger *l, const char *text)
{
    char lost[ROOM] = "";
    bx_trace_ledger_tell(l, write_lost, lost);
    assert_string_equal(lost, text);
    assert_int_equal(bx_trace_ledger_awaits(l), strncmp(text, "child", 5) == 0);
    bx_trace_ledger_free(l);
}

static void a_child_without_a_hello_is_lost(void **state)
{
    (void)state;
    static const uint32_t calls[] = {SYS_fork, SYS_vfork, SYS_clone, SYS_clone3};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bx_trace_ledger l = {0};
        bx_trace_life life = {.name = "sh"};
        fork_at(&l, &life, 50);
        returns(&l, &life, calls[i], CHILD);
        expect_lost(&l, "child 101 sh;");
        fork_at(&l, &life, 50); /* and its parent has not told its number */
        expect_lost(&l, "child 100 sh;");
    }
}

static void hellos_come_before_or_after_the_fork_is_read(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life life = {.name = "sh"};
    fork_at(&l, &life, 50);
    fork_at(&l, &life, 60);
    bx_trace_ledger_hello(&l, PARENT, 60);
    bx_trace_ledger_hello(&l, PARENT, 70);
    assert_true(bx_trace_ledger_awaits(&l));
    fork_at(&l, &life, 70);
    bx_trace_ledger_hello(&l, 2, 50); /* its parent has number 2 in its own namespace */
    expect_lost(&l, "");
}

static void a_fork_that_fails_makes_no_child(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life life = {.name = "sh"};
    fork_at(&l, &life, 50);
    returns(&l, &life, SYS_fork, CHILD);
    fork_at(&l, &life, 60);
    returns(&l, &life, SYS_fork, 0);
    returns(&l, &life, SYS_read, 0);
    expect_lost(&l, "child 101 sh;");
}

static void an_exec_that_fails_is_no_end(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life life = {.name = "sh"};
    record(&l, &life, BX_TRACE_UNTRACED, BX_TRACE_SET_ID, 0, 0, 0);
    record(&l, &life, BX_TRACE_END, BX_TRACE_END_EXEC, 80, 0, 0);
    assert_int_equal(life.end, BX_LIFE_EXECUTES);
    assert_true(life.untraced);
    returns(&l, &life, SYS_execve, 0);
    assert_int_equal(life.end, BX_LIFE_RUNS);
    assert_false(life.untraced);
    record(&l, &life, BX_TRACE_END, BX_TRACE_END_SIGNAL, 80, 0, 0);
    assert_int_equal(life.end, BX_LIFE_ENDED);
    expect_lost(&l, "");
}

enum { UNKNOWN = -1 };

/* Another process may tell before the trace of the killed one was read to the end, or after that.
 */
static void whoever_was_killed_is_not_lost(void **state)
{
    (void)state;
    static const enum bx_trace_killed ways[] = {BX_TRACE_KILLED_SENT, BX_TRACE_KILLED_CHILD};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bx_trace_ledger l = {0};
        bx_trace_life life = {.name = "sh"}, child = {.name = "sleep"};
        record(&l, &life, BX_TRACE_KILLED, ways[i], CHILD, 0, 0);
        bx_trace_ledger_cut(&l, CHILD, &child, UNKNOWN, false);
        bx_trace_ledger_cut(&l, CHILD + 1, &child, SIGKILL, false);
        record(&l, &life, BX_TRACE_KILLED, ways[i], CHILD + 1, 0, 0);
        bx_trace_ledger_cut(&l, CHILD + 2, &child, UNKNOWN, false);
        expect_lost(&l, "rest 103 sleep;");
    }
}

/* What the kernel tells of an end for which no record stands is passed on. */
static void how_others_ended_is_told(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life child = {.name = "sleep"};
    bx_trace_ledger_cut(&l, CHILD, &child, SIGKILL, false);
    bx_trace_ledger_cut(&l, CHILD + 1, &child, SIGSYS, false);
    expect_lost(&l, "rest 102 sleep; 31;rest 101 sleep; 9;");
}

/* That its parent has seen the end does not say who has sent the signal: it may be the kernel. */
static void lack_of_memory_is_told_if_no_traced_process_has_killed(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life life = {.name = "sh"}, child = {.name = "sleep"};
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_SENT, CHILD, 0, 0);
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_CHILD, CHILD, 0, 0);
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_CHILD, CHILD + 1, 0, 0);
    bx_trace_ledger_cut(&l, CHILD, &child, SIGKILL, true);
    bx_trace_ledger_cut(&l, CHILD + 1, &child, UNKNOWN, true);
    bx_trace_ledger_cut(&l, CHILD + 2, &child, UNKNOWN, true);
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_CHILD, CHILD + 2, 0, 0);
    bx_trace_ledger_cut(&l, CHILD + 3, &child, SIGKILL, true);
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_SENT, CHILD + 3, 0, 0);
    expect_lost(&l, "rest 103 sleep; 9 memory;rest 102 sleep; 9 memory;");
}

/* A process that was to be killed has told its end before. Its number may be used again. */
static void a_signal_that_came_too_late_is_forgotten(void **state)
{
    (void)state;
    bx_trace_ledger l = {0};
    bx_trace_life life = {.name = "sh"}, child = {.name = "sleep"};
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_SENT, CHILD, 0, 0);
    record(&l, &life, BX_TRACE_KILLED, BX_TRACE_KILLED_CHILD, CHILD, 0, 0);
    bx_trace_ledger_ended(&l, CHILD);
    bx_trace_ledger_cut(&l, CHILD, &child, UNKNOWN, false);
    expect_lost(&l, "rest 101 sleep;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_without_a_hello_is_lost),
        cmocka_unit_test(hellos_come_before_or_after_the_fork_is_read),
        cmocka_unit_test(a_fork_that_fails_makes_no_child),
        cmocka_unit_test(an_exec_that_fails_is_no_end),
        cmocka_unit_test(whoever_was_killed_is_not_lost),
        cmocka_unit_test(how_others_ended_is_told),
        cmocka_unit_test(lack_of_memory_is_told_if_no_traced_process_has_killed),
        cmocka_unit_test(a_signal_that_came_too_late_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
