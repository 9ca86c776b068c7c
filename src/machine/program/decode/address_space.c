/* The page tables and mappings of a program's processes. */
#include "machine/program/decode/address_space.h"

#include "machine/program/decode/huge_advice.h"
#include "machine/program/decode/physical_memory.h"
#include "model/engine/permute.h"

#include <stdlib.h>

enum {
    TABLE_SHIFT = 9,
    TABLE_PAGES = 1 << TABLE_SHIFT, /* a table maps 2 MiB */
    ADDRESS_BITS = 47,              /* of a program's addresses; the upper half is the kernel's */
    FIRST_TABLES = 64,
};
static const uint64_t ANONYMOUS = UINT64_MAX - 1; /* device of shared memory without a file */

typedef struct page_table {
    uint64_t number; /* number of its first page >> TABLE_SHIFT */
    bool huge;       /* its pages are one huge page, in adjacent frames */
    bx_physical *page[TABLE_PAGES];
    uint64_t writable[TABLE_PAGES / 64];
} page_table;

struct bx_address_space {
    bx_physical_memory *memory;
    page_table **table; /* [mask + 1]: a hash table, at most half full; entries are never removed */
    uint64_t mask, tables;
    page_table *recent;
    unsigned node;                 /* of the core that touches pages */
    bx_memory_policy policy;       /* of the thread that touches them */
    bx_ranges policies;            /* of pages: bx_policy_range */
    bx_ranges advice;              /* addresses: bx_advised */
    bool dropped;                  /* pages were dropped since this was last set to false */
    struct bx_page_tables *walked; /* for page walks; NULL: not yet requested */
    bx_ranges mapped;              /* addresses: struct mapped */
};

/* Addresses that are left of a mapping. */
typedef struct mapped {
    bx_range addresses;
    bx_mapping mapping; /* as it was made */
} mapped;

/* ---- page tables ---- */

static page_table **slot_of(page_table **table, uint64_t mask, uint64_t number)
{
    uint64_t at = bx_mix(number) & mask;
    while (table[at] && table[at]->number != number)
        at = (at + 1) & mask;
    return &table[at];
}

static bool grow(bx_address_space *s)
{
    uint64_t room = 2 * (s->mask + 1);
    page_table **more = calloc(room, sizeof *more);
    if (!more)
        return false;
    for (uint64_t i = 0; i <= s->mask; i++)
        if (s->table[i])
            *slot_of(more, room - 1, s->table[i]->number) = s->table[i];
    free(s->table);
    s->table = more;
    s->mask = room - 1;
    return true;
}

/* NULL: there is no such table. */
static page_table *find_table(const bx_address_space *s, uint64_t number)
{
    return s->recent && s->recent->number == number ? s->recent
                                                    : *slot_of(s->table, s->mask, number);
}

static page_table *make_table(bx_address_space *s, uint64_t number)
{
    page_table *l = 2 * s->tables >= s->mask && !grow(s) ? NULL : calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->number = number;
    *slot_of(s->table, s->mask, number) = l;
    s->tables++;
    return l;
}

static page_table *table_of(bx_address_space *s, uint64_t number)
{
    page_table *l = find_table(s, number);
    if (!l)
        l = make_table(s, number);
    s->memory->out_of_memory |= !l;
    s->recent = l;
    return l;
}

static bool is_writable(const page_table *l, unsigned i)
{
    return l->writable[i / 64] >> i % 64 & 1;
}

static void set_page(page_table *l, unsigned i, bx_physical *p, bool writable)
{
    uint64_t bit = UINT64_C(1) << i % 64;
    l->page[i] = p;
    l->writable[i / 64] = writable ? l->writable[i / 64] | bit : l->writable[i / 64] & ~bit;
}

static void drop_page(bx_address_space *s, page_table *l, unsigned i)
{
    if (!l->page[i])
        return;
    bx_physical_release(s->memory, l->page[i]);
    set_page(l, i, NULL, false);
    s->dropped = true;
    l->huge = false;
}

/* ---- huge pages ---- */

