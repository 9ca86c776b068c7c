/* --control: another program switches counting on and off, with the words of `perf stat --control`:
 * enable, disable, ping, stop, a line each. Each is answered with "ack". */
#ifndef BX_MEASURE_CONTROL_H
#define BX_MEASURE_CONTROL_H

#include "measure/remarks.h"

enum bx_control_word {
    BX_CONTROL_NONE, /* no word has arrived */
    BX_CONTROL_ENABLE,
    BX_CONTROL_DISABLE,
    BX_CONTROL_PING,
    BX_CONTROL_STOP,
};

typedef struct bx_control {
    int in, ack;                 /* -1: none */
    bool opened;                 /* we opened them, so we close them */
    const bx_listener *listener; /* is told of words that are not known */
    char line[64];
    size_t n;
} bx_control;

/* text: "fd:IN[,ACK]" with descriptors that we have inherited, or "fifo:PATH[,PATH]". */
int bx_control_open(bx_control *c, const char *text, const bx_listener *listener, bx_error *e);
void bx_control_close(bx_control *c);

/* The next word that has arrived; does not wait. */
enum bx_control_word bx_control_next(bx_control *c);

/* Answers a word once it has taken effect. */
void bx_control_answer(const bx_control *c);

#endif
