/* Tables by unit: a unit's functions are read when the first address in it is asked for, since
 * walking through them anew for each address takes milliseconds in large programs. */
#include "symbols/debug_info.h"

#include <unistd.h>

#if BX_HAS_LIBDW
#include "base/grow.h"
#include "symbols/libdw_functions.h"
#include "symbols/spans.h"

#include <dwarf.h>
#include <stdlib.h>

enum { DEPTH_MOST = 200 };
#define NO_SCOPE UINT32_MAX

/* A function, an inlined one, or a block in one. */
typedef struct source_scope {
    Dwarf_Die die;
    uint32_t outer; /* NO_SCOPE: none */
    bool block;
} source_scope;

typedef struct source_unit {
    Dwarf_Die die;   /* it has the lines */
    Dwarf_Die split; /* it has the functions: the same, or of a .dwo file */
    bool read;
    source_scope *scope;
    size_t scopes, scopes_room;
    bx_address_spans spans; /* of scopes */
} source_unit;

struct bx_debug_info {
    const bx_libdw *libdw;
    int fd;
    Dwarf *dwarf;
    source_unit *unit;
    size_t units, units_room;
    bx_address_spans spans; /* of units */
};

/* ---- the tables ---- */

/* What the linker has removed begins at 0, or at 1 in lists. */
static bool add_ranges(bx_debug_info *d, bx_address_spans *to, Dwarf_Die *die, uint32_t what)
{
    Dwarf_Addr base = 0, from = 0, end = 0;
    bool whole = true;
    for (ptrdiff_t at = 0; whole && (at = d->libdw->ranges(die, at, &base, &from, &end)) > 0;)
        whole = from <= 1 || bx_address_spans_add(to, from, end, what);
    return whole;
}

static bool add_unit(bx_debug_info *d, const Dwarf_Die *die, const Dwarf_Die *split)
{
    source_unit *all = bx_grow(d->unit, d->units, &d->units_room, sizeof *all, 16);
    if (!all)
        return false;
    d->unit = all;
    source_unit *u = &all[d->units++];
    *u = (source_unit){.die = *die, .split = *split};
    return add_ranges(d, &d->spans, &u->die, (uint32_t)(u - all));
}

static bool read_units(bx_debug_info *d)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    while (d->libdw->get_units(d->dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
        bool apart = type == DW_UT_skeleton && split.addr;
        if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
            !add_unit(d, &die, apart ? &split : &die))
            return false;
    }
    bx_address_spans_sort(&d->spans);
    return true;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Where functions may be, apart from other functions. */
static bool may_have_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool read_scopes(bx_debug_info *d, source_unit *u, Dwarf_Die *parent, uint32_t outer,
                        unsigned depth);

static bool read_scope(bx_debug_info *d, source_unit *u, Dwarf_Die *die, int tag, uint32_t outer,
                       unsigned depth)
{
    uint32_t number = (uint32_t)u->scopes;
    source_scope *all = bx_grow(u->scope, u->scopes, &u->scopes_room, sizeof *all, 64);
    if (!all)
        return false;
    u->scope = all;
    all[u->scopes++] = (source_scope){*die, tag == DW_TAG_subprogram ? NO_SCOPE : outer,
                                      tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine};
    return add_ranges(d, &u->spans, die, number) && read_scopes(d, u, die, number, depth);
}

static bool read_scopes(bx_debug_info *d, source_unit *u, Dwarf_Die *parent, uint32_t outer,
                        unsigned depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MOST || d->libdw->child(parent, &die) != 0)
        return true;
    do {
        int tag = d->libdw->tag(&die);
        if (is_scope(tag) ? !read_scope(d, u, &die, tag, outer, depth + 1)
                          : may_have_functions(tag) && !read_scopes(d, u, &die, outer, depth + 1))
            return false;
    } while (d->libdw->siblingof(&die, &die) == 0);
    return true;
}

static source_unit *unit_at(bx_debug_info *d, uint64_t address)
{
    const bx_address_span *span = bx_address_spans_find(&d->spans, address);
    source_unit *u = span ? &d->unit[span->what] : NULL;
    if (u && !u->read) {
        u->read = true;
        read_scopes(d, u, &u->split, NO_SCOPE, 0); /* without memory: fewer names */
        bx_address_spans_sort(&u->spans);
    }
    return u;
}

