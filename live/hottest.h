/* The source lines of a program that cause most of an event on a virtual machine, while it runs. */
#ifndef BX_LIVE_HOTTEST_H
#define BX_LIVE_HOTTEST_H

#include "base/arena.h"
#include "base/slots.h"
#include "measure/code_names.h"
#include "measure/measurement.h"

#include <pthread.h>

enum { BX_HOTTEST_LINES = 24 };

typedef struct bx_hot_line {
    const char *function, *file; /* file NULL: not known */
    unsigned line;               /* 0: not known */
    uint64_t count;              /* since the program began */
} bx_hot_line;

/* Of an event. */
typedef struct bx_hottest_event {
    const char *event;                 /* its canonical string */
    bool told;                         /* the machine tells who causes it */
    uint64_t total;                    /* of all lines, as of the last look */
    bx_hot_line top[BX_HOTTEST_LINES]; /* [n], the largest first */
    size_t n;
} bx_hottest_event;

typedef struct bx_hottest {
    /* Set before bx_hottest_watch(). */
    pthread_mutex_t *lock; /* is held by the one who looks, and for bx_hottest_publish() */
    char *(*demangle)(const char *); /* as in bx_code_names */
    bool always;                     /* each interval has a look, else a few in a second */

    /* Under the lock. */
    const char *wanted;      /* an event's canonical string; NULL: all */
    bx_hottest_event *event; /* [events] */
    size_t events;

    /* The measurement's own. */
    bx_arena arena;
    bx_machine *machine; /* NULL: it is not running, or real */
    bx_witness witness;
    bool bears_witness;
    bx_code_names names;
    bool *told;
    bx_hot_line *line; /* [lines]: those that have caused anything, with the sum of the last look */
    size_t lines, lines_room;
    bx_slots by_text;
    uint32_t *line_of; /* [codes]: 1 + the line of an instruction; 0: not known yet */
    size_t codes;
    const char *looked; /* the event of the last look, … */
    uint64_t when;      /* … and its time */
} bx_hottest;

/* The functions that follow a measurement. A new pass begins anew. */
bx_measure_watch bx_hottest_watch(bx_hottest *h);

/* Brings the wanted event up to date, from the thread that measures, between steps. */
void bx_hottest_publish(bx_hottest *h);

/* The event's lines; NULL: nothing is known of it. */
const bx_hottest_event *bx_hottest_of(const bx_hottest *h, const char *event);

void bx_hottest_free(bx_hottest *h);

#endif
