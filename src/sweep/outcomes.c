/* The outcome of each point: its values, or why there are none. */
#include "sweep/run.h"

#include "base/printable.h"
#include "host/system/file.h"
#include "sweep/job_files.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void bx_running_tell(bx_running_sweep *r)
{
    r->s->state.seconds = (double)(bx_process_clock() - r->begin) / 1e9;
    if (r->s->at)
        r->s->at(r->s->context, &r->s->state);
}

/* The last message of a command that failed, without our name. */
const char *bx_running_last_message(const char *path, bx_arena *a)
{
    char text[4096];
    text[bx_file_read("", path, text, sizeof text - 1).n] = 0;
    static const char name[] = "boxscore: ";
    char *from = strstr(text, name);
    from = from ? from + sizeof name - 1 : text;
    for (char *next; (next = strstr(from, name));)
        from = next + sizeof name - 1;
    from[strcspn(from, "\n")] = 0;
    bx_printable(from, strlen(from));
    return bx_arena_copy(a, bx_str_of(*from ? from : "it ended without a message"));
}

void bx_running_count(bx_sweep_state *to, enum bx_point_state state)
{
    to->done += state == BX_POINT_DONE;
    to->refused += state == BX_POINT_REFUSED;
    to->failed += state == BX_POINT_FAILED;
}

static int put_outcome(bx_running_sweep *r, bx_point_outcome *o, bx_arena *a)
{
    const bx_points *p = &r->s->points;
    const char **keys = bx_arena_get(a, (p->keys + 1) * sizeof *keys);
    const char **values = bx_arena_get(a, (p->keys + 1) * sizeof *values);
    bx_buf machine = {0};
    bx_points_machine(p, o->number, &machine);
    if (!keys || !values || machine.failed || a->failed) {
        bx_buf_free(&machine);
        return bx_out_of_memory(r->e);
    }
    for (size_t i = 0; i < p->keys; i++) {
        keys[i] = p->vary[i].name;
        values[i] = bx_points_value(p, o->number, i);
    }
    o->machine = machine.p;
    o->keys = keys;
    o->values = values;
    o->settings = p->keys;
    int code = bx_sweep_store_put(r->store, o, r->e);
    bx_buf_free(&machine);
    r->point[o->number].progress = BX_ENDED;
    bx_running_count(&r->s->state, o->state);
    bx_running_tell(r);
    return code;
}

/* Everything that a run did not see; and what its program would have seen otherwise. */
static const char *remarks_of(const bx_running_sweep *r, size_t point, const bx_saved *saved,
                              bx_arena *a)
{
    bx_buf text = {0}, machine = {.whole = &text.failed};
    bx_points_machine(&r->s->points, point, &machine);
    const char *differs =
        r->s->trace ? bx_trace_sight_differs(&r->sight, r->s->catalog, bx_buf_text(&machine), a)
                    : NULL;
    bx_buf_free(&machine);
    if (differs)
        bx_buf_f(&text, "%s%s", differs, saved->unseen_n ? "; " : "");
    for (size_t i = 0; i < saved->unseen_n; i++)
        bx_buf_f(&text, "%s%s", i ? "; " : "", saved->unseen[i].text);
    const char *remarks = text.n ? bx_arena_copy(a, bx_str_of(text.p)) : NULL;
    a->failed |= text.failed;
    bx_buf_free(&text);
    return remarks;
}

/* The command has ended: with a result, or with a message. */
static void judge_point(bx_running_sweep *r, const bx_worker_end *end, bx_point_outcome *o,
                        bx_saved *saved, bx_buf *text, bx_arena *a)
{
    enum { RESULT_MOST = 1 << 28 };
    bx_error why = {0};
    const char *result = bx_job_file(r->s->path, BX_JOB_RESULT, end->job, a);
    const char *errors = bx_job_file(r->s->path, BX_JOB_ERRORS, end->job, a);
    if (!result || !errors)
        return;
    *text = bx_file_read_all("", result, RESULT_MOST);
    if (!WIFEXITED(end->status)) {
        o->state = BX_POINT_FAILED;
        o->message = bx_arena_copy(a, bx_str_of(strsignal(WTERMSIG(end->status))));
    } else if (!bx_file_exists("", result)) {
        o->state = BX_POINT_REFUSED;
        o->message = bx_running_last_message(errors, a);
    } else if (bx_saved_read("the result", (bx_str){bx_buf_text(text), text->n}, a, saved, &why)) {
        o->state = BX_POINT_FAILED;
        o->message = bx_arena_copy(a, bx_str_of(why.message));
    } else {
        o->saved = saved;
        o->message = remarks_of(r, end->job, saved, a);
    }
    unlink(result);
    unlink(errors);
}

int bx_running_end_point(bx_running_sweep *r, const bx_worker_end *end)
{
    bx_arena a = {0};
    bx_buf text = {0};
    bx_saved saved = {0};
    bx_point_outcome o = {.number = end->job, .seconds = (double)end->ns / 1e9};
    judge_point(r, end, &o, &saved, &text, &a);
    a.failed |= text.failed;
    int code = put_outcome(r, &o, &a);
    bx_buf_free(&text);
    bx_arena_free(&a);
    return code;
}

int bx_running_refuse_point(bx_running_sweep *r, size_t i, enum bx_point_state state,
                            const char *message)
{
    bx_arena a = {0};
    bx_point_outcome o = {.number = i, .state = state, .message = message};
    int code = put_outcome(r, &o, &a);
    bx_arena_free(&a);
    return code;
}
