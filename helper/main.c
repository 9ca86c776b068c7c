/* boxscore-helper: accesses registers for programs without the rights. */
#include "host/helper/client.h"
#include "host/host.h"
#include "guard/journal.h"
#include "base/error.h"
#include "helper/devices.h"
#include "helper/journal.h"
#include "helper/pair.h"
#include "helper/requests.h"
#include "helper/rights.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    "  --user USER       becomes this user when the devices are open (" BX_HELPER_USER ",\n"
    "                    or nobody if there is none)\n"
    "  --journal FILE    notes how to put registers back, for 'boxscore restore' if it\n"
    "                    is killed (beside the socket, as NAME.journal)\n"
    "  --root DIRECTORY  the machine is the one whose /dev, /proc and /sys are there\n"
    "  --version, --help\n";

typedef struct values {
    const char *socket, *group, *user, *root, *journal;
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

/* Finds boxscore-helper's own user, or else `nobody`. Any other process of `nobody` could end the
 * helper. */
static int find_own_user(uid_t *user, gid_t *group, bx_error *e)
{
    return find_user(getpwnam(BX_HELPER_USER) ? BX_HELPER_USER : "nobody", user, group, e);
}

/* Returns a descriptor that is readable when SIGTERM, SIGINT or SIGHUP has arrived. */
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

/* Everything is open: drops the rights and serves. */
static int serve(bx_serving *s, uid_t user, gid_t group, bx_error *e)
{
    int code = bx_rights_drop(user, group, e);
    return code == BX_OK ? bx_pair_serve(s, e) : code;
}

/* The journal of helper.sock is helper.journal. */
static bool name_journal(const values *v, bx_buf *path)
{
    static const char ending[] = ".sock";
    size_t n = strlen(v->socket), m = sizeof ending - 1;
    bool ends = n > m && strcmp(v->socket + n - m, ending) == 0;
    if (v->journal)
        bx_buf_z(path, v->journal);
    else
        bx_buf_f(path, "%.*s.journal", (int)(ends ? n - m : n), v->socket);
    return !path->failed;
}

static int run_host(bx_host *h, bx_serving *s, uid_t user, gid_t group, bx_error *e)
{
    bx_allow allow;
    bx_register_policy policy;
    if (!bx_allow_new(&allow, &h->topology, h->bus))
        return bx_out_of_memory(e);
    int code = bx_devices_open(h, &allow, e);
    if (code == BX_OK && !bx_devices_reroute(h))
        code = bx_out_of_memory(e);
    if (code == BX_OK && !bx_policy_new(&policy, &h->topology, &allow, h->bus))
        code = bx_out_of_memory(e);
    if (code == BX_OK) {
        s->policy = &policy;
        code = serve(s, user, group, e);
        bx_policy_free(&policy);
    }
    bx_allow_free(&allow);
    return code;
}

/* A closed standard error or a file size limit must not kill the helper. Each CPU and each PCI
 * function needs a descriptor. */
static void prepare(void)
{
    struct rlimit files;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static int open_locks(const char *root, const int *packages, unsigned n, bx_lock *locks,
                      bx_error *e)
{
    int code = BX_OK;
    for (unsigned i = 0; i < n; i++)
        locks[i] = (bx_lock){.fd = -1};
    for (unsigned i = 0; i < n && code == BX_OK; i++)
        code = bx_lock_open(&locks[i], bx_machine_number(root), packages[i], e);
    for (unsigned i = 0; i < n; i++)
        locks[i].process.is_helper = true;
    if (code == BX_OK && locks[0].is_private)
        bx_helper_log("%s", BX_LOCK_PRIVATE);
    return code;
}

/* Opens the socket and the journal, which need rights as the devices do. */
static int open_ours(const values *v, bx_serving *s, bx_helper_journal *helper_journal,
                     const char *journal, const bx_host *h, bx_error *e)
{
    s->listening = bx_listen_open(v->socket, s->admitted.group, e);
    if (s->listening < 0)
        return e->code;
    const char *cpu = bx_catalog_cpu_name(h->topology.catalog, h->topology.cpu);
    s->helper_journal = helper_journal;
    return bx_helper_journal_open(helper_journal, journal, v->root, cpu, e);
}

static int run_with(const values *v, bx_serving *s, uid_t user, gid_t group, bx_error *e)
{
    const bx_machine_options o = {
        .size = sizeof o, .root = v->root, .helper = "", .driver = BX_DRIVER_REGISTERS};
    bx_host host;
    bx_helper_journal helper_journal;
    bx_buf journal = {0};
    int code = bx_host_open(bx_catalog_builtin(), &o, &host, e);
    if (code != BX_OK) {
        e->hint[0] = '\0'; /* that hint is for measurements */
        bx_hint(e, "%s", geteuid() ? "start it as root" : "boxscore doctor tells what is missing");
        return code;
    }
    int *packages = bx_devices_packages(v->root, host.cpus);
    bx_lock *locks = calloc(host.cpus->packages, sizeof *locks);
    s->packages = packages;
    s->locks = locks;
    s->cpus = host.cpus;
    s->signature = host.signature;
    s->end = await_signals(e);
    code = !packages || !locks || !name_journal(v, &journal) ? bx_out_of_memory(e)
           : s->end < 0                                      ? e->code
                        : open_ours(v, s, &helper_journal, journal.p, &host, e);
    if (code == BX_OK)
        code = open_locks(v->root, packages, host.cpus->packages, locks, e);
    if (code == BX_OK)
        code = run_host(&host, s, user, group, e);
    free(locks);
    free(packages);
    bx_buf_free(&journal);
    host.bus->close(host.bus);
    bx_host_close(&host);
    return code;
}

static int run_helper(const values *v, bx_error *e)
{
    bx_serving s = {.idle_ms = BX_IDLE_MS, .admitted = {.starter = getuid(), .group = BX_NO_GROUP}};
    uid_t user;
    gid_t group;
    int code = v->user ? find_user(v->user, &user, &group, e) : find_own_user(&user, &group, e);
    if (code == BX_OK && v->group)
        code = find_group(v->group, &s.admitted.group, e);
    if (code == BX_OK)
        code = bx_rights_begin(e);
    prepare();
    return code == BX_OK ? run_with(v, &s, user, group, e) : code;
}

int main(int argc, char *argv[])
{
    enum { SOCKET, GROUP, USER, ROOT, JOURNAL, VERSION, HELP };
    static const struct option options[] = {{"socket", required_argument, NULL, SOCKET},
                                            {"group", required_argument, NULL, GROUP},
                                            {"user", required_argument, NULL, USER},
                                            {"root", required_argument, NULL, ROOT},
                                            {"journal", required_argument, NULL, JOURNAL},
                                            {"version", no_argument, NULL, VERSION},
                                            {"help", no_argument, NULL, HELP},
                                            {0}};
    values v = {.socket = BX_HELPER_SOCKET, .root = ""};
    const char **const texts[] = {&v.socket, &v.group, &v.user, &v.root, &v.journal};
    bx_error e = {0};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        if (option > HELP)
            return 2; /* getopt_long has printed the error */
        if (option >= VERSION) {
            fputs(option == HELP ? usage : "boxscore-helper " BX_VERSION "\n", stdout);
            return fflush(stdout) ? 1 : 0;
        }
        *texts[option] = optarg;
    }
    if (optind < argc) {
        bx_fail(&e, BX_BAD_INPUT, 0, 0, "it takes no operands, such as '%s'", argv[optind]);
        fail(&e);
        return 2;
    }
    int code = run_helper(&v, &e);
    /* Not exit(): the seccomp filter forbids some of its system calls. */
    _exit(code == BX_OK ? 0 : fail(&e));
}
