/* boxscore restore: it has a message for each journal that it refuses, and leaves that journal. */
#include "../cmocked.h"

#include "host/folder.h"
#include "guard/journal.h"
#include "catalog/catalog.h"
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A desktop of the 6th generation with two CPUs, whose registers are files. */
static folder machine(void)
{
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                "stepping\t: 3\n");
    folder_text(&f, "/proc/sys/kernel/random/boot_id", "6f3c0c1e-0000-4000-8000-0123456789ab\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        folder_msr(&f, cpu, 0xe02, 0);
        folder_msr(&f, cpu, 0x396, 5);
        folder_msr(&f, cpu, 0x700, 0x408834);
    }
    return f;
}

/* 334060-001 table 2-7: the contents of MSR_UNC_CBO_0_PERFEVTSEL0. */
static bx_journal_op ops[] = {
    {{.width = 64, .offset = 0x700}, 0, false, 0x8123, 0x1fd4ffff, "MSR_UNC_CBO_0_PERFEVTSEL0"},
    {{.width = 64, .offset = 0x1a0}, 0, false, 0, 1, "IA32_MISC_ENABLE"},
};

/* A journal that is left by a process that has ended. */
static bx_journal sample(const folder *f, char path[BX_MACHINE_PATH])
{
    bx_machine_path(f->root, path);
    return (bx_journal){.machine = path,
                        .boot = "6f3c0c1e-0000-4000-8000-0123456789ab",
                        .cpu = "skl",
                        .counts = "EVENT",
                        .owner = {0x7ffffffe, 1},
                        .ops = ops,
                        .n = 1};
}

static void put(const folder *f, const char *name, const bx_journal *j, char path[128])
{
    bx_error e = {0};
    snprintf(path, 128, "%s/%s", f->root, name);
    unlink(path);
    assert_int_equal(bx_journal_write(path, j, &e), BX_OK);
}

static uint64_t held(const folder *f)
{
    return folder_get(f, "/dev/cpu/0/msr", 0x700);
}

static void put_back(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    put(&f, "j", &j, path);
    ran r = RUN("restore", "-n", "--root", f.root, path);
    assert_string_equal(r.out, "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700, package 0): 0x408834 -> 0x8123\n"
                               "1 of 1 registers would change; nothing is written\n");
    assert_locked_silent(&r);
    assert_int_equal(held(&f), 0x408834);
    assert_int_equal(access(path, F_OK), 0);
    r = RUN("restore", "--root", f.root, path);
    assert_string_equal(r.out, "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700, package 0): 0x408834 -> 0x8123\n"
                               "1 registers are as before process 2147483646 counted EVENT: 1 had "
                               "changed\n");
    assert_locked_silent(&r);
    assert_int_equal(held(&f), 0x8123);
    assert_int_equal(access(path, F_OK), -1);
    put(&f, "j", &j, path);
    r = RUN("restore", "--dry-run", "--root", f.root, path);
    assert_string_equal(r.out, "0 of 1 registers would change; nothing is written\n");
    assert_locked_silent(&r);
    folder_end(&f);
}

static void expect_kept(const folder *f, const char *path, const char *says)
{
    for (unsigned dry = 0; dry < 2; dry++) {
        ran r = dry ? RUN("restore", "-n", "--root", f->root, path)
                    : RUN("restore", "--root", f->root, path);
        if (r.status != 1 || !strstr(r.err, says) || strncmp(r.err, "boxscore: ", 10) != 0)
            fail_msg("%s: %d %s", says, r.status, r.err);
        ran_free(&r);
    }
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    assert_int_equal(held(f), 0x408834);
}

