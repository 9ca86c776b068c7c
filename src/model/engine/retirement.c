/* The table of what can retire at once, with a hash table that finds equal rows. */
#include "model/engine/retirement.h"

#include "tracer/instruction_class.h"

#include <stdlib.h>
#include <string.h>

const char *const bx_branch_miss_names[BX_BRANCH_MISSES] = {
    [BX_MISS_NOT_TAKEN] = "mispredicted conditional branches that are not taken",
    [BX_MISS_TAKEN] = "mispredicted conditional branches that are taken",
    [BX_MISS_INDIRECT_JUMP] = "mispredicted indirect jumps",
    [BX_MISS_INDIRECT_CALL] = "mispredicted indirect calls",
    [BX_MISS_RETURN] = "mispredicted returns",
};

void bx_retired_add_instruction(bx_retired *to, unsigned class, bool taken)
{
    static const uint8_t computes[BX_CLASSES] = {
        [BX_CLASS_SS_COMPUTE] = BX_RETIRED_SCALAR_SINGLE,
        [BX_CLASS_SD_COMPUTE] = BX_RETIRED_SCALAR_DOUBLE,
        [BX_CLASS_PS_COMPUTE] = BX_RETIRED_PACKED_SINGLE,
        [BX_CLASS_PD_COMPUTE] = BX_RETIRED_PACKED_DOUBLE,
        [BX_CLASS_X87_COMPUTE] = BX_RETIRED_X87,
        [BX_CLASS_X87_MULTIPLY] = BX_RETIRED_X87,
        [BX_CLASS_X87_DIVIDE] = BX_RETIRED_X87,
        [BX_CLASS_LATER_PS] = BX_RETIRED_PACKED_SINGLE,
        [BX_CLASS_LATER_PD] = BX_RETIRED_PACKED_DOUBLE,
        [BX_CLASS_LATER_SS] = BX_RETIRED_SCALAR_SINGLE,
        [BX_CLASS_LATER_SD] = BX_RETIRED_SCALAR_DOUBLE,
        [BX_CLASS_LATER_PS_256] = BX_RETIRED_PACKED_SINGLE_256,
        [BX_CLASS_LATER_PD_256] = BX_RETIRED_PACKED_DOUBLE_256,
        [BX_CLASS_TWICE_PS] = BX_RETIRED_PACKED_SINGLE,
        [BX_CLASS_TWICE_PD] = BX_RETIRED_PACKED_DOUBLE,
        [BX_CLASS_TWICE_SS] = BX_RETIRED_SCALAR_SINGLE,
        [BX_CLASS_TWICE_SD] = BX_RETIRED_SCALAR_DOUBLE,
        [BX_CLASS_TWICE_PS_256] = BX_RETIRED_PACKED_SINGLE_256,
        [BX_CLASS_TWICE_PD_256] = BX_RETIRED_PACKED_DOUBLE_256,
    };
    to->n[BX_RETIRED_INSTRUCTIONS]++;
    if (computes[class])
        to->n[computes[class]] += class < BX_CLASS_TWICE_PS ? 1 : 2;
    if (!bx_class_is_branch(class))
        return;
    to->n[BX_RETIRED_BRANCHES]++;
    to->n[BX_RETIRED_CONDITIONAL + class - BX_CLASS_CONDITIONAL_BRANCH]++;
    to->n[BX_RETIRED_TAKEN] += taken;
    to->n[BX_RETIRED_CONDITIONAL_TAKEN] += taken && class == BX_CLASS_CONDITIONAL_BRANCH;
}

enum {
    PART_BITS = 8,
    PART = 1 << PART_BITS, /* a part never moves, so pointers into it stay valid */
    PARTS = 1 << 16,
    FIRST_ROOM = 1024,
};

struct bx_retired_table {
    uint32_t n;
    uint32_t room, *number; /* [room], a power of two: a hash table of numbers + 1 */
    bx_retired *part[PARTS];
};

bx_retired_table *bx_retired_table_new(void)
{
    return calloc(1, sizeof(bx_retired_table));
}

void bx_retired_table_free(bx_retired_table *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < PARTS && t->part[i]; i++)
        free(t->part[i]);
    free(t->number);
    free(t);
}

const bx_retired *bx_retired_table_at(const bx_retired_table *t, uint32_t number)
{
    return &t->part[number >> PART_BITS][number & (PART - 1)];
}

uint32_t bx_retired_table_n(const bx_retired_table *t)
{
    return t->n;
}

/* FNV-1a, 16 bits at a time. */
static uint32_t hash(const bx_retired *what)
{
    uint32_t h = 2166136261;
    for (unsigned i = 0; i < BX_RETIRED_ALL; i++)
        h = (h ^ (uint16_t)what->n[i]) * 16777619;
    return h ^ h >> 15;
}

/* The slot with the number of this row, or the free slot where it belongs. */
static uint32_t *slot_of(const bx_retired_table *t, const bx_retired *what)
{
    for (uint32_t i = hash(what);; i++) {
        uint32_t *at = &t->number[i & (t->room - 1)];
        if (!*at || memcmp(bx_retired_table_at(t, *at - 1), what, sizeof *what) == 0)
            return at;
    }
}

/* Keeps at least half of the slots free. */
static bool make_room_for_kind(bx_retired_table *t)
{
    if (2 * t->n < t->room)
        return true;
    uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
    uint32_t *number = calloc(room, sizeof *number);
    if (!number)
        return false;
    free(t->number);
    t->number = number;
    t->room = room;
    for (uint32_t i = 0; i < t->n; i++)
        *slot_of(t, bx_retired_table_at(t, i)) = i + 1;
    return true;
}

uint32_t bx_retired_table_add(bx_retired_table *t, const bx_retired *what)
{
    if (!make_room_for_kind(t))
        return BX_RETIRED_NONE;
    uint32_t *at = slot_of(t, what), part = t->n >> PART_BITS;
    if (*at)
        return *at - 1;
    if (part == PARTS || (!t->part[part] && !(t->part[part] = malloc(PART * sizeof *what))))
        return BX_RETIRED_NONE;
    t->part[part][t->n & (PART - 1)] = *what;
    *at = ++t->n;
    return t->n - 1;
}

uint32_t bx_retired_table_add_one(bx_retired_table *t, unsigned count, int16_t n)
{
    bx_retired what = {{0}};
    what.n[count] = n;
    return bx_retired_table_add(t, &what);
}

/* false: a sum does not fit. */
static bool add_counts(bx_retired *to, const bx_retired *more)
{
    bx_retired sum;
    for (unsigned i = 0; i < BX_RETIRED_ALL; i++) {
        int n = to->n[i] + more->n[i];
        if (n > INT16_MAX || n < INT16_MIN)
            return false;
        sum.n[i] = (int16_t)n;
    }
    *to = sum;
    return true;
}

size_t bx_retired_table_merge(bx_retired_table *t, const bx_retirement *from, size_t n,
                              bx_retirement *to)
{
    bx_retired sum = {{0}};
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        bx_retired next = *bx_retired_table_at(t, from[i].what);
        bool last = i + 1 == n, fits = add_counts(&sum, &next);
        if (fits && !last)
            continue;
        uint32_t number = bx_retired_table_add(t, &sum);
        if (number == BX_RETIRED_NONE)
            return SIZE_MAX;
        to[made++] = (bx_retirement){0, number};
        if (!fits) { /* a new sum begins with it */
            sum = next;
            if (!last)
                continue;
            to[made++] = (bx_retirement){0, from[i].what};
        }
    }
    return made;
}
