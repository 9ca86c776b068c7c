/* Both processes of the helper are killed at one instant: its journal remains, and boxscore restore
 * executes it. */
#include "../cmocked.h"
#include "../rounds.h"

#include "cli/run.h"
#include "helper/helper_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void journal_path(const started *s, char to[96])
{
    snprintf(to, 96, "%s/helper.journal", s->f.root);
}

static off_t journal_size(const started *s)
{
    char path[96];
    struct stat about;
    journal_path(s, path);
    return stat(path, &about) == 0 ? about.st_size : -1;
}

static ran restored(const started *s, const char *option)
{
    char path[96];
    journal_path(s, path);
    return option ? RUN("restore", option, "--root", s->f.root, path)
                  : RUN("restore", "--root", s->f.root, path);
}

static started opened(void)
{
    started s = helper_none();
    folder_msr(&s.f, 0, 0x700, 0x8123);
    helper_start_on(&s, NULL, NULL, 0);
    return s;
}

/* Writes registers that do not overlap in a plain file, where an MSR has 8 bytes at its number. */
static const struct {
    uint32_t msr;
    uint64_t value;
} writes[] = {{0x730, 0x40800}, {0x700, 0x408834}, {0x720, 0x408080}};
enum { WRITES = sizeof writes / sizeof *writes };

/* Writing a 1 clears a status bit, but in a plain file the 1 stays. 334060-001 table 2-3: bits 0, 1
 * and 3. */
static bool is_as(const started *s, uint64_t before)
{
    if (folder_get(&s->f, "/dev/cpu/0/msr", 0xe02) == 0xb)
        folder_msr(&s->f, 0, 0xe02, 0);
    return msrs_sum(s) == before;
}

static void change(int fd)
{
    for (unsigned i = 0; i < WRITES; i++)
        assert_int_equal(client_writes(fd, 64, writes[i].msr, writes[i].value), 0);
}

static void wait_for_size(const started *s, off_t size)
{
    for (unsigned waited = 0; journal_size(s) != size; waited++) {
        assert_true(waited < 20000);
        usleep(1000);
    }
}

/* The journal exists from the start, only the helper can access it, and it has text only while a
 * client counts. */
static void as_long_as_somebody_counts(void **state)
{
    (void)state;
    char path[96];
    struct stat about;
    started s = opened();
    journal_path(&s, path);
    int fd = connected(&s);
    uint64_t value;
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_int_equal(about.st_uid, getuid());
    assert_int_equal(about.st_size, 0);
    change(fd);
    assert_true(journal_size(&s) > 0);
    ran r = restored(&s, NULL);
    assert_int_equal(r.status, 1);
    assert_has(r.err, " counts still and puts its registers back itself\n");
    ran_free(&r);
    close(fd);
    wait_for_size(&s, 0);
    r = restored(&s, NULL);
    assert_string_equal(r.out, "nothing to put back\n");
    assert_silent(&r);
    helper_end(&s);
}

/* What a user sees. */
static void both_killed(void **state)
{
    (void)state;
    char client[128];
    started s = opened();
    uint64_t before = msrs_sum(&s);
    int fd = connected(&s);
    change(fd);
    helper_kill_both(&s);
    close(fd);
    assert_false(is_as(&s, before));

    ran r = restored(&s, "--dry-run");
    assert_has(r.out, "MSR_UNC_CBO_2_PERFEVTSEL0 (0x720, package 0): 0x408080 -> 0x0\n"
                      "3 of 7 registers would change; nothing is written\n");
    assert_locked_silent(&r);
    assert_true(!is_as(&s, before) && journal_size(&s) > 0);

    r = restored(&s, NULL);
    snprintf(client, sizeof client,
             " counted through boxscore-helper for process %ld of user %lu: 3 had changed\n",
             (long)getpid(), (unsigned long)getuid());
    assert_has(r.out, "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700, package 0): 0x408834 -> 0x8123\n");
    assert_has(r.out, "7 registers are as before process ");
    assert_has(r.out, client);
    assert_locked_silent(&r);
    assert_true(is_as(&s, before));
    assert_int_equal(journal_size(&s), -1);
    helper_end(&s);
}

/* A new helper does not start before the registers are restored; its message has the command for
 * this. */
static void started_again(void **state)
{
    (void)state;
    char command[400], expected[240], path[96];
    started s = opened();
    int fd = connected(&s);
    change(fd);
    helper_kill_both(&s);
    close(fd);
    snprintf(command, sizeof command, "\"$HELPER\" --root %s --socket %s", s.f.root, s.socket);
    ran r = run_shell(command);
    assert_int_equal(r.status, 1);
    snprintf(expected, sizeof expected,
             "  hint: boxscore restore --root '%s' '%s/helper.journal'\n", s.f.root, s.f.root);
    assert_has(r.err, "boxscore-helper: a helper has ended here without putting registers back: "
                      "process ");
    assert_has(r.err, expected);
    ran_free(&r);

    journal_path(&s, path);
    snprintf(expected, sizeof expected, "  hint: boxscore restore --root '%s' '%s'\n", s.f.root,
             path);
    for (unsigned named = 0; named < 2;
         named++) { /* the lock's file has the path of the journal, too */
        r = RUN("stat", "--root", s.f.root, "--machine", "host", named ? "--journal" : "--driver",
                named ? path : "registers", "-e", "UNC_CLOCK:SOCKET", "--", "true");
        assert_int_equal(r.status, 1);
        assert_has(r.err, "a measurement has ended here without putting its registers back: ");
        assert_has(r.err, expected);
        ran_free(&r);
    }

    r = restored(&s, NULL);
    ran_free(&r);
    helper_start_on(&s, NULL, NULL, 0);
    fd = connected(&s);
    change(fd);
    close(fd);
    helper_end(&s);
}

