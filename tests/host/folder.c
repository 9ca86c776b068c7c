/* Implements folder.h. */
#include "host/folder.h"

#include "../cmocked.h"

#include "guard/journal.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

folder folder_new(void)
{
    folder f = {"/tmp/boxscore-access-XXXXXX"};
    assert_non_null(mkdtemp(f.root));
    return f;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)about;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void folder_end(folder *f)
{
    assert_int_equal(nftw(f->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

folder working;

int folder_enter(void **state)
{
    (void)state;
    working = folder_new();
    return chdir(working.root);
}

int folder_leave(void **state)
{
    (void)state;
    folder_end(&working);
    return chdir("/");
}

static int open_file(const folder *f, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", f->root, file);
    for (char *slash = path + strlen(f->root); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    return fd;
}

void folder_put(const folder *f, const char *file, uint64_t offset, const void *bytes, size_t n)
{
    int fd = open_file(f, file);
    assert_int_equal(pwrite(fd, bytes, n, (off_t)offset), n);
    close(fd);
}

void folder_text(const folder *f, const char *file, const char *text)
{
    folder_put(f, file, 0, text, strlen(text));
}

void folder_msr(const folder *f, unsigned cpu, uint32_t msr, uint64_t value)
{
    char file[64];
    snprintf(file, sizeof file, "/dev/cpu/%u/msr", cpu);
    folder_put(f, file, msr, &value, sizeof value);
}

uint64_t folder_get(const folder *f, const char *file, uint64_t offset)
{
    uint64_t value;
    int fd = open_file(f, file);
    assert_int_equal(pread(fd, &value, sizeof value, (off_t)offset), sizeof value);
    close(fd);
    return value;
}

int folder_lock(const folder *f, int package, bx_lock *l, bx_owner *holder)
{
    bx_error e = {0};
    if (bx_lock_open(l, bx_machine_number(f->root), package, &e) != BX_OK)
        fail_msg("%s", e.message);
    int err = bx_lock_take(l, holder);
    if (err)
        bx_lock_drop(l);
    return err;
}
