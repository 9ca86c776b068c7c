#include "helper/desk.h"

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

/* ---- claims ---- */

/* 0 or an errno: EADDRINUSE with the process that has the package. */
static int claim(bx_desk *d, unsigned package, int client, pid_t pid, pid_t *holder)
{
    bx_claim *c = &d->claims[package];
    *holder = c->pid;
    if (c->client != BX_NOBODY)
        return c->client == client ? 0 : EADDRINUSE;
    int why = bx_lock_take(&c->lock, d->serving->machine, d->serving->packages[package], holder);
    if (why)
        return why;
    c->client = client;
    c->pid = pid;
    return 0;
}

static int release(bx_desk *d, unsigned package)
{
    bx_claim *c = &d->claims[package];
    bx_kept_register failed;
    size_t failures = bx_kept_put_back(d->serving->keeper, &c->kept, &failed);
    if (failures)
        bx_desk_log("process %ld changed register 0x%llx%s: not put back", (long)c->pid,
                    (unsigned long long)failed.at.offset, failures > 1 ? " and others" : "");
    bx_lock_drop(&c->lock);
    c->client = BX_NOBODY;
    c->pid = 0;
    return failures ? EIO : 0;
}

void bx_desk_forget(bx_desk *d, int client)
{
    for (unsigned i = 0; i < d->serving->cpus->packages; i++)
        if (d->claims[i].client == client)
            release(d, i);
}

void bx_desk_forget_all(bx_desk *d)
{
    for (unsigned i = 0; i < d->serving->cpus->packages; i++) {
        d->claims[i].lock.fd = -1; /* it went with its process */
        if (d->claims[i].client != BX_NOBODY)
            release(d, i);
    }
}

/* ---- requests ---- */

/* The machine's number of the kernel's CPU. */
static bool address_of(const bx_cpus *cpus, const bx_wire_record *r, bx_address *at)
{
    for (unsigned i = 0; i < cpus->packages * cpus->cores; i++) {
        if (cpus->logical[i] == r->cpu) {
            *at = (bx_address){r->space, r->width, (uint16_t)i, r->offset};
            return true;
        }
    }
    return false;
}

static int read_one(const bx_desk *d, const bx_address *at, uint64_t *value)
{
    const bx_keeper *k = d->serving->keeper;
    *value = 0;
    return bx_allow_find(k->allow, at) ? k->bus->read(k->bus, at, value) : EACCES;
}

static int write_one(bx_desk *d, int client, pid_t pid, const bx_address *at, uint64_t *value)
{
    const bx_keeper *k = d->serving->keeper;
    unsigned package = at->cpu / d->serving->cpus->cores;
    const bx_allowed *r = bx_allow_find(k->allow, at);
    pid_t holder = 0;
    if (!r || !r->write)
        return EACCES;
    int why = claim(d, package, client, pid, &holder);
    if (why)
        *value = (uint64_t)holder;
    return why ? why : bx_kept_write(k, &d->claims[package].kept, at, *value);
}

static int do_one(bx_desk *d, int client, pid_t pid, uint8_t kind, bx_wire_record *r)
{
    bx_address at;
    pid_t holder = 0;
    if (!address_of(d->serving->cpus, r, &at))
        return ENXIO;
    unsigned package = at.cpu / d->serving->cpus->cores;
    if (kind == BX_WIRE_READ)
        return read_one(d, &at, &r->value);
    if (kind == BX_WIRE_WRITE)
        return write_one(d, client, pid, &at, &r->value);
    if (kind == BX_WIRE_RELEASE)
        return d->claims[package].client == client ? release(d, package) : 0;
    int why = claim(d, package, client, pid, &holder);
    r->value = why ? (uint64_t)holder : 0;
    return why;
}

bool bx_desk_answer(bx_desk *d, int client, pid_t pid, bx_wire *w)
{
    if (w->kind < BX_WIRE_HELLO || w->kind > BX_WIRE_RELEASE || w->n == 0)
        return false;
    bool stopped = false;
    for (uint32_t i = 0; i < w->n; i++) {
        bx_wire_record *r = &w->record[i];
        if (w->kind == BX_WIRE_HELLO)
            *r = (bx_wire_record){.offset = d->serving->signature};
        else
            r->error = stopped ? ECANCELED : (uint32_t)do_one(d, client, pid, w->kind, r);
        stopped |= w->kind == BX_WIRE_WRITE && r->error;
    }
    w->kind |= BX_WIRE_ANSWER;
    return true;
}
