/* A file's time of change (st_ctime) cannot be set, unlike that of modification: inode(7). Linux
 * takes it from a clock that stands still for up to 10 ms, CLOCK_REALTIME_COARSE: two changes may
 * have one time. */
#include "host/imported/checked.h"

#include "host/system/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 1100, WAITS = 100 };

typedef struct record {
    char magic[8];
    uint64_t device, inode, size, seconds, nanoseconds;
    bx_catalog_header builtin;
} record;

static record record_of(const struct stat *is, const struct bx_catalog *builtin)
{
    record r;
    memset(&r, 0, sizeof r); /* with what lies between members: it is compared whole */
    memcpy(r.magic, "BXCHECK1", sizeof r.magic);
    r.device = is->st_dev;
    r.inode = is->st_ino;
    r.size = (uint64_t)is->st_size;
    r.seconds = (uint64_t)is->st_ctim.tv_sec;
    r.nanoseconds = (uint64_t)is->st_ctim.tv_nsec;
    memcpy(&r.builtin, builtin, sizeof r.builtin);
    return r;
}

static bool path_of(const char *catalog, char to[PATH])
{
    return snprintf(to, PATH, "%s.checked", catalog) < (int)PATH;
}

bool bx_checked_before(const char *path, const struct stat *is, const struct bx_catalog *builtin)
{
    char beside[PATH];
    struct stat of_record;
    record then, now = record_of(is, builtin);
    int fd =
        path_of(path, beside) ? open(beside, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    bool own = fstat(fd, &of_record) == 0 && S_ISREG(of_record.st_mode) &&
               of_record.st_uid == is->st_uid && !(of_record.st_mode & (S_IWGRP | S_IWOTH));
    bool equal = own && read(fd, &then, sizeof then) == (ssize_t)sizeof then &&
                 memcmp(&then, &now, sizeof now) == 0;
    close(fd);
    return equal;
}

bool bx_checked_begin(const struct stat *is)
{
    for (int i = 0; i < WAITS; i++) {
        struct timespec now;
        if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0)
            return false;
        if (now.tv_sec > is->st_ctim.tv_sec ||
            (now.tv_sec == is->st_ctim.tv_sec && now.tv_nsec > is->st_ctim.tv_nsec))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

void bx_checked_keep(const char *path, const struct stat *is, const struct bx_catalog *builtin)
{
    char beside[PATH];
    record r = record_of(is, builtin);
    bx_checked_forget(path);
    int fd = path_of(path, beside)
                 ? open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)
                 : -1;
    if (fd < 0)
        return;
    if (bx_file_write(fd, (const char *)&r, sizeof r) != 0)
        bx_checked_forget(path);
    close(fd);
}

void bx_checked_forget(const char *path)
{
    char beside[PATH];
    if (path_of(path, beside))
        unlink(beside);
}
