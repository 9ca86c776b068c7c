/* The text that valgrind's lackey writes with --trace-mem=yes, turned into accesses of one core.
 * The rules are in docs/model.md, "Traces of programs". */
#ifndef BX_MACHINE_PROGRAM_LACKEY_H
#define BX_MACHINE_PROGRAM_LACKEY_H

#include "model/engine/frames.h"
#include "model/model.h"

#include "base/str.h"

enum {
    BX_LACKEY_LARGEST = 512, /* bytes of one access; lackey itself reports no larger ones */
    BX_LACKEY_BURST = 20,    /* most accesses that one line of text makes */
};

typedef struct bx_lackey {
    struct bx_frames *frames;
    uint64_t fetched;   /* virtual line that instructions were last fetched from, plus 1; 0: none */
    uint32_t cost;      /* cycles that no access has carried yet */
    uint64_t malformed; /* lines of text that make no sense */
    char malformed_line[64]; /* the first of them */
} bx_lackey;

/* Takes whole lines of text while `to` has room for what one of them can make. Returns the bytes
 * taken; the caller gives the others again, with more text behind them. *made: accesses written. */
size_t bx_lackey_read(bx_lackey *l, const char *text, size_t n, bx_access *to, size_t room,
                      size_t *made);

/* Counts a line that is not even whole as one that makes no sense. */
void bx_lackey_reject(bx_lackey *l, bx_str line);

/* At the end of the text: the access that carries what cost is left. Returns how many, 0 or 1. */
size_t bx_lackey_end(bx_lackey *l, bx_access *to);

#endif
