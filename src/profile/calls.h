/* The calls of a recording: for exports that show who has called whom. */
#ifndef BX_PROFILE_CALLS_H
#define BX_PROFILE_CALLS_H

#include "profile/profile.h"

typedef struct bx_call_function {
    const char *name, *file; /* file NULL: not known */
} bx_call_function;

/* A function into which that of a place was inlined, and the line of its call. */
typedef struct bx_call_frame {
    uint32_t function;
    int64_t line; /* 0: not known */
} bx_call_frame;

/* A place in the code. */
typedef struct bx_call_code {
    int64_t id;
    uint32_t function; /* the innermost */
    int64_t line;      /* 0: not known */
    uint32_t frame;    /* index of the first of `frames`: the innermost first */
    uint32_t frames;
} bx_call_code;

typedef struct bx_call_context {
    int64_t id, parent; /* of the caller; 0: it has none */
    int64_t code;       /* the call */
} bx_call_context;

/* What a place has cost in a context, and at which object and of which thread, if that was asked.
 */
typedef struct bx_call_cost {
    uint32_t code;          /* index */
    int64_t context;        /* 0: none */
    int64_t object, thread; /* 0: none, or not asked */
    uint32_t event;         /* index */
    int64_t count;
} bx_call_cost;

/* An object (name), or a thread. */
typedef struct bx_call_data {
    int64_t id;
    const char *name; /* NULL: of a thread */
    int64_t number, process;
} bx_call_data;

typedef struct bx_calls {
    const bx_profile *of;
    bx_call_function *function;
    uint32_t functions;
    bx_call_code *code; /* [codes], by id */
    uint32_t codes;
    bx_call_frame *frame; /* [frames] */
    uint32_t frames;
    bx_call_context *context; /* [contexts], by id */
    uint32_t contexts;
    bx_call_cost *cost; /* [costs], by code, context, object, thread and event */
    uint32_t costs;
    bx_call_data *object, *thread; /* by id, if they were asked */
    uint32_t objects, threads;
} bx_calls;

/* data: costs are by object and thread, too. */
int bx_calls_read(bx_profile *p, bool data, bx_calls *to, bx_error *e);

/* Whether two costs are of one place, context, object and thread. */
bool bx_calls_same(const bx_call_cost *a, const bx_call_cost *b);
/* NULL: there is none. */
const bx_call_data *bx_calls_object(const bx_calls *c, int64_t id);
const bx_call_data *bx_calls_thread(const bx_calls *c, int64_t id);

/* Indexes of the code and of the context with an id; UINT32_MAX: there is none. */
uint32_t bx_calls_code_at(const bx_calls *c, int64_t id);
uint32_t bx_calls_context_at(const bx_calls *c, int64_t id);

/* A recording has no deeper calls. */
enum { BX_CALLS_DEEPEST = 1024 };

/* The places of the calls of a context, the innermost first: indexes of code. Returns how many. */
unsigned bx_calls_chain(const bx_calls *c, int64_t context, uint32_t to[BX_CALLS_DEEPEST]);

/* A step is a place in the code, or a function around an inlined one: the index of a code, or
 * `codes` plus that of a frame. Outer steps beyond the most are left out. */
enum { BX_CALLS_STEPS_MOST = 8 * BX_CALLS_DEEPEST };

/* The steps to a place in a context, the innermost first. Returns how many. */
unsigned bx_calls_steps(const bx_calls *c, uint32_t code, int64_t context,
                        uint32_t to[BX_CALLS_STEPS_MOST]);
/* The function and the line of a step. */
bx_call_frame bx_calls_step(const bx_calls *c, uint32_t step);

#endif
