/* Checks each write against the allow-list and the register's present reserved bits. */
#include "guard/write_filter.h"

#include "guard/allow_list.h"

#include <errno.h>
#include <stdlib.h>

typedef struct write_filter {
    struct bx_bus bus; /* must be first: the bus is cast to its filter */
    struct bx_bus *next;
    bx_allow allow;
    uint64_t *reserved; /* by [cpu x allow.n + register]: its reserved bits */
    bool *seen;         /* reserved[] is known */
} write_filter;

static int read_through(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    write_filter *f = (write_filter *)(void *)bus;
    return f->next->read(f->next, at, value);
}

static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    write_filter *f = (write_filter *)(void *)bus;
    return f->next->read_many(f->next, at, values, n, err);
}

static size_t index_of(const write_filter *f, const bx_address *at, const bx_allowed *r)
{
    return at->cpu * f->allow.n + (size_t)(r - f->allow.list);
}

/* A register's reserved bits are read before its first write; they do not change after that. */
static int read_reserved(write_filter *f, const bx_address *at, const bx_allowed *r,
                         uint64_t *present)
{
    size_t i = index_of(f, at, r);
    if (!f->seen[i] && !r->write_only) {
        uint64_t value;
        int err = f->next->read(f->next, at, &value);
        if (err)
            return err;
        f->reserved[i] = value & r->reserved;
    }
    f->seen[i] = true;
    *present = f->reserved[i];
    return 0;
}

static int write_through(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    write_filter *f = (write_filter *)(void *)bus;
    const bx_allowed *r = bx_allow_find(&f->allow, at);
    uint64_t present = 0;
    if (!r || !r->write)
        return EPROTO;
    int err = read_reserved(f, at, r, &present);
    if (err == 0 && bx_allow_forbidden(r, present, value)) {
        f->seen[index_of(f, at, r)] = false; /* the read may have been wrong: read them again */
        err = read_reserved(f, at, r, &present);
    }
    if (err)
        return err;
    return bx_allow_forbidden(r, present, value) ? EPROTO : f->next->write(f->next, at, value);
}

static void close_filter(struct bx_bus *bus)
{
    write_filter *f = (write_filter *)(void *)bus;
    f->next->close(f->next);
    bx_allow_free(&f->allow);
    free(f->reserved);
    free(f->seen);
    free(f);
}

struct bx_bus *bx_write_filter_open(struct bx_bus *next, const bx_topology *t)
{
    write_filter *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    bool made = bx_allow_new(&f->allow, t, next);
    size_t n = made ? f->allow.n * t->packages * t->cores + 1 : 1;
    f->reserved = calloc(n, sizeof *f->reserved);
    f->seen = calloc(n, sizeof *f->seen);
    if (!made || !f->reserved || !f->seen) {
        bx_allow_free(&f->allow);
        free(f->reserved);
        free(f->seen);
        free(f);
        return NULL;
    }
    f->next = next;
    f->bus = (struct bx_bus){.read = read_through,
                             .write = write_through,
                             .close = close_filter,
                             .read_many = next->read_many ? read_many : NULL};
    return &f->bus;
}
