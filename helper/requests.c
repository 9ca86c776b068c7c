/* Executes the requests of clients, keeps the journal, and puts registers back. */
#include "helper/requests.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
        return; /* standard error is closed: continue without messages */
}

bool bx_handler_open(bx_request_handler *h, const bx_serving *s)
{
    unsigned packages = s->cpus->packages;
    size_t room = bx_undo_log_room(s->policy), ops = bx_undo_ops_room(room);
    *h = (bx_request_handler){.serving = s,
                              .size = packages * (sizeof(bx_claim) + room * sizeof(bx_undo_entry)),
                              .ops = calloc(ops, sizeof *h->ops),
                              .errnos = calloc(ops, sizeof *h->errnos)};
    void *shared = mmap(NULL, h->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !h->ops || !h->errnos) {
        free(h->ops);
        free(h->errnos);
        if (shared != MAP_FAILED)
            munmap(shared, h->size);
        return false;
    }
    h->claims = shared;
    bx_undo_entry *lists = (bx_undo_entry *)(void *)(h->claims + packages);
    for (unsigned i = 0; i < packages; i++)
        h->claims[i] = (bx_claim){.client = BX_NOBODY,
                                  .log = {.list = lists + i * room, .room = room},
                                  .lock = s->locks[i]};
    return true;
}

void bx_handler_close(bx_request_handler *h)
{
    munmap(h->claims, h->size);
    free(h->ops);
    free(h->errnos);
    *h = (bx_request_handler){0};
}

/* ---- the journal ---- */

/* Writes a journal of what all clients have changed. If that is nothing, no memory is needed. */
static int write_journal_for_all(bx_request_handler *h, bx_arena *arena, bx_buf *counts)
{
    const bx_serving *s = h->serving;
    bx_journal j = {.machine = s->helper_journal->machine,
                    .boot = s->helper_journal->boot,
                    .cpu = s->helper_journal->cpu,
                    .owner = s->helper_journal->owner};
    size_t most = 0;
    for (unsigned i = 0; i < s->cpus->packages; i++) {
        const bx_claim *c = &h->claims[i];
        if (!c->log.n)
            continue;
        bx_buf_f(counts, "%s process %ld of user %lu", most ? "," : "through boxscore-helper for",
                 (long)c->peer.pid, (unsigned long)c->peer.uid);
        most += bx_undo_ops_room(c->log.n);
    }
    if (most == 0)
        return bx_journal_file_put(&s->helper_journal->file, &j);
    j.counts = counts->p;
    j.ops = bx_arena_get(arena, most * sizeof *j.ops);
    for (unsigned i = 0; j.ops && i < s->cpus->packages; i++) {
        size_t n = bx_undo_ops(s->policy, &h->claims[i].log, h->ops);
        bx_undo_to_journal(s->policy, h->ops, n, s->cpus->logical, s->packages[i], arena, &j);
    }
    return arena->failed || counts->failed ? ENOMEM
                                           : bx_journal_file_put(&s->helper_journal->file, &j);
}

/* 0: the journal has all saved registers; else an errno. */
static int write_journal(bx_request_handler *h)
{
    bx_arena arena = {0};
    bx_buf counts = {0};
    int err = write_journal_for_all(h, &arena, &counts);
    bx_buf_free(&counts);
    bx_arena_free(&arena);
    for (unsigned i = 0; err == 0 && i < h->serving->cpus->packages; i++)
        h->claims[i].journalled = h->claims[i].log.n;
    return err;
}

/* ---- claims ---- */

static void tell_lost(const bx_claim *c)
{
    for (size_t i = 0; i < c->log.n; i++)
        if (c->log.list[i].err)
            bx_helper_log("process %ld changed register 0x%llx: not put back", (long)c->peer.pid,
                          (unsigned long long)c->log.list[i].at.offset);
}

/* Restores everything that this package's client changed. false: something could not be
 * restored. */
static bool put_back(bx_request_handler *h, bx_claim *c)
{
    size_t failures = bx_undo_restore(h->serving->policy, &c->log, h->ops, h->errnos);
    if (failures)
        tell_lost(c);
    int err = c->journalled || c->log.n ? write_journal(h) : 0;
    if (err) {
        c->journalled = BX_OUTDATED;
        bx_helper_log("the journal '%s' cannot be written: %s", h->serving->helper_journal->path,
                      strerror(err));
    }
    return !failures;
}

/* 0 or an errno. EADDRINUSE: *holder has the package; EUCLEAN: changes of an earlier client cannot
 * be restored. */
static int claim(bx_request_handler *h, unsigned package, int client, const bx_peer *peer,
                 bx_owner *holder)
{
    bx_claim *c = &h->claims[package];
    *holder = (bx_owner){.pid = c->peer.pid, .start_time = c->peer.start_time};
    if (c->client != BX_NOBODY)
        return c->client == client ? 0 : EADDRINUSE;
    int err = bx_lock_take(&c->lock, holder);
    if (err)
        return err;
    const bx_helper_journal *journal = h->serving->helper_journal;
    err = c->log.n && !put_back(h, c) ? EUCLEAN : bx_journal_file_try(&journal->file);
    if (!err)
        err = bx_lock_name_journal(&c->lock, journal->whole);
    if (err) {
        bx_lock_let_go(&c->lock);
        return err;
    }
    c->client = client;
    c->peer = *peer;
    return 0;
}

