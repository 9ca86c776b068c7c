/* The head of a trace file: text that describes what was traced, and how. */
#ifndef BX_TRACEFILE_HEAD_H
#define BX_TRACEFILE_HEAD_H

#include "base/buf.h"

#include <boxscore/boxscore.h>

enum {
    BX_TRACEFILE_VERSION = 2,
    BX_TRACEFILE_OLDEST = 1, /* the oldest version that is read: its head has no checksum */
    BX_TRACEFILE_HEAD_MOST = 16 << 20, /* most bytes of a head */
};

typedef struct bx_tracefile_head {
    char *const *argument; /* [arguments], the program first */
    size_t arguments;
    char *features; /* CPU features that the program could see, by their names in Linux */
    uint64_t cpus;  /* number of CPUs that it could see; 0: as on the host */
    uint64_t page_bytes;
} bx_tracefile_head;

/* Appends the head as text, with the empty line at its end. */
void bx_tracefile_head_write(const bx_tracefile_head *h, bx_buf *to);

/* Parses a whole head. The caller frees the head, also if this fails. */
int bx_tracefile_head_read(bx_tracefile_head *h, bx_str text, bx_error *e);
void bx_tracefile_head_free(bx_tracefile_head *h);

#endif
