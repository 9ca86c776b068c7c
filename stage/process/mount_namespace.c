/* Makes the namespace and a /dev for it, adds the preloaded library, and mounts the machine's
 * files. */
#include "stage/process/mount_namespace.h"

#include "base/buf.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the namespace ---- */

static bool write_file(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return good;
}

/* Makes an unprivileged user root in the new user namespace. */
static bool become_root(uid_t user, gid_t group)
{
    char users[48], groups[48];
    snprintf(users, sizeof users, "0 %u 1\n", user);
    snprintf(groups, sizeof groups, "0 %u 1\n", group);
    return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
           write_file("/proc/self/gid_map", groups);
}

static int separate(bx_error *e)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    bool apart = unshare(CLONE_NEWNS) == 0;
    if (!apart && errno == EPERM)
        apart = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && become_root(user, group);
    if (apart && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        return BX_OK;
    if (apart && errno == EINVAL) { /* our mounts would propagate to the host */
        bx_fail(e, BX_NO_ACCESS, 0, 0, "cannot make a mount namespace: / is no mount point");
        bx_hint(e, "a chroot cannot; boxscore stage --at DIRECTORY does without");
        return BX_NO_ACCESS;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0, "cannot make a mount namespace: %s", strerror(errno));
    bx_hint(e, "as root it can; boxscore stage --at DIRECTORY does without");
    return BX_NO_ACCESS;
}

/* ---- the namespace's /dev ---- */

