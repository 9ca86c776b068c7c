/* Names of what a recording has: binaries, and the functions and lines of instructions. */
#include "measure/recording.h"

#include "model/engine/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const reserved[BX_CODE_FIRST] = {
    [BX_CODE_NOBODY] = "(not an instruction)",
    [BX_CODE_DEVICE] = "(device)",
    [BX_CODE_KERNEL] = "(kernel)",
    [BX_CODE_WORKLOAD] = "(workload)",
    [BX_CODE_OTHER] = "(other)",
};

void bx_recording_write_key(bx_recording_run *r, const char *key, bx_cell value)
{
    const bx_cell row[] = {bx_cell_text(key), value};
    bx_recording_put(r->file, BX_TABLE_RUN, 0, row);
}

void bx_recording_write_reserved(bx_recording_run *r)
{
    for (unsigned i = 0; r->attributes && i < BX_CODE_FIRST; i++) {
        const bx_cell row[] = {bx_cell_number(i), {0}, {0}, bx_cell_text(reserved[i]), {0}, {0}};
        bx_recording_put(r->file, BX_TABLE_CODE, 0, row);
    }
}

/* ---- binaries ---- */

static void write_binaries(bx_recording_run *r)
{
    for (size_t i = 0; i < r->witness.binaries; i++) { /* names may have come later */
        const bx_witness_binary *b = &r->witness.binary[i];
        const bx_cell row[] = {bx_cell_number(i + 1),
                               bx_cell_text(b->path     ? b->path
                                            : b->memory ? "(memory without a file)"
                                                        : "(a file without a name)"),
                               bx_cell_text(b->build_id[0] ? b->build_id : NULL)};
        bx_recording_put(r->file, BX_TABLE_BINARY, 0, row);
    }
}

/* Opens the binaries that are new, and says where names come from. */
static void open_binaries(bx_recording_run *r)
{
    bool first = !r->code_names.binaries && r->witness.binaries;
    if (!bx_code_names_open(&r->code_names))
        r->witness.failed = true;
    if (first)
        bx_recording_write_key(r, "names",
                               bx_cell_text(r->code_names.libdw ? "libdw" : r->code_names.without));
}

/* ---- code ---- */

static void write_code_of(bx_recording_run *r, size_t i)
{
    bx_code_frames at;
    bx_code_names_at(&r->code_names, i, &at);
    for (size_t depth = 0; depth < at.n; depth++) {
        const bx_source_frame *f = &at.frame[depth];
        char *name = bx_code_names_source(&r->code_names, f);
        const bx_cell function = bx_cell_text(name ? name : f->function),
                      file = bx_cell_text(f->file),
                      line = f->line ? bx_cell_number(f->line) : (bx_cell){0},
                      code = bx_cell_number(BX_CODE_FIRST + i);
        const bx_cell own[] = {code,
                               bx_cell_number(r->witness.code[i].binary),
                               bx_cell_number(at.address),
                               function,
                               file,
                               line};
        const bx_cell outer[] = {code, bx_cell_number(depth), function, file, line};
        bx_recording_put(r->file, depth ? BX_TABLE_INLINED : BX_TABLE_CODE, 0, depth ? outer : own);
        free(name);
    }
    if (at.frame[0].file && at.frame[0].line)
        bx_recording_note_line(r, r->witness.code[i].binary - 1, at.frame[0].file,
                               at.frame[0].line);
}

/* Programs tell names of what they compile while they run, so these are written again. */
static void write_compiled(bx_recording_run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->code_names.binaries; i++) {
        const bx_witness_binary *b = &r->witness.binary[i];
        if (!b->memory || !b->pid)
            continue;
        bx_perf_map_free(&r->code_names.binary[i].compiled);
        bx_perf_map_read(&r->code_names.binary[i].compiled, b->pid);
        any |= r->code_names.binary[i].compiled.n > 0;
    }
    for (size_t i = 0; any && i < r->codes; i++)
        if (r->code_names.binary[r->witness.code[i].binary - 1].compiled.n)
            write_code_of(r, i);
}

/* ---- objects ---- */

/* What has allocated it: FUNCTION (FILE:LINE). */
static void name_allocation(bx_recording_run *r, uint32_t context, bx_buf *to)
{
    bx_code_frames at;
    uint32_t code = context ? r->witness.context[context - 1].code : BX_CODE_NOBODY;
    if (code < BX_CODE_FIRST) {
        bx_buf_z(to, "(unknown)");
        return;
    }
    bx_code_names_at(&r->code_names, code - BX_CODE_FIRST, &at);
    const bx_source_frame *f = &at.frame[0];
    char *name = bx_code_names_source(&r->code_names, f);
    const char *slash = f->file ? strrchr(f->file, '/') : NULL;
    bx_buf_z(to, name ? name : f->function);
    if (f->file && f->line)
        bx_buf_f(to, " (%s:%u)", slash ? slash + 1 : f->file, f->line);
    free(name);
}

