/* The requests of FUSE, the mount, and the loop that serves both the requests and other
 * descriptors. */
#define FUSE_USE_VERSION 34

#include "stage/files/fuse_server.h"

#include "base/error.h"
#include "stage/files/device.h"
#include "stage/process/unmount_watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <fuse_log.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ns for which the model may run to catch up. An access waits no longer than that. */
enum { BEFORE_ACCESS = 100000, BETWEEN_ACCESSES = 300000 };

enum { MAX_DESCRIPTORS = 4 };

/* A request that arrived during a long access. */
typedef struct waiting {
    struct fuse_buf request;
    struct waiting *next;
} waiting;

struct bx_fuse_server {
    const bx_tree *tree;
    bx_stage_clock *clock;
    struct fuse_session *session;
    struct fuse_buf request;
    waiting *waiting;  /* in the order of their arrival */
    fuse_req_t writes; /* the write that is executed now; NULL: none */
    const int *urgent; /* the write ends when one of these n_urgent descriptors is readable */
    size_t n_urgent;
    bool mounted, out_of_memory;
    bool begun; /* FUSE has accepted the kernel's first request */
    bx_unmount_watchdog watchdog;
    struct timespec made;
};

/* ---- inodes: the index in the tree, plus 1 ---- */

static bx_fuse_server *server_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

static size_t index_of(fuse_ino_t inode)
{
    return inode - FUSE_ROOT_ID;
}

static const bx_tree_node *node_of(fuse_req_t request, fuse_ino_t inode)
{
    return &server_of(request)->tree->nodes[index_of(inode)];
}

static struct stat about(const bx_fuse_server *s, size_t i)
{
    static const mode_t modes[] = {[BX_TREE_FOLDER] = S_IFDIR | 0755,
                                   [BX_TREE_TEXT] = S_IFREG | 0444,
                                   [BX_TREE_DEVICE] = S_IFREG | 0644};
    const bx_tree_node *node = &s->tree->nodes[i];
    return (struct stat){
        .st_ino = i + FUSE_ROOT_ID,
        .st_mode = modes[node->kind],
        .st_nlink = node->kind == BX_TREE_FOLDER ? 2 : 1,
        .st_uid = getuid(),
        .st_gid = getgid(),
        .st_size = (off_t)node->size,
        .st_blksize = 4096,
        .st_atim = s->made,
        .st_mtim = s->made,
        .st_ctim = s->made,
    };
}

enum { VALID = 3600 }; /* seconds: the tree does not change */

/* ---- requests of the kernel ---- */

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    const bx_fuse_server *s = server_of(request);
    ptrdiff_t found = bx_tree_find(s->tree, index_of(parent), bx_str_of(name));
    if (found == BX_TREE_NO_NODE) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    const struct fuse_entry_param entry = {.ino = (fuse_ino_t)found + FUSE_ROOT_ID,
                                           .attr = about(s, (size_t)found),
                                           .attr_timeout = VALID,
                                           .entry_timeout = VALID};
    fuse_reply_entry(request, &entry);
}

static void do_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
    const struct stat attributes = about(server_of(request), index_of(inode));
    (void)file;
    fuse_reply_attr(request, &attributes, VALID);
}

/* A shell's `>` truncates the file first. A device ignores that. */
static void do_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *attributes, int which,
                       struct fuse_file_info *file)
{
    (void)attributes;
    if (node_of(request, inode)->kind != BX_TREE_DEVICE || which & ~FUSE_SET_ATTR_SIZE)
        fuse_reply_err(request, EPERM);
    else
        do_getattr(request, inode, file);
}

static int open_device(fuse_req_t request, const bx_tree_node *node, uint64_t *number)
{
    bx_stage_clock_catch_up(server_of(request)->clock, BEFORE_ACCESS);
    int err = node->device->open(node->context, number, fuse_req_ctx(request)->pid);
    bx_stage_clock_notify(server_of(request)->clock);
    return err;
}

static void release_device(fuse_req_t request, const bx_tree_node *node, uint64_t number)
{
    if (node->kind == BX_TREE_DEVICE && node->device->release) {
        bx_stage_clock_catch_up(server_of(request)->clock, BEFORE_ACCESS);
        node->device->release(node->context, number);
        bx_stage_clock_notify(server_of(request)->clock);
    }
}

