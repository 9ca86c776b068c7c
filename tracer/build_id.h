/* The build id of an ELF file, as the tracer finds it in memory and the command in the file. */
#ifndef BX_TRACER_BUILD_ID_H
#define BX_TRACER_BUILD_ID_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    BX_BUILD_ID_BYTES = 64,                       /* at most */
    BX_BUILD_ID_TEXT = 2 * BX_BUILD_ID_BYTES + 1, /* the same in hexadecimal, and a 0 */
};

/* Finds it in the notes of a segment, which may be damaged, and writes it in hexadecimal:
 * readelf(1) -n shows it. false: there is none. */
static inline bool bx_build_id_find(const unsigned char *notes, uint64_t bytes,
                                    char to[BX_BUILD_ID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes;) {
        Elf64_Nhdr n;
        __builtin_memcpy(&n, notes + at, sizeof n);
        const unsigned char *name = notes + at + sizeof n;
        uint64_t id = at + sizeof n + (n.n_namesz + UINT64_C(3)) / 4 * 4;
        if (id + n.n_descsz > bytes)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && n.n_descsz <= BX_BUILD_ID_BYTES &&
            name[0] == 'G' && name[1] == 'N' && name[2] == 'U' && !name[3]) {
            for (uint32_t i = 0; i < n.n_descsz; i++) {
                to[2 * i] = digits[notes[id + i] >> 4];
                to[2 * i + 1] = digits[notes[id + i] & 15];
            }
            to[2 * n.n_descsz] = '\0';
            return n.n_descsz > 0;
        }
        at = id + (n.n_descsz + UINT64_C(3)) / 4 * 4;
    }
    return false;
}

#endif
