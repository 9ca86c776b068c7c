/* Finds our tracer. */
#include "machine/program/process/trace_tool.h"

#include "machine/program/process/executable.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_in(const char *folder, const char *below, char *to, size_t room)
{
    int n = snprintf(to, room, "%s%s/boxscore-tracer-amd64-linux", folder, below);
    return n > 0 && (size_t)n < room && access(to, X_OK) == 0;
}

/* In a build tree, the tracer is next to the command, and next to the folders of tests and
 * benchmarks. */
static bool is_beside_us(char *to, size_t room)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return is_in(self, "/tracer", to, room) || is_in(self, "/../tracer", to, room);
}

static bool find_tool(char *to, size_t room)
{
    const char *folder = getenv("BOXSCORE_TRACER");
    return folder ? is_in(folder, "", to, room)
                  : is_beside_us(to, room) || is_in(BX_LIBEXEC, "", to, room);
}

bool bx_trace_tool_find(const char *program, char *to, size_t room)
{
    return !bx_program_is_32_bit(program) && find_tool(to, room);
}

const char *bx_trace_tool_missing(const char *program)
{
    char tool[PATH_MAX];
    if (bx_program_is_32_bit(program))
        return "it has 32 bits";
    if (find_tool(tool, sizeof tool))
        return NULL;
    return getenv("BOXSCORE_TRACER") ? "so says BOXSCORE_TRACER" : "boxscore's tracer is not there";
}