static void what_is_not_carried_out(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128], script[300];
    bx_journal j = sample(&f, own), other;
    put(&f, "j", &j, path);
    assert_int_equal(truncate(path, 200), 0);
    expect_kept(&f, path, "': it is cut off or damaged\n");
    snprintf(script, sizeof script, "sed -i 's/8123/8124/' %s", path);
    put(&f, "j", &j, path);
    ran r = run_shell(script);
    assert_silent(&r);
    expect_kept(&f, path, "': it is cut off or damaged\n");

    other = j;
    other.machine = "/somewhere";
    put(&f, "j", &other, path);
    expect_kept(&f, path, "' is of the machine /somewhere\n  hint: --root '/somewhere'\n");
    other = j;
    other.cpu = "ivbep";
    put(&f, "j", &other, path);
    expect_kept(&f, path, "' is of another CPU: ivbep\n");
    other = j;
    other.owner = bx_owner_self();
    put(&f, "j", &other, path);
    expect_kept(&f, path, " counts still and puts its registers back itself\n  hint: kill ");

    bx_lock lock;
    bx_owner holder;
    put(&f, "j", &j, path);
    assert_int_equal(folder_lock(&f, 0, &lock, &holder), 0);
    expect_kept(&f, path, " uses package 0\n  hint: try again when it has ended\n");
    bx_lock_drop(&lock);

    unlink(path);
    snprintf(script, sizeof script, "mkfifo %s", path);
    r = run_shell(script);
    assert_silent(&r);
    expect_kept(&f, path, "' is not a regular file, or is too large\n");
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    expect_kept(&f, path, "' is not a regular file, or is too large\n");
    rmdir(path);
    r = RUN("restore", "--root", f.root, path);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "/j': No such file or directory\n");
    ran_free(&r);
    folder_end(&f);
}

/* Locks are for packages, but CPUs write. A journal whose CPU and package disagree is not
 * executed. */
static void of_another_package(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n");
    ops[0].package = 1;
    put(&f, "j", &j, path);
    expect_kept(&f, path,
                "MSR_UNC_CBO_0_PERFEVTSEL0 is of package 1 there, but its CPU 0 is of package 0; "
                "nothing is written\n  hint: ");
    ops[0].package = 0;
    put(&f, "j", &j, path);
    ran r = RUN("restore", "--root", f.root, path);
    assert_locked_silent(&r);
    assert_int_equal(held(&f), 0x8123);
    folder_end(&f);
}

static void of_somebody_else(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    put(&f, "j", &j, path);
    assert_int_equal(chmod(path, 0666), 0);
    expect_kept(&f, path, "/j' is not trusted: others can write it (mode 666)\n  hint: if its ");
    assert_int_equal(chmod(path, 0644), 0);
    if (getuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        expect_kept(&f, path, "/j' is not trusted: user 65534 owns it\n  hint: if its ");
    }
    folder_end(&f);
}

/* ---- journals that the lock's file names ---- */

/* Forks a process that names this path in the lock's file and ends with the lock, as after a
 * kill. */
static void end_with_lock(const folder *f, const char *path)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        bx_lock l;
        bx_owner holder;
        _exit(folder_lock(f, 0, &l, &holder) || bx_lock_name_journal(&l, path));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static ran count(const folder *f)
{
    return RUN("stat", "--machine", "host", "--root", f->root, "--helper=", "-e",
               "UNC_CBO_CACHE_LOOKUP:ANY_I", "-o", "/dev/null", "--", "true");
}

static void expect_refused(const folder *f, const char *says)
{
    ran r = count(f);
    assert_int_equal(r.status, 1);
    assert_has(r.err, says);
    ran_free(&r);
    assert_int_equal(held(f), 0x408834);
}

static void expect_counted(const folder *f)
{
    ran r = count(f);
    assert_locked_silent(&r);
}

/* Checks how many packages have a lock file. */
static void expect_lock_files(const folder *f, const char *n)
{
    char script[200];
    snprintf(script, sizeof script,
             "ls %s/boxscore/lock/package-*-%016llx 2>/dev/null | wc -l | tr -d '\\n'",
             getuid() ? "$XDG_RUNTIME_DIR" : "/run",
             (unsigned long long)bx_machine_number(f->root));
    ran r = run_shell(script);
    assert_string_equal(r.out, n);
    ran_free(&r);
}