static int release(bx_request_handler *h, unsigned package)
{
    bx_claim *c = &h->claims[package];
    bool back = put_back(h, c);
    bx_lock_let_go(&c->lock);
    c->client = BX_NOBODY;
    return back ? 0 : EIO;
}

bool bx_handler_has_claim(const bx_request_handler *h, int client)
{
    for (unsigned i = 0; i < h->serving->cpus->packages; i++)
        if (h->claims[i].client == client)
            return true;
    return false;
}

void bx_handler_drop_client(bx_request_handler *h, int client)
{
    for (unsigned i = 0; i < h->serving->cpus->packages; i++)
        if (h->claims[i].client == client)
            release(h, i);
}

/* Takes the lock after the other process was killed. If that process had it, we have it too,
 * because both share the descriptor. Another program may have taken it first: it finds the journal,
 * and releases the lock. */
static bool take_over(const bx_request_handler *h, unsigned package)
{
    enum { TRIES = 1000, PAUSE_MS = 10 };
    bx_lock *lock = &h->claims[package].lock;
    bx_owner holder;
    int err = EADDRINUSE;
    for (unsigned i = 0; err == EADDRINUSE && i < TRIES; i++) {
        if (i > 0)
            poll(NULL, 0, PAUSE_MS);
        err = bx_lock_take(lock, &holder);
    }
    return err == 0;
}

bool bx_handler_drop_all(bx_request_handler *h)
{
    bool all = true;
    for (unsigned i = 0; i < h->serving->cpus->packages; i++)
        if (h->claims[i].log.n || h->claims[i].journalled)
            all &= take_over(h, i) && release(h, i) == 0;
    return all;
}

/* ---- requests ---- */

/* Translates the kernel's CPU number to the machine's index; *package: its package. */
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

/* Finds an allowed register. A register of a package is the same from all its CPUs. So it gets the
 * address of the first CPU; the bus chooses another one if that is gone. */
static const bx_allowed *find_allowed(const bx_request_handler *h, bx_address *at, unsigned package)
{
    const bx_register_policy *k = h->serving->policy;
    const struct bx_catalog *c = k->t->catalog;
    bx_address first = *at;
    first.cpu = (uint16_t)(package * h->serving->cpus->cores);
    const bx_allowed *r = bx_allow_find(k->allow, &first);
    if (!r || bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE)
        return bx_allow_find(k->allow, at);
    *at = first;
    return r;
}

static int read_one(const bx_request_handler *h, bx_address *at, unsigned package, uint64_t *value)
{
    struct bx_bus *bus = h->serving->policy->bus;
    *value = 0;
    return find_allowed(h, at, package) ? bus->read(bus, at, value) : EACCES;
}

static int write_one(bx_request_handler *h, int client, const bx_peer *peer, bx_address *at,
                     unsigned package, uint64_t *value)
{
    const bx_register_policy *k = h->serving->policy;
    const bx_allowed *r = find_allowed(h, at, package);
    bx_claim *c = &h->claims[package];
    bx_owner holder;
    if (!r || !r->write)
        return EACCES;
    int err = claim(h, package, client, peer, &holder);
    if (err) {
        *value = (uint64_t)holder.pid;
        return err;
    }
    err = bx_undo_prepare_write(k, &c->log, at, *value);
    if (!err && c->log.n != c->journalled)
        err = write_journal(h);
    return err ? err : k->bus->write(k->bus, at, *value);
}

static int do_one(bx_request_handler *h, int client, const bx_peer *peer, uint8_t kind,
                  bx_protocol_record *r)
{
    bx_address at;
    unsigned package;
    bx_owner holder = {0};
    if (!address_of(h->serving->cpus, r, &at, &package))
        return ENXIO;
    if (kind == BX_PROTOCOL_READ)
        return read_one(h, &at, package, &r->value);
    if (kind == BX_PROTOCOL_WRITE)
        return write_one(h, client, peer, &at, package, &r->value);
    if (kind == BX_PROTOCOL_RELEASE)
        return h->claims[package].client == client ? release(h, package) : 0;
    int err = claim(h, package, client, peer, &holder);
    r->value = err ? (uint64_t)holder.pid : 0;
    r->offset = err ? holder.start_time : 0;
    return err;
}

bool bx_handler_answer(bx_request_handler *h, int client, const bx_peer *peer,
                       bx_protocol_message *w)
{
    if (w->kind < BX_PROTOCOL_HELLO || w->kind > BX_PROTOCOL_RELEASE || w->n == 0)
        return false;
    bool stopped = false;
    for (uint32_t i = 0; i < w->n; i++) {
        bx_protocol_record *r = &w->record[i];
        if (w->kind == BX_PROTOCOL_HELLO)
            *r = (bx_protocol_record){.offset = h->serving->signature};
        else
            r->error = stopped ? ECANCELED : (uint32_t)do_one(h, client, peer, w->kind, r);
        stopped |= w->kind == BX_PROTOCOL_WRITE && r->error;
    }
    w->kind |= BX_PROTOCOL_ANSWER;
    return true;
}
