/* dpkg-query says which package has a file: dpkg-query(1), --search. */
#include "cli/common/debug_package.h"

#include "base/buf.h"
#include "host/system/shell.h"

#include <string.h>

/* Appends what it says about a path. */
static void ask_dpkg(const char *path, bx_buf *to)
{
    bx_buf line = {0};
    bx_buf_z(&line, "dpkg-query --search -- ");
    bx_shell_word(&line, path);
    bx_buf_z(&line, " 2>/dev/null");
    if (!line.failed)
        bx_shell_read(line.p, to);
    bx_buf_free(&line);
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

/* "libc6:amd64: /lib/…", or several packages with commas between them. */
static const char *package_in(const bx_buf *said, bx_arena *arena)
{
    const char *text = bx_buf_text(said);
    size_t n = strcspn(text, ":,\n ");
    bool is = n && (text[n] == ':' || text[n] == ',');
    return is ? debug_name_of((bx_str){text, n}, arena) : NULL;
}

/* Where /lib has become a link to /usr/lib, dpkg may have the older name. */
const char *bx_debug_package_of(void *unused, const char *path, bx_arena *arena)
{
    static const char usr[] = "/usr";
    bx_buf said = {0};
    (void)unused;
    if (!may_be_packaged(path))
        return NULL;
    ask_dpkg(path, &said);
    if (!said.n && strncmp(path, "/usr/", 5) == 0)
        ask_dpkg(path + sizeof usr - 1, &said);
    const char *found = package_in(&said, arena);
    bx_buf_free(&said);
    return found;
}