static void named_by_the_lock(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128], says[BX_MACHINE_PATH + 300];
    bx_journal j = sample(&f, own);
    put(&f, "j", &j, path);
    end_with_lock(&f, path);
    snprintf(says, sizeof says,
             "boxscore: a measurement has ended here without putting its registers back: process "
             "2147483646, EVENT\n  hint: boxscore restore --root '%s' '%s'\n",
             own, path);
    expect_refused(&f, says);
    expect_refused(&f, says); /* the first measurement did not remove the lock's file */
    ran r = RUN("restore", "--root", f.root, path);
    assert_locked_silent(&r);
    assert_int_equal(held(&f), 0x8123);
    expect_lock_files(&f, "0");
    expect_counted(&f);
    expect_lock_files(&f, "0");

    put(&f, "it's", &j, path);
    end_with_lock(&f, path);
    folder_msr(&f, 0, 0x700, 0x408834);
    snprintf(says, sizeof says, "  hint: boxscore restore FILE, with the journal %s\n", path);
    expect_refused(&f, says);
    if (getuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        expect_refused(&f, "boxscore: the last measurement on package 0 may not have put its "
                           "registers back: journal '");
        expect_refused(&f, "/it's' is not trusted: user 65534 owns it\n  hint: its owner "
                           "can restore it: boxscore restore FILE\n");
    }
    unlink(path);
    expect_counted(&f);
    expect_lock_files(&f, "0");
    folder_end(&f);
}

/* A forged path is ignored if its file has nothing of this package's registers. The file is not
 * changed, and it is not opened if opening has effects. */
static void forged_in_the_lock(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128], script[400];
    bx_journal j = sample(&f, own), other = j;
    snprintf(
        script, sizeof script,
        "cd %s; mkdir d; mkfifo p; ln -s /dev/full l; echo text >t; echo boxscore journal 1 >c",
        f.root);
    ran r = run_shell(script);
    assert_silent(&r);
    static const char *const names[] = {"d", "p", "l", "t", "c", "t/x", "absent"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f.root, names[i]);
        end_with_lock(&f, path);
        expect_counted(&f);
    }
    end_with_lock(&f, "relative");
    expect_counted(&f);
    other.boot = "6f3c0c1e-0000-4000-8000-000000000000";
    put(&f, "boot", &other, path);
    end_with_lock(&f, path);
    expect_counted(&f);
    assert_int_equal(access(path, F_OK), 0);
    ops[0].package = 1;
    put(&f, "package", &j, path);
    ops[0].package = 0;
    end_with_lock(&f, path);
    expect_counted(&f);
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    expect_counted(&f);
    expect_lock_files(&f, "0");
    folder_end(&f);
}

/* A measurement with its own journal is killed: the next measurement finds the journal. */
static void killed_with_a_journal(void **state)
{
    (void)state;
    folder f = machine();
    char script[600], says[2 * BX_MACHINE_PATH + 100];
    snprintf(script, sizeof script,
             "cd %s; \"$BOXSCORE\" stat --machine host --root . --helper= --journal own \\\n"
             "  -e UNC_CBO_CACHE_LOOKUP:ANY_I -o /dev/null -- sh -c 'kill -9 $PPID' 2>/dev/null\n"
             "test -s own",
             f.root);
    ran r = run_shell(script);
    assert_int_equal(r.status, 0);
    ran_free(&r);
    char own[BX_MACHINE_PATH];
    bx_machine_path(f.root, own);
    snprintf(says, sizeof says, "  hint: boxscore restore --root '%s' '%s/own'\n", own, own);
    r = count(&f);
    assert_int_equal(r.status, 1);
    assert_has(r.err, says);
    ran_free(&r);
    snprintf(script, sizeof script, "%s/own", f.root);
    r = RUN("restore", "--root", f.root, script);
    assert_locked_silent(&r);
    assert_int_equal(held(&f), 0x408834);
    expect_counted(&f);
    folder_end(&f);
}

/* Runs a script in the folder's run/, which has the default journals. As root, `$U COMMAND` runs as
 * user nobody, who owns the whole folder; else $U is empty. $R is the folder. */
