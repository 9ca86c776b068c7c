/* The objects of the programs that a machine traces. */
#include "machine/program/decode/witness.h"

#include "base/grow.h"
#include "symbols/elf_file.h"

#include <stdlib.h>

enum { FIRST_OBJECTS = 1 << 8 };

static uint32_t *slot_of_object(const bx_witness *w, const bx_witness_object *what)
{
    uint64_t hash =
        (what->address ^ (uint64_t)what->of << 32 ^ what->kind) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash ^ hash >> 31) & (w->object_slots - 1);
    for (; w->object_slot[i]; i = (i + 1) & (w->object_slots - 1)) {
        const bx_witness_object *o = &w->object[w->object_slot[i] - 1];
        if (o->kind == what->kind && o->of == what->of && o->address == what->address)
            break;
    }
    return &w->object_slot[i];
}

static bool make_more_object_slots(bx_witness *w)
{
    size_t slots = w->object_slots ? 2 * w->object_slots : 2 * FIRST_OBJECTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(w->object_slot);
    w->object_slot = slot;
    w->object_slots = slots;
    for (size_t i = 0; i < w->objects; i++)
        *slot_of_object(w, &w->object[i]) = (uint32_t)i + 1;
    return true;
}

/* Its index; SIZE_MAX: out of memory. */
static size_t object_like(bx_witness *w, bx_witness_object what)
{
    if (2 * (w->objects + 1) > w->object_slots && !make_more_object_slots(w)) {
        w->failed = true;
        return SIZE_MAX;
    }
    uint32_t *slot = slot_of_object(w, &what);
    if (*slot)
        return *slot - 1;
    bx_witness_object *all =
        bx_grow(w->object, w->objects, &w->objects_room, sizeof *all, FIRST_OBJECTS);
    w->failed |= !all;
    if (!all)
        return SIZE_MAX;
    w->object = all;
    what.changed = true;
    all[w->objects++] = what;
    *slot = (uint32_t)w->objects;
    return w->objects - 1;
}

static uint32_t number_of_object(size_t index)
{
    return index == SIZE_MAX ? BX_OBJECT_NONE : BX_OBJECT_FIRST + (uint32_t)index;
}

/* ---- allocations ---- */

uint32_t bx_witness_allocate(bx_witness *w, uint32_t context, uint64_t bytes)
{
    pthread_mutex_lock(&w->lock);
    size_t index = object_like(w, (bx_witness_object){.kind = BX_OBJECT_IS_HEAP, .of = context});
    if (index != SIZE_MAX) {
        bx_witness_object *o = &w->object[index];
        o->allocations++;
        o->alive += bytes;
        o->bytes = o->alive > o->bytes ? o->alive : o->bytes;
        o->changed = w->any_allocation = true;
    }
    pthread_mutex_unlock(&w->lock);
    return number_of_object(index);
}

void bx_witness_release(bx_witness *w, uint32_t object, uint64_t bytes)
{
    pthread_mutex_lock(&w->lock);
    if (object >= BX_OBJECT_FIRST)
        w->object[object - BX_OBJECT_FIRST].alive -= bytes;
    pthread_mutex_unlock(&w->lock);
}

/* ---- files and their variables ---- */

uint32_t bx_witness_file(bx_witness *w, uint64_t device, uint64_t inode)
{
    pthread_mutex_lock(&w->lock);
    uint32_t binary = bx_witness_binary_of(w, false, device, inode);
    size_t index = object_like(w, (bx_witness_object){.kind = BX_OBJECT_IS_FILE, .of = binary});
    pthread_mutex_unlock(&w->lock);
    return number_of_object(index);
}

bool bx_witness_is_file(bx_witness *w, uint32_t binary, uint64_t device, uint64_t inode)
{
    pthread_mutex_lock(&w->lock);
    const bx_witness_binary *b = &w->binary[binary - 1];
    bool is = b->device == device && b->inode == inode;
    pthread_mutex_unlock(&w->lock);
    return is;
}

static uint32_t open_image(bx_witness *w, uint32_t binary, uint64_t address, uint64_t *bias,
                           uint64_t *bytes)
{
    const char *why;
    bx_witness_binary *b = &w->binary[binary - 1];
    uint64_t begin;
    if (!b->elf && b->path)
        b->elf = bx_elf_open(b->path, b->build_id, &why);
    if (!b->elf || !bx_elf_address(b->elf, 0, &begin))
        return 0;
    *bias = address - begin;
    *bytes = bx_elf_end(b->elf) - begin;
    return *bytes <= INT64_MAX ? binary : 0;
}

uint32_t bx_witness_image(bx_witness *w, uint64_t device, uint64_t inode, uint64_t address,
                          uint64_t *bias, uint64_t *bytes)
{
    pthread_mutex_lock(&w->lock);
    uint32_t binary = bx_witness_binary_of(w, false, device, inode);
    binary = binary ? open_image(w, binary, address, bias, bytes) : 0;
    pthread_mutex_unlock(&w->lock);
    return binary;
}

uint32_t bx_witness_variable(bx_witness *w, uint32_t binary, uint64_t address, uint64_t *from,
                             uint64_t *to)
{
    bx_elf_datum is;
    pthread_mutex_lock(&w->lock);
    const char *name = bx_elf_data(w->binary[binary - 1].elf, address, &is);
    size_t index = name ? object_like(w, (bx_witness_object){.kind = BX_OBJECT_IS_GLOBAL,
                                                             .of = binary,
                                                             .address = is.begin,
                                                             .name = name,
                                                             .bytes = is.bytes})
                        : SIZE_MAX;
    pthread_mutex_unlock(&w->lock);
    *from = is.from;
    *to = is.to;
    return index == SIZE_MAX ? 0 : number_of_object(index);
}
