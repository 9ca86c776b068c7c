/* Stacks of functions: each has one number, and that of its callers. Functions into which others
 * were inlined are part of it. */
#ifndef BX_PROFILE_STACKS_H
#define BX_PROFILE_STACKS_H

#include "profile/calls.h"

typedef struct bx_stack_node {
    uint32_t parent, function; /* its callers' number, and the innermost function */
} bx_stack_node;

enum {
    BX_STACK_ROOT = 0,  /* what nothing has called */
    BX_STACK_FIRST = 2, /* the first that is a function; 1 is left to users of the numbers */
};
#define BX_STACK_NONE UINT32_MAX

typedef struct bx_stacks {
    const bx_calls *calls;
    uint32_t *name_of;   /* [functions] of the calls: the first one of the same name; or NULL */
    bx_stack_node *node; /* [nodes], parents first */
    uint32_t nodes, room;
    uint32_t *node_of; /* [contexts] of the calls: the call's function and its callers */
    uint32_t *slot;    /* [mask + 1]: of nodes, by their hash; 0: none */
    uint32_t mask;
} bx_stacks;

/* Numbers all contexts. by_name: functions of one name in several files are one. Free it in any
 * case. false: out of memory. */
bool bx_stacks_read(const bx_calls *calls, bool by_name, bx_stacks *to);
void bx_stacks_free(bx_stacks *s);

/* The number of a function below its callers; BX_STACK_NONE: out of memory. */
uint32_t bx_stacks_add(bx_stacks *s, bx_stack_node node);
/* The callers of a place's function, those into which it was inlined included. context: an index,
 * or UINT32_MAX. */
uint32_t bx_stacks_callers(bx_stacks *s, const bx_call_code *code, uint32_t context);

#endif
