/* The name and the build id of a file that was mapped. */
#include "file_names.h"

#include "build_id.h"
#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { TEXT = 4096 };

/* Whether the file's bytes from `from` on are readable memory there. */
static Bool is_there(ULong from, ULong n, ULong bytes)
{
    return from <= bytes && n <= bytes - from;
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
            bx_build_id_find((const UChar *)(file + p->p_offset), p->p_filesz, to))
            return;
    }
    VG_(strcpy)(to, "-");
}

void bx_name_file(ThreadId tid, Addr at, ULong bytes)
{
    static HChar text[TEXT], id[BX_BUILD_ID_TEXT];
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
