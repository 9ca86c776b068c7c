/* The seccomp filter: a process can serve and write its journal, but nothing else. */
#include "../cmocked.h"

#include "sealed_child.h"

#include "helper/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status: 0, or the number of the expectation that failed. The process cannot report in
 * another way. */
static int sealed(int journal, int other)
{
    bx_error e = {0};
    struct stat about;
    char bytes[8] = "journal";
    int n = 0;
#define REFUSED(call) HOLDS((call) == -1 && errno == EPERM)
    HOLDS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    HOLDS(bx_rights_seal(journal, &e) == BX_OK);
    HOLDS(pwrite(journal, bytes, sizeof bytes, 0) == sizeof bytes);
    HOLDS(fsync(journal) == 0);
    HOLDS(ftruncate(journal, 3) == 0);
    HOLDS(pread(journal, bytes, sizeof bytes, 0) == 3);
    HOLDS(pwrite(other, bytes, sizeof bytes, 0) == sizeof bytes); /* like a device or a lock */
    HOLDS(flock(other, LOCK_EX | LOCK_NB) == 0);
    HOLDS(fstat(other, &about) == 0 && about.st_nlink == 0);
    HOLDS(flock(other, LOCK_UN) == 0);
    REFUSED(ftruncate(other, 0));
    REFUSED(fsync(other));
    REFUSED(write(other, bytes, 1));
    REFUSED(open("/dev/null", O_RDONLY));
    REFUSED(unlink("/tmp/none"));
    REFUSED(chmod("/tmp/none", 0));
    REFUSED(fchmod(journal, 0666));
    REFUSED(dup(other));
    REFUSED(fork());
    REFUSED(execl("/bin/true", "true", (char *)NULL));
    REFUSED(kill(getpid(), 0));
    REFUSED(setuid(0));
    REFUSED(socket(AF_INET, SOCK_STREAM, 0));
    REFUSED(socket(AF_NETLINK, SOCK_RAW, 0));
    REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
    HOLDS(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
              MAP_FAILED &&
          errno == EPERM);
    return 0;
}

static void what_is_left(void **state)
{
    (void)state;
    char one[] = "/tmp/boxscore-sealed-XXXXXX", two[] = "/tmp/boxscore-sealed-XXXXXX";
    int journal = mkstemp(one), other = mkstemp(two), status;
    assert_true(journal >= 0 && other >= 0);
    unlink(one);
    unlink(two);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(sealed(journal, other));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(journal);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
