/* Requests handled in this process, over virtual PMUs: CPUs that go offline and come back, and
 * random requests. Only accesses that the catalogue allows reach a register. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/bus/reroute.h"
#include "host/helper/client.h"
#include "helper/requests.h"
#include "machine/machine.h"
#include "memory/failing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Checks every access to a machine's registers; some of its CPUs are offline. */
typedef struct watched {
    struct bx_bus bus; /* first */
    struct bx_bus *next;
    const bx_allow *allow;
    unsigned long offline; /* bits of CPUs */
    unsigned long used;    /* bits of CPUs that were accessed */
    uint64_t deaf;         /* an MSR that ignores writes; 0: none */
} watched;

static int gone(watched *w, const bx_address *at)
{
    bool is = w->offline >> at->cpu & 1;
    w->used |= is ? 0 : 1UL << at->cpu;
    return is ? ENXIO : 0;
}

/* The machine and the allow-list have cores only, without further threads, so a package's registers
 * are accessed on core 0. */
static bx_address core_of(const watched *w, const bx_address *at)
{
    bx_address core = *at;
    core.cpu = at->cpu < w->allow->t.packages * w->allow->t.cores ? at->cpu : 0;
    return core;
}

static int watched_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    watched *w = (watched *)(void *)bus;
    const bx_address core = core_of(w, at);
    if (!bx_allow_find(w->allow, &core))
        fail_msg("0x%llx of space %u is read", (unsigned long long)at->offset, at->space);
    return gone(w, at) ? ENXIO : w->next->read(w->next, &core, value);
}

static int watched_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    watched *w = (watched *)(void *)bus;
    const bx_address core = core_of(w, at);
    const bx_allowed *r = bx_allow_find(w->allow, &core);
    uint64_t present = 0;
    if (gone(w, at))
        return ENXIO;
    if (r && !r->write_only)
        assert_int_equal(w->next->read(w->next, &core, &present), 0);
    if (!r || !r->write || bx_allow_forbidden(r, present, value))
        fail_msg("0x%llx is written to 0x%llx", (unsigned long long)value,
                 (unsigned long long)at->offset);
    return at->offset == w->deaf ? 0 : w->next->write(w->next, &core, value);
}

static void watched_close(struct bx_bus *bus)
{
    (void)bus;
}

enum { CPUS = 6, CORES = 4 };

typedef struct bench {
    bx_machine *m;
    folder f;
    char path[160];
    watched bus;
    bx_cpus cpus;
    uint16_t logical[CPUS], package[CPUS];
    bx_allow allow;
    bx_register_policy policy;
    bx_helper_journal helper_journal;
    bx_serving serving;
    int packages[4]; /* the kernel's numbers */
    bx_lock locks[4];
    bx_request_handler handler;
    uint64_t seed;
} bench;

/* One package: cores 0 to 3 are the kernel's CPUs 10 to 13, and CPUs 14 and 15 are further
 * threads. */
static void opened(bench *b, const char *spec)
{
    bx_error e = {0};
    *b = (bench){.f = folder_new(), .seed = 88172645463325252};
    bool shared = access("/dev/shm", W_OK) == 0; /* a disk would be slow */
    snprintf(b->path, sizeof b->path, "%s%s.journal", shared ? "/dev/shm" : b->f.root,
             strrchr(b->f.root, '/'));
    if (bx_machine_open(bx_catalog_builtin(), spec, &b->m, &e) != BX_OK)
        fail_msg("%s", e.message);
    for (unsigned i = 0; i < CPUS; i++)
        b->logical[i] = (uint16_t)(10 + i);
    const bx_topology *t = &b->m->topology;
    b->packages[1] = 3;
    b->cpus = (bx_cpus){.packages = t->packages,
                        .cores = t->cores,
                        .others = CPUS - t->packages * t->cores,
                        .logical = b->logical,
                        .package = b->package};
    struct bx_bus *next = bx_vpmu_bus(bx_machine_vpmu(b->m));
    assert_true(bx_allow_new(&b->allow, &b->m->topology, next));
    b->bus =
        (watched){.bus = {.read = watched_read, .write = watched_write, .close = watched_close},
                  .next = next,
                  .allow = &b->allow};
    struct bx_bus *bus = bx_reroute_open(&b->bus.bus, &b->m->topology, &b->cpus, NULL);
    assert_non_null(bus);
    assert_true(bx_policy_new(&b->policy, &b->m->topology, &b->allow, bus));
    assert_int_equal(bx_helper_journal_open(&b->helper_journal, b->path, b->f.root, "x", &e),
                     BX_OK);
    for (unsigned i = 0; i < t->packages; i++)
        assert_int_equal(
            bx_lock_open(&b->locks[i], bx_machine_number(b->f.root), b->packages[i], &e), BX_OK);
    b->serving = (bx_serving){.packages = b->packages,
                              .locks = b->locks,
                              .policy = &b->policy,
                              .helper_journal = &b->helper_journal,
                              .cpus = &b->cpus,
                              .signature = 1};
    assert_true(bx_handler_open(&b->handler, &b->serving));
}

