/* Opens the parts of a stage, mounts its files, and serves them while the program runs. */
#include "stage/stage.h"

#include "base/error.h"
#include "host/perf/kernel_pmus.h"
#include "machine/program/process/host_program.h"
#include "stage/calls/call_proxy.h"
#include "stage/calls/calls.h"
#include "stage/files/dialogue_file.h"
#include "stage/files/fuse_server.h"
#include "stage/files/gathered_files.h"
#include "stage/files/machine_files.h"
#include "stage/files/memory_mirror.h"
#include "stage/perf/event_source_files.h"
#include "stage/perf/perf.h"
#include "stage/perf/signal_lines.h"
#include "stage/preload/program_file.h"
#include "stage/process/mount_namespace.h"
#include "stage/process/reaper.h"
#include "stage/work/counted_program.h"
#include "stage/work/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* stage/preload as a library, embedded by tools/embed.c. */
extern const unsigned char bx_preload[];
extern const size_t bx_preload_size;

struct bx_stage {
    bx_stage_clock clock;
    bx_follow *follow;           /* NULL: no program is followed */
    bx_program_machine programs; /* on which programs that perf starts are counted */
    bx_launcher *launcher;       /* of these; NULL: they are not counted */
    bx_tree tree;
    bx_dialogue_file *dialogue;
    bx_memory_mirror *mirror; /* NULL: memory is a device of the tree */
    bx_fuse_server *server;
    bx_bus_observer observer; /* in front of the machine's bus, if on_access is given */
    bx_calls *calls;          /* calls that we answer; NULL: not supported by this kernel */
    bx_call_proxy *proxy;     /* passes some calls to the reaper; NULL without `calls` */
    bx_event_sources sources;
    bx_signalled signalled; /* a gathered machine, */
    bool gathered;          /* … which is in place of the clock's machine, */
    char perf_cpuid[48];    /* … and its CPU model for perf */
    bx_staged_perf *perf;   /* NULL: programs have the host's perf events */
    bool own_namespace;     /* in a mount namespace of its own */
    pid_t self;             /* the process that serves */
};

static void refresh(void *context)
{
    const bx_stage *s = context;
    if (s->mirror)
        bx_memory_mirror_refresh(s->mirror);
    if (s->perf)
        bx_staged_tick(s->perf);
}

/* Enters the namespace, and makes the files that must exist before the tree is mounted. */
static int open_namespace(bx_stage *s, bx_error *e)
{
    int code = bx_mount_namespace_enter(s->gathered ? NULL : BX_STAGE_FOLDER "/lib/preload.so", e);
    if (code == BX_OK && !s->gathered)
        code = bx_memory_mirror_new(s->clock.machine, "/dev/mem", &s->mirror, e);
    if (code != BX_OK)
        return code;
    s->clock.advanced = refresh;
    s->clock.context = s;
    return BX_OK;
}

/* The machine's PMUs for perf: their files, and perf_event_open(). */
static int add_perf(bx_stage *s, struct bx_bus *bus, bx_error *e)
{
    uint32_t type = bx_event_source_files_of_host(&s->tree, "/sys/bus/event_source/devices");
    bx_event_sources_find(&s->sources, &s->clock.machine->topology, type);
    bx_event_source_files_add(&s->tree, &s->sources);
    bx_error ignored = {0};
    if (bx_calls_new(&s->calls, &ignored) != BX_OK)
        return ignored.code == BX_NO_MEMORY ? bx_out_of_memory(e) : BX_OK;
    int code = bx_staged_new(&s->clock, &s->sources, bus, BX_STAGE_FOLDER "/perf", s->launcher,
                             &s->perf, e);
    if (code == BX_OK)
        bx_tree_device(&s->tree, "perf", &bx_device_perf, s->perf, 0, 0);
    if (code == BX_OK && s->launcher)
        bx_tree_device(&s->tree, BX_PROGRAM_FILE, &bx_device_program, s->perf, 0, 0);
    if (code == BX_OK)
        bx_calls_intercept(s->calls, SYS_perf_event_open, bx_staged_answer, s->perf);
    return code;
}

