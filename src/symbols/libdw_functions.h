/* The functions of libdw that are used: /usr/include/elfutils/libdw.h */
#ifndef BX_SYMBOLS_LIBDW_FUNCTIONS_H
#define BX_SYMBOLS_LIBDW_FUNCTIONS_H

#include "symbols/libdw.h"

#include <elfutils/libdw.h>

struct bx_libdw {
    Dwarf *(*begin)(int fd, Dwarf_Cmd cmd);
    int (*end)(Dwarf *d);
    int (*get_units)(Dwarf *d, Dwarf_CU *cu, Dwarf_CU **next, Dwarf_Half *version,
                     uint8_t *unit_type, Dwarf_Die *die, Dwarf_Die *split);
    int (*child)(Dwarf_Die *die, Dwarf_Die *to);
    int (*siblingof)(Dwarf_Die *die, Dwarf_Die *to);
    int (*tag)(Dwarf_Die *die);
    const char *(*diename)(Dwarf_Die *die);
    ptrdiff_t (*ranges)(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *base, Dwarf_Addr *from,
                        Dwarf_Addr *to);
    Dwarf_Attribute *(*attr)(Dwarf_Die *die, unsigned name, Dwarf_Attribute *to);
    Dwarf_Attribute *(*attr_integrate)(Dwarf_Die *die, unsigned name, Dwarf_Attribute *to);
    const char *(*formstring)(Dwarf_Attribute *a);
    int (*formudata)(Dwarf_Attribute *a, Dwarf_Word *to);
    Dwarf_Line *(*getsrc_die)(Dwarf_Die *unit, Dwarf_Addr address);
    int (*lineno)(Dwarf_Line *line, int *to);
    const char *(*linesrc)(Dwarf_Line *line, Dwarf_Word *mtime, Dwarf_Word *length);
    int (*getsrcfiles)(Dwarf_Die *unit, Dwarf_Files **files, size_t *n);
    const char *(*filesrc)(Dwarf_Files *files, size_t at, Dwarf_Word *mtime, Dwarf_Word *length);
};

#endif
