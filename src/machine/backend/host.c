/* The machine that we run on, or one whose files lie under a folder, also a gathered one. */
#include "machine/backend/backend.h"

#include "host/helper/client.h"
#include "host/system/owner.h"
#include "host/undo/journal.h"
#include "host/host.h"
#include "base/error.h"
#include "machine/program/host_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- work ---- */

static void unload(bx_backend *b)
{
    bx_process_free(b->process);
    b->process = NULL;
    b->ended.status = b->ended.signal = 0;
}

static int load(bx_backend *b, const bx_work *work, bx_error *e)
{
    if (work->workload) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "only a virtual machine can be given a workload");
        bx_hint(e, "name a program: -- PROGRAM");
        return BX_NO_ACCESS;
    }
    unload(b);
    return bx_process_new(work->program, NULL, NULL, &b->process, e);
}

static int run(bx_backend *b, uint64_t until, bool *done, bx_error *e)
{
    if (!b->process)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no program to run");
    int rc = bx_process_run(b->process, until, done, e);
    b->ended.status = bx_process_status(b->process);
    b->ended.signal = bx_process_signal(b->process);
    return rc;
}

static uint64_t now(const bx_backend *b)
{
    (void)b;
    return bx_process_clock();
}

/* ---- claims ---- */

/* What the process that has the lock counts: as in its journal, else its command line. */
static void tell_holder(pid_t pid, char *to, size_t room)
{
    bx_arena arena = {0};
    *to = '\0';
    for (const char *const *path = bx_journal_list(&arena); pid > 0 && *path && !*to; path++) {
        bx_journal j;
        if (bx_journal_read(*path, &arena, &j, NULL) == BX_OK && j.owner.pid == pid)
            snprintf(to, room, "%s", j.counts);
    }
    bx_arena_free(&arena);
    if (pid > 0 && !*to)
        bx_owner_command(pid, to, room);
}

static int taken(int package, pid_t pid, bx_error *e)
{
    char what[160];
    tell_holder(pid, what, sizeof what);
    if (pid == getpid())
        bx_fail(e, BX_NO_ACCESS, 0, 0, "this process counts on package %d already", package);
    else if (pid > 0)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d counts on package %d already: %s", (int)pid,
                package, what);
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0, "another process counts on package %d already", package);
    if (e && !e->hint[0] && pid > 0)
        bx_hint(e, "wait for it to end, or end it: kill %d", (int)pid);
    return BX_NO_ACCESS;
}

static int claim(bx_backend *b, unsigned package, bx_lock *l, bx_error *e)
{
    const bx_host *h = b->host;
    const char *root = h->perf.root;
    pid_t holder = 0;
    int id = bx_package_of(root, h->cpus->logical[package * h->cpus->cores]);
    int err = h->helper ? bx_helper_claim(h->helper, package, &holder)
                        : bx_lock_take(l, bx_machine_number(root), id, &holder);
    if (err == 0)
        l->package = id;
    if (err == EADDRINUSE)
        return taken(id, holder, e);
    if (h->helper && err)
        return bx_helper_refusal(h->helper, err, e);
    return err ? bx_fail(e, BX_SYSTEM, 0, 0, "package %u cannot be locked: %s", package,
                         strerror(err))
               : BX_OK;
}

static void release(bx_backend *b, unsigned package, bx_lock *l)
{
    if (b->host->helper && l->package >= 0)
        bx_helper_release(b->host->helper, package);
    bx_lock_drop(l);
    l->package = -1;
}

/* ---- opening and closing ---- */

static void close_host(bx_backend *b)
{
    if (b->host)
        bx_host_close(b->host);
    free(b->host);
    free(b);
}

bx_backend *bx_backend_no_host(const bx_topology *t, bx_error *e)
{
    bx_backend *b = malloc(sizeof *b);
    if (b)
        *b = (bx_backend){.load = load,
                          .unload = unload,
                          .run = run,
                          .now = now,
                          .close = close_host,
                          .topology = *t};
    else
        bx_out_of_memory(e);
    return b;
}

bx_backend *bx_backend_host(const struct bx_catalog *c, const bx_machine_options *o, bx_error *e)
{
    bx_backend *b = bx_backend_no_host(&(bx_topology){.catalog = c}, e);
    bx_host *h = calloc(1, sizeof *h);
    if (b && !h)
        bx_out_of_memory(e);
    if (!b || !h || bx_host_open(c, o, h, e) != BX_OK) {
        free(h);
        free(b);
        return NULL;
    }
    b->host = h;
    b->topology = h->topology;
    b->bus = h->bus;
    if (h->bus && !h->gathered) {
        b->claim = claim;
        b->release = release;
    }
    return b;
}
