/* Reads ELF files, which may be damaged: elf(5). */
#include "symbols/elf_file.h"

#include "tracer/build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TABLE_MOST = 1 << 30, NOTES_MOST = 1 << 16, LINK_MOST = 4096 };

typedef struct elf_symbol {
    uint64_t address, bytes;
    const char *name;
} elf_symbol;

struct bx_elf_file {
    int fd;
    Elf64_Ehdr head;
    Elf64_Phdr *segment; /* [head.e_phnum] */
    char *names;         /* with a 0 at its end */
    elf_symbol *symbol;  /* [symbols], in the order of their addresses */
    size_t symbols;
    elf_symbol *datum; /* [data]: the same of data */
    size_t data;
    bool static_symbols; /* of .symtab */
    bool has_debug_info;
    char *debug_link; /* the contents of .gnu_debuglink */
    size_t debug_link_bytes;
};

/* Reads a part of the file, and a 0 after it. NULL: it is not there, or there is no memory. */
static void *read_part(const bx_elf_file *f, uint64_t at, uint64_t bytes)
{
    if (bytes > TABLE_MOST || at > INT64_MAX)
        return NULL;
    char *to = calloc(1, bytes + 1);
    for (uint64_t done = 0; to && done < bytes;) {
        ssize_t n = pread(f->fd, to + done, bytes - done, (off_t)(at + done));
        if (n <= 0) {
            free(to);
            return NULL;
        }
        done += (uint64_t)n;
    }
    return to;
}

/* ---- build id ---- */

static bool has_id(const bx_elf_file *f, const char *wanted)
{
    char id[BX_BUILD_ID_TEXT] = "";
    bool found = false;
    for (unsigned i = 0; i < f->head.e_phnum && !found; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        unsigned char *notes = p->p_type == PT_NOTE && p->p_filesz <= NOTES_MOST
                                   ? read_part(f, p->p_offset, p->p_filesz)
                                   : NULL;
        found = notes && bx_build_id_find(notes, p->p_filesz, id);
        free(notes);
    }
    return strcmp(id, wanted) == 0;
}

/* ---- symbols ---- */

static int by_address(const void *a, const void *b)
{
    const elf_symbol *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Whether a symbol names code. Assemblers leave the type out. */
static bool names_code(const bx_elf_file *f, const Elf64_Shdr *sections, const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= f->head.e_shnum)
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC ||
           (type == STT_NOTYPE && ELF64_ST_BIND(s->st_info) == STB_GLOBAL &&
            sections[s->st_shndx].sh_flags & SHF_EXECINSTR);
}

static void take_symbols(bx_elf_file *f, const Elf64_Shdr *sections, const Elf64_Sym *all, size_t n,
                         uint64_t names)
{
    f->symbol = calloc(n + 1, sizeof *f->symbol);
    for (size_t i = 0; f->symbol && i < n; i++) {
        if (names_code(f, sections, &all[i]) && all[i].st_name && all[i].st_name < names)
            f->symbol[f->symbols++] =
                (elf_symbol){all[i].st_value, all[i].st_size, f->names + all[i].st_name};
    }
    f->datum = calloc(n + 1, sizeof *f->datum);
    for (size_t i = 0; f->datum && i < n; i++)
        if (ELF64_ST_TYPE(all[i].st_info) == STT_OBJECT && all[i].st_shndx != SHN_UNDEF &&
            all[i].st_size && all[i].st_name && all[i].st_name < names)
            f->datum[f->data++] =
                (elf_symbol){all[i].st_value, all[i].st_size, f->names + all[i].st_name};
    if (f->data)
        qsort(f->datum, f->data, sizeof *f->datum, by_address);
    for (size_t i = 0; f->names && i < names; i++) /* versions are not part of a name */
        if (f->names[i] == '@')
            f->names[i] = '\0';
    if (f->symbols)
        qsort(f->symbol, f->symbols, sizeof *f->symbol, by_address);
}

