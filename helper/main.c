/* boxscore-helper: reaches the registers for programs that have no rights of their own. */
#include "access/helper.h"
#include "access/host.h"
#include "access/journal.h"
#include "base/error.h"
#include "helper/pair.h"
#include "helper/rights.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char usage[] =
    "usage: boxscore-helper [OPTION...]\n"
    "\n"
    "Reads and writes this machine's monitoring registers for 'boxscore' and programs\n"
    "of its library, which then need no rights of their own. It opens the devices,\n"
    "drops all rights, and serves until SIGTERM or SIGINT. Only registers that count\n"
    "are written, reserved bits never, and what a client changed is put back when the\n"
    "client goes.\n"
    "\n"
    "  --socket PATH     where clients come to (" BX_HELPER_SOCKET ")\n"
    "  --group GROUP     members may use it; otherwise root, and who started it\n"
    "  --user USER       becomes this user when the devices are open (nobody)\n"
    "  --root DIRECTORY  the machine is the one whose /dev, /proc and /sys are there\n"
    "  --version, --help\n";

typedef struct values {
    const char *socket, *group, *user, *root;
} values;

static int fail(const bx_error *e)
{
    fprintf(stderr, "boxscore-helper: %s\n", e->message);
    if (e->hint[0])
        fprintf(stderr, "  hint: %s\n", e->hint);
    return 1;
}

static bool is_number(const char *text, unsigned long *value)
{
    uint64_t number;
    bool is = bx_str_u64(bx_str_of(text), &number) && number < UINT32_MAX;
    *value = (unsigned long)number;
    return is;
}

static int find_group(const char *name, gid_t *group, bx_error *e)
{
    unsigned long number;
    const struct group *g = getgrnam(name);
    if (!g && !is_number(name, &number)) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no group '%s'", name);
        bx_hint(e, "groupadd --system %s", name);
        return BX_NOT_FOUND;
    }
    *group = g ? g->gr_gid : (gid_t)number;
    return BX_OK;
}

static int find_user(const char *name, uid_t *user, gid_t *group, bx_error *e)
{
    unsigned long number;
    const struct passwd *p = getpwnam(name);
    if (!p && is_number(name, &number))
        p = getpwuid((uid_t)number);
    if (!p) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no user '%s'", name);
        bx_hint(e, "useradd --system %s", name);
        return BX_NOT_FOUND;
    }
    *user = p->pw_uid;
    *group = p->pw_gid;
    return BX_OK;
}

/* A descriptor that can be read when SIGTERM or SIGINT has come. */
static int await_signals(bx_error *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    int fd = sigprocmask(SIG_BLOCK, &set, NULL) ? -1 : signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0)
        bx_fail(e, BX_SYSTEM, 0, 0, "cannot wait for signals: %s", strerror(errno));
    return fd;
}

/* Reads every register once, on every CPU: whatever file that takes is open from then on. CPUs that
 * cannot be reached are told. */
static int open_devices(const bx_host *h, const bx_allow *allow, bx_error *e)
{
    unsigned cpus = h->topology.packages * h->topology.cores, failed = 0;
    int why = 0;
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        int first = EIO; /* of a register: the device is open */
        for (size_t i = 0; i < allow->n; i++) {
            const bx_allowed *r = &allow->list[i];
            if (cpu && r->space != BX_SPACE_MSR)
                continue;
            const bx_address at = {r->space, r->width, (uint16_t)cpu, r->offset};
            uint64_t value;
            int now = h->bus->read(h->bus, &at, &value);
            first = !now ? 0 : first;
            why = now && now != EIO ? now : why;
        }
        failed += first != 0;
    }
    if (failed == cpus)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "no register can be read: %s",
                       strerror(why ? why : EIO));
    if (failed)
        fprintf(stderr, "boxscore-helper: the registers of %u CPUs cannot be read: %s\n", failed,
                strerror(why ? why : EIO));
    return BX_OK;
}

