/* Instructions of each class, as remarks or as what retires: `instructions`. */
#include "model/engine/instruction_pattern.h"

/* ---- what retires ---- */

void bx_generator_retire(struct bx_generator *g, unsigned count, int n)
{
    g->instructions->retired.n[count] = (int16_t)(g->instructions->retired.n[count] + n);
}

/* Where a remark takes the cycles before it, the next access does not. */
static void write_remark(struct bx_generator *g, unsigned what, unsigned class)
{
    g->buffer[g->n++] = bx_access_remark(what, class) | (bx_access)g->instructions->cost << 4;
    g->instructions->cost = 0;
}

void bx_generator_remark(struct bx_generator *g, unsigned what)
{
    if (g->instructions->remarks)
        write_remark(g, what, BX_CLASS_OTHER);
}

void bx_generator_execute(struct bx_generator *g, unsigned class, bool taken, unsigned cost)
{
    struct bx_generator_instructions *i = g->instructions;

    i->cost += cost;
    bx_retired_add_instruction(&i->retired, class, taken);
    if (i->remarks && class != BX_CLASS_OTHER)
        write_remark(g, taken ? BX_REMARK_TAKEN : 0, class);
}

static void retire_before(struct bx_generator *g)
{
    struct bx_generator_instructions *i = g->instructions;
    uint32_t what = bx_retired_table_add(i->rows, &i->retired);

    if (what != BX_RETIRED_NONE)
        g->retirement[g->retirements++] = (bx_retirement){(uint32_t)g->n, what};
    i->retired = (bx_retired){{0}};
}

void bx_generator_access(struct bx_generator *g, uint64_t offset, unsigned kind, bx_access flags)
{
    unsigned cost = g->instructions->cost;

    retire_before(g);
    g->instructions->cost = 0;
    bx_generator_emit(g, 0, offset, kind, flags, cost);
}

void bx_generator_load(struct bx_generator *g, uint64_t offset)
{
    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
    bx_generator_retire(g, BX_RETIRED_LOADS, 1);
    bx_generator_access(g, offset, BX_LOAD, 0);
}

/* ---- the instructions of a round ---- */

/* Those of registers come first: all classes from BX_CLASS_MULTIPLY on. */
enum {
    OF_REGISTERS = BX_CLASSES - BX_CLASS_MULTIPLY,
    LOCKED_ONE = OF_REGISTERS,
    STRING_STORE,
    SPLIT_STORE,
    SPLIT_LOAD,
    PLAIN_LOAD,
    ROUND,
};

uint64_t bx_instruction_steps(const struct bx_generator *g)
{
    return g->key[BX_KEY_ITERATIONS] * ROUND;
}

static uint64_t line(const struct bx_generator *g, unsigned n)
{
    return (uint64_t)n << g->line_shift;
}

/* Its operands are in registers, except for stores to memory. */
static void execute_class(struct bx_generator *g, unsigned class)
{
    bool weak = class == BX_CLASS_MMX_WEAK_STORE || class == BX_CLASS_PS_WEAK_STORE ||
                class == BX_CLASS_PD_WEAK_STORE || class == BX_CLASS_WEAK_STORE;

    bx_generator_execute(g, class, false, 1);
    if (!weak && class != BX_CLASS_MMX_STORE)
        return;
    bx_generator_retire(g, BX_RETIRED_STORES, 1);
    bx_generator_retire(g, BX_RETIRED_NON_TEMPORAL, weak);
    bx_generator_access(g, weak ? line(g, 8) : 0, weak ? BX_NON_TEMPORAL : BX_STORE,
                        weak ? BX_ACCESS_PARTIAL : 0);
}

/* In two lines: two accesses of one instruction. */
static void execute_split(struct bx_generator *g, enum bx_access_kind kind)
{
    bool load = kind == BX_LOAD;

    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
    bx_generator_retire(g, load ? BX_RETIRED_LOADS : BX_RETIRED_STORES, 1);
    bx_generator_access(g, line(g, 2), kind, 0);
    bx_generator_retire(g, load ? BX_RETIRED_SPLIT_LOADS : BX_RETIRED_SPLIT_STORES, 1);
    bx_generator_access(g, line(g, 3), kind, 0);
    bx_generator_remark(g, BX_REMARK_MISALIGNED);
}

/* As in a program (program/decode/draft.c): its load asks for ownership. */
static void execute_locked(struct bx_generator *g)
{
    uint32_t locked = g->instructions->locked;

    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
    bx_generator_retire(g, BX_RETIRED_LOADS, 1);
    bx_generator_retire(g, BX_RETIRED_STORES, 1);
    bx_generator_retire(g, BX_RETIRED_LOCKED_LOADS, 1);
    if (locked) {
        bx_generator_retire(g, BX_RETIRED_LOADS_TO_OWN, 1);
        g->instructions->cost += g->instructions->remarks ? 0 : locked;
        g->buffer[g->n++] = BX_ACCESS_LOCK | (bx_access)g->instructions->cost << 4;
        g->instructions->cost = 0;
    }
    bx_generator_access(g, line(g, 1), locked ? BX_STORE : BX_LOAD,
                        locked ? BX_ACCESS_DEPENDENT : 0);
    bx_generator_access(g, line(g, 1), BX_STORE, 0);
}

/* A string instruction overwrites a line, another one each round: as in a program
 * (program/decode/items.c), it asks for ownership alone. */
static void execute_string(struct bx_generator *g)
{
    unsigned first = 16, lines = 32;
    uint64_t to = line(g, first + (unsigned)(g->done / ROUND % lines));

    if (!g->instructions->remarks)
        bx_generator_access(g, to, BX_STORE, BX_ACCESS_WHOLE | BX_ACCESS_AUXILIARY);
    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
    bx_generator_retire(g, BX_RETIRED_STORES, 1);
    bx_generator_access(g, to, BX_STORE, 0);
}

void bx_step_instructions(struct bx_generator *g)
{
    unsigned number = (unsigned)(g->done % ROUND);

    if (number < OF_REGISTERS)
        execute_class(g, BX_CLASS_MULTIPLY + number);
    else if (number == LOCKED_ONE)
        execute_locked(g);
    else if (number == STRING_STORE)
        execute_string(g);
    else if (number == PLAIN_LOAD)
        bx_generator_load(g, 0);
    else
        execute_split(g, number == SPLIT_LOAD ? BX_LOAD : BX_STORE);
}