static void read_table(bx_elf_file *f, const Elf64_Shdr *sections, const Elf64_Shdr *table)
{
    const Elf64_Shdr *names = table->sh_link < f->head.e_shnum ? &sections[table->sh_link] : NULL;
    Elf64_Sym *all = names ? read_part(f, table->sh_offset, table->sh_size) : NULL;
    f->names = all ? read_part(f, names->sh_offset, names->sh_size) : NULL;
    if (f->names)
        take_symbols(f, sections, all, table->sh_size / sizeof *all, names->sh_size);
    free(all);
}

/* A separate debug file keeps the heads of sections whose contents are not in it. */
static const Elf64_Shdr *table_of_symbols(const Elf64_Shdr *sections, unsigned n)
{
    const Elf64_Shdr *table = NULL;
    for (unsigned i = 0; i < n; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !table))
            table = &sections[i];
    return table;
}

static void read_debug_sections(bx_elf_file *f, const Elf64_Shdr *sections, unsigned n)
{
    const Elf64_Shdr *names = f->head.e_shstrndx < n ? &sections[f->head.e_shstrndx] : NULL;
    char *text = names ? read_part(f, names->sh_offset, names->sh_size) : NULL;
    for (unsigned i = 0; text && i < n; i++) {
        const Elf64_Shdr *s = &sections[i];
        const char *name = s->sh_name < names->sh_size ? text + s->sh_name : "";
        if (s->sh_type == SHT_NOBITS)
            continue;
        f->has_debug_info |= !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info");
        if (!strcmp(name, ".gnu_debuglink") && !f->debug_link && s->sh_size <= LINK_MOST) {
            f->debug_link = read_part(f, s->sh_offset, s->sh_size);
            f->debug_link_bytes = f->debug_link ? s->sh_size : 0;
        }
    }
    free(text);
}

static void read_sections(bx_elf_file *f)
{
    unsigned n = f->head.e_shentsize == sizeof(Elf64_Shdr) ? f->head.e_shnum : 0;
    Elf64_Shdr *sections = n ? read_part(f, f->head.e_shoff, n * sizeof *sections) : NULL;
    const Elf64_Shdr *table = sections ? table_of_symbols(sections, n) : NULL;
    if (table)
        read_table(f, sections, table);
    f->static_symbols = table && table->sh_type == SHT_SYMTAB && f->symbols;
    if (sections)
        read_debug_sections(f, sections, n);
    free(sections);
}

/* ---- files ---- */

static const char *open_file(bx_elf_file *f, const char *path, const char *build_id)
{
    struct stat is;
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (f->fd < 0)
        return strerror(errno);
    if (fstat(f->fd, &is) != 0 || !S_ISREG(is.st_mode))
        return "it is no regular file";
    Elf64_Ehdr *head = read_part(f, 0, sizeof *head);
    if (head)
        f->head = *head;
    free(head);
    if (memcmp(f->head.e_ident, ELFMAG, SELFMAG) != 0 || f->head.e_ident[EI_CLASS] != ELFCLASS64 ||
        f->head.e_phentsize != sizeof(Elf64_Phdr))
        return "it is no ELF file of 64 bits";
    f->segment = read_part(f, f->head.e_phoff, f->head.e_phnum * sizeof *f->segment);
    if (!f->segment)
        return "it is damaged";
    return *build_id && !has_id(f, build_id) ? "it has another build id" : NULL;
}

bx_elf_file *bx_elf_open(const char *path, const char *build_id, const char **why)
{
    bx_elf_file *f = calloc(1, sizeof *f);
    *why = "out of memory";
    if (!f)
        return NULL;
    f->fd = -1;
    *why = open_file(f, path, build_id);
    if (*why) {
        bx_elf_close(f);
        return NULL;
    }
    read_sections(f);
    close(f->fd);
    f->fd = -1;
    return f;
}

void bx_elf_close(bx_elf_file *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    free(f->segment);
    free(f->names);
    free(f->symbol);
    free(f->datum);
    free(f->debug_link);
    free(f);
}