static void do_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
    const bx_tree_node *node = node_of(request, inode);
    if (node->kind == BX_TREE_TEXT && (file->flags & O_ACCMODE) != O_RDONLY) {
        fuse_reply_err(request, EACCES);
        return;
    }
    file->direct_io = node->kind == BX_TREE_DEVICE;
    file->keep_cache = node->kind == BX_TREE_TEXT;
    file->fh = node->number;
    int err = 0;
    if (node->kind == BX_TREE_DEVICE && node->device->open) {
        file->nonseekable = 1;
        err = open_device(request, node, &file->fh);
    }
    if (err)
        fuse_reply_err(request, err);
    else if (fuse_reply_open(request, file) != 0) /* the process that opened it has ended */
        release_device(request, node, file->fh);
}

static void do_release(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
    release_device(request, node_of(request, inode), file->fh);
    fuse_reply_err(request, 0);
}

static void read_device(fuse_req_t request, const bx_tree_node *node, uint64_t number, size_t n,
                        off_t offset)
{
    char *bytes = malloc(n ? n : 1);
    size_t done = 0;
    bx_stage_clock_catch_up(server_of(request)->clock, BEFORE_ACCESS);
    int err = bytes ? node->device->read(node->context, number, (uint64_t)offset, bytes, n, &done)
                    : ENOMEM;
    if (err)
        fuse_reply_err(request, err);
    else
        fuse_reply_buf(request, bytes, done);
    free(bytes);
}

static void do_read(fuse_req_t request, fuse_ino_t inode, size_t n, off_t offset,
                    struct fuse_file_info *file)
{
    const bx_tree_node *node = node_of(request, inode);
    if (node->kind == BX_TREE_DEVICE) {
        read_device(request, node, file->fh, n, offset);
        return;
    }
    bx_str part =
        bx_str_sub(node->text, (uint64_t)offset < node->text.n ? (size_t)offset : node->text.n, n);
    fuse_reply_buf(request, part.p, part.n);
}

static void do_write(fuse_req_t request, fuse_ino_t inode, const char *bytes, size_t n,
                     off_t offset, struct fuse_file_info *file)
{
    const bx_tree_node *node = node_of(request, inode);
    size_t done = 0;
    bx_stage_clock_catch_up(server_of(request)->clock, BEFORE_ACCESS);
    server_of(request)->writes = request;
    int err = node->device->write(node->context, file->fh, (uint64_t)offset, bytes, n, &done);
    server_of(request)->writes = NULL;
    bx_stage_clock_notify(server_of(request)->clock);
    if (err)
        fuse_reply_err(request, err);
    else
        fuse_reply_write(request, done);
}

static void do_ioctl(fuse_req_t request, fuse_ino_t inode, int command, void *argument,
                     struct fuse_file_info *file, unsigned flags, const void *from, size_t n,
                     size_t room)
{
    const bx_tree_node *node = node_of(request, inode);
    uint64_t result = 0;
    int err = ENOTTY;
    (void)flags;
    (void)from;
    (void)n;
    if (node->kind == BX_TREE_DEVICE && node->device->ioctl) {
        bx_stage_clock_catch_up(server_of(request)->clock, BEFORE_ACCESS);
        err = node->device->ioctl(node->context, file->fh, (unsigned)command, (uintptr_t)argument,
                                  &result);
        bx_stage_clock_notify(server_of(request)->clock);
    }
    if (err)
        fuse_reply_err(request, err);
    else
        fuse_reply_ioctl(request, 0, &result, room < sizeof result ? room : sizeof result);
}

/* As in Linux, poll() of a perf event without samples returns POLLHUP. All other files are always
 * ready. */
static void do_poll(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file,
                    struct fuse_pollhandle *handle)
{
    const bx_tree_node *node = node_of(request, inode);
    bool event = node->kind == BX_TREE_DEVICE && node->device->ioctl;
    (void)file;
    if (handle)
        fuse_pollhandle_destroy(handle);
    fuse_reply_poll(request, event ? POLLHUP : POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM);
}

