/* Reads the description of a block: entries of a trace become items, with the cost of each. */
#include "machine/program/decode/draft.h"

#include "machine/program/decode/decoder.h"
#include "model/part/prefetchers.h"

#include <stdlib.h>
#include <string.h>

/* Most additional fetches that take costs too large for one access: a block costs less than 2^16
 * cycles. */
enum { EXTRA_FETCHES = 20 };

/* Adds an item. An access takes at most BX_ACCESS_COST_MAX cycles; the next items take the rest. */
static void add_item(bx_draft *b, bx_block_item add, uint16_t kept, unsigned most)
{
    add.cost = b->now.cost < BX_ACCESS_COST_MAX ? b->now.cost : BX_ACCESS_COST_MAX - 1;
    if (add.kind != BX_ITEM_UNKNOWN)
        add.access |= bx_decoder_cost(add.cost);
    b->now.cost -= add.cost;
    b->kept[b->now.items] = kept;
    b->by[b->now.items] = (bx_block_instruction){
        (uint32_t)b->address,
        b->overwrites && (add.access & 3) == BX_STORE ? BX_BLOCK_UNSEEN : BX_BLOCK_NO_TOUCH};
    b->at[b->now.items] = b->address;
    b->turn[b->now.items] = BX_TURN_NONE;
    b->item[b->now.items++] = add;
    b->burst += most + (b->walks ? 2 * BX_WALK_LOADS : 0) /* the access may be in two pages */
                + (b->prefetch ? BX_PREFETCH_MOST : 0);
}

static void add_remark(bx_draft *b, unsigned what, unsigned class)
{
    if (b->remarks && (what || class))
        add_item(b,
                 (bx_block_item){.access = bx_access_remark(what, class), .kind = BX_ITEM_REMARK},
                 0, 1);
}

static void retire(bx_draft *b, unsigned count)
{
    b->retired.n[count]++;
}

/* Counts a conditional branch that was taken. */
static void add_taken(bx_retired *to)
{
    to->n[BX_RETIRED_TAKEN]++;
    to->n[BX_RETIRED_CONDITIONAL_TAKEN]++;
}

static void add_class(bx_draft *b, unsigned class, bool taken_always)
{
    bool branch = bx_class_is_branch(class);
    bool taken = branch && (class != BX_CLASS_CONDITIONAL_BRANCH || taken_always);
    bx_retired_add_instruction(&b->retired, class, taken);
    if (branch && b->predicts && b->branches++ < BX_BLOCK_BRANCHES) {
        b->branch[b->branches - 1] = bx_branch_at(b->last, class, taken);
        b->burst++;
    }
    add_remark(b, taken ? BX_REMARK_TAKEN : 0, class);
}

/* ---- the time of a core ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The slots of so many cycles. The limit, and the values that core_time.h allows, keep the cost of
 * a block below 2^16 uncore cycles. */
static uint64_t slots_of(const bx_core_time *core, uint64_t cycles)
{
    enum { MOST_CYCLES = 16000 };
    return smaller(cycles, MOST_CYCLES) * core->width;
}

/* The slots that an exit's recurrence takes. */
static uint64_t recurrence_slots(const bx_core_time *core, uint64_t exit,
                                 const unsigned divisions[BX_DIVISIONS])
{
    bx_trace_recurrence r = bx_trace_exit_recurrence(exit);
    uint64_t cycles = r.cycles + (uint64_t)r.loads * core->l1 +
                      (uint64_t)r.additions * core->fp_add +
                      (uint64_t)r.multiplications * core->fp_multiply;
    for (unsigned k = 0; k < BX_DIVISIONS; k++)
        cycles += (uint64_t)divisions[k] * core->divide_wait[k];
    return slots_of(core, cycles);
}

/* The slots in which so many operations begin at that many ports. */
static uint64_t port_slots(const bx_core_time *core, uint64_t operations, uint32_t ports)
{
    return ports ? (operations * core->width + ports - 1) / ports : 0;
}

