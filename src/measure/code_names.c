/* Names of instructions. A binary that has changed since it ran is never used. */
#include "measure/code_names.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bx_code_names_open(bx_code_names *n)
{
    if (!n->binaries && n->witness->binaries) {
        n->libdw = bx_libdw_load(&n->without);
        n->from = (bx_names_from){.libdw = n->libdw, .folder = n->folder};
    }
    while (n->binaries < n->witness->binaries) {
        const bx_witness_binary *b = &n->witness->binary[n->binaries];
        bx_code_binary *all = bx_grow(n->binary, n->binaries, &n->binaries_room, sizeof *all, 16);
        if (!all)
            return false;
        n->binary = all;
        all[n->binaries++] = (bx_code_binary){
            .names =
                b->path ? bx_binary_names_open(&n->from, b->path, b->build_id, &n->refused) : NULL};
    }
    return true;
}

char *bx_code_names_source(const bx_code_names *n, const bx_source_frame *frame)
{
    return n->demangle && frame->linkage && frame->function ? n->demangle(frame->function) : NULL;
}

void bx_code_names_at(const bx_code_names *n, size_t i, bx_code_frames *to)
{
    const bx_witness_code *code = &n->witness->code[i];
    const bx_witness_binary *of = &n->witness->binary[code->binary - 1];
    const bx_code_binary *b = code->binary <= n->binaries ? &n->binary[code->binary - 1] : NULL;
    const char *slash = of->path ? strrchr(of->path, '/') : NULL;
    to->n = 0;
    to->frame[0] = (bx_source_frame){0};
    to->address = code->offset;
    if (b && b->names && bx_binary_names_address(b->names, code->offset, &to->address))
        to->n = bx_binary_names_at(b->names, to->address, to->frame, BX_CODE_FRAMES);
    snprintf(to->place, sizeof to->place, "%.200s%s0x%" PRIx64,
             slash      ? slash + 1
             : of->path ? of->path
                        : "",
             of->path ? "+" : "", code->offset);
    if (b && !to->n)
        to->frame[0].function = bx_perf_map_function(&b->compiled, code->offset);
    if (!to->frame[0].function)
        to->frame[0].function = to->place;
    to->n = to->n ? to->n : 1;
}

void bx_code_names_close(bx_code_names *n)
{
    for (size_t i = 0; i < n->binaries; i++) {
        bx_binary_names_close(n->binary[i].names);
        bx_perf_map_free(&n->binary[i].compiled);
    }
    free(n->binary);
    free(n->libdw);
    bx_buf_free(&n->refused);
}
