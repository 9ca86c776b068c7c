/* Names of what a recording has: binaries, and the functions and lines of instructions. */
#include "measure/recording.h"

#include "base/grow.h"

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
}

/* FUNCTION; without a symbol BINARY+0xOFFSET, or 0xADDRESS of memory without a file. */
static void write_code_of(bx_recording_run *r, size_t i)
{
    enum { DEEPEST = 64 };
    const bx_witness_code *code = &r->witness.code[i];
    const bx_witness_binary *of = &r->witness.binary[code->binary - 1];
    bx_recorded_binary *b = code->binary <= r->binaries ? &r->binary[code->binary - 1] : NULL;
    const char *slash = of->path ? strrchr(of->path, '/') : NULL;
    bx_source_frame frame[DEEPEST] = {{0}};
    char place[256];
    uint64_t address = code->offset;
    size_t n = 0;
    if (b && b->names && bx_binary_names_address(b->names, code->offset, &address))
        n = bx_binary_names_at(b->names, address, frame, DEEPEST);
    snprintf(place, sizeof place, "%.200s%s0x%" PRIx64,
             slash      ? slash + 1
             : of->path ? of->path
                        : "",
             of->path ? "+" : "", code->offset);
    if (b && !n)
        frame[0].function = bx_perf_map_function(&b->compiled, code->offset);
    if (!frame[0].function)
        frame[0].function = place;
    write_frames(r, i, address, frame, n ? n : 1);
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

void bx_recording_write_names(bx_recording_run *r)
{
    write_binaries(r);
    open_binaries(r);
    write_compiled(r);
    for (size_t i = r->codes; i < r->witness.codes; i++)
        write_code_of(r, i);
    r->codes = r->witness.codes;
    if (r->refused.n)
        bx_recording_write_key(r, "not-used", bx_cell_text(r->refused.p));
}

void bx_recording_close_names(bx_recording_run *r)
{
    for (size_t i = 0; i < r->binaries; i++) {
        bx_binary_names_close(r->binary[i].names);
        bx_perf_map_free(&r->binary[i].compiled);
    }
    free(r->binary);
    free(r->libdw);
    bx_buf_free(&r->refused);
}
