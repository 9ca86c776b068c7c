/* The log of the P6 oracle and the levels of its signals. */
#include "machine.h"

#include "seam/signal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the log ---- */

void p6_count(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t begin, uint64_t end)
{
    if (o->items == o->room) {
        o->room = o->room * 2 + 1024;
        o->item = realloc(o->item, o->room * sizeof *o->item);
        if (o->item == NULL)
            abort();
    }
    o->item[o->items++] = (struct p6_item){code, umask, false, begin, end};
}

void p6_pulse(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t t)
{
    p6_count(o, code, umask, t, t + 1);
}

void p6_pulse_of_code(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t t)
{
    p6_pulse(o, code, umask, t);
    o->item[o->items - 1].of_code = true;
}

/* ---- the table "Signals" ---- */

enum masks { NO_MASK, STATES, AGENTS, TWO, FOUR, KINDS, ALL_KINDS };

static const struct {
    uint8_t code;
    enum masks masks;
} table[] = {
    {0x03, NO_MASK}, {0x04, NO_MASK}, {0x21, NO_MASK},   {0x22, NO_MASK}, {0x23, NO_MASK},
    {0x24, NO_MASK}, {0x26, NO_MASK}, {0x25, NO_MASK},   {0x27, NO_MASK}, {0x28, STATES},
    {0x29, STATES},  {0x2a, STATES},  {0x2e, STATES},    {0x43, NO_MASK}, {0x45, NO_MASK},
    {0x46, NO_MASK}, {0x47, NO_MASK}, {0x48, NO_MASK},   {0x60, NO_MASK}, {0x62, AGENTS},
    {0x63, AGENTS},  {0x64, NO_MASK}, {0x65, AGENTS},    {0x66, AGENTS},  {0x67, AGENTS},
    {0x68, AGENTS},  {0x69, AGENTS},  {0x6a, AGENTS},    {0x6b, AGENTS},  {0x6d, AGENTS},
    {0x6e, AGENTS},  {0x6f, AGENTS},  {0x70, AGENTS},    {0x79, NO_MASK}, {0x7a, NO_MASK},
    {0x7b, NO_MASK}, {0x7e, NO_MASK}, {0x80, NO_MASK},   {0x81, NO_MASK}, {0x85, NO_MASK},
    {0x86, NO_MASK}, {0xa2, NO_MASK}, {0xc0, NO_MASK},   {0xd0, NO_MASK}, {0xc2, NO_MASK},
    {0x05, NO_MASK}, {0x88, NO_MASK}, {0xc4, NO_MASK},   {0xc9, NO_MASK}, {0xe0, NO_MASK},
    {0x06, NO_MASK}, {0x07, FOUR},    {0x10, NO_MASK},   {0x12, NO_MASK}, {0x13, NO_MASK},
    {0x14, NO_MASK}, {0x6c, AGENTS},  {0xc6, NO_MASK},   {0xc7, NO_MASK}, {0xc8, NO_MASK},
    {0x8b, NO_MASK}, {0x8d, NO_MASK}, {0x8f, NO_MASK},   {0x92, NO_MASK}, {0x94, NO_MASK},
    {0xb0, NO_MASK}, {0xb1, NO_MASK}, {0xb2, ALL_KINDS}, {0xb3, KINDS},   {0xc1, NO_MASK},
    {0xcc, TWO},     {0xcd, NO_MASK}, {0xce, NO_MASK},   {0xd8, FOUR},    {0xd9, FOUR},
    {0x89, NO_MASK}, {0x8c, NO_MASK}, {0x8e, NO_MASK},   {0x90, NO_MASK}, {0x93, NO_MASK},
    {0xc5, NO_MASK}, {0xca, NO_MASK}, {0xe2, NO_MASK},   {0xe4, NO_MASK}, {0xe6, NO_MASK},
};

enum { EVENTS = sizeof table / sizeof *table };

static enum masks masks_of(unsigned code)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (table[i].code == code)
            return table[i].masks;
    abort();
}

bool p6_oracle_produces(unsigned code, unsigned umask)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (table[i].code == code)
            switch (table[i].masks) {
            case STATES:
                return umask <= 0x0f;
            case AGENTS:
                return umask == P6_SELF || umask == P6_ANY;
            case TWO:
                return umask < 2;
            case FOUR:
                return umask < 4;
            case KINDS:
                return umask > 0 && umask <= 0x3f;
            case ALL_KINDS:
                return umask == 0x0f;
            default:
                return umask == 0;
            }
    return false;
}

static bool fits(const struct p6_item *item, unsigned code, unsigned umask)
{
    if (item->code != code)
        return false;
    switch (masks_of(code)) {
    case STATES:
    case KINDS:
        return item->umask & umask;
    case TWO:
    case FOUR:
        return item->umask == umask;
    case AGENTS:
        return item->umask == umask || item->umask == P6_SELF_AND_ANY;
    default:
        return true;
    }
}

/* ---- levels ---- */

/* Returns an array whose [t] tells whether the processor is at CPL 3 in cycle t: neither halted nor
 * in a kernel that handles an interrupt. The caller frees it. */
static bool *cycles_that_run(const struct p6_oracle *o, size_t cycles)
{
    bool *runs = calloc(cycles + 1, sizeof *runs);

    if (runs == NULL)
        abort();
    for (size_t i = 0; i < o->items; i++)
        if (o->item[i].code == 0x79)
            for (uint64_t t = o->item[i].begin; t < o->item[i].end && t < cycles; t++)
                runs[t] = true;
    for (size_t i = 0; i < o->items; i++)
        if (o->item[i].code == 0xc6)
            for (uint64_t t = o->item[i].begin; t < o->item[i].end && t < cycles; t++)
                runs[t] = false;
    return runs;
}

static void add(const struct p6_item *item, unsigned levels, const bool *runs, uint32_t *level,
                size_t cycles)
{
    for (uint64_t t = item->begin; t < item->end && t < cycles; t++)
        if (levels & (runs[t] || item->of_code ? BX_LEVEL_USER : BX_LEVEL_OS))
            level[t]++;
}

/* "The busy cycles are those with at least one" transfer. */
static void at_most_one(uint32_t *level, size_t cycles)
{
    for (size_t t = 0; t < cycles; t++)
        level[t] = level[t] != 0;
}

void p6_oracle_levels(const struct p6_oracle *o, struct p6_signal s, uint32_t *level, size_t cycles)
{
    bool *runs = cycles_that_run(o, cycles);

    memset(level, 0, cycles * sizeof *level);
    for (size_t i = 0; i < o->items; i++)
        if (fits(&o->item[i], s.code, s.umask))
            add(&o->item[i], s.levels, runs, level, cycles);
    if (s.code == 0x22 || s.code == 0x23)
        at_most_one(level, cycles);
    free(runs);
}
