#include "machine/program/decode/decoder.h"

#include "model/core/prefetch.h"
#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_SHIFT = 6,
    LINE_BYTES = 1 << LINE_SHIFT,
    LINE_MASK = LINE_BYTES - 1,
    ACCESS_LINE_SHIFT = 16, /* of a bx_access */
    ACCESS_COST_SHIFT = 4,
    KIND_AND_FLAGS = (1 << ACCESS_COST_SHIFT) - 1,
    PAGES = 1024, /* remembered */
    PAGE_LINES = 1 << BX_PAGE_LINES_SHIFT,
    FIRST_BLOCKS = 1024,
    INSTRUCTIONS = 512, /* of a block, at most */
    EXTRA_FETCHES = 20, /* that costs need which are too large: less than 2^16 of a block */
};

#define NO_LINE UINT64_MAX

enum item_kind {
    DATA,    /* within a line unless its address says otherwise */
    FETCH,   /* `access` has the physical line; with TLBs there are none of these */
    REMARK,  /* `access` is one, or the beginning of a locked operation */
    UNKNOWN, /* a fetch whose virtual line stands in `access` until it is first made */
};

/* What may make an access when a block is executed. */
typedef struct item {
    bx_access access; /* without its line, or a fetch */
    uint16_t word;    /* of the execution's words: the address */
    uint16_t size;
    uint16_t cost; /* in `access`, too, unless kind is UNKNOWN */
    uint8_t kind;
    int8_t last; /* an access that begins in a later byte of its line needs a closer look */
} item;

/* Of an item, for the prefetchers. */
typedef struct instruction {
    uint32_t address; /* its low bits */
    uint32_t line;    /* the physical line that it touched last; NO_TOUCH: none */
} instruction;
#define NO_TOUCH UINT32_MAX

typedef struct block_exit {
    uint16_t items, words; /* of an execution that ends here; words with the first one */
    uint16_t cost;         /* of instructions behind the last item */
    uint16_t part;         /* and the part of a cycle that is left over: bx_decoder.slot */
    uint16_t instructions;
    uint8_t loads, stores;
    uint8_t modifications; /* each has two words */
    uint8_t number;        /* and LEFT_TAKEN */
    uint16_t kept;         /* registers whose values come from loads that nobody waits for so far */
    uint64_t fetched;      /* the virtual line of the last fetch */
    uint64_t executions;
} block_exit;

enum { LEFT_TAKEN = 0x80 }; /* who leaves by the exit has taken a branch */

typedef struct block {
    uint32_t exits;
    uint16_t needed;     /* registers that addresses come from */
    uint16_t cost;       /* of an execution, at most */
    uint64_t first_line; /* virtual, of the first instruction */
    item *item;          /* [items]; the first one is the fetch of first_line */
    uint16_t *kept;      /* [items]: registers that a load's value is in at exits behind it */
    instruction *by;     /* [items]; NULL: there are no prefetchers */
    block_exit exit[];   /* [exits]; items, instructions, then kept, stand behind them */
} block;

_Static_assert(sizeof(block_exit) == 32, "it is looked up for each execution");
_Static_assert((int)BX_TRACE_EXITS <= LEFT_TAKEN && BX_TRACE_WORDS - 1 <= 255, "they are in bytes");

/* The instructions from one exit of a block, or its begin, to the next exit, while a description is
 * read. A slot is what an instruction takes if nothing else matters: docs/model.md, "The time of a
 * core". */
typedef struct stretch {
    uint64_t before, slots;          /* slots up to its begin, and its own */
    uint32_t instructions, executed; /* executed: before the present entry */
    uint32_t cycles;                 /* whole ones before the present entry */
} stretch;

/* A block while its description is read. */
typedef struct draft {
    uint32_t exits, burst;
    uint16_t needed;
    bool remarks, prefetch;
    bool walks;       /* accesses may be behind page walks */
    uint32_t address; /* of the instruction */
    uint64_t first_line;
    block_exit now; /* what an exit here would have */
    bool fetches;
    bx_core_time core;
    bx_ratio slot;  /* uncore cycles */
    uint32_t lock;  /* uncore cycles of a locked operation */
    uint32_t locks; /* of all up to here */
    stretch stretch;
    item item[2 * BX_TRACE_ENTRIES]; /* an instruction makes two fetches at most */
    uint16_t kept[2 * BX_TRACE_ENTRIES];
    instruction by[2 * BX_TRACE_ENTRIES];
    block_exit exit[BX_TRACE_EXITS];
} draft;

typedef struct page {
    uint64_t number; /* plus 1 */
    bx_access line;  /* its first line, as in a bx_access */
} page;

/* A page that a kernel has just made. */
typedef struct fault {
    uint64_t frame, from;
    bool copied;
} fault;

enum { FAULTS = 16 }; /* that one burst makes; others follow at once */

struct bx_decoder {
    bx_address_space *space;
    block_exit *last; /* by which the block before was left, or `before` */
    block_exit before;
    uint32_t cost; /* cycles not yet assigned to an access */
    uint32_t part; /* of a cycle more, in 1/draft.slot.d */
    bx_write_combining combining;
    block **block; /* [room]; NULL: not described */
    size_t room;
    draft draft;
    const char *malformed;
    bool no_memory;
    bool kernel;
    bool stops; /* malformed, or there are faults */
    size_t faults, faults_room;
    fault *fault;
    struct bx_prefetchers *prefetchers; /* NULL: there are none */
    bx_word_writers *writers;           /* NULL: there is one thread */
    unsigned thread;
    uint64_t made; /* its accesses before those that are decoded now */
    bx_cut *cut;   /* [cuts], in room for cuts_room */
    size_t cuts, cuts_room;
    bx_trace_counts gone; /* of blocks whose number has another description now */
    uint64_t unmade_loads, unmade_stores;
    const bx_tlb_geometry *geometry; /* NULL: there are no TLBs */
    struct bx_page_tables *tables;
    bx_tlb *tlb;  /* of the thread that runs; NULL: it has none yet */
    bx_tlb **all; /* [tlbs], in room for tlbs_room: of all threads */
    size_t tlbs, tlbs_room;
    bx_tlb_counts translated; /* of threads that have ended */
    page fetched;             /* the page of the last fetch, with TLBs */
    page page[PAGES];         /* that can be written */
    page read_only[PAGES];    /* the others */
};

