/* Reads a trace file. The file may be cut off, damaged, or hostile. */
#ifndef BX_TRACEFILE_READER_H
#define BX_TRACEFILE_READER_H

#include "tracefile/codec.h"
#include "tracefile/container.h"
#include "tracefile/head.h"

typedef struct bx_tracefile_reader bx_tracefile_reader;

/* Reads up to n bytes of the file. 0: the end, or an error if *err is an errno. */
typedef struct bx_tracefile_source {
    size_t (*read)(void *context, void *bytes, size_t n, int *err);
    void *context;
} bx_tracefile_source;

/* Reads the head. */
int bx_tracefile_reader_new(bx_tracefile_source from, bx_tracefile_reader **r, bx_error *e);
void bx_tracefile_reader_free(bx_tracefile_reader *r); /* NULL is fine */
const bx_tracefile_head *bx_tracefile_reader_head(const bx_tracefile_reader *r);

typedef struct bx_tracefile_part {
    enum bx_part kind;
    uint32_t number;          /* set for HELLO, WORDS_OF and GONE */
    uint32_t process, parent; /* set for HELLO; `process` also for facts */
    uint64_t time;
    bx_str name;           /* set for facts: UNREAD, CUT, LEFT; valid until the next part */
    const uint64_t *words; /* [n], whole records; valid until the next part */
    size_t n;
    int status, signal; /* set for END */
    uint64_t bytes;     /* of the file, up to the end of the part's chunk */
} bx_tracefile_part;

/* Reads the next part. There is none after BX_PART_END. */
int bx_tracefile_next(bx_tracefile_reader *r, bx_tracefile_part *part, bx_error *e);

/* Takes the memory of the last part's words. The caller frees it. */
void *bx_tracefile_take_words(bx_tracefile_reader *r);

/* Call it before the first part. `note` is called for each note of a tracer (BX_TRACE_NOTE) that is
 * read; words: all of the record. */
typedef void bx_tracefile_note(void *context, uint32_t process, const uint64_t *words);
void bx_tracefile_watch(bx_tracefile_reader *r, bx_tracefile_note *note, void *context);

/* The counts of all processes read so far, and the number of processes. */
bx_codec_counts bx_tracefile_counts(const bx_tracefile_reader *r);
uint32_t bx_tracefile_processes(const bx_tracefile_reader *r);
uint64_t bx_tracefile_bytes(const bx_tracefile_reader *r); /* number of bytes read of the file */
uint32_t bx_tracefile_cksum(
    const bx_tracefile_reader *r); /* checksum of those bytes, as cksum(1) computes it */

#endif
