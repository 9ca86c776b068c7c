/* Writes the trace of a program to a file, and reads such a file. */
#include "machine/program/trace/recording.h"

#include "base/error.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/trace/reader.h"
#include "tracefile/writer.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the head ---- */

/* This machine's CPU features, by Linux's names; NULL: /proc/cpuinfo has none. The caller frees
 * them. */
static char *cpu_features(void)
{
    char *line = NULL, *found = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !found && getline(&line, &room, f) > 0) {
        char *colon = strncmp(line, "flags", 5) == 0 ? strchr(line, ':') : NULL;
        if (colon) {
            colon[strcspn(colon, "\n")] = '\0';
            found = strdup(colon + 1 + (colon[1] == ' '));
        }
    }
    if (f)
        fclose(f);
    free(line);
    return found;
}

/* ---- making one ---- */

static int write_all(void *context, const void *bytes, size_t n)
{
    const int *fd = context;
    for (const char *p = bytes; n;) {
        ssize_t written = write(*fd, p, n);
        if (written < 0 && errno != EINTR)
            return errno;
        p += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

typedef struct recorder {
    bx_tasks tasks; /* has no tasks: the words go only to the file */
    bx_trace_reader *reader;
    bx_tracefile_writer *to;
    bx_child child;
} recorder;

static int start_recording(recorder *r, const bx_recording *what, bx_error *e)
{
    const bx_core_time plain = {0};
    sigset_t blocked;
    bool begun = bx_tasks_begin(&r->tasks, NULL, false);
    r->reader = begun
                    ? bx_trace_reader_new(&r->tasks, NULL, false, false, NULL, &plain, false, r->to)
                    : NULL;
    if (!r->reader)
        return bx_child_has_no_trace(errno, e);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    bx_surroundings shown = what->shown;
    static const char *const usual[] = {"--allocator=", NULL};
    shown.files = bx_trace_reader_files(r->reader);
    shown.allocators = usual; /* a recording of the trace may want to know them */
    return bx_child_start(&r->child, what->argv, bx_trace_reader_fd(r->reader), &blocked, &shown,
                          NULL, e);
}

/* Checks the trace that was read; bx_tracefile_write_end() checks the file that was written. */
static int check_trace(const recorder *r, const char *program, bx_error *e)
{
    const bx_trace_family *f = bx_trace_reader_family(r->reader);
    if (bx_tracefile_writer_failed(r->to))
        return BX_OK;
    if (f->no_memory)
        return bx_out_of_memory(e);
    if (f->malformed)
        return bx_fail(e, BX_SYSTEM, 0, 0, "unintelligible trace: %s", f->malformed);
    if (bx_tracefile_writer_processes(r->to))
        return BX_OK;
    return bx_child_was_silent(&r->child, program, f->untraced.text != NULL, "none", e);
}

static int record_all(recorder *r, const bx_recording *what, bx_error *e)
{
    int code = start_recording(r, what, e);
    if (code != BX_OK)
        return code;
    what->runs(r->child.pid, &r->child.end_all);
    bx_trace_reader_run(r->reader, &r->child);
    what->runs(0, NULL);
    bx_child_end(&r->child); /* it still runs only if reading stopped early */
    code = check_trace(r, what->argv[0], e);
    return code == BX_OK ? bx_tracefile_write_end(r->to, r->child.status, r->child.signal, e)
                         : code;
}

static void end_recording(recorder *r)
{
    bx_trace_reader_free(r->reader);
    bx_tasks_end(&r->tasks);
    bx_tracefile_writer_free(r->to);
}

int bx_recording_check(const char *program, bx_error *e)
{
    int code = bx_child_check(program, e);
    if (code != BX_OK)
        return code;
    const char *why = bx_trace_tool_missing(program);
    if (!why)
        return BX_OK;
    bx_fail(e, BX_SYSTEM, 0, 0, "no trace of '%s' can be written: %s", program, why);
    bx_hint(e, "traces need boxscore's own tracer (-Dtracer=enabled), and programs of 64 bits");
    return BX_SYSTEM;
}

int bx_recording_make(const bx_recording *what, int *status, bx_error *e)
{
    int fd = what->fd;
    char *features = what->shown.features ? strdup(what->shown.features) : cpu_features();
    bx_tracefile_head head = {.argument = what->argv,
                              .features = features,
                              .cpus = what->shown.cpus,
                              .page_bytes = BX_TRACE_PAGE};
    while (what->argv[head.arguments])
        head.arguments++;
    const bx_tracefile_sink sink = {write_all, &fd, what->name};
    recorder r = {.to = bx_tracefile_writer_new(&head, sink), .tasks.space = -1};
    int code = r.to ? record_all(&r, what, e) : bx_out_of_memory(e);
    *status = r.child.status;
    end_recording(&r);
    free(features);
    return code;
}

/* ---- reading one ---- */

typedef struct counting {
    bx_recording_info *info;
    bool no_memory;
} counting;

static void take_text(counting *c, uint32_t kind, uint32_t process, const void *from, size_t bytes)
{
    char *text = strndup(from, bytes);
    c->no_memory |= !text || !bx_trace_notes_add(&c->info->notes, kind, process, text);
    free(text);
}

static void take_note(void *context, uint32_t process, const uint64_t *words)
{
    take_text(context, (uint32_t)words[0], process, words + 2, words[1] * sizeof *words);
}

static void take_part(counting *c, const bx_tracefile_part *part)
{
    c->info->unread += part->kind == BX_PART_UNREAD;
    c->info->left += part->kind == BX_PART_LEFT;
    if (part->kind == BX_PART_CUT || part->kind == BX_PART_FACT)
        take_text(c, part->kind == BX_PART_CUT ? BX_TRACE_NOTE_CUT : BX_TRACE_NOTES, part->process,
                  part->name.p, part->name.n);
}

static int read_parts(bx_recording_info *info, bx_error *e)
{
    counting c = {info, false};
    bx_tracefile_part part = {0};
    int code = BX_OK;
    bx_trace_file_watch(info->file, take_note, &c);
    while (code == BX_OK && part.kind != BX_PART_END)
        if ((code = bx_trace_file_next(info->file, &part, e)) == BX_OK)
            take_part(&c, &part);
    if (code == BX_OK && c.no_memory)
        code = bx_out_of_memory(e);
    info->whole = code == BX_OK;
    info->status = part.status;
    info->signal = part.signal;
    return code;
}

int bx_recording_read(const char *path, bx_recording_info *info, bx_error *e)
{
    *info = (bx_recording_info){0};
    int code = bx_trace_file_open(path, &info->file, e);
    if (code != BX_OK)
        return code;
    code = read_parts(info, e);
    const bx_tracefile_reader *r = bx_trace_file_reader(info->file);
    info->head = bx_tracefile_reader_head(r);
    info->counts = bx_tracefile_counts(r);
    info->processes = bx_tracefile_processes(r);
    info->bytes = bx_tracefile_bytes(r);
    info->cksum = bx_tracefile_cksum(r);
    return code;
}

void bx_recording_info_free(bx_recording_info *info)
{
    bx_trace_notes_free(&info->notes);
    bx_trace_file_close(info->file);
}