/* The slots of the port, or unit, that has the most to do. */
static uint64_t busiest_slots(const bx_core_time *core, const bx_draft_ports *p)
{
    const bx_trace_ports *r = &p->rest;
    uint64_t divider = 0;
    for (unsigned k = 0; k < BX_DIVISIONS; k++)
        divider += (uint64_t)r->divisions[k] * core->divide[k];
    const uint64_t slots[] = {
        port_slots(core, larger(p->loads, r->loads), core->load_ports),
        port_slots(core, p->stores, core->store_ports),
        port_slots(core, r->operations, core->alu_ports),
        port_slots(core, r->additions, core->fp_add_ports),
        port_slots(core, r->multiplications, core->fp_multiply_ports),
        port_slots(core, r->additions + r->multiplications, core->fp_ports),
        port_slots(core, r->integer_multiplications, 1),
        divider * core->width,
    };
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        most = larger(most, slots[i]);
    return smaller(most, slots_of(core, UINT64_MAX));
}

/* The parts in which an access goes through a port of so many bytes. */
static uint32_t parts_of(uint64_t entry, uint32_t bytes)
{
    return bytes ? (bx_trace_entry_size(entry) + bytes - 1) / bytes : 1;
}

static void add_to_ports(bx_draft *b, uint64_t entry)
{
    unsigned kind = bx_trace_entry_kind(entry);
    if (kind == BX_TRACE_LOAD)
        b->ports.loads += parts_of(entry, b->core.load_bytes);
    else if (kind == BX_TRACE_STORE)
        b->ports.stores += parts_of(entry, b->core.store_bytes);
    else if (kind == BX_TRACE_PORTS)
        b->ports.rest = bx_trace_entry_ports(entry);
    else if (kind == BX_TRACE_DIVIDES)
        bx_trace_read_divides(entry, &b->ports.rest, &b->ports.chain);
}

/* Begins the stretch of instructions from entry i to the next exit. */
static void begin_stretch(bx_draft *b, const uint64_t *entries, size_t i, size_t n)
{
    bx_draft_stretch *s = &b->stretch;
    uint64_t before = i ? s->before + s->slots : 0;
    uint32_t instructions = 0;
    b->ports.chain = (bx_trace_recurrence){0};
    for (; i < n && bx_trace_entry_kind(entries[i]) != BX_TRACE_EXIT; i++) {
        instructions += bx_trace_entry_kind(entries[i]) == BX_TRACE_INSTRUCTION;
        add_to_ports(b, entries[i]);
    }
    uint64_t until = larger(before, b->counts.instructions + instructions);
    until = larger(until, busiest_slots(&b->core, &b->ports));
    if (i < n)
        until = larger(until, recurrence_slots(&b->core, entries[i], b->ports.chain.divisions));
    *s = (bx_draft_stretch){.before = before,
                            .slots = until - before,
                            .instructions = instructions,
                            .cycles = (uint32_t)(before * b->slot.n / b->slot.d)};
}

static void charge(bx_draft *b, uint64_t cycles)
{
    b->now.cost = (uint16_t)(b->now.cost + cycles - b->stretch.cycles);
    b->stretch.cycles = (uint32_t)cycles;
}

static void charge_instruction(bx_draft *b)
{
    bx_draft_stretch *s = &b->stretch;
    uint64_t slots = s->before * s->instructions + s->slots * ++s->executed;
    charge(b, slots * b->slot.n / ((uint64_t)s->instructions * b->slot.d));
}

/* Adds the rest of the stretch's cost. */
static void charge_exit(bx_draft *b)
{
    uint64_t parts = (b->stretch.before + b->stretch.slots) * b->slot.n;
    charge(b, parts / b->slot.d);
    b->now.part = (uint16_t)(parts % b->slot.d);
}

/* ---- entries ---- */

/* The exit shows the outcome of the conditional branch before. */
static void decide_branch(bx_draft *b, uint64_t entry)
{
    if (!b->branches || b->branches > BX_BLOCK_BRANCHES ||
        !(entry & (BX_TRACE_TAKEN | BX_TRACE_PASSED_TAKEN)))
        return;
    bx_branch *branch = &b->branch[b->branches - 1];
    branch->exit = (uint8_t)b->exits;
    branch->passed = !(entry & BX_TRACE_TAKEN);
    branch->backward = entry & BX_TRACE_BACKWARD;
}