static ran run_in_own_folder(folder *f, const char *script)
{
    char text[2048];
    snprintf(text, sizeof text,
             "R=%s; cd $R/run; chmod 700 .; U=; export XDG_RUNTIME_DIR=$PWD\n"
             "if [ $(id -u) = 0 ]; then chown -R 65534 ..; chmod 755 ..\n"
             "U='setpriv --reuid 65534 --regid 65534 --clear-groups'; fi\n"
             "$U \"$BOXSCORE\" --version >/dev/null || exit 77\n%s",
             f->root, script);
    ran r = run_shell(text);
    if (r.status == 77) {
        ran_free(&r);
        folder_end(f);
        print_message("skipped: nobody cannot run the command from where it was built\n");
        skip();
    }
    return r;
}

/* Other users can write to the folder of journals, or own it. Then restore does not say that there
 * is nothing to put back, and nothing is measured. Runs as a user whose folder can be chosen. */
static void a_folder_of_others(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    folder_text(&f, "/run/boxscore/none", "");
    put(&f, "run/boxscore/a.journal", &j, path);
    static const char script[] =
        "each() { $U \"$BOXSCORE\" restore --root $R >>said 2>&1; echo restore $?\n"
        "  for o in --force '--journal other'; do $U \"$BOXSCORE\" stat --machine host --root $R "
        "$o \\\n"
        "    --helper= -e UNC_CBO_CACHE_LOOKUP:ANY_I -- true >>said 2>&1; echo stat $?; done\n"
        "  $U \"$BOXSCORE\" doctor --root $R | grep -A2 '^left over' | grep -c 'not trusted\\|->'\n"
        "  ls boxscore; }\n"
        "umask 0; : >said; chmod 777 boxscore; each; chmod 775 boxscore; each\n"
        "if [ \"$U\" ]; then chmod 755 boxscore; chown 1 boxscore; each; else each; fi\n"
        "grep -c 'is not trusted: user ' said; grep -c 'hint: check its contents; ' said\n"
        "grep 'nothing to put back' said; exit 0";
    ran r = run_in_own_folder(&f, script);
    static const char one[] = "restore 1\nstat 1\nstat 1\n2\na.journal\nnone\n";
    char all[256];
    snprintf(all, sizeof all, "%s%s%s9\n9\n", one, one, one);
    assert_string_equal(r.out, all);
    ran_free(&r);
    assert_int_equal(held(&f), 0x408834);
    folder_end(&f);
}

/* A process was killed while it wrote a journal. Its file is never taken for a journal, and the
 * next measurement removes it, unless the writer is alive. */
static void unfinished_journals(void **state)
{
    (void)state;
    folder f = machine();
    folder_text(&f, "/run/boxscore/1-0.journal.new", "boxscore jour");
    folder_text(&f, "/run/boxscore/2-0.journal.new-abcdef", "boxscore jour");
    folder_text(&f, "/run/boxscore/3-0.journal.new-locked", "boxscore jour");
    folder_text(&f, "/run/boxscore/other.new", "");
    static const char script[] =
        "exec 9<boxscore/3-0.journal.new-locked; flock 9\n"
        "$U \"$BOXSCORE\" restore --root $R\n"
        "$U \"$BOXSCORE\" stat --machine host --root $R --helper= --force \\\n"
        "  -e UNC_CBO_CACHE_LOOKUP:ANY_I -- true >/dev/null 2>&1; ls boxscore";
    ran r = run_in_own_folder(&f, script);
    assert_string_equal(r.out, "nothing to put back\n3-0.journal.new-locked\nlock\nother.new\n");
    ran_free(&r);
    folder_end(&f);
}

/* A register that cannot be written is named; the others are restored. The whole journal remains,
 * because another try may have to stop and start what was restored. */
static void what_is_left(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    folder_msr(&f, 0, 0x1a0, 1);
    j.n = 2;
    put(&f, "j", &j, path);
    ran r = RUN("restore", "--root", f.root, path);
    assert_int_equal(r.status, 1);
    assert_has(r.out, "1 registers are as before process ");
    assert_has(r.err, "boxscore: IA32_MISC_ENABLE (0x1a0, package 0) is not put back: it is not a "
                      "monitoring register of this CPU, or reserved bits would change\n");
    assert_has(r.err, "boxscore: 1 register is not as before; '");
    ran_free(&r);
    assert_int_equal(held(&f), 0x8123);
    assert_int_equal(folder_get(&f, "/dev/cpu/0/msr", 0x1a0), 1);
    bx_arena arena = {0};
    assert_int_equal(bx_journal_read(path, &arena, &j, NULL), BX_OK);
    assert_int_equal(j.n, 2);
    bx_arena_free(&arena);
    folder_end(&f);
}