/* The kernel's numbers of the packages; NULL when out of memory. */
static int *number_packages(const char *root, const bx_cpus *cpus)
{
    int *numbers = calloc(cpus->packages, sizeof *numbers);
    for (unsigned i = 0; numbers && i < cpus->packages; i++)
        numbers[i] = bx_package_of(root, cpus->logical[i * cpus->cores]);
    return numbers;
}

/* Everything is open: serves with no rights. */
static int serve(bx_serving *s, uid_t user, gid_t group, bx_error *e)
{
    int rc = bx_rights_drop(user, group, e);
    return rc == BX_OK ? bx_pair_serve(s, e) : rc;
}

static int run_host(const bx_host *h, bx_serving *s, uid_t user, gid_t group, bx_error *e)
{
    bx_allow allow;
    bx_keeper keeper;
    if (!bx_allow_new(&allow, &h->topology, h->bus))
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    int rc = open_devices(h, &allow, e);
    if (rc == BX_OK && !bx_keeper_new(&keeper, &h->topology, &allow, h->bus))
        rc = bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    if (rc == BX_OK) {
        s->keeper = &keeper;
        rc = serve(s, user, group, e);
        bx_keeper_free(&keeper);
    }
    bx_allow_free(&allow);
    return rc;
}

static int run(const values *v, bx_error *e)
{
    bx_serving s = {.machine = bx_machine_number(v->root),
                    .admitted = {.starter = getuid(), .group = BX_NO_GROUP}};
    const bx_machine_options o = {
        .size = sizeof o, .root = v->root, .helper = "", .driver = BX_DRIVER_REGISTERS};
    bx_host host;
    uid_t user;
    gid_t group;
    int rc = find_user(v->user, &user, &group, e);
    if (rc == BX_OK && v->group)
        rc = find_group(v->group, &s.admitted.group, e);
    if (rc == BX_OK)
        rc = bx_rights_begin(e);
    if (rc != BX_OK)
        return rc;
    rc = bx_host_open(bx_catalog_builtin(), &o, &host, e);
    if (rc != BX_OK)
        return rc;
    int *packages = number_packages(v->root, host.cpus);
    s.packages = packages;
    s.cpus = host.cpus;
    s.signature = host.signature;
    s.end = await_signals(e);
    s.listening = s.end < 0 ? -1 : bx_listen_open(v->socket, s.admitted.group, e);
    rc = !packages         ? bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory")
         : s.listening < 0 ? e->code
                           : run_host(&host, &s, user, group, e);
    free(packages);
    host.bus->close(host.bus);
    bx_host_close(&host);
    return rc;
}

int main(int argc, char *argv[])
{
    enum { SOCKET, GROUP, USER, ROOT, VERSION, HELP };
    static const struct option options[] = {{"socket", required_argument, NULL, SOCKET},
                                            {"group", required_argument, NULL, GROUP},
                                            {"user", required_argument, NULL, USER},
                                            {"root", required_argument, NULL, ROOT},
                                            {"version", no_argument, NULL, VERSION},
                                            {"help", no_argument, NULL, HELP},
                                            {0}};
    values v = {.socket = BX_HELPER_SOCKET, .user = "nobody", .root = ""};
    const char **const texts[] = {&v.socket, &v.group, &v.user, &v.root};
    bx_error e = {0};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        if (option > HELP)
            return 2; /* getopt_long has said it */
        if (option >= VERSION) {
            fputs(option == HELP ? usage : "boxscore-helper " BX_VERSION "\n", stdout);
            return fflush(stdout) ? 1 : 0;
        }
        *texts[option] = optarg;
    }
    if (optind < argc) {
        fprintf(stderr, "boxscore-helper: it takes no operands, such as '%s'\n", argv[optind]);
        return 2;
    }
    int rc = run(&v, &e);
    /* The system calls that are left do not include all of a regular end. */
    _exit(rc == BX_OK ? 0 : fail(&e));
}
