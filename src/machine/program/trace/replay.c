/* Replays a trace file: reads the words of its processes in the recorded order. */
#include "machine/program/trace/replay.h"

#include "base/error.h"
#include "machine/program/trace/ahead.h"
#include "machine/program/trace/member.h"

#include <stdlib.h>
#include <string.h>

/* The number of rounds after which everything before an acquisition has been read: the round of its
 * words, in which other processes may have been read earlier, and one whole round. */
enum { ROUNDS = 2 };

/* Limits in proportion to the file, as in tracefile/reader.c: docs/reference/trace.md, "Limits". */
enum {
    HELD_ALWAYS = 256 << 20, /* bytes of words that wait for other processes, */
    HELD_PER_BYTE = 256,     /* and more of them for each byte of the file */
    PAGES_ALWAYS = 1 << 22,  /* pages of memory, 16 GiB; one more for each byte of the file */
};

/* Words of a process that were read ahead while it waits for another process. */
typedef struct stretch {
    struct stretch *next;
    uint64_t round;
    size_t n, used;
    uint64_t *word; /* [n] */
} stretch;

typedef struct process {
    bx_trace_member member; /* must be first: each member of a replayed family is one of these */
    bx_word_source source;
    stretch *first, *last;
    uint32_t number; /* number of the process in the file */
    uint64_t round;  /* round of the words that were read last */
    uint64_t *held;  /* that of the replay */
    bool gone;       /* no more words follow */
    bool idle;       /* it has read all its words, and waits for nothing but more of them */
} process;

struct bx_trace_replay {
    bx_trace_family family;
    bx_trace_file *file;
    bx_trace_ahead *ahead;
    process **process; /* [processes], indexed by their numbers in the file; NULL: freed */
    size_t processes;
    uint64_t rounds; /* number of rounds that have been read */
    uint64_t held;   /* bytes of words that were read ahead */
    uint64_t bytes;  /* bytes of the file that have been read */
    bool at_end;     /* nothing more is read from the file */
    int status, signal;
    bx_error error; /* error of the file */
};

static process *process_of(bx_trace_member *m)
{
    return (process *)m;
}

/* ---- the words of a process ---- */

static process *owner_of(bx_word_source *s)
{
    return (process *)(void *)((char *)s - offsetof(process, source));
}

static size_t words(bx_word_source *s, const uint64_t **words)
{
    const stretch *first = owner_of(s)->first;
    *words = first ? first->word + first->used : NULL;
    return first ? first->n - first->used : 0;
}

static void free_stretch(stretch *s)
{
    free(s->word);
    free(s);
}

static void consume(bx_word_source *s, size_t n)
{
    process *p = owner_of(s);
    stretch *first = p->first;
    p->round = first->round;
    first->used += n;
    if (first->used < first->n)
        return;
    p->first = first->next;
    *p->held -= first->n * sizeof(uint64_t);
    free_stretch(first);
}

/* Appends a part. Takes ownership of the memory. */
static bool append(bx_trace_replay *r, const bx_tracefile_part *part, void *memory)
{
    process *p = r->process[part->number];
    stretch *s = part->n ? malloc(sizeof *s) : NULL;
    if (!s) {
        free(memory);
        return !part->n || bx_trace_family_ran_out(&r->family);
    }
    *s = (stretch){.round = r->rounds, .n = part->n, .word = memory};
    r->held += part->n * sizeof(uint64_t);
    *(p->first ? &p->last->next : &p->first) = s;
    p->last = s;
    p->idle = false;
    return true;
}

/* ---- processes ---- */

static void free_process(process *p)
{
    for (stretch *s; (s = p->first);) {
        p->first = s->next;
        *p->held -= s->n * sizeof(uint64_t);
        free_stretch(s);
    }
    bx_trace_member_end(&p->member);
    free(p);
}

static bool begin_part(bx_trace_replay *r, const bx_tracefile_part *part)
{
    const bx_trace_message hello = {
        .process = part->process, .parent = part->parent, .time = part->time};
    process **more = realloc(r->process, (r->processes + 1) * sizeof(process *));
    if (!more)
        return bx_trace_family_ran_out(&r->family);
    r->process = more;
    process *p = calloc(1, sizeof *p);
    if (!p)
        return bx_trace_family_ran_out(&r->family);
    p->source = (bx_word_source){words, consume};
    p->number = part->number;
    p->held = &r->held;
    p->member.source = &p->source;
    if (!bx_trace_member_begin(&p->member, &r->family, &hello)) {
        free(p);
        return false;
    }
    r->process[r->processes++] = p;
    return true;
}

static bool take_fact(bx_trace_replay *r, const bx_tracefile_part *part)
{
    char name[BX_PART_NAME_MOST + 1];
    memcpy(name, part->name.p, part->name.n);
    name[part->name.n] = '\0';
    if (part->kind == BX_PART_CUT || part->kind == BX_PART_FACT)
        return bx_trace_family_note(&r->family,
                                    part->kind == BX_PART_CUT ? BX_TRACE_NOTE_CUT : BX_TRACE_NOTES,
                                    part->process, name);
    return bx_trace_family_name(&r->family,
                                part->kind == BX_PART_LEFT ? &r->family.left : &r->family.untraced,
                                name, part->process);
}

/* ---- reading ---- */

