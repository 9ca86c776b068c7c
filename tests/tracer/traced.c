/* Implements traced.h. */
#include "traced.h"

#include "../cmocked.h"

#include "machine/program/decode/lackey.h"
#include "machine/program/process/surroundings.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEED = 1, ROOM = 1 << 14 };

static char tools[256]; /* folder of Valgrind's tools */

/* Keeps only these variables, so that programs behave the same each time. */
static void clean_environment(void)
{
    static const char *const names[] = {"PATH", "SOURCE_ROOT", "BUILD_ROOT", "BOXSCORE",
                                        "BOXSCORE_TRACER"};
    enum { NAMES = sizeof names / sizeof *names };
    char *kept[NAMES];
    for (size_t i = 0; i < NAMES; i++)
        kept[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
    clearenv();
    for (size_t i = 0; i < NAMES; i++) {
        if (kept[i])
            setenv(names[i], kept[i], 1);
        free(kept[i]);
    }
    setenv("PYTHONHASHSEED", "0", 1);
}

/* Valgrind preloads a library from that folder into each program. */
void traced_setup(void)
{
    static const char preload[] = "LD_PRELOAD=";
    char line[256];
    FILE *f = popen("valgrind -q --tool=none env", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, preload, sizeof preload - 1) == 0)
            strcpy(tools, line + sizeof preload - 1);
    assert_int_equal(pclose(f), 0);
    char *name = strstr(tools, "/vgpreload_core");
    assert_non_null(name);
    *name = '\0';
    clean_environment();
}

/* ---- our tracer ---- */

typedef struct take {
    bx_access *access;
    size_t n, room;
} take;

static void keep(take *t, const bx_access *access, size_t n)
{
    if (t->n + n > t->room) {
        t->room = 2 * t->room + n;
        t->access = realloc(t->access, t->room * sizeof *t->access);
        assert_non_null(t->access);
    }
    if (n)
        memcpy(t->access + t->n, access, n * sizeof *access);
    t->n += n;
}

static void discard_output(void)
{
    fflush(stdout);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, 1);
    close(null);
}

static bx_trace_counts trace(char *const argv[], const bx_tracer_options *o, take *to, int *status)
{
    struct bx_frames *frames = bx_frames_new(SEED);
    bx_tracer *tracer = NULL;
    bx_error e = {0};
    int output = fcntl(1, F_DUPFD_CLOEXEC, 3);
    discard_output();
    int rc = bx_tracer_new(argv, frames, o, &tracer, &e);
    dup2(output, 1);
    close(output);
    if (rc != BX_OK)
        fail_msg("%s", e.message);
    for (bx_feed *feed = bx_tracer_feed(tracer, 0); feed->refill(feed) == BX_FEED_MORE;
         feed->next = feed->end)
        if (to)
            keep(to, feed->next, (size_t)(feed->end - feed->next));
    assert_true(bx_tracer_ends(tracer));
    if (bx_tracer_check(tracer, &e) != BX_OK)
        fail_msg("%s", e.message);
    if (status)
        *status = bx_tracer_status(tracer);
    bx_trace_counts counts = bx_tracer_counts(tracer);
    bx_tracer_free(tracer);
    bx_frames_free(frames);
    return counts;
}

bx_trace_counts traced_counts(char *const argv[], int *status)
{
    return trace(argv, &(bx_tracer_options){0}, NULL, status);
}

static bx_access *take_accesses(char *const argv[], const bx_tracer_options *o, size_t *n)
{
    take t = {0};
    trace(argv, o, &t, NULL);
    *n = t.n;
    return t.access;
}

bx_access *traced_accesses(char *const argv[], size_t *n)
{
    return take_accesses(argv, &(bx_tracer_options){0}, n);
}

bx_access *traced_with_remarks(char *const argv[], size_t *n)
{
    return take_accesses(argv, &(bx_tracer_options){.remarks = true}, n);
}

bx_access *traced_with_kernel(char *const argv[], size_t *n, int *status)
{
    take t = {0};
    trace(argv, &(bx_tracer_options){.kernel = true}, &t, status);
    *n = t.n;
    return t.access;
}

/* ---- Valgrind's tools ---- */

/* Runs a program under one of the tools; returns the read end of its log. padded: with the same
 * stack as under our tracer, but one more variable, which some programs read. */