/* An entry's offset leads to the next entry: it is the entry's index in the tree plus 1. */
static void do_readdir(fuse_req_t request, fuse_ino_t inode, size_t n, off_t offset,
                       struct fuse_file_info *file)
{
    const bx_fuse_server *s = server_of(request);
    char *bytes = malloc(n ? n : 1);
    size_t used = 0;
    (void)file;
    if (!bytes) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    for (size_t i = offset ? (size_t)offset : 1; i < s->tree->n; i++) {
        const bx_tree_node *node = &s->tree->nodes[i];
        if (node->parent != index_of(inode))
            continue;
        const struct stat attributes = about(s, i);
        size_t takes = fuse_add_direntry(request, bytes + used, n - used, node->name, &attributes,
                                         (off_t)i + 1);
        if (takes > n - used)
            break;
        used += takes;
    }
    fuse_reply_buf(request, bytes, used);
    free(bytes);
}

/* Turns atomic O_TRUNC off. With it, open() would empty a text in the kernel's cache without
 * do_setattr(). */
static void do_init(void *server, struct fuse_conn_info *connection)
{
    ((bx_fuse_server *)server)->begun = true;
    connection->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
}

static const struct fuse_lowlevel_ops operations = {
    .init = do_init,
    .lookup = do_lookup,
    .getattr = do_getattr,
    .setattr = do_setattr,
    .open = do_open,
    .release = do_release,
    .ioctl = do_ioctl,
    .poll = do_poll,
    .read = do_read,
    .write = do_write,
    .readdir = do_readdir,
};

/* Removes the first waiting request from the list; the caller frees its memory. */
static struct fuse_buf first_waiting(bx_fuse_server *s)
{
    waiting *w = s->waiting;
    struct fuse_buf request = w->request;
    s->waiting = w->next;
    free(w);
    return request;
}

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
    s->session = fuse_session_new(&args, &operations, sizeof operations, s);
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
    int rc = watched ? check_folder(folder, e) : BX_OK;
    if (rc != BX_OK)
        return rc;
    bx_fuse_server *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->tree = tree;
    made->clock = clock;
    clock_gettime(CLOCK_REALTIME, &made->made);
    rc = mount_at(made, folder, watched, e);
    if (rc == BX_OK)
        *s = made;
    else
        bx_fuse_server_free(made);
    return rc;
}

void bx_fuse_server_free(bx_fuse_server *s)
{
    if (!s)
        return;
    if (s->mounted)
        fuse_session_unmount(s->session);
    bx_unmount_watchdog_dismiss(&s->watchdog);
    while (s->waiting)
        free(first_waiting(s).mem);
    if (s->session)
        fuse_session_destroy(s->session);
    free(s->request.mem);
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

static void take_waiting(bx_fuse_server *s)
{
    struct fuse_buf request = first_waiting(s);
    fuse_session_process_buf(s->session, &request);
    free(request.mem);
}

/* Receives a request during a long access, and queues it. An interrupt is for an earlier request,
 * so it is handled at once. false: nothing could be received. */
static bool receive_during_access(bx_fuse_server *s)
{
    waiting *w = calloc(1, sizeof *w), **end = &s->waiting;
    bool received = w && receive(s, &w->request);
    struct fuse_in_header head = {.opcode = FUSE_INTERRUPT};
    if (received)
        memcpy(&head, w->request.mem, sizeof head);
    if (received && head.opcode == FUSE_INTERRUPT)
        fuse_session_process_buf(s->session, &w->request);
    if (head.opcode == FUSE_INTERRUPT) {
        free(w ? w->request.mem : NULL);
        free(w);
        return received;
    }
    while (*end)
        end = &(*end)->next;
    *end = w;
    return true;
}

bool bx_fuse_server_has_begun(const bx_fuse_server *s)
{
    return s->begun;
}

static bool is_readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

bool bx_fuse_server_interrupts(void *server)
{
    bx_fuse_server *s = server;
    while (is_readable(fuse_session_fd(s->session)) && receive_during_access(s))
        ;
    bool ends = fuse_session_exited(s->session) || (s->writes && fuse_req_interrupted(s->writes));
    for (size_t i = 0; i < s->n_urgent; i++)
        ends |= is_readable(s->urgent[i]);
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
            take_waiting(s);
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