/* A journal from before the last boot: its registers have been reset. */
static void after_a_reboot(void **state)
{
    (void)state;
    started s = opened();
    int fd = connected(&s);
    change(fd);
    helper_kill_both(&s);
    close(fd);
    folder_text(&s.f, "/proc/sys/kernel/random/boot_id", "6f3c0c1e-0000-4000-8000-0123456789ab\n");
    helper_start_on(&s, NULL, NULL, 0);
    wait_for_size(&s, 0);
    helper_end(&s);
}

/* The disk is full: nothing is programmed. The limit of file sizes is above the last register. */
static void no_room(void **state)
{
    (void)state;
    started s = opened();
    uint64_t before = msrs_sum(&s);
    assert_int_equal(helper_stop(&s), 0);
    helper_start_on(&s, NULL, NULL, 0xf00);
    int fd = connected(&s);
    assert_int_equal(client_writes(fd, 64, 0x730, 0x40800), EFBIG);
    assert_int_equal(client_writes(fd, 64, 0x700, 0x408834), EFBIG);
    assert_int_equal(msrs_sum(&s), before);
    assert_int_equal(journal_size(&s), 0);
    close(fd);
    helper_end(&s);
}

/* Files that another user may have put there are refused. */
static void not_ours(void **state)
{
    (void)state;
    started s = opened();
    assert_int_equal(helper_stop(&s), 0);
    static const char *const cases[] = {"ln -s /etc/passwd %s/j",
                                        "mkfifo %s/j",
                                        "mkdir %s/j",
                                        "ln %s/helper.journal %s/j",
                                        "install -m 666 /dev/null %s/j",
                                        "echo nonsense > %s/j; chmod 600 %s/j"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char made[256], script[700];
        snprintf(made, sizeof made, cases[i], s.f.root, s.f.root);
        snprintf(script, sizeof script,
                 "rm -rf %s/j; %s; \"$HELPER\" --root %s --socket %s --journal %s/j", s.f.root,
                 made, s.f.root, s.socket, s.f.root);
        ran r = run_shell(script);
        if (r.status != 1 || !strstr(r.err, "journal '") || !strstr(r.err, "  hint: "))
            fail_msg("%s: %d %s", made, r.status, r.err);
        ran_free(&r);
    }
    helper_end(&s);
}

/* Two helpers do not write one journal. */
static void one_journal_one_helper(void **state)
{
    (void)state;
    char script[300];
    started s = opened();
    snprintf(script, sizeof script,
             "\"$HELPER\" --root %s --socket %s/b.sock --journal %s/helper.journal", s.f.root,
             s.f.root, s.f.root);
    ran r = run_shell(script);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "/helper.journal' is another process's\n");
    ran_free(&r);
    helper_end(&s);
}

static uint64_t seed;

static unsigned rnd(unsigned below)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(seed >> 33) % below;
}

/* A client that begins and ends again and again. */
static pid_t start_client(const started *s)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    while (pid == 0) {
        int fd = client_open(s);
        if (fd < 0)
            _exit(0);
        for (unsigned i = 0; i < WRITES; i++)
            if (client_writes(fd, 64, writes[i].msr, writes[i].value))
                break;
        close(fd);
    }
    return pid;
}

static void killed_at_any_time(void **state)
{
    (void)state;
    unsigned rounds = getenv("BX_LONG") ? 500 : 15, texts = 0;
    started s = opened();
    uint64_t before = msrs_sum(&s);
    seed = seed_of_run();
    for (unsigned i = 0; i < rounds || !texts; i++) {
        int status;
        pid_t client = start_client(&s);
        usleep(rnd(8000));
        helper_kill_both(&s);
        assert_int_equal(waitpid(client, &status, 0), client);
        texts += journal_size(&s) > 0;
        if (journal_size(&s) < 0) { /* so early that there is none */
            assert_true(is_as(&s, before));
            helper_start_on(&s, NULL, NULL, 0);
            continue;
        }
        ran r = restored(&s, NULL);
        bool silent = !r.err[0] || /* or there was something to lock */
                      (getuid() && strcmp(r.err, "boxscore: " BX_LOCK_PRIVATE "\n") == 0);
        if (r.status || !silent || !is_as(&s, before))
            fail_msg("round %u: %d %s%s", i, r.status, r.out, r.err);
        ran_free(&r);

        helper_start_on(&s, NULL, NULL, 0);
    }
    assert_true(texts > 0);
    print_message("%u kills, %u of them left something to put back\n", rounds, texts);
    helper_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_long_as_somebody_counts),
        cmocka_unit_test(both_killed),
        cmocka_unit_test(started_again),
        cmocka_unit_test(after_a_reboot),
        cmocka_unit_test(no_room),
        cmocka_unit_test(not_ours),
        cmocka_unit_test(one_journal_one_helper),
        cmocka_unit_test(killed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
