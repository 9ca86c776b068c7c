/* Each test program must close what its tests have opened: a library that leaves descriptors open
 * takes them from the program that uses it. tests/meson.build has each program call this function
 * in place of cmocka's. */
#include "cmocked.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1024 };

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

static void find_open(bool open[MOST])
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return;
    for (struct dirent *d; (d = readdir(folder));) {
        int fd = d->d_name[0] == '.' ? dirfd(folder) : atoi(d->d_name);
        if (fd != dirfd(folder) && fd < MOST)
            open[fd] = true;
    }
    closedir(folder);
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    bool before[MOST] = {false}, after[MOST] = {false};
    find_open(before);
    int failed = __real__cmocka_run_group_tests(name, tests, n, setup, teardown);
    find_open(after);
    for (int fd = 0; fd < MOST; fd++) {
        char link[32], file[256];
        if (!after[fd] || before[fd])
            continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, file, sizeof file - 1);
        file[length < 0 ? 0 : length] = '\0';
        fprintf(stderr, "left open: descriptor %d, %s\n", fd, file);
        failed++;
    }
    return failed;
}
