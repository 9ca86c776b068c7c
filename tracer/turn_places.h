/* The threads of the turn lock: what each of them does, as far as it matters to the others. Only
 * the files turn_….c use it. */
#ifndef BX_TRACER_TURN_PLACES_H
#define BX_TRACER_TURN_PLACES_H

#include "pub_tool_basics.h"

enum bx_place_state {
    BX_PLACE_FREE, /* no thread */
    BX_PLACE_AWAY, /* it runs, or does not want to */
    BX_PLACE_WAITS,
};

typedef struct bx_place { /* a thread */
    Int thread;           /* the kernel's number of it */
    enum bx_place_state is;
    ULong clock;
    Addr futex;   /* the thread sleeps there; 0: it does not */
    UInt private; /* FUTEX_PRIVATE_FLAG, if it does */
    Bool settles; /* it is in a call, and perhaps does not sleep yet */
    Bool comes;   /* it is one of those that are about to come */
    UInt wakes;   /* it is about to wake so many at most */
    Bool looks;   /* it only looks whether others have done something */
    Bool ends;
    UInt idle;   /* turns in a row in which it has executed nothing: it waits for what others do */
    UInt id;     /* Valgrind's number of the thread */
    UInt go;     /* a futex: the lock is this thread's */
    Bool sleeps; /* it waits for that futex */
} bx_place;

typedef struct bx_turn_lock {
    UInt guard; /* 1: a thread is changing the places */
    Int owner;
    UInt runs;   /* place of the owner */
    ULong began; /* clock of the owner when it got the lock */
    UInt n;      /* places used so far */
    UInt coming; /* threads that are about to come: created, woken, or in a call that does not block
                  */
    Int leaving; /* the kernel's number of a thread that has ended for us; 0: none */
    bx_place place[]; /* [VG_N_THREADS] */
} bx_turn_lock;

/* The guard is held for an instant. */
void bx_places_enter(bx_turn_lock *l);
void bx_places_leave(bx_turn_lock *l);

/* ---- the caller has entered ---- */

/* A thread by the kernel's number of it. The first function returns NULL if there is none. A new
 * one has that clock. */
bx_place *bx_places_find(bx_turn_lock *l, Int thread);
bx_place *bx_places_make(bx_turn_lock *l, Int thread, ULong clock);

/* The thread that should run next; NULL: none waits. */
bx_place *bx_places_first_waiter(bx_turn_lock *l);

/* looking: also of threads that only look. BX_TURN_NEVER: none waits. */
ULong bx_places_smallest_clock(const bx_turn_lock *l, Bool looking);

#endif
