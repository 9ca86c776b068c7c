/* Finds the folders of cgroups. */
#include "machine/cgroup.h"

#include "base/buf.h"
#include "base/error.h"
#include "event/hint.h"
#include "host/system/file.h"
#include "machine/backend/backend.h"
#include "machine/machine.h"
#include "machine/program/process/attached.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool has_word(bx_str list, const char *word)
{
    while (list.p)
        if (bx_str_eq(bx_str_cut(&list, ','), bx_str_of(word)))
            return true;
    return false;
}

/* Appends where cgroups are mounted that perf_event knows: those of a hierarchy of version 1 with
 * this controller; else those of version 2, where it needs none. proc(5): "device mount-point type
 * options". */
static void find_mount(const char *root, bx_buf *to)
{
    bx_buf mounts = bx_file_read_all(root, "/proc/self/mounts", 1 << 22);
    for (int version = 1; version <= 2 && !to->n; version++) {
        bx_str rest = {mounts.p ? mounts.p : "", mounts.n};
        while (rest.p && !to->n) {
            bx_str line = bx_str_cut(&rest, '\n');
            bx_str_cut(&line, ' ');
            bx_str folder = bx_str_cut(&line, ' '), type = bx_str_cut(&line, ' ');
            bx_str options = bx_str_cut(&line, ' ');
            if (version == 1 ? bx_str_eq(type, BX_STR("cgroup")) && has_word(options, "perf_event")
                             : bx_str_eq(type, BX_STR("cgroup2")))
                bx_buf_str(to, folder);
        }
    }
    to->failed |= mounts.failed;
    bx_buf_free(&mounts);
}

/* Opens the folder of a cgroup; -1 and *e. */
static int open_folder(const char *root, bx_str name, bx_error *e)
{
    bx_buf path = {0};
    find_mount(root, &path);
    if (!path.n && !path.failed) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "no cgroups are mounted that perf_event knows");
        bx_hint(e, "mount cgroup2 at /sys/fs/cgroup");
    }
    bool whole = path.n && name.n >= path.n && memcmp(name.p, path.p, path.n) == 0;
    if (whole)
        path.n = 0;
    bx_buf_z(&path, whole || (name.n && *name.p == '/') ? "" : "/");
    bx_buf_str(&path, name);
    int fd = -1;
    if (path.failed)
        bx_out_of_memory(e);
    else if (!e->code)
        fd = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && !e->code) {
        bx_fail(e, errno == ENOENT || errno == ENOTDIR ? BX_NOT_FOUND : BX_NO_ACCESS, 0, 0,
                "cgroup '%s' cannot be opened: %s", bx_quote(bx_str_of(path.p)).text,
                strerror(errno));
        bx_hint(e, "cat /proc/PID/cgroup says in which one a process is: the part after '::'");
    }
    bx_buf_free(&path);
    return fd;
}

int bx_machine_attach_cgroup(bx_machine *m, bx_str name, bx_error *e)
{
    const bx_perf *perf = m->backend->perf;
    bx_error own = {0};
    if (!m->backend->can.takes_running || !perf || perf->foreign) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "only this host's own kernel counts a cgroup");
        bx_hint(e, "the machine 'host', without a folder as its root");
        return BX_NO_ACCESS;
    }
    if (!name.n) { /* as a folder it would be the root: everything that runs */
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the name of a cgroup is missing");
        bx_hint(e, "the root, with all processes, is '/'");
        return BX_BAD_INPUT;
    }
    int fd = open_folder(perf->root, name, &own);
    if (fd >= 0 && !m->backend->attached)
        bx_machine_attach(m, NULL, 0, false, &own);
    if (fd >= 0 && !own.code && !bx_attached_take_cgroup(m->backend->attached, fd))
        bx_out_of_memory(&own);
    if (!own.code)
        return BX_OK;
    if (fd >= 0)
        close(fd);
    bx_fail_as(e, &own);
    return own.code;
}

const int *bx_machine_cgroups(const bx_machine *m, size_t *n)
{
    *n = 0;
    return m->backend->attached ? bx_attached_cgroups(m->backend->attached, n) : NULL;
}
