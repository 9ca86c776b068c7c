/* dpkg's lists have the files of each package: dpkg-query(1), FILES. */
#include "cli/common/debug_package.h"

#include "base/buf.h"
#include "cli/common/input.h"

#include <dirent.h>
#include <string.h>

static const char folder[] = "/var/lib/dpkg/info";
static const char suffix[] = ".list";

/* A list has each file on a line; the first one is "/.". Where /lib has become a link to /usr/lib,
 * a list may have the older name. */
static bool lists_file(const char *list, const char *path)
{
    bx_buf name = {0}, line = {0}, text = {0};
    bx_buf_f(&name, "%s/%s", folder, list);
    bx_buf_f(&line, "\n%s\n", path);
    bool found = !name.failed && !line.failed && bx_input_read(name.p, &text) == 0 && text.n &&
                 strstr(text.p, line.p);
    if (!found && !line.failed && text.n && strncmp(line.p, "\n/usr/", 6) == 0) {
        line.p[4] = '\n';
        found = strstr(text.p, line.p + 4);
    }
    bx_buf_free(&name);
    bx_buf_free(&line);
    bx_buf_free(&text);
    return found;
}

static bool may_be_packaged(const char *path)
{
    static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/", "/opt/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return strncmp(path, "/usr/local/", 11) != 0;
    return false;
}

static const char *debug_name_of(bx_str package, bx_arena *arena)
{
    bx_buf name = {0};
    bx_buf_str(&name, package);
    bx_buf_z(&name, bx_str_eq(package, BX_STR("libc6")) ? "-dbg" : "-dbgsym");
    const char *copy = name.failed ? NULL : bx_arena_copy(arena, bx_str_of(name.p));
    bx_buf_free(&name);
    return copy;
}

const char *bx_debug_package_of(void *unused, const char *path, bx_arena *arena)
{
    DIR *lists = may_be_packaged(path) ? opendir(folder) : NULL;
    const char *found = NULL;
    (void)unused;
    for (const struct dirent *entry; lists && !found && (entry = readdir(lists));) {
        size_t n = strlen(entry->d_name), end = sizeof suffix - 1;
        if (n <= end || strcmp(entry->d_name + n - end, suffix) != 0 ||
            !lists_file(entry->d_name, path))
            continue;
        bx_str package = {entry->d_name, n - end};
        found = debug_name_of(bx_str_cut(&package, ':'), arena);
    }
    if (lists)
        closedir(lists);
    return found;
}