static void closed(bench *b)
{
    struct bx_bus *bus = b->policy.bus;
    bx_handler_close(&b->handler);
    for (unsigned i = 0; i < b->cpus.packages; i++)
        bx_lock_drop(&b->locks[i]);
    bx_policy_free(&b->policy);
    bus->close(bus);
    close(b->helper_journal.file.fd);
    unlink(b->path);
    bx_allow_free(&b->allow);
    bx_machine_close(b->m);
    folder_end(&b->f);
}

static int request(bench *b, int client, uint8_t kind, uint16_t cpu, uint64_t msr, uint64_t *value)
{
    const bx_peer peer = {.pid = 4000 + client, .uid = 1000};
    bx_protocol_message w = {.kind = kind, .n = 1};
    w.record[0] = (bx_protocol_record){.width = 64, .cpu = cpu, .offset = msr, .value = *value};
    assert_true(bx_handler_answer(&b->handler, client, &peer, &w));
    *value = w.record[0].value;
    return (int)w.record[0].error;
}

static int writes(bench *b, int client, uint16_t cpu, uint64_t msr, uint64_t value)
{
    return request(b, client, BX_PROTOCOL_WRITE, cpu, msr, &value);
}

static int releases(bench *b, int client)
{
    uint64_t value = 0;
    return request(b, client, BX_PROTOCOL_RELEASE, 10, 0, &value);
}

static uint64_t held(bench *b, uint32_t msr)
{
    const bx_address at = {BX_SPACE_MSR, 64, 0, msr};
    uint64_t value = 0;
    assert_int_equal(b->bus.next->read(b->bus.next, &at, &value), 0);
    return value;
}

static off_t journalled(const bench *b)
{
    return lseek(b->helper_journal.file.fd, 0, SEEK_END);
}

/* 334060-001 table 2-7. */
enum { CONTROL = 0x700, COUNTS = 0x408834, GLOBAL = 0xe01, ENABLED = 0x20000000 };

/* A client's CPU goes offline: its registers are restored on another CPU of the package. */
static void a_cpu_goes(void **state)
{
    (void)state;
    bench b;
    uint64_t value = 0;
    opened(&b, "virtual:skl,cores=4");
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    assert_int_equal(writes(&b, 0, 10, GLOBAL, ENABLED), 0);
    assert_int_equal(b.bus.used, 1);
    assert_true(journalled(&b) > 0);
    b.bus.offline = 1;
    assert_int_equal(request(&b, 0, BX_PROTOCOL_READ, 10, CONTROL, &value), 0);
    assert_int_equal(value, COUNTS);
    assert_int_equal(releases(&b, 0), 0);
    assert_int_equal(b.bus.used, 3);
    assert_int_equal(held(&b, CONTROL), 0);
    assert_int_equal(held(&b, GLOBAL), 0);
    assert_int_equal(journalled(&b), 0);
    b.bus.offline = 0; /* it is back */
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    b.bus.offline = 0xf; /* only second threads remain */
    assert_int_equal(releases(&b, 0), 0);
    assert_int_equal(b.bus.used, 0x13);
    assert_int_equal(held(&b, CONTROL), 0);
    closed(&b);
}

/* The whole package goes offline: registers that cannot be restored stay in the journal. They are
 * restored when the package is back, before another client counts there. */
