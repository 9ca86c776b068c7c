/* The progress line: only on a terminal, only after a second, and erased at the end. And pagers. */
#include "../cmocked.h"

#include "cli/common/pager.h"
#include "cli/common/progress.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What shown() wrote to standard error. */
static int pipe_of_errors[2];
static int kept;

static int set_up(void **unused)
{
    (void)unused;
    kept = dup(STDERR_FILENO);
    assert_int_equal(pipe(pipe_of_errors), 0);
    assert_true(dup2(pipe_of_errors[1], STDERR_FILENO) >= 0);
    close(pipe_of_errors[1]);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(pipe_of_errors[0]);
    return 0;
}

static void shown(const char *expected)
{
    char text[512];
    (void)!write(STDERR_FILENO, "|", 1); /* so that there is something to read */
    ssize_t n = read(pipe_of_errors[0], text, sizeof text - 1);
    assert_true(n > 0);
    text[n - 1] = '\0';
    size_t n_expected = strlen(expected);
    if (n_expected && expected[n_expected - 1] == '%')
        assert_true(strncmp(text, expected, n_expected - 1) == 0);
    else
        assert_string_equal(text, expected);
}

/* Simulates a start that many seconds ago, on a terminal. */
static bx_progress since(double seconds)
{
    return (bx_progress){.terminal = true, .start = bx_progress_clock() - seconds};
}

static void show_state(bx_progress *p, uint64_t accesses)
{
    const bx_measurement_state state = {.is_virtual = true,
                                        .seconds = 0.25,
                                        .accesses = accesses,
                                        .share = -1,
                                        .run = 1,
                                        .runs = 1};
    bx_progress_show(p, &state);
}

static void not_without_a_terminal(void **unused)
{
    (void)unused;
    bx_progress p = bx_progress_start(); /* standard error is a pipe */
    p.start -= 10;
    show_state(&p, 1000);
    bx_progress_erase(&p);
    shown("");
}

static void not_within_a_second(void **unused)
{
    (void)unused;
    bx_progress p = since(-1000);
    show_state(&p, 1000);
    bx_progress_erase(&p);
    shown("");
}

/* The cursor is at column 1 afterwards: the program's output overwrites the line. */
static void shown_and_erased(void **unused)
{
    (void)unused;
    bx_progress p = since(2);
    show_state(&p, 1234567);
    shown("\r\033[Kvirtual time 0.2500 s, 1,234,567 accesses, 2.%");
    p.last += 1000; /* too soon after the last */
    show_state(&p, 1234568);
    shown("");
    bx_progress_erase(&p);
    shown("\r\033[K");
    bx_progress_erase(&p);
    shown("");
}

/* What is known is said: the share of a trace, the run, how much slower than the machine it is. A
 * host has no virtual time, and is not slower than itself. */
static void as_far_as_it_is_known(void **unused)
{
    (void)unused;
    const bx_measurement_state trace = {.is_virtual = true,
                                        .seconds = 5,
                                        .accesses = 12,
                                        .share = 0.426,
                                        .run = 2,
                                        .runs = 5},
                               host = {.share = -1, .run = 3, .runs = 7};
    setenv("COLUMNS", "159", 1);
    bx_progress p = since(1000);
    bx_progress_show(&p, &trace);
    shown(
        "\r\033[Kvirtual time 5.00 s, 43 % of the trace, run 2 of 5, 12 accesses, 1000.0 s, 200 x "
        "slower\r");
    p = since(1000);
    bx_progress_show(&p, &host);
    shown("\r\033[Krun 3 of 7, 1000.0 s\r");
    unsetenv("COLUMNS");
}

/* If a line were longer than the terminal is wide, erasing would leave its first part. */
static void on_a_narrow_terminal(void **unused)
{
    (void)unused;
    char text[512];
    int terminal, screen;
    const struct winsize size = {.ws_row = 5, .ws_col = 12};
    if (openpty(&screen, &terminal, NULL, NULL, &size) != 0)
        skip();
    int before = dup(STDERR_FILENO);
    assert_true(dup2(terminal, STDERR_FILENO) >= 0);
    bx_progress p = since(2);
    show_state(&p, 1234567);
    dup2(before, STDERR_FILENO);
    ssize_t n = read(screen, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = '\0';
    assert_string_equal(text, "\r\033[Kvirtual tim\r");
    close(before);
    close(terminal);
    close(screen);
}

/* Shows `lines` lines on a terminal of five, with the pager. */
static bool paged(const char *pager, unsigned lines)
{
    char text[64] = "";
    int terminal, screen;
    const struct winsize size = {.ws_row = 5, .ws_col = 80};
    if (openpty(&screen, &terminal, NULL, NULL, &size) != 0)
        skip();
    for (unsigned i = 0; i < lines; i++)
        strcat(text, "line\n");
    setenv("PAGER", pager, 1);
    int before = dup(STDOUT_FILENO);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    bool shown = bx_pager_show(text, strlen(text));
    dup2(before, STDOUT_FILENO);
    close(before);
    close(terminal);
    close(screen);
    return shown;
}

/* The pager has all of a long text and git's LESS. Short text, other places than terminals and a
 * pager that does not exist leave it to the command. */
static void pager(void **unused)
{
    (void)unused;
    char got[64] = "", command[128], path[] = "/tmp/boxscore-pager-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(command, sizeof command, "cat >%s; echo $LESS >>%s", path, path);
    unsetenv("LESS");
    assert_true(paged(command, 5));
    assert_true(read(fd, got, sizeof got - 1) > 0);
    assert_string_equal(got, "line\nline\nline\nline\nline\nFRX\n");
    assert_true(paged("true", 9)); /* it reads nothing */
    assert_false(paged(command, 4));
    assert_false(paged("", 9));
    assert_false(paged("cat", 9));
    assert_false(paged("/nowhere/pager 2>/dev/null", 9));
    close(fd);
    unlink(path);
    int before = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    setenv("PAGER", "true", 1);
    dup2(null, STDOUT_FILENO);
    bool shown = bx_pager_show("1\n2\n3\n4\n5\n6\n", 12);
    dup2(before, STDOUT_FILENO);
    assert_false(shown);
    close(before);
    close(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(not_without_a_terminal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_within_a_second, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shown_and_erased, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_far_as_it_is_known, set_up, tear_down),
        cmocka_unit_test(on_a_narrow_terminal),
        cmocka_unit_test(pager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
