/* The mount, and the loop that serves both the requests of FUSE and other descriptors. */
#include "stage/files/fuse_requests.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fuse_log.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BETWEEN_ACCESSES = 300000 }; /* ns for which the model may run to catch up */

enum { MAX_DESCRIPTORS = 4 };

/* ---- the folder ---- */

static int check_folder(const char *folder, bx_error *e)
{
    DIR *d = opendir(folder);
    if (!d && errno == ENOTCONN) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' is left over from a stage that was killed", folder);
        bx_hint(e, "fusermount3 -u %s", folder);
        return BX_NO_ACCESS;
    }
    if (!d) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be used: %s", folder, strerror(errno));
        bx_hint(e, "make an empty folder: mkdir %s", folder);
        return BX_NO_ACCESS;
    }
    unsigned entries = 0;
    while (readdir(d))
        entries++;
    closedir(d);
    return entries > 2 ? bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' is not empty", folder) : BX_OK;
}

/* We report errors ourselves, so FUSE's messages on standard error are discarded. */
static void discard_log(enum fuse_log_level level, const char *format, va_list args)
{
    (void)level;
    (void)format;
    (void)args;
}

static int mount_at(bx_fuse_server *s, const char *folder, bool watched, bx_error *e)
{
    /* In a mount namespace only the program can reach the files. They are open to all users,
     * because the program can change its user. */
    char name[] = "boxscore", o[] = "-o", what[] = "fsname=boxscore,nosuid,nodev",
         all[] = "fsname=boxscore,nosuid,nodev,allow_other,default_permissions";
    char *argv[] = {name, o, watched ? what : all, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(3, argv);
    int err = watched ? bx_unmount_watchdog_start(&s->watchdog, folder) : 0;
    if (err)
        return bx_fail(e, BX_SYSTEM, 0, 0, "no process can be made: %s", strerror(err));
    fuse_set_log_func(discard_log);
    s->session = fuse_session_new(&args, &bx_fuse_operations, sizeof bx_fuse_operations, s);
    fuse_opt_free_args(&args);
    s->mounted = s->session && fuse_session_mount(s->session, folder) == 0;
    if (s->mounted)
        return BX_OK;
    if (!s->session || errno == ENOMEM)
        return bx_out_of_memory(e);
    if (errno == EINVAL) /* FUSE may have undone the mount for lack of memory */
        return bx_fail(e, BX_NO_MEMORY, 0, 0,
                       "nothing can be mounted at '%s': out of memory, or the kernel refuses it",
                       folder);
    bool able = access("/dev/fuse", R_OK | W_OK) == 0;
    bx_fail(e, BX_NO_ACCESS, 0, 0, "nothing can be mounted at '%s': %s%s", folder,
            able ? "" : "/dev/fuse: ", able ? "we have no right to" : strerror(errno));
    bx_hint(e, able ? "as root it can" : "modprobe fuse, or ask for rights on /dev/fuse");
    return BX_NO_ACCESS;
}

int bx_fuse_server_new(const bx_tree *tree, bx_stage_clock *clock, const char *folder, bool watched,
                       bx_fuse_server **s, bx_error *e)
{
    int code = watched ? check_folder(folder, e) : BX_OK;
    if (code != BX_OK)
        return code;
    bx_fuse_server *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->tree = tree;
    made->clock = clock;
    clock_gettime(CLOCK_REALTIME, &made->made);
    code = mount_at(made, folder, watched, e);
    if (code == BX_OK)
        *s = made;
    else
        bx_fuse_server_free(made);
    return code;
}

void bx_fuse_server_free(bx_fuse_server *s)
{
    if (!s)
        return;
    bx_fuse_drop_writes(s, true);
    if (s->mounted)
        fuse_session_unmount(s->session);
    bx_unmount_watchdog_dismiss(&s->watchdog);
    if (s->session)
        fuse_session_destroy(s->session);
    free(s->request.mem);
    free(s->inner.mem);
    free(s);
}

/* ---- the loop ---- */

static bool receive(bx_fuse_server *s, struct fuse_buf *request)
{
    int n = fuse_session_receive_buf(s->session, request);
    s->out_of_memory |= n == -ENOMEM;
    if (n <= 0 && n != -EINTR && n != -EAGAIN)
        fuse_session_exit(s->session);
    return n > 0;
}

static void take_request(bx_fuse_server *s)
{
    if (receive(s, &s->request))
        fuse_session_process_buf(s->session, &s->request);
}

bool bx_fuse_server_has_begun(const bx_fuse_server *s)
{
    return s->begun;
}

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, wait_ms) > 0;
}

/* Serves requests that have arrived, and those that follow at once, such as the read after an open.
 * There is a limit, so that the write goes on. */
static void serve_within(bx_fuse_server *s)
{
    enum { MOST = 50, FOLLOWS = 1 /* ms */ };
    s->within = true;
    bool served = false;
    for (int i = 0; i < MOST && is_readable(fuse_session_fd(s->session), served ? FOLLOWS : 0);
         i++) {
        served = receive(s, &s->inner);
        if (!served)
            break;
        fuse_session_process_buf(s->session, &s->inner);
    }
    bx_fuse_drop_writes(s, false);
    s->within = false;
}

bool bx_fuse_server_interrupts(void *server)
{
    bx_fuse_server *s = server;
    if (!s->within)
        serve_within(s);
    bool ends = fuse_session_exited(s->session) || (s->writes && fuse_req_interrupted(s->writes));
    for (size_t i = 0; i < s->n_urgent; i++)
        ends |= is_readable(s->urgent[i], 0);
    return ends;
}

int bx_fuse_server_run(bx_fuse_server *s, const int *descriptors, size_t n, size_t urgent,
                       size_t *which, bx_error *e)
{
    struct pollfd fds[MAX_DESCRIPTORS + 1];
    if (n > MAX_DESCRIPTORS)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu descriptors are too many", n);
    for (size_t i = 0; i < n; i++)
        fds[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    fds[n] = (struct pollfd){.fd = fuse_session_fd(s->session), .events = POLLIN};
    s->urgent = descriptors;
    s->n_urgent = urgent;
    while (!fuse_session_exited(s->session)) {
        int ready = poll(fds, (nfds_t)n + 1, s->waiting ? 0 : bx_stage_clock_timeout(s->clock));
        if (ready < 0 && errno != EINTR)
            return bx_fail(e, BX_SYSTEM, 0, 0, "poll: %s", strerror(errno));
        if (s->waiting)
            bx_fuse_continue_write(s);
        else if (ready <= 0)
            bx_stage_clock_catch_up(s->clock, BETWEEN_ACCESSES);
        else if (fds[n].revents)
            take_request(s);
        for (size_t i = 0; ready > 0 && i < n; i++) {
            if (fds[i].revents) {
                *which = i;
                return BX_OK;
            }
        }
    }
    *which = n;
    return s->out_of_memory ? bx_out_of_memory(e) : BX_OK;
}
