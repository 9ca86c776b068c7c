/* The blocks of a decoder: what their executions count, what retires by their exits, and who makes
 * their accesses. */
#include "machine/program/decode/blocks.h"

#include "machine/program/decode/witness.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCKS = 1024 };

static void add_counts(bx_trace_counts *to, const bx_block *b)
{
    for (uint32_t i = 0; i < b->exits; i++) {
        const bx_block_counts *c = &b->counts[i];
        bx_trace_counts once = {c->instructions, c->loads, c->stores, c->modifications,
                                c->left_out};
        bx_trace_counts_add(to, once, b->exit[i].executions);
    }
}

bx_trace_counts bx_decoder_counts(const bx_decoder *d)
{
    bx_trace_counts sum = d->gone;
    for (size_t i = 0; i < d->room; i++)
        if (d->block[i])
            add_counts(&sum, d->block[i]);
    sum.loads -= d->unmade_loads;
    sum.stores -= d->unmade_stores;
    return sum;
}

/* ---- keeping ---- */

/* Makes room for a block's number. */
static bool make_room_for_block(bx_decoder *d, uint64_t number)
{
    size_t room = d->room ? d->room : FIRST_BLOCKS;
    while (room <= number)
        room *= 2;
    bx_block **more = calloc(room, sizeof *more); /* the kernel makes no pages of unused numbers */
    if (!more)
        return false;
    if (d->room)
        memcpy(more, d->block, d->room * sizeof *more);
    free(d->block);
    d->block = more;
    d->room = room;
    return true;
}

/* Gives numbers to what retires by each exit. */
static bool number_exits(bx_decoder *d)
{
    bx_draft *from = &d->draft;
    for (uint32_t i = 0; d->retired && i < from->exits; i++) {
        from->exit[i].retires = bx_retired_table_add(d->retired, &from->exit_retired[i]);
        if (from->exit[i].retires == BX_RETIRED_NONE)
            return false;
    }
    return true;
}

static uint32_t code_at(bx_decoder *d, uint64_t address)
{
    bx_mapping m;
    if (bx_address_space_mapping(d->space, address, &m) && m.file)
        return bx_witness_code_at(d->witness, m.device, m.inode, m.offset);
    return bx_witness_memory_code_at(d->witness, d->process, d->pid, address);
}

/* Numbers the instructions of a block. Items of one instruction follow each other. */
static bool number_code(bx_decoder *d, bx_block *b)
{
    const bx_draft *from = &d->draft;
    size_t notes = b->items * sizeof *b->note;
    bx_block_note *note = malloc(notes + b->exits * sizeof *b->code);
    if (!note)
        return false;
    b->note = note;
    b->code = (uint32_t *)(void *)(note + b->items);
    for (uint32_t i = 0; i < b->items; i++) {
        const bx_block_item *item = &from->item[i];
        bool again = i && from->at[i] == from->at[i - 1];
        note[i] = (bx_block_note){
            .address = item->kind == BX_ITEM_UNKNOWN ? item->access << d->lines.shift : 0,
            .code = again ? note[i - 1].code : code_at(d, from->at[i]),
            .data = item->kind == BX_ITEM_DATA || item->kind == BX_ITEM_STEER ||
                    item->kind == BX_ITEM_OVERWRITE,
            .turn = d->witness->follows_calls ? from->turn[i] : BX_TURN_NONE};
    }
    for (uint32_t i = 0; i < b->exits; i++)
        b->code[i] = code_at(d, from->exit_at[i]);
    return true;
}

static void free_block(bx_block *b)
{
    if (b)
        free(b->note);
    free(b);
}

bool bx_decoder_keep_block(bx_decoder *d, uint64_t number)
{
    bool fits = (number < d->room || make_room_for_block(d, number)) && number_exits(d);
    bx_block *made = fits ? bx_draft_block(&d->draft) : NULL;
    if (!made)
        return false;
    if (d->witness && !number_code(d, made)) {
        free(made);
        return false;
    }
    if (d->block[number])
        add_counts(&d->gone, d->block[number]);
    free_block(d->block[number]);
    d->block[number] = made;
    return true;
}

void bx_decoder_free_blocks(bx_decoder *d)
{
    for (size_t i = 0; i < d->room; i++)
        free_block(d->block[i]);
    free(d->block);
}
