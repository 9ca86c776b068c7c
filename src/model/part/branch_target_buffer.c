/* A set of the buffer has the branches of lines of 16 bytes. */
#include "model/part/branch_target_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 4, COUNTER_MOST = 3, WEAKLY_TAKEN = 2 };

bool bx_btb_power_on(struct bx_btb *b, const bx_predictor_sizes *sizes)
{
    b->ways = sizes->btb_ways;
    b->sets = sizes->btb / sizes->btb_ways;
    b->history_mask = (1u << sizes->btb_history) - 1;
    b->entry = calloc(sizes->btb, sizeof *b->entry);
    return b->entry != NULL;
}

static struct bx_btb_entry *set_of(const struct bx_btb *b, uint64_t last)
{
    return b->entry + (last >> LINE_SHIFT) % b->sets * b->ways;
}

struct bx_btb_entry *bx_btb_find(struct bx_btb *b, uint64_t last)
{
    struct bx_btb_entry *set = set_of(b, last);

    for (uint32_t i = 0; i < b->ways; i++)
        if (set[i].last == last) {
            set[i].used = ++b->time;
            return &set[i];
        }
    return NULL;
}

struct bx_btb_entry *bx_btb_add(struct bx_btb *b, uint64_t last)
{
    struct bx_btb_entry *set = set_of(b, last), *oldest = set;

    for (uint32_t i = 1; i < b->ways; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    *oldest = (struct bx_btb_entry){.last = last, .used = ++b->time};
    memset(oldest->counter, WEAKLY_TAKEN, sizeof oldest->counter);
    return oldest;
}

unsigned bx_btb_forget(struct bx_btb *b, uint64_t first, uint64_t last)
{
    unsigned gone = 0;

    for (uint64_t line = first >> LINE_SHIFT; line <= last >> LINE_SHIFT; line++) {
        struct bx_btb_entry *set = set_of(b, line << LINE_SHIFT);
        for (uint32_t i = 0; i < b->ways; i++)
            if (set[i].last && set[i].last >= first && set[i].last <= last) {
                set[i] = (struct bx_btb_entry){0};
                gone++;
            }
    }
    return gone;
}

bool bx_btb_predicts_taken(const struct bx_btb_entry *e)
{
    return e->counter[e->history] >= WEAKLY_TAKEN;
}

void bx_btb_learn(const struct bx_btb *b, struct bx_btb_entry *e, bool taken)
{
    uint8_t *counter = &e->counter[e->history];

    if (taken)
        *counter += *counter < COUNTER_MOST;
    else
        *counter -= *counter > 0;
    e->history = (uint8_t)((e->history << 1 | taken) & b->history_mask);
}
