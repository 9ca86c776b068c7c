/* One process of a traced program: its beginning, what it waits for, and its end. Its words come
 * from a ring or a file. */
#ifndef BX_MACHINE_PROGRAM_TRACE_MEMBER_H
#define BX_MACHINE_PROGRAM_TRACE_MEMBER_H

#include "machine/program/trace/stream.h"
#include "tracer/trace_format.h"

/* The source of its words: a ring, or a trace file. */
typedef struct bx_word_source {
    /* The words that can be read now; they stay valid until they are consumed. 0: none yet. */
    size_t (*words)(struct bx_word_source *s, const uint64_t **words);
    void (*consume)(struct bx_word_source *s, size_t words);
} bx_word_source;

typedef struct bx_trace_member {
    struct bx_trace_member *next;
    bx_trace_family *family;
    uint32_t number;        /* of the process, in boxscore's namespace */
    uint32_t parent;        /* in its parent's own namespace; 0: it was not forked */
    uint64_t time;          /* time of its HELLO */
    bx_word_source *source; /* NULL: it runs, but its trace is not read */
    bx_trace_stream *stream;
    struct bx_trace_member *instead_of; /* the same process before exec(); NULL: none */
    uint64_t tried;                     /* the fork up to which its own was looked for */
    bool executed;                      /* another member has taken its place */
    bool finished;                      /* all its words have been read */
    bool asked; /* all that other processes did before its acquisition was read */
} bx_trace_member;

/* Adds the member to the family. m: all 0 except the source, which belongs to the caller. false: no
 * memory. */
bool bx_trace_member_begin(bx_trace_member *m, bx_trace_family *family,
                           const bx_trace_message *hello);
void bx_trace_member_end(bx_trace_member *m); /* the member must not be in the family's list */

/* Decodes the words that are there, up to some thousand. false: there are none now, or the member
 * waits for another process. */
bool bx_trace_member_read(bx_trace_member *m);

/* Whether the member has stopped at an acquisition until `asked` is set. */
bool bx_trace_member_must_ask(const bx_trace_member *m);

/* After a read without progress: whether only further words let the member go on. */
bool bx_trace_member_waits_for_words(const bx_trace_member *m);

/* Whether the member has more to read, as soon as other processes allow it. */
bool bx_trace_member_has_more(const bx_trace_member *m);

/* Whether another member waits for its end, so that it must not be freed. */
bool bx_trace_member_is_followed(const bx_trace_member *m);

/* Ends its threads, because it has no more words. */
void bx_trace_member_finish(bx_trace_member *m);

#endif
