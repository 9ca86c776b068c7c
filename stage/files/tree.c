/* The nodes of the tree are in one array; each node has the index of its parent. */
#include "stage/files/tree.h"

#include "base/buf.h"
#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t add_node(bx_tree *t, size_t parent, bx_str name)
{
    bx_tree_node *nodes = bx_grow(t->nodes, t->n, &t->room, sizeof *nodes, 256);
    if (!nodes) {
        t->arena.failed = true;
        return 0;
    }
    t->nodes = nodes;
    const char *copy = bx_arena_copy(&t->arena, name);
    t->nodes[t->n] = (bx_tree_node){.name = copy ? copy : "", .parent = parent};
    return t->n++;
}

void bx_tree_new(bx_tree *t)
{
    *t = (bx_tree){0};
    add_node(t, 0, BX_STR(""));
}

void bx_tree_free(bx_tree *t)
{
    free(t->nodes);
    bx_arena_free(&t->arena);
    *t = (bx_tree){0};
}

ptrdiff_t bx_tree_find(const bx_tree *t, size_t folder, bx_str name)
{
    for (size_t i = 1; i < t->n; i++)
        if (t->nodes[i].parent == folder && bx_str_eq(bx_str_of(t->nodes[i].name), name))
            return (ptrdiff_t)i;
    return BX_TREE_NO_NODE;
}

/* The node at a path. Missing folders are created. */
static size_t make_path(bx_tree *t, const char *path)
{
    size_t at = 0;
    for (bx_str rest = bx_str_of(path); rest.p && t->n;) {
        bx_str name = bx_str_cut(&rest, '/');
        ptrdiff_t found = bx_tree_find(t, at, name);
        at = found == BX_TREE_NO_NODE ? add_node(t, at, name) : (size_t)found;
    }
    return at;
}

size_t bx_tree_folder(bx_tree *t, const char *path)
{
    return make_path(t, path);
}

void bx_tree_text(bx_tree *t, const char *path, bx_str text)
{
    const char *copy = bx_arena_copy(&t->arena, text);
    size_t at = make_path(t, path);
    if (t->arena.failed)
        return;
    t->nodes[at].kind = BX_TREE_TEXT;
    t->nodes[at].text = (bx_str){copy, text.n};
    t->nodes[at].size = text.n;
}

void bx_tree_line(bx_tree *t, const char *path, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (n < 0)
        n = 0;
    if ((size_t)n > sizeof line - 2)
        n = sizeof line - 2;
    line[n] = '\n';
    bx_tree_text(t, path, (bx_str){line, (size_t)n + 1});
}

void bx_tree_device(bx_tree *t, const char *path, const struct bx_device *device, void *context,
                    uint64_t number, uint64_t size)
{
    size_t at = make_path(t, path);
    if (t->arena.failed)
        return;
    t->nodes[at].kind = BX_TREE_DEVICE;
    t->nodes[at].device = device;
    t->nodes[at].context = context;
    t->nodes[at].number = number;
    t->nodes[at].size = size;
}