static int run_tool(const char *tool, const char *const options[3], bool padded, char *const argv[],
                    pid_t *pid)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *pid = fork();
    if (*pid == 0) {
        char path[512], log[32];
        char name[64];
        const char *all[32] = {path, name, "--command-line-only=yes", "--vgdb=no", log};
        snprintf(path, sizeof path, "%s/%s-amd64-linux", tools, tool);
        snprintf(name, sizeof name, "--tool=%s", tool);
        snprintf(log, sizeof log, "--log-fd=%d", dup2(ends[1], 250));
        close(ends[0]);
        close(ends[1]);
        discard_output();
        dup2(1, 2);
        memcpy(all + 5, options, 3 * sizeof *options);
        all[8] = "--";
        for (size_t i = 0; argv[i] && i < 20; i++)
            all[9 + i] = argv[i];
        if (padded)
            putenv(bx_stack_padding(argv, environ));
        setenv("VALGRIND_LAUNCHER", "/usr/bin/valgrind.bin", 1); /* it starts children's tools */
        execv(path, (char **)(uintptr_t)all);
        _exit(126);
    }
    close(ends[1]);
    return ends[0];
}

static void end_tool(int log, pid_t pid)
{
    close(log);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

bx_access *lackey_accesses(char *const argv[], size_t *n)
{
    static char text[1 << 16];
    static bx_access access[ROOM];
    struct bx_frames *frames = bx_frames_new(SEED);
    bx_lackey l = {.frames = frames, .slot = bx_core_time_slot(NULL)};
    take t = {0};
    pid_t pid;
    static const char *const options[3] = {"-q", "-q", "--trace-mem=yes"};
    int log = run_tool("lackey", options, true, argv, &pid);
    size_t have = 0, made;
    for (ssize_t more; (more = read(log, text + have, sizeof text - have)) > 0;) {
        have += (size_t)more;
        size_t from = 0, parsed;
        do {
            parsed = bx_lackey_read(&l, text + from, have - from, access, ROOM, &made);
            keep(&t, access, made);
            from += parsed;
        } while (parsed);
        have -= from;
        memmove(text, text + from, have);
    }
    keep(&t, access, bx_lackey_end(&l, access));
    end_tool(log, pid);
    bx_frames_free(frames);
    *n = t.n;
    return t.access;
}

/* "==7== D   refs:  3,000  (2,000 rd   + 1,000 wr)": the numbers after the colon. */
static void read_numbers(const char *line, uint64_t *to, size_t n)
{
    size_t i = 0;
    bool within = false;
    for (const char *p = strchr(line, ':'); p && *p && i < n; p++) {
        if (*p >= '0' && *p <= '9')
            to[i] = to[i] * 10 + (uint64_t)(*p - '0');
        else if (*p != ',' && within)
            i++;
        within = (*p >= '0' && *p <= '9') || (*p == ',' && within);
    }
}

references cachegrind_references(char *const argv[])
{
    references r = {0};
    char line[256];
    pid_t pid;
    static const char *const options[3] = {"--trace-children=no", "--cache-sim=yes",
                                           "--cachegrind-out-file=/dev/null"};
    int log = run_tool("cachegrind", options, true, argv, &pid);
    FILE *f = fdopen(dup(log), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        uint64_t of[3] = {0};
        if (strstr(line, "I   refs:"))
            read_numbers(line, &r.instructions, 1);
        if (strstr(line, "D   refs:")) {
            read_numbers(line, of, 3);
            r.reads = of[1];
            r.writes = of[2];
        }
    }
    fclose(f);
    end_tool(log, pid);
    return r;
}

/* "summary: Ir I1mr ILmr Dr D1mr DLmr Dw …" */
static references read_summary(const char *path)
{
    references r = {0};
    char line[256];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        sscanf(line, "summary: %" SCNu64 " %*u %*u %" SCNu64 " %*u %*u %" SCNu64, &r.instructions,
               &r.reads, &r.writes);
    fclose(f);
    return r;
}

size_t cachegrind_processes(char *const argv[], references to[], size_t most)
{
    char folder[] = "/tmp/boxscore-cachegrind-XXXXXX", option[96], path[320];
    assert_non_null(mkdtemp(folder));
    snprintf(option, sizeof option, "--cachegrind-out-file=%s/%%p", folder);
    const char *const options[3] = {"--trace-children=yes", "--cache-sim=yes", option};
    pid_t pid;
    size_t n = 0;
    int log = run_tool("cachegrind", options, false, argv, &pid);
    while (read(log, path, sizeof path) > 0)
        ;
    end_tool(log, pid);
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *e; (e = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') {
            assert_true(n < most);
            to[n++] = read_summary(path);
            unlink(path);
        }
    }
    closedir(files);
    rmdir(folder);
    return n;
}