bool bx_elf_address(const bx_elf_file *f, uint64_t offset, uint64_t *address)
{
    for (unsigned i = 0; i < f->head.e_phnum; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        if (p->p_type != PT_LOAD || offset < p->p_offset || offset - p->p_offset >= p->p_filesz)
            continue;
        *address = p->p_vaddr + (offset - p->p_offset);
        return true;
    }
    return false;
}

uint64_t bx_elf_end(const bx_elf_file *f)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < f->head.e_phnum; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > end)
            end = p->p_vaddr + p->p_memsz;
    }
    return end;
}

/* How many of the symbols begin at or before the address. */
static size_t begun_at(const elf_symbol *all, size_t n, uint64_t address)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (all[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Of the data that begin last at or before the address, the largest one. */
const char *bx_elf_data(const bx_elf_file *f, uint64_t address, bx_elf_datum *is)
{
    size_t from = begun_at(f->datum, f->data, address);
    const elf_symbol *found = NULL;
    for (size_t i = from; i > 0 && f->datum[i - 1].address == f->datum[from - 1].address; i--)
        if (!found || f->datum[i - 1].bytes > found->bytes)
            found = &f->datum[i - 1];
    uint64_t end = found ? found->address + found->bytes : 0;
    is->to = from < f->data ? f->datum[from].address : UINT64_MAX;
    if (!found || address - found->address >= found->bytes) {
        is->from = end <= address ? end : address;
        return NULL;
    }
    is->begin = is->from = found->address;
    is->bytes = found->bytes;
    is->to = end < is->to ? end : is->to;
    return found->name;
}

/* The symbol that begins last at or before the address. One without a size reaches to the next. */
static const elf_symbol *symbol_at(const bx_elf_file *f, uint64_t address)
{
    size_t from = begun_at(f->symbol, f->symbols, address);
    for (size_t i = from; i > 0; i--) { /* of several symbols at an address, one that has it */
        const elf_symbol *s = &f->symbol[i - 1];
        if (s->address != f->symbol[from - 1].address)
            break;
        if (!s->bytes || address - s->address < s->bytes)
            return s;
    }
    return NULL;
}

const char *bx_elf_function(const bx_elf_file *f, uint64_t address)
{
    const elf_symbol *s = symbol_at(f, address);
    return s ? s->name : NULL;
}

bool bx_elf_function_range(const bx_elf_file *f, uint64_t address, uint64_t *begin, uint64_t *end)
{
    const elf_symbol *s = symbol_at(f, address);
    if (!s || !s->bytes || s->bytes > TABLE_MOST)
        return false;
    *begin = s->address;
    *end = s->address + s->bytes;
    return true;
}

unsigned char *bx_elf_code(const bx_elf_file *f, const char *path, uint64_t address, uint64_t bytes,
                           uint64_t *read)
{
    bx_elf_file again = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    unsigned char *code = NULL;
    for (unsigned i = 0; again.fd >= 0 && i < f->head.e_phnum && !code; i++) {
        const Elf64_Phdr *p = &f->segment[i];
        uint64_t into = address - p->p_vaddr;
        if (p->p_type != PT_LOAD || address < p->p_vaddr || into >= p->p_filesz)
            continue;
        *read = bytes < p->p_filesz - into ? bytes : p->p_filesz - into;
        code = read_part(&again, p->p_offset + into, *read);
    }
    if (again.fd >= 0)
        close(again.fd);
    return code;
}

bool bx_elf_is_stripped(const bx_elf_file *f)
{
    return !f->static_symbols;
}

bool bx_elf_has_debug_info(const bx_elf_file *f)
{
    return f->has_debug_info;
}

/* A name, zeros up to a multiple of 4, and the checksum. */
const char *bx_elf_debug_link(const bx_elf_file *f, uint32_t *checksum)
{
    size_t name = f->debug_link ? strlen(f->debug_link) + 1 : 0, at = (name + 3) / 4 * 4;
    if (name <= 1 || at + sizeof *checksum > f->debug_link_bytes || strchr(f->debug_link, '/'))
        return NULL;
    memcpy(checksum, f->debug_link + at, sizeof *checksum);
    return f->debug_link;
}