static bool has_frame_of_its_own(const page_table *l)
{
    for (unsigned i = 0; l->huge && i < TABLE_PAGES; i++)
        if (l->page[i]->users > 1)
            return false;
    return l->huge;
}

/* Returns the huge frame as a whole. */
static void drop_huge(bx_address_space *s, page_table *l)
{
    bx_frames_give_back(s->memory->frames, BX_FRAME_OF_HUGE, l->page[0]->frame);
    for (unsigned i = 0; i < TABLE_PAGES; i++) {
        free(l->page[i]);
        set_page(l, i, NULL, false);
    }
    s->dropped = true;
    l->huge = false;
}

static bool is_empty(const page_table *l)
{
    for (unsigned i = 0; i < TABLE_PAGES; i++)
        if (l->page[i])
            return false;
    return true;
}

/* Makes all pages of the table, in the frames of a huge page. false: no memory, and no page was
 * made. */
static bool make_huge(bx_address_space *s, page_table *l, unsigned node)
{
    unsigned made = 0;
    while (made < TABLE_PAGES && (l->page[made] = malloc(sizeof **l->page)))
        made++;
    if (made < TABLE_PAGES) {
        s->memory->out_of_memory = true;
        while (made--) {
            free(l->page[made]);
            l->page[made] = NULL;
        }
        return false;
    }
    s->memory->pages += TABLE_PAGES;
    uint32_t frame = (uint32_t)bx_frames_take(s->memory->frames, BX_FRAME_OF_HUGE, node);
    for (unsigned i = 0; i < TABLE_PAGES; i++) {
        *l->page[i] = (bx_physical){.frame = frame + i, .users = 1};
        set_page(l, i, l->page[i], true);
    }
    return l->huge = true;
}

/* ---- mappings ---- */

static const mapped *mapped_at(const bx_address_space *s, uint64_t address)
{
    return bx_ranges_at(&s->mapped, address);
}

bool bx_address_space_mapping(const bx_address_space *s, uint64_t address, bx_mapping *m)
{
    const mapped *found = mapped_at(s, address);
    if (!found)
        return false;
    *m = found->mapping;
    m->offset += address - m->address;
    return true;
}

static void add_mapping(bx_address_space *s, const bx_mapping *what)
{
    const mapped one = {{what->address, what->address + what->bytes}, *what};
    s->memory->out_of_memory |= !bx_ranges_add(&s->mapped, &one);
}

static void remove_mappings(bx_address_space *s, uint64_t from, uint64_t to)
{
    s->memory->out_of_memory |= !bx_ranges_cut(&s->mapped, from, to);
}

static void drop_pages_of(bx_address_space *s, page_table *l, uint64_t first, uint64_t end)
{
    uint64_t base = l->number << TABLE_SHIFT;
    if (first <= base && end - base >= TABLE_PAGES && has_frame_of_its_own(l)) {
        drop_huge(s, l);
        return;
    }
    for (unsigned i = 0; i < TABLE_PAGES; i++)
        if (base + i >= first && base + i < end)
            drop_page(s, l, i);
}

/* Returns pages in the order of their addresses. If the range covers more tables than the hash
 * table can have, it returns them in the order of the hash table. */
static void drop_pages(bx_address_space *s, uint64_t first, uint64_t end)
{
    uint64_t low = first >> TABLE_SHIFT, high = (end - 1) >> TABLE_SHIFT;
    if (high - low > s->mask) {
        for (uint64_t i = 0; i <= s->mask; i++)
            if (s->table[i])
                drop_pages_of(s, s->table[i], first, end);
        return;
    }
    for (uint64_t number = low; number <= high; number++) {
        page_table *l = find_table(s, number);
        if (l)
            drop_pages_of(s, l, first, end);
    }
}

/* Rounds a range to whole pages. false: the range is empty or not among a program's addresses; the
 * trace is not trusted. */
