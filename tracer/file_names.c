/* The name and the build id of a file that was mapped. */
#include "file_names.h"

#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

#include <elf.h>

enum { ID_MOST = 64, TEXT = 4096 };

/* Whether the file's bytes from `from` on are readable memory there. */
static Bool is_there(ULong from, ULong n, ULong bytes)
{
    return from <= bytes && n <= bytes - from;
}

/* The build id in the notes of a segment, as text: readelf(1) -n shows it. */
static Bool find_id(Addr notes, ULong bytes, HChar *to)
{
    ULong at = 0;
    while (at + sizeof(Elf64_Nhdr) <= bytes) {
        const Elf64_Nhdr *n = (const Elf64_Nhdr *)(notes + at);
        ULong name = at + sizeof *n, id = name + (n->n_namesz + 3) / 4 * 4;
        if (id + n->n_descsz > bytes || n->n_namesz > bytes)
            return False;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= ID_MOST &&
            VG_(memcmp)((const void *)(notes + name), "GNU", 4) == 0) {
            for (UInt i = 0; i < n->n_descsz; i++)
                VG_(sprintf)(to + 2 * i, "%02x", ((const UChar *)(notes + id))[i]);
            return n->n_descsz > 0;
        }
        at = id + (n->n_descsz + 3) / 4 * 4;
    }
    return False;
}

static void find_build_id(Addr file, ULong bytes, HChar *to)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    for (UInt i = 0; i < head->e_phnum; i++) {
        ULong at = head->e_phoff + (ULong)i * sizeof(Elf64_Phdr);
        if (!is_there(at, sizeof(Elf64_Phdr), bytes))
            break;
        const Elf64_Phdr *p = (const Elf64_Phdr *)(file + at);
        if (p->p_type == PT_NOTE && is_there(p->p_offset, p->p_filesz, bytes) &&
            find_id(file + p->p_offset, p->p_filesz, to))
            return;
    }
    VG_(strcpy)(to, "-");
}

void bx_name_file(ThreadId tid, Addr at, ULong bytes)
{
    static HChar text[TEXT], id[2 * ID_MOST + 1];
    const NSegment *s = VG_(am_find_nsegment)(at);
    const HChar *path = s && s->kind == SkFileC && s->hasR ? VG_(am_get_filename)(s) : NULL;
    if (!path || bytes < sizeof(Elf64_Ehdr) ||
        VG_(memcmp)((const void *)at, ELFMAG, SELFMAG) != 0 ||
        ((const Elf64_Ehdr *)at)->e_ident[EI_CLASS] != ELFCLASS64)
        return;
    find_build_id(at, bytes, id);
    VG_(snprintf)(text, sizeof text, "%s %s", id, path);
    bx_record_path(tid, BX_TRACE_NAME, 0, text);
}
