/* Binaries, instructions and threads, found by what a trace says of them. */
#include "machine/program/decode/witness.h"

#include "base/grow.h"
#include "symbols/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CODES = 1 << 10,
    FIRST_BINARIES = 16,
    FIRST_THREADS = 16,
    CONTEXTS_MOST = 1 << 20,
};

void bx_witness_begin(bx_witness *w)
{
    *w = (bx_witness){0};
    pthread_mutex_init(&w->lock, NULL);
}

void bx_witness_end(bx_witness *w)
{
    free(w->code);
    bx_slots_free(&w->code_slots);
    free(w->thread);
    free(w->context);
    bx_slots_free(&w->context_slots);
    free(w->object);
    bx_slots_free(&w->object_slots);
    for (size_t i = 0; i < w->binaries; i++) {
        bx_elf_close(w->binary[i].elf);
        free(w->binary[i].path);
    }
    free(w->binary);
    pthread_mutex_destroy(&w->lock);
}

/* ---- binaries ---- */

/* Its number; 0: out of memory. */
uint32_t bx_witness_binary_of(bx_witness *w, bool memory, uint64_t device, uint64_t inode)
{
    for (size_t i = w->binaries; i-- > 0;) {
        const bx_witness_binary *b = &w->binary[i];
        if (b->device == device && b->inode == inode && b->memory == memory)
            return (uint32_t)i + 1;
    }
    bx_witness_binary *all =
        bx_grow(w->binary, w->binaries, &w->binaries_room, sizeof *all, FIRST_BINARIES);
    w->failed |= !all;
    if (!all)
        return 0;
    w->binary = all;
    all[w->binaries++] = (bx_witness_binary){.device = device, .inode = inode, .memory = memory};
    return (uint32_t)w->binaries;
}

uint32_t bx_witness_name(bx_witness *w, uint64_t device, uint64_t inode, const char *text)
{
    const char *path = strchr(text, ' ');
    size_t id = path ? (size_t)(path - text) : 0;
    pthread_mutex_lock(&w->lock);
    uint32_t number = path ? bx_witness_binary_of(w, false, device, inode) : 0;
    bx_witness_binary *b = number ? &w->binary[number - 1] : NULL;
    if (b && !b->path) {
        b->path = strdup(path + 1);
        w->failed |= !b->path;
        if (id < sizeof b->build_id && text[0] != '-')
            memcpy(b->build_id, text, id);
    }
    pthread_mutex_unlock(&w->lock);
    return number;
}

/* ---- instructions ---- */

static uint64_t hash_of_code(const void *row)
{
    const bx_witness_code *c = row;
    uint64_t hash = (c->offset ^ (uint64_t)c->binary << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 31;
}

static bool is_code(const void *row, const void *key)
{
    const bx_witness_code *a = row, *b = key;
    return a->binary == b->binary && a->offset == b->offset;
}

static const bx_slots_kind codes_by_place = {sizeof(bx_witness_code), hash_of_code, is_code};

static uint32_t number_of_code(bx_witness *w, bx_witness_code what)
{
    if (!bx_slots_make_room(&w->code_slots, &codes_by_place, w->code, w->codes, 2 * FIRST_CODES))
        return BX_CODE_OTHER;
    uint32_t *slot = bx_slots_find(&w->code_slots, &codes_by_place, w->code, &what);
    if (!*slot) {
        bx_witness_code *all = bx_grow(w->code, w->codes, &w->codes_room, sizeof *all, FIRST_CODES);
        if (!all)
            return BX_CODE_OTHER;
        w->code = all;
        all[w->codes++] = what;
        *slot = (uint32_t)w->codes;
    }
    return BX_CODE_FIRST + *slot - 1;
}

static uint32_t note_code(bx_witness *w, uint32_t binary, uint64_t offset)
{
    uint32_t number = binary ? number_of_code(w, (bx_witness_code){binary, offset}) : BX_CODE_OTHER;
    w->failed |= number == BX_CODE_OTHER;
    return number;
}

uint32_t bx_witness_code_at(bx_witness *w, uint64_t device, uint64_t inode, uint64_t offset)
{
    pthread_mutex_lock(&w->lock);
    uint32_t number = note_code(w, bx_witness_binary_of(w, false, device, inode), offset);
    pthread_mutex_unlock(&w->lock);
    return number;
}

uint32_t bx_witness_memory_code_at(bx_witness *w, uint32_t process, uint32_t pid, uint64_t address)
{
    pthread_mutex_lock(&w->lock);
    uint32_t binary = bx_witness_binary_of(w, true, 0, process);
    if (binary)
        w->binary[binary - 1].pid = pid;
    uint32_t number = note_code(w, binary, address);
    pthread_mutex_unlock(&w->lock);
    return number;
}

/* ---- calling contexts ---- */

static uint64_t hash_of_context(const void *row)
{
    const bx_witness_context_of *c = row;
    uint64_t hash = (c->code ^ (uint64_t)c->parent << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 31;
}

static bool is_context(const void *row, const void *key)
{
    const bx_witness_context_of *a = row, *b = key;
    return a->parent == b->parent && a->code == b->code;
}

static const bx_slots_kind contexts_by_call = {sizeof(bx_witness_context_of), hash_of_context,
                                               is_context};

static uint32_t number_of_context(bx_witness *w, bx_witness_context_of what)
{
    if (!bx_slots_make_room(&w->context_slots, &contexts_by_call, w->context, w->contexts,
                            2 * FIRST_CODES))
        return 0;
    uint32_t *slot = bx_slots_find(&w->context_slots, &contexts_by_call, w->context, &what);
    if (*slot)
        return *slot;
    if (w->contexts >= CONTEXTS_MOST) {
        w->merged++;
        return what.parent;
    }
    bx_witness_context_of *all =
        bx_grow(w->context, w->contexts, &w->contexts_room, sizeof *all, FIRST_CODES);
    if (!all)
        return 0;
    w->context = all;
    all[w->contexts++] = what;
    return *slot = (uint32_t)w->contexts;
}

uint32_t bx_witness_context(bx_witness *w, uint32_t parent, uint32_t code)
{
    pthread_mutex_lock(&w->lock);
    uint32_t number = number_of_context(w, (bx_witness_context_of){parent, code});
    w->failed |= !number && w->contexts < CONTEXTS_MOST;
    pthread_mutex_unlock(&w->lock);
    return number;
}

/* ---- threads ---- */

void bx_witness_add_thread(bx_witness *w, bx_witness_thread t)
{
    pthread_mutex_lock(&w->lock);
    bx_witness_thread *all =
        bx_grow(w->thread, w->threads, &w->threads_room, sizeof *all, FIRST_THREADS);
    w->failed |= !all;
    if (all) {
        w->thread = all;
        all[w->threads++] = t;
    }
    pthread_mutex_unlock(&w->lock);
}

void bx_witness_set_program(bx_witness *w, uint32_t process, uint32_t program)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->threads; i++)
        if (w->thread[i].process == process && !w->thread[i].program)
            w->thread[i].program = program;
    pthread_mutex_unlock(&w->lock);
}