static bool make_whole(uint64_t *address, uint64_t *bytes)
{
    const uint64_t page = 1 << BX_PAGE_SHIFT, most = UINT64_C(1) << ADDRESS_BITS;
    uint64_t start = *address & -page;
    if (*bytes == 0 || *address >= most || *bytes > most - *address)
        return false;
    *bytes = ((*address + *bytes + page - 1) & -page) - start;
    *address = start;
    return true;
}

static void set_policy(bx_address_space *s, uint64_t address, uint64_t bytes, bx_memory_policy p)
{
    s->memory->out_of_memory |= !bx_policies_set(&s->policies, address >> BX_PAGE_SHIFT,
                                                 (address + bytes) >> BX_PAGE_SHIFT, p);
}

static void set_advice(bx_address_space *s, uint64_t address, uint64_t bytes,
                       enum bx_huge_advice advice)
{
    s->memory->out_of_memory |= !bx_advice_set(&s->advice, address, address + bytes, advice);
}

void bx_address_space_advise(bx_address_space *s, uint64_t address, uint64_t bytes, bool huge)
{
    if (make_whole(&address, &bytes))
        set_advice(s, address, bytes, huge ? BX_ADVICE_HUGE : BX_ADVICE_SMALL);
}

bool bx_address_space_unmap(bx_address_space *s, uint64_t address, uint64_t bytes)
{
    if (!make_whole(&address, &bytes))
        return false;
    s->dropped = false;
    remove_mappings(s, address, address + bytes);
    set_policy(s, address, bytes, (bx_memory_policy){0});
    set_advice(s, address, bytes, BX_ADVICE_NONE);
    drop_pages(s, address >> BX_PAGE_SHIFT, (address + bytes) >> BX_PAGE_SHIFT);
    return s->dropped;
}

bool bx_address_space_map(bx_address_space *s, bx_mapping what)
{
    if (!make_whole(&what.address, &what.bytes))
        return false;
    bool dropped = bx_address_space_unmap(s, what.address, what.bytes);
    if (what.shared && !what.file) {
        what.device = ANONYMOUS;
        what.inode = s->memory->anonymous++;
        what.offset = 0;
    }
    if (what.shared || what.file || what.filled)
        add_mapping(s, &what);
    return dropped;
}

bool bx_address_space_discard(bx_address_space *s, uint64_t address, uint64_t bytes)
{
    if (!make_whole(&address, &bytes))
        return false;
    s->dropped = false;
    for (uint64_t at = address, end = address + bytes, to; at < end; at = to) {
        size_t i = bx_ranges_behind(&s->mapped, at);
        const mapped *next = i < s->mapped.n ? bx_ranges_entry(&s->mapped, i) : NULL;
        bool inside = next && next->addresses.from <= at;
        to = !next ? end : inside ? next->addresses.to : next->addresses.from;
        to = to < end ? to : end;
        if (!inside || !next->mapping.shared)
            drop_pages(s, at >> BX_PAGE_SHIFT, to >> BX_PAGE_SHIFT);
    }
    return s->dropped;
}

static void move_page(bx_address_space *s, page_table *l, unsigned i, uint64_t to)
{
    page_table *target = l->page[i] ? table_of(s, to >> TABLE_SHIFT) : NULL;
    if (!target)
        return;
    set_page(target, to % TABLE_PAGES, l->page[i], is_writable(l, i));
    set_page(l, i, NULL, false);
    l->huge = false;
}

static void move_pages(bx_address_space *s, uint64_t from, uint64_t to, uint64_t pages)
{
    for (uint64_t n = 0; n < pages; n++) {
        page_table *l = find_table(s, (from + n) >> TABLE_SHIFT);
        if (l)
            move_page(s, l, (from + n) % TABLE_PAGES, to + n);
        else
            n += TABLE_PAGES - 1 - (from + n) % TABLE_PAGES;
    }
}