static bx_object_use use_of(const struct bx_attribution *a, uint64_t object)
{
    return a && object < a->uses ? a->use[object] : (bx_object_use){0};
}

static void write_object(bx_recording_run *r, const struct bx_attribution *a, uint64_t number,
                         const bx_witness_object *o)
{
    static const char *const kinds[] = {[BX_OBJECT_IS_NONE] = "none",
                                        [BX_OBJECT_IS_CODE] = "code",
                                        [BX_OBJECT_IS_ANONYMOUS] = "anonymous",
                                        [BX_OBJECT_IS_STACK] = "stack",
                                        [BX_OBJECT_IS_FILE] = "file",
                                        [BX_OBJECT_IS_GLOBAL] = "global",
                                        [BX_OBJECT_IS_HEAP] = "heap"};
    const bool heap = o->kind == BX_OBJECT_IS_HEAP;
    const bool is_data = o->kind != BX_OBJECT_IS_NONE && o->kind != BX_OBJECT_IS_CODE;
    bx_buf text = {0};
    if (heap)
        name_allocation(r, o->of, &text);
    else if (o->kind == BX_OBJECT_IS_FILE)
        bx_buf_z(&text, r->witness.binary[o->of - 1].path ? r->witness.binary[o->of - 1].path
                                                          : "(a file without a name)");
    else if (o->name) {
        char *name = r->code_names.demangle ? r->code_names.demangle(o->name) : NULL;
        bx_buf_z(&text, name ? name : o->name);
        free(name);
    } else {
        bx_buf_f(&text, "(%s)", kinds[o->kind]);
    }
    r->witness.failed |= text.failed;
    const bx_cell row[] = {bx_cell_number(number),
                           bx_cell_text(kinds[o->kind]),
                           bx_cell_text(bx_buf_text(&text)),
                           o->bytes || heap ? bx_cell_number(o->bytes) : (bx_cell){0},
                           heap ? bx_cell_number(o->allocations) : (bx_cell){0},
                           heap && o->of ? bx_cell_number(o->of) : (bx_cell){0},
                           is_data ? bx_cell_number(use_of(a, number).loads) : (bx_cell){0},
                           is_data ? bx_cell_number(use_of(a, number).stores) : (bx_cell){0}};
    bx_recording_put(r->file, BX_TABLE_OBJECT, 0, row);
    bx_buf_free(&text);
}

static void write_objects(bx_recording_run *r, const struct bx_attribution *a)
{
    static const enum bx_object_kind reserved_kinds[BX_OBJECT_FIRST] = {
        [BX_OBJECT_NONE] = BX_OBJECT_IS_NONE,
        [BX_OBJECT_CODE] = BX_OBJECT_IS_CODE,
        [BX_OBJECT_ANONYMOUS] = BX_OBJECT_IS_ANONYMOUS,
        [BX_OBJECT_STACK] = BX_OBJECT_IS_STACK};
    for (uint32_t i = BX_OBJECT_NONE; i < BX_OBJECT_FIRST; i++)
        write_object(r, a, i, &(bx_witness_object){.kind = reserved_kinds[i]});
    for (size_t i = 0; i < r->witness.objects; i++) {
        bx_witness_object *o = &r->witness.object[i];
        bx_object_use use = use_of(a, BX_OBJECT_FIRST + i);
        if (o->changed || use.loads + use.stores != o->used)
            write_object(r, a, BX_OBJECT_FIRST + i, o);
        o->changed = false;
        o->used = use.loads + use.stores;
    }
    if (r->witness.binaries) /* a workload is no program */
        bx_recording_write_key(
            r, "allocators",
            bx_cell_text(r->witness.any_allocation
                             ? "followed"
                             : "none was found: heap objects are named by mapping"));
}

void bx_recording_write_names(bx_recording_run *r, const struct bx_attribution *a)
{
    write_binaries(r);
    open_binaries(r);
    write_compiled(r);
    for (size_t i = r->codes; i < r->witness.codes; i++)
        write_code_of(r, i);
    r->codes = r->witness.codes;
    if (r->allocators)
        write_objects(r, a);
}
