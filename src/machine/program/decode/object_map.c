/* Pages with an object for each 16 bytes: allocators give no less. A large allocation is looked up
 * when a page of it is first touched. */
#include "machine/program/decode/object_map.h"

#include "base/grow.h"
#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BITS = 12,
    GRANULE_BITS = BX_OBJECT_GRANULE_BITS,
    GRANULES = 1 << (PAGE_BITS - GRANULE_BITS),
    LARGE = 1 << 16, /* bytes */
    FIRST_SLOTS = 1 << 10,
    STACK_BELOW = 128 << 10, /* a thread's stack reaches so far below its last call */
    VARIABLES = 1 << 8,      /* that are remembered, by granule */
};

/* What is known of a page. */
typedef struct object_page {
    uint64_t number;     /* plus 1; 0: an empty slot */
    uint32_t *granule;   /* [GRANULES]: allocations; NULL: none */
    uint32_t whole;      /* of all other bytes; 0: not looked up */
    uint32_t image : 31; /* 1 + index of the file whose variables are here; 0: none */
    uint32_t large : 1;  /* a part of it is a large allocation's */
} object_page;

/* A variable, as its object. */
typedef struct known_variable {
    uint64_t begin, bytes; /* bytes 0: not looked up */
    uint32_t object;       /* 0: there is no variable */
} known_variable;

typedef struct allocation {
    uint64_t address; /* plus 1; 0: an empty slot */
    uint64_t bytes;
    uint32_t object;
} allocation;

/* Where an ELF file's data are: variables have addresses as in the file, plus `bias`. */
typedef struct mapped_image {
    uint64_t bias, begin, end;
    uint32_t binary;
} mapped_image;

struct bx_object_map {
    bx_object_memo memo[BX_OBJECT_MEMOS]; /* first: bx_object_map_at() */
    bx_witness *witness;
    bx_address_space *space;
    bx_keyed page;     /* object_page */
    bx_keyed live;     /* allocation */
    allocation *large; /* [larges] */
    size_t larges, larges_room;
    mapped_image *image; /* [images] */
    size_t images, images_room;
    known_variable known[VARIABLES];
    bool knows; /* any of them, or of the memos */
};

/* ---- pages ---- */

/* NULL: out of memory. */
static object_page *page_at(bx_object_map *m, uint64_t number)
{
    object_page *p = bx_keyed_find(&m->page, number);
    if (p->number)
        return p;
    if (!bx_keyed_make_room(&m->page, FIRST_SLOTS)) {
        m->witness->failed = true;
        return NULL;
    }
    p = bx_keyed_find(&m->page, number);
    m->page.n++;
    p->number = number + 1;
    return p;
}

static void forget_memo(bx_object_map *m, uint64_t granule)
{
    bx_object_memo *memo = &m->memo[granule % BX_OBJECT_MEMOS];
    if (memo->granule == granule + 1)
        memo->granule = 0;
}

static void forget_page(object_page *p)
{
    p->whole = p->image = p->large = 0;
}

static void fill(bx_object_map *m, uint64_t address, uint64_t bytes, uint32_t object)
{
    uint64_t from = address >> GRANULE_BITS,
             last = (address + (bytes ? bytes : 1) - 1) >> GRANULE_BITS;
    object_page *p = NULL;
    for (uint64_t at = from; at <= last; at++) {
        if (!p || at % GRANULES == 0) {
            p = page_at(m, at / GRANULES);
            if (p && !p->granule && object)
                p->granule = calloc(GRANULES, sizeof *p->granule);
            m->witness->failed |= object && (!p || !p->granule);
        }
        if (p && p->granule)
            p->granule[at % GRANULES] = object;
        forget_memo(m, at);
    }
}

void bx_object_map_forget(bx_object_map *m, uint64_t address, uint64_t bytes)
{
    uint64_t from = address >> PAGE_BITS, pages = bytes >> PAGE_BITS;
    if (m->knows) {
        memset(m->known, 0, sizeof m->known);
        memset(m->memo, 0, sizeof m->memo);
    }
    m->knows = false;
    if (pages > m->page.places) { /* look at those that there are */
        object_page *all = m->page.at;
        for (size_t i = 0; i < m->page.places; i++)
            if (all[i].number && all[i].number - 1 - from < pages)
                forget_page(&all[i]);
        return;
    }
    for (uint64_t i = 0; i < pages; i++) {
        object_page *p = bx_keyed_find(&m->page, from + i);
        if (p->number)
            forget_page(p);
    }
}