void bx_address_space_move(bx_address_space *s, uint64_t from, uint64_t bytes, uint64_t to,
                           uint64_t new_bytes)
{
    if (!make_whole(&from, &bytes) || !make_whole(&to, &new_bytes))
        return;
    const mapped *found = mapped_at(s, from);
    bx_mapping was = found ? found->mapping : (bx_mapping){0};
    was.offset += from - was.address;
    uint64_t kept = bytes < new_bytes ? bytes : new_bytes;
    bx_memory_policy policy = bx_policies_at(&s->policies, from >> BX_PAGE_SHIFT);
    enum bx_huge_advice advice = bx_advice_at(&s->advice, from);
    if (from != to) {
        bx_address_space_unmap(s, to, new_bytes);
        move_pages(s, from >> BX_PAGE_SHIFT, to >> BX_PAGE_SHIFT, kept >> BX_PAGE_SHIFT);
        bx_address_space_unmap(s, from, bytes);
    } else {
        remove_mappings(s, from, from + bytes);
        if (bytes > kept)
            bx_address_space_unmap(s, from + kept, bytes - kept);
    }
    set_policy(s, to, new_bytes, policy);
    set_advice(s, to, new_bytes, advice);
    if (!found)
        return;
    was.address = to;
    was.bytes = new_bytes;
    add_mapping(s, &was);
}

/* ---- address spaces ---- */

bx_address_space *bx_address_space_new(bx_physical_memory *m)
{
    bx_address_space *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->memory = m;
    s->mask = FIRST_TABLES - 1;
    s->policies.size = sizeof(bx_policy_range);
    s->advice.size = sizeof(bx_advised);
    s->mapped.size = sizeof(mapped);
    s->table = calloc(FIRST_TABLES, sizeof *s->table);
    if (!s->table) {
        free(s);
        return NULL;
    }
    return s;
}

void bx_address_space_clear(bx_address_space *s)
{
    for (uint64_t i = 0; i <= s->mask; i++)
        if (s->table[i])
            drop_pages_of(s, s->table[i], 0, UINT64_MAX);
    bx_ranges_free(&s->mapped);
    bx_ranges_free(&s->policies);
    bx_ranges_free(&s->advice);
    if (s->walked)
        bx_page_tables_clear(s->walked);
}

void bx_address_space_free(bx_address_space *s)
{
    if (!s)
        return;
    bx_address_space_clear(s);
    for (uint64_t i = 0; i <= s->mask; i++)
        free(s->table[i]);
    bx_page_tables_free(s->walked);
    free(s->table);
    free(s);
}

static bool is_shared(const bx_address_space *s, uint64_t page)
{
    const mapped *m = mapped_at(s, page << BX_PAGE_SHIFT);
    return m && m->mapping.shared;
}

static void fork_table(bx_address_space *parent, page_table *l, bx_address_space *child)
{
    page_table *copy = make_table(child, l->number);
    parent->memory->out_of_memory |= !copy;
    for (unsigned i = 0; copy && i < TABLE_PAGES; i++) {
        if (!l->page[i])
            continue;
        bool writable = is_writable(l, i) && is_shared(parent, (l->number << TABLE_SHIFT) + i);
        l->page[i]->users++;
        set_page(l, i, l->page[i], writable);
        set_page(copy, i, l->page[i], writable);
        copy->huge = l->huge;
    }
}

bx_address_space *bx_address_space_fork(bx_address_space *parent)
{
    bx_address_space *s = bx_address_space_new(parent->memory);
    if (!s)
        return NULL;
    for (uint64_t i = 0; i <= parent->mask; i++)
        if (parent->table[i])
            fork_table(parent, parent->table[i], s);
    parent->memory->out_of_memory |= !bx_ranges_copy(&s->mapped, &parent->mapped);
    parent->memory->out_of_memory |= !bx_ranges_copy(&s->policies, &parent->policies);
    parent->memory->out_of_memory |= !bx_ranges_copy(&s->advice, &parent->advice);
    return s;
}

/* Whether huge pages are in use, and the table's memory is all anonymous and untouched. */
static bool can_be_huge(const bx_address_space *s, const page_table *l)
{
    uint64_t bytes = (uint64_t)TABLE_PAGES << BX_PAGE_SHIFT, start = l->number * bytes;
    size_t i = bx_ranges_behind(&s->mapped, start);
    const mapped *next = i < s->mapped.n ? bx_ranges_entry(&s->mapped, i) : NULL;
    return bx_frames_are_huge(s->memory->frames) &&
           (!next || next->addresses.from >= start + bytes) && is_empty(l) &&
           bx_advice_allows(&s->advice, start, start + bytes,
                            bx_frames_are_for_advised(s->memory->frames));
}