static void add_exit(bx_draft *b, uint64_t entry)
{
    decide_branch(b, entry);
    b->now.branches = (uint8_t)b->branches;
    charge_exit(b);
    b->now.kept = (uint16_t)entry;
    b->now.number = (uint8_t)(b->exits | (entry & BX_TRACE_TAKEN ? BX_BLOCK_LEFT_TAKEN : 0));
    b->exit_counts[b->exits] = b->counts;
    b->exit_retired[b->exits] = b->retired;
    b->exit_at[b->exits] = b->address;
    if (entry & BX_TRACE_TAKEN)
        add_taken(&b->exit_retired[b->exits]);
    b->exit[b->exits++] = b->now;
    b->now.passes = 0;
    if (entry & BX_TRACE_PASSED_TAKEN)
        add_taken(&b->retired);
    add_remark(b, entry & BX_TRACE_PASSED_TAKEN ? BX_REMARK_TAKEN : 0, 0);
}

static void add_instruction(bx_draft *b, uint64_t address, unsigned size)
{
    uint64_t last = (address + (size ? size : 1) - 1) >> b->line_shift;
    b->counts.instructions++;
    b->address = address;
    b->last = address + (size ? size : 1) - 1;
    charge_instruction(b);
    for (uint64_t line = address >> b->line_shift; line <= last; line++) {
        if (b->fetches && line == b->now.fetched)
            continue;
        if (!b->fetches)
            b->first_line = line;
        b->fetches = true;
        b->now.fetched = line;
        add_item(b, (bx_block_item){.access = line, .kind = BX_ITEM_UNKNOWN}, 0, 1);
    }
}

/* Begins a locked operation. It begins with a load, and waits for all accesses before it. */
static void add_lock(bx_draft *b)
{
    uint32_t cycles = b->remarks ? 0 : b->lock; /* with remarks, costs are instructions */

    b->now.cost = (uint16_t)(b->now.cost + cycles);
    b->locks += cycles;
    add_item(b, (bx_block_item){.access = BX_ACCESS_LOCK, .kind = BX_ITEM_REMARK}, 0, 1);
}

/* A locked operation on two lines locks the bus. */
static void add_bus_lock(bx_draft *b, unsigned size)
{
    const bx_block_item item = {.access =
                                    bx_access_steer(0, BX_STEER_LOCK_BUS) | BX_ACCESS_DEPENDENT,
                                .word = b->now.words,
                                .size = (uint16_t)size,
                                .kind = BX_ITEM_LOCK_BUS};
    add_item(b, item, 0, 2);
}

/* The load of a locked operation gets the line for writing. */
static bx_access access_of(unsigned kind, uint64_t flags, bool locked)
{
    if (locked && kind == BX_TRACE_LOAD)
        return BX_STORE | BX_ACCESS_DEPENDENT;
    if (kind == BX_TRACE_LOAD)
        return flags & BX_TRACE_AWAITED ? BX_LOAD | BX_ACCESS_DEPENDENT : BX_LOAD;
    return flags & BX_TRACE_NON_TEMPORAL ? BX_NON_TEMPORAL : BX_STORE;
}

static void count_data(bx_draft *b, unsigned kind, uint64_t flags, bx_access access)
{
    if (kind == BX_TRACE_LOAD) {
        b->counts.loads++;
    } else if (flags & BX_TRACE_MODIFY) {
        b->counts.loads--;
        b->counts.modifications++;
    } else {
        b->counts.stores++;
    }
    retire(b, kind == BX_TRACE_LOAD ? BX_RETIRED_LOADS : BX_RETIRED_STORES);
    if (access == BX_NON_TEMPORAL)
        retire(b, BX_RETIRED_NON_TEMPORAL);
    if (kind == BX_TRACE_LOAD && flags & BX_TRACE_LOCKED)
        retire(b, BX_RETIRED_LOCKED_LOADS);
    /* Of the two loads that Valgrind makes of one, the other counts as a hit. */
    if (kind == BX_TRACE_LOAD && flags & BX_TRACE_LOCKED && (access & 3) == BX_STORE)
        retire(b, BX_RETIRED_LOADS_TO_OWN);
}

/* Whether the entry at i is the load with which Valgrind begins a locked operation: before the load
 * of its compare-and-swap, it loads what it has to change. */
static bool begins_lock(const uint64_t *entries, size_t i, size_t n)
{
    return i + 1 < n && bx_trace_entry_kind(entries[i]) == BX_TRACE_LOAD &&
           bx_trace_entry_kind(entries[i + 1]) == BX_TRACE_LOAD &&
           bx_trace_entry_size(entries[i]) == bx_trace_entry_size(entries[i + 1]) &&
           entries[i + 1] & BX_TRACE_LOCKED;
}

