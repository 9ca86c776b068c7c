/* A watcher that adds up the levels reported for each watch and receives the alarms. */
#ifndef BX_TESTS_MODEL_EAR_H
#define BX_TESTS_MODEL_EAR_H

#include "rig.h"

enum { EAR_WATCHES = 1024 }; /* most watches at once */

struct ear {
    bx_watcher watcher; /* first */
    bx_signals *s;
    uint64_t sum[EAR_WATCHES];   /* level x cycles up to `since`, and beyond while it is open */
    uint64_t since[EAR_WATCHES]; /* from here on the level is `open` */
    uint32_t open[EAR_WATCHES];
    uint64_t busy[EAR_WATCHES]; /* cycles with a level of 1 or more */
    uint64_t last;              /* start of what was reported last */
    uint64_t period;            /* of alarms; 0: none */
    uint64_t alarms, alarm_at;
    void (*on_alarm)(struct ear *ear, uint64_t now);
};

/* Becomes the watcher of the rig's model. */
void ear_open(struct ear *ear, const struct rig *r);

/* Adds up to that time what is still open. */
void ear_close(struct ear *ear, unsigned id, uint64_t t);

/* What it does when it is reported something, for a watcher that does more. */
void ear_see(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level);

#endif
