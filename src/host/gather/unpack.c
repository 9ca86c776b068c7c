/* Unpacks an archive into a folder, and removes such a folder. */
#include "host/gather/archive.h"

#include "host/system/file.h"
#include "host/bus/gathered_registers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, MOST_FILES = 100000 };

static const char first_line[] = "# boxscore machine 1\n";

bool bx_archive_is(const char *path)
{
    char bytes[sizeof first_line - 1];
    bx_str read = bx_file_read("", path, bytes, sizeof bytes);
    return bx_str_eq(read, BX_STR(first_line));
}

/* An archive being unpacked. */
typedef struct unpacker {
    const char *path;
    const char *root;
    unsigned long line;
    unsigned long files;
    int fd;      /* the file being written; -1: none yet */
    bx_str file; /* its path */
    bx_buf registers;
    bx_error *e;
} unpacker;

static int refuse_archive(const unpacker *u, const char *what)
{
    return bx_fail(u->e, BX_BAD_INPUT, 0, 0, "'%.100s', line %lu: %s", u->path, u->line, what);
}

static int failed(const unpacker *u, int err)
{
    if (err == ENOMEM)
        return bx_out_of_memory(u->e);
    return bx_fail(u->e, BX_SYSTEM, 0, 0, "'%.100s' cannot be unpacked to '%.60s': %s", u->path,
                   u->root, strerror(err));
}

/* A path that an archive may have: in /proc, /sys or /dev, of plain characters, without "..". */
static bool is_ours(bx_str path)
{
    static const char *const folders[] = {"/proc/", "/sys/", "/dev/cpu/", "/dev/mem"};
    bool known = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        known |= bx_str_starts_fold(path, bx_str_of(folders[i]));
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        bool plain = bx_is_letter(c) || bx_is_digit(c) || strchr("/-.:,+", c);
        if (!c || !plain || (c == '.' && i && path.p[i - 1] == '.') ||
            (c == '/' && i && path.p[i - 1] == '/'))
            return false;
    }
    return known && path.n < 200 && path.p[path.n - 1] != '/';
}

static int open_file(unpacker *u, bx_str path)
{
    char name[512];
    if (u->fd >= 0)
        close(u->fd);
    u->fd = -1;
    if (!is_ours(path))
        return refuse_archive(u, "this is no file of a machine");
    if (u->files++ >= MOST_FILES)
        return refuse_archive(u, "there are too many files");
    size_t begin = strlen(u->root);
    snprintf(name, sizeof name, "%.300s%.*s", u->root, (int)path.n, path.p);
    for (char *slash = name + begin; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        if (mkdir(name, 0700) && errno != EEXIST)
            return failed(u, errno);
        *slash = '/';
    }
    u->file = path;
    u->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (u->fd < 0 && errno == EEXIST)
        return refuse_archive(u, "the file was there before");
    return u->fd < 0 ? failed(u, errno) : BX_OK;
}

/* Files of PCI devices are also copies with holes: what reads them itself needs no bus. */
static int put_word(const unpacker *u, uint64_t bytes, uint64_t offset, uint64_t value)
{
    enum { LARGEST_COPY = 4 << 20 };
    static const char devices[] = "/sys/bus/pci/devices/";
    if (!bx_str_starts_fold(u->file, BX_STR(devices)) || offset > LARGEST_COPY)
        return BX_OK;
    int err = bx_file_write_at(u->fd, (const char *)&value, bytes, offset);
    return err ? failed(u, err) : BX_OK;
}

/* "4 0x48 0xfed10001": bytes, offset, value. */
static int put_register(unpacker *u, bx_str rest)
{
    uint64_t bytes, offset, value;
    bx_str line = rest;
    if (!bx_str_u64(bx_str_cut(&rest, ' '), &bytes) ||
        !bx_str_u64(bx_str_cut(&rest, ' '), &offset) || !bx_str_u64(rest, &value) || bytes < 1 ||
        bytes > 8 || (bytes & (bytes - 1)) || offset > UINT64_C(1) << 40)
        return refuse_archive(u, "this is no register: = BYTES OFFSET VALUE");
    bx_buf_f(&u->registers, "%.*s %.*s\n", (int)u->file.n, u->file.p, (int)line.n, line.p);
    return u->registers.failed ? bx_out_of_memory(u->e) : put_word(u, bytes, offset, value);
}

