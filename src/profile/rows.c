/* The rows of a table. */
#include "profile/table.h"

bool bx_profile_add_row(bx_profile *p, bx_profile_table *t, const bx_cell *key)
{
    bx_profile_row *row = bx_arena_grow(p->arena, t->row, t->rows, &t->room, sizeof *row, 256);
    if (!row)
        return false;
    t->row = row;
    row += t->rows;
    row->key = bx_arena_get(p->arena, t->columns * sizeof *row->key);
    row->value = bx_arena_get(p->arena, 2 * (p->events + 1) * sizeof *row->value);
    if (!row->key || !row->value)
        return false;
    row->by_prefetch = row->value + p->events;
    row->children = NULL;
    row->rank = 0;
    row->metric = row->own_metric = 0;
    row->few = false;
    row->place = t->rows;
    for (unsigned i = 0; i < t->columns; i++) {
        row->key[i] = key[i];
        row->key[i].text = bx_profile_copy(p, &key[i]);
    }
    t->rows++;
    return !p->arena->failed;
}