static void a_package_goes(void **state)
{
    (void)state;
    bench b;
    uint64_t value = 0;
    opened(&b, "virtual:skl,cores=4");
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    b.bus.offline = ~0UL;
    bx_handler_drop_client(&b.handler, 0);
    assert_int_equal(held(&b, CONTROL), COUNTS);
    assert_true(journalled(&b) > 0);
    assert_int_equal(request(&b, 1, BX_PROTOCOL_CLAIM, 10, 0, &value), EUCLEAN);
    assert_int_equal(writes(&b, 1, 10, CONTROL, 0), EUCLEAN);
    b.bus.offline = 0;
    assert_int_equal(request(&b, 1, BX_PROTOCOL_CLAIM, 10, 0, &value), 0);
    assert_int_equal(held(&b, CONTROL), 0);
    assert_int_equal(journalled(&b), 0);
    assert_int_equal(releases(&b, 1), 0);
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    b.bus.offline = ~0UL;
    bx_handler_drop_client(&b.handler, 0);
    assert_false(bx_handler_drop_all(&b.handler)); /* the helper ends, and its journal stays */
    assert_true(journalled(&b) > 0);
    b.bus.offline = 0;
    assert_true(bx_handler_drop_all(&b.handler));
    assert_int_equal(held(&b, CONTROL), 0);
    closed(&b);
}

/* A register that reads another value than the written one is not restored. */
static void a_register_that_does_not_heed(void **state)
{
    (void)state;
    bench b;
    uint64_t value = 0;
    opened(&b, "virtual:skl,cores=4");
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    b.bus.deaf = CONTROL;
    assert_int_equal(releases(&b, 0), EIO);
    assert_int_equal(request(&b, 1, BX_PROTOCOL_CLAIM, 10, 0, &value), EUCLEAN);
    assert_true(journalled(&b) > 0);
    b.bus.deaf = 0;
    assert_int_equal(request(&b, 1, BX_PROTOCOL_CLAIM, 10, 0, &value), 0);
    assert_int_equal(held(&b, CONTROL), 0);
    assert_int_equal(releases(&b, 1), 0);
    closed(&b);
}

/* A package's register is the same from all CPUs, a core's register is not. CPUs that were offline
 * when the helper was started are unknown. */
static void from_which_cpu(void **state)
{
    (void)state;
    bench b;
    uint64_t value = 0;
    opened(&b, "virtual:skl,cores=4");
    assert_int_equal(writes(&b, 0, 15, CONTROL, COUNTS), 0);
    assert_int_equal(writes(&b, 0, 12, CONTROL, 0x8834), 0);
    assert_int_equal(request(&b, 0, BX_PROTOCOL_READ, 13, CONTROL, &value), 0);
    assert_int_equal(value, 0x8834);
    assert_int_equal(b.handler.claims[0].log.list[0].first, 0);
    assert_int_equal(writes(&b, 0, 16, CONTROL, 0), ENXIO);
    assert_int_equal(writes(&b, 0, BX_NO_CPU, CONTROL, 0), ENXIO);
    assert_int_equal(request(&b, 0, BX_PROTOCOL_CLAIM, 9, 0, &value), ENXIO);
    assert_int_equal(releases(&b, 0), 0);
    closed(&b);
    opened(&b, "virtual:p6"); /* PerfEvtSel0 is each core's */
    assert_int_equal(request(&b, 0, BX_PROTOCOL_READ, 10, 0x186, &value), 0);
    assert_int_equal(request(&b, 0, BX_PROTOCOL_READ, 11, 0x186, &value), EACCES);
    closed(&b);
}

