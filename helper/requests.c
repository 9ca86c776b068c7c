#include "helper/requests.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void bx_helper_log(const char *format, ...)
{
    char line[256];
    va_list args;
    size_t n = (size_t)snprintf(line, sizeof line, "boxscore-helper: ");
    va_start(args, format);
    vsnprintf(line + n, sizeof line - n - 1, format, args);
    va_end(args);
    n = strlen(line);
    line[n] = '\n';
    if (write(STDERR_FILENO, line, n + 1) < 0)
        return; /* nobody listens: registers matter more */
}

bool bx_handler_open(bx_request_handler *d, const bx_serving *s)
{
    unsigned packages = s->cpus->packages;
    size_t room = bx_policy_room(s->policy);
    *d = (bx_request_handler){s, NULL,
                              packages * (sizeof(bx_claim) + room * sizeof(bx_saved_register))};
    void *shared = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    d->claims = shared;
    bx_saved_register *lists = (bx_saved_register *)(void *)(d->claims + packages);
    for (unsigned i = 0; i < packages; i++)
        d->claims[i] = (bx_claim){.client = BX_NOBODY,
                                  .saved = {.list = lists + i * room, .room = room},
                                  .lock = {.fd = -1}};
    return true;
}

void bx_handler_close(bx_request_handler *d)
{
    munmap(d->claims, d->size);
    *d = (bx_request_handler){0};
}

/* ---- the journal ---- */

/* A text of what all clients have changed. */
static int write_journal_for_all(bx_request_handler *d, bx_arena *arena, bx_buf *counts)
{
    const bx_serving *s = d->serving;
    bx_journal j = {.machine = s->helper_journal->machine,
                    .boot = s->helper_journal->boot,
                    .cpu = s->helper_journal->cpu,
                    .owner = s->helper_journal->owner};
    size_t most = 0;
    bx_buf_z(counts, "through boxscore-helper for");
    for (unsigned i = 0; i < s->cpus->packages; i++) {
        const bx_claim *c = &d->claims[i];
        if (!c->saved.n)
            continue;
        bx_buf_f(counts, "%s process %ld of user %lu", most ? "," : "", (long)c->peer.pid,
                 (unsigned long)c->peer.uid);
        most += bx_saved_undo_max(&c->saved);
    }
    j.counts = counts->p;
    j.ops = bx_arena_get(arena, (most + 1) * sizeof *j.ops);
    for (unsigned i = 0; j.ops && i < s->cpus->packages; i++)
        bx_saved_undo(s->policy, &d->claims[i].saved, s->cpus->logical, s->packages[i], arena, &j);
    return arena->failed || counts->failed ? ENOMEM
                                           : bx_journal_file_put(&s->helper_journal->file, &j);
}

/* 0: the journal has all that is saved. errno. */
static int write_journal(bx_request_handler *d)
{
    bx_arena arena = {0};
    bx_buf counts = {0};
    int err = write_journal_for_all(d, &arena, &counts);
    bx_buf_free(&counts);
    bx_arena_free(&arena);
    for (unsigned i = 0; err == 0 && i < d->serving->cpus->packages; i++)
        d->claims[i].journalled = d->claims[i].saved.n;
    return err;
}

/* ---- claims ---- */

/* Everything that this package's client changed; false: not all of it. */
static bool put_back(bx_request_handler *d, bx_claim *c)
{
    bx_saved_register failed;
    size_t failures = bx_saved_put_back(d->serving->policy, &c->saved, &failed);
    if (failures)
        bx_helper_log("process %ld changed register 0x%llx%s: not put back", (long)c->peer.pid,
                      (unsigned long long)failed.at.offset, failures > 1 ? " and others" : "");
    int err = c->journalled || c->saved.n ? write_journal(d) : 0;
    if (err)
        bx_helper_log("the journal '%s' cannot be written: %s", d->serving->helper_journal->path,
                      strerror(err));
    return !failures;
}

/* 0 or an errno: EADDRINUSE with the process that has the package; EUCLEAN: what an earlier client
 * changed there cannot be put back. */
static int claim(bx_request_handler *d, unsigned package, int client, const bx_peer *peer,
                 pid_t *holder)
{
    bx_claim *c = &d->claims[package];
    *holder = c->peer.pid;
    if (c->client != BX_NOBODY)
        return c->client == client ? 0 : EADDRINUSE;
    int err = bx_lock_take(&c->lock, d->serving->machine, d->serving->packages[package], holder);
    if (err)
        return err;
    err = c->saved.n && !put_back(d, c) ? EUCLEAN
                                        : bx_journal_file_try(&d->serving->helper_journal->file);
    if (err) {
        bx_lock_drop(&c->lock);
        return err;
    }
    c->client = client;
    c->peer = *peer;
    return 0;
}

