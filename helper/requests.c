#include "helper/requests.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void bx_desk_log(const char *format, ...)
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

bool bx_desk_open(bx_desk *d, const bx_serving *s)
{
    unsigned packages = s->cpus->packages;
    size_t room = bx_keeper_room(s->keeper);
    *d = (bx_desk){s, NULL, packages * (sizeof(bx_claim) + room * sizeof(bx_kept_register))};
    void *shared = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    d->claims = shared;
    bx_kept_register *lists = (bx_kept_register *)(void *)(d->claims + packages);
    for (unsigned i = 0; i < packages; i++)
        d->claims[i] = (bx_claim){.client = BX_NOBODY,
                                  .kept = {.list = lists + i * room, .room = room},
                                  .lock = {.fd = -1}};
    return true;
}

void bx_desk_close(bx_desk *d)
{
    munmap(d->claims, d->size);
    *d = (bx_desk){0};
}

/* ---- the journal ---- */

/* A text of what all clients have changed. */
static int note_all(bx_desk *d, bx_arena *arena, bx_buf *counts)
{
    const bx_serving *s = d->serving;
    bx_journal j = {.machine = s->notes->machine,
                    .boot = s->notes->boot,
                    .cpu = s->notes->cpu,
                    .owner = s->notes->owner};
    size_t most = 0;
    bx_buf_z(counts, "through boxscore-helper for");
    for (unsigned i = 0; i < s->cpus->packages; i++) {
        const bx_claim *c = &d->claims[i];
        if (!c->kept.n)
            continue;
        bx_buf_f(counts, "%s process %ld of user %lu", most ? "," : "", (long)c->peer.pid,
                 (unsigned long)c->peer.uid);
        most += bx_kept_undo_most(&c->kept);
    }
    j.counts = counts->p;
    j.ops = bx_arena_get(arena, (most + 1) * sizeof *j.ops);
    for (unsigned i = 0; j.ops && i < s->cpus->packages; i++)
        bx_kept_undo(s->keeper, &d->claims[i].kept, s->cpus->logical, s->packages[i], arena, &j);
    return arena->failed || counts->failed ? ENOMEM : bx_journal_place_put(&s->notes->place, &j);
}

/* 0: the journal has all that is kept. errno. */
static int note(bx_desk *d)
{
    bx_arena arena = {0};
    bx_buf counts = {0};
    int why = note_all(d, &arena, &counts);
    bx_buf_free(&counts);
    bx_arena_free(&arena);
    for (unsigned i = 0; why == 0 && i < d->serving->cpus->packages; i++)
        d->claims[i].noted = d->claims[i].kept.n;
    return why;
}

/* ---- claims ---- */

/* Everything that this package's client changed; false: not all of it. */
static bool put_back(bx_desk *d, bx_claim *c)
{
    bx_kept_register failed;
    size_t failures = bx_kept_put_back(d->serving->keeper, &c->kept, &failed);
    if (failures)
        bx_desk_log("process %ld changed register 0x%llx%s: not put back", (long)c->peer.pid,
                    (unsigned long long)failed.at.offset, failures > 1 ? " and others" : "");
    int why = c->noted || c->kept.n ? note(d) : 0;
    if (why)
        bx_desk_log("the journal '%s' cannot be written: %s", d->serving->notes->path,
                    strerror(why));
    return !failures;
}

/* 0 or an errno: EADDRINUSE with the process that has the package; EUCLEAN: what an earlier client
 * changed there cannot be put back. */
static int claim(bx_desk *d, unsigned package, int client, const bx_peer *peer, pid_t *holder)
{
    bx_claim *c = &d->claims[package];
    *holder = c->peer.pid;
    if (c->client != BX_NOBODY)
        return c->client == client ? 0 : EADDRINUSE;
    int why = bx_lock_take(&c->lock, d->serving->machine, d->serving->packages[package], holder);
    if (why)
        return why;
    why = c->kept.n && !put_back(d, c) ? EUCLEAN : bx_journal_place_try(&d->serving->notes->place);
    if (why) {
        bx_lock_drop(&c->lock);
        return why;
    }
    c->client = client;
    c->peer = *peer;
    return 0;
}