/* The node of a new page of 2^shift small ones. */
static unsigned node_of(const bx_address_space *s, uint64_t page, unsigned shift)
{
    unsigned nodes = bx_frames_nodes(s->memory->frames);
    if (nodes == 1)
        return 0;
    bx_memory_policy p = bx_policies_at(&s->policies, page);
    if (p.mode == BX_POLICY_DEFAULT)
        p = s->policy;
    return bx_policy_node(p, s->node, nodes, page >> shift);
}

/* The page of a file or of shared memory. */
static bx_physical *mapped_page(bx_physical_memory *memory, const bx_mapping *m, uint64_t page,
                                unsigned node)
{
    const bx_physical key = {.device = m->device,
                             .inode = m->inode,
                             .page = (m->offset >> BX_PAGE_SHIFT) + page -
                                     (m->address >> BX_PAGE_SHIFT)};
    return bx_physical_known(memory, &key, node);
}

/* Handles a page that is touched for the first time. */
static bx_page_found begin_page(bx_address_space *s, page_table *l, uint64_t page,
                                enum bx_touch how)
{
    const mapped *at = mapped_at(s, page << BX_PAGE_SHIFT);
    const bx_mapping *m = at ? &at->mapping : NULL;
    if (can_be_huge(s, l) && make_huge(s, l, node_of(s, page, BX_HUGE_SHIFT)))
        return (bx_page_found){.frame = l->page[page % TABLE_PAGES]->frame,
                               .writable = true,
                               .huge = true,
                               .faulted = true,
                               .made = BX_PAGE_ZEROED};
    bx_physical_memory *memory = s->memory;
    if (!m && how == BX_TOUCH_READ) {
        set_page(l, page % TABLE_PAGES, bx_physical_zero(memory), false);
        return (bx_page_found){.frame = memory->zero.frame, .faulted = true, .made = BX_PAGE_THERE};
    }
    unsigned node = node_of(s, page, 0);
    bool anonymous = !m || m->filled;
    bx_physical *p = anonymous ? bx_physical_new(memory, node) : mapped_page(memory, m, page, node);
    bool writable = anonymous || m->shared, zeroed = anonymous || (!m->file && p->users == 1);
    set_page(l, page % TABLE_PAGES, p, writable);
    return (bx_page_found){.frame = p->frame,
                           .writable = writable,
                           .faulted = true,
                           .made = zeroed ? BX_PAGE_ZEROED : BX_PAGE_THERE};
}

/* Handles a write to a private page: copies the page if another user has it, too. In place of the
 * page of zeros comes a new page. */
static bx_page_found own_page(bx_address_space *s, page_table *l, uint64_t page)
{
    unsigned i = page % TABLE_PAGES;
    bx_physical *p = l->page[i];
    enum bx_page_made made = BX_PAGE_THERE;
    uint32_t from = p->frame;
    if (p->users > 1) {
        bx_physical *copy = bx_physical_new(s->memory, node_of(s, page, 0));
        made = p == &s->memory->zero ? BX_PAGE_ZEROED : BX_PAGE_COPIED;
        bx_physical_release(s->memory, p);
        p = copy;
        l->huge = false;
    }
    bx_physical_forget(s->memory, p); /* a later mapping of the file gets another page */
    set_page(l, i, p, true);
    return (bx_page_found){.frame = p->frame,
                           .from = from,
                           .writable = true,
                           .changed = true,
                           .faulted = true,
                           .made = made};
}

bx_page_found bx_address_space_touch(bx_address_space *s, uint64_t page, enum bx_touch how)
{
    page_table *l = table_of(s, page >> TABLE_SHIFT);
    unsigned i = page % TABLE_PAGES;
    if (!l)
        return (bx_page_found){.writable = true};
    bx_page_found found =
        l->page[i] ? (bx_page_found){.frame = l->page[i]->frame, .writable = is_writable(l, i)}
                   : begin_page(s, l, page, how);
    return how == BX_TOUCH_WRITE && !found.writable ? own_page(s, l, page) : found;
}

