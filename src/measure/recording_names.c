/* Names of what a recording has: binaries, and the functions and lines of instructions. */
#include "measure/recording.h"

#include "base/grow.h"
#include "model/engine/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, PLACE = 256 };

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

static void load_libdw(bx_recording_run *r)
{
    const char *why;
    r->libdw = bx_libdw_load(&why);
    r->from = (bx_names_from){.libdw = r->libdw, .folder = r->symbols};
    bx_recording_write_key(r, "names", bx_cell_text(r->libdw ? "libdw" : why));
}

/* Opens the binaries that are new. One that has changed since is never used. */
static void open_binaries(bx_recording_run *r)
{
    if (!r->binaries && r->witness.binaries)
        load_libdw(r);
    while (r->binaries < r->witness.binaries) {
        const bx_witness_binary *b = &r->witness.binary[r->binaries];
        bx_recorded_binary *all =
            bx_grow(r->binary, r->binaries, &r->binaries_room, sizeof *all, 16);
        if (!all) {
            r->witness.failed = true;
            return;
        }
        r->binary = all;
        all[r->binaries++] = (bx_recorded_binary){
            .names =
                b->path ? bx_binary_names_open(&r->from, b->path, b->build_id, &r->refused) : NULL};
    }
}

/* ---- code ---- */

/* What the linker calls a function, as its source does. Free the result; NULL: it is the same. */
static char *source_name(const bx_recording_run *r, const bx_source_frame *frame)
{
    return r->demangle && frame->linkage && frame->function ? r->demangle(frame->function) : NULL;
}

static void write_frames(bx_recording_run *r, size_t i, uint64_t address,
                         const bx_source_frame *frame, size_t n)
{
    for (size_t depth = 0; depth < n; depth++) {
        const bx_source_frame *f = &frame[depth];
        char *name = source_name(r, f);
        const bx_cell function = bx_cell_text(name ? name : f->function),
                      file = bx_cell_text(f->file),
                      line = f->line ? bx_cell_number(f->line) : (bx_cell){0},
                      code = bx_cell_number(BX_CODE_FIRST + i);
        const bx_cell own[] = {code,
                               bx_cell_number(r->witness.code[i].binary),
                               bx_cell_number(address),
                               function,
                               file,
                               line};
        const bx_cell outer[] = {code, bx_cell_number(depth), function, file, line};
        bx_recording_put(r->file, depth ? BX_TABLE_INLINED : BX_TABLE_CODE, 0, depth ? outer : own);
        free(name);
    }
    if (n && frame[0].file && frame[0].line)
        bx_recording_note_line(r, r->witness.code[i].binary - 1, frame[0].file, frame[0].line);
}

/* The functions of an instruction. FUNCTION; without a symbol BINARY+0xOFFSET, or 0xADDRESS of
 * memory without a file. place: room for such a text. Returns how many frames. */
static size_t frames_of_code(bx_recording_run *r, size_t i, uint64_t *address,
                             bx_source_frame frame[DEEPEST], char place[PLACE])
{
    const bx_witness_code *code = &r->witness.code[i];
    const bx_witness_binary *of = &r->witness.binary[code->binary - 1];
    bx_recorded_binary *b = code->binary <= r->binaries ? &r->binary[code->binary - 1] : NULL;
    const char *slash = of->path ? strrchr(of->path, '/') : NULL;
    size_t n = 0;
    frame[0] = (bx_source_frame){0};
    *address = code->offset;
    if (b && b->names && bx_binary_names_address(b->names, code->offset, address))
        n = bx_binary_names_at(b->names, *address, frame, DEEPEST);
    snprintf(place, PLACE, "%.200s%s0x%" PRIx64,
             slash      ? slash + 1
             : of->path ? of->path
                        : "",
             of->path ? "+" : "", code->offset);
    if (b && !n)
        frame[0].function = bx_perf_map_function(&b->compiled, code->offset);
    if (!frame[0].function)
        frame[0].function = place;
    return n ? n : 1;
}

static void write_code_of(bx_recording_run *r, size_t i)
{
    bx_source_frame frame[DEEPEST];
    char place[PLACE];
    uint64_t address;
    size_t n = frames_of_code(r, i, &address, frame, place);
    write_frames(r, i, address, frame, n);
}

/* Programs tell names of what they compile while they run, so these are written again. */
static void write_compiled(bx_recording_run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->binaries; i++) {
        const bx_witness_binary *b = &r->witness.binary[i];
        if (!b->memory || !b->pid)
            continue;
        bx_perf_map_free(&r->binary[i].compiled);
        bx_perf_map_read(&r->binary[i].compiled, b->pid);
        any |= r->binary[i].compiled.n > 0;
    }
    for (size_t i = 0; any && i < r->codes; i++)
        if (r->binary[r->witness.code[i].binary - 1].compiled.n)
            write_code_of(r, i);
}

/* ---- objects ---- */

/* What has allocated it: FUNCTION (FILE:LINE). */
static void name_allocation(bx_recording_run *r, uint32_t context, bx_buf *to)
{
    bx_source_frame frame[DEEPEST];
    char place[PLACE];
    uint64_t address;
    uint32_t code = context ? r->witness.context[context - 1].code : BX_CODE_NOBODY;
    if (code < BX_CODE_FIRST) {
        bx_buf_z(to, "(unknown)");
        return;
    }
    frames_of_code(r, code - BX_CODE_FIRST, &address, frame, place);
    char *name = source_name(r, &frame[0]);
    const char *slash = frame[0].file ? strrchr(frame[0].file, '/') : NULL;
    bx_buf_z(to, name ? name : frame[0].function);
    if (frame[0].file && frame[0].line)
        bx_buf_f(to, " (%s:%u)", slash ? slash + 1 : frame[0].file, frame[0].line);
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
        char *name = r->demangle ? r->demangle(o->name) : NULL;
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

void bx_recording_close_names(bx_recording_run *r)
{
    for (size_t i = 0; i < r->binaries; i++) {
        bx_binary_names_close(r->binary[i].names);
        bx_perf_map_free(&r->binary[i].compiled);
    }
    free(r->binary);
    free(r->line);
    free(r->libdw);
    bx_buf_free(&r->refused);
}