bx_decoder *bx_decoder_new(bx_address_space *space, bool kernel)
{
    bx_decoder *d = calloc(1, sizeof *d);
    if (d) {
        d->space = space;
        d->kernel = kernel;
        d->before.fetched = NO_LINE;
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
    bx_ratio lock = bx_core_time_ratio(core, core->locked, 1);
    d->draft.lock = (lock.n + lock.d / 2) / lock.d;
}

void bx_decoder_make_remarks(bx_decoder *d)
{
    d->draft.remarks = true;
}

bool bx_decoder_prefetch(bx_decoder *d)
{
    void *made;
    if (posix_memalign(&made, _Alignof(struct bx_prefetchers), sizeof *d->prefetchers) != 0)
        return false;
    d->prefetchers = made;
    d->draft.prefetch = true;
    bx_prefetchers_power_on(d->prefetchers);
    return true;
}

void bx_decoder_free(bx_decoder *d)
{
    if (!d)
        return;
    free(d->prefetchers);
    for (size_t i = 0; i < d->room; i++)
        free(d->block[i]);
    free(d->block);
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_free(d->all[i]);
    free(d->all);
    free(d->fault);
    free(d->cut);
    free(d);
}

const char *bx_decoder_malformed(const bx_decoder *d)
{
    return d->malformed;
}

bool bx_decoder_out_of_memory(const bx_decoder *d)
{
    return d->no_memory;
}

/* ---- descriptions ---- */

/* Modulo 2^64: what spend() leaves of a cost may be negative, and is part of a sum then. */
static bx_access cost_of(uint64_t cycles)
{
    return cycles << ACCESS_COST_SHIFT;
}

/* A cost that is too large is that of the items behind it, too. */
static void add_item(draft *b, item add, uint16_t kept, unsigned most)
{
    add.cost = b->now.cost < BX_ACCESS_COST_MAX ? b->now.cost : BX_ACCESS_COST_MAX - 1;
    if (add.kind != UNKNOWN)
        add.access |= cost_of(add.cost);
    b->now.cost -= add.cost;
    b->kept[b->now.items] = kept;
    b->by[b->now.items] = (instruction){b->address, NO_TOUCH};
    b->item[b->now.items++] = add;
    b->burst += most + (b->walks ? 2 * BX_WALK_LOADS : 0) /* it may touch two pages */
                + (b->prefetch ? BX_PREFETCH_MOST : 0);
}

static bx_access remark(unsigned what, unsigned class)
{
    return BX_ACCESS_REMARK | (bx_access)what << ACCESS_LINE_SHIFT |
           (bx_access) class << BX_REMARK_CLASS_SHIFT;
}

static void add_remark(draft *b, unsigned what, unsigned class)
{
    if (b->remarks && (what || class))
        add_item(b, (item){.access = remark(what, class), .kind = REMARK}, 0, 1);
}

static bool is_branch(unsigned class)
{
    return class >= BX_CLASS_CONDITIONAL_BRANCH && class <= BX_CLASS_RETURN;
}

static void add_class(draft *b, unsigned class, bool taken_always)
{
    bool taken = is_branch(class) && (class != BX_CLASS_CONDITIONAL_BRANCH || taken_always);
    add_remark(b, taken ? BX_REMARK_TAKEN : 0, class);
}

/* ---- the time of a core ---- */

/* The slots that an exit's recurrence takes. The ranges of core_time.h's keys let a block cost less
 * than 2^16 uncore cycles. */
static uint64_t recurrence_slots(const bx_core_time *core, uint64_t exit)
{
    bx_trace_recurrence r = bx_trace_exit_recurrence(exit);
    uint64_t cycles = r.cycles + (uint64_t)r.loads * core->l1 +
                      (uint64_t)r.additions * core->fp_add +
                      (uint64_t)r.multiplications * core->fp_multiply;
    return cycles * core->width;
}

/* From entry i on. */
static void begin_stretch(draft *b, const uint64_t *entries, size_t i, size_t n)
{
    stretch *s = &b->stretch;
    uint64_t before = i ? s->before + s->slots : 0, until = before;
    uint32_t instructions = 0;
    for (; i < n && bx_trace_entry_kind(entries[i]) != BX_TRACE_EXIT; i++)
        instructions += bx_trace_entry_kind(entries[i]) == BX_TRACE_INSTRUCTION;
    if (b->now.instructions + instructions > until)
        until = b->now.instructions + instructions;
    if (i < n && recurrence_slots(&b->core, entries[i]) > until)
        until = recurrence_slots(&b->core, entries[i]);
    *s = (stretch){.before = before,
                   .slots = until - before,
                   .instructions = instructions,
                   .cycles = (uint32_t)(before * b->slot.n / b->slot.d)};
}

static void charge(draft *b, uint64_t cycles)
{
    b->now.cost = (uint16_t)(b->now.cost + cycles - b->stretch.cycles);
    b->stretch.cycles = (uint32_t)cycles;
}

static void charge_instruction(draft *b)
{
    stretch *s = &b->stretch;
    uint64_t slots = s->before * s->instructions + s->slots * ++s->executed;
    charge(b, slots * b->slot.n / ((uint64_t)s->instructions * b->slot.d));
}

/* All that is left of the stretch. */
static void charge_exit(draft *b)
{
    uint64_t parts = (b->stretch.before + b->stretch.slots) * b->slot.n;
    charge(b, parts / b->slot.d);
    b->now.part = (uint16_t)(parts % b->slot.d);
}

/* ---- entries ---- */

static void add_exit(draft *b, uint64_t entry)
{
    charge_exit(b);
    b->now.kept = (uint16_t)entry;
    b->now.number = (uint8_t)(b->exits | (entry & BX_TRACE_TAKEN ? LEFT_TAKEN : 0));
    b->exit[b->exits++] = b->now;
    add_remark(b, entry & BX_TRACE_PASSED_TAKEN ? BX_REMARK_TAKEN : 0, 0);
}

static void add_instruction(draft *b, uint64_t address, unsigned size)
{
    uint64_t last = (address + (size ? size : 1) - 1) >> LINE_SHIFT;
    b->now.instructions++;
    b->address = (uint32_t)address;
    charge_instruction(b);
    for (uint64_t line = address >> LINE_SHIFT; line <= last; line++) {
        if (b->fetches && line == b->now.fetched)
            continue;
        if (!b->fetches)
            b->first_line = line;
        b->fetches = true;
        b->now.fetched = line;
        add_item(b, (item){.access = line, .kind = UNKNOWN}, 0, 1);
    }
}

/* A locked operation, which begins with a load, waits for all before it. */
static void add_lock(draft *b)
{
    b->now.cost = (uint16_t)(b->now.cost + b->lock);
    b->locks += b->lock;
    add_item(b, (item){.access = BX_ACCESS_LOCK, .kind = REMARK}, 0, 1);
}

/* The load of a locked operation gets the line for the store. */
static bx_access access_of(unsigned kind, uint64_t flags, bool locked)
{
    if (locked && kind == BX_TRACE_LOAD)
        return BX_STORE | BX_ACCESS_DEPENDENT;
    if (kind == BX_TRACE_LOAD)
        return flags & BX_TRACE_AWAITED ? BX_LOAD | BX_ACCESS_DEPENDENT : BX_LOAD;
    return flags & BX_TRACE_NON_TEMPORAL ? BX_NON_TEMPORAL : BX_STORE;
}

static void add_data(draft *b, unsigned kind, unsigned size, uint64_t flags)
{
    const bool locked = flags & BX_TRACE_LOCKED && b->core.locked;
    const bx_access access = access_of(kind, flags, locked);
    bool closely = flags & BX_TRACE_GUARDED || size > LINE_BYTES || access == BX_NON_TEMPORAL;
    const item data = {
        .access = access,
        .word = b->now.words++,
        .size = (uint16_t)size,
        .kind = DATA,
        .last = (int8_t)(closely ? -1 : (int)(LINE_BYTES - size)),
    };
    if (locked && kind == BX_TRACE_LOAD)
        add_lock(b);
    if (kind == BX_TRACE_LOAD) {
        b->now.loads++;
    } else if (flags & BX_TRACE_MODIFY) {
        b->now.loads--;
        b->now.modifications++;
    } else {
        b->now.stores++;
    }
    b->needed |= (uint16_t)(flags >> BX_TRACE_REGISTERS);
    add_item(b, data, kind == BX_TRACE_LOAD ? (uint16_t)(flags >> BX_TRACE_KEPT) : 0,
             3 + size / LINE_BYTES);
}

static bool is_class(uint64_t entry)
{
    unsigned class = bx_trace_instruction_class(entry);
    return class < BX_CLASSES &&
           (class == BX_CLASS_CONDITIONAL_BRANCH || !bx_trace_taken_always(entry));
}

/* Whether an instruction or access is one that a processor makes. */
static const char *check_entry(const draft *b, uint64_t entry)
{
    unsigned kind = bx_trace_entry_kind(entry), size = bx_trace_entry_size(entry);
    uint64_t address = bx_trace_entry_address(entry);
    if (kind < BX_TRACE_INSTRUCTION || kind > BX_TRACE_EXIT)
        return "an entry of unknown kind";
    if (b->now.instructions == 0 && kind != BX_TRACE_INSTRUCTION)
        return "a block that does not begin with an instruction";
    if (kind == BX_TRACE_INSTRUCTION &&
        (address > UINT64_MAX - LINE_BYTES || b->now.instructions == INSTRUCTIONS))
        return "instructions that are too large or too many";
    if (kind == BX_TRACE_INSTRUCTION && !is_class(entry))
        return "an instruction of unknown class";
    if ((kind == BX_TRACE_LOAD || kind == BX_TRACE_STORE) &&
        (size == 0 || b->now.words == BX_TRACE_WORDS))
        return "accesses that are empty or too many";
    if (kind == BX_TRACE_STORE && entry & BX_TRACE_MODIFY && b->now.loads == 0)
        return "a modification without a load";
    return kind == BX_TRACE_EXIT && b->exits == BX_TRACE_EXITS ? "too many exits" : NULL;
}

static void add_entry(draft *b, uint64_t entry)
{
    switch (bx_trace_entry_kind(entry)) {
    case BX_TRACE_INSTRUCTION:
        add_instruction(b, bx_trace_entry_address(entry), bx_trace_instruction_size(entry));
        add_class(b, bx_trace_instruction_class(entry), bx_trace_taken_always(entry));
        break;
    case BX_TRACE_EXIT:
        add_exit(b, entry);
        break;
    default:
        add_data(b, bx_trace_entry_kind(entry), bx_trace_entry_size(entry), entry);
    }
}

/* Reads the entries; NULL, or what is wrong. */
static const char *draw_up(draft *b, const uint64_t *entries, size_t n)
{
    b->exits = b->burst = b->locks = b->needed = 0;
    b->now = (block_exit){.words = 1};
    b->fetches = false;
    for (size_t i = 0; i < n; i++) {
        const char *wrong = check_entry(b, entries[i]);
        if (wrong)
            return wrong;
        if (i == 0 || bx_trace_entry_kind(entries[i - 1]) == BX_TRACE_EXIT)
            begin_stretch(b, entries, i, n);
        add_entry(b, entries[i]);
    }
    if (n == 0 || bx_trace_entry_kind(entries[n - 1]) != BX_TRACE_EXIT)
        return "a block without an end";
    return b->burst > BX_DECODER_BURST - EXTRA_FETCHES ? "a block that makes too many accesses"
                                                       : NULL;
}

static block *make_block(const draft *from)
{
    size_t exits = from->exits * sizeof(block_exit), items = from->now.items * sizeof(item);
    size_t kept = from->now.items * sizeof *from->kept;
    size_t by = from->prefetch ? from->now.items * sizeof *from->by : 0;
    block *b = malloc(sizeof *b + exits + items + by + kept);
    if (!b)
        return NULL;
    b->exits = from->exits;
    b->needed = from->needed;
    uint32_t cost = from->stretch.cycles + from->locks;
    b->cost = (uint16_t)(cost < UINT16_MAX ? cost : UINT16_MAX);
    b->first_line = from->first_line;
    b->item = (item *)(b->exit + b->exits);
    memcpy(b->exit, from->exit, exits);
    b->by = from->prefetch ? (instruction *)(b->item + from->now.items) : NULL;
    b->kept = (uint16_t *)(void *)((char *)(b->item + from->now.items) + by);
    memcpy(b->item, from->item, items);
    if (by)
        memcpy(b->by, from->by, by);
    memcpy(b->kept, from->kept, kept);
    return b;
}

static void add_counts(bx_trace_counts *to, const block *b)
{
    for (uint32_t i = 0; i < b->exits; i++) {
        const block_exit *e = &b->exit[i];
        bx_trace_counts once = {e->instructions, e->loads, e->stores, e->modifications};
        bx_trace_counts_add(to, once, e->executions);
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

/* Makes room for a block's number. */
static bool make_room(bx_decoder *d, uint64_t number)
{
    size_t room = d->room ? d->room : FIRST_BLOCKS;
    while (room <= number)
        room *= 2;
    block **more = realloc(d->block, room * sizeof(block *));
    if (!more)
        return false;
    memset(more + d->room, 0, (room - d->room) * sizeof(block *));
    d->block = more;
    d->room = room;
    return true;
}

/* Keeps the block that was drawn up. */
static bool keep_block(bx_decoder *d, uint64_t number)
{
    block *made = number < d->room || make_room(d, number) ? make_block(&d->draft) : NULL;
    if (!made)
        return false;
    if (d->block[number])
        add_counts(&d->gone, d->block[number]);
    free(d->block[number]);
    d->block[number] = made;
    return true;
}

/* Of the block executed last only the line fetched last is still known. */
static void forget_exit(bx_decoder *d)
{
    d->before.fetched = d->last->fetched;
    d->last = &d->before;
}

/* words: the number and the entries. */
static const char *read_description(bx_decoder *d, const uint64_t *words, size_t entries)
{
    uint64_t number = words[0];
    forget_exit(d); /* its block may be replaced */
    if (number >= BX_TRACE_BLOCKS)
        return "a block number that is too large";
    const char *wrong = draw_up(&d->draft, words + 1, entries);
    if (wrong)
        return wrong;
    d->no_memory = !keep_block(d, number);
    return d->no_memory ? "no memory for its blocks" : NULL;
}

/* ---- executions ---- */

static void no_memory(bx_decoder *d, const char *what)
{
    d->malformed = what;
    d->no_memory = d->stops = true;
}

static void add_fault(bx_decoder *d, fault f)
{
    if (d->faults == d->faults_room) {
        size_t room = d->faults_room ? 2 * d->faults_room : FAULTS;
        fault *more = realloc(d->fault, room * sizeof *more);
        if (!more) {
            no_memory(d, "no memory for its pages");
            return;
        }
        d->fault = more;
        d->faults_room = room;
    }
    d->fault[d->faults++] = f;
    d->stops = true;
}

static void add_faults_of_huge(bx_decoder *d, uint64_t frame)
{
    uint64_t first = frame >> BX_HUGE_SHIFT << BX_HUGE_SHIFT;
    for (unsigned i = 0; i < 1 << BX_HUGE_SHIFT && !d->no_memory; i++)
        add_fault(d, (fault){.frame = first + i});
}

static bx_access first_line(uint64_t frame)
{
    return frame << (BX_PAGE_LINES_SHIFT + ACCESS_LINE_SHIFT);
}

/* ---- TLBs ---- */

/* A thread's first access. */
static bool add_tlb(bx_decoder *d)
{
    if (d->tlbs == d->tlbs_room) {
        size_t room = 2 * d->tlbs_room + 1;
        bx_tlb **more = realloc(d->all, room * sizeof(bx_tlb *));
        if (!more)
            return false;
        d->all = more;
        d->tlbs_room = room;
    }
    d->tlb = bx_tlb_new(d->geometry);
    if (!d->tlb)
        return false;
    d->all[d->tlbs++] = d->tlb;
    return true;
}

static bool has_tlb(bx_decoder *d)
{
    if (d->geometry && !d->tlb && !add_tlb(d))
        no_memory(d, "no memory for its TLBs");
    return d->tlb != NULL;
}

void bx_decoder_thread_end(bx_decoder *d, const bx_decoder_thread *its)
{
    for (size_t i = 0; i < d->tlbs; i++)
        if (d->all[i] == its->tlb) {
            bx_tlb_counts_add(&d->translated, &its->tlb->counts);
            bx_tlb_free(its->tlb);
            d->all[i] = d->all[--d->tlbs];
        }
}

bx_tlb_counts bx_decoder_translations(const bx_decoder *d)
{
    bx_tlb_counts sum = d->translated;
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_counts_add(&sum, &d->all[i]->counts);
    return sum;
}

static void invalidate(bx_decoder *d, uint64_t first, uint64_t pages)
{
    d->fetched.number = 0;
    for (size_t i = 0; i < d->tlbs; i++)
        bx_tlb_invalidate(d->all[i], first, pages);
}

/* *to is an access to the page: its walk comes before it. Returns what is behind it. */
static __attribute__((noinline)) bx_access *translate(bx_decoder *d, uint64_t virtual_page,
                                                      bx_access *to)
{
    enum bx_page_size size =
        bx_address_space_is_huge(d->space, virtual_page) ? BX_PAGE_2M : BX_PAGE_4K;
    bx_access access = *to;
    size_t loads = bx_tlb_translate(d->tlb, d->tables, virtual_page, size, &access, to);
    to[loads] = access;
    if (loads && bx_page_tables_out_of_memory(d->tables))
        no_memory(d, "no memory for its page tables");
    return to + loads + 1;
}

/* A data access, behind its walk. tlb: there are TLBs. */
static inline __attribute__((always_inline)) bx_access *
make_data(bx_decoder *d, bool tlb, uint64_t address, bx_access access, bx_access *to)
{
    *to = access;
    if (tlb && !bx_tlb_repeats(d->tlb, BX_TLB_DATA, address >> BX_PAGE_SHIFT))
        return translate(d, address >> BX_PAGE_SHIFT, to);
    return to + 1;
}

/* ---- pages ---- */

static bx_access ask_for_page(bx_decoder *d, uint64_t number, bool write)
{
    bx_page_found found = bx_address_space_touch(d->space, number - 1, write);
    page *p = found.writable ? &d->page[number % PAGES] : &d->read_only[number % PAGES];
    if (found.changed)
        invalidate(d, number - 1, 1);
    if (d->kernel && found.huge)
        add_faults_of_huge(d, found.frame);
    else if (d->kernel && found.made != BX_PAGE_THERE)
        add_fault(d, (fault){found.frame, found.from, found.made == BX_PAGE_COPIED});
    *p = (page){number, first_line(found.frame)};
    if (write) /* it may have been read elsewhere before */
        d->read_only[number % PAGES].number = 0;
    return p->line;
}

/* number: plus 1. A page that is not among those that can be written. */
static __attribute__((noinline)) bx_access look_up(bx_decoder *d, uint64_t number, bool write)
{
    const page *p = &d->read_only[number % PAGES];
    return !write && p->number == number ? p->line : ask_for_page(d, number, write);
}

static inline __attribute__((always_inline)) bx_access line_of(bx_decoder *d, uint64_t address,
                                                               bool write)
{
    uint64_t number = (address >> BX_PAGE_SHIFT) + 1;
    const page *p = &d->page[number % PAGES];
    bx_access line = __builtin_expect(p->number == number, 1) ? p->line : look_up(d, number, write);
    return line | (address >> LINE_SHIFT & (PAGE_LINES - 1)) << ACCESS_LINE_SHIFT;
}

void bx_decoder_flush(bx_decoder *d)
{
    memset(d->page, 0, sizeof d->page);
    memset(d->read_only, 0, sizeof d->read_only);
    d->fetched.number = 0;
}

void bx_decoder_invalidate(bx_decoder *d, uint64_t address, uint64_t bytes)
{
    uint64_t first = address >> BX_PAGE_SHIFT;
    invalidate(d, first, bytes ? ((address + bytes - 1) >> BX_PAGE_SHIFT) - first + 1 : 0);
}

uint64_t bx_decoder_physical(bx_decoder *d, uint64_t address)
{
    return (line_of(d, address, false) >> ACCESS_LINE_SHIFT) << LINE_SHIFT | (address & LINE_MASK);
}

/* The stores to a line become one access. */
static bx_access write_combined(bx_decoder *d, bx_combined c, uint64_t cost)
{
    unsigned flags = c.written == UINT64_MAX ? 0 : BX_ACCESS_PARTIAL;
    return line_of(d, c.line << LINE_SHIFT, true) | BX_NON_TEMPORAL | flags | cost_of(cost);
}

/* n bytes of that line, from byte `first` on, are stored. */
static bx_access *combine(bx_decoder *d, uint64_t line, unsigned first, unsigned n, uint64_t cost,
                          bx_access *to)
{
    uint64_t bytes = (n < LINE_BYTES ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << first;
    bx_combined leaves[2];
    unsigned left = bx_write_combine(&d->combining, d->draft.core.wc_buffers,
                                     (bx_combined){line, bytes}, leaves);
    for (unsigned i = 0; i < left; i++)
        *to++ = write_combined(d, leaves[i], i ? 0 : cost);
    return to;
}

static bx_access *store_past_caches(bx_decoder *d, uint64_t address, uint64_t end, uint64_t cost,
                                    bx_access *to)
{
    while (address < end) {
        unsigned first = (unsigned)(address & LINE_MASK);
        uint64_t n = end - address < LINE_BYTES - first ? end - address : LINE_BYTES - first;
        bx_access *next = combine(d, address >> LINE_SHIFT, first, (unsigned)n, cost, to);
        cost = next == to ? cost : 0;
        to = next;
        address += n;
    }
    return to;
}

/* A non-temporal store finds its page when it is executed, not when its line is complete. */
static bx_access *take_non_temporal(bx_decoder *d, uint64_t address, uint64_t end, uint64_t *cost,
                                    bx_access *to)
{
    const uint64_t bytes = 1 << BX_PAGE_SHIFT;
    for (uint64_t at = address; d->tlb && at < end; at = (at | (bytes - 1)) + 1) {
        line_of(d, at, true);
        to = make_data(d, true, at, BX_NON_TEMPORAL | cost_of(*cost), to) - 1;
        *cost = *to >> ACCESS_COST_SHIFT & BX_ACCESS_COST_MAX;
    }
    bx_access *next = store_past_caches(d, address, end, *cost, to);
    *cost = next == to ? *cost : 0;
    return next;
}

/* A data access that crosses lines, is guarded, or is non-temporal. *cost: cycles that no access
 * before had, and then those that this had not. */
static bx_access *take_closely(bx_decoder *d, const item *i, uint64_t address, uint64_t *cost,
                               bx_access *to)
{
    bx_access kind = i->access & 3;
    *cost += i->cost;
    if (address > UINT64_MAX - i->size) { /* BX_TRACE_NO_ACCESS among them */
        *(kind == BX_LOAD ? &d->unmade_loads : &d->unmade_stores) += 1;
        return to;
    }
    uint64_t last = (address + i->size - 1) >> LINE_SHIFT;
    if (kind == BX_NON_TEMPORAL)
        return take_non_temporal(d, address, address + i->size, cost, to);
    for (uint64_t line = address >> LINE_SHIFT; line <= last; line++, *cost = 0)
        to = make_data(d, d->tlb != NULL, line << LINE_SHIFT,
                       line_of(d, line << LINE_SHIFT, kind == BX_STORE) |
                           (i->access & KIND_AND_FLAGS) | cost_of(*cost),
                       to);
    return to;
}

static void fetch_first(bx_decoder *d, item *i)
{
    i->access = line_of(d, i->access << LINE_SHIFT, false) | BX_FETCH | cost_of(i->cost);
    i->kind = FETCH;
}

/* A fetch where there are TLBs: from the page of the last one, unless it is from another page. */
static inline bx_access *fetch_translated(bx_decoder *d, const item *i, uint64_t cost,
                                          bx_access *to)
{
    uint64_t from = i->access >> BX_PAGE_LINES_SHIFT;
    bool other = from + 1 != d->fetched.number;
    if (other)
        d->fetched.line = line_of(d, from << BX_PAGE_SHIFT, false);
    *to = d->fetched.line | (i->access & (PAGE_LINES - 1)) << ACCESS_LINE_SHIFT | BX_FETCH |
          cost_of(i->cost + cost);
    d->fetched.number = from + 1;
    return other ? translate(d, from, to) : to + 1;
}

/* *cost: cycles that no access before had. */
static inline __attribute__((always_inline)) bx_access *
take(bx_decoder *d, item *i, const uint64_t *words, bool tlb, uint64_t *cost, bx_access *to)
{
    bx_access access = i->access;
    if (i->kind == DATA) {
        uint64_t address = words[i->word];
        if (__builtin_expect((int)(address & LINE_MASK) > i->last, 0)) {
            uint64_t rest = *cost; /* so that `cost` itself is in a register */
            bx_access *next = take_closely(d, i, address, &rest, to);
            *cost = rest;
            return next;
        }
        access |= line_of(d, address, (access & 3) == BX_STORE);
        to = make_data(d, tlb, address, access + cost_of(*cost), to);
        *cost = 0;
        return to;
    }
    if (tlb && i->kind == UNKNOWN) {
        to = fetch_translated(d, i, *cost, to);
        *cost = 0;
        return to;
    }
    if (__builtin_expect(i->kind == UNKNOWN, 0)) {
        fetch_first(d, i);
        access = i->access;
    }
    *to = access + cost_of(*cost);
    *cost = 0;
    return to + 1;
}

/* What the prefetchers ask for, where an access of the item ends in another line than the last
 * time. It is behind the access, of which `to` is the end. */
static __attribute__((noinline)) bx_access *see_line(bx_decoder *d, const item *i, instruction *by,
                                                     bx_access *to)
{
    bool seen = i->kind == DATA ? (i->access & 3) != BX_NON_TEMPORAL : i->kind != REMARK;
    if (!seen)
        return to;
    by->line = (uint32_t)(to[-1] >> ACCESS_LINE_SHIFT);
    return bx_prefetchers_see(d->prefetchers, by->address, to[-1], to);
}

static inline bx_access *prefetch(bx_decoder *d, const item *i, instruction *by, bx_access *to)
{
    return (uint32_t)(to[-1] >> ACCESS_LINE_SHIFT) == by->line ? to : see_line(d, i, by, to);
}

static inline __attribute__((always_inline)) bx_access *
take_and_prefetch(bx_decoder *d, item *i, instruction *by, const uint64_t *words, bool tlb,
                  uint64_t *cost, bx_access *to)
{
    bx_access *next = take(d, i, words, tlb, cost, to);
    return next == to ? to : prefetch(d, i, by, next);
}

/* Cycles beyond `most` are the cost of more fetches of the line fetched last. */
static bx_access *spend(bx_decoder *d, uint64_t *cost, uint32_t more, uint32_t most, bx_access *to)
{
    for (; *cost + more > most; *cost -= BX_ACCESS_COST_MAX)
        *to++ = line_of(d, d->last->fetched << LINE_SHIFT, false) | BX_FETCH |
                cost_of(BX_ACCESS_COST_MAX);
    return to;
}

static bool is_misaligned(const item *i, const uint64_t *words)
{
    uint64_t address = words[i->word], first = address % 8;
    return address <= UINT64_MAX - i->size && first && first + i->size > 8;
}

static const block *block_with(const block_exit *e)
{
    const block_exit *first = e - e->number % LEFT_TAKEN;
    return (const block *)(const void *)((const char *)first - offsetof(block, exit));
}

/* Before the first block of a thread: the line that takes costs which are too large. */
static void know_line(bx_decoder *d, const block_exit *left)
{
    if (d->last->fetched == NO_LINE)
        d->last->fetched = block_with(left)->first_line;
}

/* The same as the loop of execute() where much cost is left from before the block, or remarks are
 * to be made. A fetch may carry the largest cost; for any other access it was spent before. Behind
 * a branch's remark there is no cost before its exit. */
static __attribute__((noinline, cold)) bx_access *
take_with_care(bx_decoder *d, block *b, item *i, const item *end, const block_exit *left,
               const uint64_t *words, uint64_t *cost, bx_access *to)
{
    know_line(d, left);
    for (; i < end; i++) {
        to = spend(d, cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == DATA), to);
        to = b->by ? take_and_prefetch(d, i, &b->by[i - b->item], words, d->tlb != NULL, cost, to)
                   : take(d, i, words, d->tlb != NULL, cost, to);
        if (d->draft.remarks && i->kind == DATA && is_misaligned(i, words))
            *to++ = remark(BX_REMARK_MISALIGNED, 0);
    }
    to = spend(d, cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    if (d->draft.remarks && left->number & LEFT_TAKEN) {
        *to++ = remark(BX_REMARK_TAKEN, 0) | cost_of(*cost);
        *cost = 0;
    }
    return to;
}

/* An address comes from a register that has had the value of a load of the block before: from now
 * on such loads are waited for. */
static __attribute__((noinline)) void await_loads(block_exit *left, uint16_t registers)
{
    const block *b = block_with(left);
    for (unsigned i = 0; i < left->items; i++)
        if (b->kept[i] & registers)
            b->item[i].access |= BX_ACCESS_DEPENDENT;
    left->kept &= (uint16_t)~registers;
}

/* The parts of cycles that are left over by blocks become whole ones. */
static inline void leave(bx_decoder *d, block_exit *left, uint64_t cost, bool timed)
{
    d->cost = (uint32_t)(cost + left->cost);
    if (timed) {
        d->part += left->part;
        if (d->part >= d->draft.slot.d) {
            d->part -= d->draft.slot.d;
            d->cost++;
        }
    }
    d->last = left;
    left->executions++;
}

/* Whether an access of the block could have a larger cost than there is. */
static inline bool is_much(const block *b, uint64_t cost, bool timed)
{
    return timed ? cost + b->cost >= BX_ACCESS_COST_MAX : cost > BX_ACCESS_COST_MAX - INSTRUCTIONS;
}

static inline __attribute__((always_inline)) bx_access *
execute(bx_decoder *d, block *b, block_exit *left, const uint64_t *words, bool remarks, bool timed,
        bool tlb, bool prefetches, bx_access *to)
{
    item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    block_exit *last = d->last;
    if (__builtin_expect(last->kept & b->needed, 0))
        await_loads(last, last->kept & b->needed);
    if (last->fetched == b->first_line)
        cost += i++->cost;
    if (remarks || __builtin_expect(is_much(b, cost, timed), 0)) {
        uint64_t rest = cost; /* so that `cost` itself is in a register */
        to = take_with_care(d, b, i, end, left, words, &rest, to);
        cost = rest;
    } else {
        instruction *by = prefetches ? &b->by[i - b->item] : NULL;
        for (; i < end; i++)
            to = prefetches ? take_and_prefetch(d, i, by++, words, tlb, &cost, to)
                            : take(d, i, words, tlb, &cost, to);
    }
    leave(d, left, cost, timed);
    return to;
}

/* ---- several threads ---- */

static void add_cut(bx_decoder *d, size_t at, bx_written until)
{
    if (d->cuts == d->cuts_room) {
        size_t room = d->cuts_room ? 2 * d->cuts_room : FAULTS;
        bx_cut *more = realloc(d->cut, room * sizeof *more);
        if (!more) {
            no_memory(d, "no memory for the order of its threads");
            return;
        }
        d->cut = more;
        d->cuts_room = room;
    }
    d->cut[d->cuts++] = (bx_cut){at, until};
}

/* The words of an access: who wrote them is waited for, and who writes them is remembered. Most
 * accesses have one word. It waits before the access `at`; with access `written` it has written. */
static void order_access(bx_decoder *d, const item *i, uint64_t address, size_t at, size_t written)
{
    bool write = (i->access & 3) != BX_LOAD;
    bx_written by_us = bx_written_make(d->thread, d->made + written);
    uint64_t word = address >> 3, last_word = (address + i->size - 1) >> 3;
    do {
        bx_written *words = bx_word_writers_page(d->writers, word >> (BX_PAGE_SHIFT - 3));
        if (__builtin_expect(!words, 0)) {
            no_memory(d, "no memory for the order of its threads");
            return;
        }
        bx_written *last = &words[word & ((1 << (BX_PAGE_SHIFT - 3)) - 1)];
        if (__builtin_expect(*last && bx_written_thread(*last) != d->thread, 0))
            add_cut(d, at, *last);
        if (write)
            *last = by_us;
    } while (__builtin_expect(word++ < last_word, 0));
}

/* As execute(), slower. first: what is decoded begins there. */
static bx_access *execute_in_order(bx_decoder *d, block *b, block_exit *left, const uint64_t *words,
                                   bx_access *to, const bx_access *first)
{
    item *i = b->item, *end = i + left->items;
    uint64_t cost = d->cost;
    block_exit *last = d->last;
    if (last->kept & b->needed)
        await_loads(last, last->kept & b->needed);
    if (last->fetched == b->first_line)
        cost += i++->cost;
    know_line(d, left);
    for (; i < end; i++) {
        uint64_t address = i->kind == DATA ? words[i->word] : 0;
        to = spend(d, &cost, i->cost, BX_ACCESS_COST_MAX - (i->kind == DATA), to);
        size_t at = (size_t)(to - first);
        to = take(d, i, words, d->tlb != NULL, &cost, to);
        size_t made = (size_t)(to - first); /* its walk comes first */
        if (i->kind == DATA && address <= UINT64_MAX - i->size)
            order_access(d, i, address, at, d->tlb && made > at ? made : at + 1);
        if (b->by && made > at)
            to = prefetch(d, i, &b->by[i - b->item], to);
    }
    to = spend(d, &cost, left->cost, BX_ACCESS_COST_MAX - 1, to);
    leave(d, left, cost, true);
    return to;
}

void bx_decoder_order(bx_decoder *d, bx_word_writers *writers, unsigned thread, uint64_t made)
{
    d->writers = writers;
    d->thread = thread;
    d->made = made;
}

const bx_cut *bx_decoder_cuts(const bx_decoder *d, size_t *n)
{
    *n = d->cuts;
    return d->cut;
}

/* ---- the kernel's accesses ---- */

static bx_access *make_page(const fault *f, bx_access *to)
{
    for (bx_access line = 0; line < PAGE_LINES; line++) {
        bx_access at = line << ACCESS_LINE_SHIFT | cost_of(1);
        if (f->copied)
            *to++ = first_line(f->from) | at | BX_LOAD;
        *to++ = first_line(f->frame) | at | BX_STORE;
    }
    return to;
}

/* What a kernel does for the pages that were touched first, as many as there is room for. It stands
 * before the n accesses that have touched them. Returns how many more accesses there are. */
static size_t make_pages(bx_decoder *d, bx_access *to, size_t n, size_t room)
{
    bx_access made[2 * PAGE_LINES];
    size_t more = 0, done = 0;
    for (; done < d->faults && room - n - more >= 2 * PAGE_LINES; done++) {
        size_t lines = (size_t)(make_page(&d->fault[done], made) - made);
        memmove(to + more + lines, to + more, n * sizeof *to);
        memcpy(to + more, made, lines * sizeof *to);
        more += lines;
    }
    d->faults -= done;
    if (done)
        memmove(d->fault, d->fault + done, d->faults * sizeof *d->fault);
    d->stops = d->faults || d->malformed;
    return more;
}

size_t bx_decoder_kernel(bx_decoder *d, unsigned kind, uint64_t *address, uint64_t end,
                         bx_access *to, size_t room)
{
    bx_access *next = to;
    bool tlb = has_tlb(d);
    while (*address < end && room - (size_t)(next - to) > 2 * PAGE_LINES + BX_WALK_LOADS) {
        bx_access line = line_of(d, *address, kind == BX_STORE);
        next += make_pages(d, next, 0, room - (size_t)(next - to) - BX_WALK_LOADS - 1);
        next = make_data(d, tlb, *address, line | kind | cost_of(1), next);
        *address = (*address | LINE_MASK) + 1;
    }
    return (size_t)(next - to);
}

/* ---- records ---- */

/* Decodes one record other than an execution. Returns its words; 0: it is none of ours, or is not
 * there whole. */
static size_t read_control(bx_decoder *d, const uint64_t *words, size_t n)
{
    if (bx_trace_control_kind(*words) != BX_TRACE_BLOCK)
        return 0;
    int length = bx_trace_record_words(words, n);
    if (length < 0)
        d->malformed = "a description that is too long";
    else if (length > 0)
        d->malformed = read_description(d, words + 1, (size_t)length - 2);
    d->stops |= d->malformed != NULL;
    return d->malformed ? 0 : (size_t)length;
}

static block *block_of(const bx_decoder *d, uint64_t word)
{
    uint64_t number = word >> BX_TRACE_EXIT_BITS;
    block *b = number < d->room ? d->block[number] : NULL;
    return b && word % BX_TRACE_EXITS < b->exits ? b : NULL;
}

/* Decoders that make no remarks, or go by the plain rule, need less: seven times in
 * bx_decoder_read(). */
static inline __attribute__((always_inline)) size_t
read_records(bx_decoder *d, const uint64_t *words, size_t n, bool remarks, bool timed, bool ordered,
             bool tlb, bool prefetches, bx_access **to, bx_access *full, const bx_access *first)
{
    const uint64_t *p = words, *end = words + n;
    bx_access *next = *to, *last = next; /* last: where the last execution begins */
    while (p < end && full - next >= BX_DECODER_BURST && !d->stops) {
        if (*p & BX_TRACE_CONTROL) {
            size_t taken = read_control(d, p, (size_t)(end - p));
            if (taken == 0)
                break;
            p += taken;
            continue;
        }
        block *b = block_of(d, *p);
        if (!b) {
            d->malformed = "a block that was not described";
            d->stops = true;
            break;
        }
        block_exit *left = &b->exit[*p % BX_TRACE_EXITS];
        if (left->words > end - p)
            break;
        last = next;
        next = ordered ? execute_in_order(d, b, left, p, next, first)
                       : execute(d, b, left, p, remarks, timed, tlb, prefetches, next);
        p += left->words;
    }
    if (d->faults && !d->writers) /* with several threads behind it: the places of cuts stay */
        next += make_pages(d, last, (size_t)(next - last), (size_t)(full - last));
    *to = next;
    return (size_t)(p - words);
}

static __attribute__((noinline, cold)) size_t
read_remarking(bx_decoder *d, const uint64_t *words, size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, true, true, false, false, false, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated(bx_decoder *d, const uint64_t *words,
                                                        size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, false, to, full, NULL);
}

static __attribute__((noinline)) size_t read_prefetching(bx_decoder *d, const uint64_t *words,
                                                         size_t n, bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, true, to, full, NULL);
}

static __attribute__((noinline)) size_t read_translated_prefetching(bx_decoder *d,
                                                                    const uint64_t *words, size_t n,
                                                                    bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, true, true, to, full, NULL);
}

static __attribute__((noinline)) size_t read_in_order(bx_decoder *d, const uint64_t *words,
                                                      size_t n, bx_access **to, bx_access *full,
                                                      const bx_access *first)
{
    return read_records(d, words, n, false, true, true, false, false, to, full, first);
}

static __attribute__((noinline)) size_t read_timed(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, true, false, false, false, to, full, NULL);
}

static __attribute__((noinline)) size_t read_plain(bx_decoder *d, const uint64_t *words, size_t n,
                                                   bx_access **to, bx_access *full)
{
    return read_records(d, words, n, false, false, false, false, false, to, full, NULL);
}

static size_t read_some(bx_decoder *d, const uint64_t *words, size_t n, bx_access **to,
                        bx_access *full, const bx_access *first)
{
    if (d->draft.remarks)
        return read_remarking(d, words, n, to, full);
    if (d->writers)
        return read_in_order(d, words, n, to, full, first);
    if (d->prefetchers)
        return d->tlb ? read_translated_prefetching(d, words, n, to, full)
                      : read_prefetching(d, words, n, to, full);
    if (d->tlb)
        return read_translated(d, words, n, to, full);
    if (d->draft.core.width)
        return read_timed(d, words, n, to, full);
    return read_plain(d, words, n, to, full);
}

size_t bx_decoder_read(bx_decoder *d, const uint64_t *words, size_t n, bx_access *to, size_t room,
                       size_t *made)
{
    bx_access *next = to, *full = to + room;
    size_t read = 0, taken;
    d->cuts = 0;
    has_tlb(d);
    do {
        next += make_pages(d, next, 0, (size_t)(full - next));
        taken = d->stops ? 0 : read_some(d, words + read, n - read, &next, full, to);
        read += taken;
    } while (taken && read < n);
    *made = (size_t)(next - to);
    return read;
}

bx_decoder_thread bx_decoder_switch(bx_decoder *d, bx_decoder_thread to)
{
    uint64_t fetched = d->last->fetched;
    bx_decoder_thread from = {fetched != NO_LINE, d->cost, d->part, fetched, d->combining, d->tlb};
    forget_exit(d);
    d->before.fetched = to.fetches ? to.fetched : NO_LINE;
    d->cost = to.cost;
    d->part = to.part;
    d->combining = to.combining;
    d->tlb = to.tlb;
    d->fetched.number = 0;
    return from;
}

size_t bx_decoder_end(bx_decoder *d, bx_access *to)
{
    uint32_t cost = d->cost;
    d->cost = 0;
    size_t n = d->combining.n;
    for (size_t i = 0; i < n; i++)
        to[i] = write_combined(d, d->combining.of[i], i ? 0 : cost);
    d->combining.n = 0;
    if (n)
        return n;
    if (cost == 0 || d->last->fetched == NO_LINE)
        return 0;
    *to = line_of(d, d->last->fetched << LINE_SHIFT, false) | BX_FETCH | cost_of(cost);
    return 1;
}
