/* The backend of a host: the machine that we run on, or one whose files lie under a folder, such as
 * a gathered machine. */
#include "machine/backend/backend.h"

#include "base/error.h"
#include "host/bus/reroute.h"
#include "host/helper/client.h"
#include "host/system/owner.h"
#include "guard/journal.h"
#include "machine/program/process/attached.h"
#include "machine/program/process/host_program.h"
#include "machine/program/process/mark_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- work ---- */

static void unload_program(bx_backend *b)
{
    bx_process_free(b->process);
    b->process = NULL;
    b->ended.status = b->ended.signal = 0;
}

static void detach(bx_backend *b)
{
    bx_attached_free(b->attached);
    b->attached = NULL;
}

static void unload(bx_backend *b)
{
    unload_program(b);
    detach(b);
}

static int load_host(bx_backend *b, const bx_work *work, bx_error *e)
{
    if (work->attach) {
        detach(b);
        return bx_attached_new(work->attach, &b->attached, e);
    }
    if (!work->program) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "only a virtual machine can be given a %s",
                work->workload ? "workload" : "trace");
        bx_hint(e, work->workload ? "name a program" : "name one: virtual:CPU");
        return BX_NO_ACCESS;
    }
    unload_program(b);
    int code = bx_process_new(work->program, b->marks ? bx_mark_server_invite : NULL, b->marks,
                              &b->process, e);
    if (code == BX_OK)
        bx_process_serve(b->process, b->marks);
    return code;
}

static int run_host(bx_backend *b, uint64_t until, bool *done, bx_error *e)
{
    if (b->attached && !b->process) {
        bx_attached_run(b->attached, until, done);
        return BX_OK;
    }
    if (!b->process)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no program to run");
    int code = bx_process_run(b->process, until, done, e);
    b->ended.status = bx_process_status(b->process);
    b->ended.signal = bx_process_signal(b->process);
    return code;
}

/* Begins or ends to take the marks of the program. */
static bool takes_marks(bx_backend *b, bool on)
{
    if (b->marks)
        b->refused_marks += bx_mark_server_refused(b->marks);
    bx_mark_server_free(b->marks);
    b->marks = on ? bx_mark_server_new(b->at_mark, b->mark_context) : NULL;
    if (b->process)
        bx_process_serve(b->process, b->marks);
    return !on || b->marks;
}

static uint64_t now(const bx_backend *b)
{
    (void)b;
    return bx_process_clock();
}

/* ---- claims ---- */

/* Describes what the holder of the lock counts: from its journal, else its command line. The
 * helper's journal names its clients. */
static void tell_holder(bx_owner holder, char *to, size_t room)
{
    bx_arena arena = {0};
    *to = '\0';
    for (const char *const *path = bx_journal_list(&arena); *path && !*to; path++) {
        bx_journal j;
        if (bx_journal_read(*path, &arena, &j, NULL) == BX_OK && j.owner.pid == holder.pid &&
            j.owner.start_time == holder.start_time)
            snprintf(to, room, "%s", j.counts);
    }
    bx_arena_free(&arena);
    if (!*to && !holder.is_helper)
        bx_owner_command(holder.pid, to, room);
}

/* A holder that has ended gets no hint with its PID: the kernel may have reused it. */
static int taken(int package, bx_owner holder, bx_error *e)
{
    char what[160];
    if (holder.pid == getpid())
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "this process counts on package %d already", package);
    if (!bx_owner_lives(holder)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "another process counts on package %d already", package);
        bx_hint(e, "wait for it to end");
        return BX_NO_ACCESS;
    }
    tell_holder(holder, what, sizeof what);
    if (holder.is_helper) { /* no hint to kill the helper: that would end the measurements of all
                               its clients */
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "boxscore-helper has lent package %d to one of its clients%s%s", package,
                *what ? ": " : "", what);
        bx_hint(e, "wait for that measurement to end: the helper takes the package back then");
        return BX_NO_ACCESS;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d counts on package %d already: %s", (int)holder.pid,
            package, what);
    bx_hint(e, "wait for it to end, or end it: kill %d", (int)holder.pid);
    return BX_NO_ACCESS;
}

static int cannot_lock(int package, int err, bx_error *e)
{
    return bx_fail(e, BX_SYSTEM, 0, 0, "package %d cannot be locked: %s", package,
                   err == ESTALE ? "another process removed the lock file" : strerror(err));
}

