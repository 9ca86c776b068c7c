/* Turns the text that valgrind's lackey writes with --trace-mem=yes into accesses of one core. The
 * rules are in docs/explanation/model-programs.md, "Traces of programs". */
#ifndef BX_MACHINE_PROGRAM_DECODE_LACKEY_H
#define BX_MACHINE_PROGRAM_DECODE_LACKEY_H

#include "model/engine/core_time.h"
#include "model/engine/frames.h"
#include "model/model.h"

#include "base/str.h"

enum {
    BX_LACKEY_LARGEST = 512, /* bytes of one access; lackey itself reports no larger ones */
    /* most accesses that one line of text makes: a load and a store */
    BX_LACKEY_BURST = 2 * (BX_LACKEY_LARGEST / BX_LINE_BYTES_LEAST + 2),
};

typedef struct bx_lackey {
    struct bx_frames *frames;
    bx_ratio slot;           /* uncore cycles of an instruction */
    uint32_t part;           /* fraction of a cycle in addition to `cost`, in 1/slot.d */
    uint64_t fetched;        /* the virtual line of the last instruction fetch, plus 1; 0: none */
    uint32_t cost;           /* cycles not yet assigned to an access */
    bx_retire_to *retires;   /* where retirements are written; NULL: they are not counted */
    uint32_t retired_as[5];  /* their numbers in the table, by enum bx_lackey_retired */
    bool ended;              /* lackey has told its end: a message of --stats=yes */
    uint64_t malformed;      /* malformed lines of text */
    char malformed_line[64]; /* the first of them */
} bx_lackey;

/* The retirements of a line of text: one of the first three, then those of accesses that cross
 * lines. */
enum bx_lackey_retired {
    BX_LACKEY_INSTRUCTION,
    BX_LACKEY_LOAD,
    BX_LACKEY_STORE,
    BX_LACKEY_SPLIT_LOAD,
    BX_LACKEY_SPLIT_STORE,
};

/* Reports what retires, as indices in `table`. Call it before the first line. false: no memory. */
bool bx_lackey_count(bx_lackey *l, bx_retired_table *table, bx_retire_to *to);

/* Parses whole lines of text while `to` has room for the accesses of one more line. Returns the
 * number of bytes parsed. The caller passes the rest again, with more text. *made: number of
 * accesses written. */
size_t bx_lackey_read(bx_lackey *l, const char *text, size_t n, bx_access *to, size_t room,
                      size_t *made);

/* Counts a line as malformed. */
void bx_lackey_reject(bx_lackey *l, bx_str line);

/* Ends the text: writes an access for the remaining cost. Returns the number of accesses, 0 or 1.
 */
size_t bx_lackey_end(bx_lackey *l, bx_access *to);

#endif