static bool take_end(bx_trace_replay *r, const bx_tracefile_part *part)
{
    r->status = part->status;
    r->signal = part->signal;
    r->at_end = true;
    return true;
}

static bool take_part(bx_trace_replay *r, const bx_tracefile_part *part, void *memory)
{
    switch (part->kind) {
    case BX_PART_HELLO:
        return begin_part(r, part);
    case BX_PART_WORDS_OF:
        return append(r, part, memory);
    case BX_PART_GONE:
        r->process[part->number]->gone = true;
        return true;
    case BX_PART_UNREAD:
    case BX_PART_CUT:
    case BX_PART_LEFT:
    case BX_PART_FACT:
        return take_fact(r, part);
    case BX_PART_ROUND:
        r->rounds++;
        return true;
    default:
        return take_end(r, part);
    }
}

static bool check_limits(bx_trace_replay *r)
{
    if (r->held > HELD_ALWAYS + HELD_PER_BYTE * r->bytes)
        return bx_trace_family_refuse(&r->family, "more words wait for other processes than in a "
                                                  "trace of its size");
    if (bx_physical_memory_pages(r->family.memory) > PAGES_ALWAYS + r->bytes)
        return bx_trace_family_refuse(&r->family, "more memory than in a trace of its size");
    return true;
}

static bool read_file(bx_trace_replay *r)
{
    bx_tracefile_part part;
    void *memory;
    if (r->at_end)
        return false;
    if (bx_trace_ahead_next(r->ahead, &part, &memory, &r->error) != BX_OK) {
        r->at_end = true;
        return bx_trace_family_refuse(&r->family, r->error.message);
    }
    r->bytes = part.bytes;
    return take_part(r, &part, memory) && check_limits(r);
}

/* A part concerns one process, so most others have nothing to do. */
static bool read_processes(bx_trace_replay *r)
{
    bool any = false;
    for (bx_trace_member *m = r->family.first; m; m = m->next) {
        process *p = process_of(m);
        if (p->idle)
            continue;
        m->asked = r->at_end || r->rounds >= p->round + ROUNDS;
        bool read = bx_trace_member_read(m);
        p->idle = !read && !p->first && bx_trace_member_waits_for_words(m);
        any |= read;
    }
    return any;
}

/* Ends a process that gets no more words. At the end of the file, all processes end; words that
 * still wait for another process are then an error. */
static bool ends(const bx_trace_replay *r, bx_trace_member *m)
{
    if (m->finished || (!r->at_end && !process_of(m)->gone))
        return false;
    bool more = bx_trace_member_has_more(m);
    if (more && !r->at_end)
        return false;
    if (more)
        return bx_trace_family_refuse(m->family, bx_trace_stream_has_begun(m->stream)
                                                     ? "a process waits for words that never come"
                                                     : "a process whose fork nobody has recorded");
    bx_trace_member_finish(m);
    return true;
}

static bool finish_processes(bx_trace_replay *r)
{
    bool any = false;
    for (bx_trace_member **link = &r->family.first, *m; (m = *link);) {
        any |= ends(r, m);
        if (m->finished && !bx_trace_member_is_followed(m)) {
            *link = m->next;
            r->process[process_of(m)->number] = NULL;
            free_process(process_of(m));
        } else {
            link = &m->next;
        }
    }
    return any;
}

bool bx_trace_replay_step(bx_trace_replay *r)
{
    bool any = !r->family.malformed && !r->family.tasks->no_memory &&
               (read_processes(r) || finish_processes(r) || read_file(r));
    if (!any)
        bx_trace_family_close(&r->family);
    return any;
}

/* ---- a replay ---- */

int bx_trace_replay_new(const char *path, bx_tasks *tasks, const bx_trace_replay_options *o,
                        bx_trace_replay **r, bx_error *e)
{
    bx_trace_replay *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    int code = bx_trace_family_begin(&made->family, tasks, o->frames) ? BX_OK : bx_out_of_memory(e);
    made->family.kernel = o->kernel;
    made->family.remarks = o->remarks;
    made->family.tlb = o->tlb;
    made->family.core = o->core;
    made->family.prefetch = o->prefetch;
    if (code == BX_OK)
        code = bx_trace_file_open(path, &made->file, e);
    if (code == BX_OK)
        code = bx_trace_ahead_new(made->file, &made->ahead, e);
    if (code == BX_OK)
        *r = made;
    else
        bx_trace_replay_free(made);
    return code;
}

void bx_trace_replay_free(bx_trace_replay *r)
{
    if (!r)
        return;
    for (bx_trace_member *m; (m = r->family.first);) {
        r->family.first = m->next;
        free_process(process_of(m));
    }
    bx_trace_family_end(&r->family);
    bx_trace_ahead_free(r->ahead);
    bx_trace_file_close(r->file);
    free(r->process);
    free(r);
}

const bx_trace_family *bx_trace_replay_family(const bx_trace_replay *r)
{
    return &r->family;
}

int bx_trace_replay_check(const bx_trace_replay *r, bx_error *e)
{
    if (r->error.code)
        *e = r->error;
    return r->error.code;
}

int bx_trace_replay_status(const bx_trace_replay *r, int *signal)
{
    *signal = r->signal;
    return r->status;
}

const bx_tracefile_reader *bx_trace_replay_file(const bx_trace_replay *r)
{
    return bx_trace_file_reader(r->file);
}
