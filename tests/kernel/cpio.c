/* Implements cpio.h: writes the guest's initrd. */
#include "cpio.h"

#include "../cmocked.h"

#include <string.h>
#include <sys/stat.h>

static void pad(FILE *to)
{
    while (ftell(to) % 4)
        fputc(0, to);
}

static void header(FILE *to, const char *name, unsigned mode, unsigned long size)
{
    pad(to);
    /* inode, mode, uid, gid, links, time, size, four device numbers, length of the name,
     * checksum */
    fprintf(to, "070701%08lx%08x%08x%08x%08x%08x%08lx%08x%08x%08x%08x%08zx%08x", ftell(to), mode, 0,
            0, 1, 0, size, 0, 0, 0, 0, strlen(name) + 1, 0);
    fwrite(name, strlen(name) + 1, 1, to);
    pad(to);
}

void cpio_folder(FILE *to, const char *name)
{
    header(to, name, S_IFDIR | 0755, 0);
}

void cpio_file(FILE *to, const char *name, const char *from)
{
    struct stat s;
    FILE *f = fopen(from, "r");
    if (!f || fstat(fileno(f), &s))
        fail_msg("%s cannot be read", from);
    header(to, name, S_IFREG | 0755, (unsigned long)s.st_size);
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        fwrite(part, n, 1, to);
    fclose(f);
}

void cpio_end(FILE *to)
{
    header(to, "TRAILER!!!", 0, 0);
    pad(to);
}
