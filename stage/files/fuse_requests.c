/* Answers the requests of the kernel for the files of a tree. */
#include "stage/files/fuse_requests.h"

#include "stage/files/device.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ns for which the model may run to catch up. An access waits no longer than that. */
enum { BEFORE_ACCESS = 100000 };

/* ---- inodes: the index in the tree, plus 1; above that the number of a look-up ---- */

enum { LOOK_UP_SHIFT = 32 };

static bx_fuse_server *server_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

static size_t index_of(fuse_ino_t inode)
{
    return (uint32_t)inode - FUSE_ROOT_ID;
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

/* Linux locks an inode while it is written or truncated. So that a long write of one process does
 * not make another one wait, each look-up of such a device returns an inode of its own.
 * A node number 0 says that there is no such name, and lets Linux remember it (libfuse,
 * fuse_lowlevel.h): PCM tries the functions of all 256 buses, 65,536 files. */
static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    bx_fuse_server *s = server_of(request);
    ptrdiff_t found = bx_tree_find(s->tree, index_of(parent), bx_str_of(name));
    if (found == BX_TREE_NO_NODE) {
        fuse_reply_entry(request, &(struct fuse_entry_param){.entry_timeout = VALID});
        return;
    }
    struct fuse_entry_param entry = {.ino = (fuse_ino_t)found + FUSE_ROOT_ID,
                                     .attr = about(s, (size_t)found),
                                     .attr_timeout = VALID,
                                     .entry_timeout = VALID};
    const bx_tree_node *node = &s->tree->nodes[found];
    if (node->kind == BX_TREE_DEVICE && node->device->waits) {
        entry.ino |= ++s->look_ups << LOOK_UP_SHIFT;
        entry.entry_timeout = 0;
    }
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
        file->nonseekable = node->device->ioctl != NULL;
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

/* Returns whether the write has ended: it was answered. */
static bool write_device(bx_fuse_server *s, bx_waiting_write *w)
{
    bool within = s->clock->held;
    fuse_req_t outer = s->writes;
    size_t done = 0;
    bx_stage_clock_catch_up(s->clock, BEFORE_ACCESS);
    s->writes = within ? outer : w->request;
    s->clock->held = true;
    int err = w->node->device->write(w->node->context, w->number, w->offset, w->bytes, w->n, &done);
    s->clock->held = within;
    s->writes = outer;
    bx_stage_clock_notify(s->clock);
    if (err == BX_DEVICE_WAITS)
        return false;
    if (err)
        fuse_reply_err(w->request, err);
    else
        fuse_reply_write(w->request, done);
    return true;
}

static void write_or_wait(bx_fuse_server *s, bx_waiting_write *w)
{
    if (write_device(s, w)) {
        free(w);
        return;
    }
    bx_waiting_write **end = &s->waiting;
    while (*end)
        end = &(*end)->next;
    w->next = NULL;
    *end = w;
}

static void do_write(fuse_req_t request, fuse_ino_t inode, const char *bytes, size_t n,
                     off_t offset, struct fuse_file_info *file)
{
    bx_fuse_server *s = server_of(request);
    bx_waiting_write *w = malloc(sizeof *w + n);
    if (!w) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    *w = (bx_waiting_write){.request = request,
                            .node = node_of(request, inode),
                            .number = file->fh,
                            .offset = (uint64_t)offset,
                            .n = n};
    memcpy(w->bytes, bytes, n);
    write_or_wait(s, w);
}

/* Answers a write that waits: its process was interrupted, or nothing is served any more. */
static void give_up(bx_waiting_write *w)
{
    size_t done;
    (void)w->node->device->write(w->node->context, w->number, w->offset, NULL, 0, &done);
    fuse_reply_err(w->request, EINTR);
    free(w);
}

void bx_fuse_continue_write(bx_fuse_server *s)
{
    bx_waiting_write *w = s->waiting;
    s->waiting = w->next;
    if (fuse_req_interrupted(w->request))
        give_up(w);
    else
        write_or_wait(s, w);
}

void bx_fuse_drop_writes(bx_fuse_server *s, bool all)
{
    for (bx_waiting_write **at = &s->waiting; *at;) {
        bx_waiting_write *w = *at;
        if (!all && !fuse_req_interrupted(w->request)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        give_up(w);
    }
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

const struct fuse_lowlevel_ops bx_fuse_operations = {
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