static int release(bx_desk *d, unsigned package)
{
    bx_claim *c = &d->claims[package];
    bool back = put_back(d, c);
    bx_lock_drop(&c->lock);
    c->client = BX_NOBODY;
    return back ? 0 : EIO;
}

void bx_desk_forget(bx_desk *d, int client)
{
    for (unsigned i = 0; i < d->serving->cpus->packages; i++)
        if (d->claims[i].client == client)
            release(d, i);
}

bool bx_desk_forget_all(bx_desk *d)
{
    bool all = true;
    for (unsigned i = 0; i < d->serving->cpus->packages; i++) {
        bx_claim *c = &d->claims[i];
        pid_t holder;
        c->lock.fd = -1; /* it went with its process */
        if (!c->kept.n && !c->noted)
            continue;
        bx_lock_take(&c->lock, d->serving->machine, d->serving->packages[i], &holder);
        all &= release(d, i) == 0;
    }
    return all;
}

/* ---- requests ---- */

/* The machine's number of the kernel's CPU, and its package. */
static bool address_of(const bx_cpus *cpus, const bx_wire_record *r, bx_address *at,
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
static const bx_allowed *find(const bx_desk *d, bx_address *at, unsigned package)
{
    const bx_keeper *k = d->serving->keeper;
    const struct bx_catalog *c = k->t->catalog;
    bx_address first = *at;
    first.cpu = (uint16_t)(package * d->serving->cpus->cores);
    const bx_allowed *r = bx_allow_find(k->allow, &first);
    if (!r || bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE)
        return bx_allow_find(k->allow, at);
    *at = first;
    return r;
}

static int read_one(const bx_desk *d, bx_address *at, unsigned package, uint64_t *value)
{
    struct bx_bus *bus = d->serving->keeper->bus;
    *value = 0;
    return find(d, at, package) ? bus->read(bus, at, value) : EACCES;
}

static int write_one(bx_desk *d, int client, const bx_peer *peer, bx_address *at, unsigned package,
                     uint64_t *value)
{
    const bx_keeper *k = d->serving->keeper;
    const bx_allowed *r = find(d, at, package);
    bx_claim *c = &d->claims[package];
    pid_t holder = 0;
    if (!r || !r->write)
        return EACCES;
    int why = claim(d, package, client, peer, &holder);
    if (why) {
        *value = (uint64_t)holder;
        return why;
    }
    why = bx_kept_prepare(k, &c->kept, at, *value);
    if (!why && c->kept.n > c->noted)
        why = note(d);
    return why ? why : k->bus->write(k->bus, at, *value);
}

static int do_one(bx_desk *d, int client, const bx_peer *peer, uint8_t kind, bx_wire_record *r)
{
    bx_address at;
    unsigned package;
    pid_t holder = 0;
    if (!address_of(d->serving->cpus, r, &at, &package))
        return ENXIO;
    if (kind == BX_WIRE_READ)
        return read_one(d, &at, package, &r->value);
    if (kind == BX_WIRE_WRITE)
        return write_one(d, client, peer, &at, package, &r->value);
    if (kind == BX_WIRE_RELEASE)
        return d->claims[package].client == client ? release(d, package) : 0;
    int why = claim(d, package, client, peer, &holder);
    r->value = why ? (uint64_t)holder : 0;
    return why;
}

bool bx_desk_answer(bx_desk *d, int client, const bx_peer *peer, bx_wire *w)
{
    if (w->kind < BX_WIRE_HELLO || w->kind > BX_WIRE_RELEASE || w->n == 0)
        return false;
    bool stopped = false;
    for (uint32_t i = 0; i < w->n; i++) {
        bx_wire_record *r = &w->record[i];
        if (w->kind == BX_WIRE_HELLO)
            *r = (bx_wire_record){.offset = d->serving->signature};
        else
            r->error = stopped ? ECANCELED : (uint32_t)do_one(d, client, peer, w->kind, r);
        stopped |= w->kind == BX_WIRE_WRITE && r->error;
    }
    w->kind |= BX_WIRE_ANSWER;
    return true;
}
