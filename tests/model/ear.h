/* A watcher that adds up the levels reported for each watch, and receives the alarms. */
#ifndef BX_TESTS_MODEL_EAR_H
#define BX_TESTS_MODEL_EAR_H

#include "rig.h"

enum { EAR_WATCHES = 1024 }; /* the most watches at once */

struct ear {
    bx_watcher watcher; /* first */
    bx_signals *s;
    uint64_t sum[EAR_WATCHES];   /* level x cycles up to `since` */
    uint64_t since[EAR_WATCHES]; /* from here on the level is `open` */
    uint32_t open[EAR_WATCHES];
    uint64_t busy[EAR_WATCHES]; /* cycles with a level of at least 1 */
    uint64_t last;              /* start of the last report */
    uint64_t period;            /* between alarms; 0: none */
    uint64_t alarms, alarm_at;
    void (*on_alarm)(struct ear *ear, uint64_t now);
};

/* Becomes the watcher of the rig's model. */
void ear_open(struct ear *ear, const struct rig *r);

/* Adds the level that is still open, up to that time. */
void ear_close(struct ear *ear, unsigned id, uint64_t t);

/* Its function for reports, which a watcher with more to do calls. */
void ear_see(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level);

#endif
