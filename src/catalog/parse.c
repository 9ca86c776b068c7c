/* Files to blob: read every file into a tree, build the tables CPU by CPU, lay them out, check. */
#include "catalog/build.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The trees of all files. */
struct forest {
    const bx_node **trees;
    size_t n;
};

static bool is_file(const bx_node *tree, const char *ending)
{
    return strcmp(bx_file_ending(tree->file), ending) == 0;
}

/* A .cpu and a .pmu file begin with the item that they are about, and have one. */
static bool begins_well(const bx_node *tree, const char *keyword, bx_error *e)
{
    if (!tree->first || !bx_node_is(tree->first, keyword)) {
        bx_str at = tree->first ? tree->first->head.key : bx_str_sub(tree->file->text, 0, 0);
        bx_complain(e, tree->file, at, "place", "the first item of this file is \"%s\"", keyword);
        return false;
    }
    for (const bx_node *node = tree->first->next; node; node = node->next)
        if (bx_node_is(node, keyword)) {
            bx_complain(e, tree->file, node->head.key, "place", "a second \"%s\" in one file",
                        keyword);
            return false;
        }
    return true;
}

static bool read_files(bx_arena *arena, const bx_cat_file *files, struct forest *f, bx_error *e)
{
    for (size_t i = 0; i < f->n; i++) {
        const bx_node *tree = f->trees[i] = bx_notation_read(arena, &files[i], e);
        if (!tree || (is_file(tree, ".cpu") && !begins_well(tree, "cpu", e)) ||
            (is_file(tree, ".pmu") && !begins_well(tree, "pmu", e)))
            return false;
    }
    return true;
}

static bx_str folder(const bx_cat_file *file)
{
    size_t n = file->name.n;
    while (n && file->name.p[n - 1] != '/')
        n--;
    return bx_str_sub(file->name, 0, n);
}

static bool same_folder(const bx_node *a, const bx_node *b)
{
    return bx_str_eq(folder(a->file), folder(b->file));
}

/* Every file lies beside exactly one .cpu file. */
static bool check_folders(const struct forest *f, bx_error *e)
{
    for (size_t i = 0; i < f->n; i++) {
        size_t cpus = 0;
        for (size_t j = 0; j < f->n; j++)
            cpus += is_file(f->trees[j], ".cpu") && same_folder(f->trees[i], f->trees[j]);
        if (cpus != 1) {
            bx_complain(e, f->trees[i]->file, bx_str_sub(f->trees[i]->file->text, 0, 0), "place",
                        "%zu .cpu files in its folder, not one", cpus);
            return false;
        }
    }
    return true;
}

/* The PMU files of a CPU, in the order of its `boxes`, then in that of the files. */
static struct forest pmus_of(bx_build *b, const struct forest *f, const bx_node *cpu)
{
    struct forest pmus = {bx_arena_get(b->arena, f->n * sizeof *pmus.trees), 0};
    const bx_clause *boxes = bx_clause_find(cpu->first->clauses, "boxes");
    for (unsigned i = 0; boxes && pmus.trees && i < boxes->n; i++) {
        size_t before = pmus.n;
        for (size_t j = 0; j < f->n && pmus.n == before; j++)
            if (is_file(f->trees[j], ".pmu") && same_folder(f->trees[j], cpu) &&
                bx_str_eq(boxes->args[i], bx_node_arg(f->trees[j]->first, NULL, 0)))
                pmus.trees[pmus.n++] = f->trees[j];
    }
    return pmus;
}