static int release(bx_request_handler *d, unsigned package)
{
    bx_claim *c = &d->claims[package];
    bool back = put_back(d, c);
    bx_lock_drop(&c->lock);
    c->client = BX_NOBODY;
    return back ? 0 : EIO;
}

void bx_handler_drop_client(bx_request_handler *d, int client)
{
    for (unsigned i = 0; i < d->serving->cpus->packages; i++)
        if (d->claims[i].client == client)
            release(d, i);
}

bool bx_handler_drop_all(bx_request_handler *d)
{
    bool all = true;
    for (unsigned i = 0; i < d->serving->cpus->packages; i++) {
        bx_claim *c = &d->claims[i];
        pid_t holder;
        c->lock.fd = -1; /* it went with its process */
        if (!c->saved.n && !c->journalled)
            continue;
        bx_lock_take(&c->lock, d->serving->machine, d->serving->packages[i], &holder);
        all &= release(d, i) == 0;
    }
    return all;
}

/* ---- requests ---- */

/* The machine's number of the kernel's CPU, and its package. */
static bool address_of(const bx_cpus *cpus, const bx_protocol_record *r, bx_address *at,
                       unsigned *package)
{
    for (unsigned i = 0; r->cpu != BX_NO_CPU && i < bx_cpus_all(cpus); i++) {
        if (cpus->logical[i] == r->cpu) {
            *at = (bx_address){r->space, r->width, (uint16_t)i, r->offset};
            *package = bx_cpus_package(cpus, i);
            return true;
        }
    }
    return false;
}

/* A register of a package is the same one from all its CPUs: it is asked of the first, for which
 * another one stands in when it is gone. */
static const bx_allowed *find(const bx_request_handler *d, bx_address *at, unsigned package)
{
    const bx_register_policy *k = d->serving->policy;
    const struct bx_catalog *c = k->t->catalog;
    bx_address first = *at;
    first.cpu = (uint16_t)(package * d->serving->cpus->cores);
    const bx_allowed *r = bx_allow_find(k->allow, &first);
    if (!r || bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE)
        return bx_allow_find(k->allow, at);
    *at = first;
    return r;
}

static int read_one(const bx_request_handler *d, bx_address *at, unsigned package, uint64_t *value)
{
    struct bx_bus *bus = d->serving->policy->bus;
    *value = 0;
    return find(d, at, package) ? bus->read(bus, at, value) : EACCES;
}

static int write_one(bx_request_handler *d, int client, const bx_peer *peer, bx_address *at,
                     unsigned package, uint64_t *value)
{
    const bx_register_policy *k = d->serving->policy;
    const bx_allowed *r = find(d, at, package);
    bx_claim *c = &d->claims[package];
    pid_t holder = 0;
    if (!r || !r->write)
        return EACCES;
    int err = claim(d, package, client, peer, &holder);
    if (err) {
        *value = (uint64_t)holder;
        return err;
    }
    err = bx_saved_prepare_write(k, &c->saved, at, *value);
    if (!err && c->saved.n > c->journalled)
        err = write_journal(d);
    return err ? err : k->bus->write(k->bus, at, *value);
}

static int do_one(bx_request_handler *d, int client, const bx_peer *peer, uint8_t kind,
                  bx_protocol_record *r)
{
    bx_address at;
    unsigned package;
    pid_t holder = 0;
    if (!address_of(d->serving->cpus, r, &at, &package))
        return ENXIO;
    if (kind == BX_PROTOCOL_READ)
        return read_one(d, &at, package, &r->value);
    if (kind == BX_PROTOCOL_WRITE)
        return write_one(d, client, peer, &at, package, &r->value);
    if (kind == BX_PROTOCOL_RELEASE)
        return d->claims[package].client == client ? release(d, package) : 0;
    int err = claim(d, package, client, peer, &holder);
    r->value = err ? (uint64_t)holder : 0;
    return err;
}

bool bx_handler_answer(bx_request_handler *d, int client, const bx_peer *peer,
                       bx_protocol_message *w)
{
    if (w->kind < BX_PROTOCOL_HELLO || w->kind > BX_PROTOCOL_RELEASE || w->n == 0)
        return false;
    bool stopped = false;
    for (uint32_t i = 0; i < w->n; i++) {
        bx_protocol_record *r = &w->record[i];
        if (w->kind == BX_PROTOCOL_HELLO)
            *r = (bx_protocol_record){.offset = d->serving->signature};
        else
            r->error = stopped ? ECANCELED : (uint32_t)do_one(d, client, peer, w->kind, r);
        stopped |= w->kind == BX_PROTOCOL_WRITE && r->error;
    }
    w->kind |= BX_PROTOCOL_ANSWER;
    return true;
}
