/* The functions of an ELF file, by its own tables: .symtab, or else .dynsym. */
#ifndef BX_SYMBOLS_ELF_FILE_H
#define BX_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bx_elf_file bx_elf_file;

/* build_id: in hexadecimal, which the file must have; "": it may have any, or none. NULL, and *why:
 * it is another file, or cannot be read. */
bx_elf_file *bx_elf_open(const char *path, const char *build_id, const char **why);
void bx_elf_close(bx_elf_file *f); /* NULL is fine */

/* Where a byte of the file is in memory, as the file says. false: in no segment. */
bool bx_elf_address(const bx_elf_file *f, uint64_t offset, uint64_t *address);

/* The function that has the address; NULL: no symbol tells. */
const char *bx_elf_function(const bx_elf_file *f, uint64_t address);

/* From where to where the symbol reaches that has the address. false: none, or without a size. */
bool bx_elf_function_range(const bx_elf_file *f, uint64_t address, uint64_t *begin, uint64_t *end);
/* Reads code of the file, at most `bytes`, and sets how many these are. To free(); NULL: there is
 * none at the address, or it cannot be read. */
unsigned char *bx_elf_code(const bx_elf_file *f, const char *path, uint64_t address, uint64_t bytes,
                           uint64_t *read);

/* Where a variable is. All addresses from `from` up to `to` have the same answer. */
typedef struct bx_elf_datum {
    uint64_t begin, bytes, from, to;
} bx_elf_datum;

/* The variable that has the address; NULL: no symbol tells, and only from and to are set. */
const char *bx_elf_data(const bx_elf_file *f, uint64_t address, bx_elf_datum *is);
/* The end of its memory, as bx_elf_address() has addresses. */
uint64_t bx_elf_end(const bx_elf_file *f);

/* Whether it lacks .symtab, so that a separate debug file has more names. */
bool bx_elf_is_stripped(const bx_elf_file *f);
bool bx_elf_has_debug_info(const bx_elf_file *f);
/* The name of its separate debug file, and the CRC of that file. NULL: it names none. */
const char *bx_elf_debug_link(const bx_elf_file *f, uint32_t *checksum);

#endif
