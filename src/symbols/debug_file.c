#include "symbols/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A search for one binary's file. */
typedef struct debug_search {
    const char *path, *build_id;
    bool by_link; /* the files are named by .gnu_debuglink, … */
    uint32_t crc; /* … which has this checksum of them */
    bx_buf *to, *refused;
} debug_search;

void bx_debug_file_refuse(bx_buf *refused, const char *path, const char *why)
{
    bx_buf_f(refused, "%s%s: %s", refused->n ? "\n" : "", path, why);
}

/* The CRC of zlib, as GDB's manual has it. */
static bool has_crc(const char *path, uint32_t wanted)
{
    unsigned char bytes[1 << 14];
    uint32_t crc = UINT32_MAX;
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            crc ^= bytes[i];
            for (unsigned bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    if (fd >= 0)
        close(fd);
    return n == 0 && (crc ^ UINT32_MAX) == wanted;
}

/* Opens the file whose name is in s->to. The binary itself may be named so, too. */
static bx_elf_file *try_file(const debug_search *s)
{
    const char *why = NULL;
    if (s->to->failed || access(s->to->p, F_OK) != 0 || strcmp(s->to->p, s->path) == 0)
        return NULL;
    bx_elf_file *f = bx_elf_open(s->to->p, s->build_id, &why);
    if (f && s->by_link && !*s->build_id && !has_crc(s->to->p, s->crc)) {
        bx_elf_close(f);
        f = NULL;
        why = "it has another checksum";
    }
    if (!f)
        bx_debug_file_refuse(s->refused, s->to->p, why);
    return f;
}

static bx_elf_file *try_build_id(debug_search *s, const char *folder)
{
    if (strlen(s->build_id) < 3)
        return NULL;
    s->to->n = 0;
    bx_buf_f(s->to, "%s/.build-id/%.2s/%s.debug", folder, s->build_id, s->build_id + 2);
    return try_file(s);
}

/* FOLDER + the binary's folder, or FOLDER alone, and NAME. */
static bx_elf_file *try_name(debug_search *s, const char *folder, bool with_folder,
                             const char *between, const char *name)
{
    const char *slash = strrchr(s->path, '/');
    s->to->n = 0;
    bx_buf_f(s->to, "%s%.*s/%s%s", folder, with_folder && slash ? (int)(slash - s->path) : 0,
             s->path, between, name);
    return try_file(s);
}

/* DIR/.build-id, DIR/FOLDER/NAME, DIR/NAME, and NAME may be the binary's own. */
static bx_elf_file *try_folder(debug_search *s, const char *folder, const char *link)
{
    const char *slash = strrchr(s->path, '/'), *own = slash ? slash + 1 : s->path;
    bx_elf_file *f = try_build_id(s, folder);
    for (unsigned i = 0; i < 4 && !f; i++) {
        const char *name = i < 2 ? link : own;
        s->by_link = i < 2;
        if (name && (s->by_link || *s->build_id))
            f = try_name(s, folder, i % 2 == 0, "", name);
    }
    s->by_link = true;
    return f;
}

bx_elf_file *bx_debug_file_open(const bx_elf_file *of, const char *path, const char *build_id,
                                const char *folder, bx_buf *to, bx_buf *refused)
{
    static const char usual[] = "/usr/lib/debug";
    debug_search s = {
        .path = path, .build_id = build_id, .by_link = true, .to = to, .refused = refused};
    const char *link = bx_elf_debug_link(of, &s.crc);
    bx_elf_file *f = folder ? try_folder(&s, folder, link) : NULL;
    if (!f)
        f = try_build_id(&s, usual);
    if (!f && link)
        f = try_name(&s, "", true, "", link);
    if (!f && link)
        f = try_name(&s, "", true, ".debug/", link);
    return f || !link ? f : try_name(&s, usual, true, "", link);
}
