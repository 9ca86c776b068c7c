#include "host/system/flock_taker.h"

#include "base/str.h"

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

/* "1: FLOCK  ADVISORY  WRITE 4711 00:19:1234 0 EOF"; one that waits has "->" before FLOCK. */
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

pid_t bx_flock_taker(int fd)
{
    struct stat about;
    char file[64], line[256];
    uint64_t pid;
    pid_t taker = 0;
    FILE *f = fstat(fd, &about) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (!f)
        return -1;
    snprintf(file, sizeof file, "%02x:%02x:%llu", major(about.st_dev), minor(about.st_dev),
             (unsigned long long)about.st_ino);
    while (taker == 0 && fgets(line, sizeof line, f))
        if (is_taker(line, file, &pid))
            taker = (pid_t)pid;
    fclose(f);
    return taker;
}
