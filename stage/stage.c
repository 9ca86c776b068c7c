#include "stage/stage.h"

#include "base/error.h"
#include "machine/process.h"
#include "stage/control.h"
#include "stage/files.h"
#include "stage/keeper.h"
#include "stage/mirror.h"
#include "stage/scene.h"
#include "stage/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* stage/preload, built: a library that answers CPUID. */
extern const unsigned char bx_preload[];
extern const size_t bx_preload_size;

struct bx_stage {
    bx_pace pace;
    bx_tree tree;
    bx_control *control;
    bx_mirror *mirror; /* NULL: memory is a device of the tree */
    bx_server *server;
    bx_listener listener; /* in front of the machine's bus, if somebody wants to know */
    bool scenic;          /* in a view of the file system of its own */
};

static void refresh(void *context)
{
    bx_mirror_refresh(context);
}

/* What the program finds in place of the host's files, but for the tree. */
static int open_scene(bx_stage *s, bx_error *e)
{
    int rc = bx_scene_enter(BX_SCENE_FOLDER "/lib/preload.so", e);
    if (rc == BX_OK)
        rc = bx_mirror_new(s->pace.machine, "/dev/mem", &s->mirror, e);
    if (rc != BX_OK)
        return rc;
    s->pace.passed = refresh;
    s->pace.context = s->mirror;
    return BX_OK;
}

static int make_tree(bx_stage *s, bx_error *e)
{
    int rc = bx_control_new(s->pace.machine, &s->control, e);
    if (rc != BX_OK)
        return rc;
    bx_tree_new(&s->tree);
    bx_files_add(&s->tree, s->pace.machine,
                 s->listener.heard ? &s->listener.bus : s->pace.machine->bus);
    if (s->scenic)
        bx_tree_text(&s->tree, "lib/preload.so",
                     (bx_str){(const char *)bx_preload, bx_preload_size});
    bx_tree_device(&s->tree, "dialogue", &bx_device_control, s->control, 0, 0);
    return s->tree.arena.failed ? bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory") : BX_OK;
}

/* Serves the process that lays the tree over the host's files until it is through. */
static int set_scene(bx_stage *s, bx_error *e)
{
    pid_t pid;
    int rc = bx_scene_set(&pid, e);
    if (rc != BX_OK)
        return rc;
    int end = pidfd_open(pid, 0), status = -1;
    size_t which = 1;
    if (end >= 0)
        rc = bx_server_run(s->server, &end, 1, &which, e);
    if (end >= 0)
        close(end);
    if (which != 0) /* nobody would answer it */
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (rc == BX_OK && status != 0)
        rc = bx_fail(e, BX_NO_ACCESS, 0, 0, "the host's files cannot be covered here");
    return rc;
}

static int open_parts(bx_stage *s, const char *folder, bx_error *e)
{
    int rc = bx_pace_begin(&s->pace, e);
    s->scenic = !folder;
    if (rc == BX_OK && s->scenic)
        rc = open_scene(s, e);
    if (rc == BX_OK)
        rc = make_tree(s, e);
    if (rc == BX_OK)
        rc = bx_server_new(&s->tree, &s->pace, folder ? folder : BX_SCENE_FOLDER, !s->scenic,
                           &s->server, e);
    if (rc == BX_OK && s->scenic)
        rc = set_scene(s, e);
    if (rc == BX_OK)
        setenv("BOXSCORE_STAGE", folder ? folder : BX_SCENE_FOLDER, 1);
    return rc;
}

int bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e)
{
    bx_stage *made = calloc(1, sizeof *made);
    if (!made)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    made->pace = (bx_pace){.machine = m,
                           .workload = o->workload,
                           .hz = o->paced ? o->pace : (uint64_t)bx_machine_hz(m)};
    if (o->heard)
        bx_listen(&made->listener, m->bus, o->heard, o->context);
    int rc = open_parts(made, o->folder, e);
    if (rc == BX_OK)
        *s = made;
    else
        bx_stage_close(made);
    return rc;
}

void bx_stage_close(bx_stage *s)
{
    if (!s)
        return;
    bx_server_free(s->server);
    bx_tree_free(&s->tree);
    bx_control_free(s->control);
    bx_mirror_free(s->mirror);
    free(s);
}

/* ---- running ---- */

enum { SIGNALS, PROGRAM };

/* A signal that a process sent is for the program; the terminal's has reached it already. */
static bool pass_on(int signals, bx_process *program)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info)
        return false;
    if (program && info.ssi_code <= 0)
        kill(bx_process_pid(program), (int)info.ssi_signo);
    return !program;
}

static int serve(bx_stage *s, int signals, bx_process *program, int *status, bx_error *e)
{
    bool done = false;
    int rc = BX_OK;
    const int descriptors[] = {
        [SIGNALS] = signals, [PROGRAM] = program ? bx_process_end(program) : -1};
    if (program)
        rc = bx_process_run(program, 0, &done, e);
    while (rc == BX_OK && !done) {
        size_t which;
        rc = bx_server_run(s->server, descriptors, program ? 2 : 1, &which, e);
        if (rc == BX_OK && which == SIGNALS)
            done = pass_on(signals, program);
        else if (rc == BX_OK && which == PROGRAM && program)
            rc = bx_process_run(program, 0, &done, e);
        else if (rc == BX_OK && !program)
            done = true; /* unmounted by somebody else */
        else if (rc == BX_OK)
            rc = bx_fail(e, BX_SYSTEM, 0, 0, "the stage was unmounted while its program ran");
    }
    if (program)
        *status = bx_process_status(program);
    return rc;
}

int bx_stage_run(bx_stage *s, char *const argv[], int *status, bx_error *e)
{
    bx_process *program = NULL;
    int rc = argv ? bx_process_new(argv, bx_keep, &program, e) : BX_OK;
    if (rc != BX_OK)
        return rc;
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, &before);
    int signals = signalfd(-1, &ours, SFD_CLOEXEC);
    *status = 0;
    rc = signals < 0 ? bx_fail(e, BX_SYSTEM, 0, 0, "signals cannot be received")
                     : serve(s, signals, program, status, e);
    if (signals >= 0)
        close(signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    bx_process_free(program);
    return rc;
}
