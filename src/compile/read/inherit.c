/* `pmu NAME like OTHER`: inserts the items of another PMU's file before those of this file, except
 * events that `without` lists and what this file describes again. Its own registers, slots and
 * modifiers take the places of the other's, because later items name them. Only the list of items
 * is new. The items themselves are shared, so messages point to the file that contains them. */
#include "compile/read/notation.h"

#include "base/error.h"

static bool is_named(const bx_syntax_node *item, const char *keyword, bx_str name)
{
    return bx_syntax_is(item, keyword) && bx_str_eq(bx_syntax_arg(item, NULL, 0), name);
}

/* The .pmu file that describes a PMU; NULL if there is none. */
static bx_syntax_node *find_pmu(bx_syntax_node *const *trees, size_t n, bx_str name)
{
    for (size_t i = 0; i < n; i++)
        if (trees[i]->first && is_named(trees[i]->first, "pmu", name))
            return trees[i];
    return NULL;
}

/* Where the list of the file's items has the one of this name; the end of the list: nowhere. */
static bx_syntax_node **place_of(bx_syntax_node *tree, const char *keyword, bx_str name)
{
    bx_syntax_node **at = &tree->first;
    while (*at && !is_named(*at, keyword, name))
        at = &(*at)->next;
    return at;
}

static bool has_event(bx_syntax_node *tree, bx_str name)
{
    return *place_of(tree, "event", name) != NULL;
}

/* Checks that every event that is left out belongs to the other PMU. */
static bool check_without(const bx_syntax_node *tree, bx_syntax_node *other, bx_error *e)
{
    const bx_clause *c = bx_clause_find(tree->first->clauses, "without");
    for (unsigned i = 0; c && i < c->n; i++)
        if (!other || !has_event(other, c->args[i])) {
            bx_complain(e, tree->file, c->args[i], "like",
                        "the other PMU has no event of this name");
            return false;
        }
    return true;
}

static bool is_kept(bx_syntax_node *tree, const bx_syntax_node *item)
{
    const bx_clause *c = bx_clause_find(tree->first->clauses, "without");
    bx_str name = bx_syntax_arg(item, NULL, 0);
    if (bx_syntax_is(item, "pmu"))
        return false;
    if (!bx_syntax_is(item, "event"))
        return true;
    for (unsigned i = 0; c && i < c->n; i++)
        if (bx_str_eq(name, c->args[i]))
            return false;
    return !has_event(tree, name);
}

static bool copy_below(bx_arena *arena, bx_syntax_node *to, const bx_syntax_node *from,
                       const bx_syntax_node *heir);

