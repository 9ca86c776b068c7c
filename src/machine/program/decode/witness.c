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
    free(w->slot);
    free(w->thread);
    free(w->context);
    free(w->context_slot);
    free(w->object);
    free(w->object_slot);
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

static uint32_t *slot_of_code(const bx_witness *w, bx_witness_code what)
{
    uint64_t hash = (what.offset ^ (uint64_t)what.binary << 40) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash ^ hash >> 31) & (w->slots - 1);
    for (; w->slot[i]; i = (i + 1) & (w->slots - 1)) {
        const bx_witness_code *c = &w->code[w->slot[i] - 1];
        if (c->binary == what.binary && c->offset == what.offset)
            break;
    }
    return &w->slot[i];
}

static bool make_more_slots(bx_witness *w)
{
    size_t slots = w->slots ? 2 * w->slots : 2 * FIRST_CODES;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(w->slot);
    w->slot = slot;
    w->slots = slots;
    for (size_t i = 0; i < w->codes; i++)
        *slot_of_code(w, w->code[i]) = (uint32_t)i + 1;
    return true;
}

static uint32_t number_of_code(bx_witness *w, bx_witness_code what)
{
    if (2 * (w->codes + 1) > w->slots && !make_more_slots(w))
        return BX_CODE_OTHER;
    uint32_t *slot = slot_of_code(w, what);
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

static uint32_t *slot_of_context(const bx_witness *w, bx_witness_context_of what)
{
    uint64_t hash = (what.code ^ (uint64_t)what.parent << 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash ^ hash >> 31) & (w->context_slots - 1);
    for (; w->context_slot[i]; i = (i + 1) & (w->context_slots - 1)) {
        const bx_witness_context_of *c = &w->context[w->context_slot[i] - 1];
        if (c->parent == what.parent && c->code == what.code)
            break;
    }
    return &w->context_slot[i];
}

static bool make_more_context_slots(bx_witness *w)
{
    size_t slots = w->context_slots ? 2 * w->context_slots : 2 * FIRST_CODES;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(w->context_slot);
    w->context_slot = slot;
    w->context_slots = slots;
    for (size_t i = 0; i < w->contexts; i++)
        *slot_of_context(w, w->context[i]) = (uint32_t)i + 1;
    return true;
}

static uint32_t number_of_context(bx_witness *w, bx_witness_context_of what)
{
    if (2 * (w->contexts + 1) > w->context_slots && !make_more_context_slots(w))
        return 0;
    uint32_t *slot = slot_of_context(w, what);
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