/* ---- allocations ---- */

static void add_large(bx_object_map *m, const allocation *a)
{
    allocation *all = bx_grow(m->large, m->larges, &m->larges_room, sizeof *all, 16);
    if (all) {
        m->large = all;
        all[m->larges++] = *a;
    }
    m->witness->failed |= !all;
    bx_object_map_forget(m, a->address >> PAGE_BITS << PAGE_BITS, a->bytes + 2 * (1 << PAGE_BITS));
}

static void remove_large(bx_object_map *m, uint64_t address)
{
    for (size_t i = 0; i < m->larges; i++)
        if (m->large[i].address == address)
            m->large[i] = m->large[--m->larges];
}

void bx_object_map_release(bx_object_map *m, uint64_t address)
{
    allocation *a = bx_keyed_find(&m->live, address);
    if (!a->address)
        return;
    bx_witness_release(m->witness, a->object, a->bytes);
    if (a->bytes < LARGE) {
        fill(m, address, a->bytes, 0);
    } else {
        remove_large(m, address);
        bx_object_map_forget(m, address >> PAGE_BITS << PAGE_BITS, a->bytes + 2 * (1 << PAGE_BITS));
    }
    bx_keyed_remove(&m->live, a);
}

void bx_object_map_allocate(bx_object_map *m, uint64_t address, uint64_t bytes, uint32_t context)
{
    if (bytes > INT64_MAX || address > UINT64_MAX - bytes - 4096)
        return; /* no program has it */
    bx_object_map_release(m, address);
    if (!bx_keyed_make_room(&m->live, FIRST_SLOTS)) {
        m->witness->failed = true;
        return;
    }
    allocation a = {address, bytes, bx_witness_allocate(m->witness, context, bytes)};
    if (bytes < LARGE)
        fill(m, address, bytes, a.object);
    else
        add_large(m, &a);
    a.address++;
    *(allocation *)bx_keyed_find(&m->live, address) = a;
    m->live.n++;
}

/* ---- all other memory ---- */

void bx_object_map_image(bx_object_map *m, uint64_t address, uint64_t device, uint64_t inode)
{
    uint64_t bias, bytes;
    uint32_t binary = bx_witness_image(m->witness, device, inode, address, &bias, &bytes);
    mapped_image *all =
        binary ? bx_grow(m->image, m->images, &m->images_room, sizeof *all, 16) : NULL;
    if (!all)
        return;
    m->image = all;
    all[m->images++] = (mapped_image){bias, address, address + bytes, binary};
    bx_object_map_forget(m, address, (bytes >> PAGE_BITS << PAGE_BITS) + (1 << PAGE_BITS));
}

/* An address may be written again and again by programs that are mapped one after the other. */
static uint32_t image_at(const bx_object_map *m, uint64_t address)
{
    for (size_t i = m->images; i-- > 0;)
        if (address >= m->image[i].begin && address < m->image[i].end)
            return (uint32_t)i + 1;
    return 0;
}

static uint32_t large_at(const bx_object_map *m, uint64_t address)
{
    for (size_t i = 0; i < m->larges; i++)
        if (address - m->large[i].address < m->large[i].bytes)
            return m->large[i].object;
    return 0;
}

/* A page with a large allocation: all of it, or a part. */
static void look_up_large(const bx_object_map *m, object_page *p)
{
    const uint64_t page = (p->number - 1) << PAGE_BITS, end = page + (1 << PAGE_BITS);
    for (size_t i = 0; i < m->larges; i++) {
        const allocation *a = &m->large[i];
        if (a->address >= end || a->address + a->bytes <= page)
            continue;
        p->large = 1;
        if (a->address > page || a->address + a->bytes < end)
            continue;
        p->whole = a->object;
        p->large = 0;
        p->image = 0;
        return;
    }
}

static void look_up(bx_object_map *m, object_page *p, uint64_t address, const bx_call_stacks *calls)
{
    uint64_t stack = calls && calls->n ? calls->stack[calls->now].top : 0;
    bx_mapping of;
    bool mapped = bx_address_space_mapping(m->space, address, &of);
    p->image = image_at(m, address);
    if (p->image && mapped && of.file &&
        !bx_witness_is_file(m->witness, m->image[p->image - 1].binary, of.device, of.inode))
        p->image = 0; /* another file is there now */
    if (mapped && of.file)
        p->whole = bx_witness_file(m->witness, of.device, of.inode);
    else if ((mapped && of.filled) ||
             (stack && address + STACK_BELOW >= stack && address < stack + STACK_BELOW))
        p->whole = BX_OBJECT_STACK;
    else
        p->whole = BX_OBJECT_ANONYMOUS;
    look_up_large(m, p);
}