/* With two clients on two packages, the journal has the changes of both until one client ends. */
static void two_clients(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:ivbep,packages=2,cores=2");
    bx_arena arena = {0};
    bx_journal j;
    enum { BOX = 0xd04, FROZEN = 0x30100 }; /* 329468-002: FRZ, 8; bits 17:16 */
    assert_int_equal(writes(&b, 0, 10, BOX, FROZEN), 0);
    assert_int_equal(writes(&b, 1, 12, BOX, FROZEN), 0);
    assert_int_equal(writes(&b, 1, 11, BOX, 0), EADDRINUSE);
    assert_int_equal(bx_journal_read(b.path, &arena, &j, NULL), BX_OK);
    assert_string_equal(j.counts, "through boxscore-helper for process 4000 of user 1000, process "
                                  "4001 of user 1000");
    unsigned of[4] = {0};
    for (size_t i = 0; i < j.n; i++) {
        of[j.ops[i].package]++;
        assert_int_equal(j.ops[i].at.cpu, j.ops[i].package ? 12 : 10);
    }
    assert_true(of[0] > 0 && of[0] == of[3]);
    bx_handler_drop_client(&b.handler, 0);
    assert_int_equal(bx_journal_read(b.path, &arena, &j, NULL), BX_OK);
    assert_string_equal(j.counts, "through boxscore-helper for process 4001 of user 1000");
    assert_int_equal(j.n, of[3]);
    bx_handler_drop_client(&b.handler, 1);
    assert_int_equal(journalled(&b), 0);
    bx_arena_free(&arena);
    closed(&b);
}

/* ---- without memory ---- */

static unsigned long without_memory(bench *b, unsigned long nth, bool later, int client,
                                    uint8_t kind, uint16_t cpu, uint64_t msr, uint64_t value)
{
    failing_begin(nth, later);
    int err = request(b, client, kind, cpu, msr, &value);
    unsigned long done = failing_end();
    assert_int_equal(err, kind == BX_PROTOCOL_WRITE && nth && nth <= done ? ENOMEM : 0);
    return done;
}

/* A write is not executed if the journal cannot be written. The client can repeat it. */
static unsigned long write_without_memory(void *context, unsigned long nth, bool later)
{
    bench *b = context;
    unsigned long done = without_memory(b, nth, later, 0, BX_PROTOCOL_WRITE, 10, CONTROL, COUNTS);
    bool failed = nth && nth <= done;
    assert_int_equal(held(b, CONTROL), failed ? 0 : COUNTS);
    assert_true(failed || journalled(b) > 0);
    assert_int_equal(writes(b, 0, 10, CONTROL, COUNTS), 0);
    assert_int_equal(held(b, CONTROL), COUNTS);
    assert_int_equal(releases(b, 0), 0);
    assert_int_equal(held(b, CONTROL), 0);
    assert_int_equal(journalled(b), 0);
    return done;
}

static void writes_without_memory(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl,cores=4");
    assert_true(failing_each(write_without_memory, &b) > 0);
    closed(&b);
}

/* The last client's registers are put back, and the journal is emptied, without allocating
 * memory. */
static void releases_without_memory(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl,cores=4");
    assert_int_equal(writes(&b, 0, 10, CONTROL, COUNTS), 0);
    assert_int_equal(without_memory(&b, 1, true, 0, BX_PROTOCOL_RELEASE, 10, 0, 0), 0);
    assert_int_equal(held(&b, CONTROL), 0);
    assert_int_equal(journalled(&b), 0);
    closed(&b);
}

/* A client's registers are put back while another client counts, and the journal cannot be written.
 * The next write on that package writes the journal first, or fails. */
static unsigned long release_beside_another(void *context, unsigned long nth, bool later)
{
    enum { BOX = 0xd04, FROZEN = 0x30100 }; /* 329468-002: FRZ, 8; bits 17:16 */
    bench *b = context;
    bx_arena arena = {0};
    bx_journal j;
    uint64_t value = 0;
    assert_int_equal(writes(b, 0, 10, BOX, FROZEN), 0);
    assert_int_equal(writes(b, 1, 12, BOX, FROZEN), 0);
    unsigned long done = without_memory(b, nth, later, 0, BX_PROTOCOL_RELEASE, 10, 0, 0);
    assert_int_equal(request(b, 0, BX_PROTOCOL_READ, 10, BOX, &value), 0);
    assert_int_not_equal(value, FROZEN);
    without_memory(b, 1, true, 2, BX_PROTOCOL_WRITE, 10, BOX, FROZEN);
    assert_int_equal(request(b, 0, BX_PROTOCOL_READ, 10, BOX, &value), 0);
    assert_int_not_equal(value, FROZEN);
    assert_int_equal(writes(b, 2, 10, BOX, FROZEN), 0);
    assert_int_equal(bx_journal_read(b->path, &arena, &j, NULL), BX_OK);
    assert_string_equal(j.counts, "through boxscore-helper for process 4002 of user 1000, process "
                                  "4001 of user 1000");
    bx_arena_free(&arena);
    bx_handler_drop_client(&b->handler, 1);
    bx_handler_drop_client(&b->handler, 2);
    assert_int_equal(journalled(b), 0);
    return done;
}