/* ---- nodes ---- */

void bx_address_space_touched_by(bx_address_space *s, unsigned node, bx_memory_policy policy)
{
    s->node = node;
    s->policy = policy;
    if (s->walked)
        bx_page_tables_set_node(s->walked, node);
}

void bx_address_space_bind(bx_address_space *s, uint64_t address, uint64_t bytes,
                           bx_memory_policy policy)
{
    if (make_whole(&address, &bytes))
        set_policy(s, address, bytes, policy);
}

bx_memory_policy bx_address_space_policy(const bx_address_space *s, uint64_t page)
{
    return bx_policies_at(&s->policies, page);
}

uint64_t bx_address_space_policy_pages(const bx_address_space *s, uint64_t page)
{
    uint64_t end = bx_policies_until(&s->policies, page);
    return end == UINT64_MAX ? end : end - page;
}

bool bx_address_space_node(const bx_address_space *s, uint64_t page, unsigned *node, bool *zero)
{
    const page_table *l = find_table(s, page >> TABLE_SHIFT);
    const bx_physical *p = l ? l->page[page % TABLE_PAGES] : NULL;
    *zero = p == &s->memory->zero;
    *node = p ? bx_frames_node_of(s->memory->frames, p->frame) : 0;
    return p;
}

bool bx_address_space_migrate(bx_address_space *s, uint64_t page, unsigned node, uint64_t *from,
                              uint64_t *to)
{
    bx_physical_memory *m = s->memory;
    page_table *l = find_table(s, page >> TABLE_SHIFT);
    bx_physical *p = l ? l->page[page % TABLE_PAGES] : NULL;
    node = node == BX_NODES_MOST ? node_of(s, page, 0) : node;
    if (!p || p->users > 1 || node >= bx_frames_nodes(m->frames) ||
        bx_frames_node_of(m->frames, p->frame) == node)
        return false;
    l->huge = false;
    *from = p->frame;
    *to = bx_frames_take(m->frames, BX_FRAME_OF_PAGE, node);
    p->frame = (uint32_t)*to;
    bx_frames_give_back(m->frames, BX_FRAME_OF_PAGE, *from);
    return true;
}

/* The first page from there on for which there is a table; UINT64_MAX: none. */
static uint64_t skip_to_table(const bx_address_space *s, uint64_t page)
{
    uint64_t first = UINT64_MAX;
    for (uint64_t i = 0; i <= s->mask; i++)
        if (s->table[i] && s->table[i]->number << TABLE_SHIFT >= page &&
            s->table[i]->number << TABLE_SHIFT < first)
            first = s->table[i]->number << TABLE_SHIFT;
    return first;
}

uint64_t bx_address_space_next(bx_address_space *s, uint64_t *page, uint64_t end)
{
    for (end >>= BX_PAGE_SHIFT; *page < end; ++*page) {
        const page_table *l = find_table(s, *page >> TABLE_SHIFT);
        if (!l)
            *page = skip_to_table(s, *page) - 1;
        else if (l->page[*page % TABLE_PAGES])
            return ++*page;
    }
    return 0;
}

bool bx_address_space_is_zero(const bx_address_space *s, uint64_t frame)
{
    return s->memory->zero.users && s->memory->zero.frame == frame;
}

bool bx_address_space_is_huge(bx_address_space *s, uint64_t page)
{
    const page_table *l = find_table(s, page >> TABLE_SHIFT);
    return l && l->huge;
}

unsigned bx_address_space_line_shift(const bx_address_space *s)
{
    return bx_frames_line_shift(s->memory->frames);
}

struct bx_page_tables *bx_address_space_tables(bx_address_space *s)
{
    if (!s->walked)
        s->walked = bx_page_tables_new(s->memory->frames);
    return s->walked;
}
