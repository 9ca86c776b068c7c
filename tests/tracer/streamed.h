/* Words read as those of a process, and what its tasks then have. No model: a task's batches are
 * executed one by one as soon as nothing keeps them back. */
#ifndef BX_TESTS_TRACER_STREAMED_H
#define BX_TESTS_TRACER_STREAMED_H

#include "machine/program/trace/stream.h"

typedef struct streamed {
    struct bx_frames *frames;
    bx_tasks tasks;
    bx_trace_family family;
    bx_trace_stream *stream; /* has begun */
} streamed;

void streamed_begin(streamed *s, bool kernel);
void streamed_end(streamed *s);

/* Of another process, that has begun, too, unless it is a child to be. */
bx_trace_stream *streamed_new(streamed *s, uint32_t number, bool begun);

/* Reads until there is nothing more. What others did is taken to have been read at each
 * acquisition. Returns the words that were read. */
size_t streamed_read(streamed *s, bx_trace_stream *stream, const uint64_t *words, size_t n);

/* Executes what can be, task by task, the oldest first; access NULL: nobody wants to see it.
 * Returns the number of accesses. */
size_t streamed_execute(streamed *s, void (*access)(void *context, bx_access a), void *context);

/* Whether nothing is left to be executed. */
bool streamed_is_done(streamed *s);

#endif
