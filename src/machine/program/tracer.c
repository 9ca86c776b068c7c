#include "machine/program/tracer.h"

#include "machine/program/lackey_process.h"
#include "machine/program/lackey.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 64 << 10, RECORDS = 8192 };

struct bx_tracer {
    bx_feed feed; /* first: a feed is its tracer */
    bx_lackey lackey;
    bx_child child;
    char *program;
    bool ended, silent; /* silent: no access so far */
    bool nonblocking;   /* reads do not wait */
    bool waits;
    size_t from, have; /* text not parsed yet */
    char text[TEXT];
    bx_access records[RECORDS];
};

/* Moves the unparsed text to the front and reads more behind it. false: there is none. */
static bool read_more(bx_tracer *t)
{
    bool ended = true;
    t->have -= t->from;
    memmove(t->text, t->text + t->from, t->have);
    t->from = 0;
    if (t->have == TEXT) { /* and no newline in it */
        bx_lackey_reject(&t->lackey, (bx_str){t->text, TEXT});
        t->have = 0;
    }
    char *to = t->text + t->have;
    size_t n = t->nonblocking ? bx_child_take(&t->child, to, TEXT - t->have, &ended)
                              : bx_child_read(&t->child, to, TEXT - t->have);
    t->have += n;
    t->waits = n == 0 && !ended;
    return n > 0;
}

static bool refill(bx_feed *feed)
{
    bx_tracer *t = (bx_tracer *)feed;
    size_t n = 0;
    t->waits = false;
    while (n == 0 && !t->ended && !t->waits) {
        t->from += bx_lackey_read(&t->lackey, t->text + t->from, t->have - t->from, t->records,
                                  RECORDS, &n);
        if (n == 0 && !read_more(t) && !t->waits) {
            n = bx_lackey_end(&t->lackey, t->records);
            bx_child_wait(&t->child);
            t->ended = true;
        }
    }
    if (n)
        t->silent = false;
    feed->next = t->records;
    feed->end = t->records + n;
    return n > 0;
}

int bx_tracer_new(char *const argv[], struct bx_frames *frames, const bx_spawner *by, bx_tracer **t,
                  bx_error *e)
{
    bx_tracer *made = calloc(1, sizeof *made);
    char *program = strdup(argv[0]);
    if (!made || !program) {
        free(made);
        free(program);
        return bx_out_of_memory(e);
    }
    made->feed.refill = refill;
    made->feed.next = made->feed.end = made->records;
    made->lackey.frames = frames;
    made->program = program;
    made->silent = true;
    made->nonblocking = by;
    int rc = bx_child_start(&made->child, argv, by, e);
    if (rc != BX_OK) {
        bx_tracer_free(made);
        return rc;
    }
    *t = made;
    return BX_OK;
}

void bx_tracer_free(bx_tracer *t)
{
    if (!t)
        return;
    bx_child_end(&t->child);
    free(t->program);
    free(t);
}

bx_feed *bx_tracer_feed(bx_tracer *t)
{
    return &t->feed;
}

void bx_tracer_await(bx_tracer *t)
{
    bool nonblocking = t->nonblocking;
    t->nonblocking = false;
    if (t->feed.next == t->feed.end)
        refill(&t->feed);
    t->nonblocking = nonblocking;
}

bool bx_tracer_waits(const bx_tracer *t)
{
    return t->waits;
}

pid_t bx_tracer_pid(const bx_tracer *t)
{
    return t ? t->child.pid : 0;
}

int bx_tracer_check(const bx_tracer *t, bx_error *e)
{
    if (!t->ended)
        return BX_OK;
    if (t->lackey.malformed) {
        bx_fail(e, BX_SYSTEM, 0, 0, "unintelligible trace: %" PRIu64 " lines, the first '%s'",
                t->lackey.malformed, t->lackey.malformed_line);
        bx_hint(e, "is 'valgrind --version' 3.13 or later?");
        return BX_SYSTEM;
    }
    if (t->silent) {
        bx_fail(e, BX_SYSTEM, 0, 0, "valgrind could not run '%s'", t->program);
        bx_hint(e, "see what 'valgrind --tool=lackey %s' says", t->program);
        return BX_SYSTEM;
    }
    return BX_OK;
}

int bx_tracer_status(const bx_tracer *t)
{
    return t->child.status;
}

int bx_tracer_signal(const bx_tracer *t)
{
    return t->child.signal;
}