static int claim_of_helper(const bx_host *h, unsigned package, int id, bx_lock *l, bx_error *e)
{
    bx_owner holder = {0};
    int err = bx_helper_claim(h->helper, package, &holder);
    if (err == EADDRINUSE && !holder.pid) /* the helper cannot find out who has the lock */
        bx_lock_is_held(bx_machine_number(h->perf.root), id, &holder);
    if (err == 0)
        l->package = id;
    return err == EADDRINUSE ? taken(id, holder, e)
           : err             ? bx_helper_refusal(h->helper, err, e)
                             : BX_OK;
}

static int claim(bx_backend *b, unsigned package, bx_lock *l, bx_error *e)
{
    const bx_host *h = b->host;
    const char *root = h->perf.root;
    bx_owner holder = {0};
    int id = bx_package_of(root, h->cpus->logical[package * h->cpus->cores]);
    if (h->helper)
        return claim_of_helper(h, package, id, l, e);
    int code = bx_lock_open(l, bx_machine_number(root), id, e);
    int err = code == BX_OK ? bx_lock_take(l, &holder) : 0;
    if (err)
        bx_lock_drop(l);
    return err == EADDRINUSE ? taken(id, holder, e) : err ? cannot_lock(id, err, e) : code;
}

static void release_host(bx_backend *b, unsigned package, bx_lock *l)
{
    if (b->host->helper && l->package >= 0)
        bx_helper_release(b->host->helper, package);
    bx_lock_drop(l);
    l->package = -1;
}

/* ---- registers ---- */

/* Our own CPU matters only if the registers are those of the machine that we run on. */
static struct bx_bus *reroute(bx_backend *b)
{
    const bx_host *h = b->host;
    bool ours = !h->perf.foreign && !h->helper;
    return bx_reroute_open(b->bus, &b->topology, h->cpus, ours ? bx_current_cpu : NULL);
}

/* Further facts, which a replay does not need. */
static void describe_itself(const bx_backend *b, bx_buf *to)
{
    const bx_host *h = b->host;
    bx_buf_f(to, "signature: family %u, model 0x%x, stepping %u\nlogical CPUs:", h->signature >> 16,
             h->signature & 0xffff, h->stepping);
    for (unsigned i = 0; i < h->cpus->packages * h->cpus->cores; i++) {
        if (h->cpus->logical[i] == BX_NO_CPU)
            bx_buf_z(to, " none");
        else
            bx_buf_f(to, " %u", h->cpus->logical[i]);
    }
    bx_buf_z(to, "\n");
}

/* ---- opening and closing ---- */

const bx_host bx_backend_no_facts = {.perf.root = ""};

typedef struct host_backend {
    bx_backend base;
    bx_host host;
} host_backend;

static void close_host(bx_backend *b)
{
    bx_mark_server_free(b->marks);
    bx_host_close(&((host_backend *)b)->host);
    free(b);
}

bx_backend *bx_backend_no_host(const bx_topology *t, bx_error *e)
{
    enum { NS_A_SECOND = 1000000000 };
    static const bx_backend_functions calls = {.load = load_host,
                                               .unload = unload,
                                               .run = run_host,
                                               .now = now,
                                               .close = close_host,
                                               .takes_marks = takes_marks};
    host_backend *b = calloc(1, sizeof *b);
    if (!b) {
        bx_out_of_memory(e);
        return NULL;
    }
    b->base = (bx_backend){.calls = calls,
                           .can = {.has_errata = true, .has_drivers = true},
                           .hz = NS_A_SECOND,
                           .topology = *t,
                           .host = &bx_backend_no_facts};
    return &b->base;
}

/* Programs begin where boxscore runs now, unless they have CPUs of their own. */
static unsigned socket_of(const bx_host *h)
{
    unsigned package, core;
    int here = h->gathered ? -1 : bx_current_cpu();

    return here >= 0 && h->cpus && bx_cpus_locate(h->cpus, (unsigned)here, &package, &core)
               ? package
               : 0;
}

bx_backend *bx_backend_host(const struct bx_catalog *c, const bx_machine_options *o, bx_error *e)
{
    bx_backend *b = bx_backend_no_host(&(bx_topology){.catalog = c}, e);
    bx_host *h = b ? &((host_backend *)b)->host : NULL;
    if (!b || bx_host_open(c, o, h, e) != BX_OK) {
        free(b);
        return NULL;
    }
    b->host = h;
    b->perf = &h->perf;
    b->topology = h->topology;
    b->topology.socket = socket_of(h);
    b->bus = h->bus;
    b->can.takes_running = true;
    b->can.is_gathered = h->gathered;
    b->can.is_shared = h->bus && !h->gathered;
    b->calls.link = reroute;
    b->calls.describe_itself = describe_itself;
    if (b->can.is_shared) {
        b->calls.claim = claim;
        b->calls.release = release_host;
    }
    return b;
}
