/* Makes decoders, as far as they are asked to do something, and frees them. */
#include "machine/program/decode/decoder.h"

#include "machine/program/decode/blocks.h"
#include "machine/program/decode/branches.h"
#include "model/part/prefetchers.h"

#include <stdlib.h>

static bx_decoder_lines lines_of(unsigned shift)
{
    const uint64_t byte_mask = (UINT64_C(1) << shift) - 1;
    unsigned page_shift = bx_page_lines_shift(shift);
    return (bx_decoder_lines){
        .byte_mask = byte_mask,
        .in_page_mask = ((UINT64_C(1) << BX_PAGE_SHIFT) - 1) & ~byte_mask,
        .factor = UINT64_C(1) << (BX_DECODER_ACCESS_LINE_SHIFT - shift),
        .shift = shift,
        .page_shift = page_shift,
        .frame_shift = page_shift + BX_DECODER_ACCESS_LINE_SHIFT,
    };
}

bx_decoder *bx_decoder_new(bx_address_space *space, bool kernel)
{
    bx_decoder *d = calloc(1, sizeof *d);
    if (d) {
        d->space = space;
        d->draft.line_shift = bx_address_space_line_shift(space);
        d->lines = lines_of(d->draft.line_shift);
        d->kernel = kernel;
        d->before.fetched = BX_BLOCK_NO_LINE;
        d->last = &d->before;
        d->draft.slot = bx_core_time_slot(NULL);
    }
    return d;
}

bool bx_decoder_translate(bx_decoder *d, const bx_tlb_geometry *g)
{
    d->geometry = g;
    d->tables = bx_address_space_tables(d->space);
    d->draft.walks = true;
    return d->tables != NULL;
}

void bx_decoder_time(bx_decoder *d, const bx_core_time *core)
{
    d->draft.core = *core;
    d->draft.slot = bx_core_time_slot(core);
    d->draft.lock = bx_core_time_whole(core, core->locked);
    d->refill = bx_core_time_whole(core, core->mispredict);
}

void bx_decoder_predict(bx_decoder *d, const bx_predictor_sizes *sizes)
{
    d->sizes = *sizes;
    d->draft.predicts = sizes->kind != BX_PREDICTOR_NONE;
}

void bx_decoder_make_remarks(bx_decoder *d)
{
    d->draft.remarks = true;
}

void bx_decoder_note_who(bx_decoder *d, struct bx_witness *w, uint32_t process, bool live)
{
    d->witness = w;
    d->process = process;
    d->pid = live ? process : 0;
    d->code = BX_CODE_KERNEL;
    d->context_mask = w && w->contexts_wanted ? UINT32_MAX : 0;
    if (w && w->allocators && !(d->objects = bx_object_map_new(w, d->space)))
        bx_decoder_no_memory(d, "no memory for its objects");
}

void bx_decoder_allocate(bx_decoder *d, uint64_t address, uint64_t bytes)
{
    if (d->objects)
        bx_object_map_allocate(d->objects, address, bytes, d->calls ? d->calls->left : 0);
}

void bx_decoder_release(bx_decoder *d, uint64_t address)
{
    if (d->objects)
        bx_object_map_release(d->objects, address);
}

void bx_decoder_map_changes(bx_decoder *d, uint64_t address, uint64_t bytes)
{
    if (d->objects)
        bx_object_map_forget(d->objects, address, bytes);
}

void bx_decoder_image(bx_decoder *d, uint64_t address, uint64_t device, uint64_t inode)
{
    if (d->objects)
        bx_object_map_image(d->objects, address, device, inode);
}

bool bx_decoder_has_calls(bx_decoder *d)
{
    if (!d->calls && (d->calls = calloc(1, sizeof *d->calls))) {
        d->calls->next = d->all_calls;
        d->all_calls = d->calls;
    }
    d->witness->failed |= !d->calls;
    return d->calls;
}

bx_decoder_noted bx_decoder_copy_noted(const bx_decoder *d, bx_address_space *space)
{
    return (bx_decoder_noted){bx_call_stacks_copy(d->calls),
                              space ? bx_object_map_copy(d->objects, space) : NULL};
}

void bx_decoder_free_noted(bx_decoder_noted noted)
{
    bx_call_stacks_free(noted.calls);
    bx_object_map_free(noted.objects);
}

void bx_decoder_take_noted(bx_decoder *d, bx_decoder_noted noted)
{
    d->calls = d->all_calls = noted.calls;
    bx_decoder_enter(d, noted.calls ? noted.calls->context : 0);
    if (noted.objects) {
        bx_object_map_free(d->objects);
        d->objects = noted.objects;
    }
}

bool bx_decoder_prefetch(bx_decoder *d)
{
    void *made;
    if (posix_memalign(&made, _Alignof(struct bx_prefetchers), sizeof *d->prefetchers) != 0)
        return false;
    d->prefetchers = made;
    d->draft.prefetch = true;
    bx_prefetchers_power_on(d->prefetchers, d->lines.page_shift);
    return true;
}

static uint32_t number_of_block(bx_decoder *d, unsigned count, int16_t n)
{
    uint32_t number = bx_retired_table_add_one(d->retired, count, n);
    d->no_memory |= number == BX_RETIRED_NONE;
    return number;
}

bool bx_decoder_count(bx_decoder *d, bx_retired_table *table)
{
    bx_decoder_retired *as = &d->retired_as;
    d->retired = table;
    for (unsigned kind = BX_LOAD; kind <= BX_STORE; kind++) {
        as->unmade[kind] = number_of_block(d, BX_RETIRED_LOADS + kind, -1);
        as->split[kind] = number_of_block(d, BX_RETIRED_SPLIT_LOADS + kind, 1);
    }
    for (unsigned i = 0; i < BX_BRANCH_MISSES; i++)
        as->missed[i] = number_of_block(d, BX_RETIRED_MISSES + i, 1);
    d->no_memory |= d->geometry && !bx_tlb_number_retired(&as->translations, d->geometry, table);
    return !d->no_memory;
}

void bx_decoder_free(bx_decoder *d)
{
    if (!d)
        return;
    free(d->prefetchers);
    bx_decoder_free_blocks(d);
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_free(d->all[i]);
    free(d->all);
    bx_call_stacks_free(d->all_calls);
    bx_object_map_free(d->objects);
    bx_decoder_free_predictors(d);
    free(d->fault);
    free(d->cut);
    free(d);
}
