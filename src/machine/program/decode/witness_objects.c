/* The objects of the programs that a machine traces. */
#include "machine/program/decode/witness.h"

#include "base/grow.h"
#include "symbols/elf_file.h"

#include <stdlib.h>

enum { FIRST_OBJECTS = 1 << 8 };

static uint64_t hash_of_object(const void *row)
{
    const bx_witness_object *o = row;
    uint64_t hash = (o->address ^ (uint64_t)o->of << 32 ^ o->kind) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 31;
}

static bool is_object(const void *row, const void *key)
{
    const bx_witness_object *a = row, *b = key;
    return a->kind == b->kind && a->of == b->of && a->address == b->address;
}

static const bx_slots_kind objects_by_place = {sizeof(bx_witness_object), hash_of_object,
                                               is_object};

/* Its index; SIZE_MAX: out of memory. */
static size_t object_like(bx_witness *w, bx_witness_object what)
{
    if (!bx_slots_make_room(&w->object_slots, &objects_by_place, w->object, w->objects,
                            2 * FIRST_OBJECTS)) {
        w->failed = true;
        return SIZE_MAX;
    }
    uint32_t *slot = bx_slots_find(&w->object_slots, &objects_by_place, w->object, &what);
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
