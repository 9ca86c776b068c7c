/* Landlock: a process without rights opens, makes and removes no file. Files that it has open
 * remain usable. In a kernel without Landlock nothing changes. */
#include "../cmocked.h"

#include "sealed_child.h"

#include "helper/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_landlock(void)
{
    const unsigned long ask_version = 1; /* LANDLOCK_CREATE_RULESET_VERSION */
    return syscall(SYS_landlock_create_ruleset, NULL, 0UL, ask_version) > 0;
}

/* Whether a call was refused if it should be, and succeeded otherwise. */
static bool is_right(long result, bool refused)
{
    return refused ? result < 0 && errno == EACCES : result >= 0;
}

/* Exit status: 0, or the number of the expectation that failed. */
static int without_rights(int file, const char *path, const char *further)
{
    const bool refused = has_landlock();
    char bytes[8] = "journal";
    bx_error e = {0};
    int n = 0;
    HOLDS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    HOLDS(bx_rights_drop(getuid(), getgid(), &e) == BX_OK);
    HOLDS(pwrite(file, bytes, sizeof bytes, 0) == sizeof bytes);
    HOLDS(ftruncate(file, 3) == 0);
    HOLDS(pread(file, bytes, sizeof bytes, 0) == 3);
    HOLDS(is_right(open(path, O_RDONLY | O_CLOEXEC), refused));
    HOLDS(is_right(open(path, O_WRONLY | O_CLOEXEC), refused));
    HOLDS(is_right(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), refused));
    HOLDS(is_right(mkdir(further, 0700), refused));
    HOLDS(is_right(unlink(path), refused));
    return 0;
}

static void no_file_is_opened(void **state)
{
    (void)state;
    char path[] = "/tmp/boxscore-landlock-XXXXXX", further[64];
    int file = mkstemp(path), status;
    assert_true(file >= 0);
    snprintf(further, sizeof further, "%s.d", path);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(without_rights(file, path, further));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(unlink(path), has_landlock() ? 0 : -1);
    rmdir(further);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_file_is_opened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
