/* The file of programs that are counted on a machine of their own: one open file is one program,
 * with the events that wait for it. */
#include "stage/perf/internal.h"

#include "base/buf.h"
#include "stage/preload/program_file.h"
#include "stage/work/counted_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 23 }; /* of argv and environment: Linux has no more than 6 MB */

/* An open file. */
typedef struct program {
    pid_t pid;        /* the process that is about to execute it */
    bx_buf written;   /* a bx_program_head and texts */
    uint64_t *events; /* [n] their ids */
    size_t n;
    bx_counted_program *counted; /* NULL: it has not begun */
    bool known;                  /* its counts are in the events */
} program;

static program *program_of(uint64_t number)
{
    return (program *)(uintptr_t)number;
}

static bool waits_for(const bx_staged_event *e, pid_t pid)
{
    return e->of_program && e->request.pid == pid && e->leader->request.attr.enable_on_exec &&
           e->enabled == 0;
}

/* Whether the process has the user, the groups and the capabilities of the stage: the program runs
 * with those. */
static bool has_our_rights(pid_t pid)
{
    static const char *const keys[] = {"Uid:", "Gid:", "CapEff:", "CapBnd:"};
    char lines[2][4][128] = {0};
    for (int i = 0; i < 2; i++) {
        char file[48], line[128];
        snprintf(file, sizeof file, "/proc/%d/status", i ? pid : getpid());
        FILE *status = fopen(file, "re");
        while (status && fgets(line, sizeof line, status))
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
                if (strncmp(line, keys[k], strlen(keys[k])) == 0)
                    strcpy(lines[i][k], line);
        if (status)
            fclose(status);
    }
    return *lines[1][0] && *lines[1][3] && memcmp(lines[0], lines[1], sizeof lines[0]) == 0;
}

static int open_program(void *context, uint64_t *number, pid_t by)
{
    const bx_staged_perf *p = context;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += waits_for(p->events[i], by);
    if (n == 0 || n > BX_PROGRAM_EVENTS)
        return ENOENT;
    if (!has_our_rights(by))
        return EPERM;
    program *made = calloc(1, sizeof *made);
    if (made)
        made->events = calloc(n, sizeof *made->events);
    if (!made || !made->events) {
        free(made);
        return ENOMEM;
    }
    made->pid = by;
    for (size_t i = 0; i < p->n; i++)
        if (waits_for(p->events[i], by))
            made->events[made->n++] = p->events[i]->id;
    *number = (uintptr_t)made;
    return 0;
}

static void release_program(void *context, uint64_t number)
{
    program *o = program_of(number);
    (void)context;
    bx_counted_program_free(o->counted);
    bx_buf_free(&o->written);
    free(o->events);
    free(o);
}

static int write_program(void *context, uint64_t number, uint64_t offset, const char *from,
                         size_t n, size_t *done)
{
    program *o = program_of(number);
    int signal;
    (void)context;
    (void)offset;
    if (o->counted && n != sizeof signal)
        return EINVAL;
    if (o->written.n + n > MOST_BYTES)
        return E2BIG;
    *done = n;
    if (o->counted) {
        memcpy(&signal, from, sizeof signal);
        bx_counted_program_signal(o->counted, signal);
        return 0;
    }
    bx_buf_str(&o->written, (bx_str){from, n});
    return o->written.failed ? ENOMEM : 0;
}

/* Copies of the process's standard input, output and error. 0 or an errno. */
static int take_streams(pid_t pid, int streams[3])
{
    int process = pidfd_open(pid, 0), err = process < 0 ? errno : 0;
    for (int i = 0; i < 3; i++) {
        streams[i] = err ? -1 : (int)syscall(SYS_pidfd_getfd, process, i, 0);
        if (!err && streams[i] < 0)
            err = errno;
    }
    if (process >= 0)
        close(process);
    return err;
}

static int begin_program(const bx_staged_perf *p, program *o)
{
    bx_program_head head;
    bx_buf events = {0};
    int streams[3];
    if (o->written.n < sizeof head)
        return EINVAL;
    memcpy(&head, o->written.p, sizeof head);
    for (size_t i = 0; i < o->n; i++) {
        const bx_staged_event *e = bx_staged_by_id(p, o->events[i]);
        bx_buf_f(&events, "%s%s", i ? "," : "", e ? e->of_program : "task-clock");
    }
    int err = take_streams(o->pid, streams);
    if (!err && events.failed)
        err = ENOMEM;
    const bx_program_words words = {(uint32_t)o->n, head.words, head.variables};
    if (!err)
        err = bx_counted_program_new(p->launcher, streams, events.p, words,
                                     o->written.p + sizeof head, o->written.n - sizeof head,
                                     &o->counted);
    for (int i = 0; i < 3; i++)
        if (streams[i] >= 0)
            close(streams[i]);
    bx_buf_free(&events);
    return err;
}

/* All events have counted from the exec to the end: the model has a counter for each. */
static void store_counts(const bx_staged_perf *p, const program *o, const bx_program_end *end,
                         const bx_program_count *counts)
{
    for (size_t i = 0; i < o->n && i < end->n; i++) {
        bx_staged_event *e = bx_staged_by_id(p, o->events[i]);
        if (!e)
            continue;
        e->count = counts[i].value;
        e->enabled = end->ns;
        e->running = counts[i].counted ? end->ns : 0;
    }
}

static int read_state(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                      size_t *done)
{
    const bx_staged_perf *p = context;
    program *o = program_of(number);
    bx_program_state state = {0};
    const bx_program_count *counts;
    (void)offset;
    int err = o->counted ? 0 : begin_program(p, o);
    const bx_program_end *end = err ? NULL : bx_counted_program_end(o->counted, &counts);
    if (end && end->err)
        err = end->err;
    if (err || n < sizeof state)
        return err ? err : EINVAL;
    if (end && !o->known)
        store_counts(p, o, end, counts);
    o->known = end;
    if (end)
        state = (bx_program_state){true, end->status, end->signal};
    memcpy(to, &state, sizeof state);
    *done = sizeof state;
    return 0;
}

const bx_device bx_device_program = {
    .read = read_state, .write = write_program, .open = open_program, .release = release_program};
