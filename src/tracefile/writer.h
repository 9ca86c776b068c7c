/* Writes a trace file. */
#ifndef BX_TRACEFILE_WRITER_H
#define BX_TRACEFILE_WRITER_H

#include "tracefile/codec.h"
#include "tracefile/container.h"
#include "tracefile/head.h"

typedef struct bx_tracefile_writer bx_tracefile_writer;

/* Writes bytes to the file. Returns 0 or an errno. */
typedef struct bx_tracefile_sink {
    int (*write)(void *context, const void *bytes, size_t n);
    void *context;
    const char *name; /* for messages */
} bx_tracefile_sink;

/* Writes the head. NULL: out of memory. */
bx_tracefile_writer *bx_tracefile_writer_new(const bx_tracefile_head *head, bx_tracefile_sink to);
void bx_tracefile_writer_free(bx_tracefile_writer *w); /* NULL is fine */

uint32_t bx_tracefile_writer_processes(const bx_tracefile_writer *w); /* that have begun */

/* Whether there was an error. It is kept until bx_tracefile_write_end() reports it. */
bool bx_tracefile_writer_failed(const bx_tracefile_writer *w);

/* Writes that a process begins. Returns its number. */
uint32_t bx_tracefile_write_hello(bx_tracefile_writer *w, uint32_t process, uint32_t parent,
                                  uint64_t time);
/* Calls `control` for each control record of that process that is written. */
void bx_tracefile_write_watched(bx_tracefile_writer *w, uint32_t number, bx_codec_control *control,
                                void *context);

/* Writes the next records of a process: whole records only. Words after SKIP are ignored. */
void bx_tracefile_write_words(bx_tracefile_writer *w, uint32_t number, const uint64_t *words,
                              size_t n);
void bx_tracefile_write_gone(bx_tracefile_writer *w, uint32_t number);

/* Writes a fact about a process: BX_PART_UNREAD, CUT, LEFT or FACT. */
void bx_tracefile_write_fact(bx_tracefile_writer *w, enum bx_part kind, uint32_t process,
                             const char *text);

/* Writes that all processes have been read since the last call. */
void bx_tracefile_write_round(bx_tracefile_writer *w);

/* Writes the end. A file without it counts as cut off. The message of an error is empty if a pipe
 * was closed by its reader. */
int bx_tracefile_write_end(bx_tracefile_writer *w, int status, int signal, bx_error *e);

#endif
