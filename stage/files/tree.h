/* The files of a stage: folders, texts, and devices that somebody answers for. Built once, then
 * only looked at. */
#ifndef BX_STAGE_FILES_TREE_H
#define BX_STAGE_FILES_TREE_H

#include "base/arena.h"

#include <stdarg.h>

enum bx_tree_node_kind { BX_TREE_FOLDER, BX_TREE_TEXT, BX_TREE_DEVICE };

typedef struct bx_tree_node {
    const char *name;
    size_t parent;
    uint8_t kind;                   /* enum bx_tree_node_kind */
    bx_str text;                    /* of a text */
    const struct bx_device *device; /* of a device: who answers for it */
    void *context;                  /* its own */
    uint64_t number;                /* what it is among those of its kind: a CPU, a PCI function */
    uint64_t size;                  /* that it shows to have */
} bx_tree_node;

/* Node 0 is the root; it is its own parent. */
typedef struct bx_tree {
    bx_tree_node *nodes;
    size_t n, room;
    bx_arena arena; /* .failed: out of memory, the tree has holes */
} bx_tree;

enum { BX_TREE_NO_NODE = -1 };

void bx_tree_new(bx_tree *t);
void bx_tree_free(bx_tree *t);

/* Each makes the folders that its path lacks. Paths have no slash at either end. */
size_t bx_tree_folder(bx_tree *t, const char *path);
void bx_tree_text(bx_tree *t, const char *path, bx_str text);
void bx_tree_line(bx_tree *t, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* a text of one line; the line feed is added */
void bx_tree_device(bx_tree *t, const char *path, const struct bx_device *device, void *context,
                    uint64_t number, uint64_t size);

/* The node of that name in a folder; BX_TREE_NO_NODE. */
ptrdiff_t bx_tree_find(const bx_tree *t, size_t folder, bx_str name);

#endif
