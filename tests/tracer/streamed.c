/* Implements streamed.h. */
#include "streamed.h"

#include "fuzz/fuzz.h"

enum { SEED = 1, PROCESS = 100, STEPS = 4096 };

bx_trace_stream *streamed_new(streamed *s, uint32_t number, bool begun)
{
    bx_trace_stream *made = bx_trace_stream_new(&s->family, number, 0);
    FUZZ_MUST(made);
    if (begun)
        FUZZ_MUST(bx_trace_stream_begin(made, bx_address_space_new(s->family.memory),
                                        (bx_point){NULL, 0}));
    return made;
}

void streamed_begin(streamed *s, bool kernel)
{
    s->frames = bx_frames_new(SEED);
    FUZZ_MUST(bx_tasks_begin(&s->tasks, NULL, false));
    FUZZ_MUST(bx_trace_family_begin(&s->family, &s->tasks, s->frames));
    s->family.kernel = kernel;
    s->stream = streamed_new(s, PROCESS, true);
}

void streamed_end(streamed *s)
{
    bx_trace_stream_free(s->stream);
    bx_trace_family_end(&s->family);
    bx_tasks_end(&s->tasks);
    bx_frames_free(s->frames);
}

/* Steps are limited, because the kernel may have accessed gigabytes. */
size_t streamed_read(streamed *s, bx_trace_stream *stream, const uint64_t *words, size_t n)
{
    size_t all = 0, read;
    uint64_t time;
    for (unsigned i = 0; i < STEPS && !s->family.malformed; i++) {
        if (bx_trace_stream_acquires(stream, &time)) {
            bx_trace_stream_acquire(stream);
            continue;
        }
        if (!bx_trace_stream_read(stream, words + all, n - all, &read))
            break;
        FUZZ_MUST(read <= n - all);
        all += read;
    }
    bx_trace_stream_hand_over(stream);
    return all;
}

/* ---- executing ---- */

static size_t execute_batch(streamed *s, bx_task *t, void (*access)(void *, bx_access),
                            void *context)
{
    const bx_batch *b = bx_task_take(t);
    size_t n = (size_t)(b->to - b->from);
    for (const bx_access *a = b->from; access && a < b->to; a++)
        access(context, *a);
    bx_task_finish(&s->tasks, t);
    return n;
}

static bx_task *oldest_ready(const streamed *s)
{
    bx_task *found = NULL;
    for (bx_task *t = s->tasks.first; t; t = t->next)
        if (bx_task_state_of(t) == BX_TASK_READY)
            found = t;
    return found;
}

size_t streamed_execute(streamed *s, void (*access)(void *context, bx_access a), void *context)
{
    size_t n = 0;
    for (bx_task *t; (t = oldest_ready(s));)
        n += execute_batch(s, t, access, context);
    return n;
}

bool streamed_is_done(streamed *s)
{
    for (bx_task *t = s->tasks.first; t; t = t->next)
        if (t->first || t->current)
            return false;
    return true;
}
