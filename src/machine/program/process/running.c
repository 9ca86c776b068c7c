/* The states of a process's threads, as /proc tells them. */
#include "machine/program/process/running.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* proc(5): "NUMBER (NAME) STATE …"; the name may have any characters. R: running or runnable;
 * D: for a page or a lock of the kernel. Who waits in a system call is S. */
static bool thread_runs(int folder, const char *thread)
{
    char path[64], text[128] = "";
    snprintf(path, sizeof path, "%.32s/stat", thread);
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && (strncmp(name_end, ") R", 3) == 0 || strncmp(name_end, ") D", 3) == 0);
}

bool bx_process_runs(pid_t pid)
{
    char path[64];
    bool runs = false;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *threads = opendir(path);
    if (!threads)
        return false;
    for (const struct dirent *d; !runs && (d = readdir(threads));)
        runs = isdigit((unsigned char)d->d_name[0]) && thread_runs(dirfd(threads), d->d_name);
    closedir(threads);
    return runs;
}