static uint32_t variable_at(bx_object_map *m, const object_page *p, uint64_t address)
{
    known_variable *known = &m->known[(address >> GRANULE_BITS) % VARIABLES];
    if (address - known->begin >= known->bytes) {
        const mapped_image *i = &m->image[p->image - 1];
        const uint64_t first = i->begin - i->bias, end = i->end - i->bias;
        uint64_t from, to;
        known->object = bx_witness_variable(m->witness, i->binary, address - i->bias, &from, &to);
        from = from < first ? first : from;
        known->begin = from + i->bias;
        known->bytes = (to < end ? to : end) - from;
        m->knows = true;
    }
    return known->object ? known->object : p->whole;
}

/* Whether all bytes of the address's granule are in the same answer. */
static bool covers_granule(const known_variable *known, uint64_t address)
{
    const uint64_t first = address >> GRANULE_BITS << GRANULE_BITS;
    return known->begin <= first && first + (1 << GRANULE_BITS) - known->begin <= known->bytes;
}

uint32_t bx_object_map_look_up(bx_object_map *m, uint64_t address, const bx_call_stacks *calls)
{
    object_page *p = page_at(m, address >> PAGE_BITS);
    if (!p)
        return BX_OBJECT_NONE;
    uint32_t object = p->granule ? p->granule[address >> GRANULE_BITS & (GRANULES - 1)] : 0;
    if (!object && !p->whole)
        look_up(m, p, address, calls);
    if (!object && p->large && (object = large_at(m, address)))
        return object; /* it may end in the granule */
    bool of_image = !object && p->image;
    if (!object)
        object = of_image ? variable_at(m, p, address) : p->whole;
    if (of_image && !covers_granule(&m->known[(address >> GRANULE_BITS) % VARIABLES], address))
        return object;
    m->memo[(address >> GRANULE_BITS) % BX_OBJECT_MEMOS] =
        (bx_object_memo){(address >> GRANULE_BITS) + 1, object};
    m->knows = true;
    return object;
}

/* ---- processes ---- */

bx_object_map *bx_object_map_new(bx_witness *w, bx_address_space *space)
{
    bx_object_map *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->witness = w;
    m->space = space;
    m->page.size = sizeof(object_page);
    m->live.size = sizeof(allocation);
    if (!bx_keyed_make_room(&m->page, FIRST_SLOTS) || !bx_keyed_make_room(&m->live, FIRST_SLOTS)) {
        bx_object_map_free(m);
        return NULL;
    }
    return m;
}

static void *copied(const void *from, size_t bytes, bool *failed)
{
    void *to = malloc(bytes ? bytes : 1);
    *failed |= !to;
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

bx_object_map *bx_object_map_copy(const bx_object_map *of, bx_address_space *space)
{
    bool failed = false;
    bx_object_map *m = of ? malloc(sizeof *m) : NULL;
    if (!m)
        return NULL;
    *m = *of;
    m->space = space;
    m->page.at = copied(of->page.at, of->page.places * of->page.size, &failed);
    m->live.at = copied(of->live.at, of->live.places * of->live.size, &failed);
    m->large = copied(of->large, of->larges * sizeof *m->large, &failed);
    m->image = copied(of->image, of->images * sizeof *m->image, &failed);
    m->larges_room = of->larges;
    m->images_room = of->images;
    object_page *page = m->page.at;
    for (size_t i = 0; page && i < m->page.places; i++)
        if (page[i].granule)
            page[i].granule = copied(page[i].granule, GRANULES * sizeof(uint32_t), &failed);
    if (!failed)
        return m;
    bx_object_map_free(m);
    return NULL;
}

void bx_object_map_free(bx_object_map *m)
{
    if (!m)
        return;
    object_page *page = m->page.at;
    for (size_t i = 0; page && i < m->page.places; i++)
        free(page[i].granule);
    free(page);
    free(m->live.at);
    free(m->large);
    free(m->image);
    free(m);
}
