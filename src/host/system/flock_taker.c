/* Searches /proc/locks and the fdinfo of a process for a lock. */
#include "host/system/flock_taker.h"

#include "base/str.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The next word; proc_locks(5) has several blanks between them. */
static bx_str word(bx_str *rest)
{
    bx_str s = {0};
    while (rest->p && s.n == 0)
        s = bx_str_cut(rest, ' ');
    return s;
}

/* "1: FLOCK  ADVISORY  WRITE 4711 00:19:1234 0 EOF"; a waiting lock has "->" before FLOCK. */
static bool is_taker(const char *line, const char *file, uint64_t *pid)
{
    bx_str rest = bx_str_of(line);
    word(&rest);
    bool exclusive = bx_str_eq(word(&rest), BX_STR("FLOCK"));
    word(&rest);
    exclusive &= bx_str_eq(word(&rest), BX_STR("WRITE"));
    return exclusive && bx_str_u64(word(&rest), pid) && *pid <= INT32_MAX &&
           bx_str_eq(word(&rest), bx_str_of(file));
}

/* Writes the file's name as the kernel has it in lines of locks. false: it cannot be found. */
static bool name_file(int fd, char to[64])
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return false;
    snprintf(to, 64, "%02x:%02x:%llu", major(about.st_dev), minor(about.st_dev),
             (unsigned long long)about.st_ino);
    return true;
}

pid_t bx_flock_taker(int fd)
{
    char file[64], line[256];
    uint64_t pid;
    pid_t taker = 0;
    FILE *f = name_file(fd, file) ? fopen("/proc/locks", "re") : NULL;
    if (!f)
        return -1;
    while (taker == 0 && fgets(line, sizeof line, f))
        if (is_taker(line, file, &pid))
            taker = (pid_t)pid;
    fclose(f);
    return taker;
}

/* Whether the descriptor has the lock. The lines "lock:" of /proc/PID/fdinfo/FD are about the open
 * file behind the descriptor. */
static bool descriptor_has(const char *path, const char *file, pid_t taker)
{
    static const char lock[] = "lock:\t";
    char line[256];
    uint64_t pid;
    bool has = false;
    FILE *f = fopen(path, "re");
    while (f && !has && fgets(line, sizeof line, f))
        has = strncmp(line, lock, sizeof lock - 1) == 0 &&
              is_taker(line + sizeof lock - 1, file, &pid) && (pid_t)pid == taker;
    if (f)
        fclose(f);
    return has;
}

bool bx_flock_is_held_by(int fd, pid_t pid)
{
    char file[64], path[300];
    bool held = false;
    snprintf(path, sizeof path, "/proc/%d/fdinfo", (int)pid);
    DIR *all = name_file(fd, file) ? opendir(path) : NULL;
    for (struct dirent *d; all && !held && (d = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%d/fdinfo/%s", (int)pid, d->d_name);
        held = descriptor_has(path, file, pid);
    }
    if (all)
        closedir(all);
    return held;
}