static uint8_t turn_of(unsigned class, unsigned kind)
{
    if (kind == BX_TRACE_STORE && (class == BX_CLASS_CALL || class == BX_CLASS_INDIRECT_CALL))
        return BX_TURN_CALL;
    return kind == BX_TRACE_LOAD && class == BX_CLASS_RETURN ? BX_TURN_RETURN : BX_TURN_NONE;
}

static void add_data(bx_draft *b, unsigned kind, unsigned size, uint64_t flags, bool begins)
{
    const bool is_locked = flags & BX_TRACE_LOCKED || begins;
    const bool locked = is_locked && b->core.locked;
    const bx_access access = access_of(kind, flags, locked);
    const unsigned line = 1u << b->line_shift;
    bool closely = flags & BX_TRACE_GUARDED || size > line || access == BX_NON_TEMPORAL;
    if (is_locked && kind == BX_TRACE_LOAD && !b->in_lock && b->core.locks_bus)
        add_bus_lock(b, size);
    const bx_block_item data = {
        .access = access,
        .word = b->now.words++,
        .size = (uint16_t)size,
        .kind = BX_ITEM_DATA,
        .last = (int8_t)(closely ? -1 : (int)(line - size)),
    };
    if (locked && kind == BX_TRACE_LOAD && !b->in_lock)
        add_lock(b);
    b->in_lock = is_locked && begins;
    count_data(b, kind, flags, access);
    b->needed |= (uint16_t)(flags >> BX_TRACE_REGISTERS);
    add_item(b, data, kind == BX_TRACE_LOAD ? (uint16_t)(flags >> BX_TRACE_KEPT) : 0,
             3 + size / line);
    b->turn[b->now.items - 1] = turn_of(b->class, kind);
}

static void add_steering(bx_draft *b, unsigned what, uint64_t flags)
{
    static const uint8_t how[BX_TRACE_STEERINGS] = {
        [BX_TRACE_PREFETCH_T0] = BX_STEER_T0,   [BX_TRACE_PREFETCH_T1] = BX_STEER_L2,
        [BX_TRACE_PREFETCH_T2] = BX_STEER_L2,   [BX_TRACE_PREFETCH_NTA] = BX_STEER_NTA,
        [BX_TRACE_PREFETCH_W] = BX_STEER_OWN,   [BX_TRACE_FLUSHES] = BX_STEER_FLUSH,
        [BX_TRACE_WRITES_BACK] = BX_STEER_FLUSH};
    bool overwrites = what == BX_TRACE_OVERWRITES;
    const bx_block_item item = {
        .access = overwrites ? BX_STORE : bx_access_steer(0, (enum bx_steering)how[what]),
        .word = b->now.words++,
        .kind = overwrites ? BX_ITEM_OVERWRITE : BX_ITEM_STEER};
    b->overwrites = overwrites;
    if (b->remarks) {
        b->counts.left_out += !overwrites;
        return;
    }
    b->needed |= (uint16_t)(flags >> BX_TRACE_REGISTERS);
    add_item(b, item, 0, 1);
}

static bool is_class(uint64_t entry)
{
    unsigned class = bx_trace_instruction_class(entry);
    return class < BX_CLASSES &&
           (class == BX_CLASS_CONDITIONAL_BRANCH || !bx_trace_taken_always(entry));
}

/* Checks that a processor can make this instruction or access. Returns NULL or the error. */
static const char *check_entry(const bx_draft *b, uint64_t entry)
{
    unsigned kind = bx_trace_entry_kind(entry), size = bx_trace_entry_size(entry);
    uint64_t address = bx_trace_entry_address(entry);
    if (kind < BX_TRACE_INSTRUCTION || kind > BX_TRACE_PASSES)
        return "an entry of unknown kind";
    if (b->counts.instructions == 0 && kind != BX_TRACE_INSTRUCTION)
        return "a block that does not begin with an instruction";
    if (kind == BX_TRACE_INSTRUCTION && (address > UINT64_MAX - BX_LINE_BYTES_MOST ||
                                         b->counts.instructions == BX_BLOCK_INSTRUCTIONS))
        return "instructions that are too large or too many";
    if (kind == BX_TRACE_INSTRUCTION && !is_class(entry))
        return "an instruction of unknown class";
    if (kind == BX_TRACE_STEER && (size >= BX_TRACE_STEERINGS || b->now.words == BX_TRACE_WORDS))
        return "instructions that steer caches in no known way, or too many";
    if ((kind == BX_TRACE_LOAD || kind == BX_TRACE_STORE) &&
        (size == 0 || b->now.words == BX_TRACE_WORDS))
        return "accesses that are empty or too many";
    if (kind == BX_TRACE_STORE && entry & BX_TRACE_MODIFY && b->counts.loads == 0)
        return "a modification without a load";
    return kind == BX_TRACE_EXIT && b->exits == BX_TRACE_EXITS ? "too many exits" : NULL;
}