/* Copies an item and the items below it for `heir`. NULL without memory. */
static bx_syntax_node *copy_of(bx_arena *arena, const bx_syntax_node *item,
                               const bx_syntax_node *heir)
{
    bx_syntax_node *copy = bx_arena_get(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *item;
    copy->heir = heir;
    copy->next = copy->first = copy->last = NULL;
    return copy_below(arena, copy, item, heir) ? copy : NULL;
}

/* Puts copies of the items below `from` below `to`, which has none. */
static bool copy_below(bx_arena *arena, bx_syntax_node *to, const bx_syntax_node *from,
                       const bx_syntax_node *heir)
{
    for (const bx_syntax_node *below = from->first; below; below = below->next) {
        bx_syntax_node *made = copy_of(arena, below, heir);
        if (!made)
            return false;
        made->parent = to;
        if (to->last)
            to->last->next = made;
        else
            to->first = made;
        to->last = made;
    }
    return true;
}

/* Takes the file's own register, slot or modifier of this name out of its list. NULL: it has none.
 */
static bx_syntax_node *take_own(bx_syntax_node *tree, const bx_syntax_node *item)
{
    static const char *const keywords[] = {"reg", "slot", "modifier"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (bx_syntax_is(item, keywords[i])) {
            bx_syntax_node **at = place_of(tree, keywords[i], bx_syntax_arg(item, NULL, 0));
            bx_syntax_node *own = *at;
            if (own)
                *at = own->next;
            return own;
        }
    return NULL;
}

/* Gives a register the fields of the one that it replaces. */
static bool take_fields(bx_arena *arena, bx_syntax_node *own, const bx_syntax_node *item,
                        const bx_syntax_node *heir)
{
    const bx_clause *like = bx_clause_find(item->clauses, "like");
    if (!like)
        return copy_below(arena, own, item, heir);
    bx_clause *copy = bx_arena_get(arena, sizeof *copy);
    if (!copy)
        return false;
    *copy = *like;
    copy->next = own->clauses;
    own->clauses = copy;
    return true;
}

/* What stands in the place of another PMU's item: a copy, or what describes it again. A register
 * that names no fields keeps the other's. NULL without memory. */
static bx_syntax_node *heir_of(bx_arena *arena, bx_syntax_node *tree, const bx_syntax_node *item)
{
    bx_syntax_node *own = take_own(tree, item);
    if (!own)
        return copy_of(arena, item, tree->first);
    bool bare = bx_syntax_is(own, "reg") && !own->first && !bx_clause_find(own->clauses, "like");
    return !bare || take_fields(arena, own, item, tree->first) ? own : NULL;
}

/* Inserts the other file's items between the PMU's line and the items below it. */
static bool insert_items(bx_arena *arena, bx_syntax_node *tree, const bx_syntax_node *other)
{
    bx_syntax_node *first = NULL, **end = &first;
    for (const bx_syntax_node *item = other->first; item; item = item->next) {
        if (!is_kept(tree, item))
            continue;
        bx_syntax_node *heir = *end = heir_of(arena, tree, item);
        if (!heir)
            return false;
        heir->parent = tree;
        end = &heir->next;
    }
    *end = tree->first->next;
    tree->first->next = first;
    return true;
}

/* Reports a PMU that is `like` another and still has that PMU's name. False if there is no such
 * PMU. */
static bool complain_name_taken(bx_syntax_node *const *trees, size_t n, const bx_syntax_node *tree,
                                bx_error *e)
{
    bx_str name = bx_syntax_arg(tree->first, NULL, 0);
    for (size_t i = 0; i < n; i++)
        if (trees[i] != tree && trees[i]->first && is_named(trees[i]->first, "pmu", name)) {
            bx_complain(e, tree->file, name, "duplicate", "this name is taken by %.*s:%u",
                        BX_QUOTED(trees[i]->file->name), bx_syntax_line(trees[i]->first));
            bx_hint(e, BX_HINT_OWN_NAMES);
            return true;
        }
    return false;
}

/* Inherits from the other file, which may itself be like a third one: that is done first. `depth`
 * ends a circle. */
static bool inherit(bx_arena *arena, bx_syntax_node *const *trees, size_t n, bx_syntax_node *tree,
                    size_t depth, bx_error *e)
{
    const bx_clause *like = tree->first ? bx_clause_find(tree->first->clauses, "like") : NULL;
    if (!tree->first || tree->inherited)
        return true;
    if (!like)
        return check_without(tree, NULL, e);
    bx_syntax_node *other = find_pmu(trees, n, like->args[0]);
    if (other == tree && complain_name_taken(trees, n, tree, e))
        return false;
    if (!other || depth == n) {
        bx_complain(e, tree->file, like->args[0], "like",
                    other ? "'%.*s' is like this PMU itself" : "no file describes the PMU '%.*s'",
                    BX_QUOTED(like->args[0]));
        return false;
    }
    if (!inherit(arena, trees, n, other, depth + 1, e) || !check_without(tree, other, e))
        return false;
    tree->inherited = true;
    return insert_items(arena, tree, other);
}

bool bx_inherit(bx_arena *arena, bx_syntax_node *const *trees, size_t n, bx_error *e)
{
    for (size_t i = 0; i < n; i++)
        if (!inherit(arena, trees, n, trees[i], 0, e)) {
            if (arena->failed)
                bx_out_of_memory(e);
            return false;
        }
    return true;
}
