/* A thread that unpacks a trace file, with a queue of its parts. */
#include "machine/program/trace/ahead.h"

#include "base/error.h"
#include "machine/program/process/thread.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 32 }; /* a part has some 100 KB, all together some megabytes */

typedef struct slot {
    bx_tracefile_part part;
    void *memory; /* memory of the part's words */
    char name[BX_PART_NAME_MOST];
    bx_error error; /* an error in place of a part */
} slot;

struct bx_trace_ahead {
    bx_trace_file *file;
    pthread_t thread;
    bool runs, stop, held; /* held: the caller still uses the part of the slot that is taken next */
    pthread_mutex_t lock;
    pthread_cond_t more, room;
    size_t made, taken; /* number of slots so far */
    slot slot[PARTS];
};

/* Reads a part. Returns whether another part can follow. */
static bool read_part(bx_trace_ahead *a, slot *s)
{
    *s = (slot){.memory = NULL};
    if (bx_trace_file_next(a->file, &s->part, &s->error) != BX_OK)
        return false;
    if (s->part.n)
        s->memory = bx_trace_file_take_words(a->file);
    memcpy(s->name, s->part.name.n ? s->part.name.p : "", s->part.name.n);
    s->part.name.p = s->name;
    return s->part.kind != BX_PART_END;
}

/* NULL: the thread must stop. */
static slot *wait_for_room(bx_trace_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->made - a->taken == PARTS && !a->stop)
        pthread_cond_wait(&a->room, &a->lock);
    slot *s = a->stop ? NULL : &a->slot[a->made % PARTS];
    pthread_mutex_unlock(&a->lock);
    return s;
}

/* Wakes the waiting reader once for several parts, which costs less. */
static void add_part(bx_trace_ahead *a, bool last)
{
    pthread_mutex_lock(&a->lock);
    a->made++;
    if (last || a->made - a->taken >= PARTS / 2)
        pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->lock);
}

static void *read_ahead(void *context)
{
    bx_trace_ahead *a = context;
    bool more = true;
    for (slot *s; more && (s = wait_for_room(a));) {
        more = read_part(a, s);
        add_part(a, !more);
    }
    return NULL;
}

int bx_trace_ahead_new(bx_trace_file *file, bx_trace_ahead **a, bx_error *e)
{
    bx_trace_ahead *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->file = file;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->more, NULL);
    pthread_cond_init(&made->room, NULL);
    int code = bx_thread_start(&made->thread, read_ahead, made, NULL, e);
    made->runs = code == BX_OK;
    if (made->runs)
        *a = made;
    else
        bx_trace_ahead_free(made);
    return code;
}

/* Leaves the slot of the part that was given out last. */
static void leave_slot(bx_trace_ahead *a)
{
    a->taken += a->held;
    a->held = false;
    if (a->made - a->taken <= PARTS / 2)
        pthread_cond_signal(&a->room);
}

void bx_trace_ahead_free(bx_trace_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->room);
    pthread_mutex_unlock(&a->lock);
    if (a->runs)
        pthread_join(a->thread, NULL);
    leave_slot(a);
    for (; a->taken < a->made; a->taken++)
        free(a->slot[a->taken % PARTS].memory);
    pthread_cond_destroy(&a->room);
    pthread_cond_destroy(&a->more);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

int bx_trace_ahead_next(bx_trace_ahead *a, bx_tracefile_part *part, void **memory, bx_error *e)
{
    pthread_mutex_lock(&a->lock);
    leave_slot(a);
    while (a->made == a->taken)
        pthread_cond_wait(&a->more, &a->lock);
    slot *s = &a->slot[a->taken % PARTS];
    *part = s->part;
    *memory = s->memory;
    int code = s->error.code;
    if (code != BX_OK)
        *e = s->error;
    a->held = true;
    pthread_mutex_unlock(&a->lock);
    return code;
}