static int play_signal(void *context, bx_str line, bx_error *e)
{
    const bx_stage *s = context;
    return bx_signal_line(s->perf, line, e);
}

/* The tree of a gathered machine: its CPUs, and its PMUs for perf. */
static int make_gathered_tree(bx_stage *s, bx_error *e)
{
    const bx_signalled *g = &s->signalled;
    int code = bx_dialogue_file_of(play_signal, s, &s->dialogue, e);
    if (code != BX_OK)
        return code;
    bx_tree_new(&s->tree);
    /* All of its files are read now: later, those of this machine itself are covered by ours. */
    bx_gathered_files_perf_cpuid(g->perf->root, s->perf_cpuid, sizeof s->perf_cpuid);
    bx_gathered_files_add(&s->tree, g->perf->root, g->cpus);
    bx_event_source_files_gathered(&s->tree, g);
    code = bx_calls_new(&s->calls, e);
    if (code == BX_OK)
        code = bx_staged_new_signalled(&s->clock, g, BX_STAGE_FOLDER "/perf", &s->perf, e);
    if (code != BX_OK)
        return code;
    bx_tree_device(&s->tree, "perf", &bx_device_perf, s->perf, 0, 0);
    bx_tree_device(&s->tree, "dialogue", &bx_device_dialogue, s->dialogue, 0, 0);
    bx_calls_intercept(s->calls, SYS_perf_event_open, bx_staged_answer, s->perf);
    return s->tree.arena.failed ? bx_out_of_memory(e) : BX_OK;
}

static int make_tree(bx_stage *s, bx_error *e)
{
    int code = bx_dialogue_file_new(s->clock.machine, &s->dialogue, e);
    if (code != BX_OK)
        return code;
    bx_tree_new(&s->tree);
    struct bx_bus *bus = s->observer.on_access ? &s->observer.bus : s->clock.machine->bus;
    bx_machine_files_add(&s->tree, s->clock.machine, bus);
    if (s->own_namespace)
        code = add_perf(s, bus, e);
    if (code == BX_OK && s->calls)
        code = bx_call_proxy_new(&s->clock.machine->topology, s->calls, &s->proxy, e);
    if (code != BX_OK)
        return code;
    if (s->own_namespace)
        bx_tree_text(&s->tree, "lib/preload.so",
                     (bx_str){(const char *)bx_preload, bx_preload_size});
    bx_tree_device(&s->tree, "dialogue", &bx_device_dialogue, s->dialogue, 0, 0);
    return s->tree.arena.failed ? bx_out_of_memory(e) : BX_OK;
}

/* Mounts parts of the tree over the host's files, and serves the process that does so until it has
 * ended. */
static int populate_namespace(bx_stage *s, bx_error *e)
{
    pid_t pid;
    int code = bx_mount_namespace_populate(&pid, e);
    if (code != BX_OK)
        return code;
    int end = pidfd_open(pid, 0), status = -1;
    size_t which = 1;
    if (end >= 0)
        code = bx_fuse_server_run(s->server, &end, 1, 1, &which, e);
    if (end >= 0)
        close(end);
    if (which != 0) /* the tree is not served any more */
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (code == BX_OK && status != 0)
        code = (WIFEXITED(status) && WEXITSTATUS(status) == ENOMEM) ||
                       !bx_fuse_server_has_begun(s->server)
                   ? bx_out_of_memory(e)
                   : bx_fail(e, BX_NO_ACCESS, 0, 0, "the host's files cannot be covered here");
    return code;
}

