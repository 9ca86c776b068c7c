/* One process of a traced program, wherever its words come from: when it begins, what it waits for,
 * and its end. */
#ifndef BX_MACHINE_PROGRAM_TRACE_MEMBER_H
#define BX_MACHINE_PROGRAM_TRACE_MEMBER_H

#include "machine/program/trace/stream.h"
#include "tracer/trace_format.h"

/* Where its words come from: a ring, or a trace file. */
typedef struct bx_word_source {
    /* The words that can be read now; they stay until they are consumed. 0: none yet. */
    size_t (*words)(struct bx_word_source *s, const uint64_t **words);
    void (*consume)(struct bx_word_source *s, size_t words);
} bx_word_source;

typedef struct bx_trace_member {
    struct bx_trace_member *next;
    bx_trace_family *family;
    uint32_t number, parent; /* in its own namespace */
    uint64_t time;           /* of its hello */
    bx_word_source *source;  /* NULL: it runs unread */
    bx_trace_stream *stream;
    struct bx_trace_member *instead_of; /* the same process before exec(); NULL: none */
    bool executed;                      /* another one is instead of this */
    bool finished;                      /* all its words have been read */
    bool asked; /* all that others did before it stopped reading can be read now */
} bx_trace_member;

/* It joins the family. m: all 0 but for the source, which stays the caller's. false: no memory. */
bool bx_trace_member_begin(bx_trace_member *m, bx_trace_family *family,
                           const bx_trace_message *hello);
void bx_trace_member_end(bx_trace_member *m); /* no longer among the family */

/* Decodes what is there, up to some thousand words. false: there is nothing now, or it waits for
 * another process. */
bool bx_trace_member_read(bx_trace_member *m);

/* It has stopped at an acquisition until it was asked. */
bool bx_trace_member_must_ask(const bx_trace_member *m);

bool bx_trace_member_has_more(const bx_trace_member *m); /* to read, once others allow it */

/* Another one waits for its end, so that it must not be freed. */
bool bx_trace_member_is_followed(const bx_trace_member *m);

/* It has no more words: its threads end. */
void bx_trace_member_finish(bx_trace_member *m);

#endif