static int put_text(const unpacker *u, bx_str line)
{
    char end = '\n';
    int err = bx_file_write(u->fd, line.p, line.n);
    err = err ? err : bx_file_write(u->fd, &end, 1);
    return err ? failed(u, err) : BX_OK;
}

static int take_line(unpacker *u, bx_str line)
{
    if (line.n == 0 || line.p[0] == '#')
        return BX_OK;
    bx_str rest = bx_str_sub(line, 2, line.n);
    bool spaced = line.n > 2 && line.p[1] == ' ';
    if (line.p[0] == '>' && spaced)
        return open_file(u, rest);
    if (u->fd < 0)
        return refuse_archive(u, "'> FILE' comes first");
    if (line.p[0] == '|')
        return put_text(u, bx_str_sub(line, 1, line.n));
    if (line.p[0] == '=' && spaced)
        return put_register(u, rest);
    return refuse_archive(u, "a line begins with '#', '>', '|' or '='");
}

static int write_registers(unpacker *u)
{
    char name[512];
    snprintf(name, sizeof name, "%.300s" BX_UNPACKED_REGISTERS, u->root);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int err = fd < 0 ? errno : bx_file_write(fd, u->registers.p, u->registers.n);
    if (fd >= 0)
        close(fd);
    return err ? failed(u, err) : BX_OK;
}

static int unpack(unpacker *u, bx_str text)
{
    int code = BX_OK;
    while (code == BX_OK && text.p && text.n) {
        bx_str line = bx_str_cut(&text, '\n');
        u->line++;
        code = text.p ? take_line(u, line)
                      : refuse_archive(u, "the file ends in the middle of a line");
    }
    if (u->fd >= 0)
        close(u->fd);
    if (code == BX_OK && u->registers.n)
        code = write_registers(u);
    bx_buf_free(&u->registers);
    return code;
}

char *bx_archive_folder(void)
{
    const char *below = getenv("TMPDIR");
    bx_buf path = {0};
    bx_buf_f(&path, "%s/boxscore-machine-XXXXXX", below && *below ? below : "/tmp");
    if (path.failed || !mkdtemp(path.p)) {
        int err = path.failed ? ENOMEM : errno;
        bx_buf_free(&path);
        errno = err;
        return NULL;
    }
    return path.p;
}

int bx_archive_unpack(const char *path, char **root, bx_error *e)
{
    bx_buf text = bx_file_read_all("", path, LARGEST);
    char *folder = text.failed ? NULL : bx_archive_folder();
    if (!folder) {
        int err = text.failed ? ENOMEM : errno;
        bx_buf_free(&text);
        return err == ENOMEM ? bx_out_of_memory(e)
                             : bx_fail(e, BX_SYSTEM, 0, 0, "no folder to unpack '%.100s' to: %s",
                                       path, strerror(err));
    }
    unpacker u = {.path = path, .root = folder, .fd = -1, .e = e};
    int code = text.n > LARGEST ? refuse_archive(&u, "the file is too large")
                                : unpack(&u, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    if (code == BX_OK) {
        *root = folder;
    } else {
        bx_archive_remove(folder);
        free(folder);
    }
    return code;
}

static bool remove_entry(int folder, const char *name);

/* Removes a folder's contents, as deep as an archive's paths are. It makes only system calls,
 * because it may run in a signal handler. A file system may skip entries while others are removed,
 * so the folder is read until nothing is left to remove. */
static void empty_folder(int folder)
{
    _Alignas(struct dirent64) char bytes[4096];
    bool any = true;
    while (any) {
        any = false;
        lseek(folder, 0, SEEK_SET);
        for (ssize_t n; (n = getdents64(folder, bytes, sizeof bytes)) > 0;)
            for (ssize_t at = 0; at < n;) {
                const struct dirent64 *d = (const struct dirent64 *)(const void *)(bytes + at);
                at += d->d_reclen;
                any |= remove_entry(folder, d->d_name);
            }
    }
}

/* true: the entry existed, and is removed. */
static bool remove_entry(int folder, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (unlinkat(folder, name, 0) == 0)
        return true;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    empty_folder(fd);
    close(fd);
    return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

void bx_archive_remove(const char *root)
{
    remove_entry(AT_FDCWD, root);
}
