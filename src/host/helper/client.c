/* Sends each access to the helper as a message, and waits for the answer. */
#include "host/helper/client.h"

#include "host/helper/protocol.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Longer than any register access takes. After that the connection is closed. */
enum { PATIENCE_SECONDS = 10 };

typedef struct helper {
    struct bx_bus bus; /* must be first: the bus is cast to its helper */
    int fd;            /* -1: closed */
    struct sockaddr_un at;
    uint64_t signature; /* of the machine that it serves */
    uint64_t claimed;   /* bits of packages that we may have; if 0, we can connect again */
    uint32_t serial;
    const bx_cpus *cpus;
    bx_protocol_message message;
} helper;

static helper *of(struct bx_bus *bus)
{
    return (helper *)(void *)bus;
}

static int give_up(helper *h, int err)
{
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
    return err;
}

/* Sends h->message as a request and waits; h->message is the answer then. */
static int send_once(helper *h, uint8_t kind, uint32_t n)
{
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    uint32_t serial = ++h->serial;
    ssize_t length;
    if (h->fd < 0)
        return ENOTCONN;
    h->message.kind = kind;
    h->message.serial = serial;
    h->message.n = n;
    size_t size = bx_protocol_encode(&h->message, bytes);
    do
        length = send(h->fd, bytes, size, MSG_NOSIGNAL);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return give_up(h, ENOTCONN);
    do
        length = recv(h->fd, bytes, sizeof bytes, 0);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return give_up(h, errno == EAGAIN ? ETIMEDOUT : ENOTCONN);
    if (length == 0)
        return give_up(h, ENOTCONN);
    bool fits = bx_protocol_decode(&h->message, bytes, (size_t)length) &&
                h->message.serial == serial && h->message.kind == (kind | BX_PROTOCOL_ANSWER) &&
                h->message.n == n;
    return fits ? 0 : give_up(h, EPROTO);
}

static int connect_to(helper *h)
{
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    h->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (h->fd < 0)
        return errno;
    setsockopt(h->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(h->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return connect(h->fd, (const struct sockaddr *)&h->at, sizeof h->at) ? give_up(h, errno) : 0;
}

/* Sets h->signature to that of the helper's machine. */
static int say_hello(helper *h)
{
    h->message.record[0] = (bx_protocol_record){.value = bx_owner_self().start_time};
    int err = send_once(h, BX_PROTOCOL_HELLO, 1);
    h->signature = err ? 0 : h->message.record[0].offset;
    return err;
}

static bool connect_again(helper *h)
{
    const uint64_t before = h->signature;
    const bx_protocol_message asked = h->message;
    bool same = connect_to(h) == 0 && say_hello(h) == 0 && h->signature == before;
    if (!same)
        give_up(h, 0);
    h->signature = before;
    h->message = asked;
    return same;
}

/* The helper closes the connection of a client that is idle and has no package. Such a client
 * connects again and repeats the request. */
static int send_request(helper *h, uint8_t kind, uint32_t n)
{
    int err = send_once(h, kind, n);
    return err == ENOTCONN && !h->claimed && connect_again(h) ? send_once(h, kind, n) : err;
}

static uint64_t bit_of(unsigned package)
{
    return UINT64_C(1) << (package & 63);
}

bool bx_helper_is_gone(struct bx_bus *bus)
{
    return of(bus)->fd < 0;
}

static int set_record(helper *h, uint32_t i, const bx_address *at, uint64_t value)
{
    if (at->cpu >= bx_cpus_all(h->cpus))
        return ENXIO;
    h->message.record[i] = (bx_protocol_record){.space = at->space,
                                                .width = at->width,
                                                .cpu = h->cpus->logical[at->cpu],
                                                .offset = at->offset,
                                                .value = value};
    return 0;
}

static int access_one(helper *h, uint8_t kind, const bx_address *at, uint64_t value)
{
    int err = set_record(h, 0, at, value);
    if (!err)
        err = send_request(h, kind, 1);
    return err ? err : (int)h->message.record[0].error;
}

static int read_by_helper(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    int err = access_one(of(bus), BX_PROTOCOL_READ, at, 0);
    if (!err)
        *value = of(bus)->message.record[0].value;
    return err;
}

static int write_by_helper(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    helper *h = of(bus);
    int err = access_one(h, BX_PROTOCOL_WRITE, at, value);
    if (at->cpu < bx_cpus_all(h->cpus))
        h->claimed |= bit_of(bx_cpus_package(h->cpus, at->cpu));
    return err;
}

static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    helper *h = of(bus);
    size_t done = 0;
    while (done < n) {
        uint32_t some =
            n - done < BX_PROTOCOL_MAX_RECORDS ? (uint32_t)(n - done) : BX_PROTOCOL_MAX_RECORDS;
        *err = 0;
        for (uint32_t i = 0; i < some && !*err; i++)
            *err = set_record(h, i, &at[done + i], 0);
        if (!*err)
            *err = send_request(h, BX_PROTOCOL_READ, some);
        if (*err)
            return done;
        for (uint32_t i = 0; i < some; i++, done++) {
            *err = (int)h->message.record[i].error;
            if (*err)
                return done;
            values[done] = h->message.record[i].value;
        }
    }
    return done;
}

static void close_client(struct bx_bus *bus)
{
    give_up(of(bus), 0);
    free(of(bus));
}

/* Sends a request about a package, named by one of its CPUs that the helper knows: those that were
 * online when it was started. */
static int request_for_package(helper *h, uint8_t kind, unsigned package)
{
    int err = ENXIO;
    for (unsigned i = 0; i < bx_cpus_all(h->cpus) && err == ENXIO; i++) {
        const bx_address at = {.width = 64, .cpu = (uint16_t)i};
        if (bx_cpus_package(h->cpus, i) == package && h->cpus->logical[i] != BX_NO_CPU)
            err = access_one(h, kind, &at, 0);
    }
    return err;
}

int bx_helper_claim(struct bx_bus *bus, unsigned package, bx_owner *holder)
{
    helper *h = of(bus);
    int err = request_for_package(h, BX_PROTOCOL_CLAIM, package);
    const bx_protocol_record *r = &h->message.record[0];
    if (err == EADDRINUSE)
        *holder = (bx_owner){.pid = (pid_t)r->value, .start_time = r->offset};
    h->claimed |= err ? 0 : bit_of(package);
    return err;
}

int bx_helper_refusal(struct bx_bus *bus, int err, bx_error *e)
{
    const char *reason = err == EUCLEAN
                             ? "the registers that an earlier client changed cannot be put back"
                         : err == ESTALE          ? "the file of its lock was removed"
                         : bx_helper_is_gone(bus) ? "it has ended, or does not answer"
                                                  : strerror(err);
    bool full = err == ENOSPC || err == EFBIG || err == EDQUOT || err == EIO;
    bx_fail(e, BX_NO_ACCESS, 0, 0, "boxscore-helper lends no registers: %s%s",
            full ? "it cannot write its journal: " : "", reason);
    if (e && !e->hint[0] && err == EUCLEAN)
        bx_hint(e, "end it, then run 'boxscore restore'");
    if (e && !e->hint[0] && err == ESTALE)
        bx_hint(e, "end it, and start it again");
    return BX_NO_ACCESS;
}

int bx_helper_release(struct bx_bus *bus, unsigned package)
{
    helper *h = of(bus);
    int err = request_for_package(h, BX_PROTOCOL_RELEASE, package);
    h->claimed &= h->fd < 0 ? h->claimed : ~bit_of(package);
    return err;
}

static int connect_first(helper *h, const char *path)
{
    size_t n = strlen(path);
    if (n >= sizeof h->at.sun_path)
        return ENAMETOOLONG;
    h->at.sun_family = AF_UNIX;
    memcpy(h->at.sun_path, path, n);
    return connect_to(h);
}

static int cannot_connect(const char *path, int err, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "no helper can be asked at '%s': %s", path, strerror(err));
    if (err == EACCES)
        bx_hint(e, "join the group that the socket belongs to: ls -l %s", path);
    else
        bx_hint(e, "start it as root: boxscore-helper --socket %s", path);
    return BX_NO_ACCESS;
}