static void releases_beside_another(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:ivbep,packages=2,cores=2");
    assert_true(failing_each(release_beside_another, &b) > 0);
    closed(&b);
}

/* ---- idle clients ---- */

static int raw_client(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Waits until the helper has closed the connection of a newer client as idle. */
static void wait_until_idle(const char *path)
{
    char byte;
    int fd = raw_client(path);
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    close(fd);
}

static pid_t serving(bench *b, const char *path, int end)
{
    bx_error e = {0};
    b->serving.idle_ms = 500; /* also on a slow machine, who connects says hello within it */
    b->serving.end = end;
    b->serving.admitted = (bx_admitted){.starter = getuid(), .group = BX_NO_GROUP};
    b->serving.listening = bx_listen_open(path, BX_NO_GROUP, &e);
    assert_true(b->serving.listening >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails does not end it */
        _exit(bx_serve(&b->serving, &b->handler, &e));
    }
    close(b->serving.listening);
    return pid;
}

/* A client without a package is disconnected when it is idle, and connects again without an error.
 * A client with a package keeps its connection. When the helper ends, it puts the registers back,
 * and the client's next access fails. */
static void idle_clients(void **state)
{
    (void)state;
    bench b;
    char path[100];
    int end[2], status;
    bx_error e = {0};
    bx_owner holder;
    uint64_t value;
    opened(&b, "virtual:skl,cores=4");
    snprintf(path, sizeof path, "%s/socket", b.f.root);
    assert_int_equal(pipe(end), 0);
    pid_t pid = serving(&b, path, end[0]);
    const bx_address at = {BX_SPACE_MSR, 64, 0, CONTROL};
    struct bx_bus *bus = bx_helper_open(path, &b.cpus, 0, 1, &e);
    assert_non_null(bus);
    for (unsigned i = 0; i < 3; i++) { /* a measurement that only reads */
        wait_until_idle(path);
        assert_int_equal(bus->read(bus, &at, &value), 0);
        assert_int_equal(value, 0);
        assert_false(bx_helper_is_gone(bus));
    }
    wait_until_idle(path);
    assert_int_equal(bx_helper_claim(bus, 0, &holder), 0);
    wait_until_idle(path);
    assert_int_equal(bus->write(bus, &at, COUNTS), 0);
    wait_until_idle(path);
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, COUNTS);
    assert_int_equal(bx_helper_release(bus, 0), 0);
    wait_until_idle(path);
    assert_int_equal(bus->write(bus, &at, COUNTS), 0); /* the write also claims the package */
    wait_until_idle(path);
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, COUNTS);
    assert_int_equal(write(end[1], "", 1), 1); /* the helper ends */
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    pid = serving(&b, path,
                  end[0]); /* the next helper does not have the values that the client wrote */
    assert_int_equal(bus->read(bus, &at, &value), ENOTCONN);
    assert_true(bx_helper_is_gone(bus));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    bus->close(bus);
    close(end[0]);
    close(end[1]);
    unlink(path);
    closed(&b);
}

/* ---- random requests ---- */

static uint64_t rnd(bench *b)
{
    b->seed ^= b->seed << 13;
    b->seed ^= b->seed >> 7;
    b->seed ^= b->seed << 17;
    return b->seed;
}