/* begins: it begins a locked operation. */
static void add_entry(bx_draft *b, uint64_t entry, bool begins)
{
    switch (bx_trace_entry_kind(entry)) {
    case BX_TRACE_INSTRUCTION:
        b->class = bx_trace_instruction_class(entry);
        b->overwrites = false;
        add_instruction(b, bx_trace_entry_address(entry), bx_trace_instruction_size(entry));
        add_class(b, bx_trace_instruction_class(entry), bx_trace_taken_always(entry));
        break;
    case BX_TRACE_EXIT:
        add_exit(b, entry);
        break;
    case BX_TRACE_PORTS:
    case BX_TRACE_DIVIDES:
        break;
    case BX_TRACE_PASSES:
        b->now.passes = (uint16_t)entry;
        break;
    case BX_TRACE_STEER:
        add_steering(b, bx_trace_entry_size(entry), entry);
        break;
    default:
        add_data(b, bx_trace_entry_kind(entry), bx_trace_entry_size(entry), entry, begins);
    }
}

const char *bx_draft_draw_up(bx_draft *b, const uint64_t *entries, size_t n)
{
    b->exits = b->locks = b->needed = b->branches = 0;
    b->burst = b->predicts; /* of the branch before the block */
    b->first = n ? bx_trace_entry_address(entries[0]) : 0;
    b->ports = (bx_draft_ports){0};
    b->now = (bx_block_exit){.words = 1};
    b->counts = (bx_block_counts){0};
    b->retired = (bx_retired){{0}};
    b->fetches = b->in_lock = b->overwrites = false;
    for (size_t i = 0; i < n; i++) {
        const char *wrong = check_entry(b, entries[i]);
        if (wrong)
            return wrong;
        if (i == 0 || bx_trace_entry_kind(entries[i - 1]) == BX_TRACE_EXIT)
            begin_stretch(b, entries, i, n);
        add_entry(b, entries[i], begins_lock(entries, i, n));
    }
    if (n == 0 || bx_trace_entry_kind(entries[n - 1]) != BX_TRACE_EXIT)
        return "a block without an end";
    if (b->branches > BX_BLOCK_BRANCHES)
        return "a block with too many branches";
    return b->burst > BX_DECODER_BURST - EXTRA_FETCHES ? "a block that makes too many accesses"
                                                       : NULL;
}

bx_block *bx_draft_block(const bx_draft *from)
{
    size_t exits = from->exits * sizeof(bx_block_exit),
           items = from->now.items * sizeof(bx_block_item);
    size_t kept = from->now.items * sizeof *from->kept;
    size_t by = from->prefetch ? from->now.items * sizeof *from->by : 0;
    size_t counts = from->exits * sizeof *from->exit_counts;
    size_t branch = from->branches * sizeof *from->branch;
    bx_block *b = malloc(sizeof *b + exits + items + branch + by + kept + counts);
    if (!b)
        return NULL;
    b->exits = from->exits;
    b->needed = from->needed;
    uint32_t cost = from->stretch.cycles + from->locks;
    b->cost = (uint16_t)(cost < UINT16_MAX ? cost : UINT16_MAX);
    b->first_line = from->first_line;
    b->item = (bx_block_item *)(b->exit + b->exits);
    memcpy(b->exit, from->exit, exits);
    b->branch = (bx_branch *)(void *)(b->item + from->now.items);
    b->by = from->prefetch ? (bx_block_instruction *)(void *)(b->branch + from->branches) : NULL;
    b->kept = (uint16_t *)(void *)((char *)(b->branch + from->branches) + by);
    memcpy(b->item, from->item, items);
    if (by)
        memcpy(b->by, from->by, by);
    memcpy(b->kept, from->kept, kept);
    b->counts = (bx_block_counts *)(void *)((char *)b->kept + kept);
    memcpy(b->counts, from->exit_counts, counts);
    b->first = from->first;
    memcpy(b->branch, from->branch, branch);
    b->note = NULL;
    b->items = from->now.items;
    return b;
}