/* Whether the helper knows a CPU of each package. The test is to release a package that we do not
 * have, which changes nothing. */
static int check_cpus(helper *h, const char *path, bx_error *e)
{
    for (unsigned package = 0; package < h->cpus->packages; package++) {
        if (request_for_package(h, BX_PROTOCOL_RELEASE, package) != ENXIO)
            continue;
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "the helper at '%s' was started when CPU %u and all others of its package were "
                "offline",
                path, h->cpus->logical[package * h->cpus->cores]);
        bx_hint(e, "end it, and start it again");
        return BX_NO_ACCESS;
    }
    return BX_OK;
}

/* Whether the helper speaks our version, admits us, and serves the machine that we see. */
static int introduce(helper *h, const char *path, unsigned family, unsigned model, bx_error *e)
{
    int err = say_hello(h);
    if (err == ENOTCONN) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the helper at '%s' does not let this user in", path);
        bx_hint(e, "its options set who may use it: boxscore-helper --help");
    } else if (err) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the helper at '%s' does not answer as version %d: %s", path,
                BX_PROTOCOL_VERSION, strerror(err));
    } else if (h->signature != ((uint64_t)family << 16 | model)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the helper at '%s' serves a machine with another CPU",
                path);
    } else {
        return check_cpus(h, path, e);
    }
    return BX_NO_ACCESS;
}

struct bx_bus *bx_helper_open(const char *path, const bx_cpus *cpus, unsigned family,
                              unsigned model, bx_error *e)
{
    helper *h = calloc(1, sizeof *h);
    if (!h) {
        bx_out_of_memory(e);
        return NULL;
    }
    h->bus = (struct bx_bus){.read = read_by_helper,
                             .write = write_by_helper,
                             .close = close_client,
                             .read_many = read_many};
    h->cpus = cpus;
    h->fd = -1;
    int err = connect_first(h, path);
    int code = err ? cannot_connect(path, err, e) : introduce(h, path, family, model, e);
    if (code == BX_OK)
        return &h->bus;
    close_client(&h->bus);
    return NULL;
}