/* Errors of the workload or the program to follow are reported before anything is mounted. */
static int begin_work(bx_stage *s, const bx_stage_options *o, bx_error *e)
{
    const char *follow = o->follow;
    int code = follow ? bx_follow_new(follow, &s->follow, e) : BX_OK;
    if (code == BX_OK && o->counts_programs) {
        s->programs = (bx_program_machine){s->clock.machine->topology.catalog, o->counts_programs};
        code = bx_launcher_new(bx_program_counter, &s->programs, &s->launcher, e);
    }
    if (code == BX_OK && follow) {
        s->clock.program = bx_follow_words(s->follow);
        bx_machine_spawn_by(s->clock.machine, bx_follow_spawner(s->follow));
    }
    return code == BX_OK ? bx_stage_clock_begin(&s->clock, e) : code;
}

/* With the first variable perf finds the event names of the CPU model, even where CPUID is the
 * host's. With the second PCM writes registers: its events of perf are those of tasks. */
static bool set_variables(const bx_stage *s)
{
    char name[sizeof s->perf_cpuid];
    if (!s->gathered)
        bx_machine_files_perf_cpuid(&s->clock.machine->topology, name, sizeof name);
    const char *model = s->gathered ? s->perf_cpuid : name;
    return (!*model || setenv("PERF_CPUID", model, 0) == 0) && setenv("PCM_NO_PERF", "1", 0) == 0;
}

static bool is_ready(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* Answers others during a long write, and returns whether that has to end. */
static bool ends_write(void *context)
{
    const bx_stage *s = context;
    if (s->calls && is_ready(bx_calls_descriptor(s->calls)))
        bx_calls_handle(s->calls);
    if (s->proxy && is_ready(bx_call_proxy_descriptor(s->proxy)))
        bx_call_proxy_handle(s->proxy);
    return bx_fuse_server_interrupts(s->server);
}

static int open_parts(bx_stage *s, const char *folder, bx_error *e)
{
    int code = BX_OK;
    s->own_namespace = !folder;
    if (code == BX_OK && s->own_namespace)
        code = open_namespace(s, e);
    if (code == BX_OK)
        code = s->gathered ? make_gathered_tree(s, e) : make_tree(s, e);
    if (code == BX_OK)
        code = bx_fuse_server_new(&s->tree, &s->clock, folder ? folder : BX_STAGE_FOLDER,
                                  !s->own_namespace, &s->server, e);
    if (code == BX_OK)
        bx_dialogue_file_stop_if(s->dialogue, ends_write, s);
    if (code == BX_OK && s->own_namespace)
        code = populate_namespace(s, e);
    if (code == BX_OK && setenv("BOXSCORE_STAGE", folder ? folder : BX_STAGE_FOLDER, 1) != 0)
        code = bx_out_of_memory(e);
    if (code == BX_OK && s->perf && !set_variables(s))
        code = bx_out_of_memory(e);
    return code;
}

int bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e)
{
    bx_stage *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->gathered = o->gathered;
    made->clock = (bx_stage_clock){.machine = o->gathered ? NULL : m, .workload = o->workload};
    made->clock.hz = o->hz_given ? o->hz : bx_stage_clock_hz(&made->clock);
    made->self = getpid();
    if (o->on_access)
        bx_bus_observe(&made->observer, m->bus, o->on_access, o->context);
    int code = o->gathered ? bx_signalled_open(&made->signalled, m, e) : BX_OK;
    if (code == BX_OK)
        code = begin_work(made, o, e);
    if (code == BX_OK)
        code = open_parts(made, o->folder, e);
    if (code == BX_OK)
        *s = made;
    else
        bx_stage_close(made);
    return code;
}

void bx_stage_close(bx_stage *s)
{
    if (!s)
        return;
    bx_fuse_server_free(s->server);
    bx_staged_free(s->perf);
    bx_calls_free(s->calls);
    bx_call_proxy_free(s->proxy);
    bx_tree_free(&s->tree);
    bx_dialogue_file_free(s->dialogue);
    bx_memory_mirror_free(s->mirror);
    if (s->follow) {
        bx_machine_unload(s->clock.machine);
        bx_machine_spawn_by(s->clock.machine, NULL);
    }
    bx_follow_free(s->follow);
    bx_launcher_free(s->launcher);
    free(s);
}

