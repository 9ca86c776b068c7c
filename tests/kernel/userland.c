/* Implements userland.h. */
#include "userland.h"

#include "../cmocked.h"
#include "cpio.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIBRARIES = 64 };

typedef struct libraries {
    char path[LIBRARIES][256];
    size_t n;
} libraries;

static const char *from_environment(const char *variable, const char *else_this)
{
    const char *value = getenv(variable);
    return value ? value : else_this;
}

const char *userland_init(void)
{
    return from_environment("KERNEL_INIT", "kernel_init");
}

static const char *name_of(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static void add(libraries *l, const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->path[i], path) == 0)
            return;
    assert_true(l->n < LIBRARIES);
    snprintf(l->path[l->n++], sizeof *l->path, "%s", path);
}

/* Lines of ldd: "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)", and the loader without an
 * arrow. */
static void look_at(libraries *l, const char *program)
{
    char command[512], line[512], path[256];
    snprintf(command, sizeof command, "ldd '%s'", program);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, " %*s => %255s", path) == 1 || sscanf(line, " %255s", path) == 1)
            if (path[0] == '/')
                add(l, path);
    assert_int_equal(pclose(f), 0);
}

static void put_text(FILE *cpio, const char *name, const char *text)
{
    char path[] = "/tmp/boxscore-text-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    cpio_file(cpio, name, path);
    unlink(path);
}

/* The paths that programs use: the loader's whole name, and /lib for libraries. */
static void put_libraries(FILE *cpio, const libraries *l)
{
    char to[320];
    for (size_t i = 0; i < l->n; i++) {
        const char *name = name_of(l->path[i]);
        bool loader = strncmp(name, "ld-linux", 8) == 0;
        snprintf(to, sizeof to, "%s/%s", loader ? "lib64" : "lib", name);
        cpio_file(cpio, to, l->path[i]);
    }
}

/* A program that is not built everywhere. */
static void put_companion(FILE *cpio, libraries *l, const char *variable, const char *to)
{
    const char *program = getenv(variable);
    if (!program)
        return;
    cpio_file(cpio, to, program);
    look_at(l, program);
}

void userland_put(FILE *cpio)
{
    static const char *const folders[] = {"bin", "etc", "lib", "lib64"};
    const char *boxscore = from_environment("BOXSCORE", "boxscore"),
               *helper = from_environment("HELPER", "boxscore-helper");
    libraries *l = calloc(1, sizeof *l);
    assert_non_null(l);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        cpio_folder(cpio, folders[i]);
    cpio_file(cpio, "bin/pause", userland_init());
    cpio_file(cpio, "bin/boxscore", boxscore);
    cpio_file(cpio, "bin/boxscore-helper", helper);
    look_at(l, boxscore);
    look_at(l, helper);
    put_companion(cpio, l, "SERVE", "bin/boxscore-serve");
    put_companion(cpio, l, "TOP", "bin/boxscore-top");
    put_libraries(cpio, l);
    put_text(cpio, "etc/passwd", "root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n");
    put_text(cpio, "etc/group", "root:x:0:\nnogroup:x:65534:\n");
    free(l);
}
