/* The tree of files on stage: folders, texts and devices. It is built once, then only read. */
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
    const struct bx_device *device; /* of a device: its functions */
    void *context;                  /* for these functions */
    uint64_t number;                /* which device of its kind: a CPU, a PCI function */
    uint64_t size;                  /* as stat() reports it */
} bx_tree_node;

/* Node 0 is the root. Its parent is itself. */
typedef struct bx_tree {
    bx_tree_node *nodes;
    size_t n, room;
    bx_arena arena; /* .failed: out of memory, nodes are missing */
} bx_tree;

enum { BX_TREE_NO_NODE = -1 };

void bx_tree_new(bx_tree *t);
void bx_tree_free(bx_tree *t);

/* Each of these functions creates the folders that are missing in its path. Paths begin and end
 * without a slash. Names and texts are copied; a device and its context must outlive the tree. */
size_t bx_tree_folder(bx_tree *t, const char *path); /* the index of its node */
void bx_tree_text(bx_tree *t, const char *path, bx_str text);
void bx_tree_line(bx_tree *t, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* a text of one line; the line feed is added */
void bx_tree_device(bx_tree *t, const char *path, const struct bx_device *device, void *context,
                    uint64_t number, uint64_t size);

/* The index of the node with that name in a folder, or BX_TREE_NO_NODE. */
ptrdiff_t bx_tree_find(const bx_tree *t, size_t folder, bx_str name);

#endif
