/* Reads one process of a traced program. */
#include "machine/program/trace/member.h"

#include <stdlib.h>

enum { STEPS = 256 };

static bx_trace_member *member_of(const bx_trace_family *f, uint32_t number)
{
    for (bx_trace_member *m = f->first; m; m = m->next)
        if (m->number == number && !m->executed)
            return m;
    return NULL;
}

static void begin_alone(bx_trace_member *m, bx_point after)
{
    bx_trace_stream_begin(m->stream, bx_address_space_new(m->family->memory), after);
}

static void introduce(bx_trace_member *m)
{
    bx_trace_member *before = member_of(m->family, m->number);
    if (m->parent)
        return;
    if (before) {
        before->executed = true;
        m->instead_of = before;
    } else if (m->source) {
        begin_alone(m, (bx_point){NULL, 0});
    }
}

bool bx_trace_member_begin(bx_trace_member *m, bx_trace_family *family,
                           const bx_trace_message *hello)
{
    *m = (bx_trace_member){.family = family,
                           .number = hello->process,
                           .parent = hello->parent,
                           .time = hello->time,
                           .source = m->source,
                           .stream = bx_trace_stream_new(family, hello->process, hello->time)};
    if (!m->stream)
        return bx_trace_family_ran_out(family);
    introduce(m);
    m->next = family->first;
    family->first = m;
    return true;
}

void bx_trace_member_end(bx_trace_member *m)
{
    bx_trace_stream_free(m->stream);
}

static size_t words_of(const bx_trace_member *m)
{
    const uint64_t *words;
    return m->source->words(m->source, &words);
}

/* ---- processes that wait for others ---- */

/* Whether q may still have the record of the fork that made m. The record was published before m
 * said hello, and q has no such record before its own beginning. */
static bool may_have_forked(const bx_trace_member *q, const bx_trace_member *m)
{
    if (q == m || !q->source || q->finished || !words_of(q))
        return false;
    return bx_trace_stream_has_begun(q->stream) ? bx_trace_stream_time(q->stream) <= m->time
                                                : q->time < m->time;
}

/* A process whose fork no other one has recorded does not wait for ever. Its beginning is lost. */
static bool begin_without_fork(bx_trace_member *m)
{
    if (!m->family->live)
        return false;
    for (const bx_trace_member *q = m->family->first; q; q = q->next)
        if (may_have_forked(q, m))
            return false;
    begin_alone(m, (bx_point){NULL, 0});
    return bx_trace_family_note(m->family, BX_TRACE_NOTE_CUT, m->number,
                                "was forked by a process that did not say so: what it has from its "
                                "parent is not known");
}

/* A process begins where its earlier program called exec(), or where its parent forked. */
static bool try_to_begin(bx_trace_member *m)
{
    bx_trace_member *before = m->instead_of;
    if (before) {
        if (!before->finished)
            return false;
        m->instead_of = NULL;
        bool begun = bx_trace_stream_has_begun(before->stream);
        begin_alone(m, begun ? bx_trace_stream_point(before->stream) : (bx_point){NULL, 0});
        if (begun)
            bx_trace_stream_goes_on(m->stream, before->stream);
        return true;
    }
    bx_trace_fork child = bx_trace_family_child(m->family, m->parent, m->time, m->tried);
    m->tried = m->family->forked;
    if (!child.space)
        return begin_without_fork(m);
    bx_trace_stream_begin_child(m->stream, &child);
    return true;
}

/* Whether everything that other processes did before that time has been read. */
static bool is_last(const bx_trace_member *m, uint64_t time)
{
    for (const bx_trace_member *q = m->family->first; q; q = q->next)
        if (q != m && q->source && !q->finished && bx_trace_stream_time(q->stream) < time &&
            words_of(q))
            return false;
    return true;
}

/* ---- reading ---- */

static bool read_on(bx_trace_member *m)
{
    const uint64_t *words;
    uint64_t time;
    size_t read;
    if (!bx_trace_stream_has_begun(m->stream))
        return try_to_begin(m);
    if (bx_trace_stream_acquires(m->stream, &time)) {
        if (!m->asked || !is_last(m, time))
            return false;
        bx_trace_stream_acquire(m->stream);
        return true;
    }
    size_t there = m->source->words(m->source, &words);
    bool any = bx_trace_stream_read(m->stream, words, there, &read);
    if (read)
        m->source->consume(m->source, read);
    if (bx_trace_stream_acquires(m->stream, &time))
        m->asked = false;
    return any;
}

bool bx_trace_member_read(bx_trace_member *m)
{
    unsigned steps = 0;
    while (m->source && steps < STEPS && !m->family->malformed && read_on(m))
        steps++;
    if (steps && bx_trace_stream_has_begun(m->stream))
        bx_trace_stream_hand_over(m->stream);
    return steps;
}

bool bx_trace_member_must_ask(const bx_trace_member *m)
{
    uint64_t time;
    return bx_trace_stream_acquires(m->stream, &time) && !m->asked;
}

bool bx_trace_member_waits_for_words(const bx_trace_member *m)
{
    uint64_t time;
    return bx_trace_stream_has_begun(m->stream) && !bx_trace_stream_acquires(m->stream, &time);
}

/* ---- the end ---- */

bool bx_trace_member_has_more(const bx_trace_member *m)
{
    return m->source && !m->family->malformed &&
           (!bx_trace_stream_has_begun(m->stream) || words_of(m));
}

bool bx_trace_member_is_followed(const bx_trace_member *m)
{
    for (const bx_trace_member *q = m->family->first; q; q = q->next)
        if (q->instead_of == m)
            return true;
    return false;
}

void bx_trace_member_finish(bx_trace_member *m)
{
    if (bx_trace_stream_has_begun(m->stream))
        bx_trace_stream_end(m->stream);
    m->finished = true;
}