/* ---- an address ---- */

static void name_scope(bx_debug_info *d, source_scope *s, bx_source_frame *to)
{
    Dwarf_Attribute a;
    if (d->libdw->attr_integrate(&s->die, DW_AT_linkage_name, &a) ||
        d->libdw->attr_integrate(&s->die, DW_AT_MIPS_linkage_name, &a))
        to->function = d->libdw->formstring(&a);
    to->linkage = to->function;
    if (!to->function)
        to->function = d->libdw->diename(&s->die);
}

static unsigned number_of(bx_debug_info *d, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    bool is = d->libdw->attr(die, name, &a) && d->libdw->formudata(&a, &value) == 0;
    return is && value <= INT32_MAX ? (unsigned)value : 0;
}

/* Where an inlined function was called. */
static void place_call(bx_debug_info *d, source_unit *u, source_scope *inlined, bx_source_frame *to)
{
    Dwarf_Files *files;
    size_t n;
    unsigned file = number_of(d, &inlined->die, DW_AT_call_file);
    to->line = number_of(d, &inlined->die, DW_AT_call_line);
    if (file && d->libdw->getsrcfiles(&u->split, &files, &n) == 0 && file < n)
        to->file = d->libdw->filesrc(files, file, NULL, NULL);
}

static void place_address(bx_debug_info *d, source_unit *u, uint64_t address, bx_source_frame *to)
{
    Dwarf_Line *line = d->libdw->getsrc_die(&u->die, address);
    int number;
    if (line && d->libdw->lineno(line, &number) == 0 && number > 0) {
        to->line = (unsigned)number;
        to->file = d->libdw->linesrc(line, NULL, NULL);
    }
}

size_t bx_debug_info_at(bx_debug_info *d, uint64_t address, bx_source_frame *to, size_t most)
{
    source_unit *u = unit_at(d, address);
    const bx_address_span *span = u ? bx_address_spans_find(&u->spans, address) : NULL;
    source_scope *inner = NULL;
    size_t n = 0;
    if (!u || !most)
        return 0;
    to[0] = (bx_source_frame){0};
    place_address(d, u, address, &to[0]);
    for (uint32_t at = span ? span->what : NO_SCOPE; at != NO_SCOPE && n < most;
         at = u->scope[at].outer) {
        source_scope *s = &u->scope[at];
        if (s->block)
            continue;
        if (inner) {
            to[n] = (bx_source_frame){0};
            place_call(d, u, inner, &to[n]);
        }
        name_scope(d, s, &to[n++]);
        inner = s;
    }
    return n ? n : to[0].line > 0;
}

/* ---- files ---- */

bx_debug_info *bx_debug_info_open(const bx_libdw *libdw, int fd)
{
    bx_debug_info *d = calloc(1, sizeof *d);
    if (!d) {
        close(fd);
        return NULL;
    }
    d->libdw = libdw;
    d->fd = fd;
    d->dwarf = libdw->begin(fd, DWARF_C_READ);
    if (!d->dwarf || !read_units(d) || !d->units) {
        bx_debug_info_close(d);
        return NULL;
    }
    return d;
}

void bx_debug_info_close(bx_debug_info *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->units; i++) {
        free(d->unit[i].scope);
        bx_address_spans_free(&d->unit[i].spans);
    }
    free(d->unit);
    bx_address_spans_free(&d->spans);
    if (d->dwarf)
        d->libdw->end(d->dwarf);
    close(d->fd);
    free(d);
}

#else
bx_debug_info *bx_debug_info_open(const bx_libdw *libdw, int fd)
{
    (void)libdw;
    close(fd);
    return NULL;
}

void bx_debug_info_close(bx_debug_info *d)
{
    (void)d;
}

size_t bx_debug_info_at(bx_debug_info *d, uint64_t address, bx_source_frame *to, size_t most)
{
    (void)d, (void)address, (void)to, (void)most;
    return 0;
}
#endif