/* ---- running ---- */

/* Signals and the program's end are urgent. */
enum { SIGNALS, PROGRAM, CALLS, PROXY, DESCRIPTORS };

/* Passes a signal on to the program. Signals of the terminal have already reached the program.
 * true: there is no program, so the stage has to end. */
static bool pass_on(int signals, bx_process *program)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info)
        return false;
    int number = (int)info.ssi_signo;
    if (program && !bx_process_got_signal(number, info.ssi_code))
        kill(bx_process_pid(program), number);
    return !program;
}

static int serve(bx_stage *s, int signals, bx_process *program, int *status, bx_error *e)
{
    bool done = false;
    int code = BX_OK;
    int descriptors[DESCRIPTORS] = {[SIGNALS] = signals,
                                    [PROGRAM] = program ? bx_process_end(program) : -1,
                                    [PROXY] = s->proxy ? bx_call_proxy_descriptor(s->proxy) : -1};
    if (program)
        code = bx_process_run(program, 0, &done, e);
    while (code == BX_OK && !done) {
        size_t which;
        descriptors[CALLS] = s->calls ? bx_calls_descriptor(s->calls) : -1;
        code = bx_fuse_server_run(s->server, descriptors, program ? DESCRIPTORS : 1,
                                  program ? CALLS : 1, &which, e);
        if (code == BX_OK && which == SIGNALS)
            done = pass_on(signals, program);
        else if (code == BX_OK && which == PROGRAM && program)
            code = bx_process_run(program, 0, &done, e);
        else if (code == BX_OK && which == CALLS && program)
            bx_calls_handle(s->calls);
        else if (code == BX_OK && which == PROXY && program)
            bx_call_proxy_handle(s->proxy);
        else if (code == BX_OK && !program)
            done = true; /* unmounted by somebody else */
        else if (code == BX_OK)
            code =
                bx_fail(e, BX_SYSTEM, 0, 0,
                        "the stage was unmounted while its program ran, or FUSE is out of memory");
    }
    if (program)
        *status = bx_process_status(program);
    return code;
}

const bx_error *bx_stage_trouble(const bx_stage *s)
{
    return s->clock.trouble.code != BX_OK ? &s->clock.trouble : NULL;
}

bool bx_stage_was_asked_cpus(const bx_stage *s)
{
    return s->perf && bx_staged_was_asked_cpus(s->perf);
}

bool bx_stage_was_asked_task(const bx_stage *s)
{
    return s->perf && bx_staged_was_asked_task(s->perf);
}

bool bx_stage_was_asked_samples(const bx_stage *s)
{
    return s->perf && bx_staged_was_asked_samples(s->perf);
}

uint64_t bx_stage_unsignalled(const bx_stage *s, const char **first)
{
    *first = "";
    return s->perf ? bx_staged_unsignalled(s->perf, first) : 0;
}

/* Called in the process that becomes the program. */
static void prepare(void *context)
{
    const bx_stage *s = context;
    bx_reaper_fork(s->self, s->proxy ? bx_call_proxy_work(s->proxy) : NULL);
    if (s->calls)
        (void)bx_calls_install(s->calls); /* if it fails, the host's kernel answers */
}

int bx_stage_run(bx_stage *s, char *const argv[], int *status, bx_error *e)
{
    bx_process *program = NULL;
    int code = argv ? bx_process_new(argv, prepare, s, &program, e) : BX_OK;
    if (code != BX_OK)
        return code;
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, &before);
    int signals = signalfd(-1, &ours, SFD_CLOEXEC);
    *status = 0;
    code = signals < 0 ? bx_fail(e, BX_SYSTEM, 0, 0, "signals cannot be received")
                       : serve(s, signals, program, status, e);
    if (signals >= 0)
        close(signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    bx_process_free(program);
    return code;
}
