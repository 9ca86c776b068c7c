/* Rows of costs with the numbers that the page gives to code, objects, threads and calls. */
#ifndef BX_PROFILE_PAGE_CELLS_H
#define BX_PROFILE_PAGE_CELLS_H

#include "profile/page/page.h"
#include "profile/stacks.h"

enum {
    BX_HTML_CUT = 0,    /* place, object, thread: not on this page */
    BX_HTML_NONE = 1,   /* object, thread: it has none */
    BX_HTML_FIRST = 2,  /* the first real one */
    BX_HTML_NO_CALL = 1 /* node: calls that are not on this page */
};

typedef struct bx_html_cell {
    uint32_t place, object, thread, node; /* node of the calls in which it runs */
    uint16_t event;                       /* index; plus all events: by prefetch */
    uint16_t span;                        /* 1 + index; 0: not known */
    int64_t count;
    double share; /* of the event's total */
} bx_html_cell;

typedef struct bx_html_place {
    uint32_t function; /* of the calls */
    int64_t line;
} bx_html_place;

typedef struct bx_html_object {
    const char *name, *kind;
} bx_html_object;

typedef struct bx_html_thread {
    int64_t id, tid, pid;
    const char *program;
} bx_html_thread;

struct bx_html_cells {
    bx_html_cell *cell;
    size_t n, room;
    bx_html_place *place; /* [places], from BX_HTML_FIRST on */
    uint32_t places;
    uint32_t *place_of; /* [codes] */
    bx_stacks stacks;
    bx_html_object *object;
    uint32_t objects;
    int64_t *object_id; /* [object_ids], by id, … */
    uint32_t *object_of;
    uint32_t object_ids;
    bx_html_thread *thread; /* by id */
    uint32_t threads;
    int64_t *span; /* [spans]: ids, rising */
    uint32_t spans;
};

/* cells.c: into the order of place, object, thread, node, event and span; equal ones become one.
 * Returns how many are left. */
size_t bx_html_cells_merge(bx_html_cell *cell, size_t n);

#endif
