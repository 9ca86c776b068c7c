/* The names of a traced program's instructions: functions and source lines, of the files that its
 * witness tells. */
#ifndef BX_MEASURE_CODE_NAMES_H
#define BX_MEASURE_CODE_NAMES_H

#include "machine/program/decode/witness.h"
#include "symbols/binary_names.h"
#include "symbols/perf_map.h"

enum { BX_CODE_FRAMES = 64, BX_CODE_PLACE = 256 };

/* What is known of a binary's names, beside bx_witness.binary. */
typedef struct bx_code_binary {
    bx_binary_names *names; /* NULL: not used */
    bx_perf_map compiled;   /* of memory without a file */
} bx_code_binary;

typedef struct bx_code_names {
    /* Set before the first call. */
    const bx_witness *witness;
    const char *folder;              /* with debug files; NULL: the usual ones only */
    char *(*demangle)(const char *); /* to free(); NULL: none, or it returns NULL: names stay */

    bx_libdw *libdw;     /* NULL: not loaded, … */
    const char *without; /* … and why it cannot be */
    bx_names_from from;
    bx_code_binary *binary; /* [binaries] */
    size_t binaries, binaries_room;
    bx_buf refused; /* binaries that are not used, and why */
} bx_code_names;

/* Functions of an instruction. */
typedef struct bx_code_frames {
    uint64_t address;
    size_t n;
    bx_source_frame frame[BX_CODE_FRAMES]; /* the innermost one first */
    char place[BX_CODE_PLACE];
} bx_code_frames;

/* Opens the binaries that are new. The witness is locked here and below. false: out of memory. */
bool bx_code_names_open(bx_code_names *n);

/* The functions of the i-th instruction: FUNCTION; without a symbol BINARY+0xOFFSET, or 0xADDRESS
 * of memory without a file. At least one. */
void bx_code_names_at(const bx_code_names *n, size_t i, bx_code_frames *to);

/* What the linker calls a function, as its source does. Free the result; NULL: it is the same. */
char *bx_code_names_source(const bx_code_names *n, const bx_source_frame *frame);

void bx_code_names_close(bx_code_names *n);

#endif