/* A register, an address near one, or any address; a valid or an invalid value. */
static bx_protocol_record any_record(bench *b)
{
    const bx_allowed *r = &b->allow.list[rnd(b) % b->allow.n];
    const bx_address at = {r->space, r->width, 0, r->offset};
    uint64_t present = 0;
    b->bus.next->read(b->bus.next, &at, &present);
    bx_protocol_record to = {.space = r->space,
                             .width = r->width,
                             .cpu = (uint16_t)(10 + rnd(b) % 4),
                             .error = (uint32_t)rnd(b),
                             .offset = r->offset,
                             .value = (present & r->reserved) |
                                      (rnd(b) & ~r->reserved & ~r->interrupts)};
    switch (rnd(b) % 16) {
    case 0:
        to.offset += rnd(b) % 17 - 8;
        break;
    case 1:
        to.offset ^= UINT64_C(1) << rnd(b) % 64;
        break;
    case 2:
        to.width = (uint8_t)(rnd(b) % 2 ? rnd(b) : 8U << rnd(b) % 4);
        break;
    case 3:
        to.space = (uint8_t)(rnd(b) % 4);
        break;
    case 4:
        to.cpu = (uint16_t)rnd(b);
        break;
    case 5:
        to.value = rnd(b) & rnd(b);
        break;
    case 6:
        to.offset = rnd(b);
        break;
    default:
        break;
    }
    return to;
}

static void one_message(bench *b)
{
    int client = (int)(rnd(b) % 3);
    const bx_peer peer = {.pid = 4000 + client, .uid = 1000};
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    bx_protocol_message w = {.kind = (uint8_t)(rnd(b) % 8 ? BX_PROTOCOL_WRITE : rnd(b)),
                             .n = 1 + rnd(b) % 8};
    for (uint32_t i = 0; i < w.n; i++)
        w.record[i] = any_record(b);
    size_t n = bx_protocol_encode(&w, bytes);
    for (unsigned wrong = rnd(b) % 8 ? 0 : 1 + rnd(b) % 3; wrong; wrong--)
        bytes[rnd(b) % n] ^= (uint8_t)(1U << rnd(b) % 8);
    if (!bx_protocol_decode(&w, bytes, rnd(b) % 32 ? n : rnd(b) % (n + 1)) ||
        !bx_handler_answer(&b->handler, client, &peer, &w) || rnd(b) % 64 == 0)
        bx_handler_drop_client(&b->handler, client);
    if (rnd(b) % 256 == 0)
        b->bus.offline = rnd(b) & 7;
}

static void whatever_is_asked(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl", "virtual:ivbep", "virtual:nhmex",
                                           "virtual:p6"};
    unsigned messages = getenv("BX_LONG") ? 200000 : 3000;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        bench b;
        opened(&b, machines[m]);
        uint64_t *before = calloc(b.allow.n, sizeof *before);
        assert_non_null(before);
        for (size_t i = 0; i < b.allow.n; i++) {
            const bx_address at = {b.allow.list[i].space, b.allow.list[i].width, 0,
                                   b.allow.list[i].offset};
            assert_int_equal(b.bus.next->read(b.bus.next, &at, &before[i]), 0);
        }
        for (unsigned i = 0; i < messages; i++)
            one_message(&b);
        b.bus.offline = 0;
        for (int client = 0; client < 3; client++)
            bx_handler_drop_client(&b.handler, client);
        assert_true(bx_handler_drop_all(&b.handler));
        assert_int_equal(journalled(&b), 0);
        for (size_t i = 0; i < b.allow.n; i++) {
            const bx_address at = {b.allow.list[i].space, b.allow.list[i].width, 0,
                                   b.allow.list[i].offset};
            uint64_t now;
            assert_int_equal(b.bus.next->read(b.bus.next, &at, &now), 0);
            if (now != before[i])
                fail_msg("%s: 0x%llx was 0x%llx and is 0x%llx", machines[m],
                         (unsigned long long)at.offset, (unsigned long long)before[i],
                         (unsigned long long)now);
        }
        free(before);
        closed(&b);
    }
    print_message("%u messages to each of %zu machines\n", messages,
                  sizeof machines / sizeof *machines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_goes),
        cmocka_unit_test(a_package_goes),
        cmocka_unit_test(a_register_that_does_not_heed),
        cmocka_unit_test(from_which_cpu),
        cmocka_unit_test(two_clients),
        cmocka_unit_test(writes_without_memory),
        cmocka_unit_test(releases_without_memory),
        cmocka_unit_test(releases_beside_another),
        cmocka_unit_test(idle_clients),
        cmocka_unit_test(whatever_is_asked),
    };
    failing_load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
