/* The pages in memory that all address spaces of a program share. */
#include "machine/program/decode/physical_memory.h"

#include <search.h>
#include <stdlib.h>

bx_physical_memory *bx_physical_memory_new(struct bx_frames *frames)
{
    bx_physical_memory *m = calloc(1, sizeof *m);
    if (m)
        m->frames = frames;
    return m;
}

void bx_physical_memory_free(bx_physical_memory *m)
{
    free(m);
}

bool bx_physical_memory_ran_out(const bx_physical_memory *m)
{
    return m->out_of_memory;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_physical(const void *left, const void *right)
{
    const bx_physical *a = left, *b = right;
    int by_page = compare(a->page, b->page), by_inode = compare(a->inode, b->inode);
    return by_page ? by_page : by_inode ? by_inode : compare(a->device, b->device);
}

bx_physical *bx_physical_new(bx_physical_memory *m, unsigned node)
{
    bx_physical *p = malloc(sizeof *p);
    if (!p) {
        m->out_of_memory = true;
        p = &m->substitute;
    }
    uint32_t users = p == &m->substitute ? p->users : 0;
    *p = (bx_physical){.frame = (uint32_t)bx_frames_take(m->frames, BX_FRAME_OF_PAGE, node),
                       .users = users + 1};
    m->pages += p != &m->substitute;
    return p;
}

uint64_t bx_physical_memory_pages(const bx_physical_memory *m)
{
    return m->pages;
}

unsigned bx_physical_memory_nodes(const bx_physical_memory *m)
{
    return bx_frames_nodes(m->frames);
}

void bx_physical_forget(bx_physical_memory *m, bx_physical *p)
{
    if (p->known)
        tdelete(p, &m->known, compare_physical);
    p->known = false;
}

void bx_physical_release(bx_physical_memory *m, bx_physical *p)
{
    if (--p->users || p == &m->substitute)
        return;
    bx_physical_forget(m, p);
    bx_frames_give_back(m->frames, BX_FRAME_OF_PAGE, p->frame);
    m->pages--;
    free(p);
}

bx_physical *bx_physical_known(bx_physical_memory *m, const bx_physical *key, unsigned node)
{
    bx_physical *const *found = tfind(key, &m->known, compare_physical);
    if (found) {
        (*found)->users++;
        return *found;
    }
    bx_physical *p = bx_physical_new(m, node);
    if (p == &m->substitute)
        return p;
    p->device = key->device;
    p->inode = key->inode;
    p->page = key->page;
    p->known = tsearch(p, &m->known, compare_physical);
    m->out_of_memory |= !p->known;
    return p;
}

bx_physical *bx_physical_zero(bx_physical_memory *m)
{
    if (m->zero.users == 0)
        m->zero = (bx_physical){.frame = (uint32_t)bx_frames_take(m->frames, BX_FRAME_OF_TABLE, 0),
                                .users = 1};
    m->zero.users++;
    return &m->zero;
}
