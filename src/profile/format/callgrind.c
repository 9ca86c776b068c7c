/* Callgrind's profile format 1: https://valgrind.org/docs/manual/cl-format.html. Calls have what
 * was spent inside them. How often a function was called is not recorded: each place of a call
 * stands as one call. */
#include "base/printable.h"
#include "profile/format/formats.h"

#include <stdlib.h>
#include <string.h>

/* A cost that belongs to a line of a function, and, if it is inside a call, to what was called. A
 * function into which another one was inlined calls it. */
typedef struct entry {
    bx_call_frame at;
    uint32_t callee; /* 1 + function; 0: the line's own */
    uint32_t event;
    int64_t count;
} entry;

typedef struct entries {
    entry *at;
    size_t n, room;
    bool failed;
} entries;

static void put_entry(entries *to, entry is)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 1024;
        entry *more = realloc(to->at, room * sizeof *more);
        to->failed |= !more;
        if (!more)
            return;
        to->at = more;
        to->room = room;
    }
    to->at[to->n++] = is;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->at.function != y->at.function)
        return x->at.function < y->at.function ? -1 : 1;
    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static bool same_place(bx_call_frame a, bx_call_frame b)
{
    return a.function == b.function && a.line == b.line;
}

/* A call that a stack has twice, by recursion, has its cost once. */
static bool is_repeated(const bx_call_frame *stack, unsigned at)
{
    for (unsigned i = 1; i < at; i++)
        if (same_place(stack[i], stack[at]) && stack[i - 1].function == stack[at - 1].function)
            return true;
    return false;
}

static void add_cost(const bx_calls *c, const bx_call_cost *cost, entries *to)
{
    uint32_t step[BX_CALLS_STEPS_MOST];
    bx_call_frame stack[BX_CALLS_STEPS_MOST];
    unsigned n = bx_calls_steps(c, cost->code, cost->context, step);
    for (unsigned i = 0; i < n; i++)
        stack[i] = bx_calls_step(c, step[i]);
    put_entry(to, (entry){stack[0], 0, cost->event, cost->count});
    for (unsigned i = 1; i < n && !to->failed; i++)
        if (!is_repeated(stack, i))
            put_entry(to, (entry){stack[i], 1 + stack[i - 1].function, cost->event, cost->count});
}

/* Numbered names: a name in parentheses, such as (device), would be taken for a number. */
static void add_function(const bx_calls *c, const char *key, uint32_t number, bx_buf *to)
{
    const bx_call_function *f = &c->function[number];
    bx_buf_f(to, "%s=(%u) ", key, number + 1);
    bx_buf_name(to, f->name ? f->name : "(unknown)");
    bx_buf_z(to, "\n");
}

static void add_file(const bx_calls *c, const char *key, uint32_t number, bx_buf *to)
{
    bx_buf_f(to, "%s=", key);
    bx_buf_name(to, c->function[number].file ? c->function[number].file : "???");
    bx_buf_z(to, "\n");
}

/* A line, and the sums of its entries up to `end`. */
static void add_sums(const entry *from, const entry *end, const uint32_t *event, unsigned events,
                     bx_buf *to)
{
    bx_buf_f(to, "%lld", (long long)from->at.line);
    for (unsigned i = 0; i < events; i++) {
        int64_t sum = 0;
        for (const entry *at = from; at < end; at++)
            sum += at->event == event[i] ? at->count : 0;
        bx_buf_f(to, " %lld", (long long)sum);
    }
    bx_buf_z(to, "\n");
}

/* The events, that by which rows are sorted first. Their names, as the format allows them. */
static unsigned add_event_names(const bx_profile_table *t, uint32_t *event, bx_buf *to)
{
    unsigned n = 0;
    bx_buf_z(to, "events:");
    for (unsigned first = 1; first <= 2; first++)
        for (uint32_t i = 0; i < t->of->events; i++)
            if (t->has[i] && t->ranks[i] == (first == 1)) {
                bx_buf_z(to, " ");
                for (const char *c = t->of->event[i].name; *c; c++)
                    bx_buf_add(to, bx_is_letter(*c) || bx_is_digit(*c) ? c : "_", 1);
                event[n++] = i;
            }
    bx_buf_z(to, "\nsummary:");
    for (unsigned i = 0; i < n; i++)
        bx_buf_f(to, " %lld", (long long)t->of->event[event[i]].total);
    bx_buf_z(to, "\n\n");
    return n;
}

static void add_entries(const bx_calls *c, const entries *all, const uint32_t *event,
                        unsigned events, bx_buf *to)
{
    const entry *end = all->at + all->n;
    for (const entry *at = all->at, *next; at < end; at = next) {
        for (next = at + 1;
             next < end && same_place(next->at, at->at) && next->callee == at->callee;)
            next++;
        if (at == all->at || at[-1].at.function != at->at.function) {
            add_file(c, "fl", at->at.function, to);
            add_function(c, "fn", at->at.function, to);
        }
        if (at->callee) {
            add_file(c, "cfi", at->callee - 1, to);
            add_function(c, "cfn", at->callee - 1, to);
            bx_buf_z(to, "calls=1 0\n");
        }
        add_sums(at, next, event, events, to);
    }
}

void bx_profile_callgrind(const bx_calls *c, const bx_profile_table *t, bx_buf *to)
{
    entries all = {0};
    uint32_t *event = malloc((t->of->events + 1) * sizeof *event);
    for (uint32_t i = 0; i < c->costs && !all.failed; i++)
        add_cost(c, &c->cost[i], &all);
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, compare_entries);
    if (!event || all.failed) {
        bx_buf_fail(to);
    } else {
        const char *work = bx_profile_fact_text(t->of, "work");
        bx_buf_z(to, "# callgrind format\nversion: 1\ncreator: boxscore\ncmd: ");
        bx_buf_name(to, work ? work : "(unknown)");
        bx_buf_z(to, "\npositions: line\n");
        unsigned events = add_event_names(t, event, to);
        add_entries(c, &all, event, events, to);
    }
    free(event);
    free(all.at);
}