static bool is_replaced(const char *name)
{
    static const char *const names[] = {".", "..", "cpu", "mem", "boxscore"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Makes one entry of a host's folder, open as `old`, visible in the new folder. An entry that
 * cannot be made visible is left out. */
static void bind_entry(int old, const char *folder, const char *name)
{
    char from[320], to[320], target[4096];
    struct stat about;
    snprintf(from, sizeof from, "/proc/self/fd/%d/%s", old, name);
    snprintf(to, sizeof to, "%s/%s", folder, name);
    if (fstatat(old, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISLNK(about.st_mode)) {
        ssize_t n = readlinkat(old, name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        (void)!symlink(target, to);
        return;
    }
    if (S_ISDIR(about.st_mode)) {
        mkdir(to, about.st_mode & 07777);
    } else {
        int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
    }
    if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) != 0)
        remove(to);
}

static int make_dev(bx_error *e)
{
    int old = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = old < 0 ? NULL : fdopendir(old);
    bool made = entries && mount("boxscore", "/dev", "tmpfs", MS_NOSUID, "mode=755") == 0;
    for (struct dirent *d; made && (d = readdir(entries));)
        if (!is_replaced(d->d_name))
            bind_entry(old, "/dev", d->d_name);
    made = made && mkdir(BX_STAGE_FOLDER, 0755) == 0 && mkdir("/dev/cpu", 0755) == 0;
    int err = errno;
    if (entries)
        closedir(entries);
    return made ? BX_OK : bx_fail(e, BX_SYSTEM, 0, 0, "no /dev of our own: %s", strerror(err));
}

/* ---- the preloaded library ---- */

/* /etc/ld.so.preload also works for programs that are started without an environment, such as
 * LIKWID's daemon. The overlay that adds it makes /etc read-only. */
static bool preload_by_list(const char *preload)
{
    static const char etc[] = BX_STAGE_FOLDER "/etc", list[] = BX_STAGE_FOLDER "/etc/ld.so.preload";
    int fd = mkdir(etc, 0755) == 0 ? open(list, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd < 0)
        return false;
    close(fd);
    return write_file(list, preload) && mount("boxscore", "/etc", "overlay", MS_RDONLY,
                                              "lowerdir=" BX_STAGE_FOLDER "/etc:/etc") == 0;
}

/* Used where the kernel has no overlay file system. */
static int preload_by_environment(const char *preload, bx_error *e)
{
    const char *others = getenv("LD_PRELOAD");
    bx_buf all = {0};
    bx_buf_f(&all, "%s%s%s", preload, others ? ":" : "", others ? others : "");
    bool set = !all.failed && setenv("LD_PRELOAD", all.p, 1) == 0;
    bx_buf_free(&all);
    return set ? BX_OK : bx_out_of_memory(e);
}

int bx_mount_namespace_enter(const char *preload, bx_error *e)
{
    int code = separate(e);
    if (code == BX_OK)
        code = make_dev(e);
    if (code == BX_OK && preload && !preload_by_list(preload))
        code = preload_by_environment(preload, e);
    return code;
}

/* ---- mounting the machine's files over the host's ---- */

#define SOURCES "/sys/bus/event_source/devices"

/* Whether an entry of the host's /sys/devices, open as `devices`, is hidden: a PMU or PCI
 * devices. */
static bool is_hidden(int devices, const char *name)
{
    char path[320];
    snprintf(path, sizeof path, "%s/perf_event_mux_interval_ms", name);
    return name[0] == '.' || strncmp(name, "pci", 3) == 0 || faccessat(devices, path, F_OK, 0) == 0;
}

/* Links to the machine's PMUs; 0 or an errno. */
static int link_sources(void)
{
    char path[320], target[320];
    DIR *sources = opendir(BX_STAGE_FOLDER SOURCES);
    struct dirent *d;
    if (!sources)
        return errno;
    while ((errno = 0, d = readdir(sources))) {
        snprintf(path, sizeof path, "/sys/devices/%s", d->d_name);
        snprintf(target, sizeof target, SOURCES "/%s", d->d_name);
        if (d->d_name[0] != '.')
            (void)!symlink(target, path);
    }
    int err = errno;
    closedir(sources);
    return err;
}

/* libpfm4 looks for PMUs in /sys/devices, where no file can be created. So a new folder replaces
 * it. It has the host's entries that are not hidden, and the machine's PMUs. 0 or an errno. */
static int cover_devices(void)
{
    int old = open("/sys/devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = old < 0 ? NULL : fdopendir(old);
    bool made = entries && mount("boxscore", "/sys/devices", "tmpfs", MS_NOSUID, "mode=755") == 0;
    int err = made ? 0 : errno;
    for (struct dirent *d; made && (d = readdir(entries));) {
        if (!is_hidden(old, d->d_name))
            bind_entry(old, "/sys/devices", d->d_name);
    }
    if (entries)
        closedir(entries);
    return err ? err : link_sources();
}

/* 0 or an errno. A path that the host's kernel lacks is skipped. */
static int cover_all(void)
{
    static const char *const parts[] = {
        "/dev/cpu",
        "/proc/cpuinfo",
        "/proc/sys/kernel/random/boot_id",
        "/proc/bus/pci",
        SOURCES,
        "/sys/bus/pci",
        "/sys/devices/system/cpu",
        "/sys/devices/system/node",
        "/sys/firmware",
    };
    int err = cover_devices();
    for (size_t i = 0; (err == 0 || err == ENOENT) && i < sizeof parts / sizeof *parts; i++) {
        char from[96];
        snprintf(from, sizeof from, BX_STAGE_FOLDER "%s", parts[i]);
        err = mount(from, parts[i], NULL, MS_BIND, NULL) == 0 ? 0 : errno;
    }
    return err == ENOENT ? 0 : err;
}

/* Makes this process end with its parent, which serves the files that this process waits for. If
 * the parent is killed while it answers, SIGKILL does not end that wait. The wait ends when no
 * process has the descriptor of the FUSE connection any more, so this process closes its copy. */
static void end_with(pid_t parent)
{
    close_range(STDERR_FILENO + 1, ~0u, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before the prctl() */
        _exit(1);
}

int bx_mount_namespace_populate(pid_t *pid, bx_error *e)
{
    pid_t self = getpid();
    *pid = fork();
    if (*pid == 0) {
        end_with(self);
        _exit(cover_all());
    }
    return *pid > 0 ? BX_OK : bx_fail(e, BX_SYSTEM, 0, 0, "fork: %s", strerror(errno));
}