static void nothing_to_do(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    j.boot = "00000000-0000-4000-8000-0123456789ab";
    put(&f, "j", &j, path);
    ran r = RUN("restore", "--root", f.root, path);
    assert_string_equal(r.out, "nothing to put back: the machine was started anew since\n");
    assert_silent(&r);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(held(&f), 0x408834);
    folder_text(&f, "/j", "");
    r = RUN("restore", "--root", f.root, path);
    assert_string_equal(r.out, "nothing to put back\n");
    assert_silent(&r);
    folder_end(&f);
}

/* Without FILE, the folder's journals are restored, the latest first. Other users' journals are
 * mentioned, and damaged ones do not prevent the others. Runs as a user whose folder can be
 * chosen. */
static void all_journals(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    snprintf(path, sizeof path, "%s/run/boxscore", f.root);
    folder_text(&f, "/run/boxscore/d.journal", "nonsense\n");
    put(&f, "run/boxscore/a.journal", &j, path);
    ops[0].value = 0x8111; /* older: restored after the other */
    put(&f, "run/boxscore/b.journal", &j, path);
    ops[0].value = 0x8123;
    j.machine = "/somewhere";
    put(&f, "run/boxscore/c.journal", &j, path);
    static const char script[] = "touch -d '1 hour ago' boxscore/b.journal\n"
                                 "$U \"$BOXSCORE\" restore --root $R; echo $?; ls boxscore";
    ran r = run_in_own_folder(&f, script);
    assert_has(r.out, "0x408834 -> 0x8123\n");
    assert_has(r.out, "0x8123 -> 0x8111\n");
    assert_has(r.out, "\n1\nc.journal\nd.journal\n");
    assert_has(r.err, "/d.journal': it is cut off or damaged\n");
    assert_has(r.err, "/c.journal' is of the machine /somewhere\n");
    ran_free(&r);
    assert_int_equal(held(&f), 0x8111);
    folder_end(&f);
}

/* Texts in a journal that are escape sequences of a terminal. */
static void texts_for_a_terminal(void **state)
{
    (void)state;
    folder f = machine();
    char own[BX_MACHINE_PATH], path[128];
    bx_journal j = sample(&f, own);
    bx_journal_op op = ops[0];
    op.name = "MSR\033[2J\rX\xc2\x9b";
    j.ops = &op;
    put(&f, "j", &j, path);
    ran r = RUN("restore", "-n", "--root", f.root, path);
    assert_string_equal(r.out, "MSR?[2J?X?? (0x700, package 0): 0x408834 -> 0x8123\n"
                               "1 of 1 registers would change; nothing is written\n");
    assert_locked_silent(&r);
    j.machine = "/some\033[2Jwhere";
    put(&f, "j", &j, path);
    r = RUN("restore", "-n", "--root", f.root, path);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "is of the machine /some?[2Jwhere\n");
    assert_null(strchr(r.err, '\033'));
    ran_free(&r);
    op.name = "MSR\nforged: 1 of 1 registers put back";
    j.machine = own;
    put(&f, "j", &j, path);
    r = RUN("restore", "-n", "--root", f.root, path);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_null(strstr(r.err, "forged"));
    ran_free(&r);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_back),
        cmocka_unit_test(what_is_not_carried_out),
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(all_journals),
        cmocka_unit_test(of_another_package),
        cmocka_unit_test(of_somebody_else),
        cmocka_unit_test(a_folder_of_others),
        cmocka_unit_test(unfinished_journals),
        cmocka_unit_test(texts_for_a_terminal),
        cmocka_unit_test(named_by_the_lock),
        cmocka_unit_test(forged_in_the_lock),
        cmocka_unit_test(killed_with_a_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
