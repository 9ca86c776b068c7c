#include "symbols/binary_names.h"

#include "symbols/debug_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bx_binary_names {
    bx_elf_file *elf, *separate; /* separate: NULL: there is none */
    bx_debug_info *info;         /* NULL: there is none, or it cannot be read */
};

/* ---- files ---- */

/* The path of a binary in the user's folder, as it was recorded or by its last name. */
static bx_elf_file *open_in_folder(const char *folder, const char *path, const char *build_id,
                                   bx_buf *found, bx_buf *refused)
{
    const char *slash = strrchr(path, '/');
    for (unsigned i = 0; i < 2 && *build_id; i++) {
        const char *why = NULL;
        found->n = 0;
        bx_buf_f(found, "%s/%s", folder, i || !slash ? (slash ? slash + 1 : path) : path + 1);
        if (found->failed || access(found->p, F_OK) != 0)
            continue;
        bx_elf_file *f = bx_elf_open(found->p, build_id, &why);
        if (f)
            return f;
        bx_debug_file_refuse(refused, found->p, why);
    }
    return NULL;
}

static bx_elf_file *open_binary(const bx_names_from *from, const char *path, const char *build_id,
                                bx_buf *found, bx_buf *refused)
{
    const char *why = NULL;
    bx_elf_file *f = bx_elf_open(path, build_id, &why);
    bx_buf_z(found, path);
    if (!f && from->folder)
        f = open_in_folder(from->folder, path, build_id, found, refused);
    if (!f)
        bx_debug_file_refuse(refused, path, why);
    return f;
}

static void open_debug_info(bx_binary_names *b, const bx_names_from *from, const char *binary,
                            const char *separate)
{
    bool has = b->separate && bx_elf_has_debug_info(b->separate);
    const char *path = has ? separate : bx_elf_has_debug_info(b->elf) ? binary : NULL;
    int fd = from->libdw && path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        b->info = bx_debug_info_open(from->libdw, fd);
}

bx_binary_names *bx_binary_names_open(const bx_names_from *from, const char *path,
                                      const char *build_id, bx_buf *refused)
{
    bx_buf binary = {0}, separate = {0};
    bx_binary_names *b = calloc(1, sizeof *b);
    if (b)
        b->elf = open_binary(from, path, build_id, &binary, refused);
    else
        bx_buf_fail(refused);
    if (!b || !b->elf) {
        free(b);
        bx_buf_free(&binary);
        return NULL;
    }
    if (bx_elf_is_stripped(b->elf) || !bx_elf_has_debug_info(b->elf))
        b->separate =
            bx_debug_file_open(b->elf, binary.p, build_id, from->folder, &separate, refused);
    open_debug_info(b, from, binary.p, separate.p);
    bx_buf_free(&binary);
    bx_buf_free(&separate);
    return b;
}

void bx_binary_names_close(bx_binary_names *b)
{
    if (!b)
        return;
    bx_debug_info_close(b->info);
    bx_elf_close(b->separate);
    bx_elf_close(b->elf);
    free(b);
}

/* ---- addresses ---- */

bool bx_binary_names_address(const bx_binary_names *b, uint64_t offset, uint64_t *address)
{
    return bx_elf_address(b->elf, offset, address);
}

size_t bx_binary_names_at(bx_binary_names *b, uint64_t address, bx_source_frame *to, size_t most)
{
    const char *symbol = bx_elf_function(b->elf, address);
    if (b->separate && bx_elf_is_stripped(b->elf)) { /* it has more symbols */
        const char *other = bx_elf_function(b->separate, address);
        symbol = other ? other : symbol;
    }
    size_t n = b->info ? bx_debug_info_at(b->info, address, to, most) : 0;
    if (!n && symbol && most)
        to[n++] = (bx_source_frame){0};
    /* the symbol's: it tells copies of a function apart */
    if (n && symbol && !to[n - 1].linkage) {
        to[n - 1].function = symbol;
        to[n - 1].linkage = true;
    }
    return n;
}
