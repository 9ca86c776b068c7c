/* Loads libdw. */
#include "symbols/libdw.h"

#include <stddef.h>

#if BX_HAS_LIBDW
#include "symbols/libdw_functions.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* dlsym() returns an object's address, which POSIX lets stand for a function's. */
static bool find_in_libdw(void *in, const char *name, void *to)
{
    void *found = dlsym(in, name);
    memcpy(to, &found, sizeof found);
    return found;
}

static bool find_all(void *in, bx_libdw *to)
{
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"dwarf_begin", &to->begin},
        {"dwarf_end", &to->end},
        {"dwarf_get_units", &to->get_units},
        {"dwarf_child", &to->child},
        {"dwarf_siblingof", &to->siblingof},
        {"dwarf_tag", &to->tag},
        {"dwarf_diename", &to->diename},
        {"dwarf_ranges", &to->ranges},
        {"dwarf_attr", &to->attr},
        {"dwarf_attr_integrate", &to->attr_integrate},
        {"dwarf_formstring", &to->formstring},
        {"dwarf_formudata", &to->formudata},
        {"dwarf_getsrc_die", &to->getsrc_die},
        {"dwarf_lineno", &to->lineno},
        {"dwarf_linesrc", &to->linesrc},
        {"dwarf_getsrcfiles", &to->getsrcfiles},
        {"dwarf_filesrc", &to->filesrc},
    };
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!find_in_libdw(in, wanted[i].name, wanted[i].to))
            return false;
    return true;
}

bx_libdw *bx_libdw_load(const char **why)
{
    void *in = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    bx_libdw *to = in ? calloc(1, sizeof *to) : NULL;
    *why = !in   ? "libdw is not installed: apt-get install libdw1"
           : !to ? "out of memory"
                 : "the installed libdw is too old";
    if (to && find_all(in, to))
        return to;
    free(to);
    return NULL;
}

#else
bx_libdw *bx_libdw_load(const char **why)
{
    *why = "boxscore was built without libdw: apt-get install libdw-dev, then build it again";
    return NULL;
}
#endif
